// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_hypercube_laplace_cuh
#define saltus_cuda_operators_elliptic_hypercube_laplace_cuh

// The Laplace operator on quadrilaterals and hexahedra.
#include <saltus/operators/elliptic/kernels/hypercube_laplace_element.h>
#include <saltus/operators/spaces/hypercube_tables.h>

#include <cuda/base/device/context.cuh>
#include <cuda/operators/elliptic/hypercube_planes.cuh>
#include <cuda/operators/elliptic/quadrature_laplace.cuh>
#include <cuda/operators/spaces/element_threads.cuh>
#include <memory>
#include <type_traits>

namespace Saltus
{
  namespace
  {
    /// One thread an element: all of it is in registers, as far as they go.
    /// @tparam min_blocks of threads on a multiprocessor: bounds the registers of a thread
    template <typename Element, int min_blocks, int n_components, typename Number>
    __global__ void
    __launch_bounds__(n_threads, min_blocks)
      hypercube_laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg,
                               const __grid_constant__ typename Element::Lines  lines)
    {
      const int element = arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      const typename Element::Tables tables(arg.tables);
      Element(arg, tables, lines, element, component<n_components>()).run();
    }

    /// The whole operator, with a thread an element.
    template <GeometryKind kind, int dim, typename Number, int degree, int n_components>
    class HypercubeThreads
    {
      using Element =
        HypercubeLaplaceElement<kind, dim, degree + 1, Number, Number, 1, n_components>;

      /// Numbers of an element that want to be in registers, in bytes.
      static constexpr int size = power(degree + 1, dim) * sizeof(Number);

      /// As was measured.
      static constexpr bool is_square = kind == GeometryKind::affine && dim == 2 && size == 32;
      static constexpr int  min_blocks =
        is_square ? 7 : (size <= 32 ? 6 : (size > 128 ? 2 : (size == 72 ? 4 : 3)));

    public:
      static constexpr int shared_bytes = 0;

      explicit HypercubeThreads(const ElementTables<Number> &host)
        : lines(Element::Lines::template make<dim>(host))
      {}

      void
      operator()(const LaplaceArguments<Number> &arg) const
      {
        hypercube_laplace_kernel<Element, min_blocks, n_components>
          <<<n_thread_blocks<n_components>(arg.mesh), n_threads, 0, CudaRuntime::stream()>>>(arg,
                                                                                             lines);
      }

    private:
      const typename Element::Lines lines;
    };

    /// The same with a warp a plane of points.
    template <GeometryKind kind, int dim, typename Number, int degree, int n_components>
    class HypercubeWarps
    {
      using Planes = CudaKernels::HypercubePlanes<kind, dim, degree + 1, Number, n_components>;

      static constexpr bool is_affine = kind == GeometryKind::affine;

      /// On a multiprocessor: as many as registers allow with few spills. All quarters of it have
      /// registers for as many warps as the one with the most of them.
      static constexpr int of_affine = dim == 2 ? (degree <= 6 ? 9 - degree : 2) : 6 - degree;
      static constexpr int of_stored =
        dim == 2 ? (degree == 4 ? 3 : of_affine) : (degree == 3 ? 2 : 1);
      static constexpr int of_double  = is_affine ? of_affine : of_stored;
      static constexpr int of_float   = of_double == 1 ? 2 : 3 * of_double / 2;
      static constexpr int min_blocks = sizeof(Number) == 8 ? of_double : of_float;

      static constexpr auto kernel =
        CudaKernels::hypercube_planes_kernel<Planes, min_blocks, n_components>;

    public:
      static constexpr int shared_bytes = Planes::shared_bytes;

      explicit HypercubeWarps(const ElementTables<Number> &host)
        : lines(Planes::Lines::template make<dim>(host))
      {
        CudaRuntime::allow_shared_memory(kernel, shared_bytes);
      }

      void
      operator()(const LaplaceArguments<Number> &arg) const
      {
        kernel<<<dim3(n_blocks(arg.mesh.end - arg.mesh.begin), n_components),
                 dim3(block_size, Planes::n_warps),
                 shared_bytes,
                 CudaRuntime::stream()>>>(arg, lines);
      }

    private:
      const typename Planes::Lines lines;
    };

    /// Whether elements have more points than threads have registers for: which of the kernels is
    /// faster was measured.
    template <GeometryKind kind>
    constexpr bool
    needs_warps(const int dim, const int degree)
    {
      return degree >= (dim == 3 ? 3 : (kind == GeometryKind::affine ? 5 : 4));
    }

    /// Kernels of quadrilaterals or hexahedra with the points of their basis. With several
    /// components they apply the whole operator with constant coefficients. General kernels have
    /// one component, except where the fast kernel may need more shared memory than the device has.
    template <GeometryKind kind, int dim, typename Number, int degree, int n_components>
    class CudaHypercubeKernels : public LaplaceKernels<dim, Number, n_components>
    {
      using Tables = HypercubeTables<dim, Number, degree>;
      using Whole  = std::conditional_t<needs_warps<kind>(dim, degree),
                                       HypercubeWarps<kind, dim, Number, degree, n_components>,
                                       HypercubeThreads<kind, dim, Number, degree, n_components>>;

    public:
      explicit CudaHypercubeKernels(const ElementTables<Number> &host)
        : lack(has_general ? CudaRuntime::lack_for_kernels(Whole::shared_bytes) : nullptr)
      {
        if (lack == nullptr)
          apply_whole = std::make_unique<const Whole>(host);
      }

      const char *
      fallback() const override
      {
        return lack;
      }

      void
      apply(const LaplaceArguments<Number> &arg) const override
      {
        if (apply_whole &&
            (n_components > 1 || (kind == GeometryKind::affine ? arg.is_sparse() : arg.is_whole())))
          (*apply_whole)(arg);
        else if constexpr (has_general)
          apply_by_quadrature<kind, dim, Tables, n_components>(arg);
        CudaRuntime::check_launch("Laplace operator on hypercubes");
      }

    private:
      static constexpr bool has_general =
        n_components == 1 || Whole::shared_bytes > CudaRuntime::least_shared_memory;

      const char *const            lack; ///< see fallback()
      std::unique_ptr<const Whole> apply_whole;
    };

    template <GeometryKind kind, int dim, typename Number, int n_components>
    bool
    enrol_hypercubes_of_kind()
    {
      using Kernels                              = LaplaceKernels<dim, Number, n_components>;
      constexpr auto shape                       = ElementShape::hypercube;
      constexpr int  max                         = max_laplace_degree(dim, shape);
      KernelRegistry<Kernels, kind, shape>::cuda = {
        [](const ElementTables<Number> &host, const int wanted) {
          return make_for_degree<max>(wanted, [&](const auto number) -> Kernels * {
            constexpr int degree = decltype(number)::value;
            if (!LineTables<Number, degree + 1>::template fit<dim>(host))
              return nullptr;
            return new CudaHypercubeKernels<kind, dim, Number, degree, n_components>(host);
          });
        },
        1,
        max};
      return true;
    }

    template <int dim, typename Number, int n_components>
    bool
    enrol_laplace_on_hypercubes()
    {
      return enrol_hypercubes_of_kind<GeometryKind::affine, dim, Number, n_components>() &&
             enrol_hypercubes_of_kind<GeometryKind::stored, dim, Number, n_components>();
    }
  } // namespace
} // namespace Saltus

#endif
