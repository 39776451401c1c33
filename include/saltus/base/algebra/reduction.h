// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_reduction_h
#define saltus_base_algebra_reduction_h

#include <saltus/base/device/host_device.h>

#include <cstddef>
#include <limits>

namespace Saltus
{
  /// The memory of reductions on a GPU.
  template <typename Number>
  struct ReductionResults
  {
    Number       *of_blocks;  ///< `[reduction][thread block]`
    int           max_blocks; ///< of a reduction
    unsigned int *n_done;     ///< `[reduction]`: finished thread blocks; zero before and after
    Number       *values;     ///< `[reduction]`
  };

  /// Operations of reductions and terms of reductions, for both back ends. A reduction of no terms
  /// is the operation's `neutral()`. `terms(c, k)` is the term of reduction c at entry k.
  namespace Reduction
  {
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
        return -std::numeric_limits<Number>::infinity();
      }

      template <typename Number>
      SALTUS_HOST_DEVICE
      Number
      operator()(const Number a, const Number b) const
      {
        return a >= b || a != a ? a : b;
      }
    };

    /// The products of pairs of arrays, as many as fit in the arguments of a kernel.
    template <typename Number>
    struct Dots
    {
      static constexpr unsigned int most = 64;

      const Number *x[most], *y[most];

      SALTUS_HOST_DEVICE
      Number
      operator()(const unsigned int c, const std::size_t k) const
      {
        return x[c][k] * y[c][k];
      }
    };

    template <typename Number>
    struct Dot
    {
      const Number *x, *y;

      SALTUS_HOST_DEVICE
      Number
      operator()(const unsigned int, const std::size_t k) const
      {
        return x[k] * y[k];
      }
    };

    template <typename Number>
    struct Multiple
    {
      Number        factor;
      const Number *x;

      SALTUS_HOST_DEVICE
      Number
      operator()(const unsigned int, const std::size_t k) const
      {
        return factor * x[k];
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
      operator()(const unsigned int, const std::size_t k) const
      {
        const Number value = y[k] + a * v[k];
        y[k]               = value;
        return value * w[k];
      }
    };

    /// `|x - y|`, `|x|` without y
    template <typename Number>
    struct Difference
    {
      const Number *x, *y;

      SALTUS_HOST_DEVICE
      Number
      operator()(const unsigned int, const std::size_t k) const
      {
        const Number difference = y == nullptr ? x[k] : x[k] - y[k];
        return difference < Number(0) ? -difference : difference;
      }
    };
  } // namespace Reduction
} // namespace Saltus

#endif
