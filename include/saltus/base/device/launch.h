// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_launch_h
#define saltus_base_device_launch_h

#include <saltus/base/device/device.h>
#include <saltus/base/device/instruction_set.h>
#include <saltus/base/device/threads.h>

#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

/// How host code has work done where the data is: a struct of sizes and bare pointers, which both
/// back ends know how to do for one of `[0, n)`. There are two kinds: `operator()(i)` does it for
/// number i, with one thread; those of blocks of elements are in
/// operators/blocks/element_kernels.h.
namespace Saltus
{
  template <typename Work, typename Index>
  Index
  index_of_work(void (Work::*)(Index) const);

  /// The type of the numbers that a work is done for: that of the argument of its operator(), or
  /// int for blocks of elements.
  template <typename Work, typename = void>
  struct WorkIndex
  {
    using type = int;
  };

  template <typename Work>
  struct WorkIndex<Work, std::void_t<decltype(&Work::operator())>>
  {
    using type = decltype(index_of_work(&Work::operator()));
  };

  /// Where the back ends enrol what they have compiled for a type of work.
  template <typename Work>
  struct WorkRegistry
  {
    using Function = void (*)(const typename WorkIndex<Work>::type n, const Work &work);

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
  /// @throws std::length_error if the numbers of the work have too few bits for @p n
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
    device.make_current();
    if (device.is_cuda())
      WorkRegistry<Work>::cuda(static_cast<Index>(n), work);
    else if constexpr (std::is_invocable<const Work &, Index>::value)
      parallel_for(n, [&](const Index begin, const Index end) {
        for (Index i = begin; i < end; ++i)
          work(i);
      });
    else
      WorkRegistry<Work>::cpu[instruction_set_level()](static_cast<Index>(n), work);
  }
} // namespace Saltus

#endif
