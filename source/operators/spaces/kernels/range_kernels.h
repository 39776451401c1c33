// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_spaces_kernels_range_kernels_h
#define saltus_source_operators_spaces_kernels_range_kernels_h

#include <saltus/base/algebra/pack.h>
#include <saltus/base/device/threads.h>
#include <saltus/mesh/mesh_arrays.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/operators/spaces/quadrature_tables.h>

#include <algorithm>
#include <type_traits>

namespace
{
  using namespace Saltus;

  /// Call @p work for the first of every so many elements of the range of @p mesh.
  template <typename Number, typename Work>
  void
  for_element_groups(const MeshArrays<Number> &mesh, const int width, const Work &work)
  {
    parallel_for(n_blocks(mesh.end - mesh.begin), [&](const int begin, const int end) {
      const int last = std::min(mesh.begin + end * block_size, mesh.end);
      for (int first = mesh.begin + begin * block_size; first < last; first += width)
        work(first);
    });
  }

  /// RangeKernels of a family, see FlowFamily, for one set of vector instructions.
  /// @tparam kind of the elements' geometry
  /// @tparam width elements at a time
  /// @tparam Tables see QuadratureTables
  template <typename Family, GeometryKind kind, int width, typename Tables>
  class CpuRangeKernels : public RangeKernels<typename Family::Arguments>
  {
    using Arguments = typename Family::Arguments;
    using Number    = typename Arguments::value_type;
    using T         = std::conditional_t<width == 1, Number, Pack<Number, width>>;
    using Element   = typename Family::template Element<kind, T, width, Tables>;

  public:
    void
    apply(const Arguments &arg) const override
    {
      for_element_groups(arg.mesh, width, [&](const int first) {
        const Tables tables(arg.tables);
        Element(arg, tables, first).run();
      });
    }

    const char *
    fallback() const override
    {
      return kind == GeometryKind::stored ? reads_stored_geometry : nullptr;
    }
  };

  template <typename Family, GeometryKind kind, int width, ElementShape shape, typename Tables>
  void
  enrol_for_kind(const int max_degree)
  {
    using Kernels = RangeKernels<typename Family::Arguments>;
    KernelRegistry<Kernels, kind, shape>::cpu[SALTUS_ISA_LEVEL] = {
      [](const ElementTables<typename Kernels::value_type> &, const int) -> Kernels * {
        return new CpuRangeKernels<Family, kind, width, Tables>;
      },
      1,
      max_degree};
  }

  /// Elements at a time that fill the registers.
  template <typename Family>
  constexpr int full_width = vector_bytes / sizeof(typename Family::Arguments::value_type);

  template <typename Family,
            int          width = full_width<Family>,
            ElementShape shape = ElementShape::simplex,
            typename Tables = QuadratureTables<Family::dim, typename Family::Arguments::value_type>>
  bool
  enrol(const int max_degree = Family::max_degree)
  {
    enrol_for_kind<Family, GeometryKind::affine, width, shape, Tables>(max_degree);
    enrol_for_kind<Family, GeometryKind::stored, width, shape, Tables>(max_degree);
    return true;
  }
} // namespace

#endif
