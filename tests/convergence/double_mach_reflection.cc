// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Double Mach reflection (Fuhry, Giuliani and Krivodonova, section 5.2): on the CPU about 2,000
// triangles, on a GPU the paper's 68,622.
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <gtest/gtest.h>
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
  /// Density, velocity and pressure behind and ahead of a shock that has passed where
  /// @p condition holds.
  FieldFunction<2>
  shock(const std::string &condition)
  {
    const auto choose = [&](const char *behind, const char *ahead) {
      return "if(" + condition + ", " + behind + ", " + ahead + ")";
    };
    return {Expression(2,
                       choose("8", "1.4") + ";" + choose("8.25*cos(pi/6)", "0") + ";" +
                         choose("-8.25*sin(pi/6)", "0") + ";" + choose("116.5", "1"),
                       4),
            true};
  }

  /// Where on the top the density falls from behind to ahead of the incident shock: the largest
  /// abscissa of an element there with a mean above the middle.
  double
  shock_on_top(const DoFHandler<2> &dof_handler, const dealii::Vector<double> &u)
  {
    std::vector<types::global_dof_index> indices(dof_handler.get_fe().n_dofs_per_cell());
    const unsigned int i_mean   = dof_handler.get_fe().component_to_system_index(0, 0);
    double             position = 0;
    for (const auto &cell : dof_handler.active_cell_iterators())
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f) && cell->face(f)->boundary_id() == 4)
          {
            cell->get_dof_indices(indices);
            if (std::sqrt(2.) * u(indices[i_mean]) > 0.5 * (8 + 1.4))
              position = std::max(position, cell->center()[0]);
          }
    return position;
  }

  void
  reflect(const unsigned int n_triangles, const Device device)
  {
    Triangulation<2> triangulation;
    Saltus::GridGenerator::double_mach_reflection(triangulation, n_triangles);
    const MappingFE<2> mapping(FE_SimplexP<2>(1));
    DoFHandler<2>      dof_handler(triangulation);
    dof_handler.distribute_dofs(FESystem<2>(FE_SimplexDGModal<2>(1), 4));

    BoundaryConditions<2> conditions;
    conditions.set_prescribed(0, shock("x < 10"));
    conditions.set_outflow(1);
    conditions.set_prescribed(2, shock("x < 10"));
    conditions.set_wall(3);
    conditions.set_prescribed(4, shock("x < 1/6 + (1 + 20*t)/sqrt(3)"));

    using Operator = ConservationLawOperator<2, Euler<2>>;
    Operator op;
    op.reinit(mapping, dof_handler, Euler<2>(), conditions, device);
    TimeClock clock = op.make_clock(with_cfl(0.7, 0.2));
    auto      u     = zeros(op);
    op.project(shock("x < 1/6 + y/sqrt(3)"), u);
    op.limit(u);
    const auto before = op.integrals(u);

    TimeIntegrator<Operator> integrator(op, clock, RungeKutta("SSP2"), Limiter::barth_jespersen);
    integrator.advance(u); // throws where density or pressure is not positive

    const auto after = op.integrals(u), outflow = clock.outflow();
    for (unsigned int c = 0; c < 4; c += 3) // density and energy; walls change the momentum
      EXPECT_NEAR((after[c] + outflow[c]) / before[c], 1., 1e-10);
    const dealii::Vector<double> solution = to_dealii(op, u);
    const double                 width    = std::sqrt(4. / triangulation.n_active_cells());
    const double                 position = shock_on_top(dof_handler, solution);
    std::cout << triangulation.n_active_cells() << " triangles, " << clock.state().n_steps
              << " steps, shock at x = " << position << " on the top (exact "
              << 1. / 6. + 5. / std::sqrt(3.) << ", element width " << width << ")" << std::endl;
    EXPECT_NEAR(position, 1. / 6. + 5. / std::sqrt(3.), 2. * width);
  }
} // namespace

TEST(DoubleMachReflection, Cpu)
{
  reflect(2000, Device::cpu());
}

TEST(DoubleMachReflection, Cuda)
{
  SALTUS_SKIP_WITHOUT_GPU();
  reflect(68622, Device::cuda());
}
