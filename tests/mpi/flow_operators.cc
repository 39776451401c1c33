// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Operators of incompressible flow on several ranks against one.
#include <gtest/gtest.h>
#include <helpers/flow_setting.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class FlowOnRanks : public OnDevice
  {
  protected:
    template <int dim>
    void
    compare(const unsigned int max_degree) const
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          SCOPED_TRACE("degree " + std::to_string(degree));
          // So large that ranks have blocks of elements that need no ghosts.
          const FlowSetting<dim> setting(degree, dim == 2 ? 12 : 4);
          for (const auto &conditions : all_flow_conditions<dim>(degree % 2 == 0))
            compare(setting, conditions);
        }
    }

    /// All operators, on one rank and on all.
    /// @param kinds on all
    template <int dim>
    void
    compare(const FlowSetting<dim>                  &setting,
            const FlowBoundaryConditions<dim>       &conditions,
            const typename ElementOrder<dim>::Kinds &kinds = {}) const
    {
      FlowOperators<dim> flow;
      const auto         reinit = [&](const DoFHandler<dim>                   &velocity,
                              const DoFHandler<dim>                   &pressure,
                              const typename ElementOrder<dim>::Kinds &kinds_of_cells) {
        flow.reinit(make_mesh(setting.mapping,
                              velocity.get_triangulation(),
                              conditions.periodic(),
                              max_matching_rounds,
                              kinds_of_cells),
                    velocity,
                    pressure,
                    conditions,
                    device(),
                    {0, 0.4});
      };
      const auto for_all = [&](const auto &body) {
        for (const FlowTerm term : all_flow_terms)
          for (const unsigned int n_current : {0, 1, 2})
            if (n_current == 0 || term != FlowTerm::gradient)
              body(term, n_current);
      };

      std::vector<dealii::Vector<double>> expected;
      const auto                          itself = [](const auto &all) { return all; };
      reinit(setting.velocity, setting.pressure, {});
      for_all([&](const FlowTerm term, const unsigned int n_current) {
        output(term, flow.velocity_space(), flow.pressure_space())
          .copy_to(expected.emplace_back(), work(setting, flow, term, n_current, itself, itself));
      });

      for (const Spread spread : all_spreads)
        {
          SCOPED_TRACE(to_string(spread));
          const FlowParts<dim> parts(setting.velocity, setting.pressure, spread);
          reinit(parts.velocity.dof_handler, parts.pressure_dofs, kinds);
          auto of_one_rank = expected.begin();
          for_all([&](const FlowTerm term, const unsigned int n_current) {
            SCOPED_TRACE(to_string(term) + ", " + std::to_string(n_current) +
                         " vectors with ghosts");
            const OnRanks<dim> &ranks  = output(term, parts.velocity, parts.pressure);
            auto                part   = ranks.part_of(*of_one_rank);
            const auto          result = work(
              setting,
              flow,
              term,
              n_current,
              [&](const auto &all) { return parts.velocity.part_of(all); },
              [&](const auto &all) { return parts.pressure.part_of(all); });
            part = 0.;
            output(term, flow.velocity_space(), flow.pressure_space()).copy_to(part, result);
            EXPECT_LT(relative_difference(ranks.whole(part), *of_one_rank++), 1e-12);
          });
        }
    }

    /// Everything at once: sums of vectors, data, and an update that shows how often an element was
    /// worked on. The vectors are new, so that there are no ghosts of a call before.
    /// @param n_current of the velocities whose ghosts are set before
    template <int dim, typename PartOfVelocity, typename PartOfPressure>
    static Saltus::Vector<double>
    work(const FlowSetting<dim>   &setting,
         const FlowOperators<dim> &flow,
         const FlowTerm            term,
         const unsigned int        n_current,
         const PartOfVelocity     &part_of_velocity,
         const PartOfPressure     &part_of_pressure)
    {
      const auto velocity = [&](const unsigned int seed) {
        return copied(flow.velocity_space(), part_of_velocity(setting.random_velocity(seed)));
      };
      const auto pressure = [&](const unsigned int seed) {
        return copied(flow.pressure_space(), part_of_pressure(setting.random_pressure(seed)));
      };
      const auto u1 = velocity(1), u2 = velocity(2), p1 = pressure(1), p2 = pressure(2);
      if (n_current > 0)
        flow.update_velocity_ghosts(u1);
      if (n_current > 1)
        flow.update_velocity_ghosts(u2);
      const VectorSum<double> u({{2., &u1, n_current > 0}, {-1., &u2, n_current > 1}}),
        w({{0.5, &u1, n_current > 0}, {3., &u2, n_current > 1}}), p({{2., &p1}, {-1., &p2}});
      Saltus::Vector<double> dst = output(term, velocity(3), pressure(3)), accumulator = dst;
      FlowUpdate<double>     update;
      update.base        = dst;
      update.accumulator = &accumulator;
      update.A           = -0.4;
      apply(flow, term, dst, input(term, u, p), w, 0.7, update);
      dst += accumulator;
      return dst;
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(FlowOnRanks)

TEST_P(FlowOnRanks, Triangles)
{
  compare<2>(3);
}

TEST_P(FlowOnRanks, Tetrahedra)
{
  compare<3>(3);
}

// Some elements in ranges of another kind, inside and at the border.
TEST_P(FlowOnRanks, RangesOfTwoKinds)
{
  const FlowSetting<2> setting(2, 16);
  for (const auto &conditions : all_flow_conditions<2>(true))
    compare<2>(setting, conditions, some_are_stored<2>);
}
