// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_flow_change_extrapolation_h
#define saltus_solvers_flow_change_extrapolation_h

#include <saltus/base/algebra/vector.h>
#include <saltus/solvers/flow/multistep.h>

#include <utility>
#include <vector>

namespace Saltus
{
  /// Initial guesses for what every time step changes of a vector by the solution of a system: its
  /// changes over the lengths of the steps are extrapolated linearly in time. No product with the
  /// matrix is needed, which may differ from step to step.
  /// @tparam VectorType Vector, or BlockVector
  template <typename VectorType>
  class ChangeExtrapolation
  {
  public:
    /// What a step changed, over its length.
    struct Rate
    {
      double     time; ///< the end of the step
      VectorType vector;
    };

    /// Add to @p x what the step of length @p dt from @p begin on is expected to change of it:
    /// nothing, if this is not where the last known step ended.
    void
    guess(VectorType &x, const double begin, const double dt)
    {
      if (!known.empty() && known.front().time != begin)
        known.clear();
      before = x;
      length = dt;
      end    = begin + dt;
      std::vector<double> times;
      for (const Rate &rate : known)
        times.push_back(rate.time);
      const std::vector<double> weights = interpolation_weights(times, end);
      for (std::size_t i = 0; i < known.size(); ++i)
        x.add(dt * weights[i], known[i].vector);
    }

    /// Keep what became of the vector in this step.
    void
    add(const VectorType &x)
    {
      before.sadd(-1. / length, 1. / length, x);
      Rate rate{end, {}};
      rate.vector.swap(before);
      if (known.size() == max_known)
        {
          before.swap(known.back().vector);
          known.pop_back();
        }
      known.insert(known.begin(), std::move(rate));
    }

    /// What is known, the latest first.
    const std::vector<Rate> &
    rates() const
    {
      return known;
    }

    /// @param rates from rates()
    void
    set_rates(std::vector<Rate> rates)
    {
      known = std::move(rates);
    }

  private:
    static constexpr std::size_t max_known = 2;

    std::vector<Rate> known;
    VectorType        before; ///< the vector before the current step
    double            length = 0., end = 0.;
  };
} // namespace Saltus

#endif
