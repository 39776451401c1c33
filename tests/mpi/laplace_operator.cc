// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator on several ranks against one: products, right-hand sides, blocks,
// solutions, singular problems.
#include <deal.II/grid/grid_generator.h>

#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/epetra_matrix.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_hypercubes.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/on_ranks.h>
#include <helpers/vectors.h>
#include <type_traits>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class LaplaceOnRanks : public OnDevice
  {
  protected:
    /// What @p work(operator, x) makes of a vector: on one rank, and on all.
    /// @param kinds on all
    template <int dim, template <int> class Setting, typename Work>
    void
    compare(const Setting<dim>                      &setting,
            const EllipticCoefficients<dim>         &coefficients,
            const EllipticBoundaryConditions<dim>   &conditions,
            const double                             tolerance,
            const Work                              &work,
            const typename ElementOrder<dim>::Kinds &kinds = {}) const
    {
      const auto             data = coefficients.template data<double>();
      Saltus::Vector<double> x;
      LaplaceOperator<dim>   A;
      const auto             change = [&](const auto &dof_handler, auto &part) {
        const bool on_one = &dof_handler == &setting.dof_handler;
        const auto mesh   = make_mesh(setting.mapping,
                                    dof_handler.get_triangulation(),
                                    conditions.periodic(),
                                    max_matching_rounds,
                                    on_one ? typename ElementOrder<dim>::Kinds() : kinds);
        A.reinit(mesh, dof_handler, conditions, device(), data);
        EXPECT_EQ(A.m(), setting.dof_handler.n_dofs());
        A.initialize_vector(x);
        A.copy_from(x, part);
        work(A, x);
        A.copy_to(part, x);
      };
      compare_with_one_rank(setting.dof_handler, setting.random_vector(1), tolerance, change);
    }

    template <int dim>
    void
    compare_products(const unsigned int max_degree) const
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          const EllipticSetting<dim> setting(degree);
          for (const auto &coefficients : all_elliptic_coefficients<dim>())
            {
              const bool periodic = degree % 2 == 0;
              // Where points are depends on the order of vertices, see LaplaceTest.
              const bool same_points = coefficients.sampling != Sampling::by_point ||
                                       2 * degree + 2 <= max_symmetric_degree<dim>();
              SCOPED_TRACE("degree " + std::to_string(degree) + ", " + coefficients.name);
              compare<dim>(setting,
                           coefficients,
                           all_elliptic_conditions<dim>(periodic),
                           same_points ? 1e-12 : 1e-2,
                           [](const auto &A, auto &x) {
                             auto y = x;
                             A.vmult(y, x);
                             x = y;
                           });
            }
        }
    }
  };

  template <int dim>
  FieldFunction<dim>
  source()
  {
    return {Expression(dim, "sin(3*x)*cos(2*y)", 1)};
  }
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(LaplaceOnRanks)

TEST_P(LaplaceOnRanks, ProductsOnTriangles)
{
  compare_products<2>(6);
}

TEST_P(LaplaceOnRanks, ProductsOnTetrahedra)
{
  compare_products<3>(4);
}

TEST_P(LaplaceOnRanks, ProductsOnHypercubes)
{
  const auto compare_with = [&](const auto &setting, auto dimension) {
    constexpr int dim = decltype(dimension)::value;
    for (const auto &coefficients : all_elliptic_coefficients<dim>())
      compare<dim>(
        setting, coefficients, all_elliptic_conditions<dim>(), 1e-11, [](const auto &A, auto &x) {
          auto y = x;
          A.vmult(y, x);
          // With the matrix as well, which has parts of its own for hanging faces.
          dealii::TrilinosWrappers::SparseMatrix matrix;
          assemble(A, matrix);
          dealii::LinearAlgebra::distributed::Vector<double> from(
            matrix.locally_owned_domain_indices(), MPI_COMM_WORLD);
          auto to = from;
          A.copy_to(from, x);
          matrix.vmult(to, from);
          A.copy_from(x, to);
          x += y;
        });
  };
  for (const Cells cells : {Cells::turned, Cells::refined})
    {
      for (const unsigned int degree : {1, 3})
        compare_with(EllipticHypercubes<2>(degree, cells), std::integral_constant<int, 2>());
      compare_with(EllipticHypercubes<3>(1, cells), std::integral_constant<int, 3>());
    }
}

/// Residual with a right-hand side from data, then a sweep with the inverse blocks.
TEST_P(LaplaceOnRanks, RightHandSideAndBlocks)
{
  const auto step = [](const auto &A, auto &x) {
    Saltus::Vector<double> b, r = x;
    A.right_hand_side(b, source<2>());
    A.compute_residual(r, x, b);
    BlockDiagonal<double> blocks;
    A.compute_block_diagonal(blocks);
    blocks.invert();
    blocks.vmult(b, r);
    x += b;
  };
  const auto coefficients = all_elliptic_coefficients<2>()[2];
  for (const bool periodic : {false, true})
    {
      const auto               conditions = all_elliptic_conditions<2>(periodic);
      const EllipticSetting<2> setting(3), finer(3, 2);
      compare<2>(setting, coefficients, conditions, 1e-11, step);
      // Some elements in ranges of another kind, inside and at the border.
      compare<2>(finer, coefficients, conditions, 1e-11, step, some_are_stored<2>);
    }
}

/// The matrix with deal.II's numbering, spread over the ranks like deal.II's vectors.
TEST_P(LaplaceOnRanks, AssembledMatrix)
{
  for (const bool periodic : {false, true})
    {
      // Some elements in ranges of another kind.
      const EllipticSetting<2> setting(3, 2);
      const auto               u = setting.random_vector(1);
      for (const Spread spread : all_spreads)
        {
          SCOPED_TRACE(to_string(spread));
          const OnRanks<2>   ranks(setting.dof_handler, spread);
          LaplaceOperator<2> A;
          const auto         conditions = all_elliptic_conditions<2>(periodic);
          A.reinit(make_mesh(setting.mapping,
                             *ranks.triangulation,
                             conditions.periodic(),
                             max_matching_rounds,
                             some_are_stored<2>),
                   ranks.dof_handler,
                   conditions,
                   device(),
                   all_elliptic_coefficients<2>()[1].data<double>());
          dealii::TrilinosWrappers::SparseMatrix matrix;
          assemble(A, matrix);
          const auto part = ranks.part_of(u);
          auto       product(part), expected(part);
          auto       y = zeros(A);
          matrix.vmult(product, part);
          A.vmult(y, copied(A, part));
          A.copy_to(expected, y);
          product -= expected;
          EXPECT_LT(product.l2_norm(), 1e-12 * expected.l2_norm());
        }
    }
}

/// The same solution after the same number of iterations.
TEST_P(LaplaceOnRanks, ConjugateGradients)
{
  const EllipticSetting<2>  setting(2, 1);
  std::vector<unsigned int> iterations;
  compare<2>(setting,
             all_elliptic_coefficients<2>()[0],
             dirichlet_conditions<2>(),
             1e-8,
             [&](const auto &A, auto &x) {
               Saltus::Vector<double> b;
               A.right_hand_side(b, source<2>());
               BlockDiagonal<double> inverse;
               A.compute_block_diagonal(inverse);
               inverse.invert();
               x = 0.;
               SolverSettings settings;
               settings.tolerance = 1e-10;
               iterations.push_back(solve_cg(A, x, b, inverse, settings).iterations);
             });
  for (const unsigned int n : iterations)
    EXPECT_NEAR(n, iterations[0], 1);
}

/// Pure Neumann: right-hand side and solution are orthogonal to constants on the whole mesh.
TEST_P(LaplaceOnRanks, SingularProblem)
{
  const EllipticSetting<2> setting(2);
  const auto               conditions   = neumann_conditions<2>();
  EllipticCoefficients<2>  coefficients = all_elliptic_coefficients<2>()[0];
  coefficients.reaction                 = [](const Point<2> &) { return 0.; };
  compare<2>(setting, coefficients, conditions, 1e-12, [](const auto &A, auto &x) {
    ASSERT_TRUE(A.is_singular());
    A.remove_null_space(x);
    A.set_mean_value(x, 3.);
  });
}

/// A mesh of two parts of which one has no Dirichlet boundary: all ranks say so.
TEST_P(LaplaceOnRanks, UndeterminedPart)
{
  Triangulation<2> left, right, both;
  Saltus::GridGenerator::box<2>(left, Point<2>(), Point<2>(1., 1.), {3, 3}, 0.);
  Saltus::GridGenerator::box<2>(right, Point<2>(2., 0.), Point<2>(3., 1.), {3, 3}, 0.);
  dealii::GridGenerator::merge_triangulations(left, right, both, 1e-10, true);
  for (const auto &cell : both.active_cell_iterators())
    for (const unsigned int f : cell->face_indices())
      if (cell->at_boundary(f))
        cell->face(f)->set_boundary_id(cell->center()[0] < 1.5 ? 0 : 1);
  DoFHandler<2> dof_handler(both);
  dof_handler.distribute_dofs(FE_SimplexDGModal<2>(1));
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0);
  conditions.set_neumann(1);
  const MappingFE<2> mapping(FE_SimplexP<2>(1));
  for (const Spread spread : all_spreads)
    {
      const OnRanks<2>  ranks(dof_handler, spread);
      const std::string message = message_of(
        [&]() { LaplaceOperator<2>().reinit(mapping, ranks.dof_handler, conditions, device()); });
      EXPECT_TRUE(contains(message, "2 parts that no face joins"));
    }
}
