// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator against an assembly with deal.II, and its parts against its matrix.
#include <deal.II/base/function_parser.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/l2_error.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  StateFunction<2>
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
      EXPECT_LT(relative_error(vmult(*A, u), expected), 1e-11);
      EXPECT_LT(relative_error(vmult(*A_float, u), expected), 1e-4);
      // Symmetric and positive.
      const auto v = setting.random_vector(2), Au = vmult(*A, u), Av = vmult(*A, v);
      EXPECT_NEAR(Au * v, Av * u, 1e-12 * Au.l2_norm() * v.l2_norm());
      EXPECT_GT(Au * u, 0.);
    }

    template <typename Number, int dim>
    std::unique_ptr<LaplaceOperator<dim, Number>>
    make(const EllipticSetting<dim>            &setting,
         const EllipticCoefficients<dim>       &coefficients,
         const EllipticBoundaryConditions<dim> &conditions) const
    {
      auto A = std::make_unique<LaplaceOperator<dim, Number>>();
      A->reinit(setting.mapping,
                setting.dof_handler,
                conditions,
                device(),
                coefficients.template data<Number>());
      return A;
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
      A->assemble(matrix);
      const auto             u = setting.random_vector(3), Au = vmult(*A, u);
      dealii::Vector<double> product(u.size());
      matrix.vmult(product, u);
      EXPECT_LT(relative_error(product, Au), 1e-13);

      const auto            &numbers = A->element_space().dof_numbers();
      Saltus::Vector<double> x, y, diagonal;
      A->initialize_vector(x);
      A->initialize_vector(y);
      A->copy_from(x, u);
      A->compute_diagonal(diagonal);
      BlockDiagonal<double> blocks;
      A->compute_block_diagonal(blocks);
      blocks.vmult(y, x);
      const unsigned int n = setting.dof_handler.get_fe().n_dofs_per_cell();
      for (const unsigned int i : {0u, 1u, 3 * n + 2, 5 * n - 1})
        {
          EXPECT_NEAR(diagonal(i), matrix.diag_element(numbers[i]), 1e-12 * diagonal(i));
          EXPECT_NEAR(A->el(i, i), matrix.diag_element(numbers[i]), 1e-12 * diagonal(i));
          for (const unsigned int j : {0u, 2u, n, 5 * n - 2})
            EXPECT_NEAR(A->el(i, j), matrix.el(numbers[i], numbers[j]), 1e-12 * diagonal(i));
          double row = 0;
          for (unsigned int j = i / n * n; j < (i / n + 1) * n; ++j)
            row += matrix.el(numbers[i], numbers[j]) * u(numbers[j]);
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
  compare_with_assembly<2>(8);
}

TEST_P(LaplaceTest, Tetrahedra)
{
  compare_with_assembly<3>(6);
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
  Saltus::Vector<double> x, y, z;
  A.initialize_vector(x);
  A.initialize_vector(y);
  A.initialize_vector(z);
  A.copy_from(x, setting.random_vector(4));
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
      data.diffusion = {StateFunction<2>(Expression(2, "1; 0; 1e-4", 3)), Sampling::by_element};
      LaplaceOperator<2> A;
      A.reinit(setting.mapping, setting.dof_handler, all_elliptic_conditions<2>(), device(), data);
      TrilinosWrappers::SparseMatrix matrix;
      A.assemble(matrix);
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
  Saltus::Vector<double> x, y, b;
  A.initialize_vector(x);
  A.initialize_vector(y);
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
  dealii::Vector<double> solution;
  A.copy_to(solution, x);
  EXPECT_LT(l2_error(setting.mapping, setting.dof_handler, solution, Expression(2, "1.25", 1)),
            1e-13);
}

/// Source and boundary data are those of the given time, on the device or by a deal.II function.
TEST_P(LaplaceTest, RightHandSideAtATime)
{
  const EllipticSetting<2> setting(3);
  const auto               right_hand_side =
    [&](const StateFunction<2> &source, const StateFunction<2> &data, const double time) {
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
    return StateFunction<2>(result);
  };
  const auto by_function = right_hand_side(function("x+t"), function("t*y"), 2.);
  EXPECT_GT(expected.l2_norm(), 0.1);
  EXPECT_LT(b.max_difference(expected), 1e-13 * expected.linfty_norm());
  EXPECT_LT(by_function.max_difference(expected), 1e-13 * expected.linfty_norm());
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
        data.diffusion = {StateFunction<2>(
                            Expression(2, text, 1 + std::count(text.begin(), text.end(), ';'))),
                          sampling};
        EXPECT_THROW(reinit(setting, all), ExceptionBase) << text;
      }
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
    two_components.set_dirichlet(id, StateFunction<2>(Expression(2, "1; 2", 2)));
  EXPECT_THROW(reinit(setting, two_components), ExceptionBase);
  EXPECT_THROW(conditions.set_robin(1, -1.), ExceptionBase);
  EXPECT_THROW(conditions.set_neumann(0), ExceptionBase); // two conditions
  EXPECT_THROW(conditions.set_periodic(0, 1), ExceptionBase);
  EXPECT_THROW(conditions.set_periodic(1, 1), ExceptionBase);
  conditions.set_periodic(1, 2);
  EXPECT_THROW(conditions.set_neumann(2), ExceptionBase);
}
