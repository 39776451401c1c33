// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_launch_h
#define saltus_base_device_launch_h

#include <saltus/base/device/work_index.h>

#include <cstddef>

// The compiler of device code sees declarations only.
#ifndef __CUDACC_RTC__
#  include <saltus/base/device/device.h>
#  include <saltus/base/device/gpu_kernel.h>
#  include <saltus/base/device/instruction_set.h>
#  include <saltus/base/device/threads.h>

#  include <limits>
#  include <stdexcept>
#  include <string>
#endif

/// How host code has work done where the data is: a struct of sizes and bare pointers, which both
/// back ends know how to do for one of `[0, n)`. There are two kinds: `operator()(i)` does it for
/// number i, with one thread; those of blocks of elements are in
/// operators/blocks/element_kernels.h. GPU code is compiled when a run first needs it.
namespace Saltus
{
  /// Where the back ends enrol what they have compiled for a type of work: faster kernels of GPUs,
  /// and work on blocks of elements.
  template <typename Work>
  struct WorkRegistry
  {
    using Index = typename WorkIndex<Work>::type;

    /// @return whether a faster kernel did the work
    static inline bool (*cuda)(const Index n, const Work &work) = nullptr;
    /// By level of the vector instruction set.
    static inline void (*cpu[5])(const Index n, const Work &work) = {};
  };

  template <typename... Works>
  struct WorkList
  {
    /// Call `BackEnd::template enrol<Work>()` for each of them.
    template <typename BackEnd>
    static bool
    enrol()
    {
      return (BackEnd::template enrol<Works>() && ...);
    }
  };

  class Device;

  /// Do @p work, whose arrays are on @p device, for all of `[0, n)`: elements, or what else it is
  /// about. Work for one number at a time needs no enrolment.
  /// @throws std::length_error if the numbers of the work have too few bits for @p n
  template <typename Work>
  void
  launch(const Device device, const std::size_t n, const Work &work);

#ifndef __CUDACC_RTC__
  /// The kernel that does a work on GPUs.
  template <typename Work>
  KernelSource
  source_of_work()
  {
    using Index                = typename WorkIndex<Work>::type;
    constexpr bool for_numbers = std::is_invocable<const Work &, Index>::value;
    return {instance_name(for_numbers ? "WorkProgram" : "ElementWorkProgram", {type_name<Work>()}),
            {KernelSource::Argument::of<Index>(), KernelSource::Argument::of<Work>()},
            {}};
  }

  /// The same for the current device.
  template <typename Work>
  const GpuKernel &
  kernel_of_work(const int device)
  {
    thread_local GpuKernel kernel;
    thread_local int       of = -1;
    if (of != device)
      kernel = GpuKernel(source_of_work<Work>());
    of = device;
    return kernel;
  }

  /// Work on blocks of elements with few rows takes fewer threads: a row has 32.
  template <typename Work>
  auto
  max_threads(const Work &work, int) -> decltype(work.n_rows())
  {
    return 32 * work.n_rows();
  }

  template <typename Work>
  int
  max_threads(const Work &, long)
  {
    return std::numeric_limits<int>::max();
  }

  template <typename Work>
  void
  launch(const Device device, const std::size_t n, const Work &work)
  {
    using Index = typename WorkIndex<Work>::type;
    if (n == 0)
      return;
    if (n > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      throw std::length_error(
        "One rank has work for " + std::to_string(n) + " numbers, but counts up to " +
        std::to_string(std::numeric_limits<Index>::max()) + " only. Use more ranks.");
    const auto index = static_cast<Index>(n);
    device.make_current();
    if (device.is_cuda())
      {
        if (WorkRegistry<Work>::cuda == nullptr || !WorkRegistry<Work>::cuda(index, work))
          kernel_of_work<Work>(device.ordinal())
            .launch(n, {false, 0, max_threads(work, 0)}, index, work);
      }
    else if constexpr (std::is_invocable<const Work &, Index>::value)
      parallel_for(n, [&](const Index begin, const Index end) {
        for (Index i = begin; i < end; ++i)
          work(i);
      });
    else
      WorkRegistry<Work>::cpu[instruction_set_level()](index, work);
  }
#endif
} // namespace Saltus

#endif
