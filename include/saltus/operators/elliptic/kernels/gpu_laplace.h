// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_gpu_laplace_h
#define saltus_operators_elliptic_kernels_gpu_laplace_h

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/gpu_kernel.h>
#include <saltus/operators/elliptic/kernels/laplace_forms.h>
#include <saltus/operators/spaces/quadrature_tables.h>

#include <algorithm>
#include <string>
#include <vector>

namespace Saltus
{
  /// The common part of the GPU back ends of the Laplace operator, with the general form by
  /// quadrature. The forms are programs of cuda/operators/elliptic. They are compiled when a run
  /// first needs them.
  template <int dim, typename Number, int n_components>
  class GpuLaplaceBase : public LaplaceKernels<dim, Number, n_components>
  {
  protected:
    using Arguments = LaplaceArguments<Number>;

    /// @param tables class of the reference element that the general form takes
    GpuLaplaceBase(const GeometryKind kind, const std::string &tables)
      : general_name(instance_name("QuadratureLaplaceProgram",
                                   {cpp_value(kind),
                                    std::to_string(dim),
                                    type_name<Number>(),
                                    tables,
                                    std::to_string(n_components)}))
    {
      // Operators with one component are also assembled, by this form.
      if (n_components == 1)
        general();
    }

    static GpuKernel
    without_tables(const std::string &program)
    {
      return GpuKernel({program, {KernelSource::Argument::of<Arguments>()}, {}});
    }

    static GpuKernel
    with_tables(const std::string &program)
    {
      return GpuKernel({program,
                        {KernelSource::Argument::of<Arguments>()},
                        {KernelSource::Argument::of<ElementTables<Number>>()}});
    }

    static void
    launch(const GpuKernel &kernel, const Arguments &arg)
    {
      kernel.launch(arg.mesh.end - arg.mesh.begin, {}, arg);
    }

    static void
    launch_with_tables(GpuKernel &kernel, const Arguments &arg)
    {
      kernel.set_tables(arg.tables);
      launch(kernel, arg);
    }

    /// The general form.
    const GpuKernel &
    general() const
    {
      if (!by_quadrature)
        by_quadrature = without_tables(general_name);
      return by_quadrature;
    }

  private:
    const std::string general_name;
    mutable GpuKernel by_quadrature;
  };

  /// The GPU back end of the Laplace operator on affine simplices, for any degree that rules and
  /// tables know.
  template <int dim, typename Number, int n_components>
  class GpuLaplace : public GpuLaplaceBase<dim, Number, n_components>
  {
    using Base = GpuLaplaceBase<dim, Number, n_components>;
    using typename Base::Arguments;

  public:
    explicit GpuLaplace(const int degree)
      : Base(GeometryKind::affine,
             "Saltus::QuadratureTables<" + std::to_string(dim) + ", " + type_name<Number>() + ", " +
               std::to_string(Simplex<dim>::n_modes(degree)) + ">")
      , degree(degree)
      , in_parts(sparse_launch<dim, Number>(degree, false).in_parts)
      , can_smooth(n_components == 1 && has_smoothing_kernel<dim, Number>(degree))
      , lack(CudaRuntime::lack_for_kernels(
          std::max(shared_bytes(false), can_smooth ? shared_bytes(true) : 0)))
      , volume_lack(in_parts && n_components == 1 && lack == nullptr
                      ? CudaRuntime::lack_for_kernels(tensor_volume_bytes(degree), true)
                      : lack)
    {}

    const char *
    fallback() const override
    {
      return volume_lack;
    }

    void
    prepare(const Arguments &arg) const override
    {
      if (!is_sparse(arg))
        {
          this->general();
          return;
        }
      sparse(arg, false);
      if (smooths(arg))
        sparse(arg, true);
      if (in_parts)
        volume(arg);
      if (has_robin(arg))
        robin();
    }

    void
    apply(const Arguments &arg) const override
    {
      if (!is_sparse(arg))
        this->launch(this->general(), arg);
      else if (can_smooth && arg.blocks.words != nullptr)
        this->launch_with_tables(sparse(arg, true), arg);
      else if (in_parts)
        {
          this->launch_with_tables(volume(arg), arg);
          Arguments faces = arg;
          faces.base      = arg.out;
          this->launch_with_tables(sparse(arg, false), faces);
        }
      else
        this->launch_with_tables(sparse(arg, false), arg);
      if (is_sparse(arg) && has_robin(arg))
        this->launch(robin(), arg);
    }

    bool
    smooths(const Arguments &arg) const override
    {
      return can_smooth && is_sparse(arg) && !arg.has_robin;
    }

  private:
    bool
    is_sparse(const Arguments &arg) const
    {
      return arg.is_sparse() && lack == nullptr;
    }

    static bool
    has_robin(const Arguments &arg)
    {
      return n_components == 1 && arg.has_robin;
    }

    /// The part of the work that the kernel for faces does.
    ElementPart
    with_faces(const bool smooths) const
    {
      return in_parts && !smooths ? ElementPart::faces : ElementPart::all;
    }

    int
    shared_bytes(const bool smooths) const
    {
      return sparse_copies<dim, Number>(degree, smooths, with_faces(smooths)).shared_bytes;
    }

    GpuKernel
    sparse_form(const bool matched, const bool smooths, const ElementPart part) const
    {
      return Base::with_tables(instance_name("SparseLaplaceProgram",
                                             {std::to_string(dim),
                                              type_name<Number>(),
                                              std::to_string(degree),
                                              cpp_value(matched),
                                              cpp_value(smooths),
                                              cpp_value(part),
                                              std::to_string(n_components)}));
    }

    GpuKernel &
    sparse(const Arguments &arg, const bool smooths) const
    {
      GpuKernel &kernel = sparse_kernels[arg.matched][smooths];
      if (!kernel)
        kernel = sparse_form(arg.matched, smooths, with_faces(smooths));
      return kernel;
    }

    /// The volume term, where faces have a kernel of their own.
    GpuKernel &
    volume(const Arguments &arg) const
    {
      const bool on_tensor_cores = n_components == 1 && volume_lack == nullptr;
      GpuKernel &kernel          = volume_kernels[arg.matched && !on_tensor_cores];
      if (!kernel)
        kernel =
          on_tensor_cores
            ? Base::with_tables(instance_name("TensorVolumeProgram", {std::to_string(degree)}))
            : sparse_form(arg.matched, false, ElementPart::volume);
      return kernel;
    }

    const GpuKernel &
    robin() const
    {
      if (!robin_kernel)
        robin_kernel = Base::without_tables(
          instance_name("RobinProgram", {std::to_string(dim), type_name<Number>()}));
      return robin_kernel;
    }

    const int         degree;
    const bool        in_parts; ///< whether faces have a kernel of their own
    const bool        can_smooth;
    const char *const lack;                 ///< the reason for the general form
    const char *const volume_lack;          ///< see fallback()
    mutable GpuKernel sparse_kernels[2][2]; ///< by `matched`, and whether they smooth
    mutable GpuKernel volume_kernels[2];
    mutable GpuKernel robin_kernel;
  };

  /// The same on simplices whose geometry is stored.
  template <int dim, typename Number, int n_components>
  class GpuCurvedLaplace : public GpuLaplaceBase<dim, Number, n_components>
  {
    using Base = GpuLaplaceBase<dim, Number, n_components>;
    using typename Base::Arguments;

  public:
    /// @param tables in host memory
    GpuCurvedLaplace(const ElementTables<Number> &tables, const int degree)
      : Base(GeometryKind::stored, type_name<QuadratureTables<dim, Number>>())
      , degree(degree)
      , nv(tables.n_volume_points)
      , nf(tables.n_face_points)
      , is_fast(CudaRuntime::lack_for_kernels(tensor_laplace_bytes<dim, Number>(degree, false, nf),
                                              true) == nullptr)
      , threads_read(threads_read_form(dim, degree) && has_rules_of_threads(degree))
      , threads_make{makes_form(degree), makes_form(degree + 1)}
    {}

    const char *
    fallback() const override
    {
      return is_fast ? nullptr : reads_stored_geometry;
    }

    void
    prepare(const Arguments &arg) const override
    {
      if (GpuKernel *const kernel = fast_form(arg); kernel == nullptr)
        this->general();
    }

    void
    apply(const Arguments &arg) const override
    {
      if (GpuKernel *const kernel = fast_form(arg); kernel != nullptr)
        this->launch_with_tables(*kernel, arg);
      else
        this->launch(this->general(), arg);
    }

  private:
    /// Whether the rules are those compiled into the forms with one thread an element, and the
    /// device has the shared memory.
    bool
    has_rules_of_threads(const int map_degree) const
    {
      return nv == Simplex<dim>::n_quadrature_points(curved_form_degree(dim, degree, map_degree)) &&
             nf == Simplex<dim - 1>::n_quadrature_points(2 * degree) &&
             CudaRuntime::lack_for_kernels(thread_laplace_bytes<dim, Number>(degree, map_degree)) ==
               nullptr;
    }

    bool
    makes_form(const int map_degree) const
    {
      return mapped_laplace_degree(degree, map_degree) == map_degree &&
             threads_make_form(dim, degree, map_degree) && has_rules_of_threads(map_degree);
    }

    /// A form with one thread an element or with tensor cores; nullptr if there is none.
    GpuKernel *
    fast_form(const Arguments &arg) const
    {
      if (!arg.is_whole())
        return nullptr;
      if (arg.reaction.constant == Number(0) && arg.reaction.volume == nullptr)
        {
          const std::string number = type_name<Number>(), p = std::to_string(degree);
          if (threads_read)
            return &threads(at_points, "FormAtPoints", {std::to_string(dim), p, number});
          const int kept = mapped_laplace_degree(degree, arg.map_degree);
          if (arg.pointwise.map_modes != nullptr && threads_make[kept - degree])
            return &threads(of_maps[kept - degree],
                            "FormOfMaps",
                            {p, std::to_string(kept), number});
        }
      if (!is_fast)
        return nullptr;
      if (!on_tensor_cores)
        on_tensor_cores = Base::with_tables(instance_name("TensorLaplaceProgram",
                                                          {std::to_string(dim),
                                                           std::to_string(degree),
                                                           type_name<Number>(),
                                                           std::to_string(n_components),
                                                           std::to_string(nv),
                                                           std::to_string(nf)}));
      return &on_tensor_cores;
    }

    static GpuKernel &
    threads(GpuKernel &kernel, const std::string &form, const std::vector<std::string> &arguments)
    {
      if (!kernel)
        kernel = Base::with_tables(
          instance_name("ThreadLaplaceProgram",
                        {instance_name(form, arguments), std::to_string(n_components)}));
      return kernel;
    }

    const int         degree;
    const int         nv, nf;          ///< points of the rules in the volume and on a face
    const bool        is_fast;         ///< whether tensor cores can do all
    const bool        threads_read;    ///< see threads_read_form()
    const bool        threads_make[2]; ///< see threads_make_form(); maps of this degree and above
    mutable GpuKernel at_points, of_maps[2], on_tensor_cores;
  };

  /// The same on quadrilaterals or hexahedra with the points of their basis.
  template <int dim, typename Number, int n_components>
  class GpuHypercubeLaplace : public GpuLaplaceBase<dim, Number, n_components>
  {
    using Base = GpuLaplaceBase<dim, Number, n_components>;
    using typename Base::Arguments;

  public:
    GpuHypercubeLaplace(const GeometryKind kind, const int degree)
      : Base(kind,
             "Saltus::HypercubeTables<" + std::to_string(dim) + ", " + type_name<Number>() + ", " +
               std::to_string(degree) + ">")
      , kind(kind)
      , degree(degree)
    {}

    void
    prepare(const Arguments &arg) const override
    {
      if (is_whole(arg))
        whole();
      else
        this->general();
    }

    void
    apply(const Arguments &arg) const override
    {
      if (!is_whole(arg))
        this->launch(this->general(), arg);
      else
        {
          const bool is_new = whole().set_tables(arg.tables);
          if (is_new)
            whole_kernel.report_slower_form("the CUDA kernels of the Laplace operator in " +
                                              std::to_string(dim) + "D with degree " +
                                              std::to_string(degree),
                                            nullptr);
          this->launch(whole_kernel, arg);
        }
    }

  private:
    bool
    is_whole(const Arguments &arg) const
    {
      return n_components > 1 || (kind == GeometryKind::affine ? arg.is_sparse() : arg.is_whole());
    }

    GpuKernel &
    whole() const
    {
      if (!whole_kernel)
        whole_kernel = Base::with_tables(instance_name("HypercubeLaplaceProgram",
                                                       {cpp_value(kind),
                                                        std::to_string(dim),
                                                        type_name<Number>(),
                                                        std::to_string(degree),
                                                        std::to_string(n_components)}));
      return whole_kernel;
    }

    const GeometryKind kind;
    const int          degree;
    mutable GpuKernel  whole_kernel;
  };

  /// Enter the kernels for hypercubes with one kind of geometry into the tables of the operator.
  template <int dim, typename Number, int n_components, GeometryKind kind>
  void
  register_gpu_hypercube_laplace()
  {
    constexpr auto shape                       = ElementShape::hypercube;
    using Kernels                              = LaplaceKernels<dim, Number, n_components>;
    KernelRegistry<Kernels, kind, shape>::cuda = {
      [](const ElementTables<Number> &tables, const int degree) -> Kernels * {
        const int  n         = degree + 1; // points on a line
        const bool has_rules = tables.n_face_points == (dim == 2 ? n : n * n) &&
                               tables.n_volume_points == n * tables.n_face_points;
        return has_rules ? new GpuHypercubeLaplace<dim, Number, n_components>(kind, degree)
                         : nullptr;
      },
      1,
      max_laplace_degree(dim, shape)};
  }

  /// Enter the kernels for GPUs into the tables of the operator.
  template <int dim, typename Number, int n_components = 1>
  bool
  register_gpu_laplace()
  {
    using Kernels                                       = LaplaceKernels<dim, Number, n_components>;
    constexpr int max                                   = max_laplace_degree(dim);
    KernelRegistry<Kernels>::cuda                       = {[](const ElementTables<Number> &,
                                        const int degree) -> Kernels                       *{
                                       return new GpuLaplace<dim, Number, n_components>(degree);
                                     },
                                                           1,
                                                           max};
    KernelRegistry<Kernels, GeometryKind::stored>::cuda = {
      [](const ElementTables<Number> &tables, const int degree) -> Kernels * {
        return new GpuCurvedLaplace<dim, Number, n_components>(tables, degree);
      },
      1,
      max};
    register_gpu_hypercube_laplace<dim, Number, n_components, GeometryKind::affine>();
    register_gpu_hypercube_laplace<dim, Number, n_components, GeometryKind::stored>();
    return true;
  }
} // namespace Saltus

#endif
