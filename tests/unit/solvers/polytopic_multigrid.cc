// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Multigrid on polytopic elements: few iterations whatever the mesh and the degree; and the solvers
// that it is for.
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/gmres.h>
#include <saltus/solvers/polytopic/polytopic_multigrid.h>

#include <gtest/gtest.h>
#include <helpers/meshes.h>
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
            const std::string &velocity = "")
      : mapping(FE_SimplexP<dim>(1))
    {
      make_box(triangulation, n, 0.2);
      mesh = std::make_shared<PolytopicMesh<dim>>(
        mapping, agglomerate(triangulation, Grouping::metis, triangulation.n_active_cells() / 8));
      space = std::make_unique<PolytopicSpace<dim>>(mesh, degree);
      EllipticBoundaryConditions<dim> conditions;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        conditions.set_dirichlet(id);
      typename PolytopicOperator<dim>::AdditionalData data;
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
    MappingFE<dim>                            mapping;
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
    if (data.cycle == AlgebraicMultigrid<Number>::Cycle::V)
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
    data                 = {};
    data.smoother_degree = 8;
    EXPECT_LE((iterations<2, float>(problem, data)), 30U);
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
    FEValues<2>               values(problem.mapping,
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
