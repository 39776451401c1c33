// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/out_of_memory.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>

namespace Saltus
{
  namespace
  {
    std::size_t
    memory_limit()
    {
      const char *text = std::getenv("SALTUS_MEMORY_LIMIT");
      if (text == nullptr)
        return std::numeric_limits<std::size_t>::max();
      char        *end;
      const double gibibytes = std::strtod(text, &end);
      AssertThrow(end != text && *end == '\0' && gibibytes >= 0. && gibibytes < 1e9,
                  dealii::ExcMessage("The environment variable SALTUS_MEMORY_LIMIT = '" +
                                     std::string(text) +
                                     "' is not a number of GiB from 0 to 1e9."));
      return gibibytes * (1 << 30);
    }
  } // namespace

  std::size_t
  available_memory(const Device device)
  {
    device.make_current();
    return std::min(memory_limit(),
                    device.is_cuda() ? CudaRuntime::available_memory() : available_host_memory());
  }

  std::size_t
  host_memory_in_use()
  {
    dealii::Utilities::System::MemoryStats stats = {};
    dealii::Utilities::System::get_memory_stats(stats);
    return std::size_t(1024) * stats.VmRSS;
  }
} // namespace Saltus
