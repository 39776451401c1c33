// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/polytopic/element_families.h>

#include <map>
#include <utility>

namespace Saltus
{
  std::vector<unsigned int>
  ElementFamilies::whole_families() const
  {
    std::vector<unsigned int> n_there(n_parts.size(), 0), result;
    for (const auto &of_element : divisions)
      if (!of_element.empty())
        ++n_there[of_element.back()];
    for (const auto &of_element : divisions)
      result.push_back(of_element.empty() || n_there[of_element.back()] < n_parts[of_element.back()]
                         ? none
                         : of_element.back());
    return result;
  }


  void
  ElementFamilies::adapt(const std::vector<unsigned int> &larger,
                         const std::vector<bool>         &divided,
                         const std::vector<bool>         &merged)
  {
    std::vector<std::vector<unsigned int>> adapted;
    std::map<unsigned int, unsigned int>   made; // by the element that was divided
    for (const unsigned int element : larger)
      {
        adapted.push_back(divisions[element]);
        if (merged[element])
          adapted.back().pop_back();
        if (!divided[element])
          continue;
        const auto [division, is_new] =
          made.insert({element, static_cast<unsigned int>(n_parts.size())});
        if (is_new)
          n_parts.push_back(0);
        ++n_parts[division->second];
        adapted.back().push_back(division->second);
      }
    divisions = std::move(adapted);
  }
} // namespace Saltus
