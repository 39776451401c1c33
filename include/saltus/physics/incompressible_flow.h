// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_incompressible_flow_h
#define saltus_physics_incompressible_flow_h

#include <saltus/base/algebra/array.h>

/// The first derivatives in the incompressible Navier-Stokes equations, point by point (Karakus et
/// al., equations 8 to 12 and 21). Each is the divergence of a flux F of some values, and a class
/// here has
/// - the `order` of its form, in the functions together with the test function;
/// - `n_inputs` coefficient vectors with `n_components` each, whose values at a point follow each
///   other, `n_in` in all, and `n_out` results;
/// - `n_data` numbers given at a point of a boundary, and `n_given` that this is about: as many, or
///   for each input as many; on FlowBoundary::across these are the values on the other side;
/// - `flux(values, n)`: \f$ F \cdot n \f$, where n need not have unit length;
/// - `numerical_flux(inside, outside, n)` with the unit normal n, from inside to outside;
/// - `boundary_flux(kind, inside, given, n)`: the same at a boundary.
namespace Saltus
{
  /// What holds on a boundary face of an incompressible flow.
  enum class FlowBoundary : unsigned char
  {
    velocity, ///< u = g
    slip,     ///< u.n = 0, and no stress along the wall
    outflow,  ///< p = g, and no viscous stress
    across    ///< inside the domain: the values on the other side are given
  };

  /// \f$ \nabla p \f$ (equation 11).
  template <int dim>
  struct PressureGradient
  {
    static constexpr int dimension = dim, order = 2, n_inputs = 1, n_components = 1, n_in = 1,
                         n_out = dim, n_data = 1, n_given = 1;

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    flux(const Array<T, n_in> &p, const Array<T, dim> &n) const
    {
      Array<T, n_out> result;
      for (int d = 0; d < dim; ++d)
        result[d] = p[0] * n[d];
      return result;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    numerical_flux(const Array<T, n_in> &inside,
                   const Array<T, n_in> &outside,
                   const Array<T, dim>  &n) const
    {
      return flux(Array<T, 1>{{T(0.5) * (inside[0] + outside[0])}}, n);
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    boundary_flux(const FlowBoundary       kind,
                  const Array<T, n_in>    &inside,
                  const Array<T, n_given> &given,
                  const Array<T, dim>     &n) const
    {
      if (kind == FlowBoundary::across)
        return numerical_flux(inside, given, n);
      return flux(kind == FlowBoundary::outflow ? given : inside, n);
    }
  };

  /// \f$ \nabla \cdot u \f$ (equation 12).
  template <int dim>
  struct VelocityDivergence
  {
    static constexpr int dimension = dim, order = 2, n_inputs = 1, n_components = dim, n_in = dim,
                         n_out = 1, n_data = dim, n_given = dim;

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    flux(const Array<T, n_in> &u, const Array<T, dim> &n) const
    {
      return {{dot<dim>(u, n)}};
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    numerical_flux(const Array<T, n_in> &inside,
                   const Array<T, n_in> &outside,
                   const Array<T, dim>  &n) const
    {
      return {{T(0.5) * (dot<dim>(inside, n) + dot<dim>(outside, n))}};
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    boundary_flux(const FlowBoundary       kind,
                  const Array<T, n_in>    &inside,
                  const Array<T, n_given> &given,
                  const Array<T, dim>     &n) const
    {
      if (kind == FlowBoundary::across)
        return numerical_flux(inside, given, n);
      if (kind == FlowBoundary::slip)
        return {{T(0)}};
      return flux(kind == FlowBoundary::velocity ? given : inside, n);
    }
  };

  /// \f$ \nabla \cdot (w \otimes u) \f$ with the local Lax-Friedrichs flux: the velocity u is
  /// carried by w. With @p by_itself it is w (equation 8); without, w is a second input
  /// (equation 21).
  template <int dim, bool by_itself>
  struct Convection
  {
    static constexpr int dimension = dim, order = 3, n_inputs = by_itself ? 1 : 2,
                         n_components = dim, n_in = n_inputs * dim, n_out = dim, n_data = dim,
                         n_given = n_in;

    /// Part of what flows in through an outflow boundary that the flux leaves out: from 1/2 on it
    /// brings in no energy (Bertoglio and Caiazzo, Int. J. Numer. Methods Biomed. Eng. 30, 2014).
    double backflow_stabilization = 0;

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    flux(const Array<T, n_in> &values, const Array<T, dim> &n) const
    {
      return carried(speed(values, n), values);
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    numerical_flux(const Array<T, n_in> &inside,
                   const Array<T, n_in> &outside,
                   const Array<T, dim>  &n) const
    {
      // The largest eigenvalue of the derivative of F.n with respect to u.
      constexpr double eigenvalue = by_itself ? 2. : 1.;
      const T          v_in = speed(inside, n), v_out = speed(outside, n);
      const T          lambda = T(eigenvalue) * max(abs(v_in), abs(v_out));
      Array<T, n_out>  result;
      for (int d = 0; d < dim; ++d)
        result[d] = T(0.5) * ((v_in + lambda) * inside[d] + (v_out - lambda) * outside[d]);
      return result;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    boundary_flux(const FlowBoundary       kind,
                  const Array<T, n_in>    &inside,
                  const Array<T, n_given> &given,
                  const Array<T, dim>     &n) const
    {
      if (kind == FlowBoundary::outflow)
        {
          const T v = speed(inside, n);
          return carried(v - T(backflow_stabilization) * min(v, T(0)), inside);
        }
      Array<T, n_in> outside;
      for (int i = 0; i < n_in; i += dim)
        {
          T normal_part = inside[i] * n[0];
          for (int d = 1; d < dim; ++d)
            normal_part = normal_part + inside[i + d] * n[d];
          for (int d = 0; d < dim; ++d)
            outside[i + d] =
              kind == FlowBoundary::slip ? inside[i + d] - T(2) * normal_part * n[d] : given[i + d];
        }
      return numerical_flux(inside, outside, n);
    }

  private:
    /// \f$ w \cdot n \f$
    template <typename T>
    SALTUS_HOST_DEVICE
    T
    speed(const Array<T, n_in> &values, const Array<T, dim> &n) const
    {
      constexpr int w   = n_in - dim;
      T             sum = values[w] * n[0];
      for (int d = 1; d < dim; ++d)
        sum = sum + values[w + d] * n[d];
      return sum;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_out>
    carried(const T &speed, const Array<T, n_in> &values) const
    {
      Array<T, n_out> result;
      for (int d = 0; d < dim; ++d)
        result[d] = speed * values[d];
      return result;
    }
  };
} // namespace Saltus

#endif
