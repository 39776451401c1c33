// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/cell_id.h>

#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/element_blocks.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  template <typename Cell>
  types::global_dof_index
  cell_number(const Cell &cell)
  {
    constexpr int dim      = Cell::AccessorType::dimension;
    using FullyDistributed = parallel::fullydistributed::Triangulation<dim>;
    const auto &mesh       = cell->get_triangulation();
    const bool  is_cut     = dynamic_cast<const FullyDistributed *>(&mesh) != nullptr;
    AssertThrow(!is_cut || cell->level() == 0,
                ExcMessage("Cells of a parallel::fullydistributed::Triangulation have numbers that "
                           "do not depend on the ranks only if it has one level, as "
                           "spread_triangulation() makes it."));
    if (is_cut)
      return cell->id().get_coarse_cell_id();
    using OnP4est = parallel::distributed::Triangulation<dim>;
    return dynamic_cast<const OnP4est *>(&mesh) != nullptr ? cell->global_active_cell_index()
                                                           : cell->active_cell_index();
  }


  namespace
  {
    /// A cell as p4est orders them: by its tree, whose number deal.II has as the id of the coarse
    /// cell, then by which child of which it is.
    using PlaceInForest = std::pair<types::global_dof_index, std::vector<std::uint8_t>>;

    template <typename Cell>
    std::vector<types::global_dof_index>
    numbers_on_p4est(
      const std::vector<Cell>                                                   &cells,
      const parallel::distributed::Triangulation<Cell::AccessorType::dimension> &mesh)
    {
      std::vector<std::pair<PlaceInForest, std::size_t>> order;
      for (std::size_t i = 0; i < cells.size(); ++i)
        {
          const CellId id       = cells[i]->id();
          const auto   children = id.get_child_indices();
          order.push_back(
            {{id.get_coarse_cell_id(), std::vector<std::uint8_t>(children.begin(), children.end())},
             i});
        }
      std::sort(order.begin(), order.end());
      const auto range = mesh.global_active_cell_index_partitioner().lock()->local_range();
      AssertDimension(range.second - range.first, cells.size());
      std::vector<types::global_dof_index> numbers(cells.size());
      for (std::size_t place = 0; place < order.size(); ++place)
        numbers[order[place].second] = range.first + place;
      return numbers;
    }
  } // namespace


  template <typename Cell>
  std::vector<types::global_dof_index>
  cell_numbers(const std::vector<Cell> &cells)
  {
    std::vector<types::global_dof_index> numbers;
    if (cells.empty())
      return numbers;
    using OnP4est = parallel::distributed::Triangulation<Cell::AccessorType::dimension>;
    if (const auto *mesh = dynamic_cast<const OnP4est *>(&cells[0]->get_triangulation()))
      return numbers_on_p4est(cells, *mesh);
    for (const Cell &cell : cells)
      numbers.push_back(cell_number(cell));
    return numbers;
  }


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
             const std::vector<double>                      &values,
             const std::size_t                               n_from,
             const std::size_t                               n_to,
             const std::size_t                               n_values)
    {
      std::vector<double> result(n_to * n_values), from(n_from), to(n_to);
      for (std::size_t i = 0; i < n_values; ++i)
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
        found->own_to_block.reinit(of_cells, of_block, communicator);
        found->block_to_own.reinit(of_block, of_cells, communicator);
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
    return exchange(way().own_to_block, values, way().n_own, way().n_in_block, n_values);
  }


  std::vector<double>
  ElementBlocks::from_block(const std::vector<double> &block, const std::size_t n_values) const
  {
    AssertDimension(block.size(), way().n_in_block * n_values);
    return exchange(way().block_to_own, block, way().n_in_block, way().n_own, n_values);
  }


#define SALTUS_CELL_NUMBER(dim)                                              \
  template types::global_dof_index cell_number(                              \
    const typename Triangulation<dim>::active_cell_iterator &);              \
  template types::global_dof_index cell_number(                              \
    const typename DoFHandler<dim>::active_cell_iterator &);                 \
  template std::vector<types::global_dof_index> cell_numbers(                \
    const std::vector<typename Triangulation<dim>::active_cell_iterator> &); \
  template std::vector<types::global_dof_index> cell_numbers(                \
    const std::vector<typename DoFHandler<dim>::active_cell_iterator> &);
  SALTUS_CELL_NUMBER(2)
  SALTUS_CELL_NUMBER(3)
#undef SALTUS_CELL_NUMBER
} // namespace Saltus
