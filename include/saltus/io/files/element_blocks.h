// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_element_blocks_h
#define saltus_io_files_element_blocks_h

#include <deal.II/base/mpi.h>
#include <deal.II/base/mpi_noncontiguous_partitioner.h>
#include <deal.II/base/types.h>

#include <saltus/mesh/adapt/cell_numbers.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace Saltus
{
  /// Which of @p n cells, in the order of their numbers, rank @p rank of @p n_ranks has in its
  /// block: from the first number to before the second.
  inline std::pair<std::size_t, std::size_t>
  block_of_rank(const std::size_t n, const unsigned int rank, const unsigned int n_ranks)
  {
    return {n * rank / n_ranks, n * (rank + 1) / n_ranks};
  }


  /// The way between values of the cells that a rank has and blocks of them in the order of
  /// cell_numbers(), one a rank. It is found when it is first asked for: meshes that are adapted
  /// soon need none. All functions are collective.
  class ElementBlocks
  {
  public:
    using Numbers = std::vector<dealii::types::global_dof_index>;

    /// @param numbers gives those of this rank's cells; each cell of the mesh belongs to one rank
    ElementBlocks(const std::function<Numbers()> &numbers, const MPI_Comm communicator);

    ElementBlocks(const Numbers &numbers, const MPI_Comm communicator);

    /// Number of cells, on all ranks.
    std::size_t
    n_cells() const;

    const MPI_Comm communicator;

    /// @param values `[cell of this rank][i]`
    /// @param n_values that a cell has
    /// @return `[cell of the block][i]`
    std::vector<double>
    to_block(const std::vector<double> &values, const std::size_t n_values) const;

    /// The other way.
    std::vector<double>
    from_block(const std::vector<double> &block, const std::size_t n_values) const;

  private:
    struct Way
    {
      std::size_t                                      n_global, n_own, n_in_block;
      dealii::Utilities::MPI::NoncontiguousPartitioner own_to_block, block_to_own;
    };

    const Way &
    way() const;

    std::function<Numbers()>           numbers;
    mutable std::shared_ptr<const Way> known_way; ///< nullptr until way() is called
  };
} // namespace Saltus

#endif
