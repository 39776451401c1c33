// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Iterations of CG with p-multigrid: nearly independent of the degree and of the mesh.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/solvers/cg.h>
#include <saltus/solvers/p_multigrid.h>

#include <gtest/gtest.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// The pressure of the Taylor vortex (Karakus et al., equation 22): Neumann conditions to the
  /// left, above and below, a Dirichlet condition to the right; or Neumann conditions all around.
  class Problem
  {
  public:
    Problem(const unsigned int n_refinements, const bool all_neumann = false)
      : mapping(FE_SimplexP<2>(1))
      , dof_handler(triangulation)
    {
      Saltus::GridGenerator::box<2>(
        triangulation, Point<2>(-0.5, -0.5), Point<2>(0.5, 0.5), {4, 4}, 0.25);
      triangulation.refine_global(n_refinements);
      for (unsigned int id = 0; id < 4; ++id)
        if (id == 1 && !all_neumann)
          conditions.set_dirichlet(id, expression("-cos(2*pi*x)*cos(2*pi*y)"));
        else // the normal derivative vanishes at |x| = 1/2 and |y| = 1/2
          conditions.set_neumann(id);
    }

    static StateFunction<2>
    expression(const std::string &text)
    {
      return {Expression(2, text, 1, {}, "test")};
    }

    void
    reinit(LaplaceOperator<2> &A, const unsigned int degree, const Device device)
    {
      dof_handler.distribute_dofs(FE_SimplexDGModal<2>(degree));
      A.reinit(mapping, dof_handler, conditions, {}, device);
    }

    Triangulation<2>              triangulation;
    MappingFE<2>                  mapping;
    DoFHandler<2>                 dof_handler;
    EllipticBoundaryConditions<2> conditions;
  };

  class PMultigridTest : public OnDevice
  {
  protected:
    template <typename Number>
    unsigned int
    iterations(const unsigned int                                    degree,
               Problem                                              &problem,
               const typename PMultigrid<2, Number>::AdditionalData &data   = {},
               double                                               *memory = nullptr)
    {
      LaplaceOperator<2> A;
      problem.reinit(A, degree, device());
      PMultigrid<2, Number> multigrid;
      multigrid.initialize(A, data);
      Saltus::Vector<double> x, b;
      A.initialize_vector(x);
      A.right_hand_side(b, Problem::expression("-8*pi^2*cos(2*pi*x)*cos(2*pi*y)"));
      if (A.is_singular())
        A.remove_null_space(b);
      const auto report = solve_cg<double>(A, x, b, multigrid);
      if (memory != nullptr)
        *memory = multigrid.memory_per_element();
      return report.iterations;
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(PMultigridTest)

TEST_P(PMultigridTest, TaylorVortexPressure)
{
  for (unsigned int degree = 1; degree <= 6; ++degree)
    {
      unsigned int fewest = 1000, most = 0;
      double       memory = 0;
      std::cout << "N = " << degree << ": iterations";
      for (unsigned int n_refinements = 1; n_refinements <= 4; ++n_refinements)
        {
          Problem            problem(n_refinements);
          const unsigned int n = iterations<float>(degree, problem, {}, &memory);
          fewest               = std::min(fewest, n);
          most                 = std::max(most, n);
          std::cout << ' ' << n << std::flush;
        }
      std::cout << ", " << memory << " bytes an element" << std::endl;
      EXPECT_LE(most, 20);
      EXPECT_LE(most, fewest + 3);
      EXPECT_LE(memory, 4000);
    }
}

TEST_P(PMultigridTest, Neumann)
{
  for (const unsigned int degree : {2, 5})
    {
      Problem            problem(2, true);
      const unsigned int in_float  = iterations<float>(degree, problem);
      const unsigned int in_double = iterations<double>(degree, problem);
      std::cout << "N = " << degree << ": " << in_float << ", " << in_double << std::endl;
      EXPECT_LE(in_float, 20);
      EXPECT_LE(in_double, 20);
    }
}

TEST_P(PMultigridTest, Variants)
{
  using Multigrid = PMultigrid<2, double>;
  using Cycle     = AlgebraicMultigrid<double>::Cycle;
  for (const auto space :
       {Multigrid::CoarseSpace::continuous, Multigrid::CoarseSpace::discontinuous})
    for (const bool smoothed : {true, false})
      for (const Cycle cycle : {Cycle::V, Cycle::K})
        {
          Multigrid::AdditionalData data;
          data.coarse_space                   = space;
          data.algebraic.cycle                = cycle;
          data.algebraic.aggregation.smoothed = smoothed;
          std::cout << (space == Multigrid::CoarseSpace::continuous ? "continuous"
                                                                    : "discontinuous")
                    << (smoothed ? ", smoothed, " : ", plain, ") << (cycle == Cycle::V ? 'V' : 'K')
                    << ':';
          for (const unsigned int n_refinements : {2, 3, 4})
            {
              Problem problem(n_refinements);
              std::cout << ' ' << iterations<double>(4, problem, data) << std::flush;
            }
          std::cout << std::endl;
        }
}
