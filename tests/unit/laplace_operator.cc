// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty operator against an assembly with deal.II, and its parts against its matrix.
#include <deal.II/lac/lapack_full_matrix.h>
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <gtest/gtest.h>
#include <helpers/elliptic_setting.h>
#include <helpers/l2_error.h>
#include <helpers/on_device.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double diffusion = 1.7, reaction = 0.6;

  const std::string solution_text = "sin(2*x+0.3)*cos(y)";
  const std::string gradient_x    = "2*cos(2*x+0.3)*cos(y)";
  const std::string gradient_y    = "-sin(2*x+0.3)*sin(y)";

  StateFunction<2>
  expression(const std::string &text)
  {
    return {Expression(
      2, text, 1, {{"k", diffusion}, {"lambda", reaction}, {"a", robin_coefficient}}, "test")};
  }

  class LaplaceTest : public OnDevice
  {
  protected:
    /// @param max_degree_of_all up to here with every kind of coefficient, then with the first and
    /// the last
    template <int dim>
    void
    compare_with_assembly(const unsigned int max_degree, const unsigned int max_degree_of_all)
    {
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        {
          const EllipticSetting<dim> setting(degree);
          const auto                 all = all_elliptic_coefficients<dim>();
          for (std::size_t i = 0; i < all.size(); ++i)
            if (degree <= max_degree_of_all || i == 0 || i + 1 == all.size())
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
                coefficients.template data<Number>(),
                device());
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
  compare_with_assembly<2>(8, 8);
}

TEST_P(LaplaceTest, Tetrahedra)
{
  compare_with_assembly<3>(6, 2);
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
  A.reinit(setting.mapping, setting.dof_handler, all_elliptic_conditions<2>(), data, device());
  data.reaction = 1.;
  B.reinit(setting.mapping, setting.dof_handler, all_elliptic_conditions<2>(), data, device());
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
      A.reinit(setting.mapping, setting.dof_handler, all_elliptic_conditions<2>(), data, device());
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
  A.reinit(setting.mapping, setting.dof_handler, conditions, {}, device());
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
  EXPECT_LT(A.remove_null_space(b), 1e-13);
  A.right_hand_side(b, expression("x"));
  EXPECT_GT(A.remove_null_space(b), 0.1);
  EXPECT_LT(A.remove_null_space(b), 1e-13);
  dealii::Vector<double> solution;
  A.copy_to(solution, x);
  EXPECT_LT(l2_error(setting.mapping, setting.dof_handler, solution, Expression(2, "1.25", 1)),
            1e-13);
}

/// Rates p+1 with every kind of condition, by deal.II's CG.
TEST_P(LaplaceTest, Rates)
{
  EllipticBoundaryConditions<2> conditions;
  conditions.set_dirichlet(0, expression(solution_text));
  conditions.set_neumann(1, expression("k*" + gradient_x));
  conditions.set_robin(2,
                       robin_coefficient,
                       expression("-k*(" + gradient_y + ") + a*" + solution_text));
  conditions.set_dirichlet(3, expression(solution_text));
  const auto source = expression("(5*k + lambda)*" + solution_text);
  for (unsigned int degree = 1; degree <= 4; ++degree)
    {
      double error = 0, rate = 0;
      for (unsigned int n_refinements = 1; n_refinements <= 2; ++n_refinements)
        {
          const EllipticSetting<2>           setting(degree, n_refinements);
          LaplaceOperator<2>                 A;
          LaplaceOperator<2>::AdditionalData data;
          data.diffusion = diffusion;
          data.reaction  = reaction;
          A.reinit(setting.mapping, setting.dof_handler, conditions, data, device());
          Saltus::Vector<double> x, b;
          A.initialize_vector(x);
          A.right_hand_side(b, source);
          SolverControl                    control(5000, 1e-11 * b.l2_norm());
          SolverCG<Saltus::Vector<double>> cg(control);
          cg.solve(A, x, b, PreconditionIdentity());
          dealii::Vector<double> solution;
          A.copy_to(solution, x);
          const double before = error;
          error               = l2_error(setting.mapping,
                           setting.dof_handler,
                           solution,
                           Expression(2, solution_text, 1));
          rate                = std::log2(before / error);
        }
      std::cout << "p = " << degree << ": error " << error << ", rate " << rate << std::endl;
      EXPECT_GT(rate, degree + 0.75);
    }
}

TEST_P(LaplaceTest, BadInputIsRefused)
{
  const EllipticSetting<2>                    setting(1), degree_9(9);
  LaplaceOperator<2>                          A;
  typename LaplaceOperator<2>::AdditionalData data;
  EllipticBoundaryConditions<2>               conditions;
  const auto                                  all    = all_elliptic_conditions<2>();
  const auto                                  reinit = [&](const auto &where, const auto &which) {
    A.reinit(where.mapping, where.dof_handler, which, data, device());
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
  EXPECT_THROW(conditions.set_robin(1, -1.), ExceptionBase);
  EXPECT_THROW(conditions.set_neumann(0), ExceptionBase); // two conditions
  EXPECT_THROW(conditions.set_periodic(0, 1), ExceptionBase);
  conditions.set_periodic(1, 2);
  EXPECT_THROW(conditions.set_neumann(2), ExceptionBase);
}
