// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/multithread_info.h>

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/device.h>
#include <saltus/base/device/instruction_set.h>
#include <saltus/base/device/say_once.h>

namespace Saltus
{
  using namespace dealii;

  Device
  Device::cpu()
  {
    return Device(-1);
  }

  Device
  Device::cuda(const int ordinal)
  {
    std::string reason;
    AssertThrow(CudaRuntime::usable(ordinal, reason),
                ExcMessage("CUDA device " + std::to_string(ordinal) + " cannot be used: " + reason +
                           ". Use the device 'cpu' or 'auto'."));
    CudaRuntime::select(ordinal);
    return Device(ordinal);
  }

  bool
  Device::is_usable(const int ordinal)
  {
    std::string reason;
    const bool  result = CudaRuntime::usable(ordinal, reason);
    if (!result)
      say_once("CUDA device " + std::to_string(ordinal) + " is not used: " + reason + ".");
    return result;
  }

  Device
  Device::automatic()
  {
    for (int ordinal = 0; ordinal < CudaRuntime::n_devices(); ++ordinal)
      if (is_usable(ordinal))
        return cuda(ordinal);
    return cpu();
  }

  Device
  Device::from_name(const std::string &name)
  {
    if (name == "cpu")
      return cpu();
    if (name == "auto")
      return automatic();
    if (name == "cuda")
      return cuda();
    const std::string ordinal = name.substr(0, 5) == "cuda:" ? name.substr(5) : "";
    AssertThrow(!ordinal.empty() && ordinal.size() < 5 &&
                  ordinal.find_first_not_of("0123456789") == ordinal.npos,
                ExcMessage("There is no device '" + name +
                           "'. Known are cpu, cuda, cuda:N (the GPU number N) and auto."));
    return cuda(std::stoi(ordinal));
  }

  std::string
  Device::name() const
  {
    return is_cuda() ? "cuda:" + std::to_string(cuda_ordinal) : "cpu";
  }

  void
  Device::make_current() const
  {
    if (is_cuda())
      CudaRuntime::select(cuda_ordinal);
  }

  std::string
  Device::description() const
  {
    if (is_cuda())
      return CudaRuntime::description(cuda_ordinal);
    const int         level = instruction_set_level();
    const std::string isa   = level > 1 ? ", x86-64-v" + std::to_string(level) : "";
    return "CPU" + isa + ", " + std::to_string(MultithreadInfo::n_threads()) + " threads";
  }
} // namespace Saltus
