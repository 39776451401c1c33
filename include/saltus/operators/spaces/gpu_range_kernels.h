// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_gpu_range_kernels_h
#define saltus_operators_spaces_gpu_range_kernels_h

#include <saltus/base/device/gpu_kernel.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/operators/spaces/quadrature_tables.h>

namespace Saltus
{
  /// RangeKernels of a family, see FlowFamily, on GPUs, for any degree: one thread an element.
  template <typename Family, GeometryKind kind>
  class GpuRangeKernels : public RangeKernels<typename Family::Arguments>
  {
    using Arguments = typename Family::Arguments;
    using Tables    = QuadratureTables<Family::dim, typename Arguments::value_type>;

  public:
    void
    apply(const Arguments &arg) const override
    {
      kernel.launch(arg.mesh.end - arg.mesh.begin, {}, arg);
    }

    const char *
    fallback() const override
    {
      return kind == GeometryKind::stored ? reads_stored_geometry : nullptr;
    }

  private:
    const GpuKernel kernel{
      {instance_name("ElementThreadsProgram",
                     {type_name<Family>(), cpp_value(kind), type_name<Tables>()}),
       {KernelSource::Argument::of<Arguments>()},
       {}}};
  };

  /// Enter the kernels of a family into the table of one kind of element.
  template <typename Family, GeometryKind kind, ElementShape shape = ElementShape::simplex>
  bool
  register_gpu_range(const int max_degree = Family::max_degree)
  {
    using Kernels                              = RangeKernels<typename Family::Arguments>;
    KernelRegistry<Kernels, kind, shape>::cuda = {
      [](const ElementTables<typename Kernels::value_type> &, const int) -> Kernels * {
        return new GpuRangeKernels<Family, kind>;
      },
      1,
      max_degree};
    return true;
  }

  /// The same for all kinds of elements of one shape.
  template <typename Family, ElementShape shape = ElementShape::simplex>
  bool
  register_gpu_ranges(const int max_degree = Family::max_degree)
  {
    return register_gpu_range<Family, GeometryKind::affine, shape>(max_degree) &&
           register_gpu_range<Family, GeometryKind::stored, shape>(max_degree);
  }
} // namespace Saltus

#endif
