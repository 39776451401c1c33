// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/function.h>
#include <deal.II/fe/fe_system.h>

#include <saltus/base/device/instruction_set.h>
#include <saltus/fe/dg_element.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>
#include <saltus/solvers/time/runge_kutta.h>

#include "timing.h"
#include <algorithm>

namespace Saltus::Throughput
{
  using namespace dealii;

  namespace
  {
    template <int dim, typename Law>
    FieldFunction<dim>
    fields()
    {
      if (Law::n_fields == 0)
        return {};
      return {std::make_shared<Functions::ConstantFunction<dim>>(1., dim), false, false};
    }

    template <int dim, typename Law, typename Number>
    void
    time_stage(const std::string &name,
               const Law         &law,
               const ElementShape shape,
               const unsigned int degree,
               const Settings    &settings)
    {
      const auto                element = make_element<dim>(shape, degree);
      const FiniteElement<dim> &fe      = *element;
      const auto                triangulation =
        make_mesh<dim>(settings, fe.n_dofs_per_cell() * Law::n_components, shape);
      DoFHandler<dim> dof_handler(*triangulation);
      dof_handler.distribute_dofs(FESystem<dim>(fe, Law::n_components));

      BoundaryConditions<dim> conditions;
      for (const auto id : triangulation->get_boundary_ids())
        conditions.set_outflow(id);
      using Operator = ConservationLawOperator<dim, Law, Number>;
      Operator                          op;
      typename Operator::AdditionalData data;
      data.fields = fields<dim, Law>();
      op.reinit(make_element_mesh(settings, *triangulation, degree),
                dof_handler,
                law,
                conditions,
                settings.device,
                data);
      TimeState time;
      time.dt         = 1e-9;
      TimeClock clock = op.make_clock(time);

      // A gas with some structure; for a scalar only the first expression.
      std::string expressions = "1+0.2*sin(5*x)*cos(4*y)";
      for (int c = 1; c < Law::n_components; ++c)
        expressions += "; 1+0.1*cos(3*x+" + std::to_string(c) + "*y)";
      Saltus::Vector<Number> u, out, accumulator;
      op.initialize_vector(u);
      op.initialize_vector(out);
      op.initialize_vector(accumulator);
      op.project({Expression(dim, expressions, Law::n_components), true}, u);

      const StageCoefficients coefficients = RungeKutta("LSRK45").stages()[1];
      const auto stage  = [&]() { op.stage(clock, coefficients, u, u, accumulator, out); };
      const auto report = [&](const std::string &kernel, const auto &body) {
        const double seconds =
          median_time_in_steps(settings, op.element_space().mesh->partition, body);
        op.check_states(clock);
        // The fewest bytes: u and the accumulator read, the accumulator and the result written.
        const double of_element = bytes_of_geometry<dim, Number>(fe.reference_cell().n_faces());
        print({kernel,
               dim,
               degree,
               sizeof(Number) == sizeof(double),
               double(dof_handler.n_dofs()),
               seconds,
               4. * sizeof(Number) + of_element / (fe.n_dofs_per_cell() * Law::n_components),
               op.stage_flops(),
               double(op.memory_consumption() + op.element_space().mesh_memory_consumption()) /
                 op.n_elements(),
               double(op.n_elements()),
               double(op.bytes_sent()),
               shape},
              settings.limits);
      };
      report(name, stage);
      if (degree == 1 && settings.curved_share == 0 && shape == ElementShape::simplex)
        report("  with limiter", [&]() {
          stage();
          op.limit(out);
        });
    }

    template <int dim, typename Law, ElementShape shape>
    void
    time_shape(const Settings    &settings,
               const Law         &law,
               const std::string &name,
               const unsigned int max_degree = numbers::invalid_unsigned_int)
    {
      if (!is_wanted(settings, shape))
        return;
      using Kernels  = ConservationLawKernels<Law, double>;
      using Registry = KernelRegistry<Kernels, GeometryKind::affine, shape>;
      const auto &compiled =
        settings.device.is_cuda() ? Registry::cuda : Registry::cpu[instruction_set_level()];
      for (unsigned int degree = 0;
           degree <= std::min<unsigned int>(compiled.max_degree, max_degree);
           ++degree)
        {
          if (!contains(settings.degrees, degree))
            continue;
          if (contains(settings.precisions, "double"))
            time_stage<dim, Law, double>(name, law, shape, degree, settings);
          if (contains(settings.precisions, "float"))
            time_stage<dim, Law, float>(name, law, shape, degree, settings);
        }
    }

    template <int dim, typename Law>
    void
    time_law(const Settings &settings, const Law &law, const std::string &name = Law::name)
    {
      if (!contains(settings.equations, name) || !contains(settings.dimensions, dim))
        return;
      // There are no rules for faces of higher degrees.
      time_shape<dim, Law, ElementShape::simplex>(settings,
                                                  law,
                                                  name,
                                                  (max_symmetric_degree<dim - 1>() - 1) / 2);
      time_shape<dim, Law, ElementShape::hypercube>(settings, law, name);
    }

    template <int dim>
    Euler<dim>
    euler(const Settings &settings)
    {
      Euler<dim> law;
      law.riemann_solver = settings.solver;
      return law;
    }

    template <int dim>
    Euler<dim>
    viscous_gas(const Settings &settings)
    {
      Euler<dim> law          = euler<dim>(settings);
      law.transport.viscosity = 1e-3;
      return law;
    }
  } // namespace

  void
  time_conservation_laws(const Settings &settings)
  {
    time_law<2>(settings, euler<2>(settings));
    time_law<3>(settings, euler<3>(settings));
    time_law<2>(settings, viscous_gas<2>(settings), "Navier-Stokes");
    time_law<3>(settings, viscous_gas<3>(settings), "Navier-Stokes");
    time_law<2>(settings, Advection<2>());
    time_law<3>(settings, Advection<3>());
  }
} // namespace Saltus::Throughput
