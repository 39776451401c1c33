// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later

#include <saltus/operators/flow/flow_operators.h>
#include <saltus/operators/flow/stabilization_operator.h>
#include <saltus/operators/flow/viscous_operator.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/operators/spaces/function_moments.h>
#include <saltus/solvers/flow/incompressible_flow.h>
#include <saltus/solvers/time/runge_kutta.h>

#include "multigrid_cost.h"

namespace Saltus::Throughput
{
  using namespace dealii;

  namespace
  {
    using Terms = std::vector<VectorSum<double>::Term>;

    /// A function with some structure, constant in time.
    template <int dim>
    FieldFunction<dim>
    some_function(const unsigned int n_components)
    {
      std::string expressions;
      for (unsigned int c = 1; c <= n_components; ++c)
        expressions +=
          (c == 1 ? "" : "; ") + std::string("1+0.1*cos(3*x+") + std::to_string(c) + "*y)";
      return Expression(dim, expressions, n_components);
    }

    template <int dim>
    Saltus::Vector<double>
    projection(const ElementSpace<dim, double> &space)
    {
      Saltus::Vector<double> moments = space.make_vector(), result = moments;
      FunctionMoments<dim, double>(space, some_function<dim>(space.n_components), "flow")
        .add(moments, 0.);
      ElementMass<dim, double>(space).inverse().vmult(result, moments);
      return result;
    }

    /// The velocity is given on all sides but one.
    template <int dim>
    FlowBoundaryConditions<dim>
    boundary_conditions(const Triangulation<dim> &triangulation)
    {
      FlowBoundaryConditions<dim> conditions;
      const auto                  ids = triangulation.get_boundary_ids();
      for (const auto id : ids)
        if (id == ids.back())
          conditions.set_outflow(id);
        else
          conditions.set_velocity(id, some_function<dim>(dim));
      return conditions;
    }

    /// A cycle of multigrid as IncompressibleFlow has it.
    template <int dim>
    void
    time_pressure_cycle(const std::shared_ptr<const ElementMesh<dim>> &mesh,
                        const unsigned int                             degree,
                        const ElementShape                             shape,
                        const FlowBoundaryConditions<dim>             &conditions,
                        const Settings                                &settings)
    {
      using Multigrid = typename IncompressibleFlow<dim>::Multigrid;
      using Number    = float; // of its levels

      LaplaceOperator<dim> A;
      A.reinit(mesh, degree, conditions.of_pressure(), settings.device, {});
      const typename Multigrid::AdditionalData data;
      Multigrid                                multigrid;
      multigrid.initialize(A, data);
      Saltus::Vector<double> p, change;
      A.right_hand_side(p, some_function<dim>(1));
      A.initialize_vector(change);
      const Cost cost = cost_of_cycle<dim, Number>(A, data.smoother_degree);
      print(
        {"pressure cycle",
         dim,
         degree,
         false,
         double(A.m()),
         median_time(settings.device, settings.repetitions, [&]() { multigrid.vmult(change, p); }),
         cost.bytes / p.locally_owned_size(),
         cost.flops,
         multigrid.memory_per_element(),
         double(mesh->n_elements()),
         0.,
         shape},
        settings.limits);
    }

    template <int dim>
    void
    time_degree(const unsigned int degree, const ElementShape shape, const Settings &settings)
    {
      const unsigned int n_modes       = make_element<dim>(shape, degree)->n_dofs_per_cell();
      const auto         triangulation = make_mesh<dim>(settings, n_modes * dim, shape);
      const auto         conditions    = boundary_conditions(*triangulation);
      const auto         mesh          = make_element_mesh(settings, *triangulation, degree);
      FlowOperators<dim> flow;
      flow.reinit(mesh, degree, conditions, settings.device, {});
      ViscousOperator<dim>                          viscous;
      typename ViscousOperator<dim>::AdditionalData of_viscous;
      of_viscous.reaction = 1.;
      viscous.reinit(mesh, degree, conditions, settings.device, of_viscous);

      // Velocities of the history, one that they carry, and what is made of them.
      const auto u = projection(flow.velocity_space()), last = u, before = u;
      auto       convection = u, accumulator = u, out = u;
      const auto p          = projection(flow.pressure_space());
      auto       divergence = p;

      const double of_geometry =
        bytes_of_geometry<dim, double>(flow.velocity_space().reference.n_faces);
      const double of_form     = shape == ElementShape::simplex ? bytes_of_stiffness<dim, double>()
                                                                : bytes_of_form<dim, double>();
      const double mesh_memory = flow.velocity_space().mesh_memory_consumption();
      const auto   report      = [&](const std::string &kernel,
                              const unsigned int n_out,
                              const double       bytes_of_element,
                              const double       flops,
                              const double       memory,
                              const double       sent,
                              const auto        &body) {
        body(); // boundary data is evaluated once, which graphs do not record
        print({kernel,
               dim,
               degree,
               true,
               double(out.layout().n_entries() / dim * n_out),
               median_time_in_steps(settings, mesh->partition, body),
               bytes_of_element / (n_modes * n_out),
               flops,
               (memory + mesh_memory) / mesh->n_elements(),
               double(mesh->n_elements()),
               sent,
               shape},
              settings.limits);
      };

      // The fewest bytes: of vectors the input and, unless it is said that there are more, the
      // result.
      const GhostExchange<double> of_component(
        *mesh, flow.pressure_space().reference.degree, 1, settings.device, GhostData::values);
      const auto derivative = [&](const std::string &kernel,
                                  const unsigned int n_in,
                                  const unsigned int n_out,
                                  const unsigned int n_more,
                                  const double       flops,
                                  const auto        &body) {
        report(kernel,
               n_out,
               (n_in + n_out + n_more) * n_modes * sizeof(double) + of_geometry,
               flops,
               flow.memory_consumption(), // of all of them
               n_in * of_component.n_bytes(),
               body);
      };
      derivative("gradient", 1, dim, 0, flow.gradient_flops(), [&]() {
        flow.gradient(out, p, 0.);
      });
      derivative("divergence", dim, 1, 0, flow.divergence_flops(), [&]() {
        flow.divergence(divergence, u, 0.);
      });
      derivative("convection", dim, dim, 0, flow.convection_flops(), [&]() {
        flow.convection(convection, u, 0.);
      });

      // A stage of a subcycle, as IncompressibleFlow has them.
      constexpr double        dt    = 1e-3;
      const StageCoefficients stage = RungeKutta("LSRK45").stages()[1];
      FlowUpdate<double>      update;
      update.base          = u;
      update.scale         = -dt;
      update.accumulator   = &accumulator;
      update.A             = stage.A;
      update.B             = stage.d;
      const double time    = stage.time * dt;
      const Terms  carrier = {{1.5, &last, true}, {-0.5, &before, true}};
      flow.update_velocity_ghosts(last);
      flow.update_velocity_ghosts(before);
      // More: two velocities that carry, and the accumulator read and written.
      derivative("transport stage", dim, dim, 4 * dim, flow.transport_flops(), [&]() {
        flow.transport(out, u, carrier, time, update, {1.5});
      });

      // Of an element also |det J|, for the reaction.
      report("viscous operator",
             dim,
             2 * dim * n_modes * sizeof(double) + of_form + sizeof(double),
             viscous.flops(),
             viscous.memory_consumption(),
             dim * viscous.of_component().bytes_sent(),
             [&]() { viscous.vmult(out, u); });

      // Of an element also the mean speed and the length, for the penalties.
      StabilizationOperator<dim> stabilization;
      stabilization.reinit(mesh, degree, settings.device, {});
      stabilization.set_penalties(u, dt);
      report("stabilization operator",
             dim,
             2 * dim * n_modes * sizeof(double) + of_geometry + 2 * sizeof(double),
             stabilization.flops(),
             stabilization.memory_consumption(),
             dim * of_component.n_bytes(),
             [&]() { stabilization.vmult(out, u); });

      if (contains(settings.parts, "cycle"))
        time_pressure_cycle(mesh, degree, shape, conditions, settings);
    }

    template <int dim>
    void
    time_flow_degrees(const ElementShape shape, const Settings &settings)
    {
      if (!contains(settings.dimensions, dim) || !is_wanted(settings, shape))
        return;
      const unsigned int max_degree = max_flow_degree(dim, shape);
      for (unsigned int degree = 1; degree <= max_degree; ++degree)
        if (contains(settings.degrees, degree))
          time_degree<dim>(degree, shape, settings);
    }
  } // namespace

  void
  time_flow(const Settings &settings)
  {
    // The operators exist in double precision alone.
    if (!contains(settings.equations, "Flow") || !contains(settings.precisions, "double"))
      return;
    for (const ElementShape shape : {ElementShape::simplex, ElementShape::hypercube})
      {
        time_flow_degrees<2>(shape, settings);
        time_flow_degrees<3>(shape, settings);
      }
  }
} // namespace Saltus::Throughput
