// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_poisson_parameters_h
#define applications_poisson_parameters_h

#include <saltus/io/elliptic/elliptic_function_parameters.h>
#include <saltus/io/parameters/adaptivity_parameters.h>
#include <saltus/io/parameters/discretization_parameters.h>
#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/io/parameters/output_parameters.h>
#include <saltus/io/results/evaluation_parameters.h>
#include <saltus/operators/elliptic/elliptic_coefficient.h>
#include <saltus/solvers/krylov/solve_report.h>

#include <string>

/// The program `poisson`.
namespace Saltus::Poisson
{
  /// \f$ -\nabla\cdot(k \nabla u) + \lambda u = f \f$
  struct EquationParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    unsigned int dim       = 2;
    std::string  diffusion = "1", reaction = "0";
    Sampling     sampling = Sampling::by_point;
  };


  struct DiscretizationParameters : public DegreeAndCycles
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    double penalty_factor = 1.;
  };


  /// Of the preconditioner `p-multigrid`.
  struct MultigridParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    unsigned int smoother_degree  = 4;
    bool         single_precision = true, continuous = true, smoothed_aggregation = true;
    bool         k_cycle = false;
  };


  struct SolverParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a tolerance of 1, and a preconditioner
    /// that does not go with the solver
    void
    check() const;

    /// Whether the preconditioner belongs to Trilinos and works on an assembled matrix.
    bool
    on_host() const;

    /// Whether the preconditioner changes from one application to the next.
    bool
    varies() const;

    /// The probable cause if the solver fails; empty: none.
    std::string
    suspicion() const
    {
      return multigrid.single_precision && preconditioner == "p-multigrid"
               ? "Rounding in Solver/Multigrid/Precision = float may be the cause: try double."
               : "";
    }

    std::string         type = "deal.II CG", preconditioner = "p-multigrid";
    bool                block_belos = false;
    SolverSettings      settings    = {1e-10, 10000, SolutionCheck::tolerant};
    MultigridParameters multigrid;
  };


  /// All parameters of the program.
  struct Parameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    void
    check() const;

    /// @throws dealii::ExcMessage for what there is not on meshes that mix shapes
    void
    check_mixed() const;

    EquationParameters         equation;
    MeshParameters             mesh;
    DiscretizationParameters   discretization;
    EllipticFunctionParameters functions;
    SolverParameters           solver;
    OutputFiles                output;
    EvaluationParameters       evaluation;
    CycleAdaptivityParameters  adaptivity;
  };
} // namespace Saltus::Poisson

#endif
