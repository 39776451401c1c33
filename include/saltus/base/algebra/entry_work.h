// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_entry_work_h
#define saltus_base_algebra_entry_work_h

#include <saltus/base/device/host_device.h>

#include <cstddef>

/// Work for launch() on the entries of arrays.
namespace Saltus
{
  /// `y = value`
  template <typename Number>
  struct SetEntries
  {
    Number  value;
    Number *y;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t i) const
    {
      y[i] = value;
    }
  };

  /// `y += value`
  template <typename Number>
  struct ShiftEntries
  {
    Number  value;
    Number *y;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t i) const
    {
      y[i] += value;
    }
  };

  /// `y *= x`
  template <typename Number>
  struct ScaleEntries
  {
    const Number *x;
    Number       *y;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t i) const
    {
      y[i] *= x[i];
    }
  };

  /// `y = s y + a v + b w`; arrays with the factor 0 are not read.
  template <typename Number>
  struct CombineEntries
  {
    Number        s, a, b;
    Number       *y;
    const Number *v, *w;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t i) const
    {
      Number result = s != Number(0) ? s * y[i] : Number(0);
      if (a != Number(0))
        result += a * v[i];
      if (b != Number(0))
        result += b * w[i];
      y[i] = result;
    }
  };

  /// `y = x`, in another precision
  template <typename From, typename To>
  struct ConvertEntries
  {
    const From *x;
    To         *y;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t i) const
    {
      y[i] = x[i];
    }
  };
} // namespace Saltus

#endif
