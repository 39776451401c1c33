// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The L2 error of smooth solutions falls like h^(p+1), on distorted meshes of triangles and of
// tetrahedra, straight and curved, and of quadrilaterals and hexahedra.
#include <deal.II/fe/fe_system.h>

#include <saltus/fe/dg_element.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/time_integrator.h>

#include <helpers/curved_box.h>
#include <helpers/hypercubes.h>
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
  /// A solution in the periodic unit box.
  template <int dim, typename Law>
  struct Problem
  {
    Expression         exact; ///< primitive variables
    FieldFunction<dim> fields;
    double             end_time;
    double             cfl; ///< so small that the error of the scheme of order 4 does not count
  };

  /// Error at the end time in a box.
  template <int dim, typename Law, template <int> class BoxType>
  double
  error(const Problem<dim, Law> &problem,
        const BoxType<dim>      &box,
        const unsigned int       degree,
        const Device             device)
  {
    DoFHandler<dim> dof_handler(box.triangulation);
    const auto      fe = dg_element<dim>(box.triangulation.begin()->reference_cell(), degree);
    dof_handler.distribute_dofs(FESystem<dim>(*fe, Law::n_components));

    using Operator = ConservationLawOperator<dim, Law>;
    Operator                          op;
    typename Operator::AdditionalData data;
    data.fields           = problem.fields;
    const auto conditions = periodic_conditions<BoundaryConditions, dim>();
    op.reinit(box.mesh(conditions.periodic()), dof_handler, Law(), conditions, device, data);
    TimeClock clock = op.make_clock(with_cfl(problem.cfl, problem.end_time));

    auto u = zeros(op);
    op.project(FieldFunction<dim>(problem.exact, true), u);
    TimeIntegrator<Operator> integrator(op, clock, RungeKutta("LSRK45"));
    integrator.advance(u);
    return l2_error(box.mapping, dof_handler, to_dealii(op, u), problem.exact, problem.end_time);
  }

  /// Errors on @p n_meshes meshes, each twice as fine as the one before. Only too small a rate is
  /// wrong: a better one than p+1 comes from a coarse mesh that does not resolve the solution, or
  /// from luck with the distortion, and the slack of a quarter is for the latter.
  /// @param make_box of its number of subdivisions in each direction
  template <int dim, typename Law, typename MakeBox>
  void
  expect_rate(const Problem<dim, Law> &problem,
              const MakeBox           &make_box,
              const unsigned int       degree,
              const unsigned int       coarsest,
              const unsigned int       n_meshes,
              const Device             device)
  {
    double previous = 0., rate = 0.;
    for (unsigned int mesh = 0, n = coarsest; mesh < n_meshes; ++mesh, n *= 2)
      {
        const double current = error(problem, make_box(n), degree, device);
        std::cout << "p = " << degree << ", n = " << n << ": error " << current;
        if (mesh > 0)
          {
            rate = std::log2(previous / current);
            std::cout << ", rate " << rate;
          }
        std::cout << std::endl;
        previous = current;
      }
    EXPECT_GT(rate, degree + 0.75) << "p = " << degree;
  }

  /// A wave in a shear flow, along whose characteristics \f$ x - t + (\cos 2\pi y - \cos 2\pi(y-t))
  /// / 4\pi \f$ and \f$ y - t \f$ are constant.
  Problem<2, Advection<2>>
  shear_flow()
  {
    return {Expression(2, "sin(2*pi*(x-t)+0.5*cos(2*pi*y)-0.5*cos(2*pi*(y-t)))*cos(2*pi*(y-t))", 1),
            FieldFunction<2>(Expression(2, "1+0.5*sin(2*pi*y); 1", 2)),
            0.05,
            0.3};
  }

  Problem<3, Euler<3>>
  density_wave()
  {
    return {Expression(3, "1+0.1*(sin(2*pi*(x-t))+sin(2*pi*(y-t))+sin(2*pi*(z-t))); 1; 1; 1; 1", 5),
            {},
            0.05,
            0.3};
  }

  Problem<3, Advection<3>>
  scalar_wave()
  {
    return {Expression(3, "sin(2*pi*(x-t))+sin(2*pi*(y-t))+sin(2*pi*(z-t))", 1),
            FieldFunction<3>(Expression(3, "1; 1; 1", 3)),
            0.05,
            0.3};
  }

  template <int dim>
  Box<dim>
  straight(const unsigned int n)
  {
    return Box<dim>(n, 0.1);
  }

  /// Curved in the middle.
  template <int dim, unsigned int map_degree>
  CurvedBox<dim>
  curved(const unsigned int n)
  {
    return CurvedBox<dim>(n, bump_inside<dim>(), map_degree);
  }

  /// Bilinear or trilinear.
  template <int dim>
  HypercubeBox<dim>
  of_hypercubes(const unsigned int n)
  {
    return {n, Cells::distorted, far_corner<dim>(), 0.1};
  }

  using SmoothSolutions = OnDevice;
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(SmoothSolutions)

TEST_P(SmoothSolutions, AdvectionTriangles)
{
  for (unsigned int p = 1; p <= 5; ++p)
    expect_rate(shear_flow(), straight<2>, p, 8, device().is_cuda() && p < 5 ? 4 : 2, device());
}

TEST_P(SmoothSolutions, EulerTetrahedra)
{
  for (unsigned int p = 1; p <= 4; ++p)
    expect_rate(density_wave(),
                straight<3>,
                p,
                p == 2  ? 5
                : p < 4 ? 4
                        : 3,
                device().is_cuda() && p < 4 ? 3 : 2,
                device());
}

TEST_P(SmoothSolutions, AdvectionCurvedTriangles)
{
  for (unsigned int p = 1; p <= 5; ++p)
    expect_rate(shear_flow(), curved<2, 3>, p, 8, 2, device());
}

// At degree 3 only meshes that take long on a CPU resolve the displacement.
TEST_P(SmoothSolutions, EulerCurvedTetrahedra)
{
  for (unsigned int p = 1; p <= (device().is_cuda() ? 3 : 2); ++p)
    expect_rate(density_wave(), curved<3, 2>, p, p < 3 ? 4 : 6, 2, device());
}

TEST_P(SmoothSolutions, AdvectionCurvedTetrahedra)
{
  for (unsigned int p = 1; p <= 4; ++p)
    expect_rate(
      scalar_wave(),
      [](const unsigned int n) { return CurvedBox<3>(n, bump_inside<3>(0.04), 2); },
      p,
      4,
      2,
      device());
}

TEST_P(SmoothSolutions, AdvectionQuadrilaterals)
{
  for (unsigned int p = 1; p <= 6; ++p)
    expect_rate(shear_flow(), of_hypercubes<2>, p, p < 5 ? 8 : 4, 3, device());
}

TEST_P(SmoothSolutions, EulerHexahedra)
{
  for (unsigned int p = 1; p <= 4; ++p)
    expect_rate(density_wave(), of_hypercubes<3>, p, p < 3 ? 6 : p < 4 ? 5 : 3, 2, device());
}
