// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator against an assembly with deal.II, and its parts against its matrix.
#include <deal.II/base/function_parser.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/krylov/epetra_matrix.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/l2_error.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>
#include <limits>
#include <string>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  FieldFunction<2>
  expression(const std::string &text)
  {
    return {Expression(2, text, 1)};
  }

  class LaplaceTest : public OnDevice
  {
  protected:
    template <int dim>
    void
    compare_with_assembly(const unsigned int max_degree)
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          const EllipticSetting<dim> setting(degree);
          const auto                 all = all_elliptic_coefficients<dim>();
          for (std::size_t i = 0; i < all.size(); ++i)
            {
              SCOPED_TRACE("degree " + std::to_string(degree) + ", " + all[i].name);
              compare_with_assembly(setting, all[i], (degree + i) % 2 == 0);
            }
        }
    }

    template <int dim>
    void
    compare_with_assembly(const EllipticSetting<dim>      &setting,
                          const EllipticCoefficients<dim> &coefficients,
                          const bool                       periodic)
    {
      const auto conditions = all_elliptic_conditions<dim>(periodic);
      const auto u          = setting.random_vector(1);
      const auto expected   = EllipticAssembly<dim>(setting, coefficients).vmult(conditions, u);
      const auto A          = make<double>(setting, coefficients, conditions);
      const auto A_float    = make<float>(setting, coefficients, conditions);
      // Points of a rule that is not symmetric are elsewhere if the vertices have another order,
      // and so are the largest and the smallest coefficient on which the penalty depends.
      const bool same_points =
        coefficients.sampling != Sampling::by_point ||
        2 * setting.dof_handler.get_fe().degree + 2 <= max_symmetric_degree<dim>();
      EXPECT_LT(relative_difference(vmult(*A, u), expected), same_points ? 1e-11 : 1e-2);
      EXPECT_LT(relative_difference(vmult(*A_float, u), expected), same_points ? 1e-4 : 1e-2);
      const auto unmatched = make<double>(setting, coefficients, conditions, 0);
      EXPECT_LT(relative_difference(vmult(*unmatched, u), expected), 1e-11);
      const auto v = setting.random_vector(2);
      expect_symmetric_and_positive(u, v, vmult(*A, u), vmult(*A, v));
      // Added to another vector: nothing is left of A u - A u.
      auto x = copied(*A, u), y = zeros(*A), rest = y;
      A->vmult(y, x);
      EXPECT_LT(A->residual(rest, x, y), 1e-12 * y.l2_norm());
    }

    template <typename Number, int dim>
    std::unique_ptr<LaplaceOperator<dim, Number>>
    make(const EllipticSetting<dim>              &setting,
         const EllipticCoefficients<dim>         &coefficients,
         const EllipticBoundaryConditions<dim>   &conditions,
         const unsigned int                       matching_rounds = max_matching_rounds,
         const typename ElementOrder<dim>::Kinds &kinds           = {}) const
    {
      auto A = std::make_unique<LaplaceOperator<dim, Number>>();
      A->reinit(setting.mesh(conditions.periodic(), matching_rounds, kinds),
                setting.dof_handler,
                conditions,
                device(),
                coefficients.template data<Number>());
      return A;
    }

    /// @param diffusion a constant tensor k
    /// @param solution a linear function u
    /// @param flux_right,flux_below n.k grad u where x = 1 and where y = 0
    template <int dim>
    void
    check_boundary_data(const unsigned int degree,
                        const std::string &diffusion,
                        const std::string &solution,
                        const std::string &flux_right,
                        const std::string &flux_below) const
    {
      const EllipticSetting<dim> setting(degree);
      const auto                 field = [](const std::string &text, const unsigned int n = 1) {
        return FieldFunction<dim>(Expression(dim, text, n));
      };
      const std::string               coefficient = std::to_string(robin_coefficient);
      EllipticBoundaryConditions<dim> conditions;
      conditions.set_dirichlet(0, field(solution));
      conditions.set_neumann(1, field(flux_right));
      conditions.set_robin(2,
                           robin_coefficient,
                           field(flux_below + "+" + coefficient + "*(" + solution + ")"));
      for (unsigned int id = 3; id < 2 * dim; ++id)
        conditions.set_dirichlet(id, field(solution));
      for (const Sampling sampling : {Sampling::by_element, Sampling::by_point})
        {
          typename LaplaceOperator<dim>::AdditionalData data;
          data.diffusion = {field(diffusion, dim * (dim + 1) / 2), sampling};
          LaplaceOperator<dim> A, without_data;
          A.reinit(setting.mapping, setting.dof_handler, conditions, device(), data);
          without_data.reinit(setting.mapping,
                              setting.dof_handler,
                              all_elliptic_conditions<dim>(),
                              device());
          auto                   u = zeros(A), Au = u;
          Saltus::Vector<double> moments, b;
          without_data.right_hand_side(moments, field(solution));
          ElementScaling<double> inverse_mass;
          A.compute_inverse_mass(inverse_mass);
          inverse_mass.vmult(u, moments);
          A.vmult(Au, u);
          A.right_hand_side(b, {});
          EXPECT_GT(b.linfty_norm(), 0.1);
          EXPECT_LT(Au.max_difference(b), 1e-11 * b.linfty_norm());
        }
    }

    /// What an operator makes of @p u and data: products with it, its blocks and its matrix,
    /// right-hand side, residual.
    template <int dim>
    static std::vector<dealii::Vector<double>>
    results(const LaplaceOperator<dim> &A, const dealii::Vector<double> &u)
    {
      std::vector<dealii::Vector<double>> all;
      Saltus::Vector<double>              x, y, b;
      BlockDiagonal<double>               blocks;
      TrilinosWrappers::SparseMatrix      matrix;
      A.initialize_vector(x);
      A.initialize_vector(y);
      A.copy_from(x, u);
      A.vmult(y, x);
      all.push_back(to_dealii(A, y));
      A.compute_block_diagonal(blocks);
      blocks.vmult(y, x);
      all.push_back(to_dealii(A, y));
      assemble(A, matrix);
      matrix.vmult(all.emplace_back(u.size()), u);
      A.right_hand_side(b, Expression(dim, "x*x-y", 1));
      all.push_back(to_dealii(A, b));
      A.compute_residual(y, x, b);
      all.push_back(to_dealii(A, y));
      return all;
    }

    /// Elements that are declared another kind, and served by the general kernels, change nothing.
    template <int dim>
    void
    compare_kinds(const unsigned int degree, const bool periodic) const
    {
      const EllipticSetting<dim>      setting(degree, 1);
      const auto                      u    = setting.random_vector(1);
      const auto                      data = FieldFunction<dim>(Expression(dim, "1+x*y", 1));
      EllipticBoundaryConditions<dim> conditions;
      if (periodic)
        conditions.set_periodic(0, 1);
      else
        {
          conditions.set_dirichlet(0, data);
          conditions.set_neumann(1, data);
        }
      conditions.set_robin(2, robin_coefficient, data);
      for (unsigned int id = 3; id < 2 * dim; ++id)
        conditions.set_dirichlet(id, data);
      for (const auto &coefficients : all_elliptic_coefficients<dim>())
        {
          SCOPED_TRACE(coefficients.name);
          const auto expected = results(*make<double>(setting, coefficients, conditions), u);
          for (const auto kinds : {some_are_stored<dim>, all_are_stored<dim>})
            for (const unsigned int rounds : {max_matching_rounds, 0u})
              {
                const auto A = make<double>(setting, coefficients, conditions, rounds, kinds);
                EXPECT_EQ(A->element_space().order.ranges.back().kind, GeometryKind::stored);
                const auto of_kinds = results(*A, u);
                for (std::size_t i = 0; i < expected.size(); ++i)
                  EXPECT_LT(relative_difference(of_kinds[i], expected[i]), 1e-11) << i;
              }
        }
    }

    /// Diagonal, blocks, inverse mass, entries and residual, and the assembled matrix.
    template <int dim>
    void
    compare_parts(const unsigned int degree, const bool periodic)
    {
      const EllipticSetting<dim> setting(degree);
      const auto                 coefficients = all_elliptic_coefficients<dim>().back();
      const auto A = make<double>(setting, coefficients, all_elliptic_conditions<dim>(periodic));

      TrilinosWrappers::SparseMatrix matrix;
      assemble(*A, matrix);
      const auto             u = setting.random_vector(3), Au = vmult(*A, u);
      dealii::Vector<double> product(u.size());
      matrix.vmult(product, u);
      EXPECT_LT(relative_difference(product, Au), 1e-13);

      // The same matrix in the operator's numbering.
      const CompressedRows rows = A->couplings().compressed_rows();
      FullMatrix<double>   own(u.size(), u.size());
      for (unsigned int i = 0; i < u.size(); ++i)
        for (std::size_t k = rows.row_starts[i]; k < rows.row_starts[i + 1]; ++k)
          own(i, rows.columns[k]) += rows.values[k];
      EXPECT_NEAR(own.frobenius_norm(), matrix.frobenius_norm(), 1e-12 * own.frobenius_norm());

      auto                   x = copied(*A, u), y = zeros(*A);
      Saltus::Vector<double> diagonal;
      A->compute_diagonal(diagonal);
      BlockDiagonal<double> blocks;
      A->compute_block_diagonal(blocks);
      blocks.vmult(y, x);
      const unsigned int n = setting.dof_handler.get_fe().n_dofs_per_cell();
      for (const unsigned int i : {0u, 1u, 3 * n + 2, 5 * n - 1})
        {
          EXPECT_NEAR(diagonal(i), own(i, i), 1e-12 * diagonal(i));
          EXPECT_NEAR(A->el(i, i), own(i, i), 1e-12 * diagonal(i));
          for (const unsigned int j : {0u, 2u, n, 5 * n - 2})
            EXPECT_NEAR(A->el(i, j), own(i, j), 1e-12 * diagonal(i));
          double row = 0;
          for (unsigned int j = i / n * n; j < (i / n + 1) * n; ++j)
            row += own(i, j) * x(j);
          EXPECT_NEAR(y(i), row, 1e-11 * diagonal.linfty_norm());
        }

      // The inverse blocks undo the blocks.
      BlockDiagonal<double> inverse;
      A->compute_block_diagonal(inverse);
      inverse.invert();
      Saltus::Vector<double> z = x;
      inverse.vmult(z, y);
      EXPECT_LT(z.max_difference(x), 1e-10);

      // A small residual where x solves the system with b = A x.
      A->vmult(y, x);
      EXPECT_LT(A->residual(z, x, y), 1e-12 * y.l2_norm());
      z = x;
      A->vmult_add(z, x);
      z -= y;
      EXPECT_LT(z.max_difference(x), 1e-10);
    }
  };
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(LaplaceTest)

TEST_P(LaplaceTest, Triangles)
{
  compare_with_assembly<2>(max_assembled_degree<2>);
}

TEST_P(LaplaceTest, Tetrahedra)
{
  compare_with_assembly<3>(max_assembled_degree<3>);
}

TEST_P(LaplaceTest, Parts)
{
  compare_parts<2>(3, false);
  compare_parts<2>(1, true);
  compare_parts<3>(2, true);
}

/// The mass matrix is the operator with reaction 1 less the one without.
TEST_P(LaplaceTest, InverseMass)
{
  const EllipticSetting<2>                    setting(3);
  LaplaceOperator<2>                          A, B;
  typename LaplaceOperator<2>::AdditionalData data;
  A.reinit(setting.mapping, setting.dof_handler, all_elliptic_conditions<2>(), device(), data);
  data.reaction = 1.;
  B.reinit(setting.mapping, setting.dof_handler, all_elliptic_conditions<2>(), device(), data);
  auto x = copied(A, setting.random_vector(4)), y = zeros(A), z = y;
  A.vmult(y, x);
  y *= -1;
  B.vmult_add(y, x);
  ElementScaling<double> inverse_mass;
  A.compute_inverse_mass(inverse_mass);
  inverse_mass.vmult(z, y);
  EXPECT_LT(z.max_difference(x), 1e-9);
}

/// Smallest eigenvalue with the penalty factor 1, also with strongly anisotropic coefficients.
TEST_P(LaplaceTest, SmallestEigenvalueIsPositive)
{
  for (unsigned int degree = 1; degree <= 5; ++degree)
    {
      const EllipticSetting<2>                    setting(degree);
      typename LaplaceOperator<2>::AdditionalData data;
      data.diffusion = {FieldFunction<2>(Expression(2, "1; 0; 1e-4", 3)), Sampling::by_element};
      LaplaceOperator<2> A;
      A.reinit(setting.mapping, setting.dof_handler, all_elliptic_conditions<2>(), device(), data);
      TrilinosWrappers::SparseMatrix matrix;
      assemble(A, matrix);
      LAPACKFullMatrix<double> full(matrix.m());
      for (const auto &entry : matrix)
        full(entry.row(), entry.column()) = entry.value();
      dealii::Vector<double> eigenvalues;
      FullMatrix<double>     eigenvectors;
      full.compute_eigenvalues_symmetric(-1e10, 1e10, 1e-12, eigenvalues, eigenvectors);
      ASSERT_EQ(eigenvalues.size(), matrix.m());
      std::cout << "p = " << degree << ": eigenvalues from " << eigenvalues[0] << " to "
                << eigenvalues[eigenvalues.size() - 1] << std::endl;
      EXPECT_GT(eigenvalues[0], 0.);
    }
}

/// A level is the operator that is set up with its degree.
TEST_P(LaplaceTest, Levels)
{
  const auto               conditions = all_elliptic_conditions<2>();
  const EllipticSetting<2> fine(4), coarse(2);
  for (const auto &coefficients : all_elliptic_coefficients<2>())
    {
      const auto             A = make<double>(fine, coefficients, conditions);
      const auto             B = make<double>(coarse, coefficients, conditions);
      LaplaceOperator<2>     level;
      Saltus::Vector<double> x, y, z;
      level.reinit(*A, 2);
      B->initialize_vector(x);
      level.initialize_vector(y);
      B->initialize_vector(z);
      B->copy_from(x, coarse.random_vector(5));
      level.vmult(y, x);
      B->vmult(z, x);
      EXPECT_EQ(y.max_difference(z), 0.);
    }
}

/// Constants are in the kernel of a pure Neumann problem.
TEST_P(LaplaceTest, NullSpace)
{
  const EllipticSetting<2>      setting(3);
  EllipticBoundaryConditions<2> conditions;
  for (unsigned int id = 0; id < 4; ++id)
    conditions.set_neumann(id, expression("1"));
  LaplaceOperator<2> A;
  A.reinit(setting.mapping, setting.dof_handler, conditions, device());
  EXPECT_TRUE(A.is_singular());
  auto                   x = zeros(A), y = x;
  Saltus::Vector<double> b;
  A.set_mean_value(x, 1.25);
  EXPECT_GT(x.l2_norm(), 1.);
  A.vmult(y, x);
  EXPECT_LT(y.linfty_norm(), 1e-11);
  // A source that balances the flux of 4 through the boundary.
  A.right_hand_side(b, expression("-4"));
  EXPECT_LT(A.remove_null_space(b), 1e-13 * b.l2_norm());
  A.right_hand_side(b, expression("x"));
  EXPECT_GT(A.remove_null_space(b), 0.1 * b.l2_norm());
  EXPECT_LT(A.remove_null_space(b), 1e-13 * b.l2_norm());
  const dealii::Vector<double> solution = to_dealii(A, x);
  EXPECT_LT(l2_error(setting.mapping, setting.dof_handler, solution, Expression(2, "1.25", 1)),
            1e-13);
}

/// Separate squares: every one needs something that determines the solution.
TEST_P(LaplaceTest, SeparateParts)
{
  Triangulation<2> left, right, both;
  Saltus::GridGenerator::box<2>(left, Point<2>(), Point<2>(1., 1.), {2, 2});
  Saltus::GridGenerator::box<2>(right, Point<2>(3., 0.), Point<2>(4., 1.), {2, 2});
  dealii::GridGenerator::merge_triangulations(left, right, both);
  for (const auto &face : both.active_face_iterators())
    if (face->at_boundary())
      face->set_boundary_id(face->center()[0] < 2. ? 1 : 2);
  DoFHandler<2> dof_handler(both);
  dof_handler.distribute_dofs(FE_SimplexDGModal<2>(2));
  const MappingFE<2> mapping(FE_SimplexP<2>(1));
  const auto         set_up = [&](const auto &condition, const EllipticCoefficient<2> &reaction) {
    EllipticBoundaryConditions<2> conditions;
    conditions.set_dirichlet(1);
    condition(conditions);
    LaplaceOperator<2>                 A;
    LaplaceOperator<2>::AdditionalData data;
    data.reaction = reaction;
    A.reinit(mapping, dof_handler, conditions, device(), data);
    return A.is_singular();
  };
  const auto neumann   = [](auto &conditions) { conditions.set_neumann(2); };
  const auto dirichlet = [](auto &conditions) { conditions.set_dirichlet(2); };
  const auto robin     = [](auto &conditions) { conditions.set_robin(2, 1.); };
  EXPECT_FALSE(set_up(dirichlet, 0.));
  EXPECT_FALSE(set_up(robin, 0.));
  EXPECT_FALSE(set_up(neumann, 1.));
  const auto reaction = [](const std::string &text) {
    return EllipticCoefficient<2>(FieldFunction<2>(Expression(2, text, 1)), Sampling::by_element);
  };
  EXPECT_FALSE(set_up(neumann, reaction("if(x>2, 1, 0)"))); // where it is needed
  EXPECT_THROW(set_up(neumann, reaction("if(x<2, 1, 0)")), ExceptionBase);
  EXPECT_MESSAGE(set_up(neumann, 0.), "from (3 0) to (4 1) with the boundary ids 2");
}

/// Source and boundary data are those of the given time, on the device or by a deal.II function.
TEST_P(LaplaceTest, RightHandSideAtATime)
{
  const EllipticSetting<2> setting(3);
  const auto               right_hand_side =
    [&](const FieldFunction<2> &source, const FieldFunction<2> &data, const double time) {
      EllipticBoundaryConditions<2> conditions;
      conditions.set_dirichlet(0, data);
      conditions.set_neumann(1, data);
      conditions.set_robin(2, robin_coefficient, data);
      conditions.set_dirichlet(3);
      LaplaceOperator<2> A;
      A.reinit(setting.mapping, setting.dof_handler, conditions, device());
      Saltus::Vector<double> b;
      A.right_hand_side(b, source, time);
      return b;
    };
  const auto expected = right_hand_side(expression("x+2"), expression("2*y"), 0.);
  const auto b        = right_hand_side(expression("x+t"), expression("t*y"), 2.);
  const auto function = [](const std::string &text) {
    const auto result = std::make_shared<FunctionParser<2>>(1);
    result->initialize("x,y,t", text, {}, true);
    return FieldFunction<2>(result);
  };
  const auto by_function = right_hand_side(function("x+t"), function("t*y"), 2.);
  EXPECT_GT(expected.l2_norm(), 0.1);
  EXPECT_LT(b.max_difference(expected), 1e-13 * expected.linfty_norm());
  EXPECT_LT(by_function.max_difference(expected), 1e-13 * expected.linfty_norm());
}

/// Coefficients by material, as one field that knows where the materials are.
TEST_P(LaplaceTest, Materials)
{
  EllipticSetting<2> setting(3);
  for (const auto &cell : setting.triangulation.active_cell_iterators())
    cell->set_material_id(cell->center()[0] < 0.5 ? 5 : 2);
  const auto u      = setting.random_vector(1);
  const auto result = [&](const EllipticCoefficient<2> &k, const EllipticCoefficient<2> &lambda) {
    LaplaceOperator<2>                 A;
    LaplaceOperator<2>::AdditionalData data;
    data.diffusion = k;
    data.reaction  = lambda;
    A.reinit(setting.mapping, setting.dof_handler, dirichlet_conditions<2>(), device(), data);
    return vmult(A, u);
  };
  using Fields = std::map<types::material_id, FieldFunction<2>>;
  // Cells are distorted: at their points, both materials have the same field.
  const Fields by_material = {{5, expression("1+x")}, {2, expression("3-y")}},
               same        = {{5, expression("1+x")}, {2, expression("x+1")}};
  const EllipticCoefficient<2> constant(Fields{{5, expression("1")}, {2, expression("4")}},
                                        Sampling::by_element);
  for (const auto &[materials, text, sampling] :
       {std::tuple(by_material, "if(x<0.5, 1+x, 3-y)", Sampling::by_element),
        std::tuple(same, "1+x", Sampling::by_point)})
    {
      const EllipticCoefficient<2> field(expression(text), sampling);
      EXPECT_LT(relative_difference(result({materials, sampling}, constant),
                                    result(field,
                                           {expression("if(x<0.5, 1, 4)"), Sampling::by_element})),
                sampling == Sampling::by_element ? 1e-14 : 1e-12);
    }
  EXPECT_MESSAGE(result({Fields{{5, expression("1")}}, Sampling::by_element}, 0.),
                 "The diffusion coefficient has no value for the material 2 of the mesh.");
}

/// A linear solution of which all boundary data is given, with a diffusion that couples directions.
TEST_P(LaplaceTest, BoundaryData)
{
  check_boundary_data<2>(3, "2; 0.5; 1", "1+2*x-3*y", "2.5", "2");
  check_boundary_data<3>(2, "2; 0.5; 0; 1; 0; 1.5", "1+2*x-3*y+4*z", "2.5", "2");
}

/// Also in a release build: everything that would read beyond the end of an array.
TEST_P(LaplaceTest, WrongVectorsAreRefused)
{
  using Vector = Saltus::Vector<double>;
  const EllipticSetting<2> setting(2), finer(2, 1);
  const auto               conditions = all_elliptic_conditions<2>();
  LaplaceOperator<2>       A, other_mesh, level;
  A.reinit(setting.mapping, setting.dof_handler, conditions, device());
  other_mesh.reinit(finer.mapping, finer.dof_handler, conditions, device());
  level.reinit(A, 1);
  BlockDiagonal<double> blocks;
  A.compute_block_diagonal(blocks);
  ElementScaling<double> inverse_mass;
  A.compute_inverse_mass(inverse_mass);

  auto good = zeros(A), on_other_mesh = zeros(other_mesh), of_other_degree = zeros(level);
  dealii::Vector<double> on_host(A.m());
  const auto             refuses = [&](Vector &bad) {
    Vector v(good);
    EXPECT_THROW(A.vmult(v, bad), ExceptionBase);
    EXPECT_THROW(A.vmult(bad, v), ExceptionBase);
    EXPECT_THROW(A.vmult_add(bad, v), ExceptionBase);
    EXPECT_THROW(A.compute_residual(v, v, bad), ExceptionBase);
    EXPECT_THROW(A.copy_from(bad, on_host), ExceptionBase);
    EXPECT_THROW(A.copy_to(on_host, bad), ExceptionBase);
    EXPECT_THROW(A.remove_null_space(bad), ExceptionBase);
    EXPECT_THROW(A.set_mean_value(bad, 1.), ExceptionBase);
    EXPECT_THROW(blocks.vmult(v, bad), ExceptionBase);
    EXPECT_THROW(blocks.vmult(bad, v), ExceptionBase);
    EXPECT_THROW(blocks.extract_diagonal(bad), ExceptionBase);
    EXPECT_THROW(inverse_mass.vmult(v, bad), ExceptionBase);
  };
  Vector empty, on_cpu(Device::cpu(), good.n_elements(), good.n_modes(), 1);
  refuses(empty);
  refuses(on_other_mesh);
  refuses(of_other_degree);
  if (device().is_cuda())
    refuses(on_cpu);
  EXPECT_THROW(A.vmult(good, good), ExceptionBase); // in place
}

TEST_P(LaplaceTest, NotSetUp)
{
  const LaplaceOperator<2> A;
  Saltus::Vector<double>   x, y;
  BlockDiagonal<double>    blocks;
  EXPECT_THROW(A.m(), ExceptionBase);
  EXPECT_THROW(A.initialize_vector(x), ExceptionBase);
  EXPECT_THROW(A.vmult(x, y), ExceptionBase);
  EXPECT_THROW(A.right_hand_side(x, {}), ExceptionBase);
  EXPECT_THROW(A.compute_block_diagonal(blocks), ExceptionBase);
  EXPECT_THROW(blocks.vmult(x, y), ExceptionBase);
  EXPECT_THROW(A.couplings(), ExceptionBase);
}

TEST_P(LaplaceTest, RangesOfTwoKinds)
{
  compare_kinds<2>(3, false);
  compare_kinds<2>(2, true);
  compare_kinds<3>(2, true);
}

/// The same solution after the same number of iterations with levels in single precision.
TEST_P(LaplaceTest, MultigridOnRangesOfTwoKinds)
{
  const EllipticSetting<2> setting(4, 2);
  dealii::Vector<double>   expected;
  unsigned int             iterations = 0;
  for (const typename ElementOrder<2>::Kinds &kinds :
       {typename ElementOrder<2>::Kinds(), typename ElementOrder<2>::Kinds(some_are_stored<2>)})
    {
      const auto             A = make<double>(setting,
                                  all_elliptic_coefficients<2>()[0],
                                  all_elliptic_conditions<2>(),
                                  max_matching_rounds,
                                  kinds);
      Saltus::Vector<double> x, b;
      A->initialize_vector(x);
      A->right_hand_side(b, expression("sin(3*x)*cos(2*y)"));
      PMultigrid<LaplaceOperator<2, float>> multigrid;
      multigrid.initialize(*A, {});
      SolverSettings settings;
      settings.tolerance       = 1e-11;
      const SolveReport report = solve_cg(*A, x, b, multigrid, settings);
      if (!kinds)
        {
          expected   = to_dealii(*A, x);
          iterations = report.iterations;
        }
      EXPECT_NEAR(report.iterations, iterations, 1);
      EXPECT_LT(relative_difference(to_dealii(*A, x), expected), 1e-9);
    }
}

TEST(FieldFunctionTest, OfAnotherDimension)
{
  EXPECT_NO_THROW(FieldFunction<3>(Expression(3, "x*z", 1)));
  EXPECT_THROW(FieldFunction<2>(Expression(3, "x*z", 1)), ExceptionBase);
  EXPECT_THROW(FieldFunction<3>(Expression(2, "x*y", 1)), ExceptionBase);
}

TEST_P(LaplaceTest, BadInputIsRefused)
{
  const EllipticSetting<2>                    setting(1), degree_9(9);
  LaplaceOperator<2>                          A;
  typename LaplaceOperator<2>::AdditionalData data;
  EllipticBoundaryConditions<2>               conditions;
  const auto                                  all    = all_elliptic_conditions<2>();
  const auto                                  reinit = [&](const auto &where, const auto &which) {
    A.reinit(where.mapping, where.dof_handler, which, device(), data);
  };
  conditions.set_dirichlet(0);
  EXPECT_THROW(reinit(setting, conditions), ExceptionBase); // ids without a condition
  EXPECT_THROW(reinit(degree_9, all), ExceptionBase);
  for (const double value : {0., -1.})
    {
      data.diffusion = value;
      EXPECT_THROW(reinit(setting, all), ExceptionBase);
    }
  for (const Sampling sampling : {Sampling::by_element, Sampling::by_point})
    for (const std::string text : {"x-0.5", "0/0", "1; 2; 1", "1; 0"})
      {
        data.diffusion = {FieldFunction<2>(
                            Expression(2, text, 1 + std::count(text.begin(), text.end(), ';'))),
                          sampling};
        EXPECT_THROW(reinit(setting, all), ExceptionBase) << text;
      }
  data.diffusion = std::numeric_limits<double>::infinity();
  EXPECT_THROW(reinit(setting, all), ExceptionBase);
  data.diffusion = {FieldFunction<2>(Expression(2, "exp(1000+x); 0; 1", 3)), Sampling::by_point};
  EXPECT_THROW(reinit(setting, all), ExceptionBase);
  data.diffusion = 1.;
  data.reaction  = -1.;
  EXPECT_THROW(reinit(setting, all), ExceptionBase);
  data.reaction = 0.;
  EXPECT_NO_THROW(reinit(setting, all));
  data.penalty_factor = 0.;
  EXPECT_THROW(reinit(setting, all), ExceptionBase);
  data.penalty_factor = 1.;
  EllipticBoundaryConditions<2> two_components;
  for (unsigned int id = 0; id < 4; ++id)
    two_components.set_dirichlet(id, FieldFunction<2>(Expression(2, "1; 2", 2)));
  EXPECT_THROW(reinit(setting, two_components), ExceptionBase);
  EXPECT_THROW(conditions.set_robin(1, -1.), ExceptionBase);
  EXPECT_THROW(conditions.set_robin(1, std::nan("")), ExceptionBase);
  EXPECT_THROW(conditions.set_neumann(0), ExceptionBase); // two conditions
  EXPECT_THROW(conditions.set_periodic(0, 1), ExceptionBase);
  EXPECT_THROW(conditions.set_periodic(1, 1), ExceptionBase);
  conditions.set_periodic(1, 2);
  EXPECT_THROW(conditions.set_neumann(2), ExceptionBase);
}
