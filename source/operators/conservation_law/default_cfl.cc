// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/operators/conservation_law/default_cfl.h>

#include <algorithm>
#include <map>

namespace Saltus
{
  double
  default_cfl(const std::string           &scheme,
              const dealii::ReferenceCell &shape,
              const unsigned int           degree)
  {
    const std::map<std::string, double> stable_intervals = {{"SSP2", 2.},
                                                            {"SSP3", 2.5},
                                                            {"RK4", 2.75},
                                                            {"LSRK45", 4.65}};
    const auto                          found            = stable_intervals.find(scheme);
    AssertThrow(found != stable_intervals.end(),
                dealii::ExcMessage("There is no Runge-Kutta scheme '" + scheme + "'."));
    const unsigned int dim        = shape.get_dimension();
    const double       p          = degree;
    const double       eigenvalue = shape.is_hyper_cube()
                                      ? 0.92 * dim * (p + 1.) * (p + 2.) / (2. * p + 1.)
                                      : (dim == 3 ? 6. : std::max(3.75, 0.5 + 0.6 * p));
    return 0.8 * found->second / eigenvalue;
  }
} // namespace Saltus
