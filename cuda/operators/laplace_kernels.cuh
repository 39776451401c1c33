// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_laplace_kernels_cuh
#define saltus_cuda_operators_laplace_kernels_cuh

// One thread an element: a warp works on one block, whose coefficients it reads in full lines.
#include <saltus/base/cuda_runtime.h>
#include <saltus/operators/laplace_element.h>
#include <saltus/operators/laplace_tables.h>
#include <saltus/operators/robin_terms.h>
#include <saltus/operators/sparse_laplace_element.h>

#include <cuda/base/check.cuh>
#include <vector>

namespace Saltus
{
  namespace
  {
    constexpr int n_threads = 128;

    inline int
    n_thread_blocks(const int n_elements)
    {
      return (n_elements + n_threads - 1) / n_threads;
    }

    /// How the sparse form runs best.
    struct SparseLaunch
    {
      FaceLoop face_loop;
      int      min_blocks; ///< of threads on a multiprocessor: bounds the registers of a thread
    };

    /// Measured on an H100, by degree. The instructions of unrolled code must fit into their cache,
    /// and the sums of a thread into its registers.
    template <int dim, typename Number, int degree, bool smooths>
    constexpr SparseLaunch
    sparse_launch()
    {
      constexpr auto unrolled = FaceLoop::unrolled, reloading = FaceLoop::reloading,
                     rolled = FaceLoop::rolled;
      // double precision, single precision, a step of the smoother
      constexpr SparseLaunch triangles[3][8]  = {{{unrolled, 8},
                                                  {reloading, 8},
                                                  {unrolled, 4},
                                                  {reloading, 4},
                                                  {rolled, 4},
                                                  {rolled, 3},
                                                  {rolled, 2},
                                                  {rolled, 2}},
                                                 {{unrolled, 12},
                                                  {unrolled, 9},
                                                  {unrolled, 7},
                                                  {unrolled, 5},
                                                  {rolled, 8},
                                                  {rolled, 6},
                                                  {rolled, 4},
                                                  {rolled, 3}},
                                                 {{unrolled, 8},
                                                  {unrolled, 6},
                                                  {unrolled, 4},
                                                  {unrolled, 3},
                                                  {rolled, 4},
                                                  {rolled, 3},
                                                  {rolled, 2},
                                                  {rolled, 2}}};
      constexpr SparseLaunch tetrahedra[3][6] = {
        {{unrolled, 4}, {reloading, 4}, {rolled, 3}, {rolled, 2}, {rolled, 2}, {rolled, 2}},
        {{unrolled, 8}, {reloading, 7}, {rolled, 5}, {rolled, 4}, {rolled, 2}, {rolled, 3}},
        {{unrolled, 4}, {unrolled, 3}, {rolled, 3}, {rolled, 2}, {rolled, 2}, {rolled, 2}}};
      constexpr int kind = smooths ? 2 : sizeof(Number) == sizeof(float) ? 1 : 0;
      if constexpr (dim == 2)
        return triangles[kind][degree - 1];
      else
        return tetrahedra[kind][degree - 1];
    }

    template <int dim, typename Number, int degree, bool matched, bool smooths>
    using SparseElement =
      SparseLaplaceElement<dim,
                           degree,
                           Number,
                           Number,
                           1,
                           sparse_launch<dim, Number, degree, smooths>().face_loop,
                           matched,
                           smooths>;

    /// Whether there is a kernel for a step of the smoother. Levels of multigrid are in single
    /// precision; of many modes blocks are no work for one thread.
    template <int dim, typename Number, int degree>
    constexpr bool
    has_smoothing_kernel()
    {
      return sizeof(Number) == sizeof(float) && Simplex<dim>::n_modes(degree) <= 28;
    }

    /// sparse_modal_tables(), as a kernel argument: operands of arithmetic then come from the
    /// memory for constants.
    template <int dim, typename Number, int degree>
    struct SparseTables
    {
      static constexpr int size = SparseModalLayout<dim>(degree).size;

      Number entries[size];
    };

    template <int dim, typename Number, int degree, bool matched, bool smooths>
    __global__ void
    __launch_bounds__(n_threads, (sparse_launch<dim, Number, degree, smooths>().min_blocks))
      sparse_laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg,
                            const __grid_constant__ SparseTables<dim, Number, degree> tables)
    {
      const int element = blockIdx.x * n_threads + threadIdx.x;
      if (element / block_size < n_blocks(arg.mesh.n_elements))
        SparseElement<dim, Number, degree, matched, smooths>(arg, tables.entries).run(element);
    }

    template <int dim, typename Number>
    __global__ void
    __launch_bounds__(n_threads) robin_kernel(const __grid_constant__ LaplaceArguments<Number> arg)
    {
      const int element = blockIdx.x * n_threads + threadIdx.x;
      if (element < arg.mesh.n_elements)
        add_robin_terms<dim>(arg, element);
    }

    template <int dim, typename Number, int degree>
    __global__ void
    __launch_bounds__(n_threads)
      laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg)
    {
      const int element = blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.n_elements)
        return;
      using Tables = LaplaceTables<dim, Number, Simplex<dim>::n_modes(degree)>;
      const Tables tables(arg.tables);
      LaplaceElement<dim, Number, Number, 1, Tables>(arg, tables).run(element);
    }

    template <int dim, typename Number, int degree>
    class CudaKernels : public LaplaceKernels<dim, Number>
    {
    public:
      CudaKernels()
      {
        const std::vector<double> entries = sparse_modal_tables<dim>(degree);
        for (int i = 0; i < SparseTables<dim, Number, degree>::size; ++i)
          tables.entries[i] = entries[i];
      }

      void
      apply(const LaplaceArguments<Number> &arg) const override
      {
        const int  n_blocks = n_thread_blocks(arg.mesh.n_elements);
        const auto stream   = CudaRuntime::stream();
        if (!arg.is_sparse())
          laplace_kernel<dim, Number, degree><<<n_blocks, n_threads, 0, stream>>>(arg);
        else if (arg.matched)
          launch_sparse<true>(arg);
        else
          launch_sparse<false>(arg);
        if (arg.is_sparse() && arg.has_robin)
          robin_kernel<dim, Number><<<n_blocks, n_threads, 0, stream>>>(arg);
        CudaRuntime::check_launch("Laplace operator");
      }

      bool
      smooths(const LaplaceArguments<Number> &arg) const override
      {
        return has_smoothing_kernel<dim, Number, degree>() && arg.is_sparse() && !arg.has_robin;
      }

    private:
      template <bool matched>
      void
      launch_sparse(const LaplaceArguments<Number> &arg) const
      {
        auto kernel = sparse_laplace_kernel<dim, Number, degree, matched, false>;
        if constexpr (has_smoothing_kernel<dim, Number, degree>())
          if (arg.blocks.words != nullptr)
            kernel = sparse_laplace_kernel<dim, Number, degree, matched, true>;
        kernel<<<n_thread_blocks(arg.mesh.n_elements), n_threads, 0, CudaRuntime::stream()>>>(
          arg, tables);
      }

      SparseTables<dim, Number, degree> tables;
    };

    template <int dim, typename Number, int degree = 1>
    LaplaceKernels<dim, Number> *
    make(const ElementTables<Number> &tables, const int wanted)
    {
      if (wanted == degree)
        return new CudaKernels<dim, Number, degree>;
      if constexpr (degree < max_laplace_degree(dim))
        return make<dim, Number, degree + 1>(tables, wanted);
      else
        return nullptr;
    }

    template <int dim, typename Number>
    bool
    register_laplace_kernels()
    {
      KernelRegistry<LaplaceKernels<dim, Number>>::cuda = {&make<dim, Number>,
                                                           1,
                                                           max_laplace_degree(dim)};
      return true;
    }
  } // namespace
} // namespace Saltus

#endif
