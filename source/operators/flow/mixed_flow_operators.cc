// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/mixed_flow_operators.h>
#include <saltus/operators/spaces/step_size.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim, typename Number>
  void
  MixedFlowOperators<dim, Number>::reinit(const MixedMesh<dim>              &meshes,
                                          const DoFHandler<dim>             &velocity,
                                          const DoFHandler<dim>             &pressure,
                                          const FlowBoundaryConditions<dim> &conditions,
                                          const Device                       device,
                                          const AdditionalData              &additional_data)
  {
    const FlowBoundaryConditions<dim> of_parts = conditions.of_parts();
    this->parts.clear();
    for (const auto &mesh : meshes)
      {
        this->parts.push_back(std::make_unique<Part>());
        this->parts.back()->reinit(mesh, velocity, pressure, of_parts, device, additional_data);
      }
    pressures = make_interface(
      meshes,
      0,
      [](const Part &part) -> const auto & { return part.gradient_.used_faces(); },
      [](const Part &part) { return part.pressure.get(); });
    velocities = make_interface(
      meshes,
      0,
      [](const Part &part) -> const auto & { return part.divergence_.used_faces(); },
      [](const Part &part) { return part.scalar.get(); });
    const auto make_of_transport = [&](const unsigned int i) {
      return make_interface(
        meshes,
        i,
        [](const Part &part) -> const auto & { return part.transport_.used_faces(); },
        [](const Part &part) { return part.velocity.get(); });
    };
    carried  = make_of_transport(0);
    carriers = make_of_transport(1);
  }

  template <int dim, typename Number>
  template <typename Faces, typename Space>
  typename MixedFlowOperators<dim, Number>::Interface
  MixedFlowOperators<dim, Number>::make_interface(const MixedMesh<dim> &meshes,
                                                  const unsigned int    i,
                                                  const Faces          &faces,
                                                  const Space          &space) const
  {
    typename MixedInterface<dim, Number>::Spaces spaces;
    std::vector<StatesAcross<Number>>            across;
    for (const auto &part : this->parts)
      {
        spaces.push_back(space(*part));
        across.push_back(faces(*part).states_across(i));
      }
    return std::make_unique<const MixedInterface<dim, Number>>(meshes, spaces, across);
  }

  template <int dim, typename Number>
  void
  MixedFlowOperators<dim, Number>::tell(const Interface &interface, const Sum &values) const
  {
    this->check_set_up();
    interface->set_states(values);
  }

  template <int dim, typename Number>
  void
  MixedFlowOperators<dim, Number>::gradient(VectorType      &dst,
                                            const Sum       &p,
                                            const DataTimes &times,
                                            const Update    &update) const
  {
    tell(pressures, p);
    this->for_parts([&](const Part &part, const unsigned int i) {
      part.gradient(dst.block(i), block_of(p, i), times, block_of(update, i));
    });
  }

  template <int dim, typename Number>
  void
  MixedFlowOperators<dim, Number>::divergence(VectorType      &dst,
                                              const Sum       &u,
                                              const DataTimes &times,
                                              const Update    &update) const
  {
    tell(velocities, u);
    this->for_parts([&](const Part &part, const unsigned int i) {
      part.divergence(dst.block(i), block_of(u, i), times, block_of(update, i));
    });
  }

  template <int dim, typename Number>
  void
  MixedFlowOperators<dim, Number>::convection(VectorType      &dst,
                                              const Sum       &u,
                                              const DataTimes &times,
                                              const Update    &update) const
  {
    tell(carried, u);
    this->for_parts([&](const Part &part, const unsigned int i) {
      part.convection(dst.block(i), block_of(u, i), times, block_of(update, i));
    });
  }

  template <int dim, typename Number>
  void
  MixedFlowOperators<dim, Number>::transport(VectorType        &dst,
                                             const Sum         &u,
                                             const Sum         &w,
                                             const DataTimes   &times,
                                             const Update      &update,
                                             const CarriedData &carried_data) const
  {
    tell(carried, u);
    tell(carriers, w);
    this->for_parts([&](const Part &part, const unsigned int i) {
      part.transport(
        dst.block(i), block_of(u, i), block_of(w, i), times, block_of(update, i), carried_data);
    });
  }

  template <int dim, typename Number>
  void
  MixedFlowOperators<dim, Number>::update_inflow(const double time, const double dt) const
  {
    this->for_parts([&](const Part &part, const unsigned int) { part.update_inflow(time, dt); });
  }

  template <int dim, typename Number>
  double
  MixedFlowOperators<dim, Number>::convection_rate(const VectorType &u) const
  {
    double rate = 0.;
    this->for_parts([&](const Part &part, const unsigned int i) {
      rate = larger_or_nan(rate, part.convection_rate(u.block(i)));
    });
    return rate;
  }

  template <int dim, typename Number>
  typename MixedFlowOperators<dim, Number>::OutflowRates
  MixedFlowOperators<dim, Number>::outflow_rates(const VectorType &u) const
  {
    OutflowRates sum{0., 0.};
    this->for_parts([&](const Part &part, const unsigned int i) {
      const OutflowRates more = part.outflow_rates(u.block(i));
      sum.out += more.out;
      sum.in += more.in;
    });
    return sum;
  }

  template <int dim, typename Number>
  void
  MixedFlowOperators<dim, Number>::update_velocity_ghosts(const VectorType &u) const
  {
    this->for_parts(
      [&](const Part &part, const unsigned int i) { part.update_velocity_ghosts(u.block(i)); });
  }

  template <int dim, typename Number>
  std::size_t
  MixedFlowOperators<dim, Number>::memory_consumption() const
  {
    std::size_t sum = 0;
    this->for_parts(
      [&](const Part &part, const unsigned int) { sum += part.memory_consumption(); });
    return sum;
  }

  template class MixedFlowOperators<2>;
} // namespace Saltus
