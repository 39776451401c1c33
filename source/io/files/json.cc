// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/files/json.h>

#include <algorithm>
#include <boost/locale/encoding_utf.hpp>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace Saltus
{
  namespace
  {
    void
    print_text(std::ostream &stream, const std::string &text)
    {
      stream << '"';
      // Without what is not UTF-8, as names of files need not be.
      for (const char c : boost::locale::conv::utf_to_utf<char>(text))
        if (c == '"' || c == '\\')
          stream << '\\' << c;
        else if (static_cast<unsigned char>(c) < 0x20)
          {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned int>(c));
            stream << escape;
          }
        else
          stream << c;
      stream << '"';
    }


    void
    print_number(std::ostream &stream, const double number)
    {
      char text[32];
      if (std::isfinite(number))
        stream.write(text, std::to_chars(text, text + sizeof(text), number).ptr - text);
      else
        stream << "null";
    }


    /// `print_part(part)` for each of them, between two brackets.
    template <typename Parts, typename PrintPart>
    void
    print_parts(std::ostream      &stream,
                const Parts       &parts,
                const char        *brackets,
                const bool         in_lines,
                const unsigned int indent,
                const PrintPart   &print_part)
    {
      const auto begin_line = [&](const unsigned int n_spaces) {
        if (in_lines && !parts.empty())
          stream << '\n' << std::string(n_spaces, ' ');
      };
      stream << brackets[0];
      for (const auto &part : parts)
        {
          if (&part != &parts.front())
            stream << (in_lines ? "," : ", ");
          begin_line(indent + 2);
          print_part(part);
        }
      begin_line(indent);
      stream << brackets[1];
    }
  } // namespace


  Json &
  Json::operator[](const std::string &name)
  {
    if (std::holds_alternative<std::monostate>(value))
      value = Object();
    auto      &members = std::get<Object>(value);
    const auto found   = std::find_if(members.begin(), members.end(), [&](const auto &member) {
      return member.first == name;
    });
    return found != members.end() ? found->second : members.emplace_back(name, Json()).second;
  }


  void
  Json::append(const Json &element)
  {
    if (std::holds_alternative<std::monostate>(value))
      value = Array();
    std::get<Array>(value).push_back(element);
  }


  void
  Json::print(std::ostream &stream) const
  {
    print(stream, 0);
    stream << '\n';
  }


  void
  Json::print(std::ostream &stream, const unsigned int indent) const
  {
    if (const auto *boolean = std::get_if<bool>(&value))
      stream << (*boolean ? "true" : "false");
    else if (const auto *integer = std::get_if<std::int64_t>(&value))
      stream << *integer;
    else if (const auto *number = std::get_if<double>(&value))
      print_number(stream, *number);
    else if (const auto *text = std::get_if<std::string>(&value))
      print_text(stream, *text);
    else if (const auto *array = std::get_if<Array>(&value))
      {
        const bool in_lines = std::any_of(array->begin(), array->end(), [](const Json &element) {
          return element.has_parts();
        });
        print_parts(stream, *array, "[]", in_lines, indent, [&](const Json &element) {
          element.print(stream, indent + 2);
        });
      }
    else if (const auto *object = std::get_if<Object>(&value))
      print_parts(stream, *object, "{}", true, indent, [&](const auto &member) {
        print_text(stream, member.first);
        stream << ": ";
        member.second.print(stream, indent + 2);
      });
    else
      stream << "null";
  }
} // namespace Saltus
