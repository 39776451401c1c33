// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_kernels_degree_order_h
#define saltus_operators_polytopic_kernels_degree_order_h

#include <saltus/base/device/host_device.h>
#include <saltus/fe/legendre.h>

#include <cstdint>

/// Elements in the order of the degrees with which their rows are assembled: work for launch(),
/// between which keys are sorted.
namespace Saltus
{
  /// The highest degree of an element and those whose columns its row has.
  struct HighestDegrees
  {
    static constexpr int n_bits = 4; ///< of the keys

    const int     *row_starts = nullptr, *columns = nullptr; ///< see BlockSparsity
    const int     *degrees  = nullptr;                       ///< `[element or ghost]`
    std::uint64_t *highest  = nullptr;
    int           *elements = nullptr; ///< their numbers

    SALTUS_HOST_DEVICE
    void
    operator()(const int e) const
    {
      int degree = 0;
      for (int b = row_starts[e]; b < row_starts[e + 1]; ++b)
        if (degrees[columns[b]] > degree)
          degree = degrees[columns[b]];
      highest[e]  = degree;
      elements[e] = e;
    }
  };
  static_assert(max_legendre_degree < (1 << HighestDegrees::n_bits));

  /// Where the elements of each degree begin, which those tell that come first.
  struct FirstOfDegrees
  {
    const std::uint64_t *highest = nullptr; ///< ascending
    int                  n       = 0;
    int                 *starts  = nullptr; ///< `[degree]`, and the number of elements

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const int degree = highest[i];
      for (int d = i == 0 ? 0 : static_cast<int>(highest[i - 1]) + 1; d <= degree; ++d)
        starts[d] = i;
      if (i == n - 1)
        for (int d = degree + 1; d <= max_legendre_degree + 1; ++d)
          starts[d] = n;
    }
  };
} // namespace Saltus

#endif
