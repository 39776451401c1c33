// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/application.h>
#include <saltus/io/elliptic_function_parameters.h>

namespace Saltus
{
  using namespace dealii;

  void
  declare_elliptic_function_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Functions");
    prm.declare_entry("Source term",
                      "",
                      Patterns::Anything(),
                      "Expression of f in x, y, z and the constants; empty: zero.");
    prm.declare_entry("Gradient of exact solution",
                      "",
                      Patterns::Anything(),
                      "Expressions of its components, separated by ';', for the broken H1 norm of "
                      "the error; empty: without that norm.");
    prm.leave_subsection();
    declare_common_functions(prm,
                             "Expression in x, y, z and the constants; empty: no error table. It "
                             "gives the mean value, too, where the problem does not.",
                             "Dirichlet (u), Neumann (k du/dn), Robin (a; k du/dn + a u); data of "
                             "Dirichlet and Neumann may be left out, which means zero");
  }


  namespace
  {
    Expression
    without_time(const Expression &expression, const std::string &entry)
    {
      AssertThrow(!expression.depends_on_time(),
                  ExcMessage(entry + " = '" + expression.text() +
                             "' depends on t, but an elliptic problem has no time."));
      return expression;
    }
  } // namespace


  template <int dim>
  EllipticFunctionParameters<dim>::EllipticFunctionParameters(ParameterHandler &prm)
    : CommonFunctions<dim>(prm, 1, {"Dirichlet", "Neumann", "Robin"})
  {
    prm.enter_subsection("Functions");
    source_term = prm.get("Source term");
    gradient    = prm.get("Gradient of exact solution");
    prm.leave_subsection();
    AssertThrow(this->has_exact_solution() || !has_exact_gradient(),
                ExcMessage("Functions/Gradient of exact solution is given, but "
                           "Functions/Exact solution is not. Give both or none."));
  }


  template <int dim>
  StateFunction<dim>
  EllipticFunctionParameters<dim>::source() const
  {
    return data(source_term, "Functions/Source term");
  }


  template <int dim>
  Expression
  EllipticFunctionParameters<dim>::exact_solution() const
  {
    return without_time(CommonFunctions<dim>::exact_solution(), "Functions/Exact solution");
  }


  template <int dim>
  Expression
  EllipticFunctionParameters<dim>::exact_gradient() const
  {
    return stationary(gradient, dim, "Functions/Gradient of exact solution");
  }


  template <int dim>
  Expression
  EllipticFunctionParameters<dim>::stationary(const std::string &text,
                                              const unsigned int n_components,
                                              const std::string &entry) const
  {
    return without_time(this->expression(text, n_components, entry), entry);
  }


  template <int dim>
  StateFunction<dim>
  EllipticFunctionParameters<dim>::data(const std::string &text, const std::string &entry) const
  {
    if (text.empty())
      return {};
    return stationary(text, 1, entry);
  }


  template <int dim>
  EllipticBoundaryConditions<dim>
  EllipticFunctionParameters<dim>::boundary_conditions(
    const Triangulation<dim> &triangulation) const
  {
    EllipticBoundaryConditions<dim> conditions;
    for (const BoundaryEntry &item : this->boundary_entries(triangulation))
      set(conditions, item);
    return conditions;
  }


  template <int dim>
  void
  EllipticFunctionParameters<dim>::set(EllipticBoundaryConditions<dim> &conditions,
                                       const BoundaryEntry             &item) const
  {
    const std::string entry = this->entry_of(item);
    if (item.kind == "periodic")
      {
        this->check_no_data(item);
        conditions.set_periodic(item.id, item.partner);
      }
    else if (item.kind == "Dirichlet")
      conditions.set_dirichlet(item.id, data(item.data, entry));
    else if (item.kind == "Neumann")
      conditions.set_neumann(item.id, data(item.data, entry));
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
                               data(item.data.substr(semicolon + 1), entry));
        });
      }
  }


  template class EllipticFunctionParameters<2>;
  template class EllipticFunctionParameters<3>;
} // namespace Saltus
