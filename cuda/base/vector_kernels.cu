// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>
#include <saltus/base/vector_kernels.h>

#include <cub/block/block_reduce.cuh>
#include <cuda/base/check.cuh>

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

    /// One result a thread block.
    template <typename Number, typename Operation, typename Term>
    __global__ void
    reduce_kernel(const std::size_t n, const Operation operation, const Term term, Number *results)
    {
      using Reduce = cub::BlockReduce<Number, n_threads>;
      __shared__ typename Reduce::TempStorage storage;
      Number                                  value = 0;
      for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * n_threads + threadIdx.x; i < n;
           i += static_cast<std::size_t>(gridDim.x) * n_threads)
        value = operation(value, term(i));
      value = Reduce(storage).Reduce(value, operation);
      if (threadIdx.x == 0)
        results[blockIdx.x] = value;
    }

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
    class Kernels : public VectorKernels<Number>
    {
    public:
      Kernels()
        : partial(static_cast<Number *>(CudaRuntime::allocate((max_partial + 1) * sizeof(Number))))
      {}

      // The partial results live as long as the program: the CUDA runtime may be gone before
      // static objects are.

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
        return reduce(n, Entry::Add(), Entry::Sum<Number>{x});
      }

      Number
      dot(const std::size_t n, const Number *x, const Number *y) const override
      {
        return reduce(n, Entry::Add(), Entry::Dot<Number>{x, y});
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
        return reduce(n, Entry::Larger(), Entry::Difference<Number>{x, y});
      }

    private:
      template <typename Operation, typename Term>
      Number
      reduce(const std::size_t n, const Operation operation, const Term term) const
      {
        const std::size_t wanted = (n + n_threads - 1) / n_threads;
        const int n_results      = wanted < 1 ? 1 : (wanted > max_partial ? max_partial : wanted);
        reduce_kernel<<<n_results, n_threads, 0, CudaRuntime::stream()>>>(n,
                                                                          operation,
                                                                          term,
                                                                          partial);
        reduce_kernel<<<1, n_threads, 0, CudaRuntime::stream()>>>(static_cast<std::size_t>(
                                                                    n_results),
                                                                  operation,
                                                                  Entry::Sum<Number>{partial},
                                                                  partial + max_partial);
        CudaRuntime::check_launch("reduction");
        Number result;
        CudaRuntime::copy_to_host(&result, partial + max_partial, sizeof(Number));
        return result;
      }

      Number *partial;
    };
  } // namespace

  template <typename Number>
  const VectorKernels<Number> &
  cuda_vector_kernels()
  {
    static const Kernels<Number> kernels;
    return kernels;
  }

  template const VectorKernels<double> &
  cuda_vector_kernels();
  template const VectorKernels<float> &
  cuda_vector_kernels();
} // namespace Saltus
