// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_second_order_element_h
#define saltus_operators_conservation_law_kernels_second_order_element_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/conservation_law/kernels/second_order_terms.h>
#include <saltus/operators/spaces/element_group.h>

namespace Saltus
{
  /// State and gradient at points of faces, in lanes that see other modes each.
  /// @tparam Terms SecondOrderTerms
  /// @param of the elements, one a lane
  /// @param points theirs, those of all faces in a row
  /// @param map the tangent map there
  template <typename Terms, int width, typename Arguments, typename Tables, typename Map>
  SALTUS_HOST_DEVICE
  typename Terms::Trace
  trace_in_lanes(const Arguments &arg,
                 const Tables    &tables,
                 const int       *of,
                 const int       *points,
                 const Map       &map)
  {
    using Number                = typename Arguments::value_type;
    using State                 = typename Terms::State;
    constexpr int           dim = Terms::dim, n = Terms::n_components;
    const CoefficientLayout layout = {tables.n_modes(), n};
    typename Terms::Trace   result;
    for (int i = 0; i < dim; ++i)
      result.gradient.directions[i] = map.metric(i);
    for (int l = 0; l < width; ++l)
      {
        const auto put = [&](const auto &for_modes, State &to) {
          Array<Number, n> sum{};
          for_modes([&](const int m, const Number value) SALTUS_INLINE_LAMBDA {
            const Number *mode = arg.u + layout.index(of[l], m);
            for (int c = 0; c < n; ++c)
              sum[c] += value * mode[c * layout.component_stride()];
          });
          for (int c = 0; c < n; ++c)
            set_lane(to[c], l, sum[c]);
        };
        put([&](const auto &add) { tables.for_face_values(points[l], add); }, result.value);
        for (int i = 0; i < dim; ++i)
          put([&](const auto &add) { tables.for_face_derivatives(points[l], i, add); },
              result.gradient.derivatives[i]);
      }
    return result;
  }

  /// What a second-order flux (HasSecondOrderFlux, ArtificialViscosity) adds to a stage's r, on an
  /// ElementGroup: \f[ r = M^{-1} \Big( -\int_K F_v(u, \nabla u) \cdot \nabla v
  ///   + \int_{\partial K} \tfrac12 \sum_{\pm} F_v(u^\pm, \nabla u^\pm - \sigma [u] \otimes n)
  ///   \cdot n
  ///   \, v + \int_{\partial K} \tfrac12 F_v(u^-, [u] \otimes n) \cdot \nabla v \Big), \quad
  ///   [u] = u^- - u^+. \f]
  /// For a flux with a constant coefficient that is the symmetric interior penalty method of
  /// LaplaceOperator, with the same penalty (Hartmann and Houston, J. Comput. Phys. 227, 2008, with
  /// the third term as Fehn, Wall and Kronbichler, Int. J. Numer. Meth. Fluids 89, 2019, have it).
  /// The jump is multiplied as the gradient is: what the flux does not spread, density, is not
  /// penalised. At the boundary one element bears all: the sums over both sides are twice that of
  /// the boundary state. Both back ends run this code, GPUs on simplices alone.
  template <GeometryKind kind,
            typename Law,
            typename T,
            typename Number,
            int width,
            typename Tables>
  class SecondOrderElement : ElementGroup<kind, Law::dimension, T, Number, width, Tables>
  {
    static constexpr int dim = Law::dimension, n_components = Law::n_components;

    using Group = ElementGroup<kind, dim, T, Number, width, Tables>;
    using Group::elements;
    using Group::geometry;
    using Group::tables;
    using typename Group::Direction;
    using typename Group::Face;

    using Terms = SecondOrderTerms<Law, T, Number>;
    using State = typename Terms::State;
    using Trace = typename Terms::Trace;

  public:
    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    SecondOrderElement(const SecondOrderArguments<Law, Number> &arg,
                       const Tables                            &tables,
                       const int                                first)
      : Group(arg.mesh, arg.stored, tables, first)
      , arg(arg)
      , terms(arg)
    {}

    SALTUS_HOST_DEVICE
    void
    run()
    {
      viscosity = in_lanes([&](const int l) { return arg.viscosities.largest(elements[l]); });
      for (int m = 0; m < tables.n_modes(); ++m)
        r[m] = Terms::zero();
      if (!has_no_fluxes())
        add_fluxes();
      update();
    }

  private:
    /// Whether the law has no flux of its own, and neither the elements nor those across have
    /// artificial viscosity where it matters: most of a flow with shocks is like that. Threads of
    /// GPUs do not look.
    SALTUS_HOST_DEVICE
    bool
    has_no_fluxes() const
    {
      if constexpr (width == 1)
        return false;
      else
        {
          if (HasSecondOrderFlux<Law>::of(arg.law) || any(viscosity > T(Number(0))))
            return false;
          for (int l = 0; l < width && !arg.viscosities.are_continuous(); ++l)
            for (int f = 0; f < tables.n_faces(); ++f)
              {
                const FaceRecord across =
                  read_face(arg.mesh.faces + point_index(elements[l], f, tables.n_faces(), 1));
                const int b = across.boundary_face();
                if (across.kind == FaceKind::hanging || (b >= 0 && terms.spreads_at(b)) ||
                    arg.viscosities.largest(across.element_across(elements[l])) > 0)
                  return false;
              }
          return true;
        }
    }

    SALTUS_HOST_DEVICE
    void
    add_fluxes()
    {
      load(elements, u);
      add_volume();
      for (int f = 0; f < tables.n_faces(); ++f)
        add_face(f);
      if constexpr (!Group::Geometry::is_constant)
        this->apply_inverse_mass(r);
    }

    SALTUS_HOST_DEVICE
    CoefficientLayout
    layout() const
    {
      return {tables.n_modes(), n_components};
    }

    /// Coefficients of the elements @p of.
    SALTUS_HOST_DEVICE
    void
    load(const int *of, State *coefficients) const
    {
      for (int l = 0; l < width; ++l)
        for (int m = 0; m < tables.n_modes(); ++m)
          for (int c = 0; c < n_components; ++c)
            set_lane(coefficients[m][c], l, arg.u[layout().index(of[l], m, c)]);
    }

    /// `of_lane(l)` in each lane.
    template <typename OfLane>
    SALTUS_HOST_DEVICE
    static T
    in_lanes(const OfLane &of_lane)
    {
      T result = T(Number(0));
      for (int l = 0; l < width; ++l)
        set_lane(result, l, of_lane(l));
      return result;
    }

    SALTUS_HOST_DEVICE
    T
    viscosity_at_volume_point(const int q) const
    {
      if (!arg.viscosities.are_continuous())
        return viscosity;
      return in_lanes([&](const int l) { return terms.viscosity_at(elements[l], q); });
    }

    /// Of the elements at point @p q of face @p f, but for those whose face is at the boundary.
    SALTUS_HOST_DEVICE
    T
    viscosity_at_face_point(const Face &face, const int f, const int q) const
    {
      T result = viscosity;
      if (arg.viscosities.are_continuous())
        result =
          in_lanes([&](const int l) { return terms.viscosities_on_faces(elements[l])(f, q); });
      if (face.at_boundary)
        for (int l = 0; l < width; ++l)
          if (!terms.spreads_at(face.across[l].boundary_face()))
            set_lane(result, l, Number(0));
      return result;
    }

    /// State and gradient at a point.
    /// @param for_values,for_derivatives `(add)`, `(i, add)`: `add(m, value)` for modes m with
    /// their values there, and with their derivatives in reference direction i
    /// @param map the tangent map there
    template <typename ForValues, typename ForDerivatives, typename Map>
    SALTUS_HOST_DEVICE
    static Trace
    trace(const State          *coefficients,
          const ForValues      &for_values,
          const ForDerivatives &for_derivatives,
          const Map            &map)
    {
      Trace result;
      result.value = Terms::zero();
      for_values([&](const int m, const auto &value)
                   SALTUS_INLINE_LAMBDA { Terms::add(T(value), coefficients[m], result.value); });
      for (int i = 0; i < dim; ++i)
        {
          State &derivatives            = result.gradient.derivatives[i];
          result.gradient.directions[i] = map.metric(i);
          derivatives                   = Terms::zero();
          for_derivatives(i, [&](const int m, const auto &value) SALTUS_INLINE_LAMBDA {
            Terms::add(T(value), coefficients[m], derivatives);
          });
        }
      return result;
    }

    SALTUS_HOST_DEVICE
    void
    add_volume()
    {
      for (int q = 0; q < tables.n_volume_points(); ++q)
        {
          const auto &map = geometry.at_volume_point(q); // times the relative volume
          const Trace at  = trace(
            u,
            [&](const auto &add) SALTUS_INLINE_LAMBDA { tables.for_volume_values(q, add); },
            [&](const int i, const auto &add)
              SALTUS_INLINE_LAMBDA { tables.for_volume_derivatives(q, i, add); },
            map);
          const T    weight = T(-tables.volume_weight(q)) / geometry.relative_volume(q);
          const auto medium = terms.medium(at.value, viscosity_at_volume_point(q));
          State      fluxes[dim];
          for (int i = 0; i < dim; ++i)
            fluxes[i] = terms.flux(medium, at.gradient, map.metric(i));
          for (int i = 0; i < dim; ++i)
            tables.for_volume_derivatives(q,
                                          i,
                                          [&](const int m, const auto &value) SALTUS_INLINE_LAMBDA {
                                            Terms::add(weight * T(value), fluxes[i], r[m]);
                                          });
        }
    }

    SALTUS_HOST_DEVICE
    void
    add_face(const int f)
    {
      Face face = this->face(f);
      if constexpr (!Tables::is_sparse)
        load(face.neighbors, u_out);
      const bool continuous   = arg.viscosities.are_continuous();
      const T    of_neighbors = continuous ? viscosity : in_lanes([&](const int l) {
        return terms.viscosity_at(face.neighbors[l], 0);
      });
      const T    factor =
        terms.penalty_factor(geometry.volume_factor() *
                             affine_geometry<dim, T>(arg.mesh.inverse_jacobians, face.neighbors)
                               .inverse_volume_factor());
      const auto geometry_out = this->geometry_across(face);
      for (int q = 0; q < tables.n_face_points(); ++q)
        {
          const int point = f * tables.n_face_points() + q;
          this->at_point(face, f, q);
          Direction normal; // as long as the face's area over |det J|
          for (int d = 0; d < dim; ++d)
            normal[d] = face.length * face.normal[d];
          const auto &map    = geometry.at_face_point(f, q);
          const Trace inside = trace(
            u,
            [&](const auto &add) SALTUS_INLINE_LAMBDA { tables.for_face_values(point, add); },
            [&](const int i, const auto &add)
              SALTUS_INLINE_LAMBDA { tables.for_face_derivatives(point, i, add); },
            map);
          const Trace outside = trace_across(face, q, geometry_out.at_face_point(f, q));

          State jump;
          for (int c = 0; c < n_components; ++c)
            jump[c] = inside.value[c] - outside.value[c];
          auto       of_jump      = Terms::outer(jump, normal);
          const T    viscosity_in = viscosity_at_face_point(face, f, q);
          const auto medium       = terms.medium(inside.value, viscosity_in);
          const auto medium_out =
            terms.medium(outside.value, continuous ? viscosity_in : of_neighbors);
          State normal_flux = terms.mean_flux(
            medium, inside.gradient, medium_out, outside.gradient, of_jump, factor, normal);
          if (face.at_boundary)
            {
              set_boundary_terms(face, q, inside, factor, normal, normal_flux, jump);
              of_jump = Terms::outer(jump, normal);
            }

          const T weight = T(tables.face_weight(q)), half = T(Number(0.5)) * weight;
          State   fluxes[dim];
          for (int i = 0; i < dim; ++i)
            fluxes[i] = Terms::times(half, terms.flux(medium, of_jump, map.metric(i)));
          normal_flux = Terms::times(weight, normal_flux);
          if constexpr (Tables::may_hang)
            if (face.hangs)
              set_given(face, q, normal_flux, fluxes);
          add_tested(point, normal_flux, fluxes);
        }
    }

    /// Add to r what is multiplied with values and reference derivatives of the test functions at a
    /// point of a face.
    SALTUS_HOST_DEVICE
    void
    add_tested(const int point, const State &of_values, const State (&of_derivatives)[dim])
    {
      tables.for_face_values(point, [&](const int m, const auto &value) SALTUS_INLINE_LAMBDA {
        Terms::add(T(value), of_values, r[m]);
      });
      for (int i = 0; i < dim; ++i)
        tables.for_face_derivatives(point,
                                    i,
                                    [&](const int m, const auto &value) SALTUS_INLINE_LAMBDA {
                                      Terms::add(T(value), of_derivatives[i], r[m]);
                                    });
    }

    /// The terms of the lanes whose face hangs, which are known: see set_hanging_gradients().
    SALTUS_HOST_DEVICE
    void
    set_given(const Face &face, const int q, State &of_values, State (&of_derivatives)[dim]) const
    {
      for (int l = 0; l < width; ++l)
        if (face.across[l].kind == FaceKind::hanging)
          {
            const Number *given =
              arg.gradients.faces.fluxes +
              (static_cast<std::size_t>(face.across[l].neighbor) * tables.n_face_points() + q) *
                (1 + dim) * n_components;
            for (int c = 0; c < n_components; ++c)
              {
                set_lane(of_values[c], l, given[c]);
                for (int i = 0; i < dim; ++i)
                  set_lane(of_derivatives[i][c], l, given[(1 + i) * n_components + c]);
              }
          }
    }

    /// State and gradient on the other side, where this side has point @p q.
    template <typename Map>
    SALTUS_HOST_DEVICE
    Trace
    trace_across(const Face &face, const int q, const Map &map) const
    {
      int points[width];
      for (int l = 0; l < width; ++l)
        points[l] = tables.point_across(face.across[l], q);
      if constexpr (Tables::is_sparse)
        return trace_in_lanes<Terms, width>(arg, tables, face.neighbors, points, map);
      const auto of_lanes = [&](const auto &entry) {
        T result = T(Number(0));
        for (int l = 0; l < width; ++l)
          set_lane(result, l, entry(points[l]));
        return result;
      };
      return trace(
        u_out,
        [&](const auto &add) SALTUS_INLINE_LAMBDA {
          for (int m = 0; m < tables.n_modes(); ++m)
            add(m, of_lanes([&](const int point) { return tables.face_value(point, m); }));
        },
        [&](const int i, const auto &add) SALTUS_INLINE_LAMBDA {
          for (int m = 0; m < tables.n_modes(); ++m)
            add(m, of_lanes([&](const int point) { return tables.face_gradient(point, i, m); }));
        },
        map);
    }

    /// The normal flux and twice the jump in the lanes at the boundary, and what leaves there.
    SALTUS_HOST_DEVICE
    void
    set_boundary_terms(const Face      &face,
                       const int        q,
                       const Trace     &inside,
                       const T         &factor,
                       const Direction &normal,
                       State           &normal_flux,
                       State           &jump) const
    {
      for (int l = 0; l < width; ++l)
        if (const int b = face.across[l].boundary_face(); b >= 0)
          {
            using Here = SecondOrderTerms<Law, Number, Number>;
            typename Here::Trace     trace;
            typename Here::Direction normal_here;
            typename Here::State     flux_here, jump_here;
            for (int d = 0; d < dim; ++d)
              {
                normal_here[d] = get_lane(normal[d], l);
                for (int i = 0; i < dim; ++i)
                  trace.gradient.directions[i][d] = get_lane(inside.gradient.directions[i][d], l);
              }
            for (int c = 0; c < n_components; ++c)
              {
                trace.value[c] = get_lane(inside.value[c], l);
                for (int i = 0; i < dim; ++i)
                  trace.gradient.derivatives[i][c] = get_lane(inside.gradient.derivatives[i][c], l);
              }
            Here(arg).set_boundary(
              b, q, trace, get_lane(factor, l), normal_here, flux_here, jump_here);
            for (int c = 0; c < n_components; ++c)
              {
                set_lane(normal_flux[c], l, flux_here[c]);
                set_lane(jump[c], l, jump_here[c]);
              }
            if (arg.coefficients.weight != 0 && this->is_used(l))
              for (int c = 0; c < n_components; ++c)
                arg.boundary.outflow[b * n_components + c] -=
                  arg.coefficients.weight * *arg.dt *
                  get_lane(T(tables.face_weight(q)) * geometry.volume_factor(), l) * flux_here[c];
          }
    }

    /// As if the stage had had the flux, too.
    SALTUS_HOST_DEVICE
    void
    update() const
    {
      const StageCoefficients &k      = arg.coefficients;
      const double             dt     = *arg.dt;
      const Number             to_s   = k.w * dt;
      const Number             of_s   = arg.before_stage ? k.A : 1.;
      const Number             to_out = (k.c + k.d * k.w) * dt;
      for (int l = 0; l < width && this->is_used(l); ++l)
        for (int m = 0; m < tables.n_modes(); ++m)
          for (int c = 0; c < n_components; ++c)
            {
              const std::size_t i = layout().index(elements[l], m, c);
              const Number      x = get_lane(r[m][c], l);
              if (k.w != 0)
                arg.accumulator[i] =
                  (arg.reads_accumulator() ? of_s * arg.accumulator[i] : Number(0)) + to_s * x;
              if (!arg.before_stage)
                arg.out[i] += to_out * x;
            }
    }

    const SecondOrderArguments<Law, Number> &arg;
    const Terms                              terms;
    T                                        viscosity; ///< artificial, the largest in each element
    State                                    u[Tables::max_modes], r[Tables::max_modes];
    State u_out[Tables::is_sparse ? 1 : Tables::max_modes]; ///< where that is read more than once
  };
} // namespace Saltus

#endif
