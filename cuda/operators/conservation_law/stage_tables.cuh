// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_stage_tables_cuh
#define saltus_cuda_operators_conservation_law_stage_tables_cuh

// What the stage kernel reads of the reference element, in two forms with the same members:
//   FixedTables  numbers of points known at compile time; passed by value as a kernel argument, so
//                that unrolled loops find every entry in constant memory, as an operand
//   AnyTables    any quadrature; in global memory
// Faces' points are counted through: point `f * n_face_points() + q`.

#include <saltus/mesh/mesh_arrays.h>
#include <saltus/operators/spaces/element_tables.h>
#include <saltus/operators/spaces/hypercube_tables.h>

namespace Saltus::CudaKernels
{
  /// Fill an array of any shape from the numbers in a row at @p from.
  template <typename Array, typename Number>
  void
  copy_table(Array &to, const Number *from)
  {
    Number *const start = reinterpret_cast<Number *>(&to);
    for (std::size_t i = 0; i < sizeof(to) / sizeof(Number); ++i)
      start[i] = from[i];
  }

  template <typename Number, int dim, int degree>
  struct FixedTables
  {
    static constexpr int n_modes        = Simplex<dim>::n_modes(degree);
    static constexpr int n_faces        = Simplex<dim>::n_faces;
    static constexpr int nv             = Simplex<dim>::n_quadrature_points(2 * degree);
    static constexpr int nf             = Simplex<dim - 1>::n_quadrature_points(2 * degree + 1);
    static constexpr int unroll         = nv > n_faces *nf ? nv : n_faces *nf;
    static constexpr int n_orientations = Simplex<dim>::n_orientations;

    /// Entries of the tables beyond which unrolled code no longer pays.
    static constexpr int  max_entries = 2000;
    static constexpr bool available   = n_modes * (nv * (dim + 1) + n_faces * nf) <= max_entries;

    Number volume_values[nv][n_modes];
    Number volume_gradients[nv][dim][n_modes];
    Number volume_weights[nv];
    Number face_values[n_faces * nf][n_modes];
    Number face_weights[nf];
    Number face_normals[n_faces][dim];
    Number vertex_values[Simplex<dim>::n_vertices][n_modes];

    void
    make(const ElementTables<Number> &from)
    {
      copy_table(volume_values, from.volume_values);
      copy_table(volume_gradients, from.volume_gradients);
      copy_table(volume_weights, from.volume_weights);
      copy_table(face_values, from.face_values);
      copy_table(face_weights, from.face_weights);
      copy_table(face_normals, from.face_normals);
      copy_table(vertex_values, from.vertex_values);
    }

    static constexpr __device__ int
    n_volume_points()
    {
      return nv;
    }

    static constexpr __device__ int
    n_face_points()
    {
      return nf;
    }

    __device__ __forceinline__ Number
    volume_value(const int q, const int m) const
    {
      return volume_values[q][m];
    }

    __device__ __forceinline__ Number
    volume_gradient(const int q, const int r, const int m) const
    {
      return volume_gradients[q][r][m];
    }

    __device__ __forceinline__ Number
    face_value(const int point, const int m) const
    {
      return face_values[point][m];
    }

    /// `[point][m]`
    __device__ __forceinline__ const Number *
    face_rows() const
    {
      return face_values[0];
    }

    /// `[v][m]`
    __device__ __forceinline__ const Number *
    vertex_rows() const
    {
      return vertex_values[0];
    }

    /// Face values and permutations in shared memory: the neighbours' faces differ between lanes.
    struct NeighborTables
    {
      /// An odd number of 8-byte words between faces spreads them over the banks.
      static constexpr int stride = (nf * n_modes) | 1;

      static_assert(nf <= 256, "the permutations hold bytes");
      Number        values[n_faces * stride];
      unsigned char permutations[n_orientations * nf];

      __device__ __forceinline__ void
      load(const ElementTables<Number> &tables)
      {
        for (int i = threadIdx.x; i < n_faces * nf * n_modes; i += blockDim.x)
          values[i / (nf * n_modes) * stride + i % (nf * n_modes)] = tables.face_values[i];
        for (int i = threadIdx.x; i < n_orientations * nf; i += blockDim.x)
          permutations[i] = tables.face_permutations[i];
        __syncthreads();
      }

      /// The neighbour's basis functions at the point that it has opposite to point @p q.
      __device__ __forceinline__ const Number *
      row(const ElementTables<Number> & /*tables*/, const FaceRecord &across, const int q) const
      {
        return values + across.face * stride + permutations[across.orientation * nf + q] * n_modes;
      }
    };
  };

  template <typename Number, int dim, int degree>
  struct AnyTables
  {
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    static constexpr int n_faces = Simplex<dim>::n_faces;
    static constexpr int unroll  = 1;

    ElementTables<Number> tables;
    const Number         *volume_weights, *face_weights;
    const Number (*face_normals)[dim];

    void
    make(const ElementTables<Number> &from)
    {
      tables         = from;
      volume_weights = from.volume_weights;
      face_weights   = from.face_weights;
      face_normals   = reinterpret_cast<const Number(*)[dim]>(from.face_normals);
    }

    __device__ __forceinline__ int
    n_volume_points() const
    {
      return tables.n_volume_points;
    }

    __device__ __forceinline__ int
    n_face_points() const
    {
      return tables.n_face_points;
    }

    __device__ __forceinline__ Number
    volume_value(const int q, const int m) const
    {
      return __ldg(tables.volume_values + q * n_modes + m);
    }

    __device__ __forceinline__ Number
    volume_gradient(const int q, const int r, const int m) const
    {
      return __ldg(tables.volume_gradients + (q * dim + r) * n_modes + m);
    }

    __device__ __forceinline__ Number
    face_value(const int point, const int m) const
    {
      return __ldg(tables.face_values + point * n_modes + m);
    }

    __device__ __forceinline__ const Number *
    face_rows() const
    {
      return tables.face_values;
    }

    __device__ __forceinline__ const Number *
    vertex_rows() const
    {
      return tables.vertex_values;
    }

    struct NeighborTables
    {
      __device__ __forceinline__ void
      load(const ElementTables<Number> &)
      {}

      __device__ __forceinline__ const Number *
      row(const ElementTables<Number> &t, const FaceRecord &across, const int q) const
      {
        const int point = __ldg(t.face_permutations + across.orientation * t.n_face_points + q);
        return t.face_values + (across.face * t.n_face_points + point) * n_modes;
      }
    };
  };

  /// The tables of a shape for kernels with one thread an element.
  template <int dim, typename Number, ElementShape shape, int degree>
  using TablesOfDegree =
    std::conditional_t<shape == ElementShape::simplex,
                       QuadratureTables<dim, Number, Simplex<dim>::n_modes(degree)>,
                       HypercubeTables<dim, Number, degree>>;
} // namespace Saltus::CudaKernels

#endif
