// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_element_threads_cuh
#define saltus_cuda_operators_spaces_element_threads_cuh

// One thread an element: a warp works on one block, whose coefficients it reads in full lines.
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/static_for.h>
#include <saltus/operators/spaces/quadrature_tables.h>

#include <cuda/base/device/launch.cuh>

namespace Saltus
{
  namespace
  {
    /// Of elements of one degree.
    template <int dim, typename Number, int degree>
    using DegreeTables = QuadratureTables<dim, Number, Simplex<dim>::n_modes(degree)>;

    template <typename Element, typename Tables, typename Arguments>
    __global__ void
    __launch_bounds__(n_threads) element_kernel(const __grid_constant__ Arguments arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      const Tables tables(arg.tables);
      Element(arg, tables, element).run();
    }

    /// `Element(arg, tables, element).run()` for the mesh's range of elements.
    template <typename Element, typename Tables, typename Arguments>
    void
    run_element_threads(const Arguments &arg)
    {
      element_kernel<Element, Tables>
        <<<n_thread_blocks(arg.mesh.end - arg.mesh.begin), n_threads, 0, CudaRuntime::stream()>>>(
          arg);
    }

    /// `make(StaticNumber<wanted>())` of a degree from 1 to @p max_degree, for others nullptr.
    template <int max_degree, int degree = 1, typename Make>
    auto
    make_for_degree(const int wanted, const Make &make) -> decltype(make(StaticNumber<1>()))
    {
      if (wanted == degree)
        return make(StaticNumber<degree>());
      if constexpr (degree < max_degree)
        return make_for_degree<max_degree, degree + 1>(wanted, make);
      else
        return nullptr;
    }
  } // namespace
} // namespace Saltus

#endif
