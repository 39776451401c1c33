// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/environment.h>
#include <saltus/base/device/out_of_memory.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <sys/resource.h>

namespace Saltus
{
  namespace
  {
    constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    std::size_t
    difference(const std::size_t limit, const std::size_t used)
    {
      return limit == unlimited ? unlimited : limit - std::min(limit, used);
    }

    /// Values of the lines `name value` or `name: value kB` in a file of the system.
    std::map<std::string, std::size_t>
    numbers_in(const std::string &file)
    {
      std::map<std::string, std::size_t> result;
      std::ifstream                      stream(file);
      std::string                        line;
      while (std::getline(stream, line))
        {
          std::istringstream words(line);
          std::string        name, unit;
          std::size_t        value = 0;
          if (words >> name >> value)
            result[name] = words >> unit && unit == "kB" ? 1024 * value : value;
        }
      return result;
    }

    /// The number that is all of a file of the system; @p otherwise if there is none.
    std::size_t
    number_in(const std::string &file, const std::size_t otherwise)
    {
      std::ifstream stream(file);
      std::size_t   value = 0;
      return stream >> value ? value : otherwise;
    }

    /// Bytes that the control groups (version 2) of the process leave to it. The cache of files
    /// does not count, as the system gives it up.
    std::size_t
    left_in_control_groups()
    {
      std::size_t   result = unlimited;
      std::ifstream groups("/proc/self/cgroup");
      std::string   group;
      while (std::getline(groups, group))
        if (group.compare(0, 3, "0::") == 0)
          for (std::string path = group.substr(3); !path.empty();
               path.erase(std::min(path.find_last_of('/'), path.size())))
            {
              const std::string directory = "/sys/fs/cgroup" + path;
              const std::size_t cache     = numbers_in(directory + "/memory.stat")["inactive_file"];
              result                      = std::min(result,
                                difference(number_in(directory + "/memory.max", unlimited),
                                           difference(number_in(directory + "/memory.current", 0),
                                                      cache)));
            }
      return result;
    }

    std::size_t
    memory_limit()
    {
      const auto gibibytes = environment_number("SALTUS_MEMORY_LIMIT", 0., 1e9);
      return gibibytes ? static_cast<std::size_t>(*gibibytes * (1 << 30)) : unlimited;
    }
  } // namespace

  std::size_t
  available_host_memory()
  {
    auto              system = numbers_in("/proc/meminfo"), own = numbers_in("/proc/self/status");
    const std::size_t free =
      system.count("MemAvailable:") > 0 ? system["MemAvailable:"] + system["SwapFree:"] : unlimited;
    struct rlimit addresses = {};
    getrlimit(RLIMIT_AS, &addresses);
    return std::min(
      {free,
       left_in_control_groups(),
       difference(addresses.rlim_cur == RLIM_INFINITY ? unlimited : addresses.rlim_cur,
                  own["VmSize:"]),
       memory_limit()});
  }

  std::size_t
  available_memory(const Device device)
  {
    device.make_current();
    return device.is_cuda() ? std::min(memory_limit(), CudaRuntime::available_memory())
                            : available_host_memory();
  }

  std::size_t
  host_memory_in_use()
  {
    return numbers_in("/proc/self/status")["VmRSS:"];
  }
} // namespace Saltus
