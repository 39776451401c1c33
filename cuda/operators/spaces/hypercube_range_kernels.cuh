// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_hypercube_range_kernels_cuh
#define saltus_cuda_operators_spaces_hypercube_range_kernels_cuh

// RangeKernels of families on quadrilaterals and hexahedra, one thread an element.
#include <saltus/operators/spaces/hypercube_tables.h>

#include <cuda/operators/spaces/range_kernels.cuh>

namespace Saltus
{
  namespace
  {
    /// One kernel for every two degrees, with room for the modes of the higher.
    /// @tparam kind of the elements' geometry
    template <typename Family, GeometryKind kind>
    void
    enrol_hypercubes_of_kind()
    {
      using Arguments                                              = typename Family::Arguments;
      using Kernels                                                = RangeKernels<Arguments>;
      using Number                                                 = typename Kernels::value_type;
      constexpr int max                                            = Family::max_hypercube_degree;
      KernelRegistry<Kernels, kind, ElementShape::hypercube>::cuda = {
        [](const ElementTables<Number> &host, const int wanted) -> Kernels * {
          return make_for_degree<(max + 1) / 2>(
            (wanted + 1) / 2, [&](const auto number) -> Kernels * {
              constexpr int degree = 2 * decltype(number)::value;
              using Tables = HypercubeTables<Family::dim, Number, (degree < max ? degree : max)>;
              return new CudaRangeKernels<Family, kind, Tables, NoFastKernels<Arguments>>(host);
            });
        },
        1,
        max};
    }

    /// For elements of every kind.
    template <typename Family>
    bool
    enrol_hypercubes()
    {
      enrol_hypercubes_of_kind<Family, GeometryKind::affine>();
      enrol_hypercubes_of_kind<Family, GeometryKind::stored>();
      return true;
    }
  } // namespace
} // namespace Saltus

#endif
