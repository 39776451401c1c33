// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/base/device/launch.h>

#include <cstddef>

namespace Saltus
{
  namespace
  {
    template <typename Number, typename Sum>
    KernelSource
    source_of_block_sums()
    {
      return {instance_name("BlockSumsProgram", {type_name<Number>(), type_name<Sum>()}),
              {KernelSource::Argument::of<int>(),
               KernelSource::Argument::of<const Number *>(),
               KernelSource::Argument::of<Sum *>()}};
    }

    template <typename Number, typename Sum>
    KernelSource
    source_of_scan()
    {
      return {instance_name("ScanProgram", {type_name<Number>(), type_name<Sum>()}),
              {KernelSource::Argument::of<int>(),
               KernelSource::Argument::of<const Number *>(),
               KernelSource::Argument::of<const Sum *>(),
               KernelSource::Argument::of<Sum *>()}};
    }

    /// On a GPU: the sums of blocks, their prefix sums by the same function, then those within the
    /// blocks.
    template <typename Number, typename Sum>
    void
    scan(const Device device, const int n, const Number *numbers, Sum *results)
    {
      const GpuKernel &add_blocks = kernel_on<source_of_block_sums<Number, Sum>>(device.ordinal());
      const GpuKernel &scan_block = kernel_on<source_of_scan<Number, Sum>>(device.ordinal());
      const int        n_blocks   = n / scan_block.shape().per_block + 1; // one result more
      Memory<Sum>      starts(device, n_blocks);
      if (n_blocks > 1)
        {
          auto sums = Memory<Sum>::uninitialized(device, n_blocks);
          add_blocks.launch(n + 1, {}, n, numbers, sums.data());
          scan<Sum, Sum>(device, n_blocks - 1, sums.data(), starts.data());
        }
      const Sum *const before = starts.data();
      scan_block.launch(n + 1, {}, n, numbers, before, results);
    }
  } // namespace

  template <typename Sum>
  Memory<Sum>
  prefix_sums(const Memory<int> &counts)
  {
    const Device device = counts.device();
    const auto   n      = counts.size();
    auto         starts = Memory<Sum>::uninitialized(device, n + 1);
    if (device.is_cuda())
      scan(device, counted_as<int>(n), counts.data(), starts.data());
    if (!device.is_cuda() || KernelCompiler::assumed())
      {
        starts.data()[0] = 0;
        for (std::size_t i = 0; i < n; ++i)
          starts.data()[i + 1] = starts.data()[i] + counts.data()[i];
      }
    return starts;
  }

  template Memory<int>
  prefix_sums(const Memory<int> &);
  template Memory<std::size_t>
  prefix_sums(const Memory<int> &);
} // namespace Saltus
