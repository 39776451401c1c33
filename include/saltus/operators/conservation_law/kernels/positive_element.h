// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_positive_element_h
#define saltus_operators_conservation_law_kernels_positive_element_h

#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/spaces/element_group.h>

namespace Saltus
{
  /// The limiter of Zhang and Shu (Proc. R. Soc. A 467, 2011, in the form for concave quantities)
  /// on an ElementGroup, of any degree and geometry: where a quantity that must be positive falls
  /// below a small part of its value for the mean at a point of the rules, in the element, on its
  /// faces or on the smaller faces that these meet, or at a vertex, all variables are scaled
  /// towards their means. That keeps these, and leaves solutions that are positive as they are.
  /// Where not even the mean is positive the mean alone is left: the check of the states finds it.
  /// Elements whose quantities vary strongly are marked for the step size. Both back ends run this
  /// code.
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
            set_lane(u[m][c], l, arg.u[index(l, m, c)]);
      set_mean();
      const T one    = T(Number(1));
      T       factor = one, is_low = T(Number(0));
      // One quantity after the other, because the concavity of a later one may rest on the
      // positivity of an earlier one (the pressure's on the density's).
      SALTUS_UNROLL
      for (int i = 0; i < Law::n_positive; ++i)
        {
          const T    at_mean = arg.law.positive(mean)[i];
          const T    floor   = T(Number(least)) * at_mean;
          const T    lowest  = lowest_of(i, factor);
          const auto too_low = lowest < floor;
          is_low             = select(lowest < T(Number(arg.low)) * at_mean, one, is_low);
          if (any(too_low)) // seldom
            {
              const T scaled = select(at_mean > T(Number(0)),
                                      (at_mean - floor) / (at_mean - lowest),
                                      T(Number(0)));
              factor         = factor * select(too_low, scaled, one);
            }
        }
      for (int l = 0; l < width && this->is_used(l); ++l)
        arg.at_points[elements[l]] = get_lane(is_low, l) > Number(0);
      if (any(factor < one))
        scale(factor);
    }

  private:
    SALTUS_HOST_DEVICE
    std::size_t
    index(const int l, const int m, const int c) const
    {
      return CoefficientLayout{tables.n_modes(), n_components}.index(elements[l], m, c);
    }

    /// The solution at a point, scaled towards the mean.
    /// @param for_values `(add)`: `add(m, value)` for modes with their values there
    template <typename ForValues>
    SALTUS_HOST_DEVICE
    State
    at(const ForValues &for_values, const T &factor) const
    {
      State state;
      for (int c = 0; c < n_components; ++c)
        state[c] = T(Number(0));
      for_values([&](const int m, const auto value) {
        for (int c = 0; c < n_components; ++c)
          state[c] = state[c] + T(value) * u[m][c];
      });
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
          tables.for_volume_values(q, [&](const int m, const auto value) {
            for (int c = 0; c < n_components; ++c)
              mean[c] = mean[c] + weight * T(value) * u[m][c];
          });
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
        look(at([&](const auto &add) { tables.for_volume_values(q, add); }, factor));
      for (int point = 0; point < tables.n_faces() * tables.n_face_points(); ++point)
        look(at([&](const auto &add) { tables.for_face_values(point, add); }, factor));
      const auto look_at_all = [&](const Number *values, const int n_points) {
        for (int point = 0; point < n_points; ++point)
          look(at(
            [&](const auto &add) {
              for (int m = 0; m < tables.n_modes(); ++m)
                add(m, values[point * tables.n_modes() + m]);
            },
            factor));
      };
      look_at_all(arg.tables.vertex_values, Tables::n_vertices);
      look_at_all(arg.more_values, arg.n_more_points);
      if constexpr (Tables::may_hang)
        if (arg.hanging.n_parts > 0)
          for (int f = 0; f < tables.n_faces(); ++f)
            lowest = min(lowest, lowest_on_parts(i, f, factor));
      return lowest;
    }

    /// On a face that meets smaller ones, at the points of these, where fluxes are computed: the
    /// least of positive quantity @p i, or that of the mean.
    SALTUS_HOST_DEVICE
    T
    lowest_on_parts(const int i, const int f, const T &factor) const
    {
      T    lowest   = arg.law.positive(mean)[i];
      bool is_there = false, is_larger[width];
      for (int l = 0; l < width; ++l)
        {
          const FaceRecord across =
            read_face(arg.mesh.faces + point_index(elements[l], f, tables.n_faces(), 1));
          is_larger[l] = arg.hanging.is_larger(across);
          is_there |= is_larger[l];
        }
      if (!is_there)
        return lowest;
      const int nf = tables.n_face_points();
      State     traces[Tables::max_face_points];
      for (int a = 0; a < nf; ++a)
        traces[a] = at([&](const auto &add) { tables.for_face_values(f * nf + a, add); }, factor);
      for (int point = 0; point < (1 << (Law::dimension - 1)) * nf; ++point)
        {
          State state;
          for (int c = 0; c < n_components; ++c)
            state[c] = T(Number(0));
          for (int a = 0; a < nf; ++a)
            for (int c = 0; c < n_components; ++c)
              state[c] = state[c] + T(arg.hanging.interpolation[point * nf + a]) * traces[a][c];
          const T here = arg.law.positive(state)[i];
          for (int l = 0; l < width; ++l)
            if (is_larger[l] && get_lane(here, l) < get_lane(lowest, l))
              set_lane(lowest, l, get_lane(here, l));
        }
      return lowest;
    }

    SALTUS_HOST_DEVICE
    void
    scale(const T &factor)
    {
      const auto &t = arg.tables;
      for (int m = 0; m < tables.n_modes(); ++m)
        for (int c = 0; c < n_components; ++c)
          {
            // The mean is a constant function: orthonormal modes have it by their integrals.
            const Number integral = m < t.n_mean_modes ? t.mean_weights[m] * t.reference_volume : 0;
            const T      of_mean  = T(integral) * mean[c];
            const T      scaled   = of_mean + factor * (u[m][c] - of_mean);
            for (int l = 0; l < width && this->is_used(l); ++l)
              if (get_lane(factor, l) < Number(1))
                arg.u[index(l, m, c)] = get_lane(scaled, l);
          }
    }

    const LimiterArguments<Law, Number> &arg;
    State                                u[Tables::max_modes];
    State                                mean;
  };
} // namespace Saltus

#endif
