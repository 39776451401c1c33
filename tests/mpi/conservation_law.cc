// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Conservation laws on several ranks against one: residuals, steps, limiter, statistics, failures.
#include <saltus/base/device/instruction_set.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <cstdlib>
#include <gtest/gtest.h>
#include <helpers/curved_box.h>
#include <helpers/hypercubes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>
#include <helpers/random_setting.h>
#include <helpers/time_state.h>
#include <helpers/vectors.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  using State = typename OnRanks<dim>::Vector;

  template <typename Operator, int dim, typename Law, template <int, typename> class AnySetting>
  void
  reinit(Operator                                &op,
         const AnySetting<dim, Law>              &setting,
         const DoFHandler<dim>                   &dof_handler,
         const BoundaryConditions<dim>           &conditions,
         const Device                             device,
         const typename ElementOrder<dim>::Kinds &kinds  = {},
         const ArtificialViscosity               &spread = {})
  {
    typename Operator::AdditionalData data;
    data.fields               = fields<dim, Law>();
    data.artificial_viscosity = spread;
    const auto mesh           = make_mesh(setting.mapping,
                                dof_handler.get_triangulation(),
                                conditions.periodic(),
                                max_matching_rounds,
                                kinds);
    op.reinit(mesh, dof_handler, setting.law, conditions, device, data);
  }

  /// What @p work(operator, u) makes of a state: on one rank, and on all. They differ by rounding.
  /// @param kinds on all
  template <int dim, typename Law, template <int, typename> class AnySetting, typename Work>
  void
  compare(const AnySetting<dim, Law>              &setting,
          const BoundaryConditions<dim>           &conditions,
          const double                             amplitude,
          const double                             tolerance,
          const Device                             device,
          const Work                              &work,
          const typename ElementOrder<dim>::Kinds &kinds  = {},
          const ArtificialViscosity               &spread = {})
  {
    ConservationLawOperator<dim, Law, double> op;
    Saltus::Vector<double>                    u;
    const auto                                change = [&](const auto &dof_handler, auto &part) {
      const bool on_one = &dof_handler == &setting.dof_handler;
      reinit(op,
             setting,
             dof_handler,
             conditions,
             device,
             on_one ? typename ElementOrder<dim>::Kinds() : kinds,
             spread);
      op.initialize_vector(u);
      op.copy_from(u, part);
      work(op, u);
      op.copy_to(part, u);
    };
    compare_with_one_rank(setting.dof_handler, setting.random_state(amplitude), tolerance, change);
  }

  /// For compare().
  const auto to_residual = [](const auto &op, auto &u) {
    auto      r     = u;
    TimeClock clock = op.make_clock();
    op.apply(clock, u, r);
    op.check_states(clock);
    u = r;
  };

  template <int dim, typename Law>
  void
  compare_residuals(const Device device, const Law &law = Law())
  {
    for (unsigned int degree = 0; degree <= (dim == 2 ? 5 : 3); ++degree)
      for (const bool periodic : {false, true})
        {
          SCOPED_TRACE("degree " + std::to_string(degree) + (periodic ? ", periodic" : ""));
          const Setting<dim, Law> setting(degree, law, dim == 2 ? 9 : 4, Vertices::shuffled);
          compare<dim>(setting,
                       periodic ? periodic_conditions<BoundaryConditions, dim>()
                                : all_conditions<dim, Law>(),
                       0.05,
                       1e-12,
                       device,
                       to_residual);
        }
  }

  /// On quadrilaterals or hexahedra, with hanging nodes or without.
  template <int dim>
  void
  compare_residuals_on_hypercubes(const Device device)
  {
    for (const Cells cells : {Cells::parallelepipeds, Cells::turned, Cells::refined})
      for (unsigned int degree = 1; degree <= (dim == 2 ? 3 : 2); ++degree)
        compare<dim>(HypercubeSetting<dim, Euler<dim>>(
                       degree, cells, {}, dim == 2 ? (cells == Cells::refined ? 4 : 9) : 3),
                     all_conditions<dim, Euler<dim>>(),
                     0.05,
                     1e-12,
                     device,
                     to_residual);
  }

  /// Artificial viscosity that is continuous: through vertices that several ranks have, that hang,
  /// and that periodic boundaries make one.
  template <int dim>
  void
  compare_continuous_viscosities(const Device device)
  {
    const ArtificialViscosity spread{0.5, 4., -5., true};
    const auto                expect = [&](const auto &setting, const auto &conditions) {
      compare<dim>(setting, conditions, 0.05, 1e-12, device, to_residual, {}, spread);
    };
    const auto periodic = periodic_conditions<BoundaryConditions, dim>();
    expect(Setting<dim, Euler<dim>>(2, {}, dim == 2 ? 6 : 3, Vertices::shuffled), periodic);
    expect(HypercubeSetting<dim, Euler<dim>>(1, Cells::distorted, {}, 3, 0.), periodic);
    expect(HypercubeSetting<dim, Euler<dim>>(1, Cells::refined), all_conditions<dim, Euler<dim>>());
  }

  class OnRanksAndDevice : public OnDevice
  {};

  /// Where GPUs write into each other's memory, and the messages of ranks on the CPU go by MPI. The
  /// ranks may share a GPU.
  class OnRanksAndPeers : public OnRanksAndDevice
  {
  protected:
    void
    SetUp() override
    {
      setenv("SALTUS_GPU_MESSAGES", "peers", 1);
      OnRanksAndDevice::SetUp();
    }

    void
    TearDown() override
    {
      unsetenv("SALTUS_GPU_MESSAGES");
    }
  };

  /// Kernels that note down the parts of a stage and do nothing.
  class NotedParts : public ConservationLawKernels<Advection<2>, double>
  {
  public:
    using Stage = StageArguments<Advection<2>, double>;

    static inline std::vector<Stage> parts;

    void
    stage(const Stage &arguments) const override
    {
      parts.push_back(arguments);
    }

    void
    set_viscosities(const ViscosityArguments<Advection<2>, double> &) const override
    {}

    void
    limit_to_positive(const LimiterArguments<Advection<2>, double> &) const override
    {}

    void
    step_size(const StepSizeArguments<Advection<2>, double> &) const override
    {}

    void
    finish_step(TimeState *) const override
    {}

    void
    limit(const LimiterArguments<Advection<2>, double> &) const override
    {}

    void
    project(const ElementTables<double> &, const int, const double *, double *) const override
    {}

    void
    primitive_to_conserved(const Advection<2> &, const std::size_t, double *) const override
    {}
  };
} // namespace

// A rank with fewer elements inside than a block holds does all of them at once, but after
// messages.
TEST(PartsOfAStage, ABorderIsNoWholeMesh)
{
  using Kernels       = ConservationLawKernels<Advection<2>, double>;
  auto      &back_end = KernelRegistry<Kernels>::cpu[instruction_set_level()];
  const auto real     = back_end;
  back_end.make       = [](const ElementTables<double> &, const int) -> Kernels       *{
    return new NotedParts;
  };
  const Setting<2, Advection<2>>                   setting(1);
  const OnRanks<2>                                 ranks(setting.dof_handler, Spread::scattered);
  ConservationLawOperator<2, Advection<2>, double> op;
  reinit(op, setting, ranks.dof_handler, all_conditions<2, Advection<2>>(), Device::cpu());
  back_end    = real;
  auto      u = zeros(op), r = u;
  TimeClock clock = op.make_clock();
  NotedParts::parts.clear();
  op.apply(clock, u, r);

  // There is no range inside.
  ASSERT_EQ(NotedParts::parts.size(), 1u);
  const auto &part = NotedParts::parts[0];
  EXPECT_EQ(part.mesh.begin, 0);
  EXPECT_EQ(part.mesh.end, static_cast<int>(op.n_elements()));
  EXPECT_EQ(part.launch.is_first, n_ranks() == 1);
  EXPECT_FALSE(part.launch.beside_messages);
  EXPECT_TRUE(n_ranks() == 1 || part.boundary.n_faces > 0);
}

TEST_P(OnRanksAndDevice, EulerQuadrilateralsAndHexahedra)
{
  compare_residuals_on_hypercubes<2>(device());
  compare_residuals_on_hypercubes<3>(device());
}

TEST_P(OnRanksAndDevice, ContinuousViscosities)
{
  compare_continuous_viscosities<2>(device());
  compare_continuous_viscosities<3>(device());
}

// Some elements are declared not to be affine: in ranges of their own, inside and at the border.
TEST_P(OnRanksAndDevice, RangesOfTwoKinds)
{
  for (const unsigned int degree : {1, 3})
    {
      SCOPED_TRACE("degree " + std::to_string(degree));
      const Setting<2, Euler<2>>       setting(degree, Euler<2>(), 17);
      std::vector<std::vector<double>> outflows;
      compare<2>(
        setting,
        all_conditions<2, Euler<2>>(),
        0.05,
        1e-12,
        device(),
        [&](const auto &op, auto &u) {
          TimeState start;
          start.cfl       = 0.5;
          TimeClock clock = op.make_clock(start);
          TimeIntegrator(op, clock, RungeKutta("LSRK45")).advance(u, 3);
          op.check_states(clock);
          outflows.push_back(clock.outflow());
        },
        some_are_stored<2>);
      for (const auto &outflow : outflows)
        for (unsigned int c = 0; c < 4; ++c)
          EXPECT_NEAR(outflow[c], outflows[0][c], 1e-12 * (1 + std::abs(outflows[0][c])));
    }
}

// Curved elements, inside and at the border, beside affine ones; some ranks have none.
TEST_P(OnRanksAndDevice, CurvedElements)
{
  const CurvedSetting<2, Euler<2>> setting(2, 3, bump_at_side<2>());
  const auto                       conditions = all_conditions<2, Euler<2>>();
  compare_with_one_rank(setting.dof_handler,
                        random_state<2, Euler<2>>(setting.dof_handler, 0.02),
                        1e-12,
                        [&](const auto &dof_handler, auto &part) {
                          ConservationLawOperator<2, Euler<2>, double> op;
                          op.reinit(make_curved_mesh(setting.mapping,
                                                     dof_handler.get_triangulation(),
                                                     setting.map_degree),
                                    dof_handler,
                                    Euler<2>(),
                                    conditions,
                                    device(),
                                    {});
                          auto      u     = copied(op, part);
                          TimeClock clock = op.make_clock(with_cfl(0.5));
                          TimeIntegrator(op, clock, RungeKutta("LSRK45")).advance(u, 3);
                          op.check_states(clock);
                          op.copy_to(part, u);
                        });
}

// Where the kernel of the boundary is not the one before that of the only part: at degree 3 the
// stage uses tensor cores in double precision, at degree 1 it has a thread an element.
TEST_P(OnRanksAndPeers, StepsOfABorderWithoutAnInterior)
{
  for (const unsigned int degree : {1, 3})
    {
      SCOPED_TRACE("degree " + std::to_string(degree));
      const Setting<2, Euler<2>> setting(degree, Euler<2>(), 5);
      compare<2>(
        setting, all_conditions<2, Euler<2>>(), 0.05, 1e-12, device(), [](const auto &op, auto &u) {
          TimeClock clock = op.make_clock(with_cfl(0.5));
          TimeIntegrator(op, clock, RungeKutta("LSRK45")).advance(u, 10);
          op.check_states(clock);
        });
    }
}

// The messages of each operator go as those of its device do.
TEST_P(OnRanksAndPeers, OperatorsOnTheCpuAndHereOnOneMesh)
{
  const Setting<2, Euler<2>> setting(2, Euler<2>(), 9);
  const OnRanks<2>           ranks(setting.dof_handler, Spread::scattered);
  const auto                 conditions  = all_conditions<2, Euler<2>>();
  const auto                 mesh        = make_mesh(setting.mapping, *ranks.triangulation);
  const auto                 after_steps = [&](const Device device) {
    ConservationLawOperator<2, Euler<2>, double> op;
    op.reinit(mesh, ranks.dof_handler, setting.law, conditions, device, {});
    auto      u     = copied(op, ranks.part_of(setting.random_state(0.05)));
    TimeClock clock = op.make_clock(with_cfl(0.5));
    TimeIntegrator(op, clock, RungeKutta("LSRK45")).advance(u, 2);
    op.check_states(clock);
    State<2> part = ranks.part_of(setting.random_state(0.));
    op.copy_to(part, u);
    return ranks.whole(part);
  };
  const Device here   = device();
  const auto   first  = after_steps(here);
  const auto   on_cpu = after_steps(Device::cpu());
  const auto   again  = after_steps(here);
  EXPECT_LT(relative_difference(first, on_cpu), 1e-12);
  EXPECT_LT(relative_difference(again, on_cpu), 1e-12);
  // Ranks that change their device ask together with those that do not.
  const bool is_last = this_rank() == n_ranks() - 1;
  EXPECT_LT(relative_difference(after_steps(is_last ? here : Device::cpu()), on_cpu), 1e-12);
}

TEST_P(OnRanksAndDevice, AdvectionTriangles)
{
  compare_residuals<2, Advection<2>>(device());
}

TEST_P(OnRanksAndDevice, AdvectionTetrahedra)
{
  compare_residuals<3, Advection<3>>(device());
}

TEST_P(OnRanksAndDevice, EulerTriangles)
{
  compare_residuals<2>(device(), euler<2>(RiemannSolver::lax_friedrichs));
}

TEST_P(OnRanksAndDevice, EulerTetrahedra)
{
  compare_residuals<3, Euler<3>>(device());
}

TEST_P(OnRanksAndDevice, StepsWithLimiter)
{
  const Setting<2, Euler<2>> setting(1, Euler<2>(), 9);
  compare<2>(
    setting, all_conditions<2, Euler<2>>(), 0.05, 1e-12, device(), [](const auto &op, auto &u) {
      TimeClock clock = op.make_clock(with_cfl(0.5));
      TimeIntegrator(op, clock, RungeKutta("SSP2"), Limiter::barth_jespersen).advance(u, 10);
      op.check_states(clock);
      EXPECT_EQ(clock.state().n_steps, 10);
    });
}

TEST_P(OnRanksAndDevice, Statistics)
{
  const Setting<2, Euler<2>>   setting(3, Euler<2>(), 9);
  std::vector<StateStatistics> results;
  std::vector<double>          outflows;
  compare<2>(
    setting, all_conditions<2, Euler<2>>(), 0.05, 1e-12, device(), [&](const auto &op, auto &u) {
      TimeClock clock = op.make_clock(with_cfl(0.5));
      TimeIntegrator(op, clock, RungeKutta("LSRK45")).advance(u, 2);
      results.push_back(op.statistics(u));
      outflows.push_back(clock.outflow()[0]);
    });
  for (unsigned int i = 1; i < results.size(); ++i)
    {
      for (const auto &[a, b] : {std::make_pair(&results[i].integrals, &results[0].integrals),
                                 std::make_pair(&results[i].norms, &results[0].norms),
                                 std::make_pair(&results[i].minima, &results[0].minima),
                                 std::make_pair(&results[i].maxima, &results[0].maxima)})
        for (unsigned int c = 0; c < 4; ++c)
          EXPECT_NEAR((*a)[c], (*b)[c], 1e-12 * (1 + std::abs((*b)[c])));
      EXPECT_NEAR(outflows[i], outflows[0], 1e-12 * (1 + std::abs(outflows[0])));
    }
}

TEST_P(OnRanksAndDevice, AFailureOnOneRankIsOneOfAll)
{
  const Setting<2, Euler<2>>                   setting(1, Euler<2>(), 5);
  const OnRanks<2>                             ranks(setting.dof_handler, Spread::compact);
  ConservationLawOperator<2, Euler<2>, double> op;
  reinit(op, setting, ranks.dof_handler, all_conditions<2, Euler<2>>(), device());
  auto     u = zeros(op), r = u;
  State<2> part = ranks.part_of(setting.random_state(0.01));
  if (this_rank() == n_ranks() - 1) // a negative density
    for (const auto i : part.locally_owned_elements())
      part(i) = -part(i);
  op.copy_from(u, part);
  TimeClock clock = op.make_clock();
  op.apply(clock, u, r);
  const std::string message = message_of([&]() { op.check_states(clock); });
  EXPECT_TRUE(contains(message, "Inadmissible state"));
  const auto all = dealii::Utilities::MPI::all_gather(MPI_COMM_WORLD, message);
  EXPECT_EQ(all.front(), all.back());
}

SALTUS_INSTANTIATE_ON_DEVICES(OnRanksAndDevice)
SALTUS_INSTANTIATE_ON_DEVICES(OnRanksAndPeers)
