// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/operators/flow/viscous_operator.h>
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    EllipticBoundaryConditions<dim>
    of_one_component(const FlowBoundaryConditions<dim> &conditions)
    {
      EllipticBoundaryConditions<dim> result;
      for (const auto &[id, condition] : conditions.conditions())
        if (condition.kind == FlowBoundary::velocity)
          result.set_dirichlet(id);
        else
          result.set_neumann(id);
      for (const PeriodicBoundary &pair : conditions.periodic())
        result.set_periodic(pair.first, pair.second);
      return result;
    }
  } // namespace

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                       const unsigned int                             degree,
                                       const FlowBoundaryConditions<dim>             &conditions,
                                       const Device                                   device,
                                       const AdditionalData &additional_data)
  {
    typename LaplaceOperator<dim, Number>::AdditionalData of_component;
    of_component.reaction       = 1.;
    of_component.penalty_factor = additional_data.penalty_factor;
    component.reinit(mesh, degree, of_one_component(conditions), device, of_component);
    const auto &space = component.element_space();
    kernels = make_kernels<LaplaceKernels<dim, Number, dim>>(space.reference, device, "viscous");
    boundary_kernels =
      make_kernels<RangeKernels<ViscousBoundaryArguments<dim, Number>>>(space.reference,
                                                                        device,
                                                                        "viscous");

    has_slip = false;
    std::vector<FlowBoundary> kinds;
    for (const auto &face : space.connectivity.boundary_faces)
      {
        kinds.push_back(conditions.at(face.id).kind);
        has_slip = has_slip || kinds.back() == FlowBoundary::slip;
      }
    this->kinds = Memory<FlowBoundary>(device, kinds);
    data        = BoundaryValues<dim, Number>(space, dim, [&](const auto id) {
      return conditions.viscous_data(id);
    });
    traces =
      GhostExchange<Number>(*mesh, space.reference, dim, device, GhostData::values_and_gradients);
    reaction_mass = Memory<Number>(device, space.n_padded_elements());
    set_reaction(additional_data.reaction);
  }

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::set_reaction(const double reaction)
  {
    AssertThrow(std::isfinite(reaction) && reaction >= 0.,
                ExcMessage("The reaction of the viscous operator must be finite and not negative, "
                           "but is " +
                           std::to_string(reaction) + "."));
    this->reaction             = reaction;
    const Number *const masses = component.arguments().reaction_mass; // with the reaction 1
    if (masses != nullptr)
      vector_kernels<Number>(component.element_space().device)
        .combine(reaction_mass.size(), 0, reaction_mass.data(), reaction, masses, 0, nullptr);
  }

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    apply(dst, src, nullptr);
  }

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::vmult_add(Vector<Number> &dst, const Vector<Number> &src) const
  {
    apply(dst, src, dst.data());
  }

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::apply(Vector<Number>       &dst,
                                      const Vector<Number> &src,
                                      const Number         *base) const
  {
    AssertThrow(&src != &dst, ExcMessage("The viscous operator cannot work in place."));
    check(src);
    check(dst);
    auto arg              = component.arguments();
    arg.reaction.constant = reaction;
    arg.reaction_mass     = reaction > 0. ? reaction_mass.data() : nullptr;
    arg.u                 = src.data();
    arg.base              = base;
    arg.out               = dst.data();
    auto boundary         = boundary_arguments();
    boundary.u            = src.data();
    boundary.out          = dst.data();
    component.element_space().for_ranges(
      traces,
      src,
      []() {},
      [&](const MeshArrays<Number> &mesh, const RangeLaunch) {
        arg.mesh = boundary.mesh = mesh;
        if (mesh.begin == mesh.end)
          return;
        kernels->apply(arg);
        if (has_slip)
          boundary_kernels->apply(boundary);
      });
  }

  template <int dim, typename Number>
  ViscousBoundaryArguments<dim, Number>
  ViscousOperator<dim, Number>::boundary_arguments() const
  {
    const auto                            of_component = component.arguments();
    ViscousBoundaryArguments<dim, Number> arg;
    arg.tables    = of_component.tables;
    arg.mesh      = of_component.mesh;
    arg.kinds     = kinds.data();
    arg.penalties = of_component.penalties;
    return arg;
  }

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::add_boundary_data(Vector<Number> &b, const DataTimes &times) const
  {
    check(b);
    component.element_space().device.make_current();
    auto arg = boundary_arguments();
    arg.data = data.at(times);
    data.check_finite();
    arg.scale = -1; // the form is affine: its value at 0 belongs to the other side
    arg.out   = b.data();
    if (arg.data != nullptr && arg.mesh.begin < arg.mesh.end)
      boundary_kernels->apply(arg);
  }

  template class ViscousOperator<2>;
  template class ViscousOperator<3>;
} // namespace Saltus
