// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_second_order_terms_h
#define saltus_operators_conservation_law_kernels_second_order_terms_h

#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/physics/second_order_flux.h>

namespace Saltus
{
  /// The terms of a second-order flux at one point, in each lane of @p T: see SecondOrderElement.
  template <typename Law, typename T, typename Number>
  class SecondOrderTerms
  {
    static constexpr int dim = Law::dimension, n_components = Law::n_components;

  public:
    using State     = Array<T, n_components>;
    using Gradient  = StateGradient<T, dim, n_components>;
    using Direction = Array<T, dim>;

    struct Trace
    {
      State    value;
      Gradient gradient;
    };

    SALTUS_HOST_DEVICE
    explicit SecondOrderTerms(const SecondOrderArguments<Law, Number> &arg)
      : arg(arg)
    {}

    SALTUS_HOST_DEVICE
    static State
    zero()
    {
      State result;
      SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        result[c] = T(Number(0));
      return result;
    }

    /// `to += factor x`
    SALTUS_HOST_DEVICE
    static void
    add(const T &factor, const State &x, State &to)
    {
      SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        to[c] = to[c] + factor * x[c];
    }

    /// \f$ a \otimes n \f$
    SALTUS_HOST_DEVICE
    static Gradient
    outer(const State &a, const Direction &n)
    {
      Gradient result;
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        result[d][c] = a[c] * n[d];
      return result;
    }

    /// \f$ F_v(u, \nabla u) \cdot n \f$
    /// @param viscosity artificial
    SALTUS_HOST_DEVICE
    State
    flux(const State &value, const Gradient &gradient, const T &viscosity, const Direction &n) const
    {
      State result = zero();
      if constexpr (HasSecondOrderFlux<Law>::value)
        result = arg.law.second_order_flux(value, gradient, n);
      if (arg.viscosities != nullptr)
        add(viscosity, along<T, dim, n_components>(gradient, n), result);
      return result;
    }

    /// What one side gives to the flux through a face, \f$ F_v(u, \nabla u - \sigma [u] \otimes n)
    /// \cdot n \f$.
    SALTUS_HOST_DEVICE
    State
    penalized_flux(const Trace     &side,
                   const State     &jump,
                   const T         &sigma,
                   const T         &viscosity,
                   const Direction &normal) const
    {
      return flux(side.value, corrected(side.gradient, sigma, jump, normal), viscosity, normal);
    }

    /// What takes the place of the mean flux and of the jump at point @p q of boundary face @p b:
    /// one element bears all, so that it is that of the boundary state, and twice the jump. Shocks
    /// are spread within the domain only.
    SALTUS_HOST_DEVICE
    void
    set_boundary(const int        b,
                 const int        q,
                 const Trace     &inside,
                 const T         &sigma,
                 const Direction &normal,
                 State           &normal_flux,
                 State           &jump) const
    {
      normal_flux = jump = zero();
      if constexpr (HasSecondOrderFlux<Law>::value)
        {
          const BoundaryKind kind = arg.boundary.faces[b].kind;
          const State        state =
            arg.law.diffusive_boundary_state(kind,
                                             inside.value,
                                             arg.boundary.template data_at<n_components>(b, q));
          for (int c = 0; c < n_components; ++c)
            jump[c] = T(Number(2)) * (inside.value[c] - state[c]);
          normal_flux = arg.law.diffusive_boundary_flux(
            kind,
            arg.law.second_order_flux(state,
                                      corrected(inside.gradient, sigma, jump, normal),
                                      normal),
            normal);
        }
    }

    /// What the length of a face is multiplied with for the penalty \f$ \sigma =
    /// \frac{(d+1)(p+1)(p+d)}{2d} \max |F|/|K| \f$ over the elements at the face.
    /// @param volume,volume_across of the elements, in units of the reference cell's
    SALTUS_HOST_DEVICE
    T
    penalty_factor(const T &volume, const T &volume_across) const
    {
      const double p      = arg.degree;
      const double factor = 0.5 * (dim + 1) * (p + 1) * (p + dim) / dim;
      return T(Number(factor) / arg.tables.reference_volume) *
             max(volume / volume_across, T(Number(1)));
    }

  private:
    /// @p gradient less @p sigma times outer(jump, n)
    SALTUS_HOST_DEVICE
    static Gradient
    corrected(const Gradient &gradient, const T &sigma, const State &jump, const Direction &n)
    {
      Gradient result = outer(jump, n);
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        result[d][c] = gradient[d][c] - sigma * result[d][c];
      return result;
    }

    const SecondOrderArguments<Law, Number> &arg;
  };
} // namespace Saltus

#endif
