// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_combination_h
#define saltus_base_algebra_combination_h

#include <saltus/base/device/host_device.h>

#include <cstddef>

namespace Saltus
{
  /// \f$ \sum_i f_i x_i \f$ of coefficient vectors with one shape, for kernels.
  template <typename Number>
  struct Combination
  {
    static constexpr int max_terms = 8;

    int           n_terms = 0;
    Number        factors[max_terms];
    const Number *vectors[max_terms];

    /// The sum at one place.
    SALTUS_HOST_DEVICE
    Number
    at(const std::size_t i) const
    {
      Number sum = 0;
      for (int term = 0; term < n_terms; ++term)
        sum += factors[term] * vectors[term][i];
      return sum;
    }
  };
} // namespace Saltus

#endif
