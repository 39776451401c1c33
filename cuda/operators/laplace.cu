// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// One thread an element: a warp works on one block, whose coefficients it reads in full lines.
#include <saltus/base/cuda_runtime.h>
#include <saltus/operators/laplace_element.h>

#include <cuda/base/check.cuh>
#include <cuda/operators/stage_tables.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128;

    template <int dim, typename Number, int degree, bool by_point>
    __global__ void
    __launch_bounds__(n_threads)
      laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg)
    {
      const int element = blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.n_elements)
        return;
      constexpr int n_modes = CudaKernels::n_simplex_modes(dim, degree);
      LaplaceElement<dim, Number, Number, 1, by_point, n_modes>(arg).run(element);
    }

    template <int dim, typename Number, int degree>
    class Kernels : public LaplaceKernels<Number>
    {
    public:
      void
      apply(const LaplaceArguments<Number> &arg) const override
      {
        const auto kernel          = arg.is_by_point() ? laplace_kernel<dim, Number, degree, true>
                                                       : laplace_kernel<dim, Number, degree, false>;
        const int  n_thread_blocks = (arg.mesh.n_elements + n_threads - 1) / n_threads;
        kernel<<<n_thread_blocks, n_threads, 0, CudaRuntime::stream()>>>(arg);
        CudaRuntime::check_launch("Laplace operator");
      }
    };

    template <int dim, typename Number, int degree = 1>
    LaplaceKernels<Number> *
    make(const ElementTables<Number> &tables, const int wanted)
    {
      if (wanted == degree)
        return new Kernels<dim, Number, degree>;
      if constexpr (degree < max_laplace_degree(dim))
        return make<dim, Number, degree + 1>(tables, wanted);
      else
        return nullptr;
    }

    [[maybe_unused]] const bool registered = [] {
      LaplaceRegistry<2, double>::cuda = &make<2, double>;
      LaplaceRegistry<2, float>::cuda  = &make<2, float>;
      LaplaceRegistry<3, double>::cuda = &make<3, double>;
      LaplaceRegistry<3, float>::cuda  = &make<3, float>;
      return true;
    }();
  } // namespace
} // namespace Saltus
