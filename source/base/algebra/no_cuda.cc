// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "../device/no_cuda.h"

#include <saltus/base/algebra/sparse_kernel.h>
#include <saltus/base/algebra/vector_kernels.h>

namespace Saltus
{
  template <typename Number>
  const VectorKernels<Number> &
  cuda_vector_kernels()
  {
    CudaRuntime::unavailable();
  }

  template const VectorKernels<double> &
  cuda_vector_kernels();
  template const VectorKernels<float> &
  cuda_vector_kernels();

  template <typename Number>
  std::unique_ptr<const SparseKernel<Number>>
  make_cuda_sparse_kernel(const SparseArrays<Number> &)
  {
    CudaRuntime::unavailable();
  }

  template std::unique_ptr<const SparseKernel<double>>
  make_cuda_sparse_kernel(const SparseArrays<double> &);
  template std::unique_ptr<const SparseKernel<float>>
  make_cuda_sparse_kernel(const SparseArrays<float> &);
} // namespace Saltus
