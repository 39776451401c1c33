// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_time_runge_kutta_h
#define saltus_solvers_time_runge_kutta_h

#include <saltus/operators/conservation_law/kernels/launcher.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// Stages of an explicit Runge-Kutta scheme, in the form that one kernel call executes. The state
  /// at the beginning of the step is `base`.
  class RungeKutta
  {
  public:
    /// | name | scheme | order | stages |
    /// |---|---|---|---|
    /// | `SSP2` | Heun's, strong stability preserving | 2 | 2 |
    /// | `SSP3` | Shu and Osher's, strong stability preserving | 3 | 3 |
    /// | `RK4` | the classic one | 4 | 4 |
    /// | `LSRK45` | low storage, Carpenter and Kennedy, NASA TM 109112 (1994) | 4 | 5 |
    ///
    /// @throws dealii::ExcMessage for another name
    explicit RungeKutta(const std::string &name);

    /// The names, separated by `|` as dealii::Patterns::Selection wants them.
    static std::string
    names();

    const std::vector<StageCoefficients> &
    stages() const
    {
      return stage_list;
    }

    bool
    needs_accumulator() const;

  private:
    std::vector<StageCoefficients> stage_list;
  };
} // namespace Saltus

#endif
