// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/solvers/flow/flow_step_size.h>

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
    // Grande, R. D. Grigorieff, Numer. Math. 57, 1990). Third order starts with two steps of each
    // length. Ratios of 1 and 2 in turn are stable, too: errors fall by 0.62 in two steps.
    constexpr double growth = 1.5;
    // What is left of an interval is not worth a step of its own: of a step that is much shorter
    // than those before it the pressure has large errors.
    constexpr double not_worth = 0.01;

    const int  of_each  = std::max<int>(order, 2) - 1;
    const auto length   = static_cast<int>(std::min<long long>(n / of_each, n_halvings() + 2));
    const bool is_start = cfl == 0. && length <= n_halvings() + 1;
    double     dt       = max_dt;
    if (cfl > 0. && rate * max_dt > cfl)
      dt = cfl / rate;
    if (n == 0 || is_start)
      dt = std::ldexp(dt, std::max(length, 1) - 1 - n_halvings());
    if (n > 0)
      dt = std::min(dt, (is_start ? 2. : growth) * last);
    return left / std::max(std::ceil(left / dt - not_worth), 1.);
  }
} // namespace Saltus
