// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_solution_output_h
#define saltus_io_results_solution_output_h

#include <deal.II/dofs/dof_handler.h>

#include <saltus/base/expressions/expression.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/io/functions/quantities.h>
#include <saltus/io/results/cell_field.h>

#include <optional>
#include <vector>

namespace Saltus
{
  /// Write the quantities of @p solution, and behind them numbers of the cells.
  template <int dim>
  void
  write_quantities(SolutionWriter<dim>          &writer,
                   const double                  time,
                   const SolutionSpace<dim>     &space,
                   const SolutionVector         &solution,
                   const std::vector<CellField> &fields = {});


  /// Write a scalar @p solution and, if @p exact is given, its error as a second quantity.
  template <int dim>
  void
  write_scalar(SolutionWriter<dim>             &writer,
               const double                     time,
               const dealii::Mapping<dim>      &mapping,
               const dealii::DoFHandler<dim>   &dof_handler,
               const SolutionVector            &solution,
               const std::optional<Expression> &exact = {});
} // namespace Saltus

#endif
