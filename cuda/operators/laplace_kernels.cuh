// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_laplace_kernels_cuh
#define saltus_cuda_operators_laplace_kernels_cuh

// One thread an element: a warp works on one block, whose coefficients it reads in full lines.
#include <saltus/base/cuda_runtime.h>
#include <saltus/operators/laplace_element.h>

#include <cuda/base/check.cuh>
#include <cuda/operators/laplace_tables.cuh>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128;

    /// Any quadrature, and coefficients that vary in the elements.
    template <int dim, typename Number, int degree, bool by_point>
    __global__ void
    __launch_bounds__(n_threads)
      any_laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg)
    {
      const int element = blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.n_elements)
        return;
      using Tables = LaplaceTables<dim, Number, Simplex<dim>::n_modes(degree)>;
      const Tables tables(arg.tables);
      LaplaceElement<dim, Number, Number, 1, by_point, Tables>(arg, tables).run(element);
    }

    /// The default quadrature, unrolled.
    template <int dim, typename Number, int degree>
    __global__ void
    __launch_bounds__(n_threads) fixed_laplace_kernel(
      const __grid_constant__ LaplaceArguments<Number> arg,
      const __grid_constant__ CudaKernels::FixedLaplaceTables<Number, dim, degree> fixed)
    {
      using Tables = CudaKernels::FixedLaplaceView<Number, dim, degree>;
      __shared__ typename Tables::Fixed::Across across;
      across.load(arg.tables);
      const int element = blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.n_elements)
        return;
      const Tables tables{fixed, across};
      LaplaceElement<dim, Number, Number, 1, false, Tables>(arg, tables).run(element);
    }

    int
    n_thread_blocks(const int n_elements)
    {
      return (n_elements + n_threads - 1) / n_threads;
    }

    template <int dim, typename Number, int degree, bool by_point>
    void
    apply_any(const LaplaceArguments<Number> &arg)
    {
      any_laplace_kernel<dim, Number, degree, by_point>
        <<<n_thread_blocks(arg.mesh.n_elements), n_threads, 0, CudaRuntime::stream()>>>(arg);
      CudaRuntime::check_launch("Laplace operator");
    }

    template <int dim, typename Number, int degree>
    class AnyKernels : public LaplaceKernels<dim, Number>
    {
    public:
      void
      apply(const LaplaceArguments<Number> &arg) const override
      {
        if (arg.is_by_point())
          apply_any<dim, Number, degree, true>(arg);
        else
          apply_any<dim, Number, degree, false>(arg);
      }
    };

    /// With the default quadrature, unrolled; coefficients by point have another one.
    template <int dim, typename Number, int degree>
    class FixedKernels : public LaplaceKernels<dim, Number>
    {
    public:
      explicit FixedKernels(const ElementTables<Number> &host_tables)
        : fixed(host_tables)
      {}

      void
      apply(const LaplaceArguments<Number> &arg) const override
      {
        fixed_laplace_kernel<dim, Number, degree>
          <<<n_thread_blocks(arg.mesh.n_elements), n_threads, 0, CudaRuntime::stream()>>>(arg,
                                                                                          fixed);
        CudaRuntime::check_launch("Laplace operator");
      }

    private:
      const CudaKernels::FixedLaplaceTables<Number, dim, degree> fixed;
    };

    /// With more points, for coefficients that vary in the elements.
    template <int dim, typename Number, int degree>
    class ByPointKernels : public LaplaceKernels<dim, Number>
    {
    public:
      void
      apply(const LaplaceArguments<Number> &arg) const override
      {
        apply_any<dim, Number, degree, true>(arg);
      }

      const char *
      fallback() const override
      {
        return "they are unrolled for coefficients that are constant in the elements only";
      }
    };

    /// @param tables tell by their numbers of points whether coefficients are by point
    template <int dim, typename Number, int degree = 1>
    LaplaceKernels<dim, Number> *
    make(const ElementTables<Number> &tables, const int wanted)
    {
      if (wanted == degree)
        {
          using Fixed = CudaKernels::FixedLaplaceTables<Number, dim, degree>;
          if constexpr (!Fixed::available)
            return new AnyKernels<dim, Number, degree>;
          else if (Fixed::fit(tables))
            return new FixedKernels<dim, Number, degree>(tables);
          else
            return new ByPointKernels<dim, Number, degree>;
        }
      if constexpr (degree < max_laplace_degree(dim))
        return make<dim, Number, degree + 1>(tables, wanted);
      else
        return nullptr;
    }

    template <int dim>
    bool
    register_laplace_kernels()
    {
      constexpr int largest                             = max_laplace_degree(dim);
      KernelRegistry<LaplaceKernels<dim, double>>::cuda = {&make<dim, double>, 1, largest};
      KernelRegistry<LaplaceKernels<dim, float>>::cuda  = {&make<dim, float>, 1, largest};
      return true;
    }
  } // namespace
} // namespace Saltus

#endif
