// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/cuda_runtime.h>

#include <cub/block/block_reduce.cuh>
#include <cuda/base/device/context.cuh>
#include <cuda/base/device/mapped_memory.cuh>
#include <mutex>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 256;

    /// Thread blocks of a reduction, at most: their results are summed by one block.
    constexpr int max_partial = 1024;

    template <typename Body>
    __global__ void
    entry_kernel(const std::size_t n, const Body body)
    {
      const std::size_t i = static_cast<std::size_t>(blockIdx.x) * n_threads + threadIdx.x;
      if (i < n)
        body(i);
    }

    template <typename Body>
    void
    for_entries(const std::size_t n, const Body body)
    {
      if (n == 0)
        return;
      entry_kernel<<<(n + n_threads - 1) / n_threads, n_threads, 0, CudaRuntime::stream()>>>(n,
                                                                                             body);
      CudaRuntime::check_launch("vector arithmetic");
    }

    /// Where reductions put what they find.
    template <typename Number>
    struct Results
    {
      Number       *of_blocks; ///< `[reduction][thread block]`
      unsigned int *n_done;    ///< `[reduction]`: thread blocks that are; zero before and after
      Number       *values;    ///< `[reduction]`
    };

    /// Several reductions side by side: blocks `(c, i)` reduce chunk i of number c, and the last
    /// one of them to end reduces what these found, always in the same order. Blocks of one chunk
    /// are neighbours, so that arrays that several reductions read come from the cache.
    /// `terms(c, k)` is the term of number c at entry k.
    template <typename Number, typename Operation, typename Terms>
    __global__ void
    __launch_bounds__(n_threads) reduce_kernel(const std::size_t     n,
                                               const Operation       operation,
                                               const Terms           terms,
                                               const Results<Number> results)
    {
      using Reduce = cub::BlockReduce<Number, n_threads>;
      __shared__ typename Reduce::TempStorage storage;
      __shared__ bool                         is_last;
      Number                                  value = Operation::template neutral<Number>();
      for (std::size_t k = static_cast<std::size_t>(blockIdx.y) * n_threads + threadIdx.x; k < n;
           k += static_cast<std::size_t>(gridDim.y) * n_threads)
        value = operation(value, terms(blockIdx.x, k));
      value = Reduce(storage).Reduce(value, operation);

      Number *const of_blocks = results.of_blocks + blockIdx.x * max_partial;
      if (threadIdx.x == 0)
        {
          of_blocks[blockIdx.y] = value;
          __threadfence(); // others see it before they see that this one is done
          is_last = atomicInc(results.n_done + blockIdx.x, gridDim.y - 1) == gridDim.y - 1;
        }
      __syncthreads();
      if (!is_last)
        return;
      value = Operation::template neutral<Number>();
      for (unsigned int i = threadIdx.x; i < gridDim.y; i += n_threads)
        value = operation(value, __ldcg(of_blocks + i));
      value = Reduce(storage).Reduce(value, operation);
      if (threadIdx.x == 0)
        results.values[blockIdx.x] = value;
    }

    /// One reduction.
    template <typename Term>
    struct Single
    {
      Term term;

      __device__ auto
      operator()(const int, const std::size_t k) const
      {
        return term(k);
      }
    };

    /// The products of pairs of arrays, as many as fit in the arguments of a kernel.
    template <typename Number>
    struct Dots
    {
      const Number *x[VectorKernels<Number>::max_dots], *y[VectorKernels<Number>::max_dots];

      __device__ Number
      operator()(const int c, const std::size_t k) const
      {
        return x[c][k] * y[c][k];
      }
    };

    template <typename Number>
    struct Set
    {
      Number  value;
      Number *y;

      __device__ void
      operator()(const std::size_t i) const
      {
        y[i] = value;
      }
    };

    template <typename Number>
    struct Shift
    {
      Number  value;
      Number *y;

      __device__ void
      operator()(const std::size_t i) const
      {
        y[i] += value;
      }
    };

    template <typename Number>
    struct Scale
    {
      const Number *x;
      Number       *y;

      __device__ void
      operator()(const std::size_t i) const
      {
        y[i] *= x[i];
      }
    };

    template <typename Number>
    struct Combine
    {
      Number        s, a, b;
      Number       *y;
      const Number *v, *w;

      __device__ void
      operator()(const std::size_t i) const
      {
        y[i] = Entry::combine(i, s, y, a, v, b, w);
      }
    };

    template <typename From, typename To>
    struct Convert
    {
      const From *x;
      To         *y;

      __device__ void
      operator()(const std::size_t i) const
      {
        y[i] = x[i];
      }
    };

    template <typename Number>
    class CudaVectorKernels : public VectorKernels<Number>
    {
      using VectorKernels<Number>::max_dots;

    public:
      CudaVectorKernels()
        : values(max_dots * sizeof(Number))
      {
        results.of_blocks =
          static_cast<Number *>(CudaRuntime::allocate(max_dots * max_partial * sizeof(Number)));
        constexpr std::size_t bytes = max_dots * sizeof(unsigned int);
        results.n_done              = static_cast<unsigned int *>(CudaRuntime::allocate(bytes));
        CudaRuntime::fill_zero(results.n_done, bytes);
        results.values = static_cast<Number *>(values.data());
      }

      void
      set(const std::size_t n, const Number value, Number *y) const override
      {
        for_entries(n, Set<Number>{value, y});
      }

      void
      shift(const std::size_t n, const Number value, Number *y) const override
      {
        for_entries(n, Shift<Number>{value, y});
      }

      void
      scale(const std::size_t n, const Number *x, Number *y) const override
      {
        for_entries(n, Scale<Number>{x, y});
      }

      void
      combine(const std::size_t n,
              const Number      s,
              Number           *y,
              const Number      a,
              const Number     *v,
              const Number      b,
              const Number     *w) const override
      {
        for_entries(n, Combine<Number>{s, a, b, y, v, w});
      }

      void
      convert(const std::size_t n, const double *x, Number *y) const override
      {
        for_entries(n, Convert<double, Number>{x, y});
      }

      void
      convert(const std::size_t n, const float *x, Number *y) const override
      {
        for_entries(n, Convert<float, Number>{x, y});
      }

      Number
      sum(const std::size_t n, const Number *x) const override
      {
        return reduce(n, Entry::Add(), Entry::Multiple<Number>{1, x});
      }

      Number
      sum_of_magnitudes(const std::size_t n, const Number *x) const override
      {
        return reduce(n, Entry::Add(), Entry::Difference<Number>{x, nullptr});
      }

      Number
      dot(const std::size_t n, const Number *x, const Number *y) const override
      {
        return reduce(n, Entry::Add(), Entry::Dot<Number>{x, y});
      }

      void
      dots(const unsigned int   count,
           const std::size_t    n,
           const Number *const *x,
           const Number *const *y,
           Number              *results) const override
      {
        for (unsigned int first = 0; first < count; first += max_dots)
          {
            const unsigned int here = count - first < max_dots ? count - first : max_dots;
            Dots<Number>       pairs{};
            for (unsigned int c = 0; c < here; ++c)
              {
                pairs.x[c] = x[first + c];
                pairs.y[c] = y[first + c];
              }
            reduce(here, n, Entry::Add(), pairs, results + first);
          }
      }

      Number
      add_and_dot(const std::size_t n, const Number a, const Number *v, Number *y, const Number *w)
        const override
      {
        return reduce(n, Entry::Add(), Entry::AddAndDot<Number>{a, v, y, w});
      }

      Number
      max_difference(const std::size_t n, const Number *x, const Number *y) const override
      {
        const auto largest = reduce(n, Entry::Larger(), Entry::Difference<Number>{x, y});
        return Entry::Larger()(largest, Number(0));
      }

      std::pair<Number, Number>
      range(const std::size_t n, const Number *x) const override
      {
        const auto largest_multiple = [&](const Number factor) {
          return reduce(n, Entry::Larger(), Entry::Multiple<Number>{factor, x});
        };
        return {-largest_multiple(-1), largest_multiple(1)};
      }

    private:
      /// @p count reductions, at most max_dots; then wait for them. The results of one thread are
      /// read before those of another are written.
      template <typename Operation, typename Terms>
      void
      reduce(const unsigned int count,
             const std::size_t  n,
             const Operation    operation,
             const Terms        terms,
             Number            *to) const
      {
        const std::size_t  wanted = (n + n_threads - 1) / n_threads;
        const unsigned int width  = wanted < 1 ? 1 : (wanted > max_partial ? max_partial : wanted);
        const std::lock_guard<std::mutex> lock(mutex);
        reduce_kernel<<<dim3(count, width), n_threads, 0, CudaRuntime::stream()>>>(n,
                                                                                   operation,
                                                                                   terms,
                                                                                   results);
        CudaRuntime::check_launch("reduction");
        values.read(to, count * sizeof(Number));
      }

      template <typename Operation, typename Term>
      Number
      reduce(const std::size_t n, const Operation operation, const Term term) const
      {
        Number result;
        reduce(1, n, operation, Single<Term>{term}, &result);
        return result;
      }

      mutable std::mutex        mutex;
      CudaRuntime::MappedMemory values; ///< of the results
      Results<Number>           results;
    };
  } // namespace

  template <typename Number>
  const VectorKernels<Number> &
  cuda_vector_kernels()
  {
    return CudaRuntime::of_current_device<CudaVectorKernels<Number>>();
  }

  template const VectorKernels<double> &
  cuda_vector_kernels();
  template const VectorKernels<float> &
  cuda_vector_kernels();
} // namespace Saltus
