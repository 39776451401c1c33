// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_state_output_h
#define saltus_io_results_state_output_h

#include <saltus/io/functions/quantities.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>

#include <functional>
#include <string>
#include <vector>

/// Output of the states of a conservation law (see Advection for what a law offers).
namespace Saltus
{
  /// See Quantities::viscous_stress: none.
  template <typename Law>
  std::function<void(const double *, const double *, double *)>
  viscous_stress(const Law & /*law*/)
  {
    return {};
  }

  /// The same of a gas, if it is viscous.
  template <int dim>
  std::function<void(const double *, const double *, double *)>
  viscous_stress(const Euler<dim> &gas)
  {
    if (!gas.has_second_order_flux())
      return {};
    return [gas](const double *solution, const double *gradient, double *stress) {
      constexpr int                            n_components = dim + 2;
      Array<double, n_components>              state;
      StateGradient<double, dim, n_components> of_state{};
      for (int c = 0; c < n_components; ++c)
        {
          state[c] = solution[c];
          for (int d = 0; d < dim; ++d)
            of_state.derivatives[d][c] = gradient[c * dim + d];
        }
      for (int d = 0; d < dim; ++d)
        of_state.directions[d][d] = 1.;
      const auto medium = gas.medium(state, gas.template diffusion<double>());
      for (int d = 0; d < dim; ++d)
        {
          const auto flux = gas.second_order_flux(medium, of_state, of_state.directions[d]);
          for (int c = 0; c < dim; ++c)
            stress[c * dim + d] = flux[1 + c];
        }
    };
  }

  /// The conserved and then the derived quantities of @p law.
  template <typename Law>
  Quantities
  state_quantities(const Law &law)
  {
    Quantities quantities;
    quantities.names.assign(Law::conserved_names, Law::conserved_names + Law::n_components);
    quantities.names.insert(quantities.names.end(),
                            Law::derived_names,
                            Law::derived_names + Law::n_derived);
    quantities.n_components = Law::n_components;
    quantities.compute      = [law](const double *solution, double *values) {
      Array<double, Law::n_components> state;
      for (int c = 0; c < Law::n_components; ++c)
        values[c] = state[c] = solution[c];
      const auto derived = law.derived(state);
      for (int c = 0; c < Law::n_derived; ++c)
        values[Law::n_components + c] = derived[c];
    };
    quantities.viscous_stress = viscous_stress(law);
    return quantities;
  }


  /// Names of the columns of a time series: time, step size, step; then for each conserved
  /// variable its integral, what has left the domain until then, its L2 norm, and the smallest and
  /// largest mean of an element.
  /// @param conserved identifiers, see Quantities
  std::vector<std::string>
  series_columns(const std::vector<std::string> &conserved);

  std::vector<double>
  series_row(const TimeState           &time,
             const StateStatistics     &statistics,
             const std::vector<double> &outflow);
} // namespace Saltus

#endif
