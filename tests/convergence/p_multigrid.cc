// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Iterations of CG with p-multigrid: nearly independent of the degree and of the mesh.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/solvers/cg.h>
#include <saltus/solvers/p_multigrid.h>

#include <algorithm>
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

/// On four meshes, each refined from the one before, with the figures of the smallest memory.
TEST_P(PMultigridTest, TaylorVortexPressure)
{
  for (unsigned int degree = 2; degree <= 6; ++degree)
    {
      std::vector<unsigned int> counts;
      double                    memory = 0;
      for (unsigned int n_refinements = 1; n_refinements <= 4; ++n_refinements)
        {
          Problem problem(n_refinements);
          counts.push_back(iterations<float>(degree, problem, {}, &memory));
        }
      std::cout << "N = " << degree << ": iterations";
      for (const unsigned int n : counts)
        std::cout << ' ' << n;
      std::cout << "; " << memory << " bytes an element" << std::endl;
      EXPECT_LE(*std::max_element(counts.begin(), counts.end()), 20);
      EXPECT_LE(counts.back(), counts.front() + 3);
      EXPECT_LE(memory, 4000);
    }
}

/// Nothing but constants is added to the kernel, and precision makes no difference.
TEST_P(PMultigridTest, Neumann)
{
  for (const unsigned int degree : {2, 5})
    {
      std::vector<unsigned int> counts;
      for (const unsigned int n_refinements : {2, 3})
        {
          Problem problem(n_refinements, true);
          counts.push_back(iterations<float>(degree, problem));
          EXPECT_NEAR(counts.back(), iterations<double>(degree, problem), 1);
        }
      std::cout << "N = " << degree << ": " << counts[0] << ", " << counts[1] << std::endl;
      EXPECT_LE(counts[1], counts[0] + 2);
      EXPECT_LE(counts[1], 28);
    }
}

/// Every combination converges; the discontinuous coarse space, which knows nothing of the
/// continuous functions, needs more iterations.
TEST_P(PMultigridTest, Variants)
{
  using Multigrid = PMultigrid<2, double>;
  using Cycle     = AlgebraicMultigrid<double>::Cycle;
  for (const auto space :
       {Multigrid::CoarseSpace::continuous, Multigrid::CoarseSpace::discontinuous})
    for (const bool smoothed : {true, false})
      for (const Cycle cycle : {Cycle::V, Cycle::K})
        {
          const bool                continuous = space == Multigrid::CoarseSpace::continuous;
          Multigrid::AdditionalData data;
          data.coarse_space                   = space;
          data.algebraic.cycle                = cycle;
          data.algebraic.aggregation.smoothed = smoothed;
          std::cout << (continuous ? "continuous" : "discontinuous")
                    << (smoothed ? ", smoothed, " : ", plain, ") << (cycle == Cycle::V ? 'V' : 'K')
                    << ':';
          unsigned int n = 0;
          for (const unsigned int n_refinements : {2, 3})
            {
              Problem problem(n_refinements);
              n = iterations<double>(4, problem, data);
              std::cout << ' ' << n << std::flush;
            }
          std::cout << std::endl;
          EXPECT_LE(n, continuous ? 20 : 80);
        }
}

/// A symmetric operator, also between vectors in another precision.
TEST_P(PMultigridTest, IsSymmetric)
{
  Problem            problem(2);
  LaplaceOperator<2> A;
  problem.reinit(A, 3, device());
  PMultigrid<2, double> multigrid;
  multigrid.initialize(A, {});
  Saltus::Vector<double> x, y, Bx, By;
  for (auto *vector : {&x, &y, &Bx, &By})
    A.initialize_vector(*vector);
  A.right_hand_side(x, Problem::expression("sin(7*x)*y"));
  A.right_hand_side(y, Problem::expression("x*exp(y)"));
  multigrid.vmult(Bx, x);
  multigrid.vmult(By, y);
  EXPECT_NEAR(Bx * y, x * By, 1e-12 * Bx.l2_norm() * y.l2_norm());
  EXPECT_GT(Bx * x, 0.);
}

TEST_P(PMultigridTest, BadInputIsRefused)
{
  Problem            problem(1);
  LaplaceOperator<2> A;
  problem.reinit(A, 2, device());
  PMultigrid<2, float>                 multigrid;
  PMultigrid<2, float>::AdditionalData data;
  data.smoother_degree = 0;
  EXPECT_THROW(multigrid.initialize(A, data), ExceptionBase);
}
