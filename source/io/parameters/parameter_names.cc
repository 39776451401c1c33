// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/parameters/parameters.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <numeric>

namespace Saltus
{
  using boost::algorithm::to_lower_copy;

  namespace
  {
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
  } // namespace


  std::vector<std::string>
  nearest_names(const std::string &name, const std::vector<std::string> &candidates)
  {
    std::vector<std::pair<unsigned int, std::string>> sorted;
    for (const std::string &candidate : candidates)
      sorted.emplace_back(edit_distance(to_lower_copy(name), to_lower_copy(candidate)), candidate);
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
