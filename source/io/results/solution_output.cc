// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/results/solution_output.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  typename SolutionWriter<dim>::MakeEvaluate
  shown_quantities(const SolutionWriter<dim>    &writer,
                   const SolutionSpace<dim>     &space,
                   const SolutionVector         &solution,
                   const std::vector<CellField> &fields,
                   const AdditionalFields<dim>  &additional)
  {
    const std::size_t n     = space.quantities.size();
    const auto        shape = space.shape_values(writer.unit_points());
    const auto picture      = additional.picture(writer.unit_points(), solution, n + fields.size());
    return [&space, &solution, &fields, n, shape, picture]() {
      return [&, n, add = picture()](const unsigned int cell,
                                     const auto        &points,
                                     Table<2, double>  &values) {
        const auto quantities = space.evaluate(space.cells[cell], shape, solution);
        for (unsigned int q = 0; q < points.size(); ++q)
          {
            std::copy_n(quantities.begin() + q * n, n, &values(q, 0));
            for (unsigned int i = 0; i < fields.size(); ++i)
              values(q, n + i) = fields[i].values[cell];
          }
        add(cell, points, values);
      };
    };
  }


  template typename SolutionWriter<2>::MakeEvaluate
  shown_quantities(const SolutionWriter<2> &,
                   const SolutionSpace<2> &,
                   const SolutionVector &,
                   const std::vector<CellField> &,
                   const AdditionalFields<2> &);
  template typename SolutionWriter<3>::MakeEvaluate
  shown_quantities(const SolutionWriter<3> &,
                   const SolutionSpace<3> &,
                   const SolutionVector &,
                   const std::vector<CellField> &,
                   const AdditionalFields<3> &);
} // namespace Saltus
