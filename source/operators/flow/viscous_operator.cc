// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/operators/elliptic/kernels/gpu_laplace.h>
#include <saltus/operators/elliptic/kernels/hanging_terms.h>
#include <saltus/operators/flow/flow_quadrature.h>
#include <saltus/operators/flow/viscous_operator.h>
#include <saltus/operators/spaces/gpu_range_kernels.h>
#include <saltus/operators/spaces/kernel_dispatch.h>

#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    bool
    register_viscous()
    {
      using Family             = SlipWallFamily<dim, double>;
      constexpr auto hypercube = ElementShape::hypercube;
      return register_gpu_laplace<dim, double, dim>() && register_gpu_ranges<Family>() &&
             register_gpu_ranges<Family, hypercube>(max_laplace_degree(dim, hypercube));
    }

    [[maybe_unused]] const bool viscous_registered = register_viscous<2>() && register_viscous<3>();
  } // namespace

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::reinit(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                                       const unsigned int                             degree,
                                       const FlowBoundaryConditions<dim>             &conditions,
                                       const Device                                   device,
                                       const AdditionalData &additional_data)
  {
    const auto of_mesh = std::make_shared<LaplaceOperator<dim, Number>>();
    of_mesh->reinit(mesh,
                    degree,
                    conditions.of_component(),
                    device,
                    component_data(additional_data.penalty_factor, linear_degree(*mesh, degree)));
    reinit(of_mesh, conditions, additional_data.reaction);
  }

  template <int dim, typename Number>
  typename LaplaceOperator<dim, Number>::AdditionalData
  ViscousOperator<dim, Number>::component_data(const double       penalty_factor,
                                               const unsigned int quadrature_degree)
  {
    typename LaplaceOperator<dim, Number>::AdditionalData result;
    result.reaction          = 1.;
    result.penalty_factor    = penalty_factor;
    result.quadrature_degree = quadrature_degree;
    return result;
  }

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::reinit(
    const std::shared_ptr<const LaplaceOperator<dim, Number>> &component,
    const FlowBoundaryConditions<dim>                         &conditions,
    const double                                               reaction)
  {
    wall_kernels        = {};
    data                = {}; // which refers to the space
    this->component     = component;
    const auto  &space  = component->element_space();
    const Device device = space.device;
    kernels.reinit(space.order.ranges, space.reference, device, "viscous");
    auto arg              = component->arguments();
    arg.reaction.constant = reaction;
    for (const ElementRange &range : space.order.ranges)
      kernels[range].prepare(arg);
    has_slip = false;
    conditions.check_mesh(*space.mesh, [&](const types::boundary_id id) { conditions.at(id); });
    kinds = on_boundary_faces(space, [&](const types::boundary_id id) {
      const FlowBoundary kind = conditions.at(id).kind;
      has_slip                = has_slip || kind == FlowBoundary::slip;
      return kind;
    });
    if (has_slip)
      wall_kernels.reinit(space.order.ranges, space.reference, device, "viscous");
    data   = {space, [&](const types::boundary_id id) { return conditions.viscous_data(id); }};
    traces = GhostExchange<Number>::shared(
      *space.mesh, component->degree(), dim, device, GhostData::values_and_gradients);
    hanging = {device, component->arguments().hanging, space.reference.n_face_points(), dim, dim};
    reaction_mass = Memory<Number>(device, space.n_padded_elements());
    set_reaction(reaction);
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
    const Number *const masses = of_component().arguments().reaction_mass; // with the reaction 1
    if (masses != nullptr)
      VectorKernels<Number>(of_component().element_space().device)
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
    auto arg              = of_component().arguments();
    arg.reaction.constant = reaction;
    arg.reaction_mass     = reaction > 0. ? reaction_mass.data() : nullptr;
    arg.u                 = src.data();
    arg.base              = base;
    arg.out               = dst.data();
    arg.hanging           = hanging.arrays(arg.hanging);
    SlipWallArguments<dim, Number> walls;
    walls.tables           = arg.tables;
    walls.stored           = arg.stored;
    walls.kinds            = kinds.data();
    walls.penalties        = arg.penalties;
    walls.u                = src.data();
    walls.out              = dst.data();
    const auto set_hanging = [&](const bool with_ghosts) {
      set_hanging_terms<dim, dim>(of_component().element_space().device, arg, with_ghosts);
    };
    of_component().element_space().for_ranges(
      *traces,
      src,
      [&]() { set_hanging(false); },
      [&](const MeshArrays<Number> &mesh, const RangeLaunch launch) {
        if (launch.after_messages)
          set_hanging(true);
        arg.mesh = walls.mesh = mesh;
        if (arg.hanging.records != nullptr)
          arg.mesh.faces = arg.hanging.records;
        if (mesh.begin == mesh.end)
          return;
        kernels[mesh].apply(arg);
        if (has_slip)
          wall_kernels[mesh].apply(walls);
      });
  }

  template <int dim, typename Number>
  void
  ViscousOperator<dim, Number>::add_boundary_data(Vector<Number> &b, const DataTimes &times) const
  {
    check(b);
    data.add(b, of_component().arguments(), times);
  }

  template class ViscousOperator<2>;
  template class ViscousOperator<3>;
} // namespace Saltus
