// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// CG with p-multigrid on several ranks against one: iterations and solutions.
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>
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
    template <typename Number, int dim>
    void
    compare(const EllipticSetting<dim>                     &setting,
            const EllipticBoundaryConditions<dim>          &conditions,
            typename Multigrid<dim, Number>::AdditionalData data = {}) const
    {
      data.algebraic.aggregation.coarse_size = 10;
      compare_cycles<Number>(setting, conditions, data);
      data.algebraic.min_unknowns_per_rank = 1;
      compare_cycles<Number>(setting, conditions, data);
    }

    template <typename Number, int dim>
    void
    compare_cycles(const EllipticSetting<dim>                            &setting,
                   const EllipticBoundaryConditions<dim>                 &conditions,
                   const typename Multigrid<dim, Number>::AdditionalData &data) const
    {
      Saltus::Vector<double> x;
      LaplaceOperator<dim>   A;
      A.reinit(setting.mapping, setting.dof_handler, conditions, device());
      const unsigned int     iterations = solve<Number>(A, data, x);
      dealii::Vector<double> expected;
      A.copy_to(expected, x);
      for (const Spread spread : all_spreads)
        {
          SCOPED_TRACE(to_string(spread) + " on " + std::to_string(n_ranks()) + " ranks");
          const OnRanks<dim> ranks(setting.dof_handler, spread);
          A.reinit(setting.mapping, ranks.dof_handler, conditions, device());
          EXPECT_NEAR(solve<Number>(A, data, x), iterations, 1);
          auto part = ranks.part_of(dealii::Vector<double>(setting.dof_handler.n_dofs()));
          A.copy_to(part, x);
          EXPECT_LT(relative_error(ranks.whole(part), expected), 1e-8);
        }
    }
  };

  template <int dim>
  EllipticBoundaryConditions<dim>
  neumann_conditions()
  {
    EllipticBoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      conditions.set_neumann(id);
    return conditions;
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(PMultigridOnRanks)

TEST_P(PMultigridOnRanks, Triangles)
{
  for (const unsigned int degree : {1, 3, 4})
    {
      const EllipticSetting<2> setting(degree, 2);
      compare<float>(setting, dirichlet_conditions<2>());
      compare<double>(setting, all_elliptic_conditions<2>(true));
    }
}

TEST_P(PMultigridOnRanks, Tetrahedra)
{
  const EllipticSetting<3> setting(2, 1);
  compare<float>(setting, all_elliptic_conditions<3>());
}

TEST_P(PMultigridOnRanks, SingularProblems)
{
  const EllipticSetting<2> setting(3, 2);
  compare<double>(setting, neumann_conditions<2>());
  compare<double>(setting, periodic_conditions<2>());
}

TEST_P(PMultigridOnRanks, OneSmoothingStepAndOneCycle)
{
  const EllipticSetting<2>             setting(3, 2);
  Multigrid<2, double>::AdditionalData data;
  data.algebraic.smoother_degree = 1;
  data.algebraic.n_cycles        = 1;
  compare<double>(setting, dirichlet_conditions<2>(), data);
}

TEST_P(PMultigridOnRanks, DiscontinuousCoarseSpaceAndKCycle)
{
  const EllipticSetting<2>             setting(2, 2);
  Multigrid<2, double>::AdditionalData data;
  data.coarse_space    = Multigrid<2, double>::CoarseSpace::discontinuous;
  data.algebraic.cycle = AlgebraicMultigrid<double>::Cycle::K;
  compare<double>(setting, dirichlet_conditions<2>(), data);
}
