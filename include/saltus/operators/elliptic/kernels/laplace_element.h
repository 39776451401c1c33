// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_laplace_element_h
#define saltus_operators_elliptic_kernels_laplace_element_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/elliptic/kernels/along_layout.h>
#include <saltus/operators/elliptic/kernels/coefficient_value.h>
#include <saltus/operators/spaces/element_group.h>

namespace Saltus
{
  /// Replace @p terms by those of the boundary in the lanes whose faces are there.
  /// @param across the faces, by lane
  template <typename T, typename Number, int width>
  SALTUS_HOST_DEVICE
  void
  set_boundary_terms(const LaplaceArguments<Number> &arg,
                     const FaceRecord (&across)[width],
                     const T                 &u_in,
                     const T                 &q_in,
                     const T                 &penalty,
                     InteriorPenaltyTerms<T> &terms)
  {
    for (int l = 0; l < width; ++l)
      if (const int b = across[l].boundary_face(); b >= 0)
        {
          const auto here = interior_penalty_boundary<Number>(arg.kinds[b],
                                                              get_lane(u_in, l),
                                                              get_lane(q_in, l),
                                                              get_lane(penalty, l),
                                                              0,
                                                              arg.robin[b]);
          set_lane(terms.value, l, here.value);
          set_lane(terms.flux, l, here.flux);
        }
  }

  /// The work of LaplaceOperator on an ElementGroup. Both back ends run this code.
  ///
  /// This form serves every quadrature, coefficients that vary in the elements, and parts of the
  /// matrix. SparseLaplaceElement is the fast one.
  ///
  /// @tparam n_components of the vectors, of which the operator works on one
  template <GeometryKind kind,
            int          dim,
            typename T,
            typename Number,
            int width,
            typename Tables,
            int n_components = 1>
  class LaplaceElement : ElementGroup<kind, dim, T, Number, width, Tables>
  {
    using Group = ElementGroup<kind, dim, T, Number, width, Tables>;
    using Group::elements;
    using Group::geometry;
    using Group::tables;
    using typename Group::Direction;
    using typename Group::Face;
    using typename Group::Geometry;

    static constexpr int max_modes = Tables::max_modes;

    using Coefficient = CoefficientValue<dim, T>;
    using Trace       = Array<T, 1 + dim>; ///< value and reference derivatives

    /// Points of the largest face, see set_traces().
    static constexpr int max_traces = width == 1 ? 1 : Simplex<2>::n_quadrature_points(14);

  public:
    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    LaplaceElement(const LaplaceArguments<Number> &arg,
                   const Tables                   &tables,
                   const int                       first,
                   const int                       component = 0)
      : Group(arg.mesh, arg.stored, tables, first)
      , arg(arg)
      , component(component)
    {}

    SALTUS_HOST_DEVICE
    void
    run()
    {
      if (arg.own)
        load_modes(elements, u);
      else
        set_zero(u);
      begin();
      add_volume();
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int face = 0; face < tables.n_faces(); ++face)
        add_face(face);
      store();
    }

    /// Set @p to to the terms of the reaction alone, for the modes @p of.
    SALTUS_HOST_DEVICE
    void
    set_reaction(const T *of, T *to)
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        u[m] = of[m];
      begin();
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        to[m] = r[m];
    }

  private:
    /// Set the result to the terms of the reaction.
    SALTUS_HOST_DEVICE
    void
    begin()
    {
      det = geometry.volume_factor();
      set_zero(r);
      const int no_points[width] = {};
      load_coefficient<dim>(arg.diffusion, arg.diffusion.volume, elements, no_points, 1, k_in);
      add_reaction();
    }

    SALTUS_HOST_DEVICE
    void
    set_zero(T *values) const
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        values[m] = T(Number(0));
    }

    /// Where the first mode of an element stands.
    SALTUS_HOST_DEVICE
    std::size_t
    mode_index(const int element) const
    {
      return CoefficientLayout{tables.n_modes(), n_components}.index(element, 0) + component;
    }

    SALTUS_HOST_DEVICE
    void
    load_modes(const int *of, T *to) const
    {
      if (arg.column >= 0)
        {
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            to[m] = T(Number(m == arg.column ? 1 : 0));
          return;
        }
      for (int l = 0; l < width; ++l)
        {
          const Number *from = arg.u + mode_index(of[l]);
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            set_lane(to[m],
                     l,
                     from[m * CoefficientLayout{tables.n_modes(), n_components}.mode_stride()]);
        }
    }

    SALTUS_HOST_DEVICE
    void
    store() const
    {
      for (int l = 0; l < width && this->is_used(l); ++l)
        {
          const std::size_t first = mode_index(elements[l]);
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              const std::size_t i =
                first + m * CoefficientLayout{tables.n_modes(), n_components}.mode_stride();
              const Number base = arg.base != nullptr ? arg.base[i] : Number(0);
              arg.out[i]        = base + arg.scale * get_lane(r[m], l);
            }
        }
    }

    /// \f$ \sum_m \text{entry}(m) u_m \f$
    template <typename Entry>
    SALTUS_HOST_DEVICE
    T
    sum(const Entry &entry) const
    {
      T result = T(Number(0));
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        result = result + T(entry(m)) * u[m];
      return result;
    }

    /// Set @p to to a coefficient at the volume point @p q of the elements, if it is by point.
    SALTUS_HOST_DEVICE
    void
    load_at_point(const CoefficientArrays<Number> &coefficient, const int q, Coefficient &to) const
    {
      if (coefficient.face != nullptr)
        {
          int points[width];
          for (int l = 0; l < width; ++l)
            points[l] = q;
          load_coefficient<dim>(
            coefficient, coefficient.volume, elements, points, tables.n_volume_points(), to);
        }
    }

    /// \f$ \int \lambda u v \f$
    SALTUS_HOST_DEVICE
    void
    add_reaction()
    {
      const bool  by_point         = arg.reaction.face != nullptr;
      const int   no_points[width] = {};
      Coefficient lambda;
      if (!by_point)
        load_coefficient<dim>(arg.reaction, arg.reaction.volume, elements, no_points, 1, lambda);
      if (Geometry::is_constant && !by_point)
        for (int m = 0; m < tables.n_modes(); ++m)
          r[m] = lambda[0] * det * u[m]; // the modes are orthonormal
      else if (arg.reaction.volume != nullptr || arg.reaction.constant != Number(0))
        for (int q = 0; q < tables.n_volume_points(); ++q)
          {
            load_at_point(arg.reaction, q, lambda);
            const T value = T(tables.volume_weight(q)) * det * geometry.relative_volume(q) *
                            lambda[0] * sum([&](const int m) { return tables.volume_value(q, m); });
            for (int m = 0; m < tables.n_modes(); ++m)
              r[m] = r[m] + T(tables.volume_value(q, m)) * value;
          }
    }

    /// What the form multiplies the reference derivatives of v with at a volume point, where u has
    /// the reference derivatives @p g.
    SALTUS_HOST_DEVICE
    Direction
    conducted(const int q, const Direction &g)
    {
      Direction result;
      if constexpr (Geometry::is_constant)
        {
          load_at_point(arg.diffusion, q, k_in);
          const Direction q_flux =
            flux<dim>(arg.diffusion, k_in, geometry.gradient([&](const int i) { return g[i]; }));
          for (int i = 0; i < dim; ++i)
            result[i] = T(tables.volume_weight(q)) * det * dot<dim>(geometry.metric(i), q_flux);
        }
      else
        {
          constexpr int n = dim * (dim + 1) / 2;
          Coefficient   k;
          for (int i = 0; i < n; ++i)
            k[i] = stored_number(arg.pointwise.volume, tables.n_volume_points() * n, q * n + i);
          result = symmetric_product<dim>(k, g);
        }
      return result;
    }

    /// Number @p i of an array of @p n an element whose geometry is stored.
    SALTUS_HOST_DEVICE
    T
    stored_number(const Number *from, const int n, const int i) const
    {
      T result;
      load(result, from + point_index(elements[0] - arg.stored.first_block * block_size, i, n, 1));
      return result;
    }

    /// PointwiseForm::along, or that across, at point @p q of face @p f.
    SALTUS_HOST_DEVICE
    Direction
    stored_direction(const Number *from, const int f, const int q) const
    {
      const AlongLayout<dim> layout = {tables.n_faces(),
                                       tables.n_face_points(),
                                       arg.pointwise.along_in_groups};
      Direction              result;
      for (int r = 0; r < dim; ++r)
        load(result[r], from + layout(elements[0] - arg.stored.first_block * block_size, f, q, r));
      return result;
    }

    SALTUS_HOST_DEVICE
    int
    n_points_of_faces() const
    {
      return tables.n_faces() * tables.n_face_points();
    }

    /// \f$ \int k \nabla u \cdot \nabla v \f$
    SALTUS_HOST_DEVICE
    void
    add_volume()
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int q = 0; q < tables.n_volume_points(); ++q)
        {
          Direction gradient;
          for (int i = 0; i < dim; ++i)
            gradient[i] = sum([&](const int m) { return tables.volume_gradient(q, i, m); });
          const Direction reference = conducted(q, gradient);
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int i = 0; i < dim; ++i)
              r[m] = r[m] + T(tables.volume_gradient(q, i, m)) * reference[i];
        }
    }

    /// A point of a face.
    struct FacePoint
    {
      Direction along;        ///< the flux n.k grad v is this combination of reference derivatives
      Direction along_across; ///< the same of the elements across
      T         weight;       ///< what it counts for
    };

    /// Go to point @p q of face @p f, which has the numbers @p points here, and @p points_across
    /// there.
    SALTUS_HOST_DEVICE
    void
    set_point(const Face &face,
              const int   f,
              const int   q,
              const int (&points)[width],
              const int (&points_across)[width],
              FacePoint &at)
    {
      if constexpr (Geometry::is_constant)
        {
          const bool by_point = arg.diffusion.face != nullptr;
          at.weight           = T(tables.face_weight(q)) * (face.length * det);
          if (!by_point && q > 0)
            return;
          const Number *const values       = by_point ? arg.diffusion.face : arg.diffusion.volume;
          const int           n            = by_point ? n_points_of_faces() : 1;
          const int           first[width] = {};
          load_coefficient<dim>(
            arg.diffusion, values, elements, by_point ? points : first, n, k_in);
          Coefficient k_out;
          load_coefficient<dim>(
            arg.diffusion, values, face.neighbors, by_point ? points_across : first, n, k_out);
          at.along = along_flux<dim>(arg.diffusion, k_in, geometry, face.normal);
          at.along_across =
            along_flux<dim>(arg.diffusion,
                            k_out,
                            affine_geometry<dim, T>(arg.mesh.inverse_jacobians, face.neighbors),
                            face.normal);
        }
      else
        {
          at.weight       = stored_number(arg.pointwise.areas, n_points_of_faces(), points[0]);
          at.along        = stored_direction(arg.pointwise.along, f, q);
          at.along_across = stored_direction(arg.pointwise.along_across, f, q);
        }
    }

    SALTUS_HOST_DEVICE
    void
    add_face(const int f)
    {
      Face face = this->face(f);
      T    penalty;
      for (int l = 0; l < width; ++l)
        set_lane(penalty, l, arg.penalties[point_index(elements[l], f, tables.n_faces(), 1)]);
      if (arg.across == LaplaceArguments<Number>::all_faces || arg.across == f)
        load_modes(face.neighbors, u_out);
      else
        set_zero(u_out);

      Trace      traces[max_traces];
      const bool together = set_traces(f, face, traces);
      FacePoint  at;
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int q = 0; q < tables.n_face_points(); ++q)
        {
          const int point = f * tables.n_face_points() + q;
          int       points[width], points_out[width];
          for (int l = 0; l < width; ++l)
            {
              points[l]     = point;
              points_out[l] = tables.point_across(face.across[l], q);
            }
          set_point(face, f, q, points, points_out, at);

          const T u_in = sum([&](const int m) { return tables.face_value(point, m); });
          T       q_in = T(Number(0));
          for (int i = 0; i < dim; ++i)
            q_in = q_in + at.along[i] *
                            sum([&](const int m) { return tables.face_gradient(point, i, m); });

          const Trace outside =
            together ? trace_across(face, traces, f * tables.n_face_points(), points_out)
                     : trace_across(points_out);
          T q_out = T(Number(0));
          for (int i = 0; i < dim; ++i)
            q_out = q_out + at.along_across[i] * outside[1 + i];
          auto terms = interior_penalty(u_in, outside[0], q_in, q_out, penalty);
          if (face.at_boundary)
            set_boundary_terms(arg, face.across, u_in, q_in, penalty, terms);

          terms.value = terms.value * at.weight;
          terms.flux  = terms.flux * at.weight;
          Direction flux_terms;
          for (int i = 0; i < dim; ++i)
            flux_terms[i] = terms.flux * at.along[i];
          set_given(face.across, q, terms.value, flux_terms);
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              r[m] = r[m] + terms.value * T(tables.face_value(point, m));
              for (int i = 0; i < dim; ++i)
                r[m] = r[m] + flux_terms[i] * T(tables.face_gradient(point, i, m));
            }
        }
    }

    /// Value and reference derivatives of the neighbours' function, with those of mode m.
    /// @param value,derivative `(m)`, `(i, m)`: in reference direction i
    template <typename Value, typename Derivative>
    SALTUS_HOST_DEVICE
    Trace
    trace_across(const Value &value, const Derivative &derivative) const
    {
      Trace result;
      for (int k = 0; k <= dim; ++k)
        result[k] = T(Number(0));
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        {
          result[0] = result[0] + T(value(m)) * u_out[m];
          for (int i = 0; i < dim; ++i)
            result[1 + i] = result[1 + i] + T(derivative(i, m)) * u_out[m];
        }
      return result;
    }

    /// Set @p traces to those of the neighbours at all points of face @p f, in their order, if the
    /// face has this number on their sides, too: then all lanes use the same entries of tables,
    /// where point by point they read their own ones, which takes several times as long.
    /// @return whether it has
    SALTUS_HOST_DEVICE
    bool
    set_traces(const int f, const Face &face, Trace *traces) const
    {
      if constexpr (width > 1)
        {
          if (tables.n_face_points() > max_traces)
            return false;
          for (int l = 0; l < width; ++l)
            if (!face.across[l].at_boundary() && face.across[l].face != f)
              return false;
          for (int q = 0; q < tables.n_face_points(); ++q)
            {
              const int point = f * tables.n_face_points() + q;
              traces[q] = trace_across([&](const int m) { return tables.face_value(point, m); },
                                       [&](const int i, const int m) {
                                         return tables.face_gradient(point, i, m);
                                       });
            }
        }
      return width > 1;
    }

    /// What the neighbours have at their points @p points.
    SALTUS_HOST_DEVICE
    Trace
    trace_across(const int (&points)[width]) const
    {
      const auto of_lanes = [&](const auto &entry) {
        T result = T(Number(0));
        for (int l = 0; l < width; ++l)
          set_lane(result, l, entry(points[l]));
        return result;
      };
      return trace_across(
        [&](const int m) {
          return of_lanes([&](const int point) { return tables.face_value(point, m); });
        },
        [&](const int i, const int m) {
          return of_lanes([&](const int point) { return tables.face_gradient(point, i, m); });
        });
    }

    /// The same from set_traces(). At the boundary it does not matter.
    SALTUS_HOST_DEVICE
    Trace
    trace_across(const Face  &face,
                 const Trace *traces,
                 const int    first,
                 const int (&points)[width]) const
    {
      Trace result = traces[0];
      for (int l = 0; l < width; ++l)
        if (!face.across[l].at_boundary())
          for (int k = 0; k <= dim; ++k)
            set_lane(result[k], l, get_lane(traces[points[l] - first][k], l));
      return result;
    }

    /// The terms of hanging faces, which are known.
    SALTUS_HOST_DEVICE
    void
    set_given(const FaceRecord *across, const int q, T &value, Direction &flux) const
    {
      for (int l = 0; l < width; ++l)
        if (across[l].kind == FaceKind::hanging)
          {
            const std::size_t point =
              static_cast<std::size_t>(across[l].neighbor) * tables.n_face_points() + q;
            const Number *given =
              arg.hanging.faces.fluxes + point * (1 + dim) * n_components + component;
            set_lane(value, l, given[0]);
            for (int i = 0; i < dim; ++i)
              set_lane(flux[i], l, given[(1 + i) * n_components]);
          }
    }

    const LaplaceArguments<Number> &arg;
    const int                       component;

    T           det;  ///< |det J|, its mean
    Coefficient k_in; ///< diffusion in the elements, at the current point if it is by point
    T           u[max_modes], u_out[max_modes], r[max_modes];
  };
} // namespace Saltus

#endif
