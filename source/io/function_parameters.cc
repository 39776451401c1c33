// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/function_parameters.h>
#include <saltus/io/parameter_lists.h>

#include <set>

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
    prm.declare_entry("Constants", "", Patterns::Anything(), "Named numbers: a = 1, b = 2.5.");
    prm.declare_entry("Initial state",
                      "",
                      Patterns::Anything(),
                      "Expressions in x, y, z and the constants, separated by ';'.");
    prm.declare_entry("Exact solution",
                      "",
                      Patterns::Anything(),
                      "Expressions in x, y, z, t and the constants, separated by ';', of which the "
                      "first enters the error table; empty: no table.");
    prm.declare_entry("Reference errors",
                      "",
                      Patterns::List(Patterns::Double(0.)),
                      "Errors to print beside the computed ones, one a cycle: published ones, for "
                      "example.");
    prm.declare_entry("Boundary conditions",
                      "",
                      Patterns::Anything(),
                      "ID: KIND, ... with the kinds wall, curved wall, outflow, prescribed "
                      "(EXPRESSIONS), far field (EXPRESSIONS), periodic with ID.");
    prm.leave_subsection();
  }


  namespace
  {
    const std::string initial_entry  = "Functions/Initial state";
    const std::string exact_entry    = "Functions/Exact solution";
    const std::string boundary_entry = "Functions/Boundary conditions";


    /// Every boundary id of the mesh needs a condition, and every condition a boundary.
    template <int dim>
    void
    check_ids(const std::vector<BoundaryEntry> &list, const Triangulation<dim> &triangulation)
    {
      const auto                   ids = triangulation.get_boundary_ids();
      const std::set<unsigned int> present(ids.begin(), ids.end());
      std::set<types::boundary_id> given;
      std::string                  names;
      for (const unsigned int id : present)
        names += (names.empty() ? "" : ", ") + std::to_string(id);
      for (const BoundaryEntry &item : list)
        {
          given.insert(item.id);
          if (item.kind == "periodic")
            given.insert(item.partner);
        }
      const std::string where = boundary_entry + ": Boundary id ";
      for (const unsigned int id : present)
        AssertThrow(given.count(id) > 0,
                    ExcMessage(where + std::to_string(id) +
                               " has no boundary condition. The mesh has the boundary ids " +
                               names + "."));
      for (const unsigned int id : given)
        AssertThrow(present.count(id) > 0,
                    ExcMessage(where + std::to_string(id) +
                               " does not exist on the mesh, which has the boundary ids " + names +
                               "."));
    }
  } // namespace


  template <int dim>
  FunctionParameters<dim>::FunctionParameters(ParameterHandler               &prm,
                                              const unsigned int              n_components,
                                              const std::vector<std::string> &kinds)
    : n_components(n_components)
    , kinds(kinds)
  {
    prm.enter_subsection("Functions");
    primitive = prm.get("Variables") == "primitive";
    constants = parse_constants(prm.get("Constants"), "Functions/Constants");
    initial   = prm.get("Initial state");
    exact     = prm.get("Exact solution");
    for (const std::string &error : Utilities::split_string_list(prm.get("Reference errors")))
      references.push_back(Utilities::string_to_double(error));
    boundary = prm.get("Boundary conditions");
    prm.leave_subsection();
  }


  template <int dim>
  StateFunction<dim>
  FunctionParameters<dim>::initial_state() const
  {
    return state(initial, initial_entry);
  }


  template <int dim>
  Expression
  FunctionParameters<dim>::exact_solution() const
  {
    return expression(exact, n_components, exact_entry);
  }


  template <int dim>
  BoundaryConditions<dim>
  FunctionParameters<dim>::boundary_conditions(const Triangulation<dim> &triangulation) const
  {
    const auto list = parse_boundary_conditions(boundary, boundary_entry, kinds);
    check_ids(list, triangulation);

    BoundaryConditions<dim> conditions;
    for (const BoundaryEntry &item : list)
      {
        const std::string entry    = boundary_entry + ", id " + std::to_string(item.id);
        const bool        has_data = item.kind == "prescribed" || item.kind == "far field";
        AssertThrow(has_data || item.data.empty(),
                    ExcMessage(entry + ": the kind '" + item.kind + "' takes no data, but '" +
                               item.data + "' is given."));
        if (item.kind == "periodic")
          conditions.set_periodic(item.id, item.partner);
        else if (item.kind == "outflow")
          conditions.set_outflow(item.id);
        else if (item.kind == "wall" || item.kind == "curved wall")
          conditions.set_wall(item.id, item.kind == "curved wall");
        else if (item.kind == "prescribed")
          conditions.set_prescribed(item.id, state(item.data, entry));
        else
          conditions.set_far_field(item.id, state(item.data, entry));
      }
    return conditions;
  }


  template <int dim>
  Expression
  FunctionParameters<dim>::expression(const std::string &text,
                                      const unsigned int n_components,
                                      const std::string &entry) const
  {
    AssertThrow(!text.empty(),
                ExcMessage(entry + " is empty; give " + std::to_string(n_components) +
                           " expressions, separated by ';'."));
    return {dim, text, n_components, constants, entry};
  }


  template <int dim>
  StateFunction<dim>
  FunctionParameters<dim>::state(const std::string &text, const std::string &entry) const
  {
    return {expression(text, n_components, entry), primitive};
  }


  template class FunctionParameters<2>;
  template class FunctionParameters<3>;
} // namespace Saltus
