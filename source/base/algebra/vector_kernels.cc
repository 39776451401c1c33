// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/entry_work.h>
#include <saltus/base/algebra/reduction.h>
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/launch.h>
#include <saltus/base/device/mapped_memory.h>
#include <saltus/base/device/memory.h>
#include <saltus/base/device/per_device.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace Saltus
{
  namespace
  {
    /// The terms of the entries [begin, end) of reduction @p c on the host.
    template <typename Number, typename Operation, typename Terms>
    Number
    reduce_chunk(const unsigned int c,
                 const std::size_t  begin,
                 const std::size_t  end,
                 const Operation    operation,
                 const Terms        terms)
    {
      // Several accumulators, so that the additions do not wait for each other.
      constexpr std::size_t width = 8;
      Number                values[width];
      std::fill_n(values, width, Operation::template neutral<Number>());
      std::size_t k = begin;
      for (; k + width <= end; k += width)
        for (std::size_t lane = 0; lane < width; ++lane)
          values[lane] = operation(values[lane], terms(c, k + lane));
      for (; k < end; ++k)
        values[0] = operation(values[0], terms(c, k));
      for (std::size_t lane = 1; lane < width; ++lane)
        values[0] = operation(values[0], values[lane]);
      return values[0];
    }

    /// @p count reductions in one pass on the host.
    template <typename Number, typename Operation, typename Terms>
    void
    reduce_on_host(const unsigned int count,
                   const std::size_t  n,
                   const Operation    operation,
                   const Terms       &terms,
                   Number            *results)
    {
      constexpr std::size_t chunk = 8192; // entries of one thread at a time
      std::vector<Number>   partial((n + chunk - 1) / chunk * count); // [chunk][reduction]
      parallel_for(partial.size() / count, [&](const std::size_t first, const std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
          for (unsigned int c = 0; c < count; ++c)
            partial[i * count + c] =
              reduce_chunk<Number>(c, i * chunk, std::min(n, (i + 1) * chunk), operation, terms);
      });
      std::fill_n(results, count, Operation::template neutral<Number>());
      for (std::size_t i = 0; i < partial.size(); ++i)
        results[i % count] = operation(results[i % count], partial[i]);
    }

    template <typename Number, typename Operation, typename Terms>
    KernelSource
    source_of_reduction()
    {
      return {instance_name("ReduceProgram",
                            {type_name<Number>(), type_name<Operation>(), type_name<Terms>()}),
              {KernelSource::Argument::of<std::size_t>(),
               KernelSource::Argument::of<Operation>(),
               KernelSource::Argument::of<Terms>(),
               KernelSource::Argument::of<ReductionResults<Number>>()}};
    }

    /// The reductions of a GPU.
    template <typename Number>
    class GpuReductions
    {
      static constexpr unsigned int most = Reduction::Dots<Number>::most;

      /// Thread blocks of a reduction, at most: one block sums their results.
      static constexpr int max_blocks = 1024;

    public:
      GpuReductions()
        : device(Device::cuda(CudaRuntime::current_device()))
        , of_blocks(device, most * max_blocks)
        , n_done(device, most)
        , values(most * sizeof(Number))
      {}

      /// @p count reductions, at most Dots::most; then wait for them. The results of one thread are
      /// read before the results of another are written.
      template <typename Operation, typename Terms>
      void
      reduce(const unsigned int count,
             const std::size_t  n,
             const Operation    operation,
             const Terms       &terms,
             Number            *to)
      {
        const GpuKernel &kernel =
          kernel_on<source_of_reduction<Number, Operation, Terms>>(device.ordinal());
        const std::size_t                 n_threads = kernel.shape().n_threads;
        const std::lock_guard<std::mutex> lock(mutex);
        GpuKernel::Options                options;
        options.n_rows = std::clamp<std::size_t>((n + n_threads - 1) / n_threads, 1, max_blocks);
        const ReductionResults<Number> results{of_blocks.data(),
                                               max_blocks,
                                               n_done.data(),
                                               static_cast<Number *>(values.data())};
        kernel.launch(count, options, n, operation, terms, results);
        values.read(to, count * sizeof(Number));
      }

    private:
      const Device              device;
      Memory<Number>            of_blocks;
      Memory<unsigned int>      n_done;
      CudaRuntime::MappedMemory values; ///< of the results
      std::mutex                mutex;
    };

    template <typename Number, typename Operation, typename Terms>
    void
    reduce_on(const Device       device,
              const unsigned int count,
              const std::size_t  n,
              const Operation    operation,
              const Terms       &terms,
              Number            *results)
    {
      device.make_current();
      if (device.is_cuda())
        CudaRuntime::of_device<GpuReductions<Number>>(device.ordinal())
          .reduce(count, n, operation, terms, results);
      if (!device.is_cuda() || KernelCompiler::assumed())
        reduce_on_host(count, n, operation, terms, results);
    }
  } // namespace

  template <typename Number>
  template <typename Operation, typename Terms>
  Number
  VectorKernels<Number>::reduce(const std::size_t n,
                                const Operation   operation,
                                const Terms       terms) const
  {
    Number result;
    reduce_on(device, 1, n, operation, terms, &result);
    return result;
  }

  template <typename Number>
  void
  VectorKernels<Number>::set(const std::size_t n, const Number value, Number *y) const
  {
    launch(device, n, SetEntries<Number>{value, y});
  }

  template <typename Number>
  void
  VectorKernels<Number>::shift(const std::size_t n, const Number value, Number *y) const
  {
    launch(device, n, ShiftEntries<Number>{value, y});
  }

  template <typename Number>
  void
  VectorKernels<Number>::scale(const std::size_t n, const Number *x, Number *y) const
  {
    launch(device, n, ScaleEntries<Number>{x, y});
  }

  template <typename Number>
  void
  VectorKernels<Number>::combine(const std::size_t n,
                                 const Number      s,
                                 Number           *y,
                                 const Number      a,
                                 const Number     *v,
                                 const Number      b,
                                 const Number     *w) const
  {
    launch(device, n, CombineEntries<Number>{s, a, b, y, v, w});
  }

  template <typename Number>
  template <typename From>
  void
  VectorKernels<Number>::convert(const std::size_t n, const From *x, Number *y) const
  {
    launch(device, n, ConvertEntries<From, Number>{x, y});
  }

  template <typename Number>
  Number
  VectorKernels<Number>::sum(const std::size_t n, const Number *x) const
  {
    return reduce(n, Reduction::Add(), Reduction::Multiple<Number>{1, x});
  }

  template <typename Number>
  Number
  VectorKernels<Number>::sum_of_magnitudes(const std::size_t n, const Number *x) const
  {
    return reduce(n, Reduction::Add(), Reduction::Difference<Number>{x, nullptr});
  }

  template <typename Number>
  Number
  VectorKernels<Number>::dot(const std::size_t n, const Number *x, const Number *y) const
  {
    return reduce(n, Reduction::Add(), Reduction::Dot<Number>{x, y});
  }

  template <typename Number>
  void
  VectorKernels<Number>::dots(const unsigned int   count,
                              const std::size_t    n,
                              const Number *const *x,
                              const Number *const *y,
                              Number              *results) const
  {
    using Pairs = Reduction::Dots<Number>;
    for (unsigned int first = 0; first < count; first += Pairs::most)
      {
        const unsigned int here = std::min(count - first, Pairs::most);
        Pairs              pairs{};
        std::copy_n(x + first, here, pairs.x);
        std::copy_n(y + first, here, pairs.y);
        reduce_on(device, here, n, Reduction::Add(), pairs, results + first);
      }
  }

  template <typename Number>
  Number
  VectorKernels<Number>::add_and_dot(const std::size_t n,
                                     const Number      a,
                                     const Number     *v,
                                     Number           *y,
                                     const Number     *w) const
  {
    return reduce(n, Reduction::Add(), Reduction::AddAndDot<Number>{a, v, y, w});
  }

  template <typename Number>
  Number
  VectorKernels<Number>::max_difference(const std::size_t n, const Number *x, const Number *y) const
  {
    const Number largest = reduce(n, Reduction::Larger(), Reduction::Difference<Number>{x, y});
    return Reduction::Larger()(largest, Number(0));
  }

  template <typename Number>
  std::pair<Number, Number>
  VectorKernels<Number>::range(const std::size_t n, const Number *x) const
  {
    const auto largest_multiple = [&](const Number factor) {
      return reduce(n, Reduction::Larger(), Reduction::Multiple<Number>{factor, x});
    };
    return {-largest_multiple(-1), largest_multiple(1)};
  }

#define SALTUS_VECTOR_KERNELS(Number)                                                              \
  template class VectorKernels<Number>;                                                            \
  template void VectorKernels<Number>::convert(const std::size_t, const double *, Number *) const; \
  template void VectorKernels<Number>::convert(const std::size_t, const float *, Number *) const;

  SALTUS_VECTOR_KERNELS(double)
  SALTUS_VECTOR_KERNELS(float)
#undef SALTUS_VECTOR_KERNELS
} // namespace Saltus
