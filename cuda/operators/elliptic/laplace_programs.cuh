// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_laplace_programs_cuh
#define saltus_cuda_operators_elliptic_laplace_programs_cuh

// The forms of the Laplace operator as programs, see KernelSource. GpuLaplace and its siblings
// choose the form. The blocks of threads of row c work on component c of the vectors.

#include <saltus/base/device/launch_shape.h>
#include <saltus/operators/elliptic/kernels/laplace_element.h>
#include <saltus/operators/elliptic/kernels/robin_terms.h>

namespace Saltus::CudaKernels
{
  /// The component of a block of threads.
  template <int n_components>
  __device__ __forceinline__ int
  component()
  {
    return n_components == 1 ? 0 : blockIdx.y;
  }

  /// One thread an element: of every shape and quadrature, and parts of the matrix, see
  /// LaplaceElement.
  template <GeometryKind kind, int dim, typename Number, typename Tables, int n_components>
  struct QuadratureLaplaceProgram
  {
    static constexpr LaunchShape shape{.n_threads = 128, .per_block = 128, .n_rows = n_components};

    static __device__ __forceinline__ void
    run(const LaplaceArguments<Number> &arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * shape.n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      const Tables tables(arg.tables);
      LaplaceElement<kind, dim, Number, Number, 1, Tables, n_components>(arg,
                                                                         tables,
                                                                         element,
                                                                         component<n_components>())
        .run();
    }
  };

  /// The terms of Robin conditions, which the sparse form is without.
  template <int dim, typename Number>
  struct RobinProgram
  {
    static constexpr LaunchShape shape{128, 128};

    static __device__ __forceinline__ void
    run(const LaplaceArguments<Number> &arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * shape.n_threads + threadIdx.x;
      if (element < arg.mesh.end)
        add_robin_terms<dim>(arg, element);
    }
  };
} // namespace Saltus::CudaKernels

#endif
