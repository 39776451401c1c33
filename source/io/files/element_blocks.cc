// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/grid/cell_id.h>

#include <saltus/base/ranks/ranks.h>
#include <saltus/io/files/element_blocks.h>

#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    const parallel::distributed::Triangulation<dim> *
    on_p4est(const Triangulation<dim> &mesh)
    {
      return dynamic_cast<const parallel::distributed::Triangulation<dim> *>(&mesh);
    }


    /// Calls `body(cell)` for the active cells among the descendants of @p cell, in the order of
    /// the children.
    template <typename Cell, typename Body>
    void
    visit_active(const Cell &cell, const Body &body)
    {
      if (cell->is_active())
        return body(cell);
      for (unsigned int c = 0; c < cell->n_children(); ++c)
        visit_active(cell->child(c), body);
    }


    /// Calls `body(cell)` for the active cells of this rank along the curve of p4est.
    template <int dim, typename Body>
    void
    visit_along_p4est(const parallel::distributed::Triangulation<dim> &mesh, const Body &body)
    {
      for (const auto index : mesh.get_p4est_tree_to_coarse_cell_permutation())
        visit_active(typename Triangulation<dim>::cell_iterator(&mesh, 0, index),
                     [&](const auto &cell) {
                       if (cell->is_locally_owned())
                         body(cell);
                     });
    }


    /// The number of a cell of a mesh that p4est does not manage.
    template <int dim>
    types::global_dof_index
    number_of(const typename Triangulation<dim>::active_cell_iterator &cell)
    {
      using FullyDistributed = parallel::fullydistributed::Triangulation<dim>;
      if (dynamic_cast<const FullyDistributed *>(&cell->get_triangulation()) == nullptr)
        return cell->active_cell_index();
      AssertThrow(cell->level() == 0,
                  ExcMessage("Cells of a parallel::fullydistributed::Triangulation have numbers "
                             "that do not depend on the ranks only if it has one level, as "
                             "spread_triangulation() makes it."));
      return cell->id().get_coarse_cell_id();
    }
  } // namespace


  template <typename Cell>
  std::vector<types::global_dof_index>
  cell_numbers(const std::vector<Cell> &cells)
  {
    constexpr int                        dim = Cell::AccessorType::dimension;
    std::vector<types::global_dof_index> numbers;
    if (cells.empty())
      return numbers;
    numbers.reserve(cells.size());
    if (const auto *mesh = on_p4est<dim>(cells[0]->get_triangulation()))
      {
        std::vector<types::global_dof_index> by_index(mesh->n_active_cells());
        types::global_dof_index              next =
          mesh->global_active_cell_index_partitioner().lock()->local_range().first;
        visit_along_p4est(*mesh,
                          [&](const auto &cell) { by_index[cell->active_cell_index()] = next++; });
        for (const Cell &cell : cells)
          numbers.push_back(by_index[cell->active_cell_index()]);
      }
    else
      for (const Cell &cell : cells)
        numbers.push_back(number_of<dim>(cell));
    return numbers;
  }


  template <int dim>
  std::vector<typename Triangulation<dim>::active_cell_iterator>
  cells_in_order(const Triangulation<dim> &mesh)
  {
    std::vector<typename Triangulation<dim>::active_cell_iterator> cells;
    if (const auto *forest = on_p4est(mesh))
      visit_along_p4est(*forest, [&](const auto &cell) { cells.emplace_back(cell); });
    else
      for (const auto &cell : mesh.active_cell_iterators())
        if (cell->is_locally_owned())
          cells.push_back(cell);
    return cells;
  }


  template <int dim>
  std::vector<typename DoFHandler<dim>::active_cell_iterator>
  cells_in_order(const DoFHandler<dim> &dof_handler)
  {
    std::vector<typename DoFHandler<dim>::active_cell_iterator> cells;
    for (const auto &cell : cells_in_order(dof_handler.get_triangulation()))
      cells.emplace_back(&dof_handler.get_triangulation(),
                         cell->level(),
                         cell->index(),
                         &dof_handler);
    return cells;
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


#define SALTUS_CELL_ORDER(dim)                                                            \
  template std::vector<types::global_dof_index> cell_numbers(                             \
    const std::vector<typename Triangulation<dim>::active_cell_iterator> &);              \
  template std::vector<types::global_dof_index> cell_numbers(                             \
    const std::vector<typename DoFHandler<dim>::active_cell_iterator> &);                 \
  template std::vector<typename Triangulation<dim>::active_cell_iterator> cells_in_order( \
    const Triangulation<dim> &);                                                          \
  template std::vector<typename DoFHandler<dim>::active_cell_iterator> cells_in_order(    \
    const DoFHandler<dim> &);
  SALTUS_CELL_ORDER(2)
  SALTUS_CELL_ORDER(3)
#undef SALTUS_CELL_ORDER
} // namespace Saltus
