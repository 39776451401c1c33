// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/dofs/dof_handler.h>

#include <saltus/operators/elliptic/laplace_operator.h>

#include "multigrid_cost.h"

namespace Saltus::Throughput
{
  using namespace dealii;

  namespace
  {
    /// Steps of the smoother.
    constexpr unsigned int smoother_degree = 4;

    template <int dim, typename Number>
    void
    time_degree(const unsigned int degree, const ElementShape shape, const Settings &settings)
    {
      const auto      fe            = make_element<dim>(shape, degree);
      const auto      triangulation = make_mesh<dim>(settings, fe->n_dofs_per_cell(), shape);
      DoFHandler<dim> dof_handler(*triangulation);
      dof_handler.distribute_dofs(*fe);
      EllipticBoundaryConditions<dim> conditions;
      for (const auto id : triangulation->get_boundary_ids())
        conditions.set_dirichlet(id);
      LaplaceOperator<dim, Number> A;
      A.reinit(make_element_mesh(settings, *triangulation, degree),
               dof_handler,
               conditions,
               settings.device,
               {});

      Saltus::Vector<Number> x, b, r, p;
      A.right_hand_side(b, {Expression(dim, "sin(5*x)*cos(4*y)", 1)});
      A.initialize_vector(x);
      A.initialize_vector(r);
      A.initialize_vector(p);
      const double n_own  = x.locally_owned_size();
      const auto   report = [&](const std::string &kernel,
                              const Cost        &cost,
                              const double       seconds,
                              const double       memory = 0) {
        print({kernel,
               dim,
               degree,
               sizeof(Number) == sizeof(double),
               double(A.m()),
               seconds,
               cost.bytes / n_own,
               cost.flops,
               memory / A.element_space().n_elements(),
               double(A.element_space().n_elements()),
               double(A.bytes_sent()),
               shape},
              settings.limits);
      };
      const auto time = [&](const auto &body) {
        return median_time(settings.device, settings.repetitions, body);
      };
      if (contains(settings.parts, "operator"))
        report("Laplace operator",
               cost_of_operator(A, 2), // a vector read, another written
               median_time_in_steps(settings,
                                    A.element_space().mesh->partition,
                                    [&]() { A.vmult(r, b); }),
               A.memory_consumption() + A.element_space().mesh_memory_consumption());
      // What deal.II's SolverCG does besides products with the matrix and the preconditioner:
      // p.Ap, x += a p, r += a Ap with |r|, r.z, p = z + b p
      if (contains(settings.parts, "vectors"))
        report("  CG's vectors", {13 * sizeof(Number) * n_own, 13. * n_own}, time([&]() {
                 const Number product = p * b;
                 x.add(1e-3, p);
                 r.add_and_dot(1e-3 + 0 * product, b, r);
                 const Number other = r * p;
                 p.sadd(0.5 + 0 * other, 1, r);
               }));
      if (contains(settings.parts, "smoother"))
        {
          BlockJacobiSmoother<LaplaceOperator<dim, Number>> smoother;
          smoother.initialize(A, smoother_degree);
          report("  smoother", cost_of_smoothing_step(A) * smoother_degree, time([&]() {
                   smoother.smooth(x, b, false);
                 }));
        }
      if (contains(settings.parts, "cycle"))
        {
          PMultigrid<LaplaceOperator<dim, Number>>                                multigrid;
          const typename PMultigrid<LaplaceOperator<dim, Number>>::AdditionalData data;
          multigrid.initialize(A, data);
          report("  multigrid cycle",
                 cost_of_cycle<dim, Number>(A, data.smoother_degree),
                 time([&]() { multigrid.vmult(x, b); }),
                 multigrid.memory_consumption());
        }
    }

    template <int dim>
    void
    time_elliptic_degrees(const ElementShape shape, const Settings &settings)
    {
      if (!contains(settings.dimensions, dim) || !is_wanted(settings, shape))
        return;
      for (int degree = 1; degree <= max_laplace_degree(dim, shape); ++degree)
        {
          if (!contains(settings.degrees, static_cast<unsigned int>(degree)))
            continue;
          if (contains(settings.precisions, "double"))
            time_degree<dim, double>(degree, shape, settings);
          if (contains(settings.precisions, "float"))
            time_degree<dim, float>(degree, shape, settings);
        }
    }
  } // namespace

  void
  time_elliptic(const Settings &settings)
  {
    if (!contains(settings.equations, "Laplace"))
      return;
    for (const ElementShape shape : {ElementShape::simplex, ElementShape::hypercube})
      {
        time_elliptic_degrees<2>(shape, settings);
        time_elliptic_degrees<3>(shape, settings);
      }
  }
} // namespace Saltus::Throughput
