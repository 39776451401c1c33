// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_parameters_h
#define applications_conservation_law_parameters_h

#include <saltus/io/discretization_parameters.h>
#include <saltus/io/evaluation_parameters.h>
#include <saltus/io/function_parameters.h>
#include <saltus/io/mesh_parameters.h>
#include <saltus/io/output_parameters.h>
#include <saltus/io/time_average.h>

#include <string>
#include <vector>

/// The program `conservation_law`.
namespace Saltus::ConservationLaw
{
  struct EquationParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a heat capacity ratio of 1
    void
    check() const;

    std::string  type = "Euler", numerical_flux = "HLLC", velocity;
    unsigned int dim   = 2;
    double       gamma = 1.4;
  };


  struct DiscretizationParameters : public DegreeAndCycles
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a limiter that does not go with the degree
    void
    check() const;

    unsigned int quadrature_increase = 0;
    bool         limit = false, single_precision = false;
  };


  struct TimeParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage if no step size is given
    void
    check() const;

    static constexpr double unlimited = 1e300; ///< step size

    std::string scheme = "LSRK45";
    double      cfl = 0.7, max_dt = unlimited, end = 1., steady_tolerance = 0.;
    double      wall_time_limit = 0.; ///< seconds; 0: none
    long        n_steps         = 1000000000;
  };


  /// All parameters of the program.
  struct Parameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    void
    check() const;

    EquationParameters       equation;
    MeshParameters           mesh;
    DiscretizationParameters discretization;
    FunctionParameters       functions;
    TimeParameters           time;
    OutputParameters         output;
    EvaluationParameters     evaluation;
    AverageParameters        average;
    CheckpointParameters     checkpoint;
  };


  /// Entries and sections whose values may be others at a restart than in the checkpoint, since
  /// neither what was computed nor the steps that follow depend on them.
  std::vector<std::string>
  may_differ_at_restart();
} // namespace Saltus::ConservationLaw

#endif
