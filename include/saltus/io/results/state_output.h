// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_state_output_h
#define saltus_io_results_state_output_h

#include <saltus/io/functions/quantities.h>
#include <saltus/io/results/inadmissible_results.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>

#include <memory>
#include <string>
#include <vector>

/// Output of the states of a conservation law (see Advection for what a law offers).
namespace Saltus
{
  /// See Quantities::viscous_stress and Quantities::heat_flux: none.
  template <typename Law>
  void
  add_second_order_fluxes(Quantities & /*quantities*/, const Law & /*law*/)
  {}

  /// The same of a gas, if it is viscous.
  template <int dim>
  void
  add_second_order_fluxes(Quantities &quantities, const Euler<dim> &gas)
  {
    if (!gas.has_second_order_flux())
      return;
    using State       = Array<double, dim + 2>;
    const auto fluxes = [gas](const double *solution, const double *gradient) {
      State             state;
      Array<State, dim> of_state;
      for (int c = 0; c < dim + 2; ++c)
        {
          state[c] = solution[c];
          for (int d = 0; d < dim; ++d)
            of_state[d][c] = gradient[c * dim + d];
        }
      return gas.second_order_fluxes(gas.medium(state, gas.template diffusion<double>()), of_state);
    };
    quantities.viscous_stress =
      [fluxes](const double *solution, const double *gradient, double *stress) {
        const auto flux = fluxes(solution, gradient);
        for (int c = 0; c < dim; ++c)
          for (int d = 0; d < dim; ++d)
            stress[c * dim + d] = flux[d][1 + c];
      };
    // Of the energy's flux that which is not the work of the stress.
    quantities.heat_flux = [fluxes](const double *solution, const double *gradient, double *heat) {
      const auto flux = fluxes(solution, gradient);
      for (int d = 0; d < dim; ++d)
        {
          heat[d] = -flux[d][dim + 1];
          for (int c = 0; c < dim; ++c)
            heat[d] += solution[1 + c] / solution[0] * flux[d][1 + c];
        }
    };
  }

  /// The conserved and then the derived quantities of @p law.
  /// @param inadmissible notes states; nullptr: nothing does
  template <typename Law>
  Quantities
  state_quantities(const Law                                       &law,
                   const std::shared_ptr<InadmissibleResults<Law>> &inadmissible = nullptr)
  {
    Quantities quantities;
    quantities.names.assign(Law::conserved_names, Law::conserved_names + Law::n_components);
    quantities.names.insert(quantities.names.end(),
                            Law::derived_names,
                            Law::derived_names + Law::n_derived);
    quantities.n_components = Law::n_components;
    quantities.compute      = [law, inadmissible](const double *solution, double *values) {
      Array<double, Law::n_components> state;
      for (int c = 0; c < Law::n_components; ++c)
        values[c] = state[c] = solution[c];
      if (inadmissible)
        inadmissible->look_at(law, state);
      const auto derived = law.derived(state);
      for (int c = 0; c < Law::n_derived; ++c)
        values[Law::n_components + c] = derived[c];
    };
    add_second_order_fluxes(quantities, law);
    return quantities;
  }


  /// Names of the columns of a time series: time, step size, step; then five for each conserved
  /// variable. The first three are its integral, the integral of its flux out of the domain over
  /// time, and its L2 norm. The other two are the smallest and the largest mean of an element.
  /// @param conserved identifiers, see Quantities
  std::vector<std::string>
  series_columns(const std::vector<std::string> &conserved);

  std::vector<double>
  series_row(const TimeState           &time,
             const StateStatistics     &statistics,
             const std::vector<double> &outflow);
} // namespace Saltus

#endif
