// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/grid/cell_id.h>

#include <saltus/mesh/adapt/cell_numbers.h>

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
