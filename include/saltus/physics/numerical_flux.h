// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_numerical_flux_h
#define saltus_physics_numerical_flux_h

#include <saltus/base/algebra/array.h>

#include <type_traits>

namespace Saltus
{
  /// The numerical fluxes among which a law chooses at run time, for kernels that are compiled once
  /// for each: without the choice in their loops, the fluxes at several points are computed side by
  /// side. A law that offers a choice has the members
  /// \code
  /// static constexpr int n_numerical_fluxes;
  /// int numerical_flux_number() const;                // the one that numerical_flux() takes
  /// template <int number, typename T> State<T> numbered_flux(inside, outside, field, n) const;
  /// \endcode
  /// Other laws have one flux.
  template <typename Law, typename = void>
  struct NumericalFluxes
  {
    static constexpr int n = 1;

    static int
    chosen(const Law & /*law*/)
    {
      return 0;
    }

    template <int number, typename State, typename Field, typename Direction>
    SALTUS_HOST_DEVICE
    static State
    evaluate(const Law       &law,
             const State     &inside,
             const State     &outside,
             const Field     &field,
             const Direction &normal)
    {
      return law.numerical_flux(inside, outside, field, normal);
    }
  };

  template <typename Law>
  struct NumericalFluxes<Law, std::void_t<decltype(Law::n_numerical_fluxes)>>
  {
    static constexpr int n = Law::n_numerical_fluxes;

    static int
    chosen(const Law &law)
    {
      return law.numerical_flux_number();
    }

    template <int number, typename State, typename Field, typename Direction>
    SALTUS_HOST_DEVICE
    static State
    evaluate(const Law       &law,
             const State     &inside,
             const State     &outside,
             const Field     &field,
             const Direction &normal)
    {
      return law.template numbered_flux<number>(inside, outside, field, normal);
    }
  };

  /// Call @p body with each number of a numerical flux of @p Law, as a constant.
  template <typename Law, typename Body, int number = 0>
  void
  for_each_numerical_flux(const Body &body)
  {
    body(std::integral_constant<int, number>());
    if constexpr (number + 1 < NumericalFluxes<Law>::n)
      for_each_numerical_flux<Law, Body, number + 1>(body);
  }
} // namespace Saltus

#endif
