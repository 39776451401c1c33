// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/base/decimal_comma.h>
#include <saltus/io/parameter_lists.h>
#include <saltus/io/parameters.h>

#include <algorithm>
#include <cmath>
#include <regex>
#include <set>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    /// Split at the commas that stand in no parentheses; empty pieces are an error.
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


    dealii::types::boundary_id
    parse_id(const std::string &text, const std::string &item, const std::string &entry)
    {
      const bool is_number =
        !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == text.npos;
      AssertThrow(is_number && std::stoul(text) < dealii::numbers::internal_face_boundary_id,
                  ExcMessage("In the entry '" + entry + "', '" + text + "' of '" + item +
                             "' is no boundary id. Expected 'id: kind' or 'id: kind (data)'."));
      return static_cast<dealii::types::boundary_id>(std::stoul(text));
    }


    BoundaryEntry
    parse_boundary_entry(const std::string              &item,
                         const std::string              &entry,
                         const std::vector<std::string> &kinds)
    {
      using dealii::Utilities::trim;
      const auto colon = item.find(':');
      AssertThrow(colon != std::string::npos,
                  ExcMessage("In the entry '" + entry + "', '" + item +
                             "' is no boundary condition. Expected 'id: kind' or 'id: kind "
                             "(data)'."));
      BoundaryEntry result;
      result.id        = parse_id(trim(item.substr(0, colon)), item, entry);
      std::string rest = trim(item.substr(colon + 1));

      const auto parenthesis = rest.find('(');
      if (parenthesis != std::string::npos)
        {
          AssertThrow(rest.back() == ')',
                      ExcMessage("In the entry '" + entry + "', something follows the data of '" +
                                 item + "'. Expected 'id: kind (data)'."));
          result.data = trim(rest.substr(parenthesis + 1, rest.size() - parenthesis - 2));
          rest        = trim(rest.substr(0, parenthesis));
        }

      std::smatch match;
      if (std::regex_match(rest, match, std::regex("periodic +with +(\\S*)")))
        {
          result.kind    = "periodic";
          result.partner = parse_id(match[1], item, entry);
          AssertThrow(result.partner != result.id,
                      ExcMessage("In the entry '" + entry + "', boundary " +
                                 std::to_string(result.id) + " is periodic with itself."));
          return result;
        }

      std::vector<std::string> accepted = kinds;
      accepted.emplace_back("periodic with ID");
      AssertThrow(std::find(kinds.begin(), kinds.end(), rest) != kinds.end(),
                  ExcMessage("In the entry '" + entry + "', the kind '" + rest + "' of boundary " +
                             std::to_string(result.id) + " is unknown. " +
                             suggestion(rest, accepted)));
      result.kind = rest;
      return result;
    }
  } // namespace


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


  std::map<std::string, double>
  parse_constants(const std::string &text, const std::string &entry)
  {
    // What muParser and deal.II's FunctionParser define.
    static const std::set<std::string> reserved = {
      "x",     "y",     "z",    "t",     "pi",    "_pi",  "_e",   "sin",  "cos",
      "tan",   "asin",  "acos", "atan",  "atan2", "sinh", "cosh", "tanh", "asinh",
      "acosh", "atanh", "log2", "log10", "log",   "ln",   "exp",  "sqrt", "sign",
      "rint",  "abs",   "min",  "max",   "sum",   "avg",  "if",   "int",  "ceil",
      "floor", "cot",   "csc",  "sec",   "pow",   "erf",  "erfc", "rand", "rand_seed"};

    std::map<std::string, double> constants;
    for (const std::string &item : split_list(text, entry))
      {
        std::smatch match;
        AssertThrow(std::regex_match(item, match, std::regex("([A-Za-z_]\\w*)\\s*=\\s*(.*)")),
                    ExcMessage("In the entry '" + entry + "', '" + item +
                               "' is no constant. Expected 'name = number'." +
                               decimal_comma_hint(text)));
        const std::string name = match[1], value = match[2];

        char        *end    = nullptr;
        const double number = std::strtod(value.c_str(), &end);
        AssertThrow(!value.empty() && *end == '\0' && std::isfinite(number),
                    ExcMessage("In the entry '" + entry + "', the value '" + value +
                               "' of the constant '" + name + "' is no number."));
        AssertThrow(reserved.count(name) == 0,
                    ExcMessage("In the entry '" + entry + "', the constant '" + name +
                               "' has the name of a coordinate, a function or a number that "
                               "expressions know already. Choose another name."));
        AssertThrow(constants.emplace(name, number).second,
                    ExcMessage("In the entry '" + entry + "', the constant '" + name +
                               "' is given twice."));
      }
    return constants;
  }
} // namespace Saltus
