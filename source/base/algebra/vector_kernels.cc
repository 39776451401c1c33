// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/threads.h>

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
      parallel_for((n + chunk - 1) / chunk, [&](const std::size_t first, const std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
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

    /// The terms of the entries [begin, end).
    template <typename Number, typename Operation, typename Term>
    Number
    reduce_chunk(const std::size_t begin,
                 const std::size_t end,
                 const Operation   operation,
                 const Term        term)
    {
      // Several accumulators, so that the additions do not wait for each other.
      constexpr std::size_t width = 8;
      Number                values[width];
      std::fill_n(values, width, Operation::template neutral<Number>());
      std::size_t k = begin;
      for (; k + width <= end; k += width)
        for (std::size_t lane = 0; lane < width; ++lane)
          values[lane] = operation(values[lane], term(k + lane));
      for (; k < end; ++k)
        values[0] = operation(values[0], term(k));
      for (std::size_t lane = 1; lane < width; ++lane)
        values[0] = operation(values[0], values[lane]);
      return values[0];
    }

    /// @p count reductions in one pass; `term_of(c)` is the term of number c.
    template <typename Number, typename Operation, typename TermOf>
    void
    reduce(const unsigned int count,
           const std::size_t  n,
           const Operation    operation,
           const TermOf       term_of,
           Number            *results)
    {
      std::vector<Number> partial((n + chunk - 1) / chunk * count); // [chunk][reduction]
      for_chunks(n, [&](const std::size_t i, const std::size_t begin, const std::size_t end) {
        for (unsigned int c = 0; c < count; ++c)
          partial[i * count + c] = reduce_chunk<Number>(begin, end, operation, term_of(c));
      });
      std::fill_n(results, count, Operation::template neutral<Number>());
      for (std::size_t i = 0; i < partial.size(); ++i)
        results[i % count] = operation(results[i % count], partial[i]);
    }

    template <typename Number, typename Operation, typename Term>
    Number
    reduce(const std::size_t n, const Operation operation, const Term term)
    {
      Number result;
      reduce(
        1, n, operation, [&](unsigned int) { return term; }, &result);
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
        return reduce<Number>(n, Entry::Add(), Entry::Multiple<Number>{1, x});
      }

      Number
      sum_of_magnitudes(const std::size_t n, const Number *x) const override
      {
        return reduce<Number>(n, Entry::Add(), Entry::Difference<Number>{x, nullptr});
      }

      Number
      dot(const std::size_t n, const Number *x, const Number *y) const override
      {
        return reduce<Number>(n, Entry::Add(), Entry::Dot<Number>{x, y});
      }

      void
      dots(const unsigned int   count,
           const std::size_t    n,
           const Number *const *x,
           const Number *const *y,
           Number              *results) const override
      {
        const auto pair = [=](const unsigned int c) { return Entry::Dot<Number>{x[c], y[c]}; };
        reduce(count, n, Entry::Add(), pair, results);
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
        const auto largest = reduce<Number>(n, Entry::Larger(), Entry::Difference<Number>{x, y});
        return Entry::Larger()(largest, Number(0));
      }

      std::pair<Number, Number>
      range(const std::size_t n, const Number *x) const override
      {
        const auto largest_multiple = [&](const Number factor) {
          return reduce<Number>(n, Entry::Larger(), Entry::Multiple<Number>{factor, x});
        };
        return {-largest_multiple(-1), largest_multiple(1)};
      }
    };
  } // namespace

  template <typename Number>
  const VectorKernels<Number> &
  vector_kernels(const Device device)
  {
    static const HostKernels<Number> host;
    device.make_current();
    if (device.is_cuda())
      return cuda_vector_kernels<Number>();
    return host;
  }

  template const VectorKernels<double> &
  vector_kernels(const Device);
  template const VectorKernels<float> &
  vector_kernels(const Device);
} // namespace Saltus
