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
  /// Write the quantities of @p solution, behind them numbers of the cells, and at last what is
  /// shown besides.
  template <int dim>
  void
  write_quantities(SolutionWriter<dim>          &writer,
                   const double                  time,
                   const SolutionSpace<dim>     &space,
                   const SolutionVector         &solution,
                   const std::vector<CellField> &fields     = {},
                   const AdditionalFields<dim>  &additional = AdditionalFields<dim>());
} // namespace Saltus

#endif
