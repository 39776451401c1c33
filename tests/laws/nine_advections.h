// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_laws_nine_advections_h
#define saltus_tests_laws_nine_advections_h

#include <saltus/base/algebra/array.h>
#include <saltus/physics/boundary_kind.h>
#include <saltus/physics/lax_friedrichs.h>

namespace Saltus::Tests
{
  /// Nine scalars, each of which moves with a velocity of its own: a law of more components than
  /// those that come with Saltus.
  template <int dim>
  struct NineAdvections
  {
    static constexpr int dimension    = dim;
    static constexpr int n_components = 9;
    static constexpr int n_fields     = 0;
    static constexpr int n_derived    = 0;
    static constexpr int n_positive   = 0;

    static constexpr const char *name              = "nine advections";
    static constexpr const char *conserved_names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    static constexpr const char *primitive_names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    static constexpr const char *derived_names[]   = {""};

    template <typename T>
    using State = Array<T, n_components>;
    template <typename T>
    using Field = Array<T, n_fields>;

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    flux(const State<T> &u, const Field<T> & /*field*/, const Array<T, dim> &n) const
    {
      State<T> f;
      for (int c = 0; c < n_components; ++c)
        f[c] = (T(1.) + T(0.1 * c)) * (n[0] - T(0.2 * c) * n[1]) * u[c];
      return f;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    numerical_flux(const State<T>      &inside,
                   const State<T>      &outside,
                   const Field<T>      &field,
                   const Array<T, dim> &n) const
    {
      return lax_friedrichs_flux(*this, inside, outside, field, n);
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    T
    wave_speed(const State<T> & /*u*/, const Field<T> & /*field*/, const Array<T, dim> &n) const
    {
      T speed = T(0);
      for (int c = 0; c < n_components; ++c)
        speed = max(speed, abs((T(1.) + T(0.1 * c)) * (n[0] - T(0.2 * c) * n[1])));
      return speed;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    auto
    admissible(const State<T> &u) const
    {
      T sum = u[0];
      for (int c = 1; c < n_components; ++c)
        sum = sum + u[c];
      return sum - sum == T(0);
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_positive>
    positive(const State<T> & /*u*/) const
    {
      return {};
    }

    static constexpr bool
    supports(const BoundaryKind kind)
    {
      return kind == BoundaryKind::prescribed;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    boundary_state(const BoundaryKind,
                   const State<T> & /*inside*/,
                   const State<T> &data,
                   const Array<T, dim> & /*n*/) const
    {
      return data;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    conserved(const State<T> &primitive) const
    {
      return primitive;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    primitive(const State<T> &conserved) const
    {
      return conserved;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_derived>
    derived(const State<T> & /*u*/) const
    {
      return {};
    }
  };
} // namespace Saltus::Tests

#endif
