// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/expressions/regular_expression.h>
#include <saltus/io/files/files.h>
#include <saltus/io/functions/function_parameters.h>
#include <saltus/io/functions/solution_function.h>
#include <saltus/io/functions/table_function.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/parameters.h>


namespace Saltus
{
  using namespace dealii;

  void
  FunctionParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Functions");
    add_choice(prm,
               "Variables",
               primitive,
               {{"conserved", false}, {"primitive", true}},
               "What the expressions of states give. Euler: density, momentum, energy; or density, "
               "velocity, pressure.");
    prm.add_parameter("Initial state",
                      initial_state,
                      "Expressions in x, y, z and the constants, separated by ';'; or table FILE: "
                      "a CSV file with columns x, y, z (or some of them) and the values; or "
                      "checkpoint FILE: what another run of this equation has left.");
    prm.add_parameter(
      "Source term",
      source,
      "Expressions in x, y, z, t and the constants, separated by ';': what is added "
      "of each conserved variable, per volume and time; empty: nothing.");
    prm.leave_subsection();
    CommonFunctionParameters::add_parameters(
      prm,
      "Expressions in x, y, z, t and the constants, separated by ';', of which the first enters "
      "the error table; empty: no table.",
      "wall, curved wall, no-slip wall, isothermal wall (TEMPERATURE), both with the wall's VELOCITY if "
      "that moves: no-slip wall (VELOCITY), isothermal wall (TEMPERATURE; VELOCITY), outflow, prescribed (EXPRESSIONS), far field (EXPRESSIONS), pressure "
      "outlet (PRESSURE), total pressure inlet (TOTAL PRESSURE; TOTAL TEMPERATURE; DIRECTION: one "
      "component a dimension), the temperature being pressure over density; where "
      "there are EXPRESSIONS may be table FILE or checkpoint FILE, as for the initial state");
  }


  template <int dim>
  FieldFunctions<dim>::FieldFunctions(const FunctionParameters       &parameters,
                                      const unsigned int              n_components,
                                      const std::vector<std::string> &kinds,
                                      const DataSources              &sources)
    : CommonFunctions<dim>(parameters, n_components, kinds)
    , sources(sources)
    , primitive(parameters.primitive)
    , initial(state(parameters.initial_state, "Functions/Initial state"))
    , of_source(this->data(parameters.source, n_components, "Functions/Source term"))
  {
    if (initial.expression)
      this->check_stationary(*initial.expression, "Functions/Initial state", "it is of time 0");
    for (const BoundaryEntry &item : this->boundary_entries)
      set_condition(item);
  }


  template <int dim>
  void
  FieldFunctions<dim>::set_condition(const BoundaryEntry &item)
  {
    const auto data = [&](const unsigned int n) {
      return FieldFunction<dim>(
        this->checked_expression(item.data, n, this->entry_of(item), item.id));
    };
    const auto outside = [&]() {
      return state(this->boundary_values(item, this->n_components), this->entry_of(item), item.id);
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
    else if (item.kind == "no-slip wall")
      {
        if (item.data.empty())
          conditions.set_no_slip_wall(item.id);
        else
          conditions.set_no_slip_wall(item.id, data(dim));
      }
    else if (item.kind == "isothermal wall")
      {
        const bool moves = item.data.find(';') != std::string::npos;
        conditions.set_isothermal_wall(item.id, data(moves ? 1 + dim : 1));
      }
    else if (item.kind == "prescribed")
      conditions.set_prescribed(item.id, outside());
    else if (item.kind == "far field")
      conditions.set_far_field(item.id, outside());
    else if (item.kind == "pressure outlet")
      conditions.set_pressure_outlet(item.id, data(1));
    else
      conditions.set_total_pressure_inlet(item.id, data(2 + dim));
  }


  template <int dim>
  FieldFunction<dim>
  FieldFunctions<dim>::state(const std::string                      &text,
                             const std::string                      &entry,
                             const std::optional<types::boundary_id> id)
  {
    const auto match = match_whole(text, "(table|checkpoint)\\s+(\\S.*)");
    if (!match.empty())
      {
        FieldFunction<dim> function;
        with_entry(entry, [&]() { function = state_from_file(match[1], match[2]); });
        return function;
      }
    return {this->checked_expression(text, this->n_components, entry, id), primitive};
  }


  template <int dim>
  FieldFunction<dim>
  FieldFunctions<dim>::state_from_file(const std::string &kind, const std::string &file) const
  {
    const std::string  path = find_file(file, sources.parameter_file);
    const unsigned int n    = this->n_components;
    if (kind == "table")
      return {table_function<dim>(path, n, sources.components), primitive, false};
    return {solution_function<dim>(path, sources.equation, n), false, false};
  }


  template class FieldFunctions<2>;
  template class FieldFunctions<3>;
} // namespace Saltus
