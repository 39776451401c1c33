// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/function_parameters.h>

namespace Saltus
{
  using namespace dealii;

  void
  declare_function_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Functions");
    prm.declare_entry(
      "Variables",
      "conserved",
      Patterns::Selection("conserved|primitive"),
      "What the expressions of states give. Euler: density, momentum, energy; or density, "
      "velocity, pressure.");
    prm.declare_entry("Initial state",
                      "",
                      Patterns::Anything(),
                      "Expressions in x, y, z and the constants, separated by ';'.");
    prm.leave_subsection();
    declare_common_functions(prm,
                             "Expressions in x, y, z, t and the constants, separated by ';', of "
                             "which the first enters the error table; empty: no table.",
                             "wall, curved wall, outflow, prescribed (EXPRESSIONS), far field "
                             "(EXPRESSIONS), pressure outlet (PRESSURE), total pressure inlet "
                             "(TOTAL PRESSURE; TOTAL TEMPERATURE; DIRECTION: one component a "
                             "dimension), the temperature being pressure over density");
  }


  template <int dim>
  FunctionParameters<dim>::FunctionParameters(ParameterHandler               &prm,
                                              const unsigned int              n_components,
                                              const std::vector<std::string> &kinds)
    : CommonFunctions<dim>(prm, n_components, kinds)
  {
    prm.enter_subsection("Functions");
    primitive = prm.get("Variables") == "primitive";
    initial   = prm.get("Initial state");
    prm.leave_subsection();
  }


  template <int dim>
  StateFunction<dim>
  FunctionParameters<dim>::initial_state() const
  {
    return state(initial, "Functions/Initial state");
  }


  template <int dim>
  BoundaryConditions<dim>
  FunctionParameters<dim>::boundary_conditions(const Triangulation<dim> &triangulation) const
  {
    BoundaryConditions<dim> conditions;
    for (const BoundaryEntry &item : this->boundary_entries(triangulation))
      {
        const auto data = [&](const unsigned int n) {
          return StateFunction<dim>(this->expression(item.data, n, this->entry_of(item)));
        };
        if (item.kind == "periodic" || item.kind == "outflow" || item.kind == "wall" ||
            item.kind == "curved wall")
          this->check_no_data(item);
        if (item.kind == "periodic")
          conditions.set_periodic(item.id, item.partner);
        else if (item.kind == "outflow")
          conditions.set_outflow(item.id);
        else if (item.kind == "wall" || item.kind == "curved wall")
          conditions.set_wall(item.id, item.kind == "curved wall");
        else if (item.kind == "prescribed")
          conditions.set_prescribed(item.id, state(item.data, this->entry_of(item)));
        else if (item.kind == "far field")
          conditions.set_far_field(item.id, state(item.data, this->entry_of(item)));
        else if (item.kind == "pressure outlet")
          conditions.set_pressure_outlet(item.id, data(1));
        else
          conditions.set_total_pressure_inlet(item.id, data(2 + dim));
      }
    return conditions;
  }


  template <int dim>
  StateFunction<dim>
  FunctionParameters<dim>::state(const std::string &text, const std::string &entry) const
  {
    return {this->expression(text, this->n_components, entry), primitive};
  }


  template class FunctionParameters<2>;
  template class FunctionParameters<3>;
} // namespace Saltus
