// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_mixed_flow_h
#define saltus_tests_helpers_mixed_flow_h

#include <saltus/operators/flow/mixed_flow_operators.h>

#include <helpers/flow_setting.h>
#include <helpers/mixed.h>

namespace Saltus::Tests
{
  /// FlowSpaces on a mesh that mixes shapes.
  struct MixedFlowSetting : public FlowDoFs<2>
  {
    /// The point of a cell's reference cell, by deal.II.
    struct InverseMap
    {
      explicit InverseMap(const dealii::Mapping<2> &mapping)
        : mapping(mapping)
      {}

      Point<2>
      operator()(const Triangulation<2>::active_cell_iterator &cell, const Point<2> &x) const
      {
        return mapping.transform_real_to_unit_cell(cell, x);
      }

      const dealii::Mapping<2> &mapping;
    };

    /// @param pressure_degree that of the velocity, or one less
    MixedFlowSetting(const Triangulation<2>   &triangulation,
                     const dealii::Mapping<2> &mapping,
                     const unsigned int        degree,
                     const unsigned int        pressure_degree)
      : FlowDoFs<2>(triangulation)
      , triangulation(triangulation)
      , mapping(mapping)
    {
      dealii::hp::FECollection<2> velocities, pressures;
      for (const auto &shape : mixed_shapes<2>())
        {
          velocities.push_back(FESystem<2>(*dg_element<2>(shape, degree), 2));
          pressures.push_back(*dg_element<2>(shape, pressure_degree));
        }
      distribute_dofs(velocity, velocities);
      distribute_dofs(pressure, pressures);
    }

    MixedFlowSetting(const Triangulation<2>   &triangulation,
                     const dealii::Mapping<2> &mapping,
                     const unsigned int        degree)
      : MixedFlowSetting(triangulation, mapping, degree, degree)
    {}

    unsigned int
    degree() const
    {
      return velocity.get_fe(0).degree;
    }

    MixedMesh<2>
    meshes(const std::vector<PeriodicBoundary> &periodic = {}) const
    {
      return make_mixed_mesh(mapping, triangulation, periodic);
    }

    const Triangulation<2>   &triangulation;
    const dealii::Mapping<2> &mapping;
  };

  inline MixedFlowOperators<2>
  make_mixed_flow(const MixedFlowSetting          &setting,
                  const FlowBoundaryConditions<2> &conditions,
                  const Device                     device,
                  const double                     backflow_stabilization = 0.)
  {
    MixedFlowOperators<2> flow;
    flow.reinit(setting.meshes(conditions.periodic()),
                setting.velocity,
                setting.pressure,
                conditions,
                device,
                {0, backflow_stabilization});
    return flow;
  }

  /// The spaces of velocities or pressures, shape by shape, as one.
  class BlockSpaces
  {
  public:
    BlockSpaces(const MixedFlowOperators<2> &flow, const bool of_velocity)
    {
      for (unsigned int i = 0; i < flow.n_parts(); ++i)
        parts.push_back(of_velocity ? &flow.part(i).velocity_space()
                                    : &flow.part(i).pressure_space());
    }

    BlockVector<double>
    copied(const dealii::Vector<double> &from) const
    {
      std::vector<Saltus::Vector<double>> blocks;
      for (const auto *space : parts)
        blocks.push_back(Tests::copied(*space, from));
      return BlockVector<double>(std::move(blocks));
    }

    dealii::Vector<double>
    to_dealii(const BlockVector<double> &from) const
    {
      dealii::Vector<double> result;
      for (unsigned int i = 0; i < parts.size(); ++i)
        parts[i]->copy_to(result, from.block(i));
      return result;
    }

  private:
    std::vector<const ElementSpace<2, double> *> parts;
  };
} // namespace Saltus::Tests

#endif
