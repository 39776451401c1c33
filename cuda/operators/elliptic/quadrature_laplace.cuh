// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_quadrature_laplace_cuh
#define saltus_cuda_operators_elliptic_quadrature_laplace_cuh

// LaplaceElement on GPUs, one thread an element: of every shape and quadrature, and parts of the
// matrix.
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/operators/elliptic/kernels/laplace_element.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    /// The component of a block of threads.
    template <int n_components>
    __device__ int
    component()
    {
      return n_components == 1 ? 0 : blockIdx.y;
    }

    /// Thread blocks for all components of the elements.
    template <int n_components, typename Number>
    dim3
    n_thread_blocks(const MeshArrays<Number> &mesh)
    {
      return dim3(n_thread_blocks(mesh.end - mesh.begin), n_components);
    }

    template <GeometryKind kind, int dim, typename Number, typename Tables, int n_components>
    __global__ void
    __launch_bounds__(n_threads)
      laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      const Tables tables(arg.tables);
      LaplaceElement<kind, dim, Number, Number, 1, Tables, n_components>(arg,
                                                                         tables,
                                                                         element,
                                                                         component<n_components>())
        .run();
    }

    template <GeometryKind kind, int dim, typename Tables, int n_components, typename Number>
    void
    apply_by_quadrature(const LaplaceArguments<Number> &arg)
    {
      laplace_kernel<kind, dim, Number, Tables, n_components>
        <<<n_thread_blocks<n_components>(arg.mesh), n_threads, 0, CudaRuntime::stream()>>>(arg);
    }
  } // namespace
} // namespace Saltus

#endif
