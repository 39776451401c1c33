// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_parameters_h
#define applications_conservation_law_parameters_h

#include <saltus/io/functions/function_parameters.h>
#include <saltus/io/parameters/adaptivity_parameters.h>
#include <saltus/io/parameters/discretization_parameters.h>
#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/io/results/run_parameters.h>
#include <saltus/operators/conservation_law/limiter.h>
#include <saltus/physics/euler.h>

#include <string>
#include <vector>

/// The program `conservation_law`.
namespace Saltus::ConservationLaw
{
  struct EquationParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a heat capacity ratio of 1, and for a viscosity that does not
    /// go with the type
    void
    check() const;

    /// What a gas of the type Euler or Navier-Stokes is.
    bool
    is_gas() const
    {
      return type != "advection";
    }

    std::string   type           = "Euler", velocity;
    RiemannSolver riemann_solver = RiemannSolver::hllc;
    unsigned int  dim            = 2;
    double        gamma          = 1.4;
    GasTransport  transport;
  };


  struct DiscretizationParameters : public DegreeAndCycles
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a limiter that does not go with the degree
    void
    check() const;

    unsigned int        quadrature_increase = 0;
    Limiter             limiter             = Limiter::none;
    bool                single_precision    = false;
    ArtificialViscosity artificial_viscosity;
  };


  struct TimeParameters : public RunLimits
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @param degree of the discretization
    /// @throws dealii::ExcMessage if no step size is given, for local steps without a CFL number,
    /// and for start degrees that do not rise from 1 or more to less than @p degree
    void
    check(const unsigned int degree) const;

    static constexpr double unlimited = 1e300; ///< step size

    std::string         scheme = "LSRK45";
    std::vector<double> cfl; ///< one, or none: see default_cfl()
    double              max_dt             = unlimited;
    bool                local_steps        = false;
    double              residual_tolerance = 0.; ///< relative; 0: the residual does not matter

    std::vector<unsigned int> start_degrees;
    long                      start_steps = 1000;
  };


  /// All parameters of the program.
  struct Parameters : public RunParameters
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
    AdaptivityParameters     adaptivity;
  };
} // namespace Saltus::ConservationLaw

#endif
