// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_parameters_h
#define applications_conservation_law_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <string>

/// The program `conservation_law`. Its own parameters are the sections `Equation`, `Discretization`
/// and `Time`.
namespace Saltus::ConservationLaw
{
  struct EquationParameters
  {
    static void
    declare(dealii::ParameterHandler &prm);

    explicit EquationParameters(dealii::ParameterHandler &prm);

    std::string  type, numerical_flux, velocity;
    unsigned int dim;
    double       gamma;
  };


  struct DiscretizationParameters
  {
    static void
    declare(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a limiter that does not go with the degree
    explicit DiscretizationParameters(dealii::ParameterHandler &prm);

    unsigned int degree, quadrature_increase, n_cycles;
    bool         limit, single_precision;
  };


  struct TimeParameters
  {
    static void
    declare(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage if no step size is given
    explicit TimeParameters(dealii::ParameterHandler &prm);

    std::string scheme;
    double      cfl, max_dt, end, steady_tolerance;
    long        n_steps;
  };
} // namespace Saltus::ConservationLaw

#endif
