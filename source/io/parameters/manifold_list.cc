// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/base/expressions/regular_expression.h>
#include <saltus/io/files/files.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/manifold_list.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/mesh/make/bodies.h>
#include <saltus/mesh/make/cad_surface.h>
#include <saltus/mesh/make/lofted_wing.h>

#include <algorithm>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    using Item = BoundaryItem;

    /// Vectors separated by semicolons; empty if one is malformed.
    template <int dim>
    std::vector<dealii::Point<dim>>
    parse_vectors(const std::string &text)
    {
      std::vector<dealii::Point<dim>> vectors;
      for (const std::string &words : dealii::Utilities::split_string_list(text, ';'))
        if (const auto vector = parse_coordinates<dim>(words))
          vectors.push_back(*vector);
        else
          return {};
      return vectors;
    }


    /// @param what it is, for messages
    std::string
    place_of(const Item &item, const std::string &entry, const std::string &what)
    {
      return "In the entry '" + entry + "', the " + what + " '" + item.kind + "' of boundary " +
             std::to_string(item.id);
    }


    template <int dim>
    std::vector<std::string>
    round_kinds()
    {
      return dim == 2 ? std::vector<std::string>{"circle"}
                      : std::vector<std::string>{"cylinder", "sphere"};
    }


    template <int dim>
    void
    check_kind(const Item &item, const std::string &where, const std::vector<std::string> &kinds)
    {
      AssertThrow(std::find(kinds.begin(), kinds.end(), item.kind) != kinds.end(),
                  ExcMessage(where + " is unknown in " + std::to_string(dim) + "D. " +
                             suggestion(item.kind, kinds)));
    }


    template <int dim>
    RoundSurface<dim>
    parse_round_surface(const Item &item, const std::string &where)
    {
      check_kind<dim>(item, where, round_kinds<dim>());
      const auto vectors  = parse_vectors<dim>(item.data);
      const bool has_axis = item.kind == "cylinder";
      AssertThrow(vectors.size() == (has_axis ? 2 : 1),
                  ExcMessage(where + " needs in parentheses the " + std::to_string(dim) +
                             " coordinates of " +
                             (has_axis ? "a point of the axis, a semicolon, and those of the axis' "
                                         "direction, not '"
                                       : "the centre, not '") +
                             item.data + "'."));
      RoundSurface<dim> surface;
      surface.center = vectors[0];
      if (has_axis)
        surface.axis = vectors[1];
      AssertThrow(!has_axis || surface.axis.norm_square() > 0.,
                  ExcMessage(where + " has an axis without direction."));
      return surface;
    }


    std::string
    trimmed_after(const std::string &text, const std::size_t position)
    {
      return dealii::Utilities::trim(text.substr(position + 1));
    }


    /// A number behind the last semicolon.
    template <int dim>
    std::shared_ptr<const Surface<dim>>
    parse_surface(const Item &item, const std::string &entry, const std::string &parameter_file)
    {
      const std::string where = place_of(item, entry, "surface");
      if constexpr (dim == 3)
        if (item.kind == "wing")
          return std::make_shared<LoftedWing>(
            LoftedWing::read(find_file(item.data, parameter_file)));
      const auto last = item.data.rfind(';');
      if (item.kind == "CAD")
        {
          const auto scale = last == std::string::npos
                               ? std::optional(1.)
                               : parse_number(trimmed_after(item.data, last));
          AssertThrow(scale && *scale > 0.,
                      ExcMessage(where +
                                 " needs in parentheses a file and, behind a semicolon, a " +
                                 "positive scale, not '" + item.data + "'."));
          std::shared_ptr<const Surface<dim>> result;
          with_entry(where, [&]() {
            result = std::make_shared<CadSurface<dim>>(
              find_file(dealii::Utilities::trim(item.data.substr(0, last)), parameter_file),
              *scale);
          });
          return result;
        }
      const auto profile = match_whole(item.kind, "NACA +(\\S*)");
      if (profile.empty())
        {
          std::vector<std::string> kinds = round_kinds<dim>();
          kinds.insert(kinds.end(), {"NACA 0012", "CAD"});
          if (dim == 3)
            kinds.emplace_back("wing");
          check_kind<dim>(item, where, kinds);
        }
      const auto number =
        last == std::string::npos ? std::nullopt : parse_number(trimmed_after(item.data, last));
      AssertThrow(number && *number > 0.,
                  ExcMessage(where + " needs in parentheses, behind the last semicolon, its " +
                             (profile.empty() ? "radius" : "chord") + ", a positive number, not '" +
                             item.data + "'."));
      Item rest = item;
      rest.data = item.data.substr(0, last);
      if (profile.empty())
        return std::make_shared<RoundBody<dim>>(parse_round_surface<dim>(rest, where), *number);
      const auto leading_edge = parse_vectors<dim>(rest.data);
      AssertThrow(leading_edge.size() == 1,
                  ExcMessage(where + " needs in parentheses the " + std::to_string(dim) +
                             " coordinates of its leading edge, a semicolon, and its chord, not '" +
                             item.data + "'."));
      std::shared_ptr<const Surface<dim>> result;
      with_entry(where, [&]() {
        result = std::make_shared<NacaProfile<dim>>(profile[1], leading_edge[0], *number);
      });
      return result;
    }


    /// What `parse(item)` makes of the items, by their ids.
    template <typename Parse>
    auto
    parse_by_id(const std::string &text,
                const std::string &entry,
                const std::string &what,
                const Parse       &parse)
    {
      std::map<dealii::types::boundary_id, decltype(parse(Item()))> result;
      for (const std::string &piece : split_list(text, entry))
        {
          const Item item = parse_boundary_item(piece, entry, what);
          AssertThrow(result.emplace(item.id, parse(item)).second,
                      ExcMessage("In the entry '" + entry + "', boundary " +
                                 std::to_string(item.id) + " has two " + what + "s."));
        }
      return result;
    }
  } // namespace


  template <int dim>
  std::map<dealii::types::boundary_id, RoundSurface<dim>>
  parse_manifolds(const std::string &text, const std::string &entry)
  {
    return parse_by_id(text, entry, "manifold", [&](const Item &item) {
      return parse_round_surface<dim>(item, place_of(item, entry, "manifold"));
    });
  }


  template <int dim>
  std::map<dealii::types::boundary_id, std::shared_ptr<const Surface<dim>>>
  parse_surfaces(const std::string &text,
                 const std::string &entry,
                 const std::string &parameter_file)
  {
    return parse_by_id(text, entry, "surface", [&](const Item &item) {
      return parse_surface<dim>(item, entry, parameter_file);
    });
  }


#define SALTUS_MANIFOLD_LIST(dim)                                                    \
  template std::map<dealii::types::boundary_id, RoundSurface<dim>> parse_manifolds(  \
    const std::string &, const std::string &);                                       \
  template std::map<dealii::types::boundary_id, std::shared_ptr<const Surface<dim>>> \
  parse_surfaces(const std::string &, const std::string &, const std::string &);
  SALTUS_MANIFOLD_LIST(2)
  SALTUS_MANIFOLD_LIST(3)
#undef SALTUS_MANIFOLD_LIST
} // namespace Saltus
