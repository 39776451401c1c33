// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/device/environment.h>
#include <saltus/base/device/instruction_set.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace Saltus
{
  namespace
  {
    using namespace dealii;

    /// In ascending order.
    constexpr std::array compiled_levels = {SALTUS_ISA_LEVELS};

    int
    level_of_machine()
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

    int
    largest_usable_level()
    {
      constexpr int smallest = compiled_levels.front();
      const int     machine  = level_of_machine();
      AssertThrow(smallest <= machine,
                  ExcMessage("This processor has the vector instructions of x86-64-v" +
                             std::to_string(machine) +
                             " only, but the CPU kernels were compiled for x86-64-v" +
                             std::to_string(smallest) +
                             ". Build Saltus on this machine, or with "
                             "-DSALTUS_INSTRUCTION_SETS='2;3;4' for all."));
      int wanted = machine;
      if (const auto requested = environment_number("SALTUS_ISA_LEVEL", 1, 4))
        wanted = std::clamp(static_cast<int>(*requested), smallest, machine);
      return *std::prev(std::upper_bound(compiled_levels.begin(), compiled_levels.end(), wanted));
    }
  } // namespace

  int
  instruction_set_level()
  {
    static const int level = largest_usable_level();
    return level;
  }
} // namespace Saltus
