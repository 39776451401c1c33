// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

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


  /// Recursive descent over a text.
  class Json::Reader
  {
  public:
    explicit Reader(const std::string &text)
      : text(text)
    {}

    Json
    read()
    {
      const Json result = value(0);
      skip_blanks();
      check(position == text.size());
      return result;
    }

  private:
    void
    check(const bool is_right) const
    {
      AssertThrow(is_right,
                  dealii::ExcMessage("The text is no JSON: there is a mistake at position " +
                                     std::to_string(position) + "."));
    }

    void
    skip_blanks()
    {
      position = std::min(text.find_first_not_of(" \n\r\t", position), text.size());
    }

    /// Whether this stands next; then it is behind.
    bool
    skip(const std::string &word)
    {
      skip_blanks();
      if (text.compare(position, word.size(), word) != 0)
        return false;
      position += word.size();
      return true;
    }

    std::string
    string()
    {
      check(skip("\""));
      std::string result;
      for (; position < text.size() && text[position] != '"'; ++position)
        if (text[position] != '\\')
          result += text[position];
        else if (text.compare(position, 2, "\\u") == 0)
          {
            unsigned int code  = 256;
            const char  *first = text.data() + position + 2, *last = text.data() + text.size();
            check(last - first >= 4);
            std::from_chars(first, first + 4, code, 16);
            check(code < 0x20);
            result += static_cast<char>(code);
            position += 5;
          }
        else
          {
            ++position;
            check(position < text.size() && (text[position] == '"' || text[position] == '\\'));
            result += text[position];
          }
      check(skip("\""));
      return result;
    }

    Json
    number()
    {
      const std::size_t end   = std::min(text.find_first_of(",]} \n\r\t", position), text.size());
      const char *const first = text.data() + position, *const last = text.data() + end;
      std::int64_t integer  = 0;
      double       real     = 0.;
      const auto   whole    = std::from_chars(first, last, integer);
      const bool   is_whole = whole.ec == std::errc() && whole.ptr == last;
      if (!is_whole)
        {
          const auto any = std::from_chars(first, last, real);
          check(any.ec == std::errc() && any.ptr == last);
        }
      position = end;
      return is_whole ? Json(integer) : Json(real);
    }

    Json
    value(const unsigned int depth)
    {
      check(depth <= 100);
      if (skip("{"))
        {
          Object members;
          while (!skip("}"))
            {
              check(members.empty() || skip(","));
              skip_blanks();
              const std::string name = string();
              check(skip(":"));
              members.emplace_back(name, value(depth + 1));
            }
          Json result;
          result.value = std::move(members);
          return result;
        }
      if (skip("["))
        {
          Array elements;
          while (!skip("]"))
            {
              check(elements.empty() || skip(","));
              elements.push_back(value(depth + 1));
            }
          return elements;
        }
      if (skip("null"))
        return {};
      if (skip("true"))
        return true;
      if (skip("false"))
        return false;
      if (position < text.size() && text[position] == '"')
        return string();
      return number();
    }

    const std::string &text;
    std::size_t        position = 0;
  };


  Json
  Json::parse(const std::string &text)
  {
    return Reader(text).read();
  }


  const Json *
  Json::find(const std::string &name) const
  {
    if (const auto *object = std::get_if<Object>(&value))
      for (const auto &member : *object)
        if (member.first == name)
          return &member.second;
    return nullptr;
  }


  std::vector<Json>
  Json::elements() const
  {
    const auto *array = std::get_if<Array>(&value);
    return array ? *array : Array();
  }


  std::vector<std::pair<std::string, Json>>
  Json::members() const
  {
    const auto *object = std::get_if<Object>(&value);
    return object ? *object : Object();
  }


  std::optional<double>
  Json::number() const
  {
    if (const auto *integer = std::get_if<std::int64_t>(&value))
      return *integer;
    if (const auto *real = std::get_if<double>(&value))
      return *real;
    return {};
  }


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
