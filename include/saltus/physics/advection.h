// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_advection_h
#define saltus_physics_advection_h

#include <saltus/base/algebra/array.h>
#include <saltus/physics/boundary_kind.h>

namespace Saltus
{
  /// Linear advection \f$ \partial_t u + \nabla\cdot(a(x,t)\, u) = 0 \f$ with the upwind flux.
  ///
  /// This is the model of a conservation law: an equation of your own offers the same members.
  /// `T` is `double`, `float` or a pack of them; branch with `select` only (except in
  /// `boundary_state`, which is called with scalars).
  template <int dim>
  struct Advection
  {
    static constexpr int dimension    = dim;
    static constexpr int n_components = 1;
    /// Coefficient fields given at the quadrature points: the velocity.
    static constexpr int n_fields = dim;
    /// Quantities for output that `derived` computes from the state.
    static constexpr int n_derived = 0;
    /// Quantities that must be positive, each a concave function of the state.
    static constexpr int n_positive = 0;

    static constexpr const char *name                          = "advection";
    static constexpr const char *conserved_names[n_components] = {"u"};
    static constexpr const char *primitive_names[n_components] = {"u"};
    static constexpr const char *derived_names[1]              = {""};

    /// Flux \f$ F(u)\cdot n \f$; @p n need not have unit length.
    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, 1>
    flux(const Array<T, 1> &u, const Array<T, dim> &a, const Array<T, dim> &n) const
    {
      return {{dot<dim>(a, n) * u[0]}};
    }

    /// Numerical flux through a face with unit normal @p n, from inside to outside.
    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, 1>
    numerical_flux(const Array<T, 1>   &inside,
                   const Array<T, 1>   &outside,
                   const Array<T, dim> &a,
                   const Array<T, dim> &n) const
    {
      const T speed = dot<dim>(a, n);
      return {{speed * select(speed > T(0), inside[0], outside[0])}};
    }

    /// Largest characteristic speed in the direction of the unit vector @p n.
    template <typename T>
    SALTUS_HOST_DEVICE
    T
    wave_speed(const Array<T, 1> & /*u*/, const Array<T, dim> &a, const Array<T, dim> &n) const
    {
      return abs(dot<dim>(a, n));
    }

    /// Whether the state can be computed with: here, whether it is finite.
    template <typename T>
    SALTUS_HOST_DEVICE
    auto
    admissible(const Array<T, 1> &u) const
    {
      return u[0] - u[0] == T(0);
    }

    /// The quantities that must be positive. Each may rely on those before it being so.
    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_positive>
    positive(const Array<T, 1> & /*u*/) const
    {
      return {};
    }

    static constexpr bool
    supports(const BoundaryKind kind)
    {
      return kind == BoundaryKind::prescribed || kind == BoundaryKind::outflow;
    }

    /// State outside a boundary face; @p data is the prescribed state, @p n the wall's unit normal.
    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, 1>
    boundary_state(const BoundaryKind kind,
                   const Array<T, 1> &inside,
                   const Array<T, 1> &data,
                   const Array<T, dim> & /*n*/) const
    {
      return kind == BoundaryKind::prescribed ? data : inside;
    }

    /// Conserved from primitive variables and back; the same for a scalar.
    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, 1>
    conserved(const Array<T, 1> &primitive) const
    {
      return primitive;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, 1>
    primitive(const Array<T, 1> &conserved) const
    {
      return conserved;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_derived>
    derived(const Array<T, 1> & /*u*/) const
    {
      return {};
    }
  };
} // namespace Saltus

#endif
