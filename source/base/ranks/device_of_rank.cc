// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/device_of_rank.h>
#include <saltus/base/ranks/ranks.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace Saltus
{
  std::vector<int>
  gpus_of_node(const unsigned int              number,
               const unsigned int              n_gpus,
               const std::function<bool(int)> &is_usable,
               const MPI_Comm                  communicator)
  {
    std::vector<int> gpus(n_gpus);
    std::iota(gpus.begin(), gpus.end(), 0);
    const bool has_own = n_gpus == 0 || is_usable(number % n_gpus);
    if (dealii::Utilities::MPI::min(has_own ? 1 : 0, communicator) == 0)
      gpus.erase(std::remove_if(gpus.begin(), gpus.end(), std::not_fn(is_usable)), gpus.end());
    return gpus;
  }

  Device
  device_of_rank(const std::string &name, const MPI_Comm communicator)
  {
    const NodeRanks    node(communicator);
    const unsigned int n_gpus = CudaRuntime::n_devices();
    if (n_ranks(communicator) == 1 || (name != "cuda" && name != "auto"))
      return Device::from_name(name);
    const auto is_usable = [&](const int ordinal) {
      std::string reason; // of which one rank tells
      return node.number == 0 ? Device::is_usable(ordinal) : CudaRuntime::usable(ordinal, reason);
    };
    const auto gpus = gpus_of_node(node.number, n_gpus, is_usable, communicator);
    if (gpus.empty())
      return Device::from_name(name);
    if (node.number == 0 && node.n > gpus.size())
      say_once(std::to_string(node.n) + " ranks share " + std::to_string(gpus.size()) +
               (gpus.size() == 1 ? " GPU." : " GPUs."));
    return Device::cuda(gpus[node.number % gpus.size()]);
  }
} // namespace Saltus
