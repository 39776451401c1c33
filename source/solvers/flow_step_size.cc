// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/solvers/flow_step_size.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  double
  FlowStepSize::next(const long long n,
                     const double    last,
                     const double    rate,
                     const double    left) const
  {
    // Differences of third order with variable steps are stable for ratios up to 1.53 (M. Calvo, T.
    // Grande, R. D. Grigorieff, Numer. Math. 57, 1990).
    constexpr double growth = 1.5;

    double dt = max_dt;
    if (cfl > 0.)
      {
        if (rate * max_dt > cfl)
          dt = cfl / rate;
        dt = n == 0 ? std::ldexp(dt, -int(n_halvings())) : std::min(dt, growth * last);
      }
    else if (n <= n_halvings())
      dt = std::ldexp(dt, int(std::max(n, 1ll)) - 1 - int(n_halvings()));
    const double n_left = std::ceil(left / dt - 1e-6); // but for rounding
    return left / std::max(n_left, 1.);
  }
} // namespace Saltus
