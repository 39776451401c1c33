// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The right-hand side against an assembly with deal.II, and its properties.
#include <saltus/mesh/make/round_surface.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>

#include <algorithm>
#include <helpers/assembly.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// With sanitizers all takes a hundred times as long; low degrees have all of the code.
#ifdef DEBUG
  constexpr unsigned int highest_degree = 2;
#else
  constexpr unsigned int highest_degree = 5;
#endif

  /// All degrees up to @p max_degree.
  template <int dim, typename Law>
  void
  compare_degrees(const unsigned int max_degree, const Device device, const Law &law = Law())
  {
    for (unsigned int degree = 0; degree <= std::min(max_degree, highest_degree); ++degree)
      compare_with_assembly(Setting<dim, Law>(degree, law), device);
  }
} // namespace

using ConservationLawTest = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(ConservationLawTest)

TEST_P(ConservationLawTest, EulerTrianglesHllc)
{
  compare_degrees<2, Euler<2>>(5, device());
}

TEST_P(ConservationLawTest, EulerTrianglesLaxFriedrichs)
{
  compare_degrees<2, Euler<2>>(3, device(), euler<2>(RiemannSolver::lax_friedrichs));
}

TEST_P(ConservationLawTest, EulerTrianglesHybrid)
{
  compare_degrees<2, Euler<2>>(3, device(), euler<2>(RiemannSolver::hybrid));
}

TEST_P(ConservationLawTest, EulerTetrahedraHllc)
{
  compare_degrees<3, Euler<3>>(4, device());
}

TEST_P(ConservationLawTest, EulerTetrahedraLaxFriedrichs)
{
  compare_degrees<3, Euler<3>>(1, device(), euler<3>(RiemannSolver::lax_friedrichs));
}

TEST_P(ConservationLawTest, EulerTetrahedraHybrid)
{
  compare_degrees<3, Euler<3>>(1, device(), euler<3>(RiemannSolver::hybrid));
}

TEST_P(ConservationLawTest, EulerInletAndOutlet)
{
  for (unsigned int degree = 0; degree <= 3; ++degree)
    compare_with_assembly(Setting<2, Euler<2>>(degree), device(), 0, inlet_and_outlet<2>());
  compare_with_assembly(Setting<3, Euler<3>>(1), device(), 0, inlet_and_outlet<3>());
}

TEST_P(ConservationLawTest, AdvectionTriangles)
{
  compare_degrees<2, Advection<2>>(5, device());
}

TEST_P(ConservationLawTest, AdvectionTetrahedra)
{
  compare_degrees<3, Advection<3>>(4, device());
}

/// Degrees whose numbers of modes and points kernels learn when the program runs.
TEST(ConservationLawOnCpu, HigherDegrees)
{
  compare_with_assembly(Setting<2, Euler<2>>(6), Device::cpu());
  compare_with_assembly(Setting<2, Advection<2>>(7), Device::cpu());
#ifndef DEBUG // of these the assembly takes minutes with deal.II's assertions
  compare_with_assembly(Setting<3, Euler<3>>(5), Device::cpu());
  compare_with_assembly(Setting<3, Euler<3>>(6), Device::cpu());
#endif
}

/// The CUDA kernels know only the default numbers of points at compile time.
TEST_P(ConservationLawTest, MoreQuadraturePoints)
{
  for (unsigned int degree = 0; degree <= 3; ++degree)
    {
      compare_with_assembly(Setting<2, Euler<2>>(degree), device(), 2);
      compare_with_assembly(Setting<2, Advection<2>>(degree), device(), 1);
    }
  compare_with_assembly(Setting<3, Euler<3>>(1), device(), 1);
}

namespace
{
  /// Integrals, norms and means of the components of a random state, by deal.II.
  template <typename Number, int dim>
  void
  compare_statistics(const Setting<dim, Euler<dim>> &setting,
                     const Device                    device,
                     const double                    tolerance)
  {
    constexpr unsigned int                           n_components = dim + 2;
    const auto                                       state        = setting.random_state(0.3);
    ConservationLawOperator<dim, Euler<dim>, Number> op;
    op.reinit(setting.mesh(),
              setting.dof_handler,
              setting.law,
              all_conditions<dim, Euler<dim>>(),
              device,
              {});
    auto u = copied(op, state);

    const QGaussSimplex<dim>            quadrature(setting.dof_handler.get_fe().degree + 1);
    FEValues<dim>                       fe_values(setting.mapping,
                            setting.dof_handler.get_fe(),
                            quadrature,
                            update_values | update_JxW_values);
    std::vector<dealii::Vector<double>> values(quadrature.size(),
                                               dealii::Vector<double>(n_components));
    std::vector<double>                 integrals(n_components), squares(n_components),
      minima(n_components, std::numeric_limits<double>::max()),
      maxima(n_components, std::numeric_limits<double>::lowest());
    for (const auto &cell : setting.dof_handler.active_cell_iterators())
      {
        fe_values.reinit(cell);
        fe_values.get_function_values(state, values);
        for (unsigned int c = 0; c < n_components; ++c)
          {
            double integral = 0, volume = 0;
            for (unsigned int q = 0; q < quadrature.size(); ++q)
              {
                volume += fe_values.JxW(q);
                integral += values[q](c) * fe_values.JxW(q);
                squares[c] += values[q](c) * values[q](c) * fe_values.JxW(q);
              }
            integrals[c] += integral;
            minima[c] = std::min(minima[c], integral / volume);
            maxima[c] = std::max(maxima[c], integral / volume);
          }
      }

    const StateStatistics statistics = op.statistics(u);
    for (unsigned int c = 0; c < n_components; ++c)
      {
        EXPECT_NEAR(statistics.integrals[c], integrals[c], tolerance);
        EXPECT_NEAR(statistics.norms[c], std::sqrt(squares[c]), tolerance);
        EXPECT_NEAR(statistics.minima[c], minima[c], tolerance);
        EXPECT_NEAR(statistics.maxima[c], maxima[c], tolerance);
      }
  }
} // namespace

/// Degree 2, which a rule of degree 5 integrates squared, and vectors of both layouts.
TEST_P(ConservationLawTest, Statistics)
{
  compare_statistics<double>(Setting<2, Euler<2>>(2), device(), 1e-13);
  compare_statistics<double>(Setting<3, Euler<3>>(2), device(), 1e-13);
  compare_statistics<float>(Setting<3, Euler<3>>(1), device(), 1e-6);
}

namespace
{
  /// Elements that are declared another kind, and served by the general kernel, change nothing.
  template <int dim, typename Law>
  void
  compare_kinds(const unsigned int max_degree, const Device device, const bool matched)
  {
    for (unsigned int degree = 0; degree <= std::min(max_degree, highest_degree); ++degree)
      {
        SCOPED_TRACE("degree " + std::to_string(degree));
        const Setting<dim, Law> setting(degree, Law(), dim == 2 ? 9 : 4);
        const auto              state    = setting.random_state(0.05);
        const auto              residual = [&](const typename ElementOrder<dim>::Kinds &kinds) {
          return Tests::residual<dim, Law, double>(setting,
                                                   all_conditions<dim, Law>(),
                                                   state,
                                                   device,
                                                   0,
                                                   matched ? max_matching_rounds : 0,
                                                   kinds);
        };
        EXPECT_LT(relative_difference(residual(some_are_stored<dim>), residual({})), 1e-13);
        EXPECT_LT(relative_difference(residual(all_are_stored<dim>), residual({})), 1e-13);
      }
  }
} // namespace

TEST_P(ConservationLawTest, RangesOfTwoKinds)
{
  compare_kinds<2, Euler<2>>(5, device(), true);
  compare_kinds<2, Advection<2>>(2, device(), false);
  compare_kinds<3, Euler<3>>(3, device(), true);
}

TEST(ConservationLawOnCpu, RangesOfABlockAreOfItsMostGeneralElement)
{
  const Setting<2, Euler<2>> setting(1, Euler<2>(), 9);
  const auto                 mesh     = setting.mesh({}, max_matching_rounds, some_are_stored<2>);
  const auto                &ranges   = mesh->order.ranges;
  unsigned int               n_affine = 0;
  for (const auto &cell : mesh->order.cells)
    n_affine += some_are_stored<2>(cell) == GeometryKind::affine;
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].kind, GeometryKind::affine);
  EXPECT_EQ(ranges[1].kind, GeometryKind::stored);
  EXPECT_EQ(ranges[0].begin, 0u);
  EXPECT_EQ(ranges[0].end, n_affine / block_size * block_size);
  EXPECT_EQ(ranges[1].begin, ranges[0].end);
  EXPECT_EQ(ranges[1].end, mesh->n_elements());
  for (unsigned int e = 0; e < ranges[0].end; ++e)
    EXPECT_EQ(some_are_stored<2>(mesh->order.cells[e]), GeometryKind::affine);
}

TEST(ConservationLawOnCpu, RangesOfASpaceFollowEachOther)
{
  const Setting<2, Euler<2>> setting(2, Euler<2>(), 9);
  const auto                 mesh = setting.mesh({}, max_matching_rounds, some_are_stored<2>);
  for (const unsigned int n_components : {1, 5})
    {
      const ElementSpace<2, double> space(mesh, 2, n_components, 4, 4, Device::cpu());
      const CoefficientLayout       of_all = space.layout().coefficients();
      for (unsigned int i = 0; i < mesh->order.ranges.size(); ++i)
        {
          const ElementRange &range     = mesh->order.ranges[i];
          const auto [degree, of_range] = space.on_range(i);
          EXPECT_EQ(range.shape, ElementShape::simplex);
          EXPECT_EQ(degree, 2u);
          for (const unsigned int e : {range.begin, range.end - 1})
            EXPECT_EQ(of_range.index(e - range.begin, 5), of_all.index(e, 5));
        }
    }
}

TEST_P(ConservationLawTest, FreeStreamIsPreserved)
{
  for (unsigned int degree = 0; degree <= std::min(4u, highest_degree); ++degree)
    {
      const Setting<3, Euler<3>> setting(degree);
      BoundaryConditions<3>      conditions;
      for (unsigned int id = 0; id < 6; ++id)
        conditions.set_far_field(id, constant_data<3, Euler<3>>());
      const auto r =
        residual<3, Euler<3>, double>(setting, conditions, setting.random_state(0.), device());
      EXPECT_LT(r.linfty_norm(), 1e-11) << "degree " << degree;
    }
}

TEST_P(ConservationLawTest, PeriodicBoxConserves)
{
  const Setting<3, Euler<3>> setting(2, Euler<3>(), 3, Vertices::shuffled);
  const auto                 conditions = periodic_conditions<BoundaryConditions, 3>();
  for (const unsigned int matching_rounds : {max_matching_rounds, 1u, 0u})
    {
      ConservationLawOperator<3, Euler<3>> op;
      op.reinit(setting.mesh(conditions.periodic(), matching_rounds),
                setting.dof_handler,
                setting.law,
                conditions,
                device(),
                {});
      auto      u = copied(op, setting.random_state(0.02)), r = zeros(op);
      TimeClock clock = op.make_clock();
      op.apply(clock, u, r);
      for (const double change : op.integrals(r))
        EXPECT_NEAR(change, 0., 1e-12);
    }
}

namespace
{
  /// Faces left over here and there among others that match: as where the matching stops early, or
  /// where none exists. The result does not depend on it.
  template <int dim, typename Law>
  void
  compare_matchings(const unsigned int degree, const unsigned int n, const Device device)
  {
    SCOPED_TRACE("degree " + std::to_string(degree));
    const Setting<dim, Law>       setting(degree, Law(), n, Vertices::shuffled);
    const BoundaryConditions<dim> conditions = all_conditions<dim, Law>();
    const auto                    u          = setting.random_state(0.02);
    EXPECT_FALSE(setting.mesh({}, 1)->connectivity.unmatched_elements.empty());
    EXPECT_TRUE(setting.mesh()->connectivity.unmatched_elements.empty());
    const auto expected = residual<dim, Law, double>(setting, conditions, u, device);
    EXPECT_LT(relative_difference(residual<dim, Law, double>(setting, conditions, u, device, 0, 1),
                                  expected),
              1e-12);
    EXPECT_LT(relative_difference(residual<dim, Law, float>(setting, conditions, u, device, 0, 1),
                                  expected),
              1e-3);
  }
} // namespace

TEST_P(ConservationLawTest, FacesLeftOver)
{
  for (unsigned int degree = 0; degree <= highest_degree; ++degree)
    compare_matchings<2, Euler<2>>(degree, 24, device());
  compare_matchings<2, Advection<2>>(std::min(3u, highest_degree), 24, device());
  for (unsigned int degree = 0; degree <= std::min(4u, highest_degree); ++degree)
    compare_matchings<3, Euler<3>>(degree, 5, device());
}

TEST_P(ConservationLawTest, BadInputIsRefused)
{
  const Setting<2, Euler<2>>           setting(1);
  ConservationLawOperator<2, Euler<2>> op;
  BoundaryConditions<2>                conditions;
  conditions.set_wall(0);
  EXPECT_THROW(conditions.set_outflow(0), ExceptionBase); // two conditions
  EXPECT_THROW(op.reinit(setting.mapping, setting.dof_handler, setting.law, conditions, device()),
               ExceptionBase); // ids without a condition
}

TEST_P(ConservationLawTest, CurvedWallNeedsAManifold)
{
  Triangulation<2> triangulation;
  Saltus::GridGenerator::annulus(triangulation, 1., 3., 3, 12);
  const MappingFE<2> mapping(FE_SimplexP<2>(1));
  DoFHandler<2>      dof_handler(triangulation);
  dof_handler.distribute_dofs(FESystem<2>(FE_SimplexDGModal<2>(1), 4));
  BoundaryConditions<2> conditions;
  conditions.set_wall(0, true);
  conditions.set_wall(1);
  ConservationLawOperator<2, Euler<2>> op;
  const auto reinit = [&]() { op.reinit(mapping, dof_handler, Euler<2>(), conditions, device()); };
  reinit();
  triangulation.set_all_manifold_ids(numbers::flat_manifold_id);
  EXPECT_THROW(reinit(), ExceptionBase);
  attach_manifold(triangulation, 0, RoundSurface<2>());
  // MappingFE asserts that all parts of a cell have one manifold. (That of no manifold is last.)
  triangulation.set_all_manifold_ids(triangulation.get_manifold_ids().front());
  reinit();
}

TEST_P(ConservationLawTest, InadmissibleStateIsReported)
{
  const Setting<2, Euler<2>>           setting(1);
  ConservationLawOperator<2, Euler<2>> op;
  op.reinit(
    setting.mapping, setting.dof_handler, setting.law, all_conditions<2, Euler<2>>(), device());
  auto      u = copied(op, setting.random_state(0.)), r = zeros(op);
  TimeClock clock = op.make_clock();
  op.apply(clock, u, r);
  EXPECT_NO_THROW(op.check_states(clock));
  op.copy_from(u, dealii::Vector<double>(setting.dof_handler.n_dofs())); // vacuum
  op.apply(clock, u, r);
  EXPECT_THROW(op.check_states(clock), ExceptionBase);
  EXPECT_NO_THROW(op.check_states(clock)); // each failure is reported once
}
