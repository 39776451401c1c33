// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_gpu_kernels_h
#define saltus_operators_conservation_law_kernels_gpu_kernels_h

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/gpu_kernel.h>
#include <saltus/base/ranks/gpu_group.h>
#include <saltus/operators/conservation_law/kernels/largest_rate.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/conservation_law/kernels/stage_geometry.h>
#include <saltus/operators/spaces/hanging_steps.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/operators/spaces/line_tables.h>
#include <saltus/physics/numerical_flux.h>

#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// The name of kernels in messages.
  /// @param part with a space at its end
  template <typename Law>
  std::string
  gpu_kernels_name(const std::string &part, const int degree)
  {
    return "the CUDA kernels of the " + part + Law::name + " operator in " +
           std::to_string(Law::dimension) + "D with degree " + std::to_string(degree);
  }

  /// The GPU back end of a conservation law on one kind of element, for any degree: programs of
  /// cuda/operators/conservation_law, which are compiled when a run first needs them.
  template <typename Law, typename Number>
  class GpuConservationLaw : public ConservationLawKernels<Law, Number>
  {
  public:
    /// @param tables in host memory
    GpuConservationLaw(const ElementTables<Number> &tables,
                       const ElementShape           shape,
                       const GeometryKind           kind,
                       const int                    degree)
      : shape(shape)
      , kind(kind)
      , degree(degree)
      , n_points({tables.n_volume_points, tables.n_face_points})
      , boundary(compile<StageArguments<Law, Number>, int>(
          instance_name("BoundaryProgram",
                        {std::to_string(tables.n_modes), type_name<Law>(), type_name<Number>()})))
      , outflow(compile<StageArguments<Law, Number>>("OutflowProgram"))
      , rates{rates_kernel(false), GpuKernel()}
      , advance(compile<TimeState *>(instance_name("AdvanceProgram", {type_name<Law>()})))
    {}

    void
    prepare(const StageArguments<Law, Number> &arg) const override
    {
      stage_of(arg);
      if (arg.hanging.n_faces > 0 && has_hanging_kernel(arg))
        hanging_of(arg);
    }

    bool
    takes_given_faces() const override
    {
      return shape == ElementShape::simplex;
    }

    void
    begin_stage(const StageArguments<Law, Number> &arg) const override
    {
      const int n_faces = arg.boundary.n_faces + arg.given.n;
      // On triangles of high degree, stages take longer if it begins early.
      const bool early = Law::dimension == 3 && shape == ElementShape::simplex;
      boundary.launch(static_cast<std::size_t>(n_faces) * arg.tables.n_face_points,
                      {early},
                      arg,
                      n_faces);
    }

    void
    stage(const StageArguments<Law, Number> &arg) const override
    {
      GpuKernel &kernel = stage_of(arg);
      if (kernel.set_tables(arg.tables))
        kernel.report_slower_form(gpu_kernels_name<Law>("", degree),
                                  kind == GeometryKind::affine
                                    ? "they are unrolled for the default quadrature only"
                                    : reads_stored_geometry);
      auto with_given = arg;
      if (takes_given_faces() && arg.given.faces != nullptr)
        with_given.mesh.faces = arg.given.faces;
      // The kernel before is the boundary's or that of hanging faces, for which only threads with
      // such a face wait.
      const bool early = arg.launch.may_begin_early() &&
                         arg.hanging.n_parts + arg.boundary.n_faces + arg.given.n > 0;
      // Persistent blocks would keep messages waiting.
      const int reserved = arg.launch.beside_messages ? GpuGroup::n_multiprocessors : 0;
      kernel.launch(n_elements(arg.mesh), {early, reserved}, with_given);
    }

    bool
    set_hanging_fluxes(const StageArguments<Law, Number> &arg,
                       const bool                         with_ghosts) const override
    {
      if (!has_hanging_kernel(arg))
        return false;
      const HangingRange range =
        range_of_hanging_faces(arg.hanging, arg.mesh.n_elements, with_ghosts);
      if (arg.hanging.n_faces <= range.first)
        return true;
      GpuKernel &kernel = hanging_of(arg);
      kernel.set_tables(arg.tables);
      kernel.launch(arg.hanging.n_faces - range.first, {}, arg, range);
      return true;
    }

    void
    end_stage(const StageArguments<Law, Number> &arg) const override
    {
      if (arg.coefficients.weight != 0)
        outflow.launch(static_cast<std::size_t>(arg.boundary.n_faces) * Law::n_components,
                       {arg.launch.may_begin_early()},
                       arg);
    }

    void
    step_size(const StepSizeArguments<Law, Number> &arg) const override
    {
      if (largest_rate == nullptr)
        CudaRuntime::outside_recording([&]() {
          largest_rate.reset(CudaRuntime::allocate(sizeof(LargestRate)), CudaRuntime::release);
          CudaRuntime::fill_zero(largest_rate.get(), sizeof(LargestRate));
        });
      const auto largest   = static_cast<LargestRate *>(largest_rate.get());
      const bool at_points = arg.at_points != nullptr;
      if (!rates[at_points])
        rates[at_points] = rates_kernel(at_points);
      rates[at_points].launch(std::max(1, arg.mesh.n_elements), {}, arg, largest);
    }

    void
    set_viscosities(const ViscosityArguments<Law, Number> &arg) const override
    {
      if (!viscosities)
        viscosities = compile<ViscosityArguments<Law, Number>>("ViscosityProgram");
      viscosities.launch(arg.mesh.n_elements, {}, arg);
    }

    void
    finish_step(TimeState *time) const override
    {
      advance.launch(1, {}, time);
    }

    void
    limit(const LimiterArguments<Law, Number> &arg) const override
    {
      // The operator asks for it on simplices of degree 1 only.
      if (!limiter)
        limiter = GpuKernel({instance_name("LimitProgram",
                                           {type_name<Law>(),
                                            type_name<Number>(),
                                            std::to_string(n_points[0]),
                                            std::to_string(n_points[1])}),
                             {KernelSource::Argument::of<LimiterArguments<Law, Number>>()},
                             {KernelSource::Argument::of<ElementTables<Number>>()}});
      limiter.set_tables(arg.tables);
      limiter.launch(arg.mesh.n_elements, {}, arg);
    }

    void
    limit_to_positive(const LimiterArguments<Law, Number> &arg) const override
    {
      if constexpr (Law::n_positive > 0)
        {
          if (!positive)
            positive =
              compile<LimiterArguments<Law, Number>>(instance_name("PositiveProgram",
                                                                   {type_name<Law>(),
                                                                    type_name<Number>(),
                                                                    cpp_value(shape),
                                                                    cpp_value(kind),
                                                                    std::to_string(degree)}));
          positive.launch(n_elements(arg.mesh), {}, arg);
        }
    }

    void
    project(const ElementTables<Number> &tables,
            const int                    n_elements,
            const Number                *values,
            Number                      *u) const override
    {
      if (!projection)
        projection = compile<ElementTables<Number>, int, const Number *, Number *>(
          instance_name("ProjectProgram",
                        {std::to_string(Law::n_components), type_name<Number>()}));
      projection.launch(static_cast<std::size_t>(n_elements) * Law::n_components,
                        {},
                        tables,
                        n_elements,
                        values,
                        u);
    }

    void
    primitive_to_conserved(const Law        &law,
                           const std::size_t n_points,
                           Number           *states) const override
    {
      if (!conserved)
        conserved = compile<Law, std::size_t, Number *>("ConservedProgram");
      conserved.launch(n_points, {}, law, n_points, states);
    }

  private:
    static std::size_t
    n_elements(const MeshArrays<Number> &mesh)
    {
      return mesh.end - mesh.begin;
    }

    /// Begin to compile a program.
    /// @param program its name, of an instance for the law and the number type if it has no `<`
    template <typename... Arguments>
    static GpuKernel
    compile(const std::string &program)
    {
      return GpuKernel({program.find('<') != std::string::npos
                          ? program
                          : instance_name(program, {type_name<Law>(), type_name<Number>()}),
                        {KernelSource::Argument::of<Arguments>()...},
                        {}});
    }

    static GpuKernel
    rates_kernel(const bool at_points)
    {
      return compile<StepSizeArguments<Law, Number>, LargestRate *>(
        instance_name("StepSizeProgram",
                      {type_name<Law>(), type_name<Number>(), cpp_value(at_points)}));
    }

    static StageGeometry
    geometry_of(const StageArguments<Law, Number> &arg)
    {
      if (arg.mesh.kind == GeometryKind::affine || arg.mesh.shape == ElementShape::hypercube)
        return StageGeometry::modes;
      if (Law::dimension == 2)
        return arg.stored.metric_modes != nullptr ? StageGeometry::modes : StageGeometry::points;
      if (arg.stored.groups == nullptr)
        return StageGeometry::points;
      return arg.stored.modes_are_of_tangents ? StageGeometry::tangents : StageGeometry::modes;
    }

    /// The stage for a numerical flux and the geometry in the arguments.
    GpuKernel &
    stage_of(const StageArguments<Law, Number> &arg) const
    {
      const int           flux     = NumericalFluxes<Law>::chosen(arg.law);
      const StageGeometry geometry = geometry_of(arg);
      GpuKernel          &kernel   = stages[flux][static_cast<int>(geometry)];
      if (!kernel)
        kernel = GpuKernel({instance_name("StageProgram",
                                          {type_name<Law>(),
                                           type_name<Number>(),
                                           cpp_value(shape),
                                           cpp_value(kind),
                                           cpp_value(geometry),
                                           std::to_string(degree),
                                           std::to_string(flux),
                                           std::to_string(n_points[0]),
                                           std::to_string(n_points[1])}),
                            {KernelSource::Argument::of<StageArguments<Law, Number>>()},
                            {KernelSource::Argument::of<ElementTables<Number>>()}});
      return kernel;
    }

    /// Whether the points of a hanging face fit into a warp, see HangingFluxGroup.
    bool
    has_hanging_kernel(const StageArguments<Law, Number> &arg) const
    {
      return shape == ElementShape::hypercube && arg.tables.n_face_points <= 32;
    }

    GpuKernel &
    hanging_of(const StageArguments<Law, Number> &arg) const
    {
      const int  flux   = NumericalFluxes<Law>::chosen(arg.law);
      GpuKernel &kernel = hanging[flux];
      if (!kernel)
        kernel = GpuKernel(
          {instance_name(
             "HangingFluxProgram",
             {type_name<Law>(), type_name<Number>(), std::to_string(degree), std::to_string(flux)}),
           {KernelSource::Argument::of<StageArguments<Law, Number>>(),
            KernelSource::Argument::of<HangingRange>()},
           {KernelSource::Argument::of<ElementTables<Number>>()}});
      return kernel;
    }

    const ElementShape            shape;
    const GeometryKind            kind;
    const int                     degree;
    const Array<int, 2>           n_points; ///< in the volume and on a face
    const GpuKernel               boundary, outflow;
    mutable GpuKernel             rates[2]; ///< without and with states at points
    const GpuKernel               advance;
    mutable GpuKernel             stages[NumericalFluxes<Law>::n][3]; ///< by flux and geometry
    mutable GpuKernel             hanging[NumericalFluxes<Law>::n];
    mutable GpuKernel             viscosities, limiter, positive, projection, conserved;
    mutable std::shared_ptr<void> largest_rate; ///< of the device
  };

  /// The GPU back end of second-order fluxes on one kind of element, for any degree from 1 on.
  template <typename Law, typename Number>
  class GpuSecondOrder : public SecondOrderKernels<Law, Number>
  {
  public:
    using Arguments = SecondOrderArguments<Law, Number>;

    /// @param tables in host memory
    GpuSecondOrder(const ElementTables<Number> &tables,
                   const ElementShape           shape,
                   const GeometryKind           kind,
                   const int                    degree)
      : degree(degree)
      , kind_of_element(cpp_value(shape) + ", " + cpp_value(kind) + ", " + std::to_string(degree))
      , rules(std::to_string(tables.n_volume_points) + ", " + std::to_string(tables.n_face_points))
      , boundary({instance_name("SecondOrderBoundaryProgram",
                                {type_name<Law>(), type_name<Number>(), kind_of_element}),
                  {KernelSource::Argument::of<Arguments>()},
                  {}})
    {}

    void
    prepare(const Arguments &arg) const override
    {
      kernel_for(arg);
    }

    void
    apply(const Arguments &arg) const override
    {
      const int n_elements = arg.mesh.end - arg.mesh.begin;
      if (n_elements == 0)
        return;
      GpuKernel &kernel = kernel_for(arg);
      if (kernel.set_tables(arg.tables))
        kernel.report_slower_form(gpu_kernels_name<Law>("second-order flux of the ", degree),
                                  nullptr);
      if (!kernel.shape().is_general)
        {
          const int per_block = boundary.shape().n_threads / arg.tables.n_face_points;
          const int n_blocks  = (arg.boundary.n_faces + per_block - 1) / per_block;
          boundary.launch(static_cast<std::size_t>(n_blocks) * boundary.shape().per_block, {}, arg);
        }
      kernel.launch(n_elements,
                    {arg.launch.may_begin_early(),
                     arg.launch.beside_messages ? GpuGroup::n_multiprocessors : 0},
                    arg);
    }

  private:
    GpuKernel &
    kernel_for(const Arguments &arg) const
    {
      constexpr bool is_of_law  = HasSecondOrderFlux<Law>::value;
      const bool     artificial = arg.viscosities.exist();
      bool           varies     = is_of_law && artificial;
      if constexpr (is_of_law)
        varies |= arg.law.diffusion_varies();
      GpuKernel &kernel = kernels[artificial][varies][arg.stored.has_face_frames];
      if (!kernel)
        kernel = GpuKernel({instance_name("SecondOrderProgram",
                                          {type_name<Law>(),
                                           type_name<Number>(),
                                           kind_of_element,
                                           cpp_value(artificial),
                                           cpp_value(varies),
                                           cpp_value(arg.stored.has_face_frames),
                                           rules}),
                            {KernelSource::Argument::of<Arguments>()},
                            {KernelSource::Argument::of<ElementTables<Number>>()}});
      return kernel;
    }

    const int         degree;
    const std::string kind_of_element, rules;
    const GpuKernel   boundary;
    mutable GpuKernel kernels[2][2][2];
  };

  /// Enter the kernels for GPUs into the tables of a law.
  /// @return true, for a static object that calls this function
  template <typename Law, typename Number>
  bool
  register_gpu_kernels()
  {
    const auto enter = [](const auto shape_, const auto kind_) {
      constexpr ElementShape shape = decltype(shape_)::value;
      constexpr GeometryKind kind  = decltype(kind_)::value;
      // The highest degrees that tests compare with an independent assembly.
      constexpr bool is_3d     = Law::dimension == 3;
      constexpr int max_degree = shape == ElementShape::simplex ? (is_3d ? 4 : 5) : (is_3d ? 5 : 6);

      KernelRegistry<ConservationLawKernels<Law, Number>, kind, shape>::cuda = {
        [](const ElementTables<Number> &tables,
           const int                    degree) -> ConservationLawKernels<Law, Number> * {
          return new GpuConservationLaw<Law, Number>(tables, shape, kind, degree);
        },
        0,
        max_degree};
      KernelRegistry<SecondOrderKernels<Law, Number>, kind, shape>::cuda = {
        [](const ElementTables<Number> &tables,
           const int                    degree) -> SecondOrderKernels<Law, Number> * {
          return new GpuSecondOrder<Law, Number>(tables, shape, kind, degree);
        },
        1, // degree 0 has no gradients
        max_degree};
    };
    using std::integral_constant;
    const auto enter_kinds = [&](const auto shape) {
      enter(shape, integral_constant<GeometryKind, GeometryKind::affine>());
      enter(shape, integral_constant<GeometryKind, GeometryKind::stored>());
    };
    enter_kinds(integral_constant<ElementShape, ElementShape::simplex>());
    enter_kinds(integral_constant<ElementShape, ElementShape::hypercube>());
    return true;
  }
} // namespace Saltus

#endif
