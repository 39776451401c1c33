// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/elliptic/elliptic_function_parameters.h>
#include <saltus/io/parameters/application.h>

namespace Saltus
{
  using namespace dealii;

  void
  EllipticFunctionParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Functions");
    prm.add_parameter("Source term",
                      source_term,
                      "Expression of f in x, y, z and the constants; empty: zero.");
    prm.add_parameter("Gradient of exact solution",
                      gradient,
                      "Expressions of its components, separated by ';', for the broken H1 norm of "
                      "the error; empty: without that norm.");
    prm.leave_subsection();
    CommonFunctionParameters::add_parameters(
      prm,
      "Expression in x, y, z and the constants; empty: no error table. It gives the mean value, "
      "too, where the problem does not.",
      "Dirichlet (u), Neumann (k du/dn), Robin (a; k du/dn + a u); data of Dirichlet and Neumann "
      "may be left out, which means zero");
  }


  void
  EllipticFunctionParameters::check() const
  {
    AssertThrow(!exact_solution.empty() || gradient.empty(),
                ExcMessage("Functions/Gradient of exact solution is given, but "
                           "Functions/Exact solution is not. Give both or none."));
  }


  namespace
  {
    const std::string no_time = "an elliptic problem has no time";
  }


  template <int dim>
  EllipticFunctions<dim>::EllipticFunctions(const EllipticFunctionParameters &parameters)
    : CommonFunctions<dim>(parameters, 1, {"Dirichlet", "Neumann", "Robin"})
    , source_term(data(parameters.source_term, "Functions/Source term"))
  {
    if (this->has_exact_solution())
      this->check_stationary(this->exact_solution(), "Functions/Exact solution", no_time);
    if (!parameters.gradient.empty())
      {
        const std::string entry = "Functions/Gradient of exact solution";
        gradient                = stationary(parameters.gradient, dim, entry);
        this->given.push_back({*gradient, entry, {}});
      }
    for (const BoundaryEntry &item : this->boundary_entries)
      set_condition(item);
  }


  template <int dim>
  Expression
  EllipticFunctions<dim>::stationary(const std::string &text,
                                     const unsigned int n_components,
                                     const std::string &entry) const
  {
    const Expression expression = this->expression(text, n_components, entry);
    this->check_stationary(expression, entry, no_time);
    return expression;
  }


  template <int dim>
  FieldFunction<dim>
  EllipticFunctions<dim>::data(const std::string                      &text,
                               const std::string                      &entry,
                               const std::optional<types::boundary_id> id)
  {
    if (text.empty())
      return {};
    const Expression expression = stationary(text, 1, entry);
    this->given.push_back({expression, entry, id});
    return expression;
  }


  template <int dim>
  void
  EllipticFunctions<dim>::set_condition(const BoundaryEntry &item)
  {
    const std::string entry = this->entry_of(item);
    if (item.kind == "periodic")
      {
        this->check_no_data(item);
        conditions.set_periodic(item.id, item.partner);
      }
    else if (item.kind == "Dirichlet")
      conditions.set_dirichlet(item.id, data(this->boundary_values(item, 1), entry, item.id));
    else if (item.kind == "Neumann")
      conditions.set_neumann(item.id, data(item.data, entry, item.id));
    else
      {
        // The two together, so that one missing is noticed.
        stationary(item.data, 2, entry);
        const auto       semicolon = item.data.find(';');
        const Expression coefficient =
          stationary(item.data.substr(0, semicolon), 1, entry + ", Robin coefficient");
        AssertThrow(coefficient.is_constant(),
                    ExcMessage(entry + ": the Robin coefficient '" + coefficient.text() +
                               "' must not depend on the position."));
        with_entry(entry, [&]() {
          conditions.set_robin(item.id,
                               coefficient.constant_values()[0],
                               data(item.data.substr(semicolon + 1), entry, item.id));
        });
      }
  }


  template class EllipticFunctions<2>;
  template class EllipticFunctions<3>;
} // namespace Saltus
