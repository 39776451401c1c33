// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/elliptic/elliptic_function_parameters.h>
#include <saltus/io/parameters/application.h>

namespace Saltus
{
  using namespace dealii;

  void
  EllipticFunctionParameters::add_parameters(ParameterHandler  &prm,
                                             const std::string &variables,
                                             const bool         of_polytopes)
  {
    prm.enter_subsection("Functions");
    prm.add_parameter("Source term",
                      source_term,
                      "Expression of f in " + variables + " and the constants; empty: zero.");
    prm.add_parameter("Gradient of exact solution",
                      gradient,
                      "Expressions of its components, separated by ';', for the broken H1 "
                      "seminorm of the error. Empty: no such column.");
    prm.leave_subsection();
    CommonFunctionParameters::add_parameters(
      prm,
      "Expression in " + variables + " and the constants; empty: no error table." +
        (of_polytopes ? "" : " It gives the mean value, too, where the problem does not."),
      "Dirichlet (u), Neumann (k du/dn), Robin (a; k du/dn + a u) with a constant a, positive or "
      "zero; data of Dirichlet and Neumann may be left out, which means zero",
      !of_polytopes);
  }


  void
  EllipticFunctionParameters::check() const
  {
    AssertThrow(!exact_solution.empty() || gradient.empty(),
                ExcMessage("Functions/Gradient of exact solution is given, but "
                           "Functions/Exact solution is not. Give both or none."));
  }


  template <int dim>
  EllipticFunctions<dim>::EllipticFunctions(const EllipticFunctionParameters &parameters,
                                            const bool                        has_time)
    : CommonFunctions<dim>(parameters,
                           1,
                           {"Dirichlet", "Neumann", "Robin"},
                           has_time ? "" : "an elliptic problem has no time")
    , source_term(this->data(parameters.source_term, 1, "Functions/Source term"))
  {
    if (!parameters.gradient.empty())
      gradient =
        this->checked_expression(parameters.gradient, dim, "Functions/Gradient of exact solution");
    for (const BoundaryEntry &item : this->boundary_entries)
      set_condition(item);
  }


  template <int dim>
  void
  EllipticFunctions<dim>::set_condition(const BoundaryEntry &item)
  {
    const std::string entry = this->entry_of(item);
    AssertThrow(item.kind == "Dirichlet" ||
                  item.data.find("as exact solution") == std::string::npos,
                ExcMessage(entry +
                           ": 'as exact solution' is for Dirichlet conditions only, whose "
                           "data are values of the solution. " +
                           item.kind + " conditions need an expression of " +
                           (item.kind == "Robin" ? "k du/dn + a u" : "k du/dn") + "."));
    if (item.kind == "periodic")
      {
        this->check_no_data(item);
        conditions.set_periodic(item.id, item.partner);
      }
    else if (item.kind == "Dirichlet")
      conditions.set_dirichlet(item.id,
                               this->data(this->boundary_values(item, 1), 1, entry, item.id));
    else if (item.kind == "Neumann")
      conditions.set_neumann(item.id, this->data(item.data, 1, entry, item.id));
    else
      {
        // The two together, so that one missing is noticed.
        this->expression(item.data, 2, entry);
        const auto       semicolon = item.data.find(';');
        const Expression coefficient =
          this->expression(item.data.substr(0, semicolon), 1, entry + ", Robin coefficient");
        AssertThrow(coefficient.is_constant(),
                    ExcMessage(entry + ": the Robin coefficient '" + coefficient.text() +
                               "' must not depend on the position."));
        with_entry(entry, [&]() {
          conditions.set_robin(item.id,
                               coefficient.constant_values()[0],
                               this->data(item.data.substr(semicolon + 1), 1, entry, item.id));
        });
      }
  }


  template class EllipticFunctions<2>;
  template class EllipticFunctions<3>;
} // namespace Saltus
