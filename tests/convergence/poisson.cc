// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The error of the interior penalty method falls like h^(p+1) in the L2 norm and like h^p in the
// broken H1 seminorm, on distorted meshes of triangles and of tetrahedra.
#include <deal.II/lac/precondition.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/results/error_table.h>
#include <saltus/operators/elliptic/laplace_operator.h>

#include <helpers/meshes.h>
#include <helpers/on_device.h>
#include <helpers/vectors.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// \f$ -k \Delta u + \lambda u = f \f$ in the unit box, Dirichlet conditions everywhere but on
  /// side 1, where there is a Neumann condition, and side 2, where there is a Robin condition.
  struct Problem
  {
    std::string solution, gradient, source;
    std::string neumann; ///< k du/dx at x = 1
    std::string robin;   ///< a u - k du/dy at y = 0
  };

  constexpr double diffusion = 0.5, reaction = 2., robin = 3.;

  const Problem triangles = {"sin(3*x)*exp(y)",
                             "3*cos(3*x)*exp(y); sin(3*x)*exp(y)",
                             "6*sin(3*x)*exp(y)",
                             "1.5*cos(3)*exp(y)",
                             "2.5*sin(3*x)"};

  const Problem tetrahedra = {"sin(3*x)*exp(y)*cos(2*z)",
                              "3*cos(3*x)*exp(y)*cos(2*z); sin(3*x)*exp(y)*cos(2*z); "
                              "-2*sin(3*x)*exp(y)*sin(2*z)",
                              "8*sin(3*x)*exp(y)*cos(2*z)",
                              "1.5*cos(3)*exp(y)*cos(2*z)",
                              "2.5*sin(3*x)*cos(2*z)"};

  struct Errors
  {
    double l2, h1;
  };

  template <int dim>
  EllipticBoundaryConditions<dim>
  boundary_conditions(const Problem &problem)
  {
    EllipticBoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      if (id == 1)
        conditions.set_neumann(id, Expression(dim, problem.neumann, 1));
      else if (id == 2)
        conditions.set_robin(id, robin, Expression(dim, problem.robin, 1));
      else
        conditions.set_dirichlet(id, Expression(dim, problem.solution, 1));
    return conditions;
  }

  /// The errors on a mesh with @p n subdivisions in each direction.
  template <int dim>
  Errors
  solve(const Problem     &problem,
        const unsigned int degree,
        const unsigned int n,
        const Device       device)
  {
    const Box<dim>  box(n, 0.1);
    DoFHandler<dim> dof_handler(box.triangulation);
    dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(degree));

    LaplaceOperator<dim>                          A;
    typename LaplaceOperator<dim>::AdditionalData data;
    data.diffusion = diffusion;
    data.reaction  = reaction;
    A.reinit(box.mapping, dof_handler, boundary_conditions<dim>(problem), device, data);
    auto                   x = zeros(A);
    Saltus::Vector<double> b;
    A.right_hand_side(b, Expression(dim, problem.source, 1));
    SolverControl                    control(10000, 1e-13 * b.l2_norm());
    SolverCG<Saltus::Vector<double>> cg(control);
    cg.solve(A, x, b, PreconditionIdentity());

    const SolutionVector solution = solution_vector(dof_handler, A, x);
    const Expression     gradient(dim, problem.gradient, dim);
    const auto           errors = scalar_errors(
      box.mapping, dof_handler, solution, Expression(dim, problem.solution, 1), &gradient);
    return {errors[0], errors[1]};
  }

  /// Errors on two meshes, the second twice as fine. Only too small a rate is wrong; the slack is
  /// for the distortion, which is not the same on both meshes.
  template <int dim>
  void
  expect_rates(const Problem     &problem,
               const unsigned int degree,
               const unsigned int coarse,
               const Device       device)
  {
    const Errors before = solve<dim>(problem, degree, coarse, device);
    const Errors after  = solve<dim>(problem, degree, 2 * coarse, device);
    const double l2 = std::log2(before.l2 / after.l2), h1 = std::log2(before.h1 / after.h1);
    std::cout << "p = " << degree << ": L2 error " << after.l2 << ", rate " << l2 << "; H1 error "
              << after.h1 << ", rate " << h1 << std::endl;
    EXPECT_GT(l2, degree + 0.75) << "p = " << degree;
    EXPECT_GT(h1, degree - 0.25) << "p = " << degree;
  }

  using Poisson = OnDevice;
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(Poisson)

TEST_P(Poisson, Triangles)
{
  for (unsigned int p = 1; p <= 6; ++p)
    expect_rates<2>(triangles, p, p < 3 ? 16 : (p < 5 ? 8 : (p < 6 ? 4 : 3)), device());
}

TEST_P(Poisson, Tetrahedra)
{
  for (unsigned int p = 1; p <= 4; ++p)
    expect_rates<3>(tetrahedra, p, p < 3 ? 4 : 2, device());
}
