// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_launch_h
#define saltus_base_device_launch_h

#include <saltus/base/device/device.h>
#include <saltus/base/device/instruction_set.h>
#include <saltus/base/device/threads.h>

#include <type_traits>

/// How host code has work done where the data is: a struct of sizes and bare pointers, which both
/// back ends know how to do for one of `[0, n)`. There are two kinds: `operator()(i)` does it for
/// number i, with one thread; those of blocks of elements are in
/// operators/blocks/element_kernels.h.
namespace Saltus
{
  /// Where the back ends enrol what they have compiled for a type of work.
  template <typename Work>
  struct WorkRegistry
  {
    using Function = void (*)(const int n, const Work &work);

    static inline Function cuda   = nullptr;
    static inline Function cpu[5] = {}; ///< by level of the vector instruction set
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

  /// Do @p work, whose arrays are on @p device, for all of `[0, n)`: elements, or what else it is
  /// about. Work for one number at a time needs no enrolment on the CPU.
  template <typename Work>
  void
  launch(const Device device, const int n, const Work &work)
  {
    if (n == 0)
      return;
    device.make_current();
    if (device.is_cuda())
      WorkRegistry<Work>::cuda(n, work);
    else if constexpr (std::is_invocable<const Work &, int>::value)
      parallel_for(n, [&](const int begin, const int end) {
        for (int i = begin; i < end; ++i)
          work(i);
      });
    else
      WorkRegistry<Work>::cpu[instruction_set_level()](n, work);
  }
} // namespace Saltus

#endif
