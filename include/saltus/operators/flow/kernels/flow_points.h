// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_flow_points_h
#define saltus_operators_flow_kernels_flow_points_h

#include <saltus/operators/flow/kernels/flow_launcher.h>
#include <saltus/operators/spaces/element_group.h>

namespace Saltus
{
  /// What a first derivative of incompressible flow is at the points of an ElementGroup, and what
  /// becomes of it, see FlowArguments; how functions are evaluated and tested is left to those who
  /// derive. With StabilizationPoints, such a class has
  /// - `n_in` numbers of a function at a point, of which inputs have `n_components` each, and
  ///   `n_out` of a flux;
  /// - `for_terms(i, body)`: `body(factor, vector)` for what number i of a function is the sum of;
  /// - `set_fluxes(q, weight, ...)` at a point of the volume, multiplied with gradients of test
  ///   functions, as the metric has it: one flux for each reference direction;
  /// - `face(f)` and `face_flux(face, f, q, weight, inside, outside)`, multiplied with test
  ///   functions, both over the element's `volume_factor()`;
  /// - `base(i)`, `change(i, r)`, `as_form()` and `times_mass()`: results are
  ///   \f$ M (b + \delta(M^{-1} r)) \f$, as a form \f$ M b + \delta(r) \f$, both without the first
  ///   mass matrix if it is not asked for.
  ///
  /// @tparam Form see physics/incompressible_flow.h
  template <GeometryKind kind,
            typename Form_,
            typename T_,
            typename Number_,
            int width_,
            typename Tables_>
  class FlowPoints : protected ElementGroup<kind, Form_::dimension, T_, Number_, width_, Tables_>
  {
  public:
    using Form   = Form_;
    using T      = T_;
    using Number = Number_;
    using Tables = Tables_;

    using Arguments = FlowArguments<Form, Number>;

    static constexpr int dim = Form::dimension, width = width_;
    static constexpr int n_in = Form::n_in, n_out = Form::n_out, n_inputs = Form::n_inputs,
                         n_components    = Form::n_components;
    static constexpr bool has_divergence = false; ///< whether fluxes are made of derivatives

  protected:
    using Group = ElementGroup<kind, dim, T, Number, width, Tables>;
    using Group::elements;
    using Group::geometry;
    using Group::tables;
    using typename Group::Face;
    using typename Group::Geometry;

    using Input  = Array<T, n_in>;
    using Output = Array<T, n_out>;

    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    FlowPoints(const Arguments &arg, const Tables &tables, const int first)
      : Group(arg.mesh, arg.stored, tables, first)
      , arg(arg)
    {}

    /// Whether there are fluxes in the volume, and through faces.
    SALTUS_HOST_DEVICE
    bool
    has_volume() const
    {
      return true;
    }

    SALTUS_HOST_DEVICE
    bool
    has_faces() const
    {
      return true;
    }

    /// `body(factor, vector)` for the terms of input @p i.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_terms(const int i, const Body &body) const
    {
      for (int term = 0; term < arg.inputs[i].n_terms; ++term)
        body(arg.inputs[i].factors[term], arg.inputs[i].vectors[term]);
    }

    SALTUS_HOST_DEVICE
    void
    set_fluxes(const int q, const T &weight, const Input &values, Output (&flux)[dim]) const
    {
      const auto &map = geometry.at_volume_point(q);
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        {
          flux[i] = arg.form.flux(values, map.metric(i));
          for (int c = 0; c < n_out; ++c)
            flux[i][c] = -weight * flux[i][c];
        }
    }

    /// @param face comes to the point
    /// @param weight of the point; 0: it is a stand-in for none
    SALTUS_HOST_DEVICE
    Output
    face_flux(Face         &face,
              const int     f,
              const int     q,
              const Number &weight,
              const Input  &inside,
              const Input  &outside) const
    {
      this->at_point(face, f, q);
      Output flux = arg.form.numerical_flux(inside, outside, face.normal);
      if (face.at_boundary)
        set_boundary_flux(face, q, inside, flux);
      const T factor = T(weight) * face.length;
      for (int c = 0; c < n_out; ++c)
        flux[c] = factor * flux[c];
      if (face.hangs)
        set_given(face, q, weight, flux);
      return flux;
    }

    SALTUS_HOST_DEVICE
    bool
    times_mass() const
    {
      return arg.times_mass;
    }

    /// The form itself, if it is all that is wanted of the derivative, is not made of this again.
    SALTUS_HOST_DEVICE
    bool
    as_form() const
    {
      return arg.times_mass && arg.accumulator == nullptr;
    }

    SALTUS_HOST_DEVICE
    Number
    base(const std::size_t i) const
    {
      return arg.base.at(i);
    }

    /// `B s` at the entry @p i of results, for the derivative @p r there.
    SALTUS_HOST_DEVICE
    Number
    change(const std::size_t i, const Number r) const
    {
      Number s = arg.scale * r;
      if (arg.accumulator != nullptr)
        {
          if (arg.A != 0)
            s += arg.A * arg.accumulator[i];
          arg.accumulator[i] = s;
        }
      return arg.B * s;
    }

    const Arguments &arg;

  private:
    /// Fluxes through hanging faces.
    SALTUS_HOST_DEVICE
    void
    set_given(const Face &face, const int q, const Number weight, Output &flux) const
    {
      for (int l = 0; l < width; ++l)
        if (face.across[l].kind == FaceKind::hanging)
          {
            const std::size_t point =
              static_cast<std::size_t>(face.across[l].neighbor) * tables.n_face_points() + q;
            for (int c = 0; c < n_out; ++c)
              set_lane(flux[c], l, weight * arg.hanging.fluxes[point * n_out + c]);
          }
    }

    SALTUS_HOST_DEVICE
    void
    set_boundary_flux(const Face &face, const int q, const Input &inside, Output &flux) const
    {
      for (int l = 0; l < width; ++l)
        if (const int b = face.across[l].boundary_face(); b >= 0)
          {
            Array<Number, n_in> values;
            Array<Number, dim>  normal;
            for (int i = 0; i < n_in; ++i)
              values[i] = get_lane(inside[i], l);
            for (int d = 0; d < dim; ++d)
              normal[d] = get_lane(face.normal[d], l);
            const auto given = arg.given(b, q, tables.n_face_points());
            const auto here  = arg.form.boundary_flux(arg.kinds[b], values, given, normal);
            for (int c = 0; c < n_out; ++c)
              set_lane(flux[c], l, here[c]);
          }
    }
  };
} // namespace Saltus

#endif
