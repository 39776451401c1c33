// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/operators/laplace_operator.h>
#include <saltus/solvers/p_multigrid.h>

#include "timing.h"

namespace Saltus::Throughput
{
  using namespace dealii;

  namespace
  {
    /// Applications of the operator in a smoothing step.
    constexpr unsigned int smoother_degree = 4;

    /// Bytes that a smoothing step must move for each degree of freedom: x and b read and x
    /// written; of the block the scaling of each mode and entries of two bytes.
    template <typename Number>
    double
    smoother_bytes(const unsigned int n_modes)
    {
      return smoother_degree * (4. * sizeof(Number) + n_modes - 1.);
    }

    template <int dim, typename Number>
    void
    time_degree(const unsigned int degree, const Settings &settings)
    {
      const FE_SimplexDGModal<dim> fe(degree);
      const unsigned int           n_modes       = fe.n_dofs_per_cell();
      const auto                   triangulation = make_mesh<dim>(settings, n_modes);
      DoFHandler<dim>              dof_handler(*triangulation);
      dof_handler.distribute_dofs(fe);
      EllipticBoundaryConditions<dim> conditions;
      for (const auto id : triangulation->get_boundary_ids())
        conditions.set_dirichlet(id);
      LaplaceOperator<dim, Number> A;
      A.reinit(MappingFE<dim>(FE_SimplexP<dim>(1)), dof_handler, conditions, settings.device);

      Saltus::Vector<Number> x, b, r, p;
      A.right_hand_side(b, {Expression(dim, "sin(5*x)*cos(4*y)", 1)});
      A.initialize_vector(x);
      A.initialize_vector(r);
      A.initialize_vector(p);
      const auto report = [&](const std::string &kernel,
                              const double       bytes,
                              const double       flops,
                              const double       seconds,
                              const double       memory = 0) {
        print({kernel,
               dim,
               degree,
               sizeof(Number) == sizeof(double),
               double(A.m()),
               seconds,
               bytes,
               flops,
               memory / A.element_space().n_elements(),
               double(A.element_space().n_elements()),
               double(A.bytes_sent())},
              settings.limits);
      };
      const auto time = [&](const auto &body) {
        return median_time(settings.device, settings.repetitions, body);
      };
      const double n_own = x.locally_owned_size();
      // The fewest bytes of the operator: a vector read, another written.
      const double of_element = bytes_of_stiffness<dim, Number>();
      if (contains(settings.parts, "operator"))
        report("Laplace operator",
               2 * sizeof(Number) + of_element / n_modes,
               A.flops(),
               median_time_in_steps(settings.device,
                                    A.element_space().mesh->partition,
                                    settings.repetitions,
                                    [&]() { A.vmult(r, b); }),
               A.memory_consumption() + A.element_space().mesh_memory_consumption());
      // What deal.II's SolverCG does besides products with the matrix and the preconditioner:
      // p.Ap, x += a p, r += a Ap with |r|, r.z, p = z + b p
      if (contains(settings.parts, "vectors"))
        report("  CG's vectors", 13 * sizeof(Number), 13. * n_own, time([&]() {
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
          report("  smoother",
                 smoother_bytes<Number>(n_modes) + smoother_degree * of_element / n_modes,
                 smoother_degree * (A.flops() + 2. * n_modes * n_own),
                 time([&]() { smoother.smooth(x, b, false); }));
        }
      if (contains(settings.parts, "cycle"))
        {
          PMultigrid<LaplaceOperator<dim, Number>> multigrid;
          multigrid.initialize(A, {});
          report("  multigrid cycle", 0, 0, time([&]() { multigrid.vmult(x, b); }));
        }
    }

    template <int dim>
    void
    time_degrees(const Settings &settings)
    {
      if (!contains(settings.dimensions, dim))
        return;
      for (unsigned int degree = 1; degree <= (dim == 2 ? 8 : 6); ++degree)
        {
          if (!contains(settings.degrees, degree))
            continue;
          if (contains(settings.precisions, "double"))
            time_degree<dim, double>(degree, settings);
          if (contains(settings.precisions, "float"))
            time_degree<dim, float>(degree, settings);
        }
    }
  } // namespace

  void
  time_elliptic(const Settings &settings)
  {
    if (!contains(settings.equations, "Laplace"))
      return;
    time_degrees<2>(settings);
    time_degrees<3>(settings);
  }
} // namespace Saltus::Throughput
