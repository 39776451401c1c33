// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_positive_element_h
#define saltus_operators_conservation_law_kernels_positive_element_h

#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/spaces/element_group.h>

namespace Saltus
{
  /// The limiter of Zhang and Shu (Proc. R. Soc. A 467, 2011, in the form for concave quantities)
  /// on an ElementGroup, of any degree and geometry: where a quantity that must be positive falls
  /// below a small part of its value for the mean at a point of the rules, in the element or on its
  /// faces, or at a vertex, all variables are scaled towards their means. That keeps these, and
  /// leaves solutions that are positive as they are. Where not even the mean is positive the mean
  /// alone is left: the check of the states finds it. Both back ends run this code.
  template <GeometryKind kind,
            typename Law,
            typename T,
            typename Number,
            int width,
            typename Tables>
  class PositiveElement : ElementGroup<kind, Law::dimension, T, Number, width, Tables>
  {
    static constexpr int n_components = Law::n_components;

    using Group = ElementGroup<kind, Law::dimension, T, Number, width, Tables>;
    using Group::elements;
    using Group::geometry;
    using Group::tables;

    using State      = Array<T, n_components>;
    using Quantities = Array<T, Law::n_positive>;

    /// The least of a positive quantity that is left anywhere, relative to its value for the mean.
    /// Only as large as rounding asks for.
    static constexpr double least = 1e-6;

  public:
    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    PositiveElement(const LimiterArguments<Law, Number> &arg, const Tables &tables, const int first)
      : Group(arg.mesh, arg.stored, tables, first)
      , arg(arg)
    {}

    SALTUS_HOST_DEVICE
    void
    run()
    {
      for (int m = 0; m < tables.n_modes(); ++m)
        for (int l = 0; l < width; ++l)
          for (int c = 0; c < n_components; ++c)
            set_lane(u[m][c], l, arg.u[index(l, m) + c]);
      set_mean();
      const T one    = T(Number(1));
      T       factor = one;
      // One quantity after the other, because the concavity of a later one may rest on the
      // positivity of an earlier one (the pressure's on the density's).
      SALTUS_UNROLL
      for (int i = 0; i < Law::n_positive; ++i)
        {
          const T    at_mean = arg.law.positive(mean)[i];
          const T    floor   = T(Number(least)) * at_mean;
          const T    lowest  = lowest_of(i, factor);
          const auto too_low = lowest < floor;
          if (any(too_low)) // seldom
            {
              const T scaled = select(at_mean > T(Number(0)),
                                      (at_mean - floor) / (at_mean - lowest),
                                      T(Number(0)));
              factor         = factor * select(too_low, scaled, one);
            }
        }
      if (any(factor < one))
        scale(factor);
    }

  private:
    SALTUS_HOST_DEVICE
    std::size_t
    index(const int l, const int m) const
    {
      return CoefficientLayout{tables.n_modes(), n_components}.index(elements[l], m);
    }

    /// The solution at a point, scaled towards the mean.
    /// @param value `(m)`: of the modes
    template <typename Value>
    SALTUS_HOST_DEVICE
    State
    at(const Value &value, const T &factor) const
    {
      State state;
      for (int c = 0; c < n_components; ++c)
        state[c] = T(Number(0));
      for (int m = 0; m < tables.n_modes(); ++m)
        for (int c = 0; c < n_components; ++c)
          state[c] = state[c] + T(value(m)) * u[m][c];
      for (int c = 0; c < n_components; ++c)
        state[c] = mean[c] + factor * (state[c] - mean[c]);
      return state;
    }

    SALTUS_HOST_DEVICE
    void
    set_mean()
    {
      T volume = T(Number(0));
      for (int c = 0; c < n_components; ++c)
        mean[c] = T(Number(0));
      for (int q = 0; q < tables.n_volume_points(); ++q)
        {
          const T weight = T(tables.volume_weight(q)) * geometry.relative_volume(q);
          volume         = volume + weight;
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int c = 0; c < n_components; ++c)
              mean[c] = mean[c] + weight * T(tables.volume_value(q, m)) * u[m][c];
        }
      for (int c = 0; c < n_components; ++c)
        mean[c] = mean[c] / volume;
    }

    /// The least of positive quantity @p i at all points.
    SALTUS_HOST_DEVICE
    T
    lowest_of(const int i, const T &factor) const
    {
      T          lowest = arg.law.positive(mean)[i];
      const auto look   = [&](const State &state) {
        lowest = min(lowest, arg.law.positive(state)[i]);
      };
      for (int q = 0; q < tables.n_volume_points(); ++q)
        look(at([&](const int m) { return tables.volume_value(q, m); }, factor));
      for (int point = 0; point < tables.n_faces() * tables.n_face_points(); ++point)
        look(at([&](const int m) { return tables.face_value(point, m); }, factor));
      for (int v = 0; v < Simplex<Law::dimension>::n_vertices; ++v)
        look(at([&](const int m) { return arg.tables.vertex_values[v * tables.n_modes() + m]; },
                factor));
      return lowest;
    }

    SALTUS_HOST_DEVICE
    void
    scale(const T &factor)
    {
      const T to_mode = T(Number(1)) / T(tables.volume_value(0, 0)); // the constant mode's
      for (int m = 0; m < tables.n_modes(); ++m)
        for (int c = 0; c < n_components; ++c)
          {
            const T of_mean = m == 0 ? mean[c] * to_mode : T(Number(0));
            const T scaled  = of_mean + factor * (u[m][c] - of_mean);
            for (int l = 0; l < width && this->is_used(l); ++l)
              if (get_lane(factor, l) < Number(1))
                arg.u[index(l, m) + c] = get_lane(scaled, l);
          }
    }

    const LimiterArguments<Law, Number> &arg;
    State                                u[Tables::max_modes];
    State                                mean;
  };
} // namespace Saltus

#endif
