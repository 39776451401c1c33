// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/flow_derivative.h>
#include <saltus/operators/flow/kernels/flow_element.h>
#include <saltus/operators/flow/kernels/gpu_flow.h>
#include <saltus/operators/flow/kernels/hanging_flow.h>
#include <saltus/operators/flow/kernels/rule_lines.h>
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    const auto register_flow = [](const auto family) {
      return register_gpu_flow<std::decay_t<decltype(family)>>();
    };
    [[maybe_unused]] const bool flow_registered =
      for_flow_families<2, double>(register_flow) && for_flow_families<3, double>(register_flow);

    /// Multiply-adds of sums along lines, in @p dim directions, which take a function of an element
    /// from n nodes on a line to n_q points, or back. With the points of the basis there are none.
    double
    interpolation(const int dim, const int n, const int n_q)
    {
      double result = 0;
      for (int i = 0; i < dim; ++i)
        result += power(n, dim - i) * power(n_q, i + 1);
      return n == n_q ? 0. : result;
    }

    /// Those of a product with the gradients of test functions, the last direction first.
    double
    test_of_gradients(const int dim, const int n, const int n_q)
    {
      double result = 0;
      for (int i = 0; i < dim; ++i)
        {
          const int not_derived = n == n_q ? 0 : (i == 0 ? dim - 1 : dim - i);
          result += (1 + not_derived) * power(n_q, dim - i) * power(n, i + 1);
        }
      return result;
    }
  } // namespace

  template <int dim, typename Number>
  FlowFaces<dim, Number>::FlowFaces(const std::shared_ptr<const Space> &space,
                                    const FlowBoundaryConditions<dim>  &conditions,
                                    const unsigned int                  n_components)
    : space(space)
    , kinds(on_boundary_faces(*space,
                              [&](const types::boundary_id id) { return conditions.at(id).kind; }))
    , data(*space,
           n_components,
           [&](const types::boundary_id id) {
             const auto &condition = conditions.at(id);
             const auto  with_data =
               n_components == 1 ? FlowBoundary::outflow : FlowBoundary::velocity;
             return condition.kind == with_data ? condition.data : FieldFunction<dim>();
           })
    , traces(GhostExchange<Number>::shared(*space->mesh,
                                           space->reference.degree,
                                           n_components,
                                           space->device,
                                           GhostData::values))
    , hanging(*space, 2 * dim) // a velocity and one that carries it
    , n_components(n_components)
  {
    const auto &faces      = space->connectivity.boundary_faces;
    const bool  has_inflow = n_components == dim && !data.empty();
    if (has_inflow ||
        std::any_of(faces.begin(), faces.end(), [](const auto &face) { return face.is_inside(); }))
      for (Memory<Number> &values : across)
        values = Memory<Number>(space->device,
                                faces.size() * space->reference.n_face_points() * n_components);
  }

  template <int dim, typename Number>
  StatesAcross<Number>
  FlowFaces<dim, Number>::states_across(const unsigned int i) const
  {
    StatesAcross<Number> result;
    result.data         = across[i].data();
    result.n_components = n_components;
    for (unsigned int b = 0; b < space->connectivity.boundary_faces.size(); ++b)
      result.first.push_back(static_cast<std::size_t>(b) * space->reference.n_face_points() *
                             n_components);
    return result;
  }

  template <typename Form, typename Number>
  void
  FlowDerivative<Form, Number>::reinit(const std::shared_ptr<const Faces> &faces,
                                       const Form                         &form,
                                       const std::string                  &name)
  {
    this->form         = form;
    this->name         = name;
    this->faces        = faces;
    const auto &ranges = faces->space->order.ranges;
    kernels.reinit(ranges, faces->space->reference, faces->space->device, name);
    for (const ElementRange &range : ranges)
      kernels[range].prepare({});
  }

  template <typename Form, typename Number>
  void
  FlowDerivative<Form, Number>::check(const Vector<Number> &vector,
                                      const unsigned int    n_components) const
  {
    check_layout(vector.layout(),
                 faces->space->layout(faces->space->reference.n_modes, n_components),
                 name.c_str());
  }

  template <typename Form, typename Number>
  Combination<Number>
  FlowDerivative<Form, Number>::checked(const VectorSum<Number> &sum,
                                        const unsigned int       n_components) const
  {
    for (const auto &term : sum.terms())
      check(*term.vector, n_components);
    return combination(sum, name + " operator");
  }

  template <typename Form, typename Number>
  void
  FlowDerivative<Form, Number>::apply(Vector<Number>                        &dst,
                                      const Inputs                          &inputs,
                                      const DataTimes                       &times,
                                      const FlowUpdate<Number>              &update,
                                      const CarriedData                     &carried,
                                      const InflowAcceleration<dim, Number> *inflow) const
  {
    AssertThrow(faces != nullptr,
                ExcMessage("An operator of incompressible flow is not set up: call reinit() "
                           "first."));
    const auto &space = *faces->space;
    space.device.make_current();
    check(dst, Form::n_out);
    FlowArguments<Form, Number> arg;
    arg.form         = form;
    arg.tables       = space.element_tables();
    arg.stored       = space.stored_arrays();
    arg.kinds        = faces->kinds.data();
    arg.data         = faces->data.at(times);
    arg.hanging      = faces->hanging.arrays();
    arg.given_factor = carried.factor;
    arg.base         = checked(update.base, Form::n_out);
    arg.scale        = update.scale;
    arg.times_mass   = update.times_mass;
    arg.out          = dst.data();
    arg.B            = update.B;
    if (update.accumulator != nullptr)
      {
        AssertThrow(update.accumulator != &dst,
                    ExcMessage("The accumulator of the " + name +
                               " operator must be another vector than the result."));
        check(*update.accumulator, Form::n_out);
        arg.accumulator = update.accumulator->data();
        arg.A           = update.A;
      }
    const Vector<Number> *last = nullptr; // whose ghosts travel while the interior is done
    for (int i = 0; i < Form::n_inputs; ++i)
      {
        AssertThrow(!inputs[i].terms().empty(),
                    ExcMessage("The " + name + " operator needs an input."));
        arg.across[i] = faces->values_across(i);
        arg.inputs[i] = checked(inputs[i], Form::n_components);
        for (const auto &term : inputs[i].terms())
          {
            AssertThrow(term.vector != &dst && term.vector != update.accumulator,
                        ExcMessage("The " + name + " operator cannot work in place."));
            if (term.has_ghosts)
              continue;
            if (last != nullptr)
              faces->traces->run(*last);
            last = term.vector;
          }
      }
    if constexpr (Form::n_inputs == 2)
      if (carried.acceleration != 0. && inflow != nullptr && !inflow->is_zero())
        {
          arg.kinds = inflow->kinds();
          inflow->set(carried, arg.data, faces->values_to_set(0), faces->values_to_set(1));
        }
    const auto set_hanging = [&](const bool with_ghosts) {
      set_hanging_flow(space.device,
                       DerivativeFlux<Form, Number>(arg),
                       space.order.n_elements(),
                       with_ghosts);
    };
    const auto launch = [&](const MeshArrays<Number> &mesh, const RangeLaunch range) {
      if (range.after_messages)
        set_hanging(true);
      arg.mesh   = mesh;
      arg.launch = range;
      if (!faces->hanging.empty())
        arg.mesh.faces = faces->hanging.records();
      if (mesh.begin < mesh.end)
        kernels[mesh].apply(arg);
    };
    if (last != nullptr)
      return space.for_ranges(
        *faces->traces, *last, [&]() { set_hanging(false); }, launch);
    for (const bool with_ghosts : {false, true})
      set_hanging(with_ghosts);
    space.for_all_ranges(launch);
  }

  template <typename Form, typename Number>
  double
  FlowDerivative<Form, Number>::flops() const
  {
    // A value or a test function at a point costs a multiplication and an addition for each mode,
    // of a line in turn on quadrilaterals and hexahedra.
    const auto &space     = *faces->space;
    const auto &reference = space.reference;
    if (!reference.is_simplex())
      {
        const int    n      = reference.degree + 1;
        const int    n_q    = points_on_line<dim>(space.element_tables());
        const double traces = 2. * Form::n_in + Form::n_out; // and what is tested
        return 2. * space.n_elements() *
               (Form::n_in * interpolation(dim, n, n_q) +
                Form::n_out * test_of_gradients(dim, n, n_q) +
                reference.n_faces * traces * (power(n, dim) + interpolation(dim - 1, n, n_q)));
      }
    const double volume = reference.n_volume_points() * (Form::n_in + dim * Form::n_out);
    const double of_faces =
      reference.n_faces * reference.n_face_points() * (2. * Form::n_in + Form::n_out);
    return 2. * reference.n_modes * (volume + of_faces) * space.n_elements();
  }

#define SALTUS_FLOW_DERIVATIVE(dim)                               \
  template class FlowFaces<dim, double>;                          \
  template class FlowDerivative<PressureGradient<dim>, double>;   \
  template class FlowDerivative<VelocityDivergence<dim>, double>; \
  template class FlowDerivative<Convection<dim, true>, double>;   \
  template class FlowDerivative<Convection<dim, false>, double>;
  SALTUS_FLOW_DERIVATIVE(2)
  SALTUS_FLOW_DERIVATIVE(3)
#undef SALTUS_FLOW_DERIVATIVE
} // namespace Saltus
