// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_laplace_kernels_cuh
#define saltus_cuda_operators_elliptic_laplace_kernels_cuh

#include <saltus/operators/elliptic/kernels/robin_terms.h>
#include <saltus/operators/elliptic/kernels/sparse_laplace_element.h>

#include <algorithm>
#include <cuda/base/device/context.cuh>
#include <cuda/operators/elliptic/quadrature_laplace.cuh>
#include <cuda/operators/elliptic/tensor_laplace.cuh>
#include <cuda/operators/elliptic/tensor_volume.cuh>
#include <cuda/operators/elliptic/thread_laplace.cuh>
#include <cuda/operators/spaces/copied_modes.cuh>
#include <cuda/operators/spaces/element_threads.cuh>
#include <memory>
#include <type_traits>

namespace Saltus
{
  namespace
  {
    /// How the sparse form runs best.
    struct SparseLaunch
    {
      FaceLoop face_loop;
      int      min_blocks; ///< of threads on a multiprocessor: bounds the registers of a thread
      bool     in_parts = false; ///< whether the faces have a kernel of their own
    };

    /// Measured on an H100, by degree. The instructions of unrolled code must fit into their cache,
    /// and the sums of a thread into its registers.
    template <int dim, typename Number, int degree, bool smooths>
    constexpr SparseLaunch
    sparse_launch()
    {
      constexpr auto unrolled = FaceLoop::unrolled, rolled = FaceLoop::rolled;
      // double precision, single precision, a step of the smoother
      constexpr SparseLaunch triangles[3][8]  = {{{unrolled, 8},
                                                  {unrolled, 6},
                                                  {rolled, 5},
                                                  {rolled, 5},
                                                  {rolled, 4},
                                                  {rolled, 3},
                                                  {rolled, 2},
                                                  {rolled, 2}},
                                                 {{unrolled, 12},
                                                  {unrolled, 9},
                                                  {unrolled, 7},
                                                  {unrolled, 5},
                                                  {unrolled, 4},
                                                  {unrolled, 3},
                                                  {rolled, 5},
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
        {{unrolled, 4},
         {rolled, 4},
         {rolled, 3},
         {rolled, 2},
         {rolled, 2, true},
         {rolled, 2, true}},
        {{unrolled, 8}, {unrolled, 6}, {unrolled, 3}, {rolled, 4}, {rolled, 2}, {rolled, 2}},
        {{unrolled, 4}, {unrolled, 3}, {rolled, 3}, {rolled, 2}, {rolled, 2}, {rolled, 2}}};
      constexpr int kind = smooths ? 2 : sizeof(Number) == sizeof(float) ? 1 : 0;
      if constexpr (dim == 2)
        return triangles[kind][degree - 1];
      else
        return tetrahedra[kind][degree - 1];
    }

    /// Whether there is a kernel for a step of the smoother. Levels of multigrid are in single
    /// precision; of many modes blocks are no work for one thread.
    template <int dim, typename Number, int degree>
    constexpr bool
    has_smoothing_kernel()
    {
      return sizeof(Number) == sizeof(float) && Simplex<dim>::n_modes(degree) <= 28;
    }

    /// Operands of arithmetic come from the cache of constants, 2 KB, or are instructions: numbers
    /// in single precision at no cost, those in double precision with one more of its own.
    template <int dim, typename Number, int degree>
    using SparseEntries =
      std::conditional_t<sizeof(Number) == sizeof(double) &&
                           SparseModalLayout<dim>(degree).size * sizeof(double) <= 2400,
                         StoredEntries<dim, degree, Number>,
                         CompiledEntries<dim, degree, Number>>;

    /// The sparse form as it runs best.
    template <int dim,
              typename Number,
              int         degree,
              bool        matched,
              bool        smooths,
              ElementPart part,
              int         n_components_>
    struct SparseForm
    {
      static constexpr int n_components = n_components_;

      static constexpr SparseLaunch launch = sparse_launch<dim, Number, degree, smooths>();

      template <bool keeps_own>
      using Copied = CopiedModes<Number, Simplex<dim>::n_modes(degree), keeps_own, n_components>;

      /// Whether a multiprocessor of the GPUs for which this was measured has the shared memory, of
      /// which sums that are not in registers need some.
      template <bool keeps_own>
      static constexpr bool
        fits = launch.min_blocks *Copied<keeps_own>::shared_bytes(n_threads) <= 200 * 1024;

      using Copies = Copied<fits<true>>;

      static constexpr bool copies = launch.face_loop == FaceLoop::rolled &&
                                     part != ElementPart::volume && fits<Copies::keeps_own>;

      using Access  = std::conditional_t<copies, Copies, ModesInMemory>;
      using Entries = SparseEntries<dim, Number, degree>;
      using Element = SparseLaplaceElement<dim,
                                           degree,
                                           Number,
                                           Number,
                                           1,
                                           launch.face_loop,
                                           matched,
                                           smooths,
                                           Entries,
                                           Access,
                                           part,
                                           n_components>;

      static constexpr int shared_bytes = copies ? Copies::shared_bytes(n_threads) : 0;
    };

    template <typename Form, typename Number>
    __global__ void
    __launch_bounds__(n_threads, Form::launch.min_blocks)
      sparse_laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg,
                            const __grid_constant__ typename Form::Entries   entries)
    {
      extern __shared__ double memory[];
      const int                element = arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x;
      if (element / block_size < n_blocks(arg.mesh.end))
        typename Form::Element(arg, entries, typename Form::Access(memory))
          .run(element, component<Form::n_components>());
    }

    template <int dim, typename Number>
    __global__ void
    __launch_bounds__(n_threads) robin_kernel(const __grid_constant__ LaplaceArguments<Number> arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x;
      if (element < arg.mesh.end)
        add_robin_terms<dim>(arg, element);
    }

    /// Of elements that are not affine.
    template <int dim, typename Number, int degree, int n_components>
    class CudaStoredKernels : public LaplaceKernels<dim, Number, n_components>
    {
      using Fast = CudaKernels::TensorLaplaceLauncher<dim, degree, Number, n_components>;

      /// With one thread an element, if that is compiled.
      template <bool is_compiled, typename Form>
      using Threads = std::conditional_t<is_compiled,
                                         CudaKernels::ThreadLaplaceLauncher<Form, n_components>,
                                         CudaKernels::NoLauncher<Number>>;

      using AtPoints =
        Threads<threads_read_form(dim, degree), CudaKernels::FormAtPoints<dim, degree, Number>>;

      template <int map_degree>
      using Mapped = Threads<mapped_laplace_degree(degree, map_degree) == map_degree &&
                               threads_make_form(dim, degree, map_degree),
                             CudaKernels::FormOfMaps<degree, map_degree, Number>>;

    public:
      /// @param host the reference element in host memory
      explicit CudaStoredKernels(const ElementTables<Number> &host)
      {
        if (Fast::fits(host))
          fast = std::make_unique<Fast>(host);
        if (AtPoints::fits(host))
          at_points = std::make_unique<AtPoints>(host);
        if (Mapped<degree>::fits(host))
          mapped = std::make_unique<Mapped<degree>>(host);
        if (Mapped<degree + 1>::fits(host))
          mapped_above = std::make_unique<Mapped<degree + 1>>(host);
      }

      void
      apply(const LaplaceArguments<Number> &arg) const override
      {
        launch(arg);
        CudaRuntime::check_launch("Laplace operator");
      }

      const char *
      fallback() const override
      {
        return fast ? nullptr : reads_stored_geometry;
      }

    private:
      void
      launch(const LaplaceArguments<Number> &arg) const
      {
        if (at_points && AtPoints::takes(arg))
          return (*at_points)(arg);
        if (mapped && Mapped<degree>::takes(arg))
          return (*mapped)(arg);
        if (mapped_above && Mapped<degree + 1>::takes(arg))
          return (*mapped_above)(arg);
        using Tables = QuadratureTables<dim, Number>;
        if (fast && Fast::takes(arg))
          (*fast)(arg);
        else
          apply_by_quadrature<GeometryKind::stored, dim, Tables, n_components>(arg);
      }

      std::unique_ptr<Fast>               fast;
      std::unique_ptr<AtPoints>           at_points;
      std::unique_ptr<Mapped<degree>>     mapped;
      std::unique_ptr<Mapped<degree + 1>> mapped_above;
    };

    template <int dim, typename Number, int degree, int n_components>
    class CudaLaplaceKernels : public LaplaceKernels<dim, Number, n_components>
    {
    public:
      CudaLaplaceKernels()
        : lack(CudaRuntime::lack_for_kernels(shared_bytes))
      {
        if (lack == nullptr)
          {
            reserve_memory<true>();
            reserve_memory<false>();
            if constexpr (has_tensor_volume)
              if (Volume::lack() == nullptr)
                volume = std::make_unique<Volume>();
          }
      }

      const char *
      fallback() const override
      {
        if constexpr (has_tensor_volume)
          return lack != nullptr ? lack : Volume::lack();
        return lack;
      }

      void
      apply(const LaplaceArguments<Number> &arg) const override
      {
        const dim3 n_blocks  = n_thread_blocks<n_components>(arg.mesh);
        const auto stream    = CudaRuntime::stream();
        using Tables         = DegreeTables<dim, Number, degree>;
        const bool is_sparse = arg.is_sparse() && lack == nullptr;
        if (!is_sparse)
          apply_by_quadrature<GeometryKind::affine, dim, Tables, n_components>(arg);
        else if (arg.matched)
          launch_sparse<true>(arg);
        else
          launch_sparse<false>(arg);
        if constexpr (n_components == 1)
          if (is_sparse && arg.has_robin)
            robin_kernel<dim, Number><<<n_blocks, n_threads, 0, stream>>>(arg);
        CudaRuntime::check_launch("Laplace operator");
      }

      bool
      smooths(const LaplaceArguments<Number> &arg) const override
      {
        return can_smooth && lack == nullptr && arg.is_sparse() && !arg.has_robin;
      }

    private:
      template <bool matched, bool smooths, ElementPart part = ElementPart::all>
      using Form = SparseForm<dim, Number, degree, matched, smooths, part, n_components>;

      static constexpr bool in_parts = sparse_launch<dim, Number, degree, false>().in_parts;
      static constexpr bool has_tensor_volume = in_parts && n_components == 1;
      static constexpr bool can_smooth =
        n_components == 1 && has_smoothing_kernel<dim, Number, degree>();

      static constexpr ElementPart with_faces = in_parts ? ElementPart::faces : ElementPart::all;

      /// Bytes that a block of any of the kernels needs.
      static constexpr int shared_bytes =
        std::max(Form<true, false, with_faces>::shared_bytes,
                 Form<true, can_smooth, can_smooth ? ElementPart::all : with_faces>::shared_bytes);

      template <bool matched>
      static void
      reserve_memory()
      {
        reserve_memory<Form<matched, false, with_faces>>();
        if constexpr (can_smooth)
          reserve_memory<Form<matched, true>>();
      }

      template <typename Form>
      static void
      reserve_memory()
      {
        CudaRuntime::allow_shared_memory(sparse_laplace_kernel<Form, Number>, Form::shared_bytes);
      }

      template <bool matched>
      void
      launch_sparse(const LaplaceArguments<Number> &arg) const
      {
        if constexpr (can_smooth)
          if (arg.blocks.words != nullptr)
            return launch<Form<matched, true>>(arg);
        if constexpr (in_parts)
          {
            launch_volume<matched>(arg);
            LaplaceArguments<Number> faces = arg;
            faces.base                     = arg.out;
            launch<Form<matched, false, ElementPart::faces>>(faces);
          }
        else
          launch<Form<matched, false>>(arg);
      }

      template <bool matched>
      void
      launch_volume(const LaplaceArguments<Number> &arg) const
      {
        if constexpr (has_tensor_volume)
          if (volume)
            return (*volume)(arg);
        launch<Form<matched, false, ElementPart::volume>>(arg);
      }

      template <typename Form>
      void
      launch(const LaplaceArguments<Number> &arg) const
      {
        sparse_laplace_kernel<Form, Number><<<n_thread_blocks<n_components>(arg.mesh),
                                              n_threads,
                                              Form::shared_bytes,
                                              CudaRuntime::stream()>>>(arg, entries);
      }

      const char *const                  lack; ///< see fallback()
      SparseEntries<dim, Number, degree> entries;

      /// Used for faces that have a kernel of their own.
      using Volume =
        std::conditional_t<has_tensor_volume, CudaKernels::TensorVolumeLauncher<degree>, int>;
      std::unique_ptr<Volume> volume;
    };

    template <int dim, typename Number, int n_components>
    LaplaceKernels<dim, Number, n_components> *
    make(const ElementTables<Number> &, const int wanted)
    {
      return make_for_degree<max_laplace_degree(dim)>(
        wanted, [](const auto degree) -> LaplaceKernels<dim, Number, n_components> * {
          return new CudaLaplaceKernels<dim, Number, decltype(degree)::value, n_components>;
        });
    }

    template <int dim, typename Number, int n_components = 1>
    bool
    register_laplace_kernels()
    {
      using Kernels                 = LaplaceKernels<dim, Number, n_components>;
      KernelRegistry<Kernels>::cuda = {&make<dim, Number, n_components>,
                                       1,
                                       max_laplace_degree(dim)};
      KernelRegistry<Kernels, GeometryKind::stored>::cuda = {
        [](const ElementTables<Number> &host, const int wanted) {
          return make_for_degree<max_laplace_degree(dim)>(
            wanted, [&](const auto degree) -> Kernels * {
              return new CudaStoredKernels<dim, Number, decltype(degree)::value, n_components>(
                host);
            });
        },
        1,
        max_laplace_degree(dim)};
      return true;
    }
  } // namespace
} // namespace Saltus

#endif
