// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_flow_element_h
#define saltus_operators_flow_kernels_flow_element_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/flow/kernels/flow_points.h>

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
  class FlowElement : FlowPoints<kind, Form, T, Number, width, Tables>
  {
    using Points = FlowPoints<kind, Form, T, Number, width, Tables>;
    using Group  = typename Points::Group;
    using Group::batch;
    using Group::elements;
    using Group::face_value;
    using Group::geometry;
    using Group::tables;
    using Points::arg;
    using Points::dim;
    using Points::n_in;
    using Points::n_out;
    using typename Group::Face;
    using typename Points::Input;
    using typename Points::Output;

  public:
    /// Elements from @p first on.
    SALTUS_HOST_DEVICE
    FlowElement(const FlowArguments<Form, Number> &arg, const Tables &tables, const int first)
      : Points(arg, tables, first)
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
          Output flux[dim];
          this->set_fluxes(q, T(tables.volume_weight(q)), values, flux);
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
              const Number weight =
                first + i < tables.n_face_points() ? tables.face_weight(points[i]) : Number(0);
              flux[i] = this->face_flux(face, f, points[i], weight, inside[i], outside[i]);
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

    SALTUS_HOST_DEVICE
    void
    update()
    {
      if constexpr (Group::Geometry::is_constant)
        {
          const T mass = arg.times_mass ? geometry.volume_factor() : T(Number(1));
          for_entries([&](const int l, const int m, const int c, const std::size_t i)
                        SALTUS_INLINE_LAMBDA {
                          arg.out[i] = get_lane(mass, l) *
                                       (this->base(i) + this->change(i, get_lane(r[m][c], l)));
                        });
        }
      else
        update_stored();
    }

    /// Where the mass matrix is none of numbers.
    SALTUS_HOST_DEVICE
    void
    update_stored()
    {
      const bool as_form = this->as_form();
      if (!as_form)
        this->apply_inverse_mass(r);
      Output sum[Tables::max_modes];
      for (int m = 0; m < tables.n_modes(); ++m)
        set_zero(sum[m]);
      for_entries([&](const int l, const int m, const int c, const std::size_t i) {
        set_lane(sum[m][c], l, this->base(i));
        set_lane(r[m][c], l, this->change(i, get_lane(r[m][c], l)));
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
              body(l, m, c, CoefficientLayout{tables.n_modes(), n_out}.index(elements[l], m, c));
        }
    }

    Input  u[Tables::max_modes];
    Output r[Tables::max_modes];
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
    template <GeometryKind kind, typename T, int width, typename Tables>
    using Points = FlowPoints<kind, Form, T, Number, width, Tables>;

    static constexpr int dim = Form::dimension, order = Form::order,
                         max_degree           = max_flow_degree(dim),
                         max_hypercube_degree = max_flow_degree(dim, ElementShape::hypercube);
    static constexpr const char *warp         = "Saltus::CudaKernels::FlowWarp"; ///< of GPUs
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
