// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// One core: a stage of Euler's equations and the interior penalty operator on squares and cubes by
// Saltus and by deal.II's MatrixFree, which is compiled for the vectors of this machine, in turn.
//
//   matrix_free [MILLION_DEGREES_OF_FREEDOM [REPETITIONS]]
//
// The two must give the same: the relative difference of norms is in the table, and one above
// rounding errors makes the exit status 1.
#include <deal.II/base/function_parser.h>
#include <deal.II/base/mpi.h>
#include <deal.II/grid/grid_generator.h>

#include <saltus/base/device/instruction_set.h>
#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/runge_kutta.h>

#include "euler.h"
#include "laplace.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace
{
  using namespace dealii;
  using namespace Saltus;

  struct Settings
  {
    double       n_dofs        = 3e5;
    unsigned int n_repetitions = 31;
  };

  double
  seconds_of(const std::function<void()> &body)
  {
    const auto start = std::chrono::steady_clock::now();
    body();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  double
  median(std::vector<double> values)
  {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  }

  /// The largest relative difference of results that is taken for rounding errors.
  constexpr double tolerance = 1e-9;

  bool all_agree = true;

  /// Time both in turn and print a row.
  /// @param result,other_result numbers that are to be the same
  void
  compare(const char                  *name,
          const int                    dim,
          const int                    degree,
          const double                 n_dofs,
          const double                 result,
          const double                 other_result,
          const Settings              &settings,
          const std::function<void()> &by_saltus,
          const std::function<void()> &by_deal_ii)
  {
    std::vector<double> saltus, deal_ii;
    for (unsigned int i = 0; i < settings.n_repetitions + 2; ++i)
      {
        const double s = seconds_of(by_saltus), d = seconds_of(by_deal_ii);
        if (i >= 2) // caches are warm
          {
            saltus.push_back(s);
            deal_ii.push_back(d);
          }
      }
    const double difference = std::abs(result / other_result - 1);
    const double rate = n_dofs / median(saltus) / 1e6, other = n_dofs / median(deal_ii) / 1e6;
    std::printf("%-8s %s %d %9.0f %9.1f %9.1f %7.2f %12.1e\n",
                name,
                dim == 2 ? "quadrilateral" : "hexahedron   ",
                degree,
                n_dofs,
                rate,
                other,
                rate / other,
                difference);
    std::fflush(stdout);
    all_agree = all_agree && difference < tolerance;
  }

  /// Of the cube of unit length, into about as many as have the wanted number of unknowns.
  template <int dim>
  void
  make_cubes(Triangulation<dim> &triangulation, const double n_dofs_per_cell, const double n_dofs)
  {
    const double per_direction = std::pow(n_dofs / n_dofs_per_cell, 1. / dim);
    GridGenerator::subdivided_hyper_cube(triangulation, std::max(2., std::round(per_direction)));
  }

  /// \f$ (\sum_i w_i v_i^2)^{1/2} \f$ or, of integrals, with \f$ 1 / w_i \f$.
  double
  norm(const MatrixFreeComparison::Vector &v,
       const MatrixFreeComparison::Vector &weights,
       const bool                          of_integrals)
  {
    double sum = 0;
    for (unsigned int i = 0; i < v.locally_owned_size(); ++i)
      {
        const double w = weights.local_element(i), square = v.local_element(i) * v.local_element(i);
        sum += of_integrals ? square / w : square * w;
      }
    return std::sqrt(sum);
  }

  /// @param expressions of the components
  template <int dim, int n_components>
  MatrixFreeComparison::Vector
  interpolate(const MatrixFreeComparison::Space<dim, n_components> &space,
              const std::string                                    &expressions)
  {
    FunctionParser<dim> function(n_components);
    function.initialize(FunctionParser<dim>::default_variable_names(), expressions, {});
    return space.interpolate(function);
  }

  template <int dim, int degree>
  void
  compare_euler(const Settings &settings)
  {
    constexpr int             n_components = dim + 2;
    const FE_HypercubeDG<dim> fe(degree);
    Triangulation<dim>        triangulation;
    make_cubes(triangulation, fe.n_dofs_per_cell() * n_components, settings.n_dofs);
    // Polynomials of all these spaces.
    const std::string       state = dim == 2 ? "1+0.2*x*y; 0.3-0.1*x; 0.2+0.1*y*x; 3+0.5*y"
                                             : "1+0.2*x*y*z; 0.3-0.1*x; 0.2+0.1*y*x; 0.1*z*y; 3+0.5*y*z";
    const StageCoefficients coefficients{-0.4, 1., 1., false, 0., 0.4, 0., 0.};
    TimeState               time;
    time.dt = 1e-3;

    Euler<dim> law;
    law.riemann_solver = RiemannSolver::lax_friedrichs;
    DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(FESystem<dim>(fe, n_components));
    BoundaryConditions<dim> conditions;
    conditions.set_outflow(0);
    ConservationLawOperator<dim, Euler<dim>, double> op;
    op.reinit(MappingQ1<dim>(), dof_handler, law, conditions, Device::cpu());
    TimeClock              clock = op.make_clock(time);
    Saltus::Vector<double> u, s, out;
    for (auto *vector : {&u, &s, &out})
      op.initialize_vector(*vector);
    op.project(Expression(dim, state, n_components), u);
    const auto by_saltus = [&]() { op.stage(clock, coefficients, u, u, s, out); };

    MatrixFreeComparison::Euler<dim, degree> other(triangulation);
    const auto u_there = interpolate(other.space, state), weights = other.space.weights();
    auto       s_there = other.space.vector(), out_there = other.space.vector();
    const auto by_deal_ii = [&]() {
      other.stage(u_there, coefficients.A, coefficients.d, time.dt, s_there, out_there);
    };

    by_saltus();
    by_deal_ii();
    Saltus::Vector<double> change       = out;
    auto                   change_there = out_there;
    change.add(-1., u);
    change_there.add(-1., u_there);
    compare("Euler",
            dim,
            degree,
            dof_handler.n_dofs(),
            change.l2_norm() / u.l2_norm(),
            norm(change_there, weights, false) / norm(u_there, weights, false),
            settings,
            by_saltus,
            by_deal_ii);
  }

  template <int dim, int degree>
  void
  compare_laplace(const Settings &settings)
  {
    const FE_HypercubeDG<dim> fe(degree);
    Triangulation<dim>        triangulation;
    make_cubes(triangulation, fe.n_dofs_per_cell(), settings.n_dofs);
    const std::string function = dim == 2 ? "(1+x)*(2-y)" : "(1+x)*(2-y)*(1-z)";

    DoFHandler<dim> dof_handler(triangulation);
    dof_handler.distribute_dofs(fe);
    EllipticBoundaryConditions<dim> conditions;
    conditions.set_dirichlet(0);
    LaplaceOperator<dim, double> A;
    A.reinit(MappingQ1<dim>(), dof_handler, conditions, Device::cpu());
    Saltus::Vector<double> u, r;
    A.initialize_vector(r);
    A.right_hand_side(u, {Expression(dim, function, 1)}); // but for a factor
    const auto by_saltus = [&]() { A.vmult(r, u); };

    const MatrixFreeComparison::Laplace<dim, degree> other(triangulation);
    const auto u_there = interpolate(other.space, function), weights = other.space.weights();
    auto       r_there    = other.space.vector();
    const auto by_deal_ii = [&]() { other.vmult(r_there, u_there); };

    by_saltus();
    by_deal_ii();
    const double volume = triangulation.begin_active()->measure();
    compare("Laplace",
            dim,
            degree,
            dof_handler.n_dofs(),
            r.l2_norm() / u.l2_norm(),
            norm(r_there, weights, true) / norm(u_there, weights, false) * volume,
            settings,
            by_saltus,
            by_deal_ii);
  }

  template <int dim, int degree, int max_degree>
  void
  compare_degrees(const Settings &settings)
  {
    if constexpr (degree <= max_degree)
      {
        compare_euler<dim, degree>(settings);
        compare_laplace<dim, degree>(settings);
        compare_degrees<dim, degree + 1, max_degree>(settings);
      }
  }
} // namespace

int
main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  Settings                               settings;
  if (argc > 1)
    settings.n_dofs = std::atof(argv[1]) * 1e6;
  if (argc > 2)
    settings.n_repetitions = std::max(1, std::atoi(argv[2]));
  std::printf("One core; Saltus: x86-64-v%d, MatrixFree: %u numbers a vector\n",
              instruction_set_level(),
              unsigned(MatrixFreeComparison::Width::size()));
  std::printf("operator shape         p      DoFs    Saltus MatrixFree  ratio   difference\n"
              "                                 million DoFs a second\n");
  compare_degrees<2, 1, 6>(settings);
  compare_degrees<3, 1, 5>(settings);
  return all_agree ? 0 : 1;
}
