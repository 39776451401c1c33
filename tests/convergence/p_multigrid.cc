// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Iterations of CG with p-multigrid: nearly independent of the degree and of the mesh.
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/multigrid/p_multigrid.templates.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/on_device.h>
#include <helpers/shifted_operator.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  FieldFunction<dim>
  expression(const std::string &text)
  {
    return {Expression(dim, text, 1)};
  }

  const std::string taylor_vortex_source = "-8*pi^2*cos(2*pi*x)*cos(2*pi*y)";

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
          conditions.set_dirichlet(id, expression<2>("-cos(2*pi*x)*cos(2*pi*y)"));
        else // the normal derivative vanishes at |x| = 1/2 and |y| = 1/2
          conditions.set_neumann(id);
    }

    void
    reinit(LaplaceOperator<2> &A, const unsigned int degree, const Device device)
    {
      dof_handler.distribute_dofs(FE_SimplexDGModal<2>(degree));
      A.reinit(mapping, dof_handler, conditions, device);
    }

    Triangulation<2>              triangulation;
    MappingFE<2>                  mapping;
    DoFHandler<2>                 dof_handler;
    EllipticBoundaryConditions<2> conditions;
  };

  class PMultigridTest : public OnDevice
  {
  protected:
    template <typename Number, int dim>
    unsigned int
    iterations(const LaplaceOperator<dim>                                              &A,
               const std::string                                                       &source,
               const typename PMultigrid<LaplaceOperator<dim, Number>>::AdditionalData &data = {},
               double *memory = nullptr)
    {
      PMultigrid<LaplaceOperator<dim, Number>> multigrid;
      multigrid.initialize(A, data);
      auto                   x = zeros(A);
      Saltus::Vector<double> b;
      A.right_hand_side(b, expression<dim>(source));
      if (A.is_singular())
        A.remove_null_space(b);
      // Of needles, rounding errors let the residual of the solution stagnate a little above.
      const auto report = solve_cg(A, x, b, multigrid, {1e-10, 1000, SolutionCheck::tolerant});
      EXPECT_LT(report.reduction, 3e-10);
      if (memory != nullptr)
        *memory = multigrid.memory_per_element();
      return report.iterations;
    }

    template <typename Number>
    unsigned int
    iterations(const unsigned int                                                     degree,
               Problem                                                               &problem,
               const typename PMultigrid<LaplaceOperator<2, Number>>::AdditionalData &data = {},
               double *memory = nullptr)
    {
      LaplaceOperator<2> A;
      problem.reinit(A, degree, device());
      return iterations<Number>(A, taylor_vortex_source, data, memory);
    }

    /// Iterations on meshes that are refined from one to the next, printed.
    template <int dim>
    std::vector<unsigned int>
    iterations(const unsigned int                                   degree,
               const std::vector<unsigned int>                     &refinements,
               const EllipticBoundaryConditions<dim>               &conditions,
               const typename LaplaceOperator<dim>::AdditionalData &data = {})
    {
      std::vector<unsigned int> counts;
      std::cout << dim << "D, N = " << degree << ": iterations";
      for (const unsigned int n_refinements : refinements)
        {
          const EllipticSetting<dim> setting(degree, n_refinements);
          LaplaceOperator<dim>       A;
          A.reinit(setting.mapping, setting.dof_handler, conditions, device(), data);
          counts.push_back(iterations<float>(A, "sin(3*x)*cos(2*y)"));
          std::cout << ' ' << counts.back() << std::flush;
        }
      std::cout << std::endl;
      return counts;
    }

    /// On the unit square or cube, uniform and with @p n_levels levels of hanging nodes around a
    /// corner.
    template <int dim>
    void
    expect_adapted_as_uniform(const unsigned int degree,
                              const unsigned int n_refinements,
                              const unsigned int n_levels)
    {
      Triangulation<dim> triangulation;
      dealii::GridGenerator::hyper_cube(triangulation, 0., 1., true);
      triangulation.refine_global(n_refinements);
      const MappingQ<dim>       mapping(1);
      std::vector<unsigned int> counts;
      for (unsigned int level = 0; level <= n_levels; ++level)
        {
          for (const auto &cell : triangulation.active_cell_iterators())
            if (level > 0 && cell->vertex(0).norm() < 2. * cell->diameter())
              cell->set_refine_flag();
          triangulation.execute_coarsening_and_refinement();
          DoFHandler<dim> dof_handler(triangulation);
          dof_handler.distribute_dofs(FE_HypercubeDG<dim>(degree));
          LaplaceOperator<dim> A;
          A.reinit(mapping, dof_handler, all_elliptic_conditions<dim>(), device());
          counts.push_back(iterations<float>(A, "sin(3*x)*cos(2*y)"));
        }
      std::cout << dim << "D, N = " << degree << ", adapted level by level: iterations";
      for (const unsigned int n : counts)
        std::cout << ' ' << n;
      std::cout << std::endl;
      EXPECT_TRUE(triangulation.has_hanging_nodes());
      EXPECT_LE(*std::max_element(counts.begin(), counts.end()), counts.front() + 5);
    }

    /// @param growth from each mesh to the next
    void
    expect_few_and_steady(const std::vector<unsigned int> &counts,
                          const unsigned int               most,
                          const unsigned int               growth)
    {
      EXPECT_LE(*std::max_element(counts.begin(), counts.end()), most);
      for (std::size_t i = 1; i < counts.size(); ++i)
        EXPECT_LE(counts[i], counts[i - 1] + growth);
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
      for (unsigned int n_refinements = 1; n_refinements <= 3; ++n_refinements)
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
      EXPECT_LE(counts[1], 25);
    }
}

TEST_P(PMultigridTest, Tetrahedra)
{
  for (const unsigned int degree : {1, 2, 3})
    for (const auto &conditions : {all_elliptic_conditions<3>(), all_elliptic_conditions<3>(true)})
      expect_few_and_steady(iterations<3>(degree, {1, 2}, conditions), 35, 8);
}

/// The solution is determined up to a constant.
TEST_P(PMultigridTest, PeriodicBoundaries)
{
  for (const unsigned int degree : {2, 5})
    expect_few_and_steady(iterations<2>(degree,
                                        {1, 2, 3},
                                        periodic_conditions<EllipticBoundaryConditions, 2>()),
                          25,
                          4);
}

/// Smooth coefficients; and one that jumps along the edges of triangles, not along a line.
TEST_P(PMultigridTest, Coefficients)
{
  for (const auto &coefficients : all_elliptic_coefficients<2>())
    expect_few_and_steady(
      iterations<2>(4, {1, 2, 3}, all_elliptic_conditions<2>(), coefficients.data<double>()),
      25,
      4);
  for (const std::string jump : {"1e-4", "1e4"})
    {
      LaplaceOperator<2>::AdditionalData data;
      data.diffusion = {expression<2>("if(x < 0.5, 1, " + jump + ")"), Sampling::by_element};
      expect_few_and_steady(iterations<2>(3, {2, 3, 4}, dirichlet_conditions<2>(), data), 25, 4);
    }
}

TEST_P(PMultigridTest, AdaptedMeshes)
{
  for (unsigned int degree = 1; degree <= 5; ++degree)
    expect_adapted_as_uniform<2>(degree, 4, 4);
  for (unsigned int degree = 1; degree <= 3; ++degree)
    expect_adapted_as_uniform<3>(degree, 2, 2);
}

/// Triangles that are stretched 100:1, on meshes refined from one to the next: smoothing along
/// lines makes them no harder than others.
TEST_P(PMultigridTest, StretchedTriangles)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    {
      std::vector<unsigned int> counts;
      for (const unsigned int n : {6, 12, 24})
        {
          Triangulation<2> triangulation;
          Saltus::GridGenerator::box<2>(triangulation, Point<2>(), Point<2>(1., 0.01), {n, n}, 0.);
          DoFHandler<2> dof_handler(triangulation);
          dof_handler.distribute_dofs(FE_SimplexDGModal<2>(degree));
          LaplaceOperator<2> A;
          A.reinit(MappingFE<2>(FE_SimplexP<2>(1)),
                   dof_handler,
                   dirichlet_conditions<2>(),
                   device());
          counts.push_back(iterations<float>(A, "sin(3*x)*cos(200*y)"));
        }
      std::cout << "N = " << degree << ": " << counts[0] << ' ' << counts[1] << ' ' << counts[2]
                << std::endl;
      expect_few_and_steady(counts, 20, 3);
    }
}

/// A mesh that is a single line: the smoother solves the problem.
TEST_P(PMultigridTest, OneLine)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    for (const unsigned int n : {4, 32})
      {
        Triangulation<2> triangulation;
        Saltus::GridGenerator::box<2>(triangulation, Point<2>(), Point<2>(1., 0.1), {1, n}, 0.);
        DoFHandler<2> dof_handler(triangulation);
        dof_handler.distribute_dofs(FE_SimplexDGModal<2>(degree));
        LaplaceOperator<2> A;
        A.reinit(MappingFE<2>(FE_SimplexP<2>(1)), dof_handler, dirichlet_conditions<2>(), device());
        EXPECT_LE(iterations<float>(A, "sin(3*x)*cos(20*y)"), 6);
        EXPECT_LE(iterations<double>(A, "sin(3*x)*cos(20*y)"), 6);
      }
}

/// Needles of 0.45 degrees that meet in a point: lines nearly solve the problem, but not quite, and
/// the largest eigenvalue is hardly seen in a residual.
TEST_P(PMultigridTest, Needles)
{
  constexpr unsigned int   n = 200;
  std::vector<Point<2>>    vertices(1);
  std::vector<CellData<2>> cells(n, CellData<2>(3));
  for (unsigned int i = 0; i <= n; ++i)
    {
      const double angle = i * numbers::PI_2 / n;
      vertices.emplace_back(std::cos(angle), std::sin(angle));
      if (i < n)
        cells[i].vertices = {0, i + 1, i + 2};
    }
  Triangulation<2> triangulation;
  triangulation.create_triangulation(vertices, cells, SubCellData());
  triangulation.refine_global(1);
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0);
  for (unsigned int degree = 1; degree <= 4; ++degree)
    {
      DoFHandler<2> dof_handler(triangulation);
      dof_handler.distribute_dofs(FE_SimplexDGModal<2>(degree));
      LaplaceOperator<2> A;
      A.reinit(MappingFE<2>(FE_SimplexP<2>(1)), dof_handler, conditions, device());
      EXPECT_LE(iterations<float>(A, "1"), 10);
      EXPECT_LE(iterations<double>(A, "1"), 10);
    }
}

/// Levels in single precision take half of the memory of double precision, but for the rounded
/// blocks, which are the same.
TEST_P(PMultigridTest, Memory)
{
  double  in_double = 0, in_float = 0;
  Problem problem(3);
  iterations<double>(6, problem, {}, &in_double);
  iterations<float>(6, problem, {}, &in_float);
  // At least the vectors of the finest level and its smoother, and a block with its scaling.
  const double rounded = 28 * 27 / 2 * 2;
  EXPECT_GT(in_float, 5 * 28 * sizeof(float) + rounded);
  EXPECT_GT(in_float - rounded, 0.45 * (in_double - rounded));
  EXPECT_LT(in_float - rounded, 0.65 * (in_double - rounded));
}

/// Every combination converges; the discontinuous coarse space, which knows nothing of the
/// continuous functions, needs more iterations.
TEST_P(PMultigridTest, Variants)
{
  using Multigrid = PMultigrid<LaplaceOperator<2, double>>;
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
  PMultigrid<LaplaceOperator<2, double>> multigrid;
  multigrid.initialize(A, {});
  auto x = zeros(A), y = x, Bx = x, By = x;
  A.right_hand_side(x, expression<2>("sin(7*x)*y"));
  A.right_hand_side(y, expression<2>("x*exp(y)"));
  multigrid.vmult(Bx, x);
  multigrid.vmult(By, y);
  expect_symmetric_and_positive(x, y, Bx, By);
}

/// Multigrid over an operator of a program's own: as few iterations, with the same solution as
/// without a preconditioner.
TEST_P(PMultigridTest, AnotherOperator)
{
  std::vector<unsigned int> counts;
  for (const unsigned int n_refinements : {1, 2})
    {
      Problem                    problem(n_refinements);
      ShiftedOperator<2, double> A;
      problem.reinit(A.laplace, 4, device());
      A.factor = 0.25;
      A.shift  = 3.;
      PMultigrid<ShiftedOperator<2, float>> multigrid;
      multigrid.initialize(A, {});
      auto                   x = zeros(A), y = x;
      Saltus::Vector<double> b;
      A.laplace.right_hand_side(b, expression<2>("sin(7*x)*y"));
      counts.push_back(solve_cg<double>(A, x, b, multigrid).iterations);
      SolverSettings settings;
      settings.max_iterations = 10000;
      const auto plain        = solve_cg<double>(A, y, b, {}, settings).iterations;
      EXPECT_GT(plain, 3 * counts.back());
      EXPECT_LT(x.max_difference(y), 1e-7 * y.linfty_norm());
      std::cout << "iterations " << counts.back() << ", without multigrid " << plain << std::endl;
    }
  expect_few_and_steady(counts, 20, 2);
}

TEST_P(PMultigridTest, BadInputIsRefused)
{
  Problem            problem(1);
  LaplaceOperator<2> A;
  problem.reinit(A, 2, device());
  PMultigrid<LaplaceOperator<2, float>>                 multigrid;
  PMultigrid<LaplaceOperator<2, float>>::AdditionalData data;
  data.smoother_degree = 0;
  EXPECT_THROW(multigrid.initialize(A, data), ExceptionBase);
  Saltus::Vector<double> x, y;
  EXPECT_THROW((PMultigrid<LaplaceOperator<2, float>>().vmult(x, y)), ExceptionBase);
  multigrid.initialize(A, {});
  EXPECT_THROW(multigrid.vmult(x, y), ExceptionBase); // not initialised
  LaplaceOperator<2> B;
  B.reinit(A, 1);
  B.initialize_vector(y);
  EXPECT_THROW(multigrid.vmult(x, y), ExceptionBase); // of another degree
}
