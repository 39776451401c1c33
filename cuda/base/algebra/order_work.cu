// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Sorting and sums on GPUs, by CUB.
#include <saltus/base/algebra/order_work.h>
#include <saltus/base/device/memory.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/base/device/check.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace Saltus
{
  namespace
  {
    /// Call one of CUB's functions first for the room that it needs, then with that.
    template <typename Call>
    void
    with_room(const Call &call)
    {
      std::size_t bytes = 0;
      CudaRuntime::check(call(nullptr, bytes), "CUB");
      void *room = CudaRuntime::allocate(bytes);
      CudaRuntime::check(call(room, bytes), "CUB");
      CudaRuntime::release(room);
    }

    void
    put_in_order(const int n, const SortPairs &work)
    {
      void *const spare_keys    = CudaRuntime::allocate(n * sizeof(std::uint64_t)),
                  *spare_values = CudaRuntime::allocate(n * sizeof(int));
      cub::DoubleBuffer<std::uint64_t> keys(work.keys, static_cast<std::uint64_t *>(spare_keys));
      cub::DoubleBuffer<int>           values(work.values, static_cast<int *>(spare_values));
      with_room([&](void *room, std::size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(
          room, bytes, keys, values, n, 0, work.n_bits, CudaRuntime::stream());
      });
      if (keys.Current() != work.keys)
        CudaRuntime::copy_on_device(work.keys, keys.Current(), n * sizeof(std::uint64_t));
      if (values.Current() != work.values)
        CudaRuntime::copy_on_device(work.values, values.Current(), n * sizeof(int));
      CudaRuntime::release(spare_keys);
      CudaRuntime::release(spare_values);
    }

    /// With one behind the last, which is added to nothing.
    template <typename Sum>
    struct SizeOf
    {
      __host__ __device__ Sum
      operator()(const int i) const
      {
        return i < n ? sizes[i] : 0;
      }

      const int *sizes;
      int        n;
    };

    template <typename Sum>
    void
    put_in_order(const int n, const PrefixSums<Sum> &work)
    {
      const auto sizes = thrust::make_transform_iterator(thrust::make_counting_iterator(0),
                                                         SizeOf<Sum>{work.sizes, n});
      with_room([&](void *room, std::size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(
          room, bytes, sizes, work.starts, n + 1, CudaRuntime::stream());
      });
    }

    struct Cub
    {
      template <typename Work>
      static bool
      run(const int n, const Work &work)
      {
        put_in_order(n, work);
        return true;
      }

      template <typename Work>
      static bool
      enrol()
      {
        WorkRegistry<Work>::cuda = &run<Work>;
        return true;
      }
    };

    [[maybe_unused]] const bool enrolled = OrderWork::enrol<Cub>();
  } // namespace
} // namespace Saltus
