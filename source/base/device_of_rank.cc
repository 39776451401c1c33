// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>
#include <saltus/base/device_of_rank.h>
#include <saltus/base/ranks.h>
#include <saltus/base/say_once.h>

namespace Saltus
{
  Device
  device_of_rank(const std::string &name, const MPI_Comm communicator)
  {
    const NodeRanks    node(communicator);
    const unsigned int n_gpus = CudaRuntime::n_devices();
    if (node.n == 1 || n_gpus == 0 || (name != "cuda" && name != "auto"))
      return Device::from_name(name);
    if (node.number == 0 && node.n > n_gpus)
      say_once(std::to_string(node.n) + " ranks share " + std::to_string(n_gpus) +
               (n_gpus == 1 ? " GPU." : " GPUs."));
    return Device::cuda(node.number % n_gpus);
  }
} // namespace Saltus
