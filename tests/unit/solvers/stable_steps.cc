// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Small perturbations of a gas neither grow with the default CFL numbers of the Runge-Kutta schemes
// nor would do so with much larger ones.
#include <deal.II/grid/grid_tools.h>

#include <saltus/operators/conservation_law/default_cfl.h>
#include <saltus/solvers/time/time_integrator.h>

#include <algorithm>
#include <cmath>
#include <helpers/curved_box.h>
#include <helpers/hypercubes.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>
#include <string>
#include <vector>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// A constant state and the equations around it.
  struct Flow
  {
    std::string   name;
    double        mach, viscosity;
    RiemannSolver riemann_solver;
  };

  const std::vector<Flow> flows = {{"at rest", 0., 0., RiemannSolver::hllc},
                                   {"Mach 0.5", 0.5, 0., RiemannSolver::hllc},
                                   {"Mach 2", 2., 0., RiemannSolver::lax_friedrichs},
                                   {"viscous", 0.5, 1e4, RiemannSolver::hllc}};

  /// Small perturbations of a constant state on one mesh.
  template <int dim>
  class Perturbation
  {
  public:
    using Operator = ConservationLawOperator<dim, Euler<dim>>;

    template <typename AnySetting>
    Perturbation(const AnySetting &setting, const Flow &flow, const Device device)
    {
      Euler<dim> law;
      law.transport.viscosity = flow.viscosity;
      law.riemann_solver      = flow.riemann_solver;
      // Pressure over density is 1 / gamma, so that the sound has the speed 1.
      std::vector<double> state = {1., 0.8 * flow.mach, 0.6 * flow.mach, 0.};
      state.resize(1 + dim);
      state.push_back(1. / (law.gamma * (law.gamma - 1.)) + 0.5 * flow.mach * flow.mach);
      const auto              constant = constant_function<dim>(state);
      BoundaryConditions<dim> conditions;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        conditions.set_prescribed(id, constant);
      typename Operator::AdditionalData data;
      data.local_steps = true; // then each element, not the smallest one alone, is near its bound
      op.reinit(setting.mesh(), setting.dof_handler, law, conditions, device, data);
      op.initialize_vector(u);
      op.project(constant, u);
      base = to_dealii(op, u);
    }

    /// The factor by which a step with the CFL number @p cfl changes it in the end.
    double
    growth(const RungeKutta &scheme, const double cfl)
    {
      constexpr unsigned int n_steps = 80, n_counted = 30;
      constexpr double       small = 1e-6;
      TimeState              time;
      time.cfl                       = cfl;
      TimeClock                clock = op.make_clock(time);
      TimeIntegrator<Operator> integrator(op, clock, scheme);
      dealii::Vector<double>   v   = random_vector(base.size(), 3);
      double                   sum = 0.;
      for (unsigned int i = 0; i < n_steps; ++i)
        {
          v *= small / v.l2_norm();
          v += base;
          u = copied(op, v);
          integrator.step(u);
          v = to_dealii(op, u);
          v -= base;
          if (i + n_counted >= n_steps)
            sum += std::log(v.l2_norm() / small);
        }
      return std::exp(sum / n_counted);
    }

  private:
    Operator               op;
    Saltus::Vector<double> u;
    dealii::Vector<double> base;
  };

  /// Every flow is stable with 1.15 times the default of LSRK45, the least stable flow also with
  /// the other schemes. With 1.9 times the default that flow is not.
  template <int dim, typename AnySetting>
  void
  expect_stable(const std::string &name,
                const AnySetting  &setting,
                const std::string &least_stable,
                const Device       device)
  {
    const auto &fe                   = setting.dof_handler.get_fe();
    double      growth_of_long_steps = 0.;
    for (const Flow &flow : flows)
      {
        Perturbation<dim> perturbation(setting, flow, device);
        for (const std::string scheme : {"LSRK45", "SSP2", "SSP3", "RK4"})
          {
            const double cfl = default_cfl(scheme, fe.reference_cell(), fe.degree);
            SCOPED_TRACE(name + ", p = " + std::to_string(fe.degree) + ", " + flow.name + ", " +
                         scheme + ", CFL number " + std::to_string(cfl));
            EXPECT_LT(perturbation.growth(RungeKutta(scheme), 1.15 * cfl), 1.001);
            if (flow.name != least_stable)
              break;
            growth_of_long_steps =
              std::max(growth_of_long_steps, perturbation.growth(RungeKutta(scheme), 1.9 * cfl));
          }
      }
    EXPECT_GT(growth_of_long_steps, 1.1) << name << ", p = " << fe.degree << ": too cautious";
  }
} // namespace

using StableStepsTest = OnDevice;
SALTUS_INSTANTIATE_ON_DEVICES(StableStepsTest)

TEST_P(StableStepsTest, DefaultIsBelowTheBounds)
{
  for (const unsigned int p : {1, 3, 5, 8})
    {
      if (p > 5 && device() != Device::cpu()) // the highest degree of triangles there
        continue;
      const std::string of_triangles = p == 1 ? "viscous" : "Mach 2";
      expect_stable<2>("triangles", Setting<2, Euler<2>>(p, Euler<2>(), 4), of_triangles, device());
      if (p > 6) // the highest degree of quadrilaterals
        continue;
      expect_stable<2>("curved triangles",
                       CurvedSetting<2, Euler<2>>(p, 3, bump_at_side<2>()),
                       of_triangles,
                       device());
      for (const double distortion : {0., 0.2})
        expect_stable<2>(
          distortion > 0. ? "quadrilaterals" : "squares",
          HypercubeSetting<2, Euler<2>>(p, Cells::distorted, Euler<2>(), 4, distortion),
          "Mach 2",
          device());
    }
  for (const unsigned int p : {1, 3})
    {
      Setting<3, Euler<3>> flat(p, Euler<3>(), 2);
      GridTools::transform([](const Point<3> &x) { return Point<3>(0.1 * x[0], x[1], x[2]); },
                           flat.triangulation);
      expect_stable<3>("flat tetrahedra", flat, "viscous", device());
      for (const double distortion : {0., 0.2})
        expect_stable<3>(
          distortion > 0. ? "hexahedra" : "cubes",
          HypercubeSetting<3, Euler<3>>(p, Cells::distorted, Euler<3>(), 2, distortion),
          "Mach 2",
          device());
    }
}
