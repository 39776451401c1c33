// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_polytopic_parameters_h
#define applications_polytopic_parameters_h

#include <saltus/fe/legendre.h>
#include <saltus/io/elliptic/elliptic_function_parameters.h>
#include <saltus/io/parameters/discretization_parameters.h>
#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/io/results/run_parameters.h>
#include <saltus/mesh/agglomerate/polytopic_mesh.h>
#include <saltus/operators/elliptic/elliptic_coefficient.h>
#include <saltus/operators/polytopic/polytopic_operator.h>
#include <saltus/solvers/krylov/solve_report.h>
#include <saltus/solvers/multigrid/algebraic_multigrid.h>

#include "adaptivity_parameters.h"
#include <cmath>
#include <string>

/// The program `polytopic`.
namespace Saltus::Polytopic
{
  /// \f$ -\nabla\cdot(A \nabla u) + b\cdot\nabla u + c u = f \f$, with \f$ u_t \f$ on the left
  /// where there is a time
  struct EquationParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    unsigned int dim       = 2;
    std::string  diffusion = "1", velocity, reaction = "0";
    Sampling     sampling = Sampling::by_point;
  };


  enum class AgglomerationMethod
  {
    none,
    metis,
    boxes,
    couplings,
    ancestors,
    material,
    file
  };


  /// How cells become elements.
  struct AgglomerationParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a file that is missing or not needed
    void
    check() const;

    /// @throws dealii::ExcMessage naming the file for one that does not belong to the mesh
    template <int dim>
    Agglomeration<dim>
    make(const dealii::Triangulation<dim> &triangulation) const;

    AgglomerationMethod method            = AgglomerationMethod::metis;
    double              cells_per_element = 8;
    unsigned int        n_levels          = 1;
    std::string         file;
    BoxAxes             axes = BoxAxes::parallel;
  };


  struct DiscretizationParameters : public DegreeAndCycles
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a factor that is too small for the penalty
    void
    check() const;

    double           penalty_factor = 4.;
    PolytopicPenalty penalty        = PolytopicPenalty::perimeter;
    std::string      degrees;
    unsigned int     quadrature_degree = 0;

    PolytopicAssembly assembly = PolytopicAssembly::in_place;
  };


  struct FunctionParameters : public EllipticFunctionParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    std::string initial_condition;
  };


  /// The section `Time`: the slabs of parabolic problems.
  struct TimeParameters : public RunLimits
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for more slabs than anyone waits for
    void
    check() const;

    /// Whether there is a time.
    bool
    is_used() const
    {
      return step_size > 0.;
    }

    /// Of the slabs of a cycle.
    double
    length(const unsigned int cycle) const
    {
      return is_halved ? std::ldexp(step_size, -static_cast<int>(cycle)) : step_size;
    }

    double         step_size   = 0.;
    bool           is_halved   = true; ///< from cycle to cycle
    LegendreFamily basis       = LegendreFamily::total;
    std::string    local_steps = "1";
  };


  enum class SolverType
  {
    automatic, ///< see SolverParameters::chosen()
    cg,
    gmres,
    belos_cg,
    belos_gmres,
    trilinos_cg,
    trilinos_gmres,
    trilinos_direct
  };


  enum class PreconditionerType
  {
    automatic,
    none,
    block_jacobi,
    multigrid,
    ilu,
    amg
  };


  /// Of the preconditioner `multigrid`.
  struct MultigridParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    unsigned int   smoother_degree = 4, ratio = 4;
    bool           single_precision = true, elements_first = false;
    MultigridCycle cycle    = MultigridCycle::V;
    Grouping       grouping = Grouping::boxes;
  };


  struct SolverParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a tolerance of 1, and a preconditioner
    /// that does not go with the solver
    void
    check() const;

    /// The same with a solver and a preconditioner in place of automatic ones.
    SolverParameters
    chosen(const bool is_symmetric, const bool has_time) const;

    /// Of the solver, in parameter files.
    std::string
    type_name() const;

    std::string
    preconditioner_name() const;

    /// Whether the solver is one of Trilinos, for an assembled matrix in host memory.
    bool
    on_host() const;

    /// Which needs a symmetric matrix.
    bool
    is_conjugate_gradients() const;

    /// The probable cause if the solver fails; empty: none.
    std::string
    suspicion() const
    {
      return multigrid.single_precision && preconditioner == PreconditionerType::multigrid
               ? "Rounding in Solver/Multigrid/Precision = float may be the cause: try double."
               : "";
    }

    SolverType          type           = SolverType::automatic;
    PreconditionerType  preconditioner = PreconditionerType::automatic;
    SolverSettings      settings       = {1e-10, 10000, SolutionCheck::tolerant};
    MultigridParameters multigrid;
  };


  /// All parameters of the program.
  struct Parameters : public RunParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    void
    check() const;

    /// The section `Solver` with the choices for this problem.
    SolverParameters
    chosen_solver() const
    {
      return solver.chosen(equation.velocity.empty() && !time.is_used(), time.is_used());
    }

    EquationParameters       equation;
    MeshParameters           mesh;
    AgglomerationParameters  agglomeration;
    DiscretizationParameters discretization;
    FunctionParameters       functions;
    TimeParameters           time;
    SolverParameters         solver;
    AdaptivityParameters     adaptivity;

  private:
    /// What goes with slabs, or without them.
    void
    check_slabs() const;

    void
    check_stationary() const;
  };
} // namespace Saltus::Polytopic

#endif
