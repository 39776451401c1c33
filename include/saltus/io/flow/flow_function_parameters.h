// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_flow_flow_function_parameters_h
#define saltus_io_flow_flow_function_parameters_h

#include <saltus/io/functions/common_functions.h>
#include <saltus/operators/flow/flow_boundary_conditions.h>

#include <string>

namespace Saltus
{
  /// The section `Functions` of an incompressible flow: initial state, body force, exact solution,
  /// boundary conditions.
  struct FlowFunctionParameters : public CommonFunctionParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    std::string initial_velocity, initial_pressure, body_force;
  };


  /// What this section says.
  template <int dim>
  class FlowFunctions : public CommonFunctions<dim>
  {
  public:
    /// @throws dealii::ExcMessage for anything that cannot be read or evaluated
    explicit FlowFunctions(const FlowFunctionParameters &parameters);

    /// All three are empty where nothing is given: zero, but for the pressure.
    const FieldFunction<dim> initial_velocity, initial_pressure, body_force;

    /// Velocity or pressure of the exact solution.
    FieldFunction<dim>
    exact_velocity() const;

    FieldFunction<dim>
    exact_pressure() const;

    const FlowBoundaryConditions<dim> &
    boundary_conditions() const
    {
      return conditions;
    }

  private:
    void
    set_condition(const BoundaryEntry &item);

    void
    set_outflow(const BoundaryEntry &item);

    const std::string           exact_text;
    FlowBoundaryConditions<dim> conditions;
  };
} // namespace Saltus

#endif
