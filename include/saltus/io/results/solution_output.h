// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_solution_output_h
#define saltus_io_results_solution_output_h

#include <saltus/io/files/solution_writer.h>
#include <saltus/io/functions/quantities.h>
#include <saltus/io/results/additional_fields.h>
#include <saltus/io/results/cell_field.h>

#include <vector>

namespace Saltus
{
  /// What SolutionWriter writes: the quantities of @p solution, behind them numbers of the cells,
  /// and at last what is shown besides. Collective.
  /// @param space,solution,fields,additional are not copied
  template <int dim>
  typename SolutionWriter<dim>::MakeEvaluate
  shown_quantities(const SolutionWriter<dim>    &writer,
                   const SolutionSpace<dim>     &space,
                   const SolutionVector         &solution,
                   const std::vector<CellField> &fields,
                   const AdditionalFields<dim>  &additional);

  /// Write them. Collective.
  template <int dim>
  void
  write_quantities(SolutionWriter<dim>          &writer,
                   const double                  time,
                   const SolutionSpace<dim>     &space,
                   const SolutionVector         &solution,
                   const std::vector<CellField> &fields     = {},
                   const AdditionalFields<dim>  &additional = AdditionalFields<dim>())
  {
    writer.write(time, shown_quantities(writer, space, solution, fields, additional));
  }
} // namespace Saltus

#endif
