// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/flow/flow_quadrature.h>
#include <saltus/operators/flow/mixed_viscous_operator.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  template <int dim, typename Number>
  void
  MixedViscousOperator<dim, Number>::reinit(const MixedMesh<dim>              &meshes,
                                            const unsigned int                 degree,
                                            const FlowBoundaryConditions<dim> &conditions,
                                            const Device                       device,
                                            const AdditionalData              &additional_data)
  {
    unsigned int quadrature_degree = 0;
    for (const auto &mesh : meshes)
      quadrature_degree = std::max(quadrature_degree, linear_degree(*mesh, degree));
    const auto of_meshes = std::make_shared<Component>();
    of_meshes->reinit(meshes,
                      degree,
                      conditions.of_component(),
                      device,
                      ViscousOperator<dim, Number>::component_data(additional_data.penalty_factor,
                                                                   quadrature_degree));
    component = of_meshes;
    faces     = component->make_face_form(dim);

    const auto of_parts = conditions.of_parts();
    this->parts.clear();
    for (unsigned int i = 0; i < meshes.size(); ++i)
      {
        this->parts.push_back(std::make_unique<ViscousOperator<dim, Number>>());
        this->parts[i]->reinit({component, &component->part(i)},
                               of_parts,
                               additional_data.reaction);
      }
  }

  template <int dim, typename Number>
  void
  MixedViscousOperator<dim, Number>::set_reaction(const double reaction)
  {
    this->check_set_up();
    for (const auto &part : this->parts)
      part->set_reaction(reaction);
  }

  template <int dim, typename Number>
  void
  MixedViscousOperator<dim, Number>::vmult(BlockVector<Number>       &dst,
                                           const BlockVector<Number> &src) const
  {
    this->for_parts(
      [&](const auto &part, const unsigned int i) { part.vmult(dst.block(i), src.block(i)); });
    faces->add(src, 1, dst);
  }

  template <int dim, typename Number>
  void
  MixedViscousOperator<dim, Number>::vmult_add(BlockVector<Number>       &dst,
                                               const BlockVector<Number> &src) const
  {
    this->for_parts(
      [&](const auto &part, const unsigned int i) { part.vmult_add(dst.block(i), src.block(i)); });
    faces->add(src, 1, dst);
  }

  template <int dim, typename Number>
  void
  MixedViscousOperator<dim, Number>::add_boundary_data(BlockVector<Number> &b,
                                                       const DataTimes     &times) const
  {
    this->for_parts(
      [&](const auto &part, const unsigned int i) { part.add_boundary_data(b.block(i), times); });
  }

  template <int dim, typename Number>
  std::size_t
  MixedViscousOperator<dim, Number>::memory_consumption() const
  {
    std::size_t sum = faces->memory_consumption();
    for (unsigned int i = 0; i < this->n_parts(); ++i)
      sum += this->part(i).memory_consumption();
    return sum;
  }

  template class MixedViscousOperator<2>;
} // namespace Saltus
