// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/cuda_reductions.h>
#include <saltus/base/reductions.h>

#include <cmath>

namespace Saltus
{
  template <typename Number>
  double
  max_difference(const Memory<Number> &a, const Memory<Number> &b)
  {
    AssertDimension(a.size(), b.size());
    Assert(a.device() == b.device(), dealii::ExcMessage("The arrays are on different devices."));
    if (a.device().is_cuda())
      return CudaRuntime::max_difference(a.data(), b.data(), a.size());

    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      {
        const double difference =
          std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
        if (std::isnan(difference))
          return difference;
        if (difference > largest)
          largest = difference;
      }
    return largest;
  }

  template double
  max_difference(const Memory<double> &, const Memory<double> &);
  template double
  max_difference(const Memory<float> &, const Memory<float> &);
} // namespace Saltus
