// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/solvers/time/runge_kutta.h>

#include <algorithm>

namespace Saltus
{
  namespace
  {
    // Rows: A, w, a, has_base, c, d, time, weight (see StageCoefficients).

    std::vector<StageCoefficients>
    ssp2()
    {
      return {{0, 0, 1, false, 1, 0, 0, 0.5}, {0, 0, 0.5, true, 0.5, 0, 1, 0.5}};
    }

    std::vector<StageCoefficients>
    ssp3()
    {
      return {{0, 0, 1, false, 1, 0, 0, 1. / 6},
              {0, 0, 0.25, true, 0.25, 0, 1, 1. / 6},
              {0, 0, 2. / 3, true, 2. / 3, 0, 0.5, 2. / 3}};
    }

    std::vector<StageCoefficients>
    rk4()
    {
      return {{0, 1. / 6, 1, false, 0.5, 0, 0, 1. / 6},
              {1, 1. / 3, 0, true, 0.5, 0, 0.5, 1. / 3},
              {1, 1. / 3, 0, true, 1, 0, 0.5, 1. / 3},
              {1, 1. / 6, 0, true, 0, 1, 1, 1. / 6}};
    }

    std::vector<StageCoefficients>
    lsrk45()
    {
      constexpr int    n    = 5;
      constexpr double A[n] = {0.,
                               -567301805773. / 1357537059087.,
                               -2404267990393. / 2016746695238.,
                               -3550918686646. / 2091501179385.,
                               -1275806237668. / 842570457699.};
      constexpr double B[n] = {1432997174477. / 9575080441755.,
                               5161836677717. / 13612068292357.,
                               1720146321549. / 2090206949498.,
                               3134564353537. / 4481467310338.,
                               2277821191437. / 14882151754819.};
      constexpr double C[n] = {0.,
                               1432997174477. / 9575080441755.,
                               2526269341429. / 6820363962896.,
                               2006345519317. / 3224310063776.,
                               2802321613138. / 2924317926251.};

      std::vector<StageCoefficients> stages;
      for (int i = 0; i < n; ++i)
        {
          // r of stage i reaches the result through the accumulators of stages i, i+1, ...
          double weight = 0, product = 1;
          for (int j = i; j < n; ++j)
            {
              product *= j == i ? 1. : A[j];
              weight += B[j] * product;
            }
          stages.push_back({A[i], 1, 1, false, 0, B[i], C[i], weight});
        }
      return stages;
    }
  } // namespace

  RungeKutta::RungeKutta(const std::string &name)
  {
    if (name == "SSP2")
      stage_list = ssp2();
    else if (name == "SSP3")
      stage_list = ssp3();
    else if (name == "RK4")
      stage_list = rk4();
    else if (name == "LSRK45")
      stage_list = lsrk45();
    else
      AssertThrow(false,
                  dealii::ExcMessage("There is no Runge-Kutta scheme '" + name +
                                     "'; the schemes are " + names() + "."));
  }

  std::string
  RungeKutta::names()
  {
    return "SSP2|SSP3|RK4|LSRK45";
  }

  bool
  RungeKutta::needs_accumulator() const
  {
    return std::any_of(stage_list.begin(), stage_list.end(), [](const auto &s) {
      return s.accumulates();
    });
  }
} // namespace Saltus
