// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_vertex_multigrid_h
#define saltus_solvers_multigrid_vertex_multigrid_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/solvers/multigrid/spread_multigrid.h>

#include <numeric>
#include <vector>

namespace Saltus
{
  /// SpreadMultigrid for the unknowns of a coarse space on a mesh that mixes shapes, between its
  /// BlockVectors: with one embedding a shape the unknowns are in a vector of their own.
  template <typename Number>
  class VertexMultigrid
  {
  public:
    /// See SpreadMultigrid.
    /// @param embeddings `[shape]`
    void
    initialize(const std::shared_ptr<const ElementPartition>          &partition,
               const GatheredMatrix                                   &matrix,
               const typename SpreadMultigrid<Number>::AdditionalData &additional_data,
               const Device                                            device,
               const std::vector<CompressedRows>                      &embeddings)
    {
      const std::size_t n = embeddings[0].n_columns;
      b                   = algebraic_vector<Number>(device, n);
      x                   = b;
      this->embeddings.clear();
      restrictions.clear();
      for (const CompressedRows &embedding : embeddings)
        {
          this->embeddings.emplace_back(device, embedding);
          restrictions.emplace_back(device, embedding.transpose());
        }
      std::vector<std::size_t> places(n);
      std::iota(places.begin(), places.end(), 0);
      algebraic.initialize(partition,
                           matrix,
                           additional_data,
                           device,
                           CompressedRows::placement(places, b.data_size()));
    }

    void
    vmult(BlockVector<Number> &dst, const BlockVector<Number> &src) const
    {
      solve(src);
      for (unsigned int i = 0; i < embeddings.size(); ++i)
        embeddings[i].vmult(dst.block(i), x);
    }

    void
    vmult_add(BlockVector<Number> &dst, const BlockVector<Number> &src) const
    {
      solve(src);
      for (unsigned int i = 0; i < embeddings.size(); ++i)
        embeddings[i].vmult_add(dst.block(i), x);
    }

    const std::vector<typename AlgebraicMultigrid<Number>::LevelSize> &
    level_sizes() const
    {
      return algebraic.level_sizes();
    }

    double
    time_coarsest() const
    {
      return algebraic.time_coarsest();
    }

    std::size_t
    memory_consumption() const
    {
      std::size_t sum =
        algebraic.memory_consumption() + (b.data_size() + x.data_size()) * sizeof(Number);
      for (unsigned int i = 0; i < embeddings.size(); ++i)
        sum += embeddings[i].memory_consumption() + restrictions[i].memory_consumption();
      return sum;
    }

    bool
    is_spread() const
    {
      return algebraic.is_spread();
    }

  private:
    void
    solve(const BlockVector<Number> &src) const
    {
      restrictions[0].vmult(b, src.block(0));
      for (unsigned int i = 1; i < restrictions.size(); ++i)
        restrictions[i].vmult_add(b, src.block(i));
      algebraic.vmult(x, b);
    }

    SpreadMultigrid<Number>           algebraic;
    std::vector<SparseMatrix<Number>> embeddings, restrictions;
    mutable Vector<Number>            b, x; ///< of the unknowns of this rank
  };
} // namespace Saltus

#endif
