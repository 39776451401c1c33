// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/parallel_sort.h>
#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/base/algebra/radix_pass.h>
#include <saltus/base/algebra/sort_pairs.h>
#include <saltus/base/device/launch.h>

#include <utility>
#include <vector>

namespace Saltus
{
  namespace
  {
    void
    sort_on_host(const std::size_t n, std::uint64_t *keys, int *values)
    {
      // Equal keys stay in their order, as no two places are equal.
      std::vector<std::pair<std::uint64_t, int>> order(n);
      const std::vector<int>                     old(values, values + n);
      for (std::size_t i = 0; i < n; ++i)
        order[i] = {keys[i], i};
      parallel_sort(order);
      for (std::size_t i = 0; i < n; ++i)
        {
          keys[i]   = order[i].first;
          values[i] = old[order[i].second];
        }
    }

    KernelSource
    source_of_counting()
    {
      return {"Saltus::CudaKernels::CountDigitsProgram", {KernelSource::Argument::of<RadixPass>()}};
    }

    KernelSource
    source_of_placing()
    {
      return {"Saltus::CudaKernels::PlacePairsProgram", {KernelSource::Argument::of<RadixPass>()}};
    }

    /// A radix sort, the least significant digits first, by kernels of our own: those of CUB would
    /// need CUDA's compiler where the library is built.
    void
    sort_on_gpu(const Device   device,
                const int      n,
                std::uint64_t *keys,
                int           *values,
                const int      n_bits)
    {
      const GpuKernel &count = kernel_on<source_of_counting>(device.ordinal());
      const GpuKernel &place = kernel_on<source_of_placing>(device.ordinal());
      if (KernelCompiler::assumed())
        return;

      auto      other_keys   = Memory<std::uint64_t>::uninitialized(device, n);
      auto      other_values = Memory<int>::uninitialized(device, n);
      const int n_blocks     = (n + RadixPass::per_block - 1) / RadixPass::per_block;
      auto counts = Memory<int>::uninitialized(device, std::size_t(RadixPass::n_digits) * n_blocks);
      RadixPass pass{n,
                     n_blocks,
                     0,
                     keys,
                     values,
                     other_keys.data(),
                     other_values.data(),
                     counts.data(),
                     nullptr};
      for (; pass.shift < n_bits; pass.shift += 8)
        {
          count.launch(n, {}, pass);
          const Memory<int> starts = prefix_sums<int>(counts);
          pass.starts              = starts.data();
          place.launch(n, {}, pass);
          std::uint64_t *const ordered_keys   = pass.ordered_keys;
          int *const           ordered_values = pass.ordered_values;
          pass.ordered_keys                   = pass.keys == keys ? keys : other_keys.data();
          pass.ordered_values = pass.values == values ? values : other_values.data();
          pass.keys           = ordered_keys;
          pass.values         = ordered_values;
        }
      if (pass.keys != keys)
        {
          CudaRuntime::copy_on_device(keys, pass.keys, n * sizeof(std::uint64_t));
          CudaRuntime::copy_on_device(values, pass.values, n * sizeof(int));
        }
    }
  } // namespace

  void
  sort_pairs(const Device      device,
             const std::size_t n,
             std::uint64_t    *keys,
             int              *values,
             const int         n_bits)
  {
    device.make_current();
    if (n > 0 && device.is_cuda())
      sort_on_gpu(device, counted_as<int>(n), keys, values, n_bits);
    if (n > 0 && (!device.is_cuda() || KernelCompiler::assumed()))
      sort_on_host(n, keys, values);
  }
} // namespace Saltus
