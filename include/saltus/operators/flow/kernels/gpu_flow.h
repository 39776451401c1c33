// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_gpu_flow_h
#define saltus_operators_flow_kernels_gpu_flow_h

#include <saltus/operators/spaces/gpu_range_kernels.h>

#include <string>

namespace Saltus
{
  /// RangeKernels of a family, see FlowFamily, on GPUs in the fastest form: affine simplices and
  /// hypercubes of one degree. The programs choose the form.
  template <typename Family>
  class GpuFlow : public RangeKernels<typename Family::Arguments>
  {
    using Arguments = typename Family::Arguments;
    using Tables    = ElementTables<typename Arguments::value_type>;

  public:
    /// @param tables in host memory
    GpuFlow(const Tables      &tables,
            const ElementShape shape,
            const GeometryKind kind,
            const int          degree)
      : degree(degree)
      , source(
          {instance_name(shape == ElementShape::simplex ? "ElementWarpProgram" : "FlowTeamProgram",
                         {shape == ElementShape::simplex ? Family::warp : cpp_value(kind),
                          type_name<Family>(),
                          std::to_string(degree),
                          std::to_string(tables.n_volume_points),
                          std::to_string(tables.n_face_points)}),
           {KernelSource::Argument::of<Arguments>()},
           {KernelSource::Argument::of<Tables>()}})
    {}

    void
    prepare(const Arguments &) const override
    {
      if (!kernel)
        kernel = GpuKernel(source);
    }

    void
    apply(const Arguments &arg) const override
    {
      prepare(arg);
      if (kernel.set_tables(arg.tables))
        kernel.report_slower_form("the CUDA kernels of the " + std::string(Family::name) + " in " +
                                    std::to_string(Family::dim) + "D with degree " +
                                    std::to_string(degree),
                                  "the faster ones have the quadrature that is exact");
      kernel.launch(arg.mesh.end - arg.mesh.begin, {arg.launch.may_begin_early()}, arg);
    }

  private:
    const int          degree;
    const KernelSource source;
    mutable GpuKernel  kernel;
  };

  template <typename Family, GeometryKind kind, ElementShape shape>
  void
  register_gpu_flow(const int max_degree)
  {
    using Kernels                              = RangeKernels<typename Family::Arguments>;
    KernelRegistry<Kernels, kind, shape>::cuda = {
      [](const ElementTables<typename Kernels::value_type> &tables, const int degree) -> Kernels * {
        return new GpuFlow<Family>(tables, shape, kind, degree);
      },
      1,
      max_degree};
  }

  /// Enter the kernels of a family into the tables of all elements.
  template <typename Family>
  bool
  register_gpu_flow()
  {
    constexpr auto affine = GeometryKind::affine, stored = GeometryKind::stored;
    constexpr auto hypercube = ElementShape::hypercube;
    register_gpu_flow<Family, affine, ElementShape::simplex>(Family::max_degree);
    register_gpu_flow<Family, affine, hypercube>(Family::max_hypercube_degree);
    register_gpu_flow<Family, stored, hypercube>(Family::max_hypercube_degree);
    return register_gpu_range<Family, stored>();
  }
} // namespace Saltus

#endif
