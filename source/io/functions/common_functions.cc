// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/expressions/regular_expression.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/io/functions/common_functions.h>
#include <saltus/io/functions/finite_values.h>

#include <algorithm>
#include <set>

namespace Saltus
{
  using namespace dealii;

  void
  CommonFunctionParameters::add_parameters(ParameterHandler  &prm,
                                           const std::string &exact,
                                           const std::string &kinds,
                                           const bool         may_be_periodic)
  {
    prm.enter_subsection("Functions");
    prm.add_parameter("Constants", constants, "Named numbers: a = 1, b = 2.5.");
    prm.add_parameter("Exact solution", exact_solution, exact);
    prm.add_parameter("Reference errors",
                      reference_errors,
                      "Errors to print beside the computed ones. By degree and number of elements: "
                      "degree 2: 3.7e-4 on 180, 6.0e-5 on 720; degree 3: 1.2e-5 on 180.");
    prm.add_parameter("Boundary conditions",
                      boundary_conditions,
                      "ID: KIND, ... with the kinds " + kinds +
                        (may_be_periodic ? ", periodic with ID" : "") +
                        ". Data in parentheses that are values of the solution may be 'as exact "
                        "solution'.");
    prm.leave_subsection();
  }


  namespace
  {
    const std::string exact_entry    = "Functions/Exact solution";
    const std::string boundary_entry = "Functions/Boundary conditions";
  } // namespace


  template <int dim>
  CommonFunctions<dim>::CommonFunctions(const CommonFunctionParameters &parameters,
                                        const unsigned int              n_components,
                                        const std::vector<std::string> &kinds,
                                        const std::string              &no_time)
    : n_components(n_components)
    , boundary_entries(
        parse_boundary_conditions(parameters.boundary_conditions, boundary_entry, kinds))
    , no_time(no_time)
    , constants(parse_constants(parameters.constants, "Functions/Constants"))
    , references(parse_reference_errors(parameters.reference_errors, "Functions/Reference errors"))
  {
    if (parameters.exact_solution.empty())
      return;
    AssertThrow(match_whole(parameters.exact_solution, "(table|checkpoint)\\s.*").empty(),
                ExcMessage(exact_entry + " = " + parameters.exact_solution +
                           " is not accepted: it takes expressions. Tables and checkpoints are for "
                           "Functions/Initial state and for boundary conditions."));
    exact = expression(parameters.exact_solution, n_components, exact_entry);
    if (!exact->depends_on_time())
      given.push_back({*exact, exact_entry, {}});
  }


  template <int dim>
  void
  CommonFunctions<dim>::check_on(const Mapping<dim>       &mapping,
                                 const Triangulation<dim> &triangulation) const
  {
    check_ids(triangulation);
    const std::vector<Point<dim>> centers = cell_centers(mapping, triangulation);
    on_all_ranks(triangulation.get_communicator(), [&]() {
      for (const Given &item : given)
        check_finite(item.expression,
                     item.entry,
                     item.id ? face_centers(mapping, triangulation, *item.id) : centers);
    });
  }


  template <int dim>
  void
  CommonFunctions<dim>::check_exact_solution(const Mapping<dim>       &mapping,
                                             const Triangulation<dim> &triangulation,
                                             const double              time) const
  {
    on_all_ranks(triangulation.get_communicator(), [&]() {
      check_finite(*exact, exact_entry, cell_centers(mapping, triangulation), time);
    });
  }


  template <int dim>
  Expression
  CommonFunctions<dim>::expression(const std::string &text,
                                   const unsigned int n_components,
                                   const std::string &entry) const
  {
    AssertThrow(!text.empty(),
                ExcMessage(
                  entry + " is empty; give " + std::to_string(n_components) +
                  (n_components == 1 ? " expression." : " expressions, separated by ';'.")));
    Expression result(dim, text, n_components, constants, entry);
    check_constant(result, entry);
    if (!no_time.empty())
      check_stationary(result, entry, no_time);
    return result;
  }


  template <int dim>
  Expression
  CommonFunctions<dim>::checked_expression(const std::string                      &text,
                                           const unsigned int                      n_components,
                                           const std::string                      &entry,
                                           const std::optional<types::boundary_id> id)
  {
    given.push_back({expression(text, n_components, entry), entry, id});
    return given.back().expression;
  }


  template <int dim>
  FieldFunction<dim>
  CommonFunctions<dim>::data(const std::string                      &text,
                             const unsigned int                      n_components,
                             const std::string                      &entry,
                             const std::optional<types::boundary_id> id)
  {
    if (text.empty())
      return {};
    return checked_expression(text, n_components, entry, id);
  }


  template <int dim>
  void
  CommonFunctions<dim>::check_ids(const Triangulation<dim> &triangulation) const
  {
    const auto                   ids = triangulation.get_boundary_ids();
    const std::set<unsigned int> present(ids.begin(), ids.end());
    std::set<types::boundary_id> given;
    std::string                  names;
    for (const unsigned int id : present)
      names += (names.empty() ? "" : ", ") + std::to_string(id);
    for (const BoundaryEntry &item : boundary_entries)
      {
        given.insert(item.id);
        if (item.kind == "periodic")
          given.insert(item.partner);
      }
    const std::string where = boundary_entry + ": Boundary id ";
    for (const unsigned int id : present)
      AssertThrow(given.count(id) > 0,
                  ExcMessage(where + std::to_string(id) +
                             " has no boundary condition. The mesh has the boundary ids " + names +
                             "."));
    for (const unsigned int id : given)
      AssertThrow(present.count(id) > 0,
                  ExcMessage(where + std::to_string(id) +
                             " does not exist on the mesh, which has the boundary ids " + names +
                             "."));
  }


  template <int dim>
  std::string
  CommonFunctions<dim>::entry_of(const BoundaryEntry &item)
  {
    return boundary_entry + ", id " + std::to_string(item.id);
  }


  template <int dim>
  void
  CommonFunctions<dim>::check_stationary(const Expression  &expression,
                                         const std::string &entry,
                                         const std::string &reason)
  {
    AssertThrow(!expression.depends_on_time(),
                ExcMessage(entry + " = '" + expression.text() + "' depends on t, but " + reason +
                           "."));
  }


  template <int dim>
  bool
  CommonFunctions<dim>::has_exact_boundary() const
  {
    return std::any_of(boundary_entries.begin(), boundary_entries.end(), is_exact);
  }


  template <int dim>
  std::string
  CommonFunctions<dim>::boundary_values(const BoundaryEntry &item,
                                        const unsigned int   n_components) const
  {
    if (!is_exact(item))
      return item.data;
    AssertThrow(exact,
                ExcMessage(entry_of(item) + ": the data are to be those of " + exact_entry +
                           ", which is not given."));
    return split_at_semicolon(exact->text(), n_components).first;
  }


  template <int dim>
  void
  CommonFunctions<dim>::check_no_data(const BoundaryEntry &item)
  {
    AssertThrow(item.data.empty(),
                ExcMessage(entry_of(item) + ": the kind '" + item.kind + "' takes no data, but '" +
                           item.data + "' is given."));
  }


  template class CommonFunctions<2>;
  template class CommonFunctions<3>;
} // namespace Saltus
