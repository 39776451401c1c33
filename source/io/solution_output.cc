// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/parsed_function.h>
#include <saltus/io/solution_output.h>

#include <algorithm>
#include <memory>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  void
  write_quantities(SolutionWriter<dim>          &writer,
                   const double                  time,
                   const SolutionSpace<dim>     &space,
                   const dealii::Vector<double> &solution)
  {
    const auto shape = space.shape_values(writer.unit_points());
    writer.write(time, [&](const unsigned int cell, Table<2, double> &values) {
      const auto quantities = space.evaluate(space.cells[cell], shape, solution);
      std::copy(quantities.begin(), quantities.end(), &values(0, 0));
    });
  }


  template <int dim>
  void
  write_scalar(SolutionWriter<dim>             &writer,
               const double                     time,
               const Mapping<dim>              &mapping,
               const DoFHandler<dim>           &dof_handler,
               const dealii::Vector<double>    &solution,
               const std::optional<Expression> &exact)
  {
    std::unique_ptr<FunctionParser<dim>> function;
    if (exact)
      function = parsed_function<dim>(*exact);
    write_solution<1>(
      writer,
      time,
      dof_handler,
      solution,
      [&](const auto &cell, const unsigned int q, const Array<double, 1> &u, double *values) {
        values[0] = u[0];
        if (function)
          values[1] = u[0] - function->value(
                               mapping.transform_unit_to_real_cell(cell, writer.unit_points()[q]));
      });
  }


  template void
  write_quantities(SolutionWriter<2> &,
                   const double,
                   const SolutionSpace<2> &,
                   const dealii::Vector<double> &);
  template void
  write_quantities(SolutionWriter<3> &,
                   const double,
                   const SolutionSpace<3> &,
                   const dealii::Vector<double> &);
  template void
  write_scalar(SolutionWriter<2> &,
               const double,
               const Mapping<2> &,
               const DoFHandler<2> &,
               const dealii::Vector<double> &,
               const std::optional<Expression> &);
  template void
  write_scalar(SolutionWriter<3> &,
               const double,
               const Mapping<3> &,
               const DoFHandler<3> &,
               const dealii::Vector<double> &,
               const std::optional<Expression> &);
} // namespace Saltus
