// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Table 3 of Fuhry, Giuliani and Krivodonova: the steady supersonic vortex. The CPU has meshes A
// and B for p = 1, 2, 3; a GPU has A to D for p = 1..4, with curved elements A to C.
#include <deal.II/fe/fe_system.h>

#include <saltus/mesh/make/grid_generator.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <gtest/gtest.h>
#include <helpers/l2_error.h>
#include <helpers/on_device.h>
#include <helpers/quarter_annulus.h>
#include <helpers/time_state.h>
#include <helpers/vectors.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr unsigned int n_meshes = 4, max_degree = 4;

  /// L2 errors of the density, `[p - 1][mesh]`.
  constexpr double table_3[max_degree][n_meshes] = {{4.934e-3, 1.226e-3, 3.267e-4, 8.695e-5},
                                                    {3.708e-4, 6.003e-5, 8.077e-6, 1.043e-6},
                                                    {8.695e-6, 5.598e-7, 3.237e-8, 1.904e-9},
                                                    {4.719e-7, 1.887e-8, 6.925e-10, 2.189e-11}};

  /// Density, velocity and pressure of the exact solution.
  const std::string rho   = "(1+0.2*2.25^2*(1-1/(x*x+y*y)))^2.5";
  const std::string exact = rho + "; 2.25*y/(x*x+y*y); -2.25*x/(x*x+y*y); (" + rho + ")^1.4/1.4";

  /// Error of the steady density on the mesh that arises from @p n_refinements refinements.
  /// @param map_degree of the elements; if it is 1, the paper's walls stand in for their curvature
  double
  steady_error(const unsigned int degree,
               const unsigned int n_refinements,
               const unsigned int map_degree,
               const Limiter      limiter,
               const Device       device)
  {
    const QuarterAnnulus annulus(degree, n_refinements, map_degree);

    const FieldFunction<2> solution(Expression(2, exact, 4), true);
    BoundaryConditions<2>  conditions;
    conditions.set_wall(0, map_degree == 1);
    conditions.set_wall(1, map_degree == 1);
    conditions.set_prescribed(2, solution);
    conditions.set_outflow(3);

    using Operator = ConservationLawOperator<2, Euler<2>>;
    Operator op;
    op.reinit(annulus.mapping, annulus.dof_handler, Euler<2>(), conditions, device);
    TimeClock clock = op.make_clock(with_cfl(0.6));

    auto u = zeros(op), previous = u;
    op.project(solution, u);
    // The paper's scheme. It adds up the increment before the state changes, once a step: rounding
    // then lets the state come to rest, also on the finest mesh.
    TimeIntegrator<Operator> integrator(op, clock, RungeKutta("RK4"), limiter);
    double                   change = 1;
    for (unsigned int step = 0; step < 100000 && change > 1e-14; step += 200)
      {
        integrator.steps(u, 199);
        previous = u;
        integrator.steps(u, 1);
        op.check_states(clock);
        change = u.max_difference(previous);
      }
    EXPECT_LE(change, 1e-14); // the paper's criterion

    return l2_error(annulus.mapping,
                    annulus.dof_handler,
                    to_dealii(op, u),
                    Expression(2, exact, 4));
  }

  /// @param tolerance of the ratio of an error to the paper's
  void
  check_table(const unsigned int first,
              const unsigned int last,
              const unsigned int meshes,
              const bool         curved,
              const double       tolerance,
              const Device       device,
              const Limiter      limiter = Limiter::none)
  {
    for (unsigned int p = first; p <= last; ++p)
      {
        std::vector<double> errors;
        for (unsigned int mesh = 0; mesh < meshes; ++mesh)
          {
            errors.push_back(steady_error(p, mesh, curved ? p + 1 : 1, limiter, device));
            const double rate = mesh > 0 ? std::log2(errors[mesh - 1] / errors[mesh]) : 0.;
            std::cout << "p = " << p << ", mesh " << char('A' + mesh) << ": error " << errors[mesh]
                      << ", paper " << table_3[p - 1][mesh];
            if (mesh > 0)
              std::cout << ", rate " << rate;
            std::cout << std::endl;
            EXPECT_LE(errors[mesh], tolerance * table_3[p - 1][mesh]);
          }
        const double rate = std::log2(errors[meshes - 2] / errors[meshes - 1]);
        EXPECT_NEAR(rate, p + 1, 0.25) << "p = " << p;
      }
  }
} // namespace

TEST(SupersonicVortex, Cpu)
{
  check_table(1, 3, 2, false, 1.5, Device::cpu());
}

/// The limiter does not act where the solution is smooth.
TEST(SupersonicVortex, LimitedCpu)
{
  check_table(1, 1, 2, false, 1.5, Device::cpu(), Limiter::barth_jespersen);
}

TEST(SupersonicVortex, CurvedElementsCpu)
{
  check_table(1, 3, 2, true, 1., Device::cpu());
}

TEST(SupersonicVortex, Cuda)
{
  SALTUS_SKIP_WITHOUT_GPU();
  check_table(1, 4, 4, false, 1.5, Device::cuda());
}

TEST(SupersonicVortex, LimitedCuda)
{
  SALTUS_SKIP_WITHOUT_GPU();
  check_table(1, 1, 4, false, 1.5, Device::cuda(), Limiter::barth_jespersen);
}

TEST(SupersonicVortex, CurvedElementsCuda)
{
  SALTUS_SKIP_WITHOUT_GPU();
  check_table(1, 4, 3, true, 1., Device::cuda());
}
