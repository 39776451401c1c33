// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_element_programs_cuh
#define saltus_cuda_operators_spaces_element_programs_cuh

#include <saltus/base/device/launch_shape.h>
#include <saltus/mesh/mesh_arrays.h>

namespace Saltus::CudaKernels
{
  /// The kernels of a family, see FlowFamily, with one thread an element. A warp works on one
  /// block, whose coefficients it reads in full lines.
  /// @tparam kind of the elements' geometry
  /// @tparam Tables the reference element, see QuadratureTables
  template <typename Family, GeometryKind kind, typename Tables>
  struct ElementThreadsProgram
  {
    using Arguments = typename Family::Arguments;
    using Element =
      typename Family::template Element<kind, typename Arguments::value_type, 1, Tables>;

    static constexpr LaunchShape shape{128, 128};

    static __device__ __forceinline__ void
    run(const Arguments &arg)
    {
      const int element = arg.mesh.begin + blockIdx.x * shape.n_threads + threadIdx.x;
      if (element >= arg.mesh.end)
        return;
      const Tables tables(arg.tables);
      Element(arg, tables, element).run();
    }
  };
} // namespace Saltus::CudaKernels

#endif
