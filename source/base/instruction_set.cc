// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/instruction_set.h>

#include <algorithm>
#include <cstdlib>

namespace Saltus
{
  namespace
  {
    int
    detected_level()
    {
#if defined(__x86_64__)
      if (__builtin_cpu_supports("x86-64-v4"))
        return 4;
      if (__builtin_cpu_supports("x86-64-v3"))
        return 3;
      return 2;
#else
      return 1;
#endif
    }
  } // namespace

  int
  instruction_set_level()
  {
    static const int level = [] {
      const int   detected  = detected_level();
      const char *requested = std::getenv("SALTUS_ISA_LEVEL");
      return requested == nullptr || detected == 1 ? detected
                                                   : std::clamp(std::atoi(requested), 2, detected);
    }();
    return level;
  }
} // namespace Saltus
