// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/flow/flow_function_parameters.h>

namespace Saltus
{
  using namespace dealii;

  void
  FlowFunctionParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Functions");
    prm.add_parameter("Initial velocity",
                      initial_velocity,
                      "Expressions of its components in x, y, z and the constants, separated by "
                      "';'; empty: zero.");
    prm.add_parameter("Initial pressure",
                      initial_pressure,
                      "Expression, of pressure over density; empty: that which balances body force "
                      "and convection of the initial velocity.");
    prm.add_parameter("Body force",
                      body_force,
                      "Expressions of the components of a force over mass, in x, y, z, t and the "
                      "constants; empty: none.");
    prm.leave_subsection();
    CommonFunctionParameters::add_parameters(
      prm,
      "Expressions of the components of the velocity and of the pressure in x, y, z, t and the "
      "constants, separated by ';'; empty: no error table.",
      "velocity (EXPRESSIONS), no-slip, slip (which planes of symmetry are, too), outflow "
      "(PRESSURE) or outflow (PRESSURE; NORMAL DERIVATIVES of the velocity's components), where "
      "what is left out is zero");
  }


  template <int dim>
  FlowFunctions<dim>::FlowFunctions(const FlowFunctionParameters &parameters)
    : CommonFunctions<dim>(parameters, dim + 1, {"velocity", "no-slip", "slip", "outflow"})
    , initial_velocity(this->data(parameters.initial_velocity, dim, "Functions/Initial velocity"))
    , initial_pressure(this->data(parameters.initial_pressure, 1, "Functions/Initial pressure"))
    , body_force(this->data(parameters.body_force, dim, "Functions/Body force"))
    , exact_text(parameters.exact_solution)
  {
    const std::pair<const char *, const FieldFunction<dim> *> initial[] = {
      {"Functions/Initial velocity", &initial_velocity},
      {"Functions/Initial pressure", &initial_pressure}};
    for (const auto &[entry, function] : initial)
      if (!function->empty())
        this->check_stationary(*function->expression, entry, "it is of time 0");
    for (const BoundaryEntry &item : this->boundary_entries)
      set_condition(item);
  }


  template <int dim>
  FieldFunction<dim>
  FlowFunctions<dim>::exact_velocity() const
  {
    return this->expression(split_at_semicolon(exact_text, dim).first,
                            dim,
                            "Functions/Exact solution");
  }


  template <int dim>
  FieldFunction<dim>
  FlowFunctions<dim>::exact_pressure() const
  {
    return this->expression(split_at_semicolon(exact_text, dim).second,
                            1,
                            "Functions/Exact solution");
  }


  template <int dim>
  void
  FlowFunctions<dim>::set_condition(const BoundaryEntry &item)
  {
    if (item.kind == "velocity")
      {
        // Empty is an error here: a wall has a name of its own.
        const std::string entry = this->entry_of(item), text = this->boundary_values(item, dim);
        this->expression(text, dim, entry);
        conditions.set_velocity(item.id, this->data(text, dim, entry, item.id));
      }
    else if (item.kind == "outflow")
      set_outflow(item);
    else
      {
        this->check_no_data(item);
        if (item.kind == "periodic")
          conditions.set_periodic(item.id, item.partner);
        else if (item.kind == "slip")
          conditions.set_slip(item.id);
        else
          conditions.set_no_slip(item.id);
      }
  }


  template <int dim>
  void
  FlowFunctions<dim>::set_outflow(const BoundaryEntry &item)
  {
    const std::string entry              = this->entry_of(item);
    const auto [pressure, of_velocities] = split_at_semicolon(item.data, 1);
    conditions.set_outflow(item.id,
                           this->data(pressure, 1, entry + ", pressure", item.id),
                           this->data(of_velocities, dim, entry + ", normal derivatives", item.id));
  }


  template class FlowFunctions<2>;
  template class FlowFunctions<3>;
} // namespace Saltus
