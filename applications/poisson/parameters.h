// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_poisson_parameters_h
#define applications_poisson_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <saltus/operators/elliptic_coefficient.h>
#include <saltus/solvers/solve_report.h>

#include <string>

/// The program `poisson`. Its own parameters are the sections `Equation`, `Discretization` and
/// `Solver`.
namespace Saltus::Poisson
{
  /// \f$ -\nabla\cdot(k \nabla u) + \lambda u = f \f$
  struct EquationParameters
  {
    static void
    declare(dealii::ParameterHandler &prm);

    explicit EquationParameters(dealii::ParameterHandler &prm);

    unsigned int dim;
    std::string  diffusion, reaction;
    Sampling     sampling;
  };


  struct DiscretizationParameters
  {
    static void
    declare(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a penalty factor of 0
    explicit DiscretizationParameters(dealii::ParameterHandler &prm);

    unsigned int degree, n_cycles;
    double       penalty_factor;
  };


  /// Of the preconditioner `p-multigrid`.
  struct MultigridParameters
  {
    static void
    declare(dealii::ParameterHandler &prm);

    explicit MultigridParameters(dealii::ParameterHandler &prm);

    unsigned int smoother_degree;
    bool         single_precision, continuous, smoothed_aggregation, k_cycle;
  };


  struct SolverParameters
  {
    static void
    declare(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a tolerance that is not between 0 and 1, and a preconditioner
    /// that does not go with the solver
    explicit SolverParameters(dealii::ParameterHandler &prm);

    /// Whether the preconditioner belongs to Trilinos and works on an assembled matrix.
    bool
    on_host() const;

    /// Whether the preconditioner changes from one application to the next.
    bool
    varies() const;

    std::string         type, preconditioner;
    bool                block_belos;
    SolverSettings      settings;
    MultigridParameters multigrid;
  };
} // namespace Saltus::Poisson

#endif
