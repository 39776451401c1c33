// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_curved_point_cuh
#define saltus_cuda_operators_elliptic_curved_point_cuh

// The geometry of a curved triangle at a point, made of the derivatives of its map.

#include <saltus/base/algebra/array.h>

#include <cuda/operators/spaces/quick_number.cuh>

namespace Saltus::CudaKernels
{
  template <typename T>
  struct CurvedPoint
  {
    static constexpr int dim = 2;

    using Vector = Array<T, dim>;

    Vector gradients[dim]; ///< of the coordinates, times the determinant
    T      inverse;        ///< one over the determinant's absolute value

    /// @param x the derivatives of the map in the coordinates' directions
    __device__ __forceinline__ explicit CurvedPoint(const Vector (&x)[dim])
    {
      gradients[0] = {{x[1][1], -x[1][0]}};
      gradients[1] = {{-x[0][1], x[0][0]}};
      inverse      = quick_inverse(::fabs(dot<dim>(x[0], gradients[0])));
    }

    /// The products of the gradients, times @p gradient.
    __device__ __forceinline__ Vector
    flux(const Vector &gradient) const
    {
      Vector in_space, result;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        {
          in_space[d] = gradient[0] * gradients[0][d];
#pragma unroll
          for (int a = 1; a < dim; ++a)
            in_space[d] += gradient[a] * gradients[a][d];
        }
#pragma unroll
      for (int a = 0; a < dim; ++a)
        result[a] = dot<dim>(gradients[a], in_space);
      return result;
    }
  };
} // namespace Saltus::CudaKernels

#endif
