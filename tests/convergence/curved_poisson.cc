// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The interior penalty method between arcs and between spheres, on elements that are curved
// themselves: errors fall like h^(p+1) in the L2 norm, and multigrid needs as many iterations as
// on straight elements, or few more.
#include <deal.II/grid/manifold_lib.h>

#include <saltus/fe/fe_simplex_nodes.h>
#include <saltus/io/results/error_table.h>
#include <saltus/mesh/curve/map_nodes.h>
#include <saltus/solvers/krylov/cg.h>
#include <saltus/solvers/multigrid/p_multigrid.h>

#include <helpers/elliptic_setting.h>
#include <helpers/on_device.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr double inner = 1., outer = 1.4;

  /// A part of the space between two circles or spheres around the origin, with the ids 0 and 1.
  template <int dim>
  struct Shell
  {
    /// @param n elements from one to the other
    /// @param map_degree 1: straight
    Shell(const unsigned int degree, const unsigned int n, const unsigned int map_degree)
      : mapping(FE_SimplexNodes<dim>(map_degree, map_nodes<dim>(map_degree)))
      , dof_handler(triangulation)
    {
      std::vector<unsigned int> subdivisions(dim, 2 * n);
      subdivisions[0] = n;
      Point<dim> first, last;
      first[0] = inner;
      last[0]  = outer;
      for (unsigned int d = 1; d < dim; ++d)
        last[d] = 0.8;
      Saltus::GridGenerator::box<dim>(triangulation, first, last, subdivisions, 0.);
      GridTools::transform(
        [](const Point<dim> &x) {
          Point<dim> direction = x;
          direction[0]         = 1.;
          return Point<dim>(x[0] / direction.norm() * direction);
        },
        triangulation);
      triangulation.set_all_manifold_ids(0);
      triangulation.set_manifold(0, SphericalManifold<dim>());
      dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(degree));
    }

    Triangulation<dim> triangulation;
    MappingFE<dim>     mapping;
    DoFHandler<dim>    dof_handler;
  };

  struct Problem
  {
    std::string solution, radial, source; ///< r du/dr in between
  };

  template <int dim>
  Problem
  problem()
  {
    if (dim == 2)
      return {"sin(3*x)*exp(y)", "3*x*cos(3*x)*exp(y)+y*sin(3*x)*exp(y)", "8*sin(3*x)*exp(y)"};
    return {"sin(2*x)*exp(y)*cos(z)",
            "(2*x*cos(2*x)*cos(z)+y*sin(2*x)*cos(z)-z*sin(2*x)*sin(z))*exp(y)",
            "4*sin(2*x)*exp(y)*cos(z)"};
  }

  struct Result
  {
    double       error;
    unsigned int iterations;
  };

  template <int dim>
  Result
  solve(const unsigned int degree,
        const unsigned int n,
        const unsigned int map_degree,
        const Device       device)
  {
    const Shell<dim> shell(degree, n, map_degree);
    const Problem    of       = problem<dim>();
    const auto       function = [](const std::string &text) {
      return FieldFunction<dim>(Expression(dim, text, 1));
    };
    EllipticBoundaryConditions<dim> conditions;
    for (unsigned int id = 0; id < 2 * dim; ++id)
      if (id != 1)
        conditions.set_dirichlet(id, function(of.solution));
    conditions.set_neumann(1, function("(" + of.radial + ")/" + std::to_string(outer)));

    LaplaceOperator<dim> A;
    A.reinit(shell.mapping, shell.dof_handler, conditions, device);
    auto                   x = zeros(A);
    Saltus::Vector<double> b;
    A.right_hand_side(b, function(of.source));
    PMultigrid<LaplaceOperator<dim, float>> multigrid;
    multigrid.initialize(A, {});
    SolverSettings settings;
    settings.tolerance = 1e-12;
    settings.check     = SolutionCheck::tolerant;
    const auto report  = solve_cg(A, x, b, multigrid, settings);
    const auto on_host = solution_vector(shell.dof_handler, A, x);
    return {
      l2_error(shell.mapping, shell.dof_handler, on_host, Expression(dim, of.solution, 1), 0.),
      report.iterations};
  }

  template <int dim>
  void
  expect_rate(const unsigned int degree, const unsigned int n, const Device device)
  {
    const Result coarse = solve<dim>(degree, n, degree + 1, device),
                 fine   = solve<dim>(degree, 2 * n, degree + 1, device),
                 flat   = solve<dim>(degree, 2 * n, 1, device);
    const double rate   = std::log2(coarse.error / fine.error);
    std::cout << "p = " << degree << ": L2 error " << fine.error << ", rate " << rate << "; "
              << fine.iterations << " iterations, " << flat.iterations << " on straight elements"
              << std::endl;
    EXPECT_GT(rate, degree + 0.75);
    EXPECT_LE(fine.iterations, flat.iterations + 3);
  }

  using CurvedPoisson = OnDevice;
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(CurvedPoisson)

TEST_P(CurvedPoisson, Triangles)
{
  for (unsigned int degree = 1; degree <= 4; ++degree)
    expect_rate<2>(degree, 4, device());
}

TEST_P(CurvedPoisson, Tetrahedra)
{
  for (unsigned int degree = 1; degree <= 3; ++degree)
    expect_rate<3>(degree, 2, device());
}
