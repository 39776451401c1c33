// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/threads.h>
#include <saltus/base/vector_kernels.h>

#include <algorithm>
#include <vector>

namespace Saltus
{
  namespace
  {
    /// Entries that one thread works on at a time; the terms of sums are grouped by it.
    constexpr std::size_t chunk = 8192;

    template <typename Body>
    void
    for_chunks(const std::size_t n, const Body &body)
    {
      parallel_for((n + chunk - 1) / chunk, [&](const int first, const int last) {
        for (std::size_t i = first; i < static_cast<std::size_t>(last); ++i)
          body(i, i * chunk, std::min(n, (i + 1) * chunk));
      });
    }

    template <typename Body>
    void
    for_entries(const std::size_t n, const Body &body)
    {
      for_chunks(n, [&](const std::size_t, const std::size_t begin, const std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          body(i);
      });
    }

    template <typename Number, typename Operation, typename Term>
    Number
    reduce(const std::size_t n, const Operation operation, const Term term)
    {
      std::vector<Number> partial((n + chunk - 1) / chunk);
      for_chunks(n, [&](const std::size_t i, const std::size_t begin, const std::size_t end) {
        // Several accumulators, so that the additions do not wait for each other.
        constexpr std::size_t width = 8;
        Number                values[width]{};
        std::size_t           k = begin;
        for (; k + width <= end; k += width)
          for (std::size_t lane = 0; lane < width; ++lane)
            values[lane] = operation(values[lane], term(k + lane));
        for (; k < end; ++k)
          values[0] = operation(values[0], term(k));
        for (std::size_t lane = 1; lane < width; ++lane)
          values[0] = operation(values[0], values[lane]);
        partial[i] = values[0];
      });
      Number result = 0;
      for (const Number value : partial)
        result = operation(result, value);
      return result;
    }

    template <typename Number>
    class HostKernels : public VectorKernels<Number>
    {
    public:
      void
      set(const std::size_t n, const Number value, Number *y) const override
      {
        for_entries(n, [=](const std::size_t i) { y[i] = value; });
      }

      void
      shift(const std::size_t n, const Number value, Number *y) const override
      {
        for_entries(n, [=](const std::size_t i) { y[i] += value; });
      }

      void
      scale(const std::size_t n, const Number *x, Number *y) const override
      {
        for_entries(n, [=](const std::size_t i) { y[i] *= x[i]; });
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
        for_entries(n, [=](const std::size_t i) { y[i] = Entry::combine(i, s, y, a, v, b, w); });
      }

      void
      convert(const std::size_t n, const double *x, Number *y) const override
      {
        for_entries(n, [=](const std::size_t i) { y[i] = x[i]; });
      }

      void
      convert(const std::size_t n, const float *x, Number *y) const override
      {
        for_entries(n, [=](const std::size_t i) { y[i] = x[i]; });
      }

      Number
      sum(const std::size_t n, const Number *x) const override
      {
        return reduce<Number>(n, Entry::Add(), Entry::Sum<Number>{x});
      }

      Number
      dot(const std::size_t n, const Number *x, const Number *y) const override
      {
        return reduce<Number>(n, Entry::Add(), Entry::Dot<Number>{x, y});
      }

      Number
      add_and_dot(const std::size_t n, const Number a, const Number *v, Number *y, const Number *w)
        const override
      {
        return reduce<Number>(n, Entry::Add(), Entry::AddAndDot<Number>{a, v, y, w});
      }

      Number
      max_difference(const std::size_t n, const Number *x, const Number *y) const override
      {
        return reduce<Number>(n, Entry::Larger(), Entry::Difference<Number>{x, y});
      }
    };
  } // namespace

  template <typename Number>
  const VectorKernels<Number> &
  vector_kernels(const Device device)
  {
    static const HostKernels<Number> host;
    if (device.is_cuda())
      return cuda_vector_kernels<Number>();
    return host;
  }

  template const VectorKernels<double> &
  vector_kernels(const Device);
  template const VectorKernels<float> &
  vector_kernels(const Device);
} // namespace Saltus
