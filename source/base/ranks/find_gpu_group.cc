// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/error_message.h>
#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/find_gpu_group.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/nccl_group.h>
#include <saltus/base/ranks/peer_group.h>

#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    const std::string variable = "SALTUS_GPU_MESSAGES";

    /// What the first rank's environment asks for; empty if nothing.
    std::string
    wanted_messages(const MPI_Comm communicator)
    {
      const char *const own    = std::getenv(variable.c_str());
      const std::string wanted = all_gather(communicator, std::string(own ? own : "")).front();
      const std::set<std::string> known = {"", "peers", "nccl", "hosts"};
      AssertThrow(known.count(wanted) == 1,
                  ExcMessage("The environment variable " + variable + " is '" + wanted +
                             "', but must be 'peers', 'nccl' or 'hosts'."));
      return wanted;
    }

    /// Numbers of a communicator's ranks among all that the program was started on.
    std::vector<int>
    world_ranks(const MPI_Comm communicator)
    {
      std::vector<int> ranks(n_ranks(communicator));
      std::iota(ranks.begin(), ranks.end(), 0);
      std::vector<int> result(ranks.size());
      MPI_Group        here, world;
      MPI_Comm_group(communicator, &here);
      MPI_Comm_group(MPI_COMM_WORLD, &world);
      MPI_Group_translate_ranks(here, ranks.size(), ranks.data(), world, result.data());
      MPI_Group_free(&here);
      MPI_Group_free(&world);
      return result;
    }

    /// The first kind that is possible, of all or of what is wanted; none is an error only then.
    /// What makes a kind impossible does so on all ranks.
    std::shared_ptr<GpuGroup>
    new_group(const MPI_Comm communicator, const Device device, const std::string &wanted)
    {
      std::string reason;
      for (const std::string kind : {"peers", "nccl"})
        if (wanted == "" || wanted == kind)
          try
            {
              return kind == "peers" ? peer_group(communicator, device) : nccl_group(communicator);
            }
          catch (const std::exception &exception)
            {
              reason += (reason.empty() ? "" : " ") + error_message(exception);
            }
      AssertThrow(wanted == "",
                  ExcMessage("The environment variable " + variable + " asks for '" + wanted +
                             "', but: " + reason));
      if (this_rank(communicator) == 0)
        say_once("messages between the GPUs go through the hosts: " + reason);
      return nullptr;
    }
  } // namespace

  std::shared_ptr<GpuGroup>
  find_gpu_group(const MPI_Comm communicator, const Device device)
  {
    const std::string wanted = wanted_messages(communicator);
    device.make_current();
    const auto names =
      all_gather(communicator, device.is_cuda() ? CudaRuntime::device_name() : std::string());
    const std::set<std::string> different(names.begin(), names.end());
    const bool                  is_shared = different.size() < names.size();
    if (wanted == "hosts" || (wanted == "" && is_shared) || different.count("") == 1)
      return nullptr;

    // To join a group takes long and holds memory.
    using Key           = std::tuple<std::string, std::vector<int>, std::vector<std::string>>;
    static auto &groups = *new std::map<Key, std::shared_ptr<GpuGroup>>;

    const Key  key{wanted, world_ranks(communicator), names};
    const auto known = groups.find(key);
    if (known != groups.end())
      return known->second;
    const auto group = new_group(communicator, device, wanted);
    groups[key]      = group;
    return group;
  }
} // namespace Saltus
