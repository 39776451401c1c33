// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_mixed_h
#define saltus_tests_helpers_mixed_h

#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/hp/fe_collection.h>

#include <saltus/fe/dg_element.h>
#include <saltus/mesh/curve/manifold_nodes.h>
#include <saltus/mesh/curve/mapping_by_shape.h>
#include <saltus/mesh/curve/nodal_mapping.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/operators/conservation_law/mixed_conservation_law_operator.h>

#include <helpers/random_setting.h>
#include <random>

/// Meshes that mix triangles and quadrilaterals.
namespace Saltus::Tests
{
  /// Elements of a degree for both shapes on all cells.
  template <typename Law>
  void
  distribute_mixed_dofs(DoFHandler<2> &dof_handler, const unsigned int degree)
  {
    dealii::hp::FECollection<2> elements;
    for (const auto &shape : mixed_shapes<2>())
      elements.push_back(FESystem<2>(*dg_element<2>(shape, degree), Law::n_components));
    distribute_dofs(dof_handler, elements);
  }

  /// A box of @p n by @p n cells, every third of which is two triangles.
  inline void
  make_mixed_box(Triangulation<2>  &triangulation,
                 const unsigned int n,
                 const double       distortion,
                 const Point<2>    &corner = far_corner<2>())
  {
    dealii::GridGenerator::subdivided_hyper_rectangle(
      triangulation, {n, n}, Point<2>(), corner, true);
    if (distortion > 0.)
      dealii::GridTools::distort_random(distortion, triangulation);
    GridGenerator::cut_quadrilaterals(triangulation);
  }

  inline MappingByShape<2>
  straight_mapping()
  {
    return {dealii::MappingFE<2>(dealii::FE_SimplexP<2>(1)), dealii::MappingQ<2>(1)};
  }

  /// Rings of cells with curved edges, of degree 2, at all places.
  struct Ring
  {
    explicit Ring(const unsigned int n_layers = 3, const unsigned int n_angles = 24)
    {
      Saltus::GridGenerator::annulus_quadrilaterals(triangulation, 1., 1.6, n_layers, n_angles);
      Saltus::GridGenerator::cut_quadrilaterals(triangulation);
      mapping =
        std::make_unique<MappingByShape<2>>(NodalMapping<2>(manifold_nodes(triangulation, 2)),
                                            dealii::MappingQ<2>(2));
    }

    Triangulation<2>                   triangulation;
    std::unique_ptr<MappingByShape<2>> mapping;
  };

  /// A mesh, elements and states.
  template <typename Law>
  struct MixedSetting
  {
    MixedSetting(const Triangulation<2>   &triangulation,
                 const dealii::Mapping<2> &mapping,
                 const unsigned int        degree,
                 const Law                &law = Law())
      : mapping(mapping)
      , dof_handler(triangulation)
      , law(law)
    {
      distribute_mixed_dofs<Law>(dof_handler, degree);
    }

    /// The constant state plus random modes, small enough to stay admissible.
    dealii::Vector<double>
    random_state(const double amplitude) const
    {
      std::mt19937                           generator(42);
      std::uniform_real_distribution<double> random(-1., 1.);
      const auto                             state = constant_state<Law>();
      dealii::Vector<double>                 u(dof_handler.n_dofs());
      for (const auto &cell : dof_handler.active_cell_iterators())
        {
          const auto                                  &fe = cell->get_fe();
          std::vector<dealii::types::global_dof_index> indices(fe.n_dofs_per_cell());
          const auto one = Basis<2>(fe.reference_cell(), fe.degree).constant(1.);
          cell->get_dof_indices(indices);
          for (unsigned int i = 0; i < indices.size(); ++i)
            {
              const auto [c, m] = fe.system_to_component_index(i);
              u(indices[i])     = one[m] * state[c] + amplitude * random(generator) * one[0] / 3.;
            }
        }
      return u;
    }

    const dealii::Mapping<2> &mapping;
    DoFHandler<2>             dof_handler;
    const Law                 law;
  };

  template <typename Operator>
  typename Operator::VectorType
  mixed_zeros(const Operator &op)
  {
    typename Operator::VectorType result;
    op.initialize_vector(result);
    return result;
  }

  template <typename Law, typename Number>
  dealii::Vector<double>
  mixed_residual(const MixedSetting<Law>      &setting,
                 const BoundaryConditions<2>  &conditions,
                 const dealii::Vector<double> &state,
                 const Device                  device)
  {
    MixedConservationLawOperator<2, Law, Number>                          op;
    typename MixedConservationLawOperator<2, Law, Number>::AdditionalData data;
    data.fields = fields<2, Law>();
    op.reinit(setting.mapping, setting.dof_handler, setting.law, conditions, device, data);
    auto u = mixed_zeros(op), r = mixed_zeros(op);
    op.copy_from(u, state);
    auto clock = op.make_clock();
    op.apply(clock, u, r);
    op.check_states(clock);
    dealii::Vector<double> result;
    op.copy_to(result, r);
    return result;
  }
} // namespace Saltus::Tests

#endif
