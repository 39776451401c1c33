// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/io/parameters/parameters.h>

#define BOOST_BIND_GLOBAL_PLACEHOLDERS // which the parser uses
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cctype>
#include <sstream>

namespace Saltus
{
  using dealii::ParameterHandler;

  namespace
  {
    /// Patterns have no bound that is left out: this one stands for 0.
    constexpr double      above_zero    = 1e-300;
    constexpr const char *is_above_zero = " 1e-300 <= v";


    void
    add_entries(const boost::property_tree::ptree &tree,
                const std::string                 &section,
                std::vector<ParameterEntry>       &entries)
    {
      for (const auto &[name, node] : tree)
        if (const auto value = node.get_optional<std::string>("value"))
          entries.push_back({section + name,
                             *value,
                             node.get<std::string>("default_value"),
                             node.get<std::string>("documentation"),
                             node.get<std::string>("pattern_description")});
        else
          add_entries(node, section + name + '/', entries);
    }


    void
    print_comment(std::ostream &stream, const std::string &indent, const std::string &text)
    {
      for (const std::string &line :
           dealii::Utilities::break_text_into_lines(text, 78 - indent.size()))
        stream << indent << "# " << line << '\n';
    }
  } // namespace


  std::vector<ParameterEntry>
  parameter_entries(const ParameterHandler &prm)
  {
    std::stringstream stream;
    prm.print_parameters(stream, ParameterHandler::JSON | ParameterHandler::KeepDeclarationOrder);
    boost::property_tree::ptree tree;
    boost::property_tree::read_json(stream, tree);
    std::vector<ParameterEntry> entries;
    add_entries(tree, "", entries);
    return entries;
  }


  dealii::Patterns::Double
  positive_numbers(const double largest)
  {
    return {above_zero, largest};
  }


  std::string
  accepted_values(const std::string &pattern)
  {
    using namespace dealii::Patterns;
    const auto parsed = pattern_factory(pattern);
    if (dynamic_cast<const Anything *>(parsed.get()) != nullptr)
      return "";
    std::string text = parsed->description(PatternBase::Text);
    // Bounds that are those of the number type say nothing.
    for (const auto &[from, to] : {std::pair(" v such that -MAX_DOUBLE <= v <= MAX_DOUBLE", ""),
                                   std::pair(" <= MAX_DOUBLE", ""),
                                   std::pair(is_above_zero, " 0 < v"),
                                   std::pair(" <= 2147483647", ""),
                                   std::pair("0 to 4294967295 elements", "elements")})
      text = dealii::Utilities::replace_in_string(text, from, to);
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
    return text;
  }


  void
  print_parameters(const ParameterHandler &prm, std::ostream &stream)
  {
    std::vector<std::string> open; // subsections
    const auto               indent = [&]() { return std::string(2 * open.size(), ' '); };
    for (const ParameterEntry &entry : parameter_entries(prm))
      {
        std::vector<std::string> path = dealii::Utilities::split_string_list(entry.path, '/');
        const std::string        name = path.back();
        path.pop_back();
        while (open.size() > path.size() || !std::equal(open.begin(), open.end(), path.begin()))
          {
            open.pop_back();
            stream << indent() << "end\n";
          }
        stream << '\n';
        while (open.size() < path.size())
          {
            stream << indent() << "subsection " << path[open.size()] << '\n';
            open.push_back(path[open.size()]);
          }
        print_comment(stream, indent(), entry.documentation);
        const std::string accepted = accepted_values(entry.pattern);
        if (!accepted.empty())
          print_comment(stream, indent(), "Accepted: " + accepted + ".");
        stream << indent() << "set " << name << " = " << entry.value << '\n';
      }
    while (!open.empty())
      {
        open.pop_back();
        stream << indent() << "end\n";
      }
  }
} // namespace Saltus
