// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_vector_kernels_h
#define saltus_base_algebra_vector_kernels_h

#include <saltus/base/device/device.h>

#include <cstddef>
#include <utility>

namespace Saltus
{
  /// Arithmetic on arrays of @p n numbers on a device, which becomes the current one. Reductions
  /// wait for the device and do not depend on the number of threads.
  template <typename Number>
  class VectorKernels
  {
  public:
    explicit VectorKernels(const Device device)
      : device(device)
    {}

    /// `y = value`
    void
    set(const std::size_t n, const Number value, Number *y) const;

    /// `y += value`
    void
    shift(const std::size_t n, const Number value, Number *y) const;

    /// `y *= x`, entry by entry
    void
    scale(const std::size_t n, const Number *x, Number *y) const;

    /// `y = s y + a v + b w`; what has the factor 0 is not read.
    void
    combine(const std::size_t n,
            const Number      s,
            Number           *y,
            const Number      a,
            const Number     *v,
            const Number      b,
            const Number     *w) const;

    /// `y = x`, in another precision
    template <typename From>
    void
    convert(const std::size_t n, const From *x, Number *y) const;

    Number
    sum(const std::size_t n, const Number *x) const;

    /// `sum |x|`
    Number
    sum_of_magnitudes(const std::size_t n, const Number *x) const;

    Number
    dot(const std::size_t n, const Number *x, const Number *y) const;

    /// The products of @p count pairs of arrays in one pass: `results[i]` is that of `x[i]` and
    /// `y[i]`. The arrays may be the same; @p x, @p y and @p results themselves are in host memory.
    /// The host waits once for every 64 products.
    void
    dots(const unsigned int   count,
         const std::size_t    n,
         const Number *const *x,
         const Number *const *y,
         Number              *results) const;

    /// `y += a v`, then the product of y and w.
    Number
    add_and_dot(const std::size_t n, const Number a, const Number *v, Number *y, const Number *w)
      const;

    /// `max |x - y|`, `max |x|` without @p y; not a number if an entry is not.
    Number
    max_difference(const std::size_t n, const Number *x, const Number *y) const;

    /// The smallest and the largest entry, `+-infinity` if there is none; not a number if an entry
    /// is not.
    std::pair<Number, Number>
    range(const std::size_t n, const Number *x) const;

  private:
    template <typename Operation, typename Terms>
    Number
    reduce(const std::size_t n, const Operation operation, const Terms terms) const;

    Device device;
  };
} // namespace Saltus

#endif
