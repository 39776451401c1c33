// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/elliptic/elliptic_function_parameters.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/io/parameters/parameters.h>

#include <algorithm>
#include <set>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    const std::string material_name  = "Coefficients by material";
    const std::string material_entry = "Functions/" + material_name;

    std::vector<BoundaryItem>
    parse_materials(const std::string &text)
    {
      const std::vector<std::string>             kinds = {"diffusion", "reaction"};
      std::vector<BoundaryItem>                  result;
      std::set<std::pair<std::string, unsigned>> seen;
      for (const std::string &piece : split_list(text, material_entry))
        {
          const auto item =
            parse_boundary_item(piece, material_entry, "coefficient of a material", "material");
          AssertThrow(std::find(kinds.begin(), kinds.end(), item.kind) != kinds.end(),
                      ExcMessage("In the entry '" + material_entry + "', the kind '" + item.kind +
                                 "' of the material " + std::to_string(item.id) + " is unknown. " +
                                 suggestion(item.kind, kinds)));
          AssertThrow(seen.emplace(item.kind, item.id).second,
                      ExcMessage("In the entry '" + material_entry + "', the material " +
                                 std::to_string(item.id) + " has two coefficients of the kind '" +
                                 item.kind + "'."));
          result.push_back(item);
        }
      return result;
    }

    /// Material ids of all cells of all ranks. Collective.
    template <int dim>
    std::set<types::material_id>
    materials(const Triangulation<dim> &triangulation)
    {
      std::set<types::material_id> own;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          own.insert(cell->material_id());
      const MPI_Comm communicator = triangulation.get_communicator();
      if (n_ranks(communicator) == 1)
        return own;
      std::set<types::material_id>          result;
      const std::vector<types::material_id> list(own.begin(), own.end());
      for (const auto &of_rank : Utilities::MPI::all_gather(communicator, list))
        result.insert(of_rank.begin(), of_rank.end());
      return result;
    }
  } // namespace

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
    if (!of_polytopes)
      prm.add_parameter(material_name,
                        by_material,
                        "ID: KIND (DATA), ... with the kinds diffusion and reaction and data as in "
                        "Equation/Diffusion and Equation/Reaction, which they replace. ID is the "
                        "physical id of surfaces (3D: volumes) of a Gmsh file; all other cells "
                        "have 0. A kind is given for all materials of the mesh or none.");
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
    , material_items(parse_materials(parameters.by_material))
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


  template <int dim>
  std::map<types::material_id, std::string>
  EllipticFunctions<dim>::by_material(const std::string &coefficient) const
  {
    std::map<types::material_id, std::string> result;
    for (const auto &item : material_items)
      if (item.kind == coefficient)
        result[item.id] = item.data;
    return result;
  }


  template <int dim>
  void
  EllipticFunctions<dim>::check_on(const Mapping<dim>       &mapping,
                                   const Triangulation<dim> &triangulation) const
  {
    CommonFunctions<dim>::check_on(mapping, triangulation);
    if (material_items.empty())
      return;
    const std::set<types::material_id> present = materials(triangulation);
    std::string                        list;
    for (const types::material_id id : present)
      list += (list.empty() ? "" : ", ") + std::to_string(id);
    const std::string of_mesh = " The mesh has the materials " + list + ".";
    for (const auto &item : material_items)
      {
        AssertThrow(present.count(item.id) > 0,
                    ExcMessage(material_entry + ": the material " + std::to_string(item.id) +
                               " does not exist." + of_mesh));
        for (const types::material_id id : present)
          AssertThrow(by_material(item.kind).count(id) > 0,
                      ExcMessage(material_entry + ": the material " + std::to_string(id) +
                                 " has no " + item.kind + "." + of_mesh));
      }
  }


  template class EllipticFunctions<2>;
  template class EllipticFunctions<3>;
} // namespace Saltus
