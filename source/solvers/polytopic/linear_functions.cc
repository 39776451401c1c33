// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/solvers/polytopic/linear_functions.h>

#include <cmath>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  std::vector<std::vector<double>>
  linear_functions(const PolytopicSpace<dim> &space)
  {
    std::vector<std::vector<double>> result(dim + 1, std::vector<double>(space.n_owned_dofs(), 0.));
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      {
        // The first functions of the box are 1 and the reference coordinates, scaled.
        const ElementBox<dim> &box      = space.mesh().box(e);
        const Tensor<2, dim>   from_box = invert(box.to_reference);
        const std::size_t      first    = space.first_dof(e);
        const double           scale    = std::sqrt(box.volume());
        result[0][first]                = scale;
        for (unsigned int d = 0; d < dim; ++d)
          {
            result[d + 1][first] = scale * box.center[d];
            for (unsigned int k = 0; k < dim; ++k)
              result[d + 1][first + k + 1] = scale * from_box[d][k] / std::sqrt(3.);
          }
      }
    return result;
  }


  template std::vector<std::vector<double>>
  linear_functions(const PolytopicSpace<2> &);
  template std::vector<std::vector<double>>
  linear_functions(const PolytopicSpace<3> &);
} // namespace Saltus
