// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_flow_multistep_h
#define saltus_solvers_flow_multistep_h

#include <vector>

namespace Saltus
{
  /// The weights of values at @p times in the value at @p time of the polynomial through them:
  /// extrapolation in multistep methods. Times are all different, in any order.
  inline std::vector<double>
  interpolation_weights(const std::vector<double> &times, const double time)
  {
    std::vector<double> weights(times.size(), 1.);
    for (std::size_t i = 0; i < times.size(); ++i)
      for (std::size_t j = 0; j < times.size(); ++j)
        if (j != i)
          weights[i] *= (time - times[j]) / (times[i] - times[j]);
    return weights;
  }

  /// The weights of values at @p times in the derivative at the first of them of the polynomial
  /// through them: backward differentiation formulas for steps of any lengths.
  inline std::vector<double>
  derivative_weights(const std::vector<double> &times)
  {
    std::vector<double> weights(times.size(), 0.);
    for (std::size_t i = 1; i < times.size(); ++i)
      {
        weights[i] = 1. / (times[i] - times[0]);
        for (std::size_t j = 1; j < times.size(); ++j)
          if (j != i)
            weights[i] *= (times[0] - times[j]) / (times[i] - times[j]);
        weights[0] -= weights[i]; // the derivative of a constant is 0
      }
    return weights;
  }
} // namespace Saltus

#endif
