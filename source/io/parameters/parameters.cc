// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/base/expressions/expression_grammar.h>
#include <saltus/base/expressions/text_file.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/parameters.h>

#include <boost/algorithm/string/case_conv.hpp>
#include <boost/locale/encoding_utf.hpp>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace Saltus
{
  using boost::algorithm::to_lower_copy;
  using dealii::ExcMessage;
  using dealii::ParameterHandler;
  using dealii::Utilities::trim;

  namespace
  {
    /// One line of a parameter file, or several that end in a backslash, without comment.
    struct Statement
    {
      std::string where; ///< `FILE:LINE`, the line on which it begins
      std::string text;
    };


    bool
    is_utf8(const std::string &text)
    {
      try
        {
          boost::locale::conv::utf_to_utf<char32_t>(text, boost::locale::conv::stop);
          return true;
        }
      catch (const boost::locale::conv::conversion_error &)
        {
          return false;
        }
    }


    std::vector<Statement>
    split_statements(std::istream &stream, const std::string &file)
    {
      std::vector<Statement> statements;
      std::string            line, text;
      unsigned int           first = 1;
      for (unsigned int n = 1; std::getline(stream, line); ++n)
        {
          line                 = trim(line);
          const bool continued = !line.empty() && line.back() == '\\';
          text += continued ? line.substr(0, line.size() - 1) : line;
          if (continued && stream.peek() != std::istream::traits_type::eof())
            continue;
          text                    = trim(text.substr(0, text.find('#')));
          const std::string where = file + ":" + std::to_string(first);
          AssertThrow(is_utf8(text), ExcMessage(where + ": this line is not UTF-8 text."));
          if (!text.empty())
            statements.push_back({where, text});
          text.clear();
          first = n + 1;
        }
      return statements;
    }


    std::vector<Statement>
    read_statements(const std::string &file)
    {
      std::istringstream stream(read_text("parameter file", file));
      return split_statements(stream, file);
    }


    /// `A/B/Entry` as `A/B/` and `Entry`.
    std::pair<std::string, std::string>
    split_path(const std::string &path)
    {
      const auto length = path.rfind('/') + 1;
      return {path.substr(0, length), path.substr(length)};
    }


    bool
    begins_with(const std::string &text, const std::string &beginning)
    {
      return text.compare(0, beginning.size(), beginning) == 0;
    }


    /// What to say of a whole number that is refused because of its size, which accepted_values()
    /// does not tell.
    std::string
    large_number_hint(const std::string &value)
    {
      const bool is_whole = value.find_first_not_of("0123456789") == value.npos;
      return is_whole && std::strtod(value.c_str(), nullptr) > std::numeric_limits<int>::max()
               ? " Whole numbers end at " + std::to_string(std::numeric_limits<int>::max()) + "."
               : "";
    }


    /// Sets entries and knows which there are.
    class Reader
    {
    public:
      explicit Reader(ParameterHandler &prm)
        : prm(prm)
        , entries(parameter_entries(prm))
      {}

      void
      read(const std::string &file)
      {
        AssertThrow(++depth < 20, ExcMessage("The parameter file '" + file + "' includes itself."));
        const std::size_t outer = section.size();
        for (const Statement &statement : read_statements(file))
          with_entry(statement.where, [&]() { execute(statement.text, outer); });
        AssertThrow(section.size() == outer,
                    ExcMessage(file + ": the subsection '" + section_path() +
                               "' has no 'end' (unequal numbers of 'subsection' and 'end')."));
        --depth;
      }

      void
      enter(const std::string &name)
      {
        const std::string path = section_path();
        for (const ParameterEntry &entry : entries)
          if (begins_with(entry.path, path + name + '/'))
            {
              section.push_back(name);
              return;
            }
        AssertThrow(false, ExcMessage(unknown_subsection(path, name)));
      }

      void
      set(const std::string &name, const std::string &value)
      {
        const std::string path = section_path();
        for (const ParameterEntry &entry : entries)
          if (entry.path == path + name)
            {
              set_known(entry, value);
              return;
            }
        AssertThrow(false, ExcMessage(unknown_entry(path, name)));
      }

    private:
      /// @param outer number of sections that were entered before this file
      void
      execute(const std::string &text, const std::size_t outer)
      {
        const auto        space = text.find_first_of(" \t");
        const std::string word  = to_lower_copy(text.substr(0, space));
        const std::string rest  = space == text.npos ? "" : trim(text.substr(space));
        const auto        equal = rest.find('=');
        if (word == "subsection" && !rest.empty())
          enter(rest);
        else if (word == "set" && equal != rest.npos)
          set(trim(rest.substr(0, equal)), trim(rest.substr(equal + 1)));
        else if (word == "include" && !rest.empty())
          read(rest);
        else
          {
            AssertThrow(word == "end" && rest.empty(),
                        ExcMessage("'" + text +
                                   "' is no statement. Expected 'subsection NAME', 'set ENTRY = "
                                   "VALUE', 'end' or 'include FILE'."));
            AssertThrow(section.size() > outer,
                        ExcMessage("there is no subsection that this 'end' could end."));
            section.pop_back();
          }
      }

      void
      set_known(const ParameterEntry &entry, const std::string &value)
      {
        for (const std::string &name : section)
          prm.enter_subsection(name);
        try
          {
            prm.set(split_path(entry.path).second, value);
          }
        catch (const ParameterHandler::ExcValueDoesNotMatchPattern &)
          {
            AssertThrow(false,
                        ExcMessage(
                          "the value '" + value + "' of the entry '" + entry.path +
                          "' is not accepted. Accepted is: " + accepted_values(entry.pattern) +
                          "." + decimal_comma_hint(value) + large_number_hint(value)));
          }
        for (std::size_t i = 0; i < section.size(); ++i)
          prm.leave_subsection();
      }

      std::string
      section_path() const
      {
        std::string path;
        for (const std::string &name : section)
          path += name + '/';
        return path;
      }

      std::string
      unknown_entry(const std::string &path, const std::string &name) const
      {
        std::vector<std::string> here, elsewhere;
        for (const ParameterEntry &entry : entries)
          {
            const auto [entry_section, entry_name] = split_path(entry.path);
            if (entry_section == path)
              here.push_back(entry_name);
            else if (to_lower_copy(entry_name) == to_lower_copy(name))
              elsewhere.push_back(entry.path);
          }
        return "there is no entry '" + name + "'" + in_section(path) + ". " +
               (nearest_names(name, here).empty() && !elsewhere.empty() ? suggestion_of(elsewhere)
                                                                        : suggestion(name, here));
      }

      std::string
      unknown_subsection(const std::string &path, const std::string &name) const
      {
        std::vector<std::string> here;
        for (const ParameterEntry &entry : entries)
          if (begins_with(entry.path, path))
            {
              const std::string rest = entry.path.substr(path.size());
              const auto        end  = rest.find('/');
              if (end != rest.npos && (here.empty() || here.back() != rest.substr(0, end)))
                here.push_back(rest.substr(0, end));
            }
        return "there is no subsection '" + name + "'" + in_section(path) + ". " +
               suggestion(name, here);
      }

      static std::string
      in_section(const std::string &path)
      {
        return path.empty() ? "" : " in the subsection '" + path.substr(0, path.size() - 1) + "'";
      }

      static std::string
      suggestion_of(const std::vector<std::string> &paths)
      {
        std::string text;
        for (const std::string &path : paths)
          text += (text.empty() ? "Did you mean '" : " or '") + path + "'";
        return text + "?";
      }

      ParameterHandler                 &prm;
      const std::vector<ParameterEntry> entries;
      std::vector<std::string>          section;   ///< in which the next statement stands
      unsigned int                      depth = 0; ///< of files that include one another
    };
  } // namespace


  void
  read_parameters(ParameterHandler &prm, const std::string &file)
  {
    Reader(prm).read(file);
  }


  void
  set_parameter(ParameterHandler &prm, const std::string &assignment)
  {
    with_entry("--set '" + assignment + "'", [&]() {
      const auto equal = assignment.find('=');
      const auto path  = dealii::Utilities::split_string_list(assignment.substr(0, equal), '/');
      AssertThrow(equal != assignment.npos && !path.empty() && !path.back().empty(),
                  ExcMessage("expected 'Section/Entry=value'."));
      AssertThrow(is_utf8(assignment), ExcMessage("this is not UTF-8 text."));
      Reader reader(prm);
      for (std::size_t i = 0; i + 1 < path.size(); ++i)
        reader.enter(path[i]);
      reader.set(path.back(), trim(assignment.substr(equal + 1)));
    });
  }
} // namespace Saltus
