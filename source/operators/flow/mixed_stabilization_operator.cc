// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/flow/kernels/mixed_jumps.h>
#include <saltus/operators/flow/mixed_stabilization_operator.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim, typename Number>
  typename MixedStabilizationOperator<dim, Number>::Jumps
  MixedStabilizationOperator<dim, Number>::make_jumps(const ElementSpace<dim, Number> &space)
  {
    const ElementMetrics<dim>  metrics(space.reference, space.geometry, MetricForm::cross_product);
    const unsigned int         nf    = space.reference.n_face_points();
    const auto                &faces = space.connectivity.boundary_faces;
    std::vector<MixedFaceSide> sides;
    std::vector<Number>        unit_normals;
    for (unsigned int b = 0; b < faces.size(); ++b)
      if (faces[b].is_inside())
        {
          const auto    normals = metrics.normals(faces[b].element);
          MixedFaceSide side;
          side.boundary_face = b;
          side.element       = faces[b].element;
          side.face          = faces[b].face;
          for (unsigned int q = 0; q < nf; ++q)
            {
              const Tensor<1, dim> &normal = normals[side.face * nf + q];
              const double          length = normal.norm();
              side.weights.push_back(space.reference.face_weights[q] * length *
                                     space.geometry.volume_factors[side.element]);
              for (unsigned int d = 0; d < dim; ++d)
                unit_normals.push_back(normal[d] / length);
            }
          sides.push_back(std::move(side));
        }
    return {{space, sides, dim, dim + 1}, {space.device, unit_normals}};
  }

  template <int dim, typename Number>
  void
  MixedStabilizationOperator<dim, Number>::reinit(const MixedMesh<dim> &meshes,
                                                  const unsigned int    degree,
                                                  const Device          device,
                                                  const AdditionalData &additional_data)
  {
    this->parts.clear();
    jumps.clear();
    jump_factor = 0;
    std::vector<StatesAcross<Number>>            across;
    typename MixedInterface<dim, Number>::Spaces spaces;
    for (const auto &mesh : meshes)
      {
        this->parts.push_back(std::make_unique<StabilizationOperator<dim, Number>>());
        StabilizationOperator<dim, Number> &part = *this->parts.back();
        part.reinit(mesh, degree, device, additional_data);
        jumps.push_back(make_jumps(*part.space));
        spaces.push_back(part.space.get());
        across.push_back(jumps.back().lists.states_across());
        across.back().of_elements = part.speeds.data();
      }
    interface = std::make_unique<const MixedInterface<dim, Number>>(meshes, spaces, across);
  }

  template <int dim, typename Number>
  void
  MixedStabilizationOperator<dim, Number>::set_penalties(const BlockVector<Number> &w,
                                                         const double               dt)
  {
    this->check_set_up();
    for (unsigned int i = 0; i < this->n_parts(); ++i)
      this->parts[i]->set_penalties(w.block(i), dt);
    jump_factor = dt * this->part(0).data.continuity;
  }

  template <int dim, typename Number>
  void
  MixedStabilizationOperator<dim, Number>::vmult(BlockVector<Number>       &dst,
                                                 const BlockVector<Number> &src) const
  {
    this->for_parts(
      [&](const auto &part, const unsigned int i) { part.vmult(dst.block(i), src.block(i)); });
    if (jump_factor == 0)
      return;
    interface->set_states(src);
    for (unsigned int i = 0; i < this->n_parts(); ++i)
      {
        const auto faces = jumps[i].lists.arrays(src.block(i));
        jumps[i].lists.add(MixedJumpPoints<dim, Number>{faces,
                                                        jumps[i].normals.data(),
                                                        this->part(i).speeds.data(),
                                                        jump_factor,
                                                        src.block(i).data()},
                           1,
                           faces,
                           1,
                           dst.block(i));
      }
  }

  template <int dim, typename Number>
  void
  MixedStabilizationOperator<dim, Number>::mass_vmult(BlockVector<Number>       &dst,
                                                      const BlockVector<Number> &src) const
  {
    this->for_parts(
      [&](const auto &part, const unsigned int i) { part.mass_vmult(dst.block(i), src.block(i)); });
  }

  template <int dim, typename Number>
  std::size_t
  MixedStabilizationOperator<dim, Number>::memory_consumption() const
  {
    std::size_t sum = 0;
    for (unsigned int i = 0; i < this->n_parts(); ++i)
      sum += this->part(i).memory_consumption() + jumps[i].lists.memory_consumption() +
             jumps[i].normals.size() * sizeof(Number);
    return sum;
  }

  template class MixedStabilizationOperator<2>;
} // namespace Saltus
