// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/flow/flow_output.h>

namespace Saltus
{
  template <int dim>
  Quantities
  flow_quantities()
  {
    Quantities quantities;
    quantities.names.assign(dim, "velocity");
    quantities.names.emplace_back("pressure");
    quantities.names.insert(quantities.names.end(), dim == 2 ? 1 : 3, "vorticity");
    quantities.names.emplace_back("Q_criterion");
    quantities.n_components = FlowFields<dim>::n_components;
    quantities.compute      = [](const double *fields, double *values) {
      const double *slopes = fields + dim + 1; // [c][d]
      values               = std::copy(fields, fields + dim + 1, values);
      const auto spin      = [&](const int c, const int d) {
        return slopes[d * dim + c] - slopes[c * dim + d];
      };
      if (dim == 2)
        *values++ = spin(0, 1);
      else
        for (int d = 0; d < 3; ++d)
          *values++ = spin((d + 1) % 3, (d + 2) % 3);
      double divergence = 0, products = 0;
      for (int c = 0; c < dim; ++c)
        {
          divergence += slopes[c * dim + c];
          for (int d = 0; d < dim; ++d)
            products += slopes[c * dim + d] * slopes[d * dim + c];
        }
      *values = 0.5 * (divergence * divergence - products);
    };
    quantities.has_friction = true;
    return quantities;
  }

  template Quantities
  flow_quantities<2>();
  template Quantities
  flow_quantities<3>();
} // namespace Saltus
