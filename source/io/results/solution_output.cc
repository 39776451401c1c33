// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/expressions/parsed_function.h>
#include <saltus/io/results/solution_output.h>

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
                   const SolutionVector         &solution,
                   const std::vector<CellField> &fields)
  {
    const auto        shape = space.shape_values(writer.unit_points());
    const std::size_t n     = space.quantities.size();
    writer.write(time, [&]() {
      return [&](const unsigned int cell, const auto &points, Table<2, double> &values) {
        const auto quantities = space.evaluate(space.cells[cell], shape, solution);
        for (unsigned int q = 0; q < points.size(); ++q)
          {
            std::copy_n(quantities.begin() + q * n, n, &values(q, 0));
            for (unsigned int i = 0; i < fields.size(); ++i)
              values(q, n + i) = fields[i].values[cell];
          }
      };
    });
  }


  template <int dim>
  void
  write_scalar(SolutionWriter<dim>             &writer,
               const double                     time,
               const Mapping<dim>              &mapping,
               const DoFHandler<dim>           &dof_handler,
               const SolutionVector            &solution,
               const std::optional<Expression> &exact)
  {
    const SolutionSpace<dim> space(
      mapping, dof_handler, {{"u"}, 1, [](const double *u, double *values) { *values = *u; }});
    const auto shape = space.shape_values(writer.unit_points());
    writer.write(time, [&]() {
      std::shared_ptr<FunctionParser<dim>> function;
      if (exact)
        function = parsed_function<dim>(*exact);
      return [&, function](const unsigned int cell, const auto &points, Table<2, double> &values) {
        const auto u = space.evaluate(space.cells[cell], shape, solution);
        for (unsigned int q = 0; q < points.size(); ++q)
          {
            values(q, 0) = u[q];
            if (function)
              values(q, 1) = u[q] - function->value(points[q]);
          }
      };
    });
  }


  template void
  write_quantities(SolutionWriter<2> &,
                   const double,
                   const SolutionSpace<2> &,
                   const SolutionVector &,
                   const std::vector<CellField> &);
  template void
  write_quantities(SolutionWriter<3> &,
                   const double,
                   const SolutionSpace<3> &,
                   const SolutionVector &,
                   const std::vector<CellField> &);
  template void
  write_scalar(SolutionWriter<2> &,
               const double,
               const Mapping<2> &,
               const DoFHandler<2> &,
               const SolutionVector &,
               const std::optional<Expression> &);
  template void
  write_scalar(SolutionWriter<3> &,
               const double,
               const Mapping<3> &,
               const DoFHandler<3> &,
               const SolutionVector &,
               const std::optional<Expression> &);
} // namespace Saltus
