// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_mixed_flow_fields_h
#define saltus_operators_flow_mixed_flow_fields_h

#include <saltus/mesh/mixed_mesh.h>
#include <saltus/operators/flow/flow_fields.h>
#include <saltus/operators/flow/parts_of_shapes.h>

#include <cmath>
#include <memory>

namespace Saltus
{
  /// FlowFields on meshes that mix triangles and quadrilaterals, shape by shape.
  template <int dim>
  class MixedFlowFields : public PartsOfShapes<FlowFields<dim>>
  {
  public:
    using Part       = FlowFields<dim>;
    using VectorType = BlockVector<double>;

    static constexpr unsigned int n_components = Part::n_components;

    /// @param discretization DoFHandler of a collection of elements, or a degree
    template <typename Discretization>
    MixedFlowFields(const MixedMesh<dim> &meshes,
                    const Discretization &discretization,
                    const Device          device)
    {
      for (const auto &mesh : meshes)
        this->parts.push_back(std::make_unique<Part>(mesh, discretization, device));
    }

    VectorType
    make_vector() const
    {
      return this->make_blocks([](const Part &part) { return part.make_vector(); });
    }

    void
    evaluate(VectorType &fields, const VectorType &velocity, const VectorType &pressure) const
    {
      this->for_parts([&](const Part &part, const unsigned int i) {
        part.evaluate(fields.block(i), velocity.block(i), pressure.block(i));
      });
    }

    FlowIntegrals
    integrals(const VectorType &fields) const
    {
      FlowIntegrals sum{0., 0., 0.};
      this->for_parts([&](const Part &part, const unsigned int i) {
        const FlowIntegrals more = part.integrals(fields.block(i));
        sum.kinetic_energy += more.kinetic_energy;
        sum.enstrophy += more.enstrophy;
        sum.divergence_norm = std::hypot(sum.divergence_norm, more.divergence_norm);
      });
      return sum;
    }

    template <typename OfDealii>
    void
    copy_to(OfDealii &to, const VectorType &fields) const
    {
      this->for_parts(
        [&](const Part &part, const unsigned int i) { part.copy_to(to, fields.block(i)); });
    }
  };
} // namespace Saltus

#endif
