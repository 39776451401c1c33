// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// No degree is much slower on the CPU than the one below.
#include <deal.II/base/multithread_info.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/grid_generator.h>
#include <saltus/operators/conservation_law_operator.h>
#include <saltus/operators/laplace_operator.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/runge_kutta.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace dealii;
using namespace Saltus;

namespace
{
  constexpr double n_dofs = 20000;

  /// Of several calls the quickest, which others on the machine disturbed least.
  template <typename Body>
  double
  seconds(const Body &body)
  {
    using Clock   = std::chrono::steady_clock;
    double result = std::numeric_limits<double>::max();
    for (unsigned int i = 0; i < 15; ++i)
      {
        const auto start = Clock::now();
        body();
        result = std::min(result, std::chrono::duration<double>(Clock::now() - start).count());
      }
    return result;
  }

  /// Distorted boxes of simplices with about n_dofs degrees of freedom.
  template <int dim>
  struct Setting
  {
    Setting(const unsigned int degree, const unsigned int n_components)
      : fe(degree)
      , mapping(FE_SimplexP<dim>(1))
    {
      const double per_box = (dim == 2 ? 2. : 6.) * fe.n_dofs_per_cell() * n_components;
      const auto   n       = std::max(2., std::round(std::pow(n_dofs / per_box, 1. / dim)));
      Point<dim>   corner;
      for (unsigned int d = 0; d < dim; ++d)
        corner[d] = 1.;
      Saltus::GridGenerator::box<dim>(
        triangulation, Point<dim>(), corner, std::vector<unsigned int>(dim, n), 0.1);
      dof_handler.reinit(triangulation);
      dof_handler.distribute_dofs(FESystem<dim>(fe, n_components));
    }

    const FE_SimplexDGModal<dim> fe;
    const MappingFE<dim>         mapping;
    Triangulation<dim>           triangulation;
    DoFHandler<dim>              dof_handler;
  };

  template <int dim>
  double
  rate_of_interior_penalty(const unsigned int degree)
  {
    const Setting<dim>              setting(degree, 1);
    EllipticBoundaryConditions<dim> conditions;
    for (const auto id : setting.triangulation.get_boundary_ids())
      conditions.set_dirichlet(id);
    LaplaceOperator<dim, double> A;
    A.reinit(setting.mapping, setting.dof_handler, conditions, Device::cpu());
    Saltus::Vector<double> x, y;
    A.initialize_vector(x);
    A.initialize_vector(y);
    x = 1.;
    return A.m() / seconds([&]() { A.vmult(y, x); });
  }

  template <int dim>
  double
  rate_of_stage(const unsigned int degree)
  {
    const Setting<dim>      setting(degree, dim + 2);
    BoundaryConditions<dim> conditions;
    for (const auto id : setting.triangulation.get_boundary_ids())
      conditions.set_outflow(id);
    ConservationLawOperator<dim, Euler<dim>, double> op;
    op.reinit(setting.mapping, setting.dof_handler, Euler<dim>(), conditions, Device::cpu());
    TimeState time;
    time.dt         = 1e-9;
    TimeClock clock = op.make_clock(time);

    Saltus::Vector<double> u, out, accumulator;
    op.initialize_vector(u);
    op.initialize_vector(out);
    op.initialize_vector(accumulator);
    op.project({Expression(dim, dim == 2 ? "1;0;0;1" : "1;0;0;0;1", dim + 2), true}, u);
    const StageCoefficients coefficients = RungeKutta("LSRK45").stages()[1];
    return setting.dof_handler.n_dofs() /
           seconds([&]() { op.stage(clock, coefficients, u, u, accumulator, out); });
  }

  /// @param rate of a degree, in degrees of freedom a second
  template <typename Rate>
  void
  compare_degrees(const unsigned int min_degree, const unsigned int max_degree, const Rate &rate)
  {
#ifdef DEBUG
    GTEST_SKIP() << "Kernels are optimised less here.";
#endif
    MultithreadInfo::set_thread_limit(1);
    double below = rate(min_degree);
    for (unsigned int degree = min_degree + 1; degree <= max_degree; ++degree)
      {
        const double here = rate(degree);
        EXPECT_GT(here, below / 3.) << "degree " << degree;
        below = here;
      }
  }
} // namespace

TEST(RatesByDegree, InteriorPenaltyTriangles)
{
  compare_degrees(1, max_laplace_degree(2), rate_of_interior_penalty<2>);
}

TEST(RatesByDegree, InteriorPenaltyTetrahedra)
{
  compare_degrees(1, max_laplace_degree(3), rate_of_interior_penalty<3>);
}

TEST(RatesByDegree, EulerTriangles)
{
  compare_degrees(1, 14, rate_of_stage<2>);
}

TEST(RatesByDegree, EulerTetrahedra)
{
  compare_degrees(1, 6, rate_of_stage<3>);
}
