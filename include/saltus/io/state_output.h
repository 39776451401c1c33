// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_state_output_h
#define saltus_io_state_output_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/lac/vector.h>

#include <saltus/io/solution_writer.h>
#include <saltus/operators/conservation_law_operator.h>
#include <saltus/physics/array.h>

#include <string>
#include <vector>

/// Output of the states of a conservation law (see Advection for what a law offers).
namespace Saltus
{
  /// Names of the conserved and then the derived quantities, as SolutionWriter wants them.
  template <typename Law>
  std::vector<std::string>
  output_quantities()
  {
    std::vector<std::string> names(Law::conserved_names, Law::conserved_names + Law::n_components);
    names.insert(names.end(), Law::derived_names, Law::derived_names + Law::n_derived);
    return names;
  }


  /// Write the conserved and the derived quantities of @p solution, in deal.II's numbering.
  template <int dim, typename Law>
  void
  write_state(SolutionWriter<dim>           &writer,
              const double                   time,
              const dealii::DoFHandler<dim> &dof_handler,
              const dealii::Vector<double>  &solution,
              const Law                     &law)
  {
    using Cell = typename dealii::DoFHandler<dim>::active_cell_iterator;
    std::vector<Cell> cells(dof_handler.get_triangulation().n_active_cells());
    for (const Cell &cell : dof_handler.active_cell_iterators())
      cells[cell->active_cell_index()] = cell;

    const auto                                  &fe     = dof_handler.get_fe();
    const auto                                  &points = writer.unit_points();
    std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
    dealii::Table<2, double>                     shape(fe.n_dofs_per_cell(), points.size());
    for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
      for (unsigned int q = 0; q < points.size(); ++q)
        shape(i, q) = fe.shape_value(i, points[q]);

    writer.write(time, [&](const unsigned int cell, dealii::Table<2, double> &values) {
      cells[cell]->get_dof_indices(indices);
      for (unsigned int q = 0; q < points.size(); ++q)
        {
          Array<double, Law::n_components> state{};
          for (unsigned int i = 0; i < indices.size(); ++i)
            state[fe.system_to_component_index(i).first] += solution(indices[i]) * shape(i, q);
          const auto derived = law.derived(state);
          for (int c = 0; c < Law::n_components; ++c)
            values(q, c) = state[c];
          for (int c = 0; c < Law::n_derived; ++c)
            values(q, Law::n_components + c) = derived[c];
        }
    });
  }


  /// Names of the columns of a time series: time, step size, step; then for each conserved
  /// variable its integral, what has left the domain until then, its L2 norm, and the smallest and
  /// largest mean of an element.
  std::vector<std::string>
  series_columns(const std::vector<std::string> &conserved_names);

  std::vector<double>
  series_row(const TimeState           &time,
             const StateStatistics     &statistics,
             const std::vector<double> &outflow);
} // namespace Saltus

#endif
