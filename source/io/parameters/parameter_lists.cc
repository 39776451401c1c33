// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/base/expressions/expression_grammar.h>
#include <saltus/base/expressions/regular_expression.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/io/parameters/parameters.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace Saltus
{
  using dealii::ExcMessage;

  std::vector<std::string>
  split_list(const std::string &text, const std::string &entry)
  {
    std::vector<std::string> pieces;
    if (dealii::Utilities::trim(text).empty())
      return pieces;
    pieces.emplace_back();
    int depth = 0;
    for (const char c : text)
      {
        depth += (c == '(') - (c == ')');
        if (depth < 0)
          break;
        if (c == ',' && depth == 0)
          pieces.emplace_back();
        else
          pieces.back() += c;
      }
    AssertThrow(depth == 0,
                ExcMessage("The entry '" + entry + "' has unbalanced parentheses: '" + text +
                           "'."));
    for (std::string &piece : pieces)
      {
        piece = dealii::Utilities::trim(piece);
        AssertThrow(!piece.empty(),
                    ExcMessage("The entry '" + entry + "' has an empty item between commas: '" +
                               text + "'."));
      }
    return pieces;
  }


  std::pair<std::string, std::string>
  split_at_semicolon(const std::string &text, const unsigned int n)
  {
    std::size_t position = text.find(';');
    for (unsigned int i = 1; i < n && position != std::string::npos; ++i)
      position = text.find(';', position + 1);
    if (position == std::string::npos)
      return {text, {}};
    return {text.substr(0, position), text.substr(position + 1)};
  }


  std::optional<double>
  parse_number(const std::string &text)
  {
    char        *end    = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(number))
      return {};
    return number;
  }


  template <int dim>
  std::optional<dealii::Point<dim>>
  parse_coordinates(const std::string &text)
  {
    const std::vector<std::string> words = dealii::Utilities::split_string_list(text);
    if (words.size() != dim)
      return {};
    dealii::Point<dim> point;
    for (unsigned int d = 0; d < dim; ++d)
      if (const auto coordinate = parse_number(words[d]))
        point[d] = *coordinate;
      else
        return {};
    return point;
  }


  template std::optional<dealii::Point<2>>
  parse_coordinates(const std::string &);
  template std::optional<dealii::Point<3>>
  parse_coordinates(const std::string &);


  namespace
  {
    dealii::types::boundary_id
    parse_id(const std::string &text,
             const std::string &item,
             const std::string &entry,
             const std::string &owner = "boundary")
    {
      constexpr auto    last = dealii::numbers::internal_face_boundary_id - 1;
      const std::string where =
        "In the entry '" + entry + "', '" + text + "' of '" + item + "' is ";
      unsigned long long id    = 0;
      const char *const  end   = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, id);
      AssertThrow(error != std::errc::invalid_argument && stop == end,
                  ExcMessage(where + "no " + owner +
                             " id. Expected 'id: kind' or 'id: kind (data)'."));
      AssertThrow(error == std::errc() && id <= last,
                  ExcMessage(where + "too large for a " + owner + " id: they end at " +
                             std::to_string(last) + "."));
      return static_cast<dealii::types::boundary_id>(id);
    }


    /// What a list says about one part of the boundary: `id: kind (data)`.
    BoundaryEntry
    parse_boundary_entry(const std::string              &item,
                         const std::string              &entry,
                         const std::vector<std::string> &kinds)
    {
      const auto [id, kind, data] = parse_boundary_item(item, entry, "boundary condition");
      BoundaryEntry result;
      result.id   = id;
      result.data = data;

      const auto match = match_whole(kind, "periodic +with +(\\S*)");
      if (!match.empty())
        {
          result.kind    = "periodic";
          result.partner = parse_id(match[1], item, entry);
          AssertThrow(result.partner != result.id,
                      ExcMessage("In the entry '" + entry + "', boundary " +
                                 std::to_string(result.id) + " is periodic with itself."));
          return result;
        }

      const std::string exact = "as exact solution";
      AssertThrow(kind.size() <= exact.size() ||
                    kind.compare(kind.size() - exact.size(), exact.size(), exact) != 0,
                  ExcMessage("In the entry '" + entry + "', '" + item +
                             "' has no parentheses: the data of a condition, also '" + exact +
                             "', stand in parentheses after its kind."));
      std::vector<std::string> accepted = kinds;
      accepted.emplace_back("periodic with ID");
      AssertThrow(std::find(kinds.begin(), kinds.end(), kind) != kinds.end(),
                  ExcMessage("In the entry '" + entry + "', the kind '" + kind + "' of boundary " +
                             std::to_string(id) + " is unknown. " + suggestion(kind, accepted)));
      result.kind = kind;
      return result;
    }
  } // namespace


  BoundaryItem
  parse_boundary_item(const std::string &item,
                      const std::string &entry,
                      const std::string &what,
                      const std::string &owner)
  {
    using dealii::Utilities::trim;
    const auto colon = item.find(':');
    AssertThrow(colon != std::string::npos,
                ExcMessage("In the entry '" + entry + "', '" + item + "' is no " + what +
                           ". Expected 'id: kind' or 'id: kind (data)'."));
    BoundaryItem result;
    result.id   = parse_id(trim(item.substr(0, colon)), item, entry, owner);
    result.kind = trim(item.substr(colon + 1));

    const auto parenthesis = result.kind.find('(');
    if (parenthesis != std::string::npos)
      {
        AssertThrow(result.kind.back() == ')',
                    ExcMessage("In the entry '" + entry + "', something follows the data of '" +
                               item + "'. Expected 'id: kind (data)'."));
        result.data =
          trim(result.kind.substr(parenthesis + 1, result.kind.size() - parenthesis - 2));
        result.kind = trim(result.kind.substr(0, parenthesis));
      }
    return result;
  }


  std::vector<BoundaryEntry>
  parse_boundary_conditions(const std::string              &text,
                            const std::string              &entry,
                            const std::vector<std::string> &kinds)
  {
    std::vector<BoundaryEntry>           result;
    std::set<dealii::types::boundary_id> seen;
    const auto                           note = [&](const dealii::types::boundary_id id) {
      AssertThrow(seen.insert(id).second,
                  ExcMessage("In the entry '" + entry + "', boundary " + std::to_string(id) +
                             " has two conditions."));
    };
    for (const std::string &item : split_list(text, entry))
      {
        result.push_back(parse_boundary_entry(item, entry, kinds));
        note(result.back().id);
        if (result.back().kind == "periodic")
          note(result.back().partner);
      }
    return result;
  }


  ReferenceErrors
  parse_reference_errors(const std::string &text, const std::string &entry)
  {
    ReferenceErrors result;
    const auto      check = [&](const bool is_right, const std::string &item) {
      AssertThrow(is_right,
                  ExcMessage(entry + ": '" + item +
                             "' is not accepted. Expected are errors by degree and number of "
                                  "elements, each once: 'degree 2: 3.7e-4 on 180, 6.0e-5 on 720; degree "
                                  "3: 1.2e-5 on 180'."));
    };
    for (const std::string &of_degree : dealii::Utilities::split_string_list(text, ';'))
      {
        const auto degree = match_whole(of_degree, "degree\\s+(\\d{1,2})\\s*:\\s*(.+)");
        check(!degree.empty(), of_degree);
        for (const std::string &item : split_list(degree[2], entry))
          {
            const auto match = match_whole(item, "(\\S+)\\s+on\\s+(\\d{1,18})");
            const auto error = match.empty() ? std::nullopt : parse_number(match[1]);
            check(error && *error >= 0. &&
                    result[std::stoi(degree[1])].emplace(std::stoull(match[2]), *error).second,
                  item);
          }
      }
    return result;
  }


  std::map<std::string, double>
  parse_constants(const std::string &text, const std::string &entry)
  {
    std::map<std::string, double> constants;
    for (const std::string &item : split_list(text, entry))
      {
        const auto match = match_whole(item, "([A-Za-z_]\\w*)\\s*=\\s*(.*)");
        AssertThrow(!match.empty(),
                    ExcMessage("In the entry '" + entry + "', '" + item +
                               "' is no constant. Expected 'name = number'." +
                               decimal_comma_hint(text)));
        const std::string     name = match[1], value = match[2];
        constexpr std::size_t longest = 100; // muParser's limit
        AssertThrow(name.size() <= longest,
                    ExcMessage("In the entry '" + entry + "', the name of the constant '" +
                               name.substr(0, 20) + "...' has " + std::to_string(name.size()) +
                               " characters. At most " + std::to_string(longest) +
                               " are accepted."));

        const auto number = parse_number(value);
        AssertThrow(number,
                    ExcMessage("In the entry '" + entry + "', the value '" + value +
                               "' of the constant '" + name + "' is no number."));
        AssertThrow(!is_reserved_name(name),
                    ExcMessage("In the entry '" + entry + "', the constant '" + name +
                               "' has the name of a coordinate, a function or a number that "
                               "expressions know already. Choose another name."));
        AssertThrow(constants.emplace(name, *number).second,
                    ExcMessage("In the entry '" + entry + "', the constant '" + name +
                               "' is given twice."));
      }
    return constants;
  }
} // namespace Saltus
