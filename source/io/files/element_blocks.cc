// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/element_blocks.h>

#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    std::vector<types::global_dof_index>
    numbers_of_block(const std::size_t n_cells, const MPI_Comm communicator)
    {
      const auto [begin, end] =
        block_of_rank(n_cells, this_rank(communicator), n_ranks(communicator));
      std::vector<types::global_dof_index> numbers(end - begin);
      std::iota(numbers.begin(), numbers.end(), begin);
      return numbers;
    }


    /// The values of a cell travel one after the other, so that what is needed to do it does not
    /// depend on their number.
    std::vector<double>
    exchange(const Utilities::MPI::NoncontiguousPartitioner &partitioner,
             const std::size_t                               n_global,
             const std::vector<double>                      &values,
             const std::size_t                               n_from,
             const std::size_t                               n_to,
             const std::size_t                               n_values)
    {
      std::vector<double> result(n_to * n_values), from(n_from), to(n_to);
      for (std::size_t i = 0; i < n_values && n_global > 0; ++i)
        {
          for (std::size_t cell = 0; cell < n_from; ++cell)
            from[cell] = values[cell * n_values + i];
          partitioner.export_to_ghosted_array(ArrayView<const double>(from.data(), n_from),
                                              ArrayView<double>(to.data(), n_to));
          for (std::size_t cell = 0; cell < n_to; ++cell)
            result[cell * n_values + i] = to[cell];
        }
      return result;
    }
  } // namespace


  ElementBlocks::ElementBlocks(const std::function<Numbers()> &numbers, const MPI_Comm communicator)
    : communicator(communicator)
    , numbers(numbers)
  {}


  ElementBlocks::ElementBlocks(const Numbers &numbers, const MPI_Comm communicator)
    : ElementBlocks([numbers]() { return numbers; }, communicator)
  {}


  const ElementBlocks::Way &
  ElementBlocks::way() const
  {
    if (known_way == nullptr)
      {
        const auto    found    = std::make_shared<Way>();
        const Numbers of_cells = numbers();
        found->n_own           = of_cells.size();
        found->n_global        = Utilities::MPI::sum(found->n_own, communicator);
        const Numbers of_block = numbers_of_block(found->n_global, communicator);
        found->n_in_block      = of_block.size();
        if (found->n_global > 0) // deal.II divides by it
          {
            found->own_to_block.reinit(of_cells, of_block, communicator);
            found->block_to_own.reinit(of_block, of_cells, communicator);
          }
        known_way = found;
      }
    return *known_way;
  }


  std::size_t
  ElementBlocks::n_cells() const
  {
    return way().n_global;
  }


  std::vector<double>
  ElementBlocks::to_block(const std::vector<double> &values, const std::size_t n_values) const
  {
    AssertDimension(values.size(), way().n_own * n_values);
    return exchange(
      way().own_to_block, way().n_global, values, way().n_own, way().n_in_block, n_values);
  }


  std::vector<double>
  ElementBlocks::from_block(const std::vector<double> &block, const std::size_t n_values) const
  {
    AssertDimension(block.size(), way().n_in_block * n_values);
    return exchange(
      way().block_to_own, way().n_global, block, way().n_in_block, way().n_own, n_values);
  }
} // namespace Saltus
