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

  /// What a second-order flux (HasSecondOrderFlux, ArtificialViscosity) adds to a stage's L(u), on
  /// an ElementGroup: \f[ -\int_K F_v(u, \nabla u) \cdot \nabla v
  ///   + \int_{\partial K} \tfrac12 \sum_{\pm} F_v(u^\pm, \nabla u^\pm - \sigma [u] \otimes n)
  ///   \cdot n
  ///   \, v + \int_{\partial K} \tfrac12 F_v(u^-, [u] \otimes n) \cdot \nabla v, \quad
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

    using Terms  = SecondOrderTerms<Law, T, Number>;
    using State  = typename Terms::State;
    using States = typename Terms::States;
    using Trace  = typename Terms::Trace;

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
      store();
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

    /// A point of the volume, with the modes' values and reference derivatives there.
    struct VolumePoint
    {
      const Tables &tables;
      const int     q;

      SALTUS_HOST_DEVICE
      T
      value(const int m) const
      {
        return T(tables.volume_value(q, m));
      }

      SALTUS_HOST_DEVICE
      T
      derivative(const int i, const int m) const
      {
        return T(tables.volume_gradient(q, i, m));
      }

      template <typename Body>
      SALTUS_HOST_DEVICE
      void
      for_values(const Body &body) const
      {
        tables.for_volume_values(q, body);
      }

      template <typename Body>
      SALTUS_HOST_DEVICE
      void
      for_derivatives(const int i, const Body &body) const
      {
        tables.for_volume_derivatives(q, i, body);
      }
    };

    /// The same of a face.
    struct FacePoint
    {
      const Tables &tables;
      const int     point; ///< of all faces in a row

      SALTUS_HOST_DEVICE
      T
      value(const int m) const
      {
        return T(tables.face_value(point, m));
      }

      SALTUS_HOST_DEVICE
      T
      derivative(const int i, const int m) const
      {
        return T(tables.face_gradient(point, i, m));
      }

      template <typename Body>
      SALTUS_HOST_DEVICE
      void
      for_values(const Body &body) const
      {
        tables.for_face_values(point, body);
      }

      template <typename Body>
      SALTUS_HOST_DEVICE
      void
      for_derivatives(const int i, const Body &body) const
      {
        tables.for_face_derivatives(point, i, body);
      }
    };

    /// State and reference derivatives at a point.
    template <typename Point>
    SALTUS_HOST_DEVICE
    void
    interpolate(const State *coefficients, const Point &at, State &value, States &derivatives) const
    {
      value = Terms::zero();
      for (int i = 0; i < dim; ++i)
        derivatives[i] = Terms::zero();
      if constexpr (Tables::is_sparse)
        {
          at.for_values([&](const int m, const auto &of_m)
                          SALTUS_INLINE_LAMBDA { Terms::add(T(of_m), coefficients[m], value); });
          for (int i = 0; i < dim; ++i)
            at.for_derivatives(i, [&](const int m, const auto &of_m) SALTUS_INLINE_LAMBDA {
              Terms::add(T(of_m), coefficients[m], derivatives[i]);
            });
        }
      else
        for (int m = 0; m < tables.n_modes(); ++m)
          {
            Terms::add(at.value(m), coefficients[m], value);
            for (int i = 0; i < dim; ++i)
              Terms::add(at.derivative(i, m), coefficients[m], derivatives[i]);
          }
    }

    /// Add to r what is multiplied with the derivatives of the test functions at a point and, if
    /// asked for, with their values.
    template <bool with_values, typename Point>
    SALTUS_HOST_DEVICE
    void
    add_tested(const Point &at, const State &of_values, const States &of_derivatives)
    {
      if constexpr (Tables::is_sparse)
        {
          if (with_values)
            at.for_values([&](const int m, const auto &of_m)
                            SALTUS_INLINE_LAMBDA { Terms::add(T(of_m), of_values, r[m]); });
          for (int i = 0; i < dim; ++i)
            at.for_derivatives(i, [&](const int m, const auto &of_m) SALTUS_INLINE_LAMBDA {
              Terms::add(T(of_m), of_derivatives[i], r[m]);
            });
        }
      else
        for (int m = 0; m < tables.n_modes(); ++m)
          {
            if (with_values)
              Terms::add(at.value(m), of_values, r[m]);
            for (int i = 0; i < dim; ++i)
              Terms::add(at.derivative(i, m), of_derivatives[i], r[m]);
          }
    }

    /// @param map the tangent map at the point
    template <typename Map>
    SALTUS_HOST_DEVICE
    static Trace
    trace(const State &value, const States &derivatives, const Map &map)
    {
      Trace result;
      result.value = value;
      for (int i = 0; i < dim; ++i)
        {
          result.gradient.directions[i]  = map.metric(i);
          result.gradient.derivatives[i] = derivatives[i];
        }
      return result;
    }

    template <typename Point, typename Map>
    SALTUS_HOST_DEVICE
    Trace
    trace_at(const Point &at, const Map &map) const
    {
      State  value;
      States derivatives;
      interpolate(u, at, value, derivatives);
      return trace(value, derivatives, map);
    }

    SALTUS_HOST_DEVICE
    void
    add_volume()
    {
      for (int q = 0; q < tables.n_volume_points(); ++q)
        {
          const auto       &map = geometry.at_volume_point(q); // times the relative volume
          const VolumePoint point{tables, q};
          const Trace       at     = trace_at(point, map);
          const T           weight = T(-tables.volume_weight(q)) / geometry.relative_volume(q);
          const auto        medium = terms.medium(at.value, viscosity_at_volume_point(q));
          States            fluxes;
          for (int i = 0; i < dim; ++i)
            fluxes[i] = Terms::zero();
          terms.add_fluxes(medium, map, weight, at.gradient.derivatives, fluxes);
          add_tested<false>(point, State(), fluxes);
        }
    }

    SALTUS_HOST_DEVICE
    void
    add_face(const int f)
    {
      Face face = this->face(f);
      look_across(face);
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
          const FacePoint point{tables, f * tables.n_face_points() + q};
          this->at_point(face, f, q);
          Direction normal; // as long as the face's area over |det J|
          for (int d = 0; d < dim; ++d)
            normal[d] = face.length * face.normal[d];
          const auto &map     = geometry.at_face_point(f, q);
          const Trace inside  = trace_at(point, map);
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
          States  fluxes;
          terms.set_jump_fluxes(medium, map, half, of_jump, fluxes);
          normal_flux = Terms::times(weight, normal_flux);
          if constexpr (Tables::may_hang)
            if (face.hangs)
              set_given(face, q, normal_flux, fluxes);
          add_tested<true>(point, normal_flux, fluxes);
        }
    }

    /// The terms of the lanes whose face hangs, which are known: see set_hanging_gradients().
    SALTUS_HOST_DEVICE
    void
    set_given(const Face &face, const int q, State &of_values, States &of_derivatives) const
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
      State  value;
      States derivatives;
      if (is_alike)
        interpolate(u_out, FacePoint{tables, tables.point_across(seen, q)}, value, derivatives);
      else
        {
          int points[width];
          for (int l = 0; l < width; ++l)
            points[l] = tables.point_across(face.across[l], q);
          if constexpr (Tables::is_sparse)
            return trace_in_lanes<Terms, width>(arg, tables, face.neighbors, points, map);
          else if (is_matched)
            reorder(q, value, derivatives);
          else
            interpolate(u_out, LanePoint{tables, points}, value, derivatives);
        }
      return trace(value, derivatives, map);
    }

    /// FacePoint where lanes are at points of their own.
    struct LanePoint
    {
      const Tables &tables;
      const int (&points)[width];

      SALTUS_HOST_DEVICE
      T
      value(const int m) const
      {
        return in_lanes([&](const int l) { return tables.face_value(points[l], m); });
      }

      SALTUS_HOST_DEVICE
      T
      derivative(const int i, const int m) const
      {
        return in_lanes([&](const int l) { return tables.face_gradient(points[l], i, m); });
      }
    };

    /// Find what lanes have in common, but for those where all that is outside is given: then they
    /// use the same entries of tables. Where they see one face, but in orientations of their own,
    /// its points are done once, in the neighbours' order.
    SALTUS_HOST_DEVICE
    void
    look_across(const Face &face)
    {
      bool is_found = false;
      seen          = face.across[0];
      is_alike = is_matched = true;
      for (int l = 0; l < width; ++l)
        if (const FaceRecord &record = face.across[l];
            !record.at_boundary() && record.kind != FaceKind::hanging)
          {
            if (!is_found)
              seen = record;
            is_found = true;
            is_matched &= record.face == seen.face;
            is_alike &= is_matched && record.orientation == seen.orientation;
          }
      if (is_alike || !Tables::is_sparse)
        load(face.neighbors, u_out);
      is_matched &= !Tables::is_sparse && tables.n_face_points() <= most_face_points;
      if constexpr (n_across > 1)
        if (is_matched && !is_alike)
          {
            orientation = in_lanes([&](const int l) { return Number(face.across[l].orientation); });
            FaceRecord upright  = seen;
            upright.orientation = 0;
            for (int q = 0; q < tables.n_face_points(); ++q)
              interpolate(u_out,
                          FacePoint{tables, tables.point_across(upright, q)},
                          across[q].value,
                          across[q].derivatives);
          }
    }

    /// What look_across() has found at this side's point @p q.
    SALTUS_HOST_DEVICE
    void
    reorder(const int q, State &value, States &derivatives) const
    {
      FaceRecord numbers{}; // of face 0
      for (int o = 0; o < Simplex<dim>::n_orientations; ++o)
        {
          numbers.orientation = o;
          const auto here     = orientation == T(Number(o));
          if (o > 0 && !any(here))
            continue;
          const PointAcross &there = across[tables.point_across(numbers, q)];
          for (int c = 0; c < n_components; ++c)
            {
              const auto choose = [&](const T &from, T &to) {
                to = o == 0 ? from : select(here, from, to);
              };
              choose(there.value[c], value[c]);
              for (int i = 0; i < dim; ++i)
                choose(there.derivatives[i][c], derivatives[i][c]);
            }
        }
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

    SALTUS_HOST_DEVICE
    void
    store() const
    {
      for (int l = 0; l < width && this->is_used(l); ++l)
        for (int m = 0; m < tables.n_modes(); ++m)
          for (int c = 0; c < n_components; ++c)
            arg.second_order_terms[layout().index(elements[l], m, c)] = get_lane(r[m][c], l);
    }

    const SecondOrderArguments<Law, Number> &arg;
    const Terms                              terms;
    T                                        viscosity; ///< artificial, the largest in each element
    State                                    u[Tables::max_modes], r[Tables::max_modes];
    State                                    u_out[Tables::max_modes];

    /// @name Across the present face, see look_across()
    /// @{
    struct PointAcross
    {
      State  value;
      States derivatives;
    };

    /// Of the largest symmetric rule on triangles.
    static constexpr int most_face_points = Simplex<2>::n_quadrature_points(14);
    static constexpr int n_across         = Tables::is_sparse || width == 1 ? 1 : most_face_points;

    FaceRecord  seen;       ///< what the lanes have in common
    bool        is_alike;   ///< whether they see one face in one orientation,
    bool        is_matched; ///< and whether one in any, which then stands in `across`
    T           orientation;
    PointAcross across[n_across];
    /// @}
  };
} // namespace Saltus

#endif
