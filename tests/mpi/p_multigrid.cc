// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// CG with p-multigrid on several ranks against one: iterations and solutions.
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_hypercubes.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>
#include <helpers/vectors.h>
#include <sstream>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class PMultigridOnRanks : public OnDevice
  {
  protected:
    template <int dim, typename Number>
    using Multigrid = PMultigrid<LaplaceOperator<dim, Number>>;

    /// The solution for a smooth source, and how many iterations it takes.
    template <typename Number, int dim>
    unsigned int
    solve(const LaplaceOperator<dim>                            &A,
          const typename Multigrid<dim, Number>::AdditionalData &data,
          Saltus::Vector<double>                                &x) const
    {
      Multigrid<dim, Number> multigrid;
      multigrid.initialize(A, data);
      std::ostringstream text;
      multigrid.print(text);
      const bool is_spread =
        A.element_space().mesh->partition != nullptr && data.algebraic.min_unknowns_per_rank == 1;
      if (this_rank() == 0)
        {
          EXPECT_EQ(text.str().find("on all ranks") != std::string::npos, is_spread) << text.str();
        }
      Saltus::Vector<double> b;
      A.initialize_vector(x);
      A.right_hand_side(b, FieldFunction<dim>(Expression(dim, "sin(3*x)*cos(2*y)", 1)));
      if (A.is_singular())
        A.remove_null_space(b);
      SolverSettings settings;
      settings.tolerance            = 1e-10;
      const unsigned int iterations = solve_cg(A, x, b, multigrid, settings).iterations;
      if (A.is_singular())
        A.set_mean_value(x, 0.);
      return iterations;
    }

    /// With all algebraic levels on the first rank, and with the finest of them on all.
    /// @param spreads on which meshes of all ranks
    /// @param most_more iterations than on one rank, or fewer
    template <typename Number, int dim, template <int> class Setting>
    void
    compare(const Setting<dim>                             &setting,
            const EllipticBoundaryConditions<dim>          &conditions,
            const std::vector<Spread>                      &spreads   = all_spreads,
            typename Multigrid<dim, Number>::AdditionalData data      = {},
            const unsigned int                              most_more = 1) const
    {
      data.algebraic.aggregation.coarse_size = 10;
      compare_cycles<Number>(setting, conditions, spreads, data, most_more);
      data.algebraic.min_unknowns_per_rank = 1;
      compare_cycles<Number>(setting, conditions, spreads, data, most_more);
    }

    template <typename Number, int dim, template <int> class Setting>
    void
    compare_cycles(const Setting<dim>                                    &setting,
                   const EllipticBoundaryConditions<dim>                 &conditions,
                   const std::vector<Spread>                             &spreads,
                   const typename Multigrid<dim, Number>::AdditionalData &data,
                   const unsigned int                                     most_more) const
    {
      Saltus::Vector<double>    x;
      LaplaceOperator<dim>      A;
      std::vector<unsigned int> iterations;
      const auto                solution = [&](const auto &dof_handler, auto &part) {
        A.reinit(setting.mapping, dof_handler, conditions, device());
        iterations.push_back(solve<Number>(A, data, x));
        EXPECT_NEAR(iterations.back(), iterations.front(), most_more);
        A.copy_to(part, x);
      };
      compare_with_one_rank(setting.dof_handler,
                            dealii::Vector<double>(setting.dof_handler.n_dofs()),
                            1e-8,
                            solution,
                            spreads);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(PMultigridOnRanks)

TEST_P(PMultigridOnRanks, Triangles)
{
  for (const unsigned int degree : {1, 3, 4})
    {
      const EllipticSetting<2> setting(degree, 2);
      compare<float>(setting, dirichlet_conditions<2>(), hardest_spreads);
      compare<double>(setting,
                      all_elliptic_conditions<2>(true),
                      degree == 3 ? all_spreads : hardest_spreads);
    }
}

TEST_P(PMultigridOnRanks, Tetrahedra)
{
  const EllipticSetting<3> setting(2, 1);
  compare<float>(setting, all_elliptic_conditions<3>());
}

TEST_P(PMultigridOnRanks, Hypercubes)
{
  compare<float>(EllipticHypercubes<2>(3, Cells::refined, 5), all_elliptic_conditions<2>());
  compare<double>(EllipticHypercubes<3>(2, Cells::turned), dirichlet_conditions<3>());
}

TEST_P(PMultigridOnRanks, SingularProblems)
{
  const EllipticSetting<2> setting(3, 2);
  compare<double>(setting, neumann_conditions<2>(), hardest_spreads);
  compare<double>(setting, periodic_conditions<EllipticBoundaryConditions, 2>(), hardest_spreads);
}

TEST_P(PMultigridOnRanks, OneSmoothingStepAndOneCycle)
{
  const EllipticSetting<2>             setting(3, 2);
  Multigrid<2, double>::AdditionalData data;
  data.algebraic.smoother_degree = 1;
  data.algebraic.n_cycles        = 1;
  compare<double>(setting, dirichlet_conditions<2>(), hardest_spreads, data);
}

TEST_P(PMultigridOnRanks, DiscontinuousCoarseSpaceAndKCycle)
{
  const EllipticSetting<2>             setting(2, 2);
  Multigrid<2, double>::AdditionalData data;
  data.coarse_space    = Multigrid<2, double>::CoarseSpace::discontinuous;
  data.algebraic.cycle = AlgebraicMultigrid<double>::Cycle::K;
  // Aggregates of discontinuous functions follow the order of elements, which ranks change.
  compare<double>(setting, dirichlet_conditions<2>(), hardest_spreads, data, 2);
}
