// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/say_once.h>
#include <saltus/base/expressions/regular_expression.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/io/parameters/unused_entries.h>

#include <algorithm>

namespace Saltus
{
  using dealii::ExcMessage;

  namespace
  {
    const std::string introduction = " Used with ";


    std::vector<std::string>
    split(const std::string &text, const std::string &separator)
    {
      std::vector<std::string> parts;
      std::size_t              begin = 0;
      for (auto end = text.find(separator); end != text.npos; end = text.find(separator, begin))
        {
          parts.push_back(text.substr(begin, end - begin));
          begin = end + separator.size();
        }
      parts.push_back(text.substr(begin));
      return parts;
    }


    bool
    is_equal(const std::string &a, const std::string &b)
    {
      const auto x = parse_number(a), y = parse_number(b);
      return x && y ? *x == *y : a == b;
    }


    /// The conditions of all entries.
    class Conditions
    {
    public:
      explicit Conditions(const std::vector<ParameterEntry> &entries)
        : entries(entries)
      {}

      /// Empty: the entry is always used.
      static std::string
      of(const ParameterEntry &entry)
      {
        const std::string &text  = entry.documentation;
        const auto         begin = text.rfind(introduction);
        if (begin == text.npos)
          return "";
        const auto first = begin + introduction.size();
        return text.substr(first, text.size() - 1 - first); // without the period
      }

      bool
      hold(const ParameterEntry &entry) const
      {
        const std::string condition = of(entry);
        if (condition.empty())
          return true;
        bool all = true;
        for (const std::string &alternatives : split(condition, ", and with "))
          {
            bool        any = false;
            std::string path;
            for (const std::string &alternative : split(alternatives, " or "))
              {
                const auto match =
                  match_whole(alternative, "(.*?)( = | other than | above | given)(.*)");
                if (!match.empty())
                  path = match[1];
                any = holds(path,
                            match.empty() ? " = " : match[2],
                            match.empty() ? alternative : match[3]) ||
                      any;
              }
            all = all && any;
          }
        return all;
      }

    private:
      bool
      holds(const std::string &path, const std::string &relation, const std::string &operand) const
      {
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const auto &entry) {
          return entry.path == path;
        });
        AssertThrow(entry != entries.end(),
                    ExcMessage("A condition names the unknown entry '" + path + "'."));
        AssertThrow(relation == " given" ||
                      dealii::Patterns::pattern_factory(entry->pattern)->match(operand),
                    ExcMessage("A condition names the value '" + operand + "' of the entry '" +
                               path + "', which does not accept it."));
        const std::string &value = hold(*entry) ? entry->value : entry->default_value;
        if (relation == " given")
          return !value.empty();
        if (relation == " above ")
          return *parse_number(value) > *parse_number(operand);
        return (value == operand) == (relation == " = ");
      }

      const std::vector<ParameterEntry> &entries;
    };
  } // namespace


  std::string
  used_with(const std::string &condition)
  {
    return introduction + condition + '.';
  }


  std::vector<std::string>
  unused_entries(const std::vector<ParameterEntry> &entries)
  {
    const Conditions         conditions(entries);
    std::vector<std::string> result;
    for (const ParameterEntry &entry : entries)
      if (!conditions.hold(entry) && !is_equal(entry.value, entry.default_value))
        result.push_back(entry.path + " = " + entry.value + " (used with " + Conditions::of(entry) +
                         ')');
    return result;
  }


  void
  note_unused_entries(const std::vector<ParameterEntry> &entries)
  {
    std::string list;
    for (const std::string &entry : unused_entries(entries))
      list += (list.empty() ? "" : ", ") + entry;
    if (!list.empty() && this_rank(MPI_COMM_WORLD) == 0)
      say_once("this run does not use " + list + ".");
  }
} // namespace Saltus
