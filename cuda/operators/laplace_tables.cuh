// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_laplace_tables_cuh
#define saltus_cuda_operators_laplace_tables_cuh

#include <cuda/operators/stage_tables.cuh>

// What the Laplace kernel reads of the reference element where numbers of points are known at
// compile time, as LaplaceTables has it. Array shapes:
//   volume_gradients  [q][r][m]           kernel argument: constant operands of unrolled code
//   face_values       [f q][m]            kernel argument
//   face_gradients    [f q][r][m]         kernel argument
//   rows              [f q][m][4]         shared memory: value and gradient, for the neighbours,
//                                         whose faces differ between lanes
namespace Saltus::CudaKernels
{
  template <typename Number, int dim, int degree>
  struct FixedLaplaceTables
  {
    static constexpr int modes   = Simplex<dim>::n_modes(degree);
    static constexpr int n_faces = Simplex<dim>::n_faces;
    static constexpr int nv      = Simplex<dim>::n_quadrature_points(2 * degree - 2);
    static constexpr int nf      = Simplex<dim - 1>::n_quadrature_points(2 * degree);

    /// Entries of the tables beyond which unrolled code no longer pays.
    static constexpr int  max_entries = 2100;
    static constexpr bool available = modes * (nv * dim + n_faces * nf * (dim + 1)) <= max_entries;

    Number volume_gradients[nv][dim][modes];
    Number volume_weights[nv];
    Number face_values[n_faces * nf][modes];
    Number face_gradients[n_faces * nf][dim][modes];
    Number face_weights[nf];
    Number face_normals[n_faces][dim];

    /// Whether the numbers of points are those known here.
    static bool
    fit(const ElementTables<Number> &tables)
    {
      return available && tables.n_volume_points == nv && tables.n_face_points == nf;
    }

    explicit FixedLaplaceTables(const ElementTables<Number> &host)
    {
      copy_table(volume_gradients, host.volume_gradients);
      copy_table(volume_weights, host.volume_weights);
      copy_table(face_values, host.face_values);
      copy_table(face_gradients, host.face_gradients);
      copy_table(face_weights, host.face_weights);
      copy_table(face_normals, host.face_normals);
    }

    /// Of the neighbours' faces, in shared memory.
    struct Across
    {
      static constexpr int n_orientations = Simplex<dim>::n_orientations;
      /// Rows begin at 16-byte boundaries, and points at odd multiples of 16 bytes, so that those
      /// of different faces are in different banks.
      static constexpr int row_size   = 4;
      static constexpr int point_size = modes * row_size + 16 / sizeof(Number);

      static_assert(nf <= 256, "the permutations hold bytes");
      alignas(16) Number rows[n_faces * nf][point_size];
      unsigned char permutations[n_orientations * nf];

      __device__ __forceinline__ void
      load(const ElementTables<Number> &tables)
      {
        for (int i = threadIdx.x; i < n_faces * nf * modes; i += blockDim.x)
          {
            const int point = i / modes, m = i % modes;
            Number   *row = rows[point] + m * row_size;
            row[0]        = tables.face_values[i];
            for (int r = 0; r < dim; ++r)
              row[1 + r] = tables.face_gradients[(point * dim + r) * modes + m];
          }
        for (int i = threadIdx.x; i < n_orientations * nf; i += blockDim.x)
          permutations[i] = tables.face_permutations[i];
        __syncthreads();
      }
    };
  };

  /// The two parts together, with the functions of LaplaceTables.
  template <typename Number, int dim, int degree>
  struct FixedLaplaceView
  {
    using Fixed                    = FixedLaplaceTables<Number, dim, degree>;
    static constexpr int max_modes = Fixed::modes;

    /// Everything is unrolled.
    static constexpr int unroll = Fixed::nv + Fixed::n_faces * Fixed::nf, unroll_modes =
                                                                            Fixed::modes;

    const Fixed                  &fixed;
    const typename Fixed::Across &across;

    static constexpr __device__ int
    n_modes()
    {
      return Fixed::modes;
    }

    static constexpr __device__ int
    n_faces()
    {
      return Fixed::n_faces;
    }

    static constexpr __device__ int
    n_volume_points()
    {
      return Fixed::nv;
    }

    static constexpr __device__ int
    n_face_points()
    {
      return Fixed::nf;
    }

    __device__ __forceinline__ Number
    volume_gradient(const int q, const int r, const int m) const
    {
      return fixed.volume_gradients[q][r][m];
    }

    __device__ __forceinline__ Number
    volume_weight(const int q) const
    {
      return fixed.volume_weights[q];
    }

    __device__ __forceinline__ Number
    face_value(const int point, const int m) const
    {
      return fixed.face_values[point][m];
    }

    __device__ __forceinline__ Number
    face_gradient(const int point, const int r, const int m) const
    {
      return fixed.face_gradients[point][r][m];
    }

    __device__ __forceinline__ Number
    face_weight(const int q) const
    {
      return fixed.face_weights[q];
    }

    __device__ __forceinline__ Number
    face_normal(const int face, const int r) const
    {
      return fixed.face_normals[face][r];
    }

    __device__ __forceinline__ int
    point_across(const FaceRecord &face, const int q) const
    {
      return face.face * Fixed::nf + across.permutations[face.orientation * Fixed::nf + q];
    }

    __device__ __forceinline__ Number
    value_across(const int point, const int m) const
    {
      return across.rows[point][m * Fixed::Across::row_size];
    }

    __device__ __forceinline__ Number
    gradient_across(const int point, const int r, const int m) const
    {
      return across.rows[point][m * Fixed::Across::row_size + 1 + r];
    }
  };
} // namespace Saltus::CudaKernels

#endif
