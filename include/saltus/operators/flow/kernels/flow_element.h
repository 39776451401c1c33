// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_flow_element_h
#define saltus_operators_flow_kernels_flow_element_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/flow/kernels/flow_launcher.h>
#include <saltus/operators/spaces/element_group.h>

namespace Saltus
{
  /// A first derivative of incompressible flow on an ElementGroup: the weak divergence \f[
  ///   -\int_K F \cdot \nabla v + \int_{\partial K} F^* \cdot n\, v \f]
  /// by quadrature, for every test function v, and the update that FlowArguments ask for. Both back
  /// ends run this code.
  ///
  /// @tparam Form see physics/incompressible_flow.h
  template <GeometryKind kind,
            typename Form,
            typename T,
            typename Number,
            int width,
            typename Tables>
  class FlowElement : ElementGroup<kind, Form::dimension, T, Number, width, Tables>
  {
    static constexpr int dim  = Form::dimension;
    static constexpr int n_in = Form::n_in, n_out = Form::n_out;

    using Group = ElementGroup<kind, dim, T, Number, width, Tables>;
    using Group::batch;
    using Group::elements;
    using Group::face_value;
    using Group::geometry;
    using Group::tables;
    using typename Group::Direction;
    using typename Group::Face;

    using Input  = Array<T, n_in>;
    using Output = Array<T, n_out>;

  public:
    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    FlowElement(const FlowArguments<Form, Number> &arg, const Tables &tables, const int first)
      : Group(arg.mesh, arg.stored, tables, first)
      , arg(arg)
    {}

    SALTUS_HOST_DEVICE
    void
    run()
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
      for (int m = 0; m < tables.n_modes(); ++m)
        {
          u[m] = mode(elements, m);
          set_zero(r[m]);
        }
      add_volume();
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int f = 0; f < tables.n_faces(); ++f)
        add_face(f);
      update();
    }

  private:
    template <int n>
    SALTUS_HOST_DEVICE
    static void
    set_zero(Array<T, n> &values)
    {
      for (int i = 0; i < n; ++i)
        values[i] = T(Number(0));
    }

    /// `to += factor x`
    template <int n>
    SALTUS_HOST_DEVICE
    static void
    add(const T &factor, const Array<T, n> &x, Array<T, n> &to)
    {
      for (int i = 0; i < n; ++i)
        to[i] = to[i] + factor * x[i];
    }

    /// The coefficients @p m of the inputs in the elements @p of.
    SALTUS_HOST_DEVICE
    Input
    mode(const int *of, const int m) const
    {
      Input result;
      for (int l = 0; l < width; ++l)
        {
          const std::size_t place =
            CoefficientLayout{tables.n_modes(), Form::n_components}.index(of[l], m);
          for (int i = 0; i < n_in; ++i)
            set_lane(result[i],
                     l,
                     arg.inputs[i / Form::n_components].at(place + i % Form::n_components));
        }
      return result;
    }

    SALTUS_HOST_DEVICE
    void
    add_volume()
    {
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int q = 0; q < tables.n_volume_points(); ++q)
        {
          Input values;
          set_zero(values);
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            add(T(tables.volume_value(q, m)), u[m], values);
          const auto &map = geometry.at_volume_point(q);
          Output      flux[dim];
          for (int i = 0; i < dim; ++i)
            {
              flux[i] = arg.form.flux(values, map.metric(i));
              for (int c = 0; c < n_out; ++c)
                flux[i][c] = T(-tables.volume_weight(q)) * flux[i][c];
            }
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int i = 0; i < dim; ++i)
              add(T(tables.volume_gradient(q, i, m)), flux[i], r[m]);
        }
    }

    SALTUS_HOST_DEVICE
    void
    add_face(const int f)
    {
      Face face = this->face(f);
      SALTUS_UNROLL_ON_DEVICE(Tables::unroll)
      for (int first = 0; first < tables.n_face_points(); first += batch)
        {
          int    points[batch];
          Input  inside[batch], outside[batch];
          Output flux[batch];
          this->set_batch(first, points);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            {
              set_zero(inside[i]);
              set_zero(outside[i]);
            }
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              SALTUS_UNROLL
              for (int i = 0; i < batch; ++i)
                add(face_value(f, points[i], m), u[m], inside[i]);
            }
          add_outside(face, points, outside);
          SALTUS_UNROLL
          for (int i = 0; i < batch; ++i)
            {
              this->at_point(face, f, points[i]);
              flux[i] = arg.form.numerical_flux(inside[i], outside[i], face.normal);
              if (face.at_boundary)
                set_boundary_flux(face, points[i], inside[i], flux[i]);
              const T weight = this->batch_weight(face, first + i, points[i]);
              for (int c = 0; c < n_out; ++c)
                flux[i][c] = weight * flux[i][c];
              if (face.hangs)
                set_given(face, first + i, points[i], flux[i]);
            }
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            {
              SALTUS_UNROLL
              for (int i = 0; i < batch; ++i)
                add(face_value(f, points[i], m), flux[i], r[m]);
            }
        }
    }

    /// The neighbours' values at @p points of a face.
    SALTUS_HOST_DEVICE
    void
    add_outside(const Face &face, const int *points, Input *values) const
    {
      this->for_modes_across(
        face,
        points,
        [&](const int m) SALTUS_INLINE_LAMBDA { return mode(face.neighbors, m); },
        [&](const int i, const T &value, const Input &across)
          SALTUS_INLINE_LAMBDA { add(value, across, values[i]); });
    }

    /// Fluxes through hanging faces, with what point @p q counts for as number @p number of the
    /// points of all batches.
    SALTUS_HOST_DEVICE
    void
    set_given(const Face &face, const int number, const int q, Output &flux) const
    {
      for (int l = 0; l < width; ++l)
        if (face.across[l].kind == FaceKind::hanging)
          {
            const Number weight =
              number < tables.n_face_points() ? tables.face_weight(q) : Number(0);
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

    SALTUS_HOST_DEVICE
    void
    update()
    {
      if constexpr (Group::Geometry::is_constant)
        {
          const T mass = arg.times_mass ? geometry.volume_factor() : T(Number(1));
          for_entries(
            [&](const int l, const int m, const int c, const std::size_t i) SALTUS_INLINE_LAMBDA {
              arg.out[i] = get_lane(mass, l) * (arg.base.at(i) + change(i, get_lane(r[m][c], l)));
            });
        }
      else
        update_stored();
    }

    /// Where the mass matrix is none of numbers. The form itself, if it is all that is wanted of
    /// the derivative, is not made of this again.
    SALTUS_HOST_DEVICE
    void
    update_stored()
    {
      const bool as_form = arg.times_mass && arg.accumulator == nullptr;
      if (!as_form)
        this->apply_inverse_mass(r);
      Output sum[Tables::max_modes];
      for (int m = 0; m < tables.n_modes(); ++m)
        set_zero(sum[m]);
      for_entries([&](const int l, const int m, const int c, const std::size_t i) {
        set_lane(sum[m][c], l, arg.base.at(i));
        set_lane(r[m][c], l, change(i, get_lane(r[m][c], l)));
      });
      const auto add_change = [&]() {
        for (int m = 0; m < tables.n_modes(); ++m)
          add(T(Number(1)), r[m], sum[m]);
      };
      if (!as_form)
        add_change();
      if (arg.times_mass)
        this->apply_mass(sum);
      if (as_form)
        add_change();
      const T mass = arg.times_mass ? geometry.volume_factor() : T(Number(1));
      for_entries([&](const int l, const int m, const int c, const std::size_t i) {
        arg.out[i] = get_lane(mass, l) * get_lane(sum[m][c], l);
      });
    }

    /// `body(l, m, c, i)` for all entries i of results in these elements.
    template <typename Body>
    SALTUS_HOST_DEVICE
    void
    for_entries(const Body &body) const
    {
      for (int l = 0; l < width && this->is_used(l); ++l)
        {
          SALTUS_UNROLL_ON_DEVICE(Tables::unroll_modes)
          for (int m = 0; m < tables.n_modes(); ++m)
            for (int c = 0; c < n_out; ++c)
              body(l, m, c, CoefficientLayout{tables.n_modes(), n_out}.index(elements[l], m) + c);
        }
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

    const FlowArguments<Form, Number> &arg;
    Input                              u[Tables::max_modes];
    Output                             r[Tables::max_modes];
  };

  /// One derivative, as RangeKernels of a back end are made of it: what they are given, the element
  /// that they run, and for which degrees.
  template <typename Form_, typename Number>
  struct FlowFamily
  {
    using Form      = Form_;
    using Arguments = FlowArguments<Form, Number>;

    template <GeometryKind kind, typename T, int width, typename Tables>
    using Element = FlowElement<kind, Form, T, Number, width, Tables>;

    static constexpr int dim = Form::dimension, max_degree = max_flow_degree(dim),
                         max_hypercube_degree = max_flow_degree(dim, ElementShape::hypercube);
    static constexpr const char *name         = "operators of incompressible flow";
  };

  /// @p enrol(FlowFamily) for all derivatives.
  template <int dim, typename Number, typename Enrol>
  bool
  for_flow_families(const Enrol &enrol)
  {
    return enrol(FlowFamily<PressureGradient<dim>, Number>()) &&
           enrol(FlowFamily<VelocityDivergence<dim>, Number>()) &&
           enrol(FlowFamily<Convection<dim, true>, Number>()) &&
           enrol(FlowFamily<Convection<dim, false>, Number>());
  }
} // namespace Saltus

#endif
