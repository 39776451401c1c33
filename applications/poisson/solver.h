// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_poisson_solver_h
#define applications_poisson_solver_h

#include <deal.II/base/parameter_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>

#include <saltus/base/stopwatch.h>
#include <saltus/fe/fe_simplex_dg_modal.h>
#include <saltus/io/application.h>
#include <saltus/io/elliptic_function_parameters.h>
#include <saltus/io/error_table.h>
#include <saltus/io/mesh_parameters.h>
#include <saltus/io/output_parameters.h>
#include <saltus/io/solution_output.h>
#include <saltus/io/solver_table.h>
#include <saltus/io/time_table.h>

#include "linear_solver.h"
#include <iostream>
#include <optional>
#include <stdexcept>

namespace Saltus::Poisson
{
  /// A Poisson problem from the parameters to the tables.
  template <int dim>
  class Solver
  {
  public:
    Solver(dealii::ParameterHandler &prm, const EquationParameters &equation)
      : prm(prm)
      , equation(equation)
      , discretization(prm)
      , functions(prm)
      , solver_parameters(prm)
      , output(prm)
      , device(Device::from_name(prm.get("Device")))
      , mapping(dealii::FE_SimplexP<dim>(1))
      , dof_handler(triangulation)
      , errors(error_norms(functions))
      , watch(device)
    {}

    void
    run()
    {
      std::cout << "Device: " << device.description() << std::endl;
      watch.lap();
      make_mesh(prm, triangulation);
      SolutionWriter<dim> pictures(mapping,
                                   triangulation,
                                   discretization.degree,
                                   functions.has_exact_solution()
                                     ? std::vector<std::string>{"u", "error"}
                                     : std::vector<std::string>{"u"},
                                   output.directory,
                                   output.name);
      for (unsigned int cycle = 0; cycle < discretization.n_cycles; ++cycle)
        {
          times.begin_cycle();
          if (cycle > 0)
            triangulation.refine_global(1);
          process(cycle, pictures);
        }
      if (functions.has_exact_solution())
        errors.print(std::cout, dim, functions.reference_errors());
      iterations.print(std::cout);
      times.print(std::cout);
    }

  private:
    static std::vector<std::string>
    error_norms(const EllipticFunctionParameters<dim> &functions)
    {
      std::vector<std::string> norms = {"L2 error"};
      if (functions.has_exact_gradient())
        norms.emplace_back("H1 error");
      return norms;
    }

    /// Solve on the present mesh, write the picture, add to the tables.
    void
    process(const unsigned int cycle, SolutionWriter<dim> &pictures)
    {
      dof_handler.distribute_dofs(FE_SimplexDGModal<dim>(discretization.degree));
      end_section("mesh");
      std::cout << "Cycle " << cycle << ": " << triangulation.n_active_cells() << " elements, "
                << dof_handler.n_dofs() << " degrees of freedom" << std::endl;
      const dealii::Vector<double> solution = solve_on_mesh();
      write_scalar(pictures,
                   cycle,
                   mapping,
                   dof_handler,
                   solution,
                   functions.has_exact_solution()
                     ? std::optional<Expression>(functions.exact_solution())
                     : std::nullopt);
      end_section("output");
      add_errors(solution);
      end_section("errors");
    }

    /// What was done since the last section belongs to this one.
    /// @return its seconds
    double
    end_section(const std::string &name)
    {
      const double seconds = watch.lap();
      times.add(name, seconds);
      return seconds;
    }

    /// @return coefficients in deal.II's numbering
    dealii::Vector<double>
    solve_on_mesh()
    {
      LaplaceOperator<dim> A;
      set_up(A);
      double         set_up_time = end_section("operator");
      Vector<double> x, b;
      A.initialize_vector(x);
      A.right_hand_side(b, functions.source());
      if (A.is_singular())
        balance(A, b);
      set_up_time += end_section("right-hand side");
      const LinearSolver<dim> solver =
        suspect_penalty([&]() { return LinearSolver<dim>(A, solver_parameters); });
      for (const auto &[name, seconds] : solver.set_up_times())
        times.add(name, seconds);
      set_up_time += watch.lap();

      report(suspect_penalty([&]() { return solver.solve(x, b); }), b.l2_norm(), set_up_time);
      if (A.is_singular())
        A.set_mean_value(x, mean_of_solution());
      dealii::Vector<double> solution;
      A.copy_to(solution, x);
      end_section("solve");
      return solution;
    }

    /// Perform an action of the solver. If it fails with a small penalty factor, that is probably
    /// why.
    template <typename Action>
    auto
    suspect_penalty(const Action &action) const
    {
      try
        {
          return action();
        }
      catch (const std::exception &error)
        {
          if (discretization.penalty_factor >= 1.)
            throw;
          throw std::runtime_error(error_message(error) + " Discretization/Penalty factor = " +
                                   std::to_string(discretization.penalty_factor) +
                                   " is perhaps too small: below 1 the matrix may lose its "
                                   "positivity, from 1 on it has it on every mesh.");
        }
    }

    /// Make the right-hand side one for which there is a solution.
    static void
    balance(const LaplaceOperator<dim> &A, Vector<double> &b)
    {
      const double norm = b.l2_norm(), removed = A.remove_null_space(b);
      std::cout << "  The solution is determined up to a constant: "
                << (norm > 0. ? removed / norm : 0.)
                << " of the right-hand side's norm is removed to balance the data" << std::endl;
    }

    /// A line of the output and a row of the table.
    void
    report(const SolveReport &solve_report, const double rhs_norm, const double set_up_time)
    {
      const double reduction = rhs_norm > 0. ? solve_report.residuals.back() / rhs_norm : 0.;
      iterations.add({dof_handler.n_dofs(),
                      solve_report.iterations,
                      set_up_time,
                      solve_report.seconds,
                      reduction});
      std::cout << "  " << solver_parameters.type
                << ", preconditioner: " << solver_parameters.preconditioner << ": "
                << solve_report.iterations << " iterations, " << solve_report.seconds << " s"
                << std::endl;
    }

    void
    set_up(LaplaceOperator<dim> &A) const
    {
      typename LaplaceOperator<dim>::AdditionalData data;
      const bool is_tensor = equation.diffusion.find(';') != std::string::npos;
      data.diffusion =
        coefficient(equation.diffusion, is_tensor ? dim * (dim + 1) / 2 : 1, "Equation/Diffusion");
      data.reaction       = coefficient(equation.reaction, 1, "Equation/Reaction");
      data.penalty_factor = discretization.penalty_factor;
      A.reinit(mapping, dof_handler, functions.boundary_conditions(triangulation), device, data);
    }

    EllipticCoefficient<dim>
    coefficient(const std::string &text, const unsigned int n, const std::string &entry) const
    {
      const Expression expression = functions.stationary(text, n, entry);
      if (n == 1 && expression.is_constant())
        return expression.constant_values()[0];
      return {expression, expression.is_constant() ? Sampling::by_element : equation.sampling};
    }

    /// Of a problem that does not determine it.
    double
    mean_of_solution() const
    {
      return functions.has_exact_solution()
               ? mean_value(mapping, dof_handler, functions.exact_solution())
               : 0.;
    }

    void
    add_errors(const dealii::Vector<double> &solution)
    {
      if (!functions.has_exact_solution())
        return;
      std::vector<double> values = {
        l2_error(mapping, dof_handler, solution, functions.exact_solution(), 0.)};
      if (functions.has_exact_gradient())
        values.push_back(
          h1_seminorm_error(mapping, dof_handler, solution, functions.exact_gradient()));
      errors.add(triangulation.n_active_cells(), dof_handler.n_dofs(), values);
    }

    dealii::ParameterHandler             &prm;
    const EquationParameters              equation;
    const DiscretizationParameters        discretization;
    const EllipticFunctionParameters<dim> functions;
    const SolverParameters                solver_parameters;
    const OutputFiles                     output;
    const Device                          device;

    dealii::Triangulation<dim>   triangulation;
    const dealii::MappingFE<dim> mapping;
    dealii::DoFHandler<dim>      dof_handler;
    ErrorTable                   errors;
    SolverTable                  iterations;
    Stopwatch                    watch;
    TimeTable                    times;
  };
} // namespace Saltus::Poisson

#endif
