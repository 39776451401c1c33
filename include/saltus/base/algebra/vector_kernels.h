// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_vector_kernels_h
#define saltus_base_algebra_vector_kernels_h

#include <saltus/base/device/device.h>
#include <saltus/base/device/host_device.h>

#include <cmath>
#include <cstddef>
#include <utility>

namespace Saltus
{
  /// Arithmetic on arrays of @p n numbers on one kind of device. Reductions wait for the device and
  /// do not depend on the number of threads.
  template <typename Number>
  class VectorKernels
  {
  public:
    virtual ~VectorKernels() = default;

    /// `y = value`
    virtual void
    set(const std::size_t n, const Number value, Number *y) const = 0;

    /// `y += value`
    virtual void
    shift(const std::size_t n, const Number value, Number *y) const = 0;

    /// `y *= x`, entry by entry
    virtual void
    scale(const std::size_t n, const Number *x, Number *y) const = 0;

    /// `y = s y + a v + b w`; what has the factor 0 is not read.
    virtual void
    combine(const std::size_t n,
            const Number      s,
            Number           *y,
            const Number      a,
            const Number     *v,
            const Number      b,
            const Number     *w) const = 0;

    /// `y = x`, in another precision
    virtual void
    convert(const std::size_t n, const double *x, Number *y) const = 0;

    virtual void
    convert(const std::size_t n, const float *x, Number *y) const = 0;

    virtual Number
    sum(const std::size_t n, const Number *x) const = 0;

    /// `sum |x|`
    virtual Number
    sum_of_magnitudes(const std::size_t n, const Number *x) const = 0;

    virtual Number
    dot(const std::size_t n, const Number *x, const Number *y) const = 0;

    /// The products of @p count pairs of arrays in one pass: `results[i]` is that of `x[i]` and
    /// `y[i]`. The arrays may be the same; @p x, @p y and @p results themselves are in host memory.
    /// The host waits once for every max_dots products.
    virtual void
    dots(const unsigned int   count,
         const std::size_t    n,
         const Number *const *x,
         const Number *const *y,
         Number              *results) const = 0;

    static constexpr unsigned int max_dots = 64;

    /// `y += a v`, then the product of y and w.
    virtual Number
    add_and_dot(const std::size_t n, const Number a, const Number *v, Number *y, const Number *w)
      const = 0;

    /// `max |x - y|`, `max |x|` without @p y; not a number if an entry is not.
    virtual Number
    max_difference(const std::size_t n, const Number *x, const Number *y) const = 0;

    /// The smallest and the largest entry, `+-infinity` if there is none; not a number if an entry
    /// is not.
    virtual std::pair<Number, Number>
    range(const std::size_t n, const Number *x) const = 0;
  };

  /// Those of a device, which becomes the current one.
  template <typename Number>
  const VectorKernels<Number> &
  vector_kernels(const Device device);

  /// Those of the current GPU, in cuda/base/algebra/vector_kernels.cu.
  template <typename Number>
  const VectorKernels<Number> &
  cuda_vector_kernels();

  /// What both back ends do to one entry. `f(i)` is the term of a reduction at entry i; a reduction
  /// of no terms is the operation's `neutral()`.
  namespace Entry
  {
    template <typename Number>
    SALTUS_HOST_DEVICE
    Number
    combine(const std::size_t i,
            const Number      s,
            const Number     *y,
            const Number      a,
            const Number     *v,
            const Number      b,
            const Number     *w)
    {
      Number result = s != Number(0) ? s * y[i] : Number(0);
      if (a != Number(0))
        result += a * v[i];
      if (b != Number(0))
        result += b * w[i];
      return result;
    }

    struct Add
    {
      template <typename Number>
      SALTUS_HOST_DEVICE
      static Number
      neutral()
      {
        return 0;
      }

      template <typename Number>
      SALTUS_HOST_DEVICE
      Number
      operator()(const Number a, const Number b) const
      {
        return a + b;
      }
    };

    /// The larger one; a NaN wins.
    struct Larger
    {
      template <typename Number>
      SALTUS_HOST_DEVICE
      static Number
      neutral()
      {
        return -INFINITY;
      }

      template <typename Number>
      SALTUS_HOST_DEVICE
      Number
      operator()(const Number a, const Number b) const
      {
        return a >= b || a != a ? a : b;
      }
    };

    template <typename Number>
    struct Dot
    {
      const Number *x, *y;

      SALTUS_HOST_DEVICE
      Number
      operator()(const std::size_t i) const
      {
        return x[i] * y[i];
      }
    };

    template <typename Number>
    struct Multiple
    {
      Number        factor;
      const Number *x;

      SALTUS_HOST_DEVICE
      Number
      operator()(const std::size_t i) const
      {
        return factor * x[i];
      }
    };

    template <typename Number>
    struct AddAndDot
    {
      Number        a;
      const Number *v;
      Number       *y;
      const Number *w; ///< may be y

      SALTUS_HOST_DEVICE
      Number
      operator()(const std::size_t i) const
      {
        const Number value = y[i] + a * v[i];
        y[i]               = value;
        return value * w[i];
      }
    };

    template <typename Number>
    struct Difference
    {
      const Number *x, *y;

      SALTUS_HOST_DEVICE
      Number
      operator()(const std::size_t i) const
      {
        const Number difference = y == nullptr ? x[i] : x[i] - y[i];
        return difference < Number(0) ? -difference : difference;
      }
    };
  } // namespace Entry
} // namespace Saltus

#endif
