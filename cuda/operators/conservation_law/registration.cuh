// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_registration_cuh
#define saltus_cuda_operators_conservation_law_registration_cuh

// How kernels of conservation laws enter the tables, and of which degrees.

#include <saltus/mesh/mesh_arrays.h>
#include <saltus/physics/check_law.h>

namespace Saltus::CudaKernels
{
  /// Degrees compiled: 0 to 5 on triangles, 0 to 4 on tetrahedra.
  constexpr int
  max_degree(const int dim)
  {
    return dim == 2 ? 5 : 4;
  }

  /// Degrees compiled on quadrilaterals and hexahedra.
  constexpr int
  max_tensor_degree(const int dim)
  {
    return dim == 2 ? 6 : 5;
  }

  constexpr int
  max_degree(const ElementShape shape, const int dim)
  {
    return shape == ElementShape::simplex ? max_degree(dim) : max_tensor_degree(dim);
  }
} // namespace Saltus::CudaKernels

#define SALTUS_CONCATENATE_(a, b) a##b
#define SALTUS_CONCATENATE(a, b) SALTUS_CONCATENATE_(a, b)

/// `CudaKernels::function<Law, Number>()` before the program begins.
#define SALTUS_REGISTER_CUDA(function, Number, ...)                                 \
  namespace                                                                         \
  {                                                                                 \
    [[maybe_unused]] const bool SALTUS_CONCATENATE(registered_, __COUNTER__) = [] { \
      using namespace Saltus;                                                       \
      using Law = __VA_ARGS__;                                                      \
      return CudaKernels::function<Law, Number>();                                  \
    }();                                                                            \
  }

#endif
