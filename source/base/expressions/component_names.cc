// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/expressions/component_names.h>

#include <algorithm>

namespace Saltus
{
  std::vector<std::string>
  component_names(const std::vector<std::string> &names)
  {
    std::vector<std::string> result = names;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::count(names.begin(), names.end(), names[i]) > 1)
        {
          const auto first = std::find(names.begin(), names.end(), names[i]);
          result[i] += std::string("_") + "xyz"[names.begin() + i - first];
        }
    return result;
  }
} // namespace Saltus
