// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_incompressible_flow_parameters_h
#define applications_incompressible_flow_parameters_h

#include <saltus/io/flow/flow_function_parameters.h>
#include <saltus/io/parameters/adaptivity_parameters.h>
#include <saltus/io/parameters/discretization_parameters.h>
#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/io/results/run_parameters.h>
#include <saltus/solvers/flow/incompressible_flow.h>

#include <algorithm>

/// The program `incompressible_flow`.
namespace Saltus::FlowProgram
{
  struct EquationParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    unsigned int dim       = 2;
    double       viscosity = 0.01;
  };


  struct DiscretizationParameters : public DegreeAndCycles
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// One less than the velocity's, but at least 1, or equal.
    unsigned int
    pressure_degree() const
    {
      return has_equal_degrees ? degree : std::max(degree, 2U) - 1;
    }

    bool         has_equal_degrees = false;
    double       penalty_factor = 1., backflow_stabilization = 0.5;
    double       divergence_penalty = 1., continuity_penalty = 1.;
    unsigned int convection_degree = 0;
  };


  struct TimeParameters : public RunLimits
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for subcycles that are given twice
    void
    check() const;

    unsigned int order = 2, pressure_order = 1, n_subcycles = 0;
    bool         begins_with_exact_solution = false;
    bool         is_projected               = false; ///< the initial velocity
    double       subcycle_cfl = 0., max_dt = 0.01, cfl = 0.;
  };


  struct SolverParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for tolerances of 1
    void
    check() const;

    KrylovMethod            method         = KrylovMethod::dealii_cg;
    VelocityPreconditioning preconditioner = VelocityPreconditioning::automatic;

    double velocity_tolerance = 1e-8, pressure_tolerance = 1e-6, stabilization_tolerance = 1e-6;
    unsigned int max_iterations = 1000, n_known_solutions = 8;
  };


  /// All parameters of the program.
  struct Parameters : public RunParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage also for a reference density
    void
    check() const;

    EquationParameters       equation;
    MeshParameters           mesh;
    DiscretizationParameters discretization;
    FlowFunctionParameters   functions;
    TimeParameters           time;
    SolverParameters         solver;
    AdaptivityParameters     adaptivity;
  };
} // namespace Saltus::FlowProgram

#endif
