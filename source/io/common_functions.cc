// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/io/common_functions.h>

#include <set>

namespace Saltus
{
  using namespace dealii;

  void
  declare_common_functions(ParameterHandler  &prm,
                           const std::string &exact_solution,
                           const std::string &kinds)
  {
    prm.enter_subsection("Functions");
    prm.declare_entry("Constants", "", Patterns::Anything(), "Named numbers: a = 1, b = 2.5.");
    prm.declare_entry("Exact solution", "", Patterns::Anything(), exact_solution);
    prm.declare_entry("Reference errors",
                      "",
                      Patterns::List(Patterns::Double(0.)),
                      "Errors to print beside the computed ones, one a cycle: published ones, for "
                      "example.");
    prm.declare_entry("Boundary conditions",
                      "",
                      Patterns::Anything(),
                      "ID: KIND, ... with the kinds " + kinds + ", periodic with ID.");
    prm.leave_subsection();
  }


  namespace
  {
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
  CommonFunctions<dim>::CommonFunctions(ParameterHandler               &prm,
                                        const unsigned int              n_components,
                                        const std::vector<std::string> &kinds)
    : n_components(n_components)
    , kinds(kinds)
  {
    prm.enter_subsection("Functions");
    constants = parse_constants(prm.get("Constants"), "Functions/Constants");
    exact     = prm.get("Exact solution");
    for (const std::string &error : Utilities::split_string_list(prm.get("Reference errors")))
      references.push_back(Utilities::string_to_double(error));
    boundary = prm.get("Boundary conditions");
    prm.leave_subsection();
  }


  template <int dim>
  Expression
  CommonFunctions<dim>::exact_solution() const
  {
    return expression(exact, n_components, exact_entry);
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
    return {dim, text, n_components, constants, entry};
  }


  template <int dim>
  std::vector<BoundaryEntry>
  CommonFunctions<dim>::boundary_entries(const Triangulation<dim> &triangulation) const
  {
    const auto list = parse_boundary_conditions(boundary, boundary_entry, kinds);
    check_ids(list, triangulation);
    return list;
  }


  template <int dim>
  std::string
  CommonFunctions<dim>::entry_of(const BoundaryEntry &item)
  {
    return boundary_entry + ", id " + std::to_string(item.id);
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
