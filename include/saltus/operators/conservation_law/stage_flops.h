// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_stage_flops_h
#define saltus_operators_conservation_law_stage_flops_h

#include <saltus/base/algebra/array.h>
#include <saltus/fe/reference_element.h>
#include <saltus/operators/blocks/counting_number.h>
#include <saltus/physics/second_order_flux.h>

#include <algorithm>

namespace Saltus
{
  /// Floating-point operations that one low-storage stage of @p law takes an element: sums over
  /// modes and points, fluxes (counted by evaluating them), update; the same for a second-order
  /// flux, see SecondOrderElement. Points that only fill up a batch do not count.
  /// @param second_order with the rules for such a flux
  template <int dim, typename Law>
  double
  stage_flops(const Law                   &law,
              const ReferenceElement<dim> &reference,
              const ReferenceElement<dim> &second_order)
  {
    using T         = CountingNumber;
    constexpr int n = Law::n_components;
    Array<T, n>   state;
    for (int c = 0; c < n; ++c)
      state[c] = c == 0 || c == n - 1 ? 1. : 0.1;
    Array<T, Law::n_fields> field;
    for (int i = 0; i < Law::n_fields; ++i)
      field[i] = 1.;
    Array<T, dim> normal;
    for (int d = 0; d < dim; ++d)
      normal[d] = 1.;

    const auto count = [](const auto &evaluate) {
      const long before = T::n_operations;
      evaluate();
      return static_cast<double>(T::n_operations - before);
    };
    const double flux           = count([&]() { law.flux(state, field, normal); });
    const double numerical_flux = count([&]() { law.numerical_flux(state, state, field, normal); });

    const auto n_points = [](const std::vector<double> &weights) {
      return static_cast<double>(weights.size() - std::count(weights.begin(), weights.end(), 0.));
    };
    // Between a point and the modes that it sees: all of a simplex, on hypercubes those of a line,
    // but at volume points, where the values are.
    const bool   simplex = reference.is_simplex();
    const double sum     = 2. * (simplex ? reference.n_modes : reference.degree + 1) * n;
    const double volume  = (simplex ? sum : 0.) + dim * (flux + n + sum); // at a point
    const double face    = 2 * sum + numerical_flux + n + sum;
    double       update  = 5. * reference.n_modes * n;
    double       more    = 0.;
    if constexpr (HasSecondOrderFlux<Law>::value)
      if (law.has_second_order_flux())
        {
          StateGradient<T, dim, n>    gradient;
          StateGradient<T, dim, n, 1> of_jump{{{normal}}, {{state}}};
          for (int d = 0; d < dim; ++d)
            {
              gradient.directions[d]  = normal;
              gradient.derivatives[d] = state;
            }
          const auto   gas    = law.template diffusion<T>();
          const auto   at     = law.medium(state, gas);
          const double medium = count([&]() { law.medium(state, gas); });
          const double flux   = count([&]() { law.second_order_flux(at, gradient, normal); });
          const double jump   = count([&]() { law.second_order_flux(at, of_jump, normal); });
          const double trace  = (1 + dim) * sum + medium;
          more = n_points(second_order.volume_weights) * (trace + dim * (flux + n + sum)) +
                 reference.n_faces * n_points(second_order.face_weights) *
                   (2 * (trace + flux + jump + 2 * n) + 3 * n + dim * jump + (1 + dim) * sum);
          update += reference.n_modes * n;
        }
    return n_points(reference.volume_weights) * volume + more +
           reference.n_faces * n_points(reference.face_weights) * face + update;
  }
} // namespace Saltus

#endif
