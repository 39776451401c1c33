// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>

#include <saltus/io/parameters.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <numeric>
#include <regex>
#include <sstream>

namespace Saltus
{
  using dealii::ExcMessage;
  using dealii::ParameterHandler;

  namespace
  {
    std::string
    lower_case(std::string text)
    {
      std::transform(text.begin(), text.end(), text.begin(), [](const unsigned char c) {
        return std::tolower(c);
      });
      return text;
    }


    /// Levenshtein's distance: the fewest letters to insert, delete or replace.
    unsigned int
    edit_distance(const std::string &a, const std::string &b)
    {
      std::vector<unsigned int> row(b.size() + 1);
      std::iota(row.begin(), row.end(), 0);
      for (std::size_t i = 0; i < a.size(); ++i)
        {
          unsigned int diagonal = row[0]++;
          for (std::size_t j = 0; j < b.size(); ++j)
            {
              const unsigned int replaced = diagonal + (a[i] == b[j] ? 0 : 1);
              diagonal                    = row[j + 1];
              row[j + 1]                  = std::min({replaced, row[j] + 1, row[j + 1] + 1});
            }
        }
      return row.back();
    }


    std::string
    quoted_list(const std::vector<std::string> &names, const std::string &separator)
    {
      std::string text;
      for (const std::string &name : names)
        text += (text.empty() ? "'" : separator + "'") + name + "'";
      return text;
    }


    /// `A/B/` of `A/B/Entry`.
    std::string
    section_of(const std::string &path)
    {
      return path.substr(0, path.rfind('/') + 1);
    }


    /// What the line starts with, in the syntax of parameter files: `subsection A`, `end`, `set E =
    /// v`.
    std::string
    statement(const std::string &line)
    {
      return dealii::Utilities::trim(line.substr(0, line.find('#')));
    }


    bool
    continues(const std::string &line)
    {
      const std::string text = statement(line);
      return !text.empty() && text.back() == '\\';
    }


    /// A place in the text of a parameter file.
    struct Place
    {
      unsigned int line;    ///< on which the statement begins, counted from 1
      std::string  section; ///< `A/B/`
    };

    /// @param line on which the statement ends
    Place
    find_place(const std::string &text, const unsigned int line)
    {
      std::istringstream       stream(text);
      std::vector<std::string> sections;
      Place                    place{line, ""};
      bool                     continued = false;
      std::string              current;
      for (unsigned int n = 1; n <= line && std::getline(stream, current); ++n)
        {
          if (!continued)
            place.line = n;
          continued = continues(current);
          if (n == line)
            break;
          const std::string text  = statement(current);
          const std::string start = lower_case(text.substr(0, 10));
          if (start == "subsection")
            sections.push_back(dealii::Utilities::trim(text.substr(10)));
          else if (start == "end" && !sections.empty())
            sections.pop_back();
        }
      for (const std::string &section : sections)
        place.section += section + '/';
      return place;
    }


    /// What deal.II says, on one line.
    std::string
    original_message(const dealii::ExceptionBase &exception)
    {
      std::ostringstream stream;
      exception.print_info(stream);
      const std::string text = std::regex_replace(stream.str(), std::regex("\\s+"), " ");
      return dealii::Utilities::trim(text);
    }


    std::string
    unknown_entry(const ParameterHandler &prm, const std::string &section, const std::string &entry)
    {
      std::vector<std::string> here, elsewhere;
      for (const std::string &path : declared_entries(prm))
        if (section_of(path) == section)
          here.push_back(path.substr(section.size()));
        else if (lower_case(path.substr(section_of(path).size())) == lower_case(entry))
          elsewhere.push_back(path);

      const std::string place =
        section.empty() ? "" : " in the subsection '" + section.substr(0, section.size() - 1) + "'";
      return "there is no entry '" + entry + "'" + place + ". " +
             (elsewhere.empty() || !nearest_names(entry, here).empty()
                ? suggestion(entry, here)
                : "Did you mean " + quoted_list(elsewhere, " or ") + "?");
    }


    std::string
    unknown_subsection(const ParameterHandler &prm,
                       const std::string      &section,
                       const std::string      &subsection)
    {
      std::vector<std::string> here;
      for (const std::string &path : declared_entries(prm))
        if (path.compare(0, section.size(), section) == 0)
          {
            const std::string rest = path.substr(section.size());
            const auto        end  = rest.find('/');
            if (end != std::string::npos && (here.empty() || here.back() != rest.substr(0, end)))
              here.push_back(rest.substr(0, end));
          }
      const std::string place =
        section.empty() ? "" : " in the subsection '" + section.substr(0, section.size() - 1) + "'";
      return "there is no subsection '" + subsection + "'" + place + ". " +
             suggestion(subsection, here);
    }


    std::string
    bad_value(const std::string &section,
              const std::string &entry,
              const std::string &value,
              const std::string &pattern)
    {
      std::string accepted = dealii::Patterns::pattern_factory(pattern)->description(
        dealii::Patterns::PatternBase::Text);
      accepted[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(accepted[0])));
      return "the value '" + value + "' of the entry '" + section + entry +
             "' is not accepted. Accepted is: " + accepted + ".";
    }


    /// Read @p text; its line numbers are those of file @p name, or are not shown if it is no file.
    void
    read_text(ParameterHandler  &prm,
              const std::string &text,
              const std::string &name,
              const bool         show_lines)
    {
      std::string message;
      try
        {
          std::istringstream stream(text);
          prm.parse_input(stream, name);
          return;
        }
      catch (const dealii::ExceptionBase &exception)
        {
          message = original_message(exception);
        }

      // deal.II's exceptions keep what they know in their text only. Where a version words it in
      // another way its message is shown as it is.
      std::smatch match;
      if (std::regex_search(message, match, std::regex("Line <(\\d+)> of file <([^>:]*)")))
        {
          const std::string file = match[2];
          Place             place{static_cast<unsigned int>(std::stoul(match[1])), ""};
          if (file == name)
            place = find_place(text, place.line);
          const std::string where =
            show_lines || file != name ? file + ":" + std::to_string(place.line) : file;

          const std::string known = message;
          if (std::regex_search(known, match, std::regex("No entry with name <(.*)> was declared")))
            message = unknown_entry(prm, place.section, match[1]);
          else if (std::regex_search(known,
                                     match,
                                     std::regex("no such subsection to be entered: (.*)$")))
            {
              // deal.II names it with the path `A.B.` of the sections around it.
              const std::string path = match[1];
              message =
                unknown_subsection(prm,
                                   place.section,
                                   path.substr(std::min(place.section.size(), path.size())));
            }
          else if (std::regex_search(known,
                                     match,
                                     std::regex(
                                       "The entry value (.*) ?for the entry named (.*) does "
                                       "not match the given pattern: (.*)$")))
            message =
              bad_value(place.section, match[2], dealii::Utilities::trim(match[1]), match[3]);
          else
            message = std::regex_replace(known, std::regex("^Line <\\d+> of file <[^>:]*>?: "), "");
          message = where + ": " + message;
        }
      else
        message = name + ": " + message;
      AssertThrow(false, ExcMessage(message));
    }


    /// deal.II's internal names: letters other than a-z, A-Z, 0-9 are `_` and two hexadecimal
    /// digits.
    std::string
    demangle(const std::string &name)
    {
      std::string text;
      for (std::size_t i = 0; i < name.size(); ++i)
        if (name[i] == '_')
          {
            text += static_cast<char>(std::stoi(name.substr(i + 1, 2), nullptr, 16));
            i += 2;
          }
        else
          text += name[i] == '.' ? '/' : name[i];
      return text;
    }
  } // namespace


  void
  read_parameters(ParameterHandler &prm, const std::string &file)
  {
    std::ifstream stream(file);
    AssertThrow(stream && stream.peek() != std::ifstream::traits_type::eof(),
                ExcMessage("The parameter file '" + file + "' cannot be read or is empty."));
    std::ostringstream text;
    text << stream.rdbuf();
    read_text(prm, text.str(), file, true);
  }


  void
  set_parameter(ParameterHandler &prm, const std::string &assignment)
  {
    const std::string name  = "--set '" + assignment + "'";
    const auto        equal = assignment.find('=');
    AssertThrow(equal != std::string::npos && equal > 0,
                ExcMessage(name + ": expected 'Section/Entry=value'."));

    std::vector<std::string> path =
      dealii::Utilities::split_string_list(assignment.substr(0, equal), '/');
    AssertThrow(!path.empty() && !path.back().empty(),
                ExcMessage(name + ": expected 'Section/Entry=value'."));
    std::string text;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      text += "subsection " + path[i] + "\n";
    text += "set " + path.back() + " = " + assignment.substr(equal + 1) + "\n";
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
      text += "end\n";
    read_text(prm, text, name, false);
  }


  std::vector<std::string>
  declared_entries(const ParameterHandler &prm)
  {
    std::stringstream stream;
    prm.print_parameters(stream,
                         ParameterHandler::ShortPRM | ParameterHandler::KeepDeclarationOrder);
    std::vector<std::string> entries, sections;
    std::string              line;
    while (std::getline(stream, line))
      {
        const std::string text = statement(line);
        if (text.compare(0, 11, "subsection ") == 0)
          sections.push_back(text.substr(11));
        else if (text == "end")
          sections.pop_back();
        else if (text.compare(0, 4, "set ") == 0)
          {
            std::string path;
            for (const std::string &section : sections)
              path += section + '/';
            entries.push_back(path + dealii::Utilities::trim(text.substr(4, text.find('=') - 4)));
          }
      }
    return entries;
  }


  void
  check_required_entries(const ParameterHandler &prm, const std::set<std::string> &required)
  {
    const std::set<std::string> not_set = prm.get_entries_wrongly_not_set();
    std::vector<std::string>    missing;
    for (const std::string &name : required)
      {
        const std::string        path    = demangle(name);
        std::vector<std::string> section = dealii::Utilities::split_string_list(path, '/');
        const std::string        entry   = section.back();
        section.pop_back();
        if (not_set.count(name) > 0 || prm.get(section, entry).empty())
          missing.push_back(path);
      }
    AssertThrow(missing.empty(),
                ExcMessage("These entries must be given a value in the parameter file: " +
                           quoted_list(missing, ", ") + "."));
  }


  std::vector<std::string>
  nearest_names(const std::string &name, const std::vector<std::string> &candidates)
  {
    std::vector<std::pair<unsigned int, std::string>> sorted;
    for (const std::string &candidate : candidates)
      sorted.emplace_back(edit_distance(lower_case(name), lower_case(candidate)), candidate);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
      return a.first < b.first;
    });

    std::vector<std::string> nearest;
    for (const auto &[distance, candidate] : sorted)
      if (distance <= 1 + name.size() / 3 && distance == sorted[0].first && nearest.size() < 3)
        nearest.push_back(candidate);
    return nearest;
  }


  std::string
  suggestion(const std::string &name, const std::vector<std::string> &candidates)
  {
    const std::vector<std::string> nearest = nearest_names(name, candidates);
    if (!nearest.empty())
      return "Did you mean " + quoted_list(nearest, " or ") + "?";
    if (candidates.empty())
      return "None is known there.";
    return "Known there: " + quoted_list(candidates, ", ") + ".";
  }
} // namespace Saltus
