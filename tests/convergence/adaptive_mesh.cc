// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A bump that is carried around on quadrilaterals which are refined and coarsened on the way, by
// deal.II's means.
#include <deal.II/distributed/grid_refinement.h>
#include <deal.II/distributed/solution_transfer.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/error_estimator.h>

#include <saltus/fe/fe_hypercube_dg.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/solvers/time/time_integrator.h>

#include <helpers/l2_error.h>
#include <helpers/on_device.h>
#include <helpers/time_state.h>
#include <iostream>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Operator   = ConservationLawOperator<2, Advection<2>>;
  using HostVector = LinearAlgebra::distributed::Vector<double>;

  /// It turns about the origin once in the time 1.
  const Expression bump(2, "exp(-80*((x-0.4*cos(2*pi*t))^2+(y-0.4*sin(2*pi*t))^2))", 1);

  class TurningBump
  {
  public:
    /// @param levels of refinement beyond 8 by 8 cells
    TurningBump(const unsigned int degree, const unsigned int levels, const Device device)
      : levels(levels)
      , device(device)
      , triangulation(MPI_COMM_WORLD)
      , dof_handler(triangulation)
      , fe(degree)
      , integrator(op, clock, RungeKutta("LSRK45"))
    {
      GridGenerator::subdivided_hyper_cube(triangulation, 8, -1., 1.);
    }

    /// With cells of the highest level everywhere.
    void
    begin_uniform()
    {
      triangulation.refine_global(levels);
      set_up();
      op.project({bump, true}, u);
    }

    void
    begin_adapted()
    {
      set_up();
      for (unsigned int level = 0; level < levels; ++level)
        {
          op.project({bump, true}, u);
          adapt();
        }
      op.project({bump, true}, u);
    }

    /// @param steps until the mesh is adapted; 0: never
    void
    advance(const double end, const unsigned int steps)
    {
      while (clock.state().time < end)
        {
          TimeState state = clock.state();
          state.cfl       = 0.4;
          state.end       = end;
          clock.set_state(state);
          if (steps == 0)
            integrator.advance(u);
          else
            integrator.advance(u, steps);
          if (steps > 0 && clock.state().time < end)
            adapt();
        }
    }

    /// With what has left through the boundary.
    double
    mass() const
    {
      return op.integrals(u)[0] + outflow + clock.outflow()[0];
    }

    double
    error() const
    {
      return l2_error(mapping, dof_handler, on_host(), bump, clock.state().time);
    }

    unsigned int
    n_cells() const
    {
      return triangulation.n_global_active_cells();
    }

  private:
    void
    set_up()
    {
      dof_handler.distribute_dofs(fe);
      BoundaryConditions<2> conditions;
      conditions.set_prescribed(0, {Expression(2, "0", 1), true});
      Operator::AdditionalData data;
      data.fields           = {Expression(2, "-2*pi*y; 2*pi*x", 2), true};
      const TimeState state = clock_is_set ? clock.state() : TimeState();
      if (clock_is_set)
        outflow += clock.outflow()[0];
      op.reinit(mapping, dof_handler, Advection<2>(), conditions, device, data);
      op.initialize_vector(u);
      clock        = op.make_clock(state);
      clock_is_set = true;
    }

    HostVector
    on_host() const
    {
      HostVector solution(dof_handler.locally_owned_dofs(),
                          dof_handler.locally_owned_dofs(),
                          MPI_COMM_WORLD);
      op.copy_to(solution, u);
      return solution;
    }

    void
    adapt()
    {
      HostVector            solution = on_host();
      dealii::Vector<float> indicators(triangulation.n_active_cells());
      const QGauss<1>       on_faces(fe.degree + 1);
      KellyErrorEstimator<2>::estimate(mapping, dof_handler, on_faces, {}, solution, indicators);
      parallel::distributed::GridRefinement::refine_and_coarsen_fixed_number(triangulation,
                                                                             indicators,
                                                                             0.15,
                                                                             0.4);
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->level() >= int(levels))
          cell->clear_refine_flag();
      parallel::distributed::SolutionTransfer<2, HostVector> transfer(dof_handler);
      triangulation.prepare_coarsening_and_refinement();
      transfer.prepare_for_coarsening_and_refinement(solution);
      triangulation.execute_coarsening_and_refinement();
      set_up();
      HostVector moved(dof_handler.locally_owned_dofs(), MPI_COMM_WORLD);
      transfer.interpolate(moved);
      op.copy_from(u, moved);
    }

    const unsigned int                      levels;
    const Device                            device;
    parallel::distributed::Triangulation<2> triangulation;
    const MappingQ<2>                       mapping{1};
    DoFHandler<2>                           dof_handler;
    const FE_HypercubeDG<2>                 fe;
    Operator                                op;
    TimeClock                               clock;
    bool                                    clock_is_set = false;
    double                                  outflow      = 0.; ///< on the meshes before
    TimeIntegrator<Operator>                integrator;
    Saltus::Vector<double>                  u;
  };

  using AdaptiveMesh = OnDevice;
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(AdaptiveMesh)

/// As accurate as on a uniform mesh with several times the cells, and nothing is lost.
TEST_P(AdaptiveMesh, TurningBump)
{
  TurningBump uniform(3, 2, device()), adapted(3, 2, device());
  uniform.begin_uniform();
  uniform.advance(0.5, 0);
  adapted.begin_adapted();
  const double mass = adapted.mass();
  adapted.advance(0.5, 5);
  std::cout << uniform.n_cells() << " cells: error " << uniform.error() << "; " << adapted.n_cells()
            << " cells: error " << adapted.error() << ", change of mass " << adapted.mass() - mass
            << std::endl;
  EXPECT_LT(adapted.n_cells(), 0.5 * uniform.n_cells());
  EXPECT_LT(adapted.error(), 2. * uniform.error());
  EXPECT_NEAR(adapted.mass(), mass, 1e-13);
}
