// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Meshes that mix triangles and quadrilaterals on several ranks against one: residuals, steps,
// statistics.
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <gtest/gtest.h>
#include <helpers/mixed.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>
#include <helpers/time_state.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Operator = MixedConservationLawOperator<2, Euler<2>>;

  /// What @p work(operator, u) makes of a state.
  template <typename Work>
  void
  compare(const unsigned int           degree,
          const BoundaryConditions<2> &conditions,
          const Device                 device,
          const Work                  &work,
          const Euler<2>              &law    = {},
          const ArtificialViscosity   &spread = {})
  {
    Triangulation<2> triangulation;
    make_mixed_box(triangulation, 7, conditions.periodic().empty() ? 0.2 : 0.);
    const auto                   mapping = straight_mapping();
    const MixedSetting<Euler<2>> setting(triangulation, mapping, degree);
    const auto                   change = [&](const auto &dof_handler, auto &part) {
      Operator                 op;
      Operator::AdditionalData data;
      data.artificial_viscosity = spread;
      op.reinit(mapping, dof_handler, law, conditions, device, data);
      auto u = mixed_zeros(op);
      op.copy_from(u, part);
      work(op, u);
      op.copy_to(part, u);
    };
    compare_with_one_rank(setting.dof_handler, setting.random_state(0.05), 1e-12, change);
  }
} // namespace

using MixedLawOnRanks = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(MixedLawOnRanks)

// Without viscosity and with it, where ranks tell each other gradients and penalties, too, and
// where it is that of shocks.
TEST_P(MixedLawOnRanks, Residuals)
{
  Euler<2> viscous;
  viscous.transport.viscosity = 0.1;
  const ArtificialViscosity none, by_element{0.5, 4., -5.}, continuous{0.5, 4., -5., true};
  for (const auto &[law, spread] : {std::pair(Euler<2>(), none),
                                    std::pair(viscous, none),
                                    std::pair(Euler<2>(), by_element),
                                    std::pair(Euler<2>(), continuous)})
    for (const unsigned int degree : {1, 2, 4})
      compare(
        degree,
        all_conditions<2, Euler<2>>(),
        device(),
        [](const auto &op, auto &u) {
          auto r     = u;
          auto clock = op.make_clock();
          op.apply(clock, u, r);
          op.check_states(clock);
          u = r;
        },
        law,
        spread);
}

TEST_P(MixedLawOnRanks, StepsAndStatistics)
{
  std::vector<StateStatistics> statistics;
  std::vector<double>          mass_outflows;
  compare(2, all_conditions<2, Euler<2>>(), device(), [&](const auto &op, auto &u) {
    auto clock = op.make_clock(with_cfl(0.5));
    TimeIntegrator<Operator>(op, clock, RungeKutta("LSRK45")).advance(u, 3);
    statistics.push_back(op.statistics(u));
    mass_outflows.push_back(clock.outflow()[0]);
  });
  for (unsigned int i = 1; i < statistics.size(); ++i)
    {
      EXPECT_NEAR(mass_outflows[i], mass_outflows[0], 1e-12);
      for (unsigned int c = 0; c < 4; ++c)
        {
          EXPECT_NEAR(statistics[i].integrals[c], statistics[0].integrals[c], 1e-12);
          EXPECT_NEAR(statistics[i].norms[c], statistics[0].norms[c], 1e-12);
          EXPECT_NEAR(statistics[i].minima[c], statistics[0].minima[c], 1e-12);
          EXPECT_NEAR(statistics[i].maxima[c], statistics[0].maxima[c], 1e-12);
        }
    }
}
