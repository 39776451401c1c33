// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Viscous flow and shocks that artificial viscosity spreads, against exact solutions.
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <helpers/curved_box.h>
#include <helpers/exact_riemann.h>
#include <helpers/l2_error.h>
#include <helpers/meshes.h>
#include <helpers/on_device.h>
#include <helpers/time_state.h>
#include <helpers/vectors.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Error of the momentum along compressible Couette flow: between a wall at rest with the
  /// temperature 0.8 and one that moves with the speed 0.5 and has the temperature 1, the pressure
  /// is constant, the velocity linear and, with a constant viscosity, the temperature of heat
  /// conduction and friction quadratic, \f$ T'' = -\text{Pr} (\gamma-1)/\gamma\, v'^2 \f$.
  template <int dim, typename BoxType>
  double
  couette_error(const unsigned int p, const BoxType &box, const Device device)
  {
    const std::string temperature = "(0.8+0.2*y+0.72*0.4/1.4*0.125*y*(1-y))";
    const std::string rest        = dim == 2 ? "; 0" : "; 0; 0";
    const std::string moving      = "1/" + temperature + "; 0.5*y" + rest + "; 1";
    DoFHandler<dim>   dof_handler(box.triangulation);
    dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexDGModal<dim>(p), dim + 2));

    Euler<dim> gas;
    gas.transport.viscosity = 0.05;
    const FieldFunction<dim> exact(Expression(dim, moving, dim + 2), true);
    BoundaryConditions<dim>  conditions;
    conditions.set_periodic(0, 1);
    conditions.set_isothermal_wall(2, FieldFunction<dim>(Expression(dim, "0.8", 1)));
    conditions.set_prescribed(3, exact);
    if (dim == 3)
      conditions.set_periodic(4, 5);

    using Operator = ConservationLawOperator<dim, Euler<dim>>;
    Operator op;
    op.reinit(box.mesh(conditions.periodic()), dof_handler, gas, conditions, device, {});
    TimeClock clock = op.make_clock(with_cfl(0.7, 0.1));
    auto      u     = zeros(op);
    op.project(exact, u);
    TimeIntegrator<Operator>(op, clock, RungeKutta("LSRK45")).advance(u);
    op.check_states(clock);
    return l2_error(box.mapping,
                    dof_handler,
                    to_dealii(op, u),
                    Expression(dim,
                               "1/" + temperature + "; 0.5*y/" + temperature + rest + "; 1",
                               dim + 2),
                    0.,
                    1);
  }

  /// @param make_box of its number of subdivisions in each direction
  template <int dim, typename MakeBox>
  void
  expect_couette_rate(const MakeBox     &make_box,
                      const unsigned int p,
                      const unsigned int coarse,
                      const Device       device)
  {
    const double errors[] = {couette_error<dim>(p, make_box(coarse), device),
                             couette_error<dim>(p, make_box(2 * coarse), device)};
    const double rate     = std::log2(errors[0] / errors[1]);
    std::cout << dim << "D, p = " << p << ": errors " << errors[0] << ", " << errors[1] << ", rate "
              << rate << std::endl;
    EXPECT_GT(rate, p + 0.75) << dim << "D, p = " << p;
  }

  template <int dim>
  Box<dim>
  straight(const unsigned int n)
  {
    return Box<dim>(n, 0.1);
  }

  struct TubeResult
  {
    double error;   ///< of the density, mean over the tube
    double largest; ///< mean density of an element
    double steps;
  };

  /// Sod's tube at time 0.2 with @p n elements along it. The jump is spread over an element before
  /// it starts.
  TubeResult
  sod(const unsigned int p, const unsigned int n, const bool continuous, const Device device)
  {
    constexpr double   height = 0.1;
    Triangulation<2>   triangulation;
    const MappingFE<2> mapping(FE_SimplexP<2>(1));
    Saltus::GridGenerator::box<2>(
      triangulation, Point<2>(), Point<2>(1., height), {n, std::max(1u, n / 10)}, 0.);
    DoFHandler<2> dof_handler(triangulation);
    dof_handler.distribute_dofs(FESystem<2>(FE_SimplexDGModal<2>(p), 4));
    BoundaryConditions<2> conditions;
    for (unsigned int id = 0; id < 4; ++id)
      conditions.set_wall(id);

    using Operator = ConservationLawOperator<2, Euler<2>>;
    Operator                 op;
    Operator::AdditionalData data;
    data.artificial_viscosity.strength   = 0.5;
    data.artificial_viscosity.continuous = continuous;
    op.reinit(mapping, dof_handler, Euler<2>(), conditions, device, data);
    TimeClock         clock = op.make_clock(with_cfl(0.5, 0.2));
    auto              u     = zeros(op);
    const std::string jump  = "*tanh((x-0.5)*" + std::to_string(2 * n) + ")";
    op.project(
      FieldFunction<2>(Expression(2, "0.5625-0.4375" + jump + "; 0; 0; 0.55-0.45" + jump, 4), true),
      u);
    TimeIntegrator<Operator>(op, clock, RungeKutta("SSP3")).advance(u);
    op.check_states(clock);

    const ExactRiemann                  exact({1., 0., 1.}, {0.125, 0., 0.1});
    const auto                          solution = to_dealii(op, u);
    FEValues<2>                         values(mapping,
                       dof_handler.get_fe(),
                       simplex_quadrature<2>(2 * p + 2),
                       update_values | update_JxW_values | update_quadrature_points);
    std::vector<dealii::Vector<double>> states(values.n_quadrature_points,
                                               dealii::Vector<double>(4));
    double                              error = 0.;
    for (const auto &cell : dof_handler.active_cell_iterators())
      {
        values.reinit(cell);
        values.get_function_values(solution, states);
        for (const unsigned int q : values.quadrature_point_indices())
          error +=
            values.JxW(q) *
            std::abs(states[q](0) - exact.at((values.quadrature_point(q)[0] - 0.5) / 0.2).density);
      }
    return {error / height, op.statistics(u).maxima[0], double(clock.state().n_steps)};
  }

  using SecondOrderSolutions = OnDevice;
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(SecondOrderSolutions)

TEST_P(SecondOrderSolutions, CouetteTriangles)
{
  for (unsigned int p = 1; p <= 3; ++p)
    expect_couette_rate<2>(straight<2>, p, p == 1 ? 6 : 3, device());
}

TEST_P(SecondOrderSolutions, CouetteTetrahedra)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 3 : 2); ++p)
    expect_couette_rate<3>(straight<3>, p, 2, device());
}

TEST_P(SecondOrderSolutions, CouetteCurvedTriangles)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 3 : 2); ++p)
    expect_couette_rate<2>(
      [](const unsigned int n) { return CurvedBox<2>(n, bump_inside<2>(), 3); }, p, 8, device());
}

TEST_P(SecondOrderSolutions, CouetteCurvedTetrahedra)
{
  SALTUS_SKIP_WITHOUT_GPU();
  for (unsigned int p = 1; p <= 2; ++p)
    expect_couette_rate<3>(
      [](const unsigned int n) { return CurvedBox<3>(n, bump_inside<3>(0.04), 2); },
      p,
      4,
      device());
}

TEST_P(SecondOrderSolutions, ShockTube)
{
  for (const auto &[p, continuous] :
       {std::pair(2U, false), std::pair(3U, false), std::pair(4U, false), std::pair(3U, true)})
    {
      const unsigned int n      = p == 2 ? 20 : 10;
      const TubeResult   coarse = sod(p, n, continuous, device()),
                       fine     = sod(p, 2 * n, continuous, device());
      std::cout << "p = " << p << (continuous ? ", continuous" : "") << ": errors " << coarse.error
                << ", " << fine.error << ", largest " << fine.largest << ", steps " << coarse.steps
                << ", " << fine.steps << std::endl;
      EXPECT_LT(fine.error, 0.65 * coarse.error) << p;
      EXPECT_LT(fine.largest, 1.01) << p;
    }
}
