// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Multigrid on polytopic elements: few iterations whatever the mesh and the degree; and the solvers
// that it is for.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/solvers/krylov/belos.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/gmres.h>
#include <saltus/solvers/polytopic/linear_functions.h>
#include <saltus/solvers/polytopic/polytopic_multigrid.h>

#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>
#include <type_traits>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class PolytopicMultigridTest : public OnDevice
  {};

  template <int dim>
  struct Problem
  {
    Problem(const Device       device,
            const unsigned int n,
            const unsigned int degree,
            const std::string &velocity  = "",
            const double       diffusion = 1.)
    {
      make_box(triangulation, n, 0.2);
      mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
      set_up(agglomerate(triangulation, Grouping::metis, triangulation.n_active_cells() / 8),
             device,
             degree,
             velocity,
             diffusion);
    }

    /// On thin rectangles.
    Problem(const Device device, const unsigned int n, const unsigned int degree, const double size)
    {
      dealii::GridGenerator::subdivided_hyper_rectangle(
        triangulation, {n, n}, Point<2>(0., 0.), Point<2>(size, 1.), true);
      mapping = std::make_unique<MappingQ<dim>>(1);
      set_up(agglomerate_none(triangulation), device, degree, "", 1.);
    }

    void
    set_up(const Agglomeration<dim> &agglomeration,
           const Device              device,
           const unsigned int        degree,
           const std::string        &velocity,
           const double              diffusion)
    {
      mesh  = std::make_shared<PolytopicMesh<dim>>(*mapping, agglomeration);
      space = std::make_unique<PolytopicSpace<dim>>(mesh, degree);
      EllipticBoundaryConditions<dim> conditions;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        conditions.set_dirichlet(id);
      typename PolytopicOperator<dim>::AdditionalData data;
      data.diffusion = diffusion;
      if (!velocity.empty())
        data.velocity = Expression(dim, velocity, dim);
      op.reinit(*space, conditions, device, data);
      matrix = BlockCSRMatrix<double>(op.sparsity(), device);
      op.assemble(matrix);
      op.initialize_vector(x);
      solution = x;
      solution.set_entries(random_vector<std::vector<double>>(x.size(), 5));
      b = x;
      matrix.vmult(b, solution);
    }

    Triangulation<dim>                        triangulation;
    std::unique_ptr<Mapping<dim>>             mapping;
    std::shared_ptr<const PolytopicMesh<dim>> mesh;
    std::unique_ptr<PolytopicSpace<dim>>      space;
    PolytopicOperator<dim>                    op;
    BlockCSRMatrix<double>                    matrix;
    Saltus::Vector<double>                    x, b, solution;
  };

  template <int dim, typename Number>
  unsigned int
  iterations(Problem<dim>                                                   &problem,
             const typename PolytopicMultigrid<dim, Number>::AdditionalData &data)
  {
    PolytopicMultigrid<dim, Number> multigrid;
    multigrid.initialize(problem.op, problem.matrix, data);
    // The cycle is symmetric and linear.
    Saltus::Vector<double> y = problem.x, z = problem.x;
    multigrid.vmult(y, problem.b);
    multigrid.vmult(z, problem.solution);
    if (data.cycle != MultigridCycle::K)
      {
        EXPECT_NEAR(y * problem.solution,
                    z * problem.b,
                    (std::is_same<Number, double>::value ? 1e-8 : 1e-4) * y.l2_norm() *
                      problem.solution.l2_norm());
      }
    const bool k_cycle       = data.cycle == AlgebraicMultigrid<Number>::Cycle::K;
    problem.x                = 0.;
    const SolveReport report = solve_cg(problem.matrix,
                                        problem.x,
                                        problem.b,
                                        multigrid,
                                        {1e-8, 200},
                                        k_cycle ? CGVariant::flexible : CGVariant::standard);
    EXPECT_LT(problem.x.max_difference(problem.solution), 1e-3);
    return report.iterations;
  }

  TEST_P(PolytopicMultigridTest, IterationsIn2D)
  {
    for (const unsigned int degree : {1, 2, 3, 5})
      for (const unsigned int n : {16, 32})
        {
          Problem<2> problem(device(), n, degree);
          EXPECT_LE((iterations<2, double>(problem, {})), 45U)
            << "degree " << degree << ", n " << n;
          EXPECT_LE((iterations<2, float>(problem, {})), 45U) << "degree " << degree << ", n " << n;
        }
  }

  TEST_P(PolytopicMultigridTest, IterationsIn3D)
  {
    for (const unsigned int degree : {1, 2, 3})
      {
        Problem<3> problem(device(), 6, degree);
        EXPECT_LE((iterations<3, float>(problem, {})), 45U) << "degree " << degree;
      }
  }

  TEST_P(PolytopicMultigridTest, Choices)
  {
    Problem<2>                                   problem(device(), 24, 2);
    PolytopicMultigrid<2, float>::AdditionalData data;
    data.grouping = Grouping::metis;
    data.cycle    = AlgebraicMultigrid<float>::Cycle::K;
    EXPECT_LE((iterations<2, float>(problem, data)), 40U);
    data.cycle = AlgebraicMultigrid<float>::Cycle::W;
    EXPECT_LE((iterations<2, float>(problem, data)), 40U);
    // Steps of high degree enlarge what single precision rounds away.
    PolytopicMultigrid<2, double>::AdditionalData many_steps;
    many_steps.smoother_degree = 8;
    EXPECT_LE((iterations<2, double>(problem, many_steps)), 30U);
    data                = {};
    data.grouping       = Grouping::couplings;
    data.elements_first = true;
    EXPECT_LE((iterations<2, float>(problem, data)), 40U);
    Problem<3> polyhedra(device(), 6, 3);
    EXPECT_LE((iterations<3, float>(polyhedra, {4, Grouping::boxes, 8, true})), 45U);
  }

  /// Elements 100 times as long as wide: larger elements first.
  TEST_P(PolytopicMultigridTest, ThinElements)
  {
    PolytopicMultigrid<2, float>::AdditionalData data;
    data.elements_first = true;
    for (const unsigned int n : {16, 32})
      {
        Problem<2> problem(device(), n, 2, 100.);
        EXPECT_LE((iterations<2, float>(problem, data)), 40U) << n;
      }
  }

  /// The same functions on larger elements and on their parts, whose degrees are as high in most.
  TEST_P(PolytopicMultigridTest, Prolongation)
  {
    const Problem<3>          problem(device(), 4, 3);
    const PolytopicMesh<3>   &mesh = *problem.mesh;
    std::vector<unsigned int> degrees(mesh.n_elements(), 4);
    degrees[0] = degrees[1] = 2; // there they are projections
    for (const BoxAxes axes : {BoxAxes::parallel, BoxAxes::principal})
      {
        const PolytopicSpace<3> fine(std::make_shared<const PolytopicMesh<3>>(
                                       *problem.mapping, mesh.cells_of_elements(), axes),
                                     degrees);
        const PolytopicSpace<3> coarse(coarser_mesh(fine.mesh(), Grouping::boxes, 4), 3);
        EXPECT_LT(coarse.mesh().n_elements(), fine.mesh().n_elements() / 2);
        const auto function = random_vector<std::vector<double>>(coarse.n_dofs(), 3);
        const auto rows     = prolongation(fine, coarse);
        ASSERT_EQ(rows.n_rows(), fine.n_dofs());
        std::vector<double> result(rows.n_rows(), 0.);
        for (std::size_t i = 0; i < result.size(); ++i)
          for (std::size_t k = rows.row_starts[i]; k < rows.row_starts[i + 1]; ++k)
            result[i] += rows.values[k] * function[rows.columns[k]];
        const auto linear = linear_functions(fine);
        for (const auto &cell : problem.triangulation.active_cell_iterators())
          {
            const unsigned int c = cell->active_cell_index(), e = fine.mesh().element_of(c);
            EXPECT_NEAR(fine.value(linear[0], e, cell->center()), 1., 1e-10);
            for (unsigned int d = 0; d < 3; ++d)
              EXPECT_NEAR(fine.value(linear[d + 1], e, cell->center()), cell->center()[d], 1e-10);
            const double larger =
              coarse.value(function, coarse.mesh().element_of(c), cell->center());
            if (degrees[e] > 3)
              {
                EXPECT_NEAR(fine.value(result, e, cell->center()), larger, 1e-9);
              }
          }
      }
  }

  /// The scaled matrix has identities on its diagonal, and is symmetric if it was.
  TEST_P(PolytopicMultigridTest, BlockRoots)
  {
    for (const std::string velocity : {"", "20; 10*x"})
      {
        const Problem<2>         problem(device(), 4, 4, velocity, velocity.empty() ? 1. : 1e-3);
        const Saltus::BlockRoots roots(problem.matrix, velocity.empty());
        const auto               scaled =
          roots.scale<double>(problem.op.sparsity(), problem.matrix).compressed_rows();
        const auto &first_rows = problem.op.sparsity()->first_rows.host();
        const auto  element    = [&](const int row) {
          return std::upper_bound(first_rows.begin(), first_rows.end(), row) - first_rows.begin();
        };
        for (unsigned int i = 0; i < scaled.n_rows(); ++i)
          for (std::size_t k = scaled.row_starts[i]; k < scaled.row_starts[i + 1]; ++k)
            if (element(i) == element(scaled.columns[k]))
              {
                EXPECT_NEAR(scaled.values[k], int(i) == scaled.columns[k] ? 1. : 0., 1e-8);
              }
        // L (L^-1 A R^-1) R x = A x
        Saltus::Vector<double> y = problem.x, z = problem.x;
        roots.right.vmult(y, problem.solution);
        roots.scale<double>(problem.op.sparsity(), problem.matrix).vmult(z, y);
        roots.left.vmult(y, z);
        EXPECT_LT(y.max_difference(problem.b), 1e-9 * problem.b.linfty_norm());
        if (velocity.empty())
          {
            EXPECT_EQ(roots.inverse_left.compressed_rows().transpose().values,
                      roots.inverse_right.compressed_rows().transpose().transpose().values);
          }
      }
  }

  /// Not more iterations than with the inverses of diagonal blocks, whatever decides.
  TEST_P(PolytopicMultigridTest, AdvectionDominates)
  {
    for (const double diffusion : {1., 1e-2, 1e-3, 1e-6})
      {
        Problem<3>                   problem(device(), 6, 2, "1+x; 1+y; 1+z", diffusion);
        PolytopicMultigrid<3, float> multigrid;
        multigrid.initialize(problem.op, problem.matrix);
        const auto n = [&](const LinearMap<double> &preconditioner) {
          problem.x = 0.;
          return solve_gmres(problem.matrix, problem.x, problem.b, preconditioner, {1e-10, 2000})
            .iterations;
        };
        const BlockCSRMatrix<double> inverse      = inverse_diagonal_blocks(problem.matrix);
        const unsigned int           by_multigrid = n(multigrid);
        EXPECT_LT(problem.x.max_difference(problem.solution), 1e-6);
        EXPECT_LE(by_multigrid, 25U) << "diffusion " << diffusion;
        EXPECT_LT(2 * by_multigrid, n(inverse));
      }
  }

  TEST_P(PolytopicMultigridTest, GMRESWithAdvection)
  {
    Problem<2>                   problem(device(), 16, 3, "20; 10*x");
    PolytopicMultigrid<2, float> multigrid;
    multigrid.initialize(problem.op, problem.matrix);
    const SolveReport report =
      solve_gmres(problem.matrix, problem.x, problem.b, multigrid, {1e-10, 100});
    EXPECT_LE(report.iterations, 60U);
    EXPECT_LT(problem.x.max_difference(problem.solution), 1e-6);
    // Belos does the same.
    problem.x                      = 0.;
    const SolveReport report_belos = solve_belos<double>(
      problem.matrix, problem.x, problem.b, multigrid, {1e-10, 100}, BelosMethod::gmres);
    EXPECT_NEAR(report_belos.iterations, report.iterations, 2.);
    EXPECT_EQ(report_belos.residuals.size(), report_belos.iterations + 1);
    EXPECT_LT(problem.x.max_difference(problem.solution), 1e-6);
    problem.x = 0.;
    EXPECT_THROW(solve_belos<double>(
                   problem.matrix, problem.x, problem.b, multigrid, {1e-10, 3}, BelosMethod::gmres),
                 NoConvergence);
    const BlockCSRMatrix<double> inverse = inverse_diagonal_blocks(problem.matrix);
    problem.x                            = 0.;
    solve_gmres(problem.matrix, problem.x, problem.b, inverse, {1e-10, 3000});
    EXPECT_LT(problem.x.max_difference(problem.solution), 1e-5);
    // The inverse of a block is one.
    Saltus::Vector<double>       y     = problem.x;
    const BlockCSRMatrix<double> twice = inverse_diagonal_blocks(inverse);
    twice.vmult(y, problem.solution);
    inverse.vmult(problem.x, y);
    EXPECT_LT(problem.x.max_difference(problem.solution), 1e-8);
  }

  TEST_P(PolytopicMultigridTest, ReportsWhatItCannotDo)
  {
    Problem<2>                                   problem(device(), 4, 2);
    PolytopicMultigrid<2, float>                 multigrid;
    PolytopicMultigrid<2, float>::AdditionalData data;
    data.smoother_degree = 0;
    EXPECT_THROW(multigrid.initialize(problem.op, problem.matrix, data), ExcMessage);
    data       = {};
    data.ratio = 1;
    EXPECT_THROW(multigrid.initialize(problem.op, problem.matrix, data), ExcMessage);
    // Matrices beyond the memory, before they are made, and points beyond 2^31.
    const auto        huge    = std::make_shared<const BlockSparsity>(std::vector<int>{0, 3},
                                                            std::vector<int>{0, 1},
                                                            std::vector<int>{0},
                                                            std::vector<std::size_t>{0, 1UL << 50},
                                                            1UL << 50);
    const std::string message = message_of([&]() { BlockCSRMatrix<double>(huge, device()); });
    EXPECT_TRUE(contains(message, "A matrix of 3 rows in 1 blocks needs 8388608.00 GiB of "))
      << message;
    EXPECT_TRUE(contains(message, device().is_cuda() ? "the GPU has only " : "the host has only "))
      << message;
    EXPECT_MESSAGE(check_number_of_points(1UL << 31, nullptr),
                   "2147483648 quadrature points of a rank are too many: at most 2147483647");
  }

  /// Values, gradients, and the same function on the cells.
  TEST_P(PolytopicMultigridTest, FunctionsOnCells)
  {
    const Problem<2>          problem(device(), 4, 3);
    const PolytopicSpace<2>  &space        = *problem.space;
    const std::vector<double> coefficients = problem.solution.entries();
    DoFHandler<2>             dof_handler(problem.triangulation);
    dof_handler.distribute_dofs(FE_SimplexDGModal<2>(3));
    dealii::Vector<double> on_cells(dof_handler.n_dofs());
    space.copy_to_cells(coefficients, dof_handler, on_cells);
    const Quadrature<2>       rule(std::vector<Point<2>>{{0.2, 0.3}, {0.1, 0.85}});
    FEValues<2>               values(*problem.mapping,
                       dof_handler.get_fe(),
                       rule,
                       update_values | update_gradients | update_quadrature_points);
    std::vector<double>       u(rule.size());
    std::vector<Tensor<1, 2>> gradients(rule.size());
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        values.reinit(cell);
        values.get_function_values(on_cells, u);
        values.get_function_gradients(on_cells, gradients);
        const unsigned int element = space.mesh().element_of(cell->active_cell_index());
        for (unsigned int q = 0; q < rule.size(); ++q)
          {
            const Point<2> x = values.quadrature_point(q);
            EXPECT_NEAR(u[q], space.value(coefficients, element, x), 1e-9);
            EXPECT_LT((gradients[q] - space.gradient(coefficients, element, x)).norm(), 1e-7);
          }
      }
  }

  SALTUS_INSTANTIATE_ON_DEVICES(PolytopicMultigridTest)
} // namespace
