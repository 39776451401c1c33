// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_cuda_reductions_h
#define saltus_base_cuda_reductions_h

#include <cstddef>

/// Reductions over arrays of @p size numbers in device memory, see base/reductions.h. Implemented
/// in cuda/base/reductions.cu. Each waits for its result.
namespace Saltus::CudaRuntime
{
  double
  max_difference(const double *a, const double *b, const std::size_t size);

  double
  max_difference(const float *a, const float *b, const std::size_t size);
} // namespace Saltus::CudaRuntime

#endif
