// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/instruction_set.h>

#include <algorithm>
#include <cstdlib>

namespace Saltus
{
  namespace
  {
    /// The largest level that this machine has and that kernels were compiled for.
    int
    largest_level()
    {
#if defined(__x86_64__)
      if (SALTUS_INSTRUCTION_SET >= 4 && __builtin_cpu_supports("x86-64-v4"))
        return 4;
      if (SALTUS_INSTRUCTION_SET >= 3 && __builtin_cpu_supports("x86-64-v3"))
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
      const int   largest   = largest_level();
      const char *requested = std::getenv("SALTUS_ISA_LEVEL");
      return requested == nullptr || largest == 1 ? largest
                                                  : std::clamp(std::atoi(requested), 2, largest);
    }();
    return level;
  }
} // namespace Saltus
