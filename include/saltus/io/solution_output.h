// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_solution_output_h
#define saltus_io_solution_output_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/expression.h>
#include <saltus/io/quantities.h>
#include <saltus/io/solution_writer.h>
#include <saltus/physics/array.h>

#include <optional>
#include <vector>

namespace Saltus
{
  /// Write what @p convert makes of the values of @p solution, in deal.II's numbering.
  /// @param convert called as `convert(cell, point, state, values)` with the cell, a point of the
  /// reference cell (an index into the writer's unit_points()), the `Array<double, n_components>`
  /// of values there and the array of quantities to fill; several threads call it at the same time
  template <int n_components, int dim, typename Convert>
  void
  write_solution(SolutionWriter<dim>           &writer,
                 const double                   time,
                 const dealii::DoFHandler<dim> &dof_handler,
                 const dealii::Vector<double>  &solution,
                 const Convert                 &convert)
  {
    using Cell = typename dealii::DoFHandler<dim>::active_cell_iterator;
    std::vector<Cell> cells(dof_handler.get_triangulation().n_active_cells());
    for (const Cell &cell : dof_handler.active_cell_iterators())
      cells[cell->active_cell_index()] = cell;

    const auto              &fe     = dof_handler.get_fe();
    const auto              &points = writer.unit_points();
    dealii::Table<2, double> shape(fe.n_dofs_per_cell(), points.size());
    for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
      for (unsigned int q = 0; q < points.size(); ++q)
        shape(i, q) = fe.shape_value(i, points[q]);

    writer.write(time, [&](const unsigned int cell, dealii::Table<2, double> &values) {
      std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
      cells[cell]->get_dof_indices(indices);
      for (unsigned int q = 0; q < points.size(); ++q)
        {
          Array<double, n_components> state{};
          for (unsigned int i = 0; i < indices.size(); ++i)
            state[fe.system_to_component_index(i).first] += solution(indices[i]) * shape(i, q);
          convert(cells[cell], q, state, &values(q, 0));
        }
    });
  }


  /// Write the quantities of @p solution.
  template <int dim>
  void
  write_quantities(SolutionWriter<dim>          &writer,
                   const double                  time,
                   const SolutionSpace<dim>     &space,
                   const dealii::Vector<double> &solution);


  /// Write a scalar @p solution and, if @p exact is given, its error as a second quantity.
  template <int dim>
  void
  write_scalar(SolutionWriter<dim>             &writer,
               const double                     time,
               const dealii::Mapping<dim>      &mapping,
               const dealii::DoFHandler<dim>   &dof_handler,
               const dealii::Vector<double>    &solution,
               const std::optional<Expression> &exact = {});
} // namespace Saltus

#endif
