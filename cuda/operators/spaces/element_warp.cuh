// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_element_warp_cuh
#define saltus_cuda_operators_spaces_element_warp_cuh

// What operators of incompressible flow with tensor cores in double precision have in common.
//
// A warp works on 8 elements, lane 4 g + t on element g. See tensor_core.cuh for the products;
// here always two steps of four columns are done together. Modes and points of a quadrature come in
// tiles of eight, of which a lane has two:
//
//   input, sums    [j][i][c]   mode  8 j + 4 i + t of the lane's element
//   values         [i][c]      point 8 q + 4 i + t of tile q
//
// A product with the modes as columns of A has such values as D, whose fluxes are the columns of A
// in the product with the test functions, whose D are the sums. The operands B stand in tables,
// lane after lane. Tiles are filled up with zeros.
//
// Memory is accessed in another order, lane 8 t + g for mode t of element g, in which eight lanes
// want one line, not four; shuffles hand the numbers over.
//
// What the neighbours have at the points of a face goes through shared memory, where every lane
// finds it by the neighbour's number of the point. Faces have the same number on both sides in
// most meshes; if not, the neighbours' values are computed once for each number in the warp.

#include <saltus/fe/simplex.h>
#include <saltus/mesh/affine_geometry.h>

#include <cuda/operators/spaces/row.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>
#include <vector>

namespace Saltus::CudaKernels
{
  /// Append the operand of a tile, of `entry(row, column)` below 8, to a table: `[lane][step]`.
  template <typename Entry>
  void
  append_operand(std::vector<double> &table, const Entry &entry)
  {
    // Column n of D is point or mode 4 (n % 2) + n / 2 of its tile.
    for (int lane = 0; lane < 32; ++lane)
      for (int step = 0; step < 2; ++step)
        table.push_back(entry(4 * step + lane % 4, 4 * (lane / 4 % 2) + lane / 8));
  }

  /// The elements of a warp, and how its lanes share their modes.
  template <int dim, int degree>
  class ElementWarp
  {
  protected:
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    static constexpr int n_tiles = divide_up(n_modes, 8); ///< of modes

    __device__ __forceinline__
    ElementWarp(const MeshArrays<double> &mesh, const int first)
      : lane(threadIdx.x % 32)
      , t(lane % 4)
      , element(first + lane / 4)
      , accessed(first + lane % 8)
      , geometry(affine_geometry<dim>(mesh.inverse_jacobians, element))
    {
      face_of_lane = read_face(mesh.faces + point_index(element, t <= dim ? t : dim, dim + 1, 1));
    }

    template <int n>
    static __device__ __forceinline__ void
    set_zero(double (&values)[2][n])
    {
#pragma unroll
      for (int c = 0; c < n; ++c)
        values[0][c] = values[1][c] = 0.;
    }

    /// D += A B for one tile.
    /// @param both_steps whether the second column has anything
    template <int n>
    static __device__ __forceinline__ void
    multiply_add(double (&d)[2][n],
                 const double (&a)[2][n],
                 const double2 b,
                 const bool    both_steps = true)
    {
#pragma unroll
      for (int c = 0; c + 1 < n; c += 2)
        {
          Pair       sum[2] = {{d[0][c], d[0][c + 1]}, {d[1][c], d[1][c + 1]}};
          const Pair a0 = {a[0][c], a[0][c + 1]}, a1 = {a[1][c], a[1][c + 1]};
          if (both_steps)
            CudaKernels::multiply_add(sum, a0, a1, b.x, b.y);
          else
            CudaKernels::multiply_add(sum, a0, b.x);
#pragma unroll
          for (int i = 0; i < 4; ++i)
            d[i / 2][c + i % 2] = sum[i / 2][i % 2];
        }
      if constexpr (n % 2 == 1)
        {
          double sum[2] = {d[0][n - 1], d[1][n - 1]};
          CudaKernels::multiply_add(sum, a[0][n - 1], b.x);
          if (both_steps)
            CudaKernels::multiply_add(sum, a[1][n - 1], b.y);
          d[0][n - 1] = sum[0];
          d[1][n - 1] = sum[1];
        }
    }

    static constexpr __device__ __forceinline__ bool
    has_second_step(const int j)
    {
      return 8 * j + 4 < n_modes;
    }

    /// Face @p f of the element of another lane.
    __device__ __forceinline__ FaceRecord
    face(const int f, const int of_lane) const
    {
      unsigned long long word;
      memcpy(&word, &face_of_lane, sizeof(word));
      word = __shfl_sync(~0U, word, of_lane - of_lane % 4 + f);
      FaceRecord result;
      memcpy(static_cast<void *>(&result), &word, sizeof(word));
      return result;
    }

    /// The lane whose element is the one that this lane accesses.
    __device__ __forceinline__ int
    lane_of_accessed() const
    {
      return 4 * (lane % 8);
    }

    /// Whether this lane reads and writes a mode in step @p i of tile @p j.
    __device__ __forceinline__ bool
    has_mode(const int j, const int i) const
    {
      const int m = 8 * j + 4 * i;
      return m + 3 < n_modes || m + lane / 8 < n_modes;
    }

    /// Call `body(j, i)` for all modes that this lane reads and writes.
    template <typename Body>
    __device__ __forceinline__ void
    for_modes(const Body &body) const
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (has_mode(j, i))
            body(j, i);
    }

    /// Read the mode of step @p i of tile @p j in a vector with @p nc components, whose first
    /// number of the element is at @p start. Beyond the last mode it is repeated: there the
    /// operands are zero.
    template <int nc>
    __device__ __forceinline__ Row<nc, double>
                               read_mode(const double *start, const int j, const int i) const
    {
      return Row<nc, double>::read(
        start + (has_mode(j, i) ? 8 * j + 4 * i + lane / 8 : n_modes - 1) * mode_stride(nc));
    }

    /// Where component 0 of a mode that this lane writes is in a vector with @p nc components.
    template <int nc>
    __device__ __forceinline__ std::size_t
                               position(const int j, const int i) const
    {
      return coefficient_index(accessed, 8 * j + 4 * i + lane / 8, n_modes, nc);
    }

    template <int nc>
    __device__ __forceinline__ void
    write_mode(const double (&values)[nc], double *to, const int j, const int i) const
    {
      Row<nc, double> row;
#pragma unroll
      for (int c = 0; c < nc; ++c)
        row.values[c] = values[c];
      row.write(to + position<nc>(j, i));
    }

    /// From the lane 8 t + g that has read numbers of element g to this one.
    template <int n, int nc>
    __device__ __forceinline__ void
    hand_over(double (&modes)[n][2][nc]) const
    {
      from_lane(8 * t + lane / 4, modes);
    }

    /// From the lane 4 g + t to the one that writes numbers of element g.
    template <int n, int nc>
    __device__ __forceinline__ void
    hand_back(double (&modes)[n][2][nc]) const
    {
      from_lane(lane_of_accessed() + lane / 8, modes);
    }

    /// Where in an array what the neighbour has at point number @p point is, so that no bank is met
    /// twice in a write.
    __device__ __forceinline__ int
    place_of_trace(const int point) const
    {
      return point * 8 + (lane / 4 ^ (point & 2) << 1);
    }

    const int lane, t, element;
    const int accessed; ///< element of which this lane reads and writes modes

    const AffineGeometry<dim, double> geometry;
    FaceRecord                        face_of_lane; ///< see face()

  private:
    template <int n, int nc>
    static __device__ __forceinline__ void
    from_lane(const int other, double (&modes)[n][2][nc])
    {
#pragma unroll
      for (int j = 0; j < n; ++j)
#pragma unroll
        for (int i = 0; i < 2 * nc; ++i)
          modes[j][i / nc][i % nc] = __shfl_sync(~0U, modes[j][i / nc][i % nc], other);
    }
  };

  /// Launch @p kernel with @p n_warps warps a block for the mesh's range of elements.
  template <typename... Parameters>
  void
  launch_element_warps(void (*kernel)(Parameters...),
                       const MeshArrays<double> &mesh,
                       const int                 n_warps,
                       const int                 shared_bytes,
                       const Parameters &...arguments)
  {
    const int n_blocks = divide_up(mesh.end - mesh.begin, 8 * n_warps);
    // Beside messages nothing may take their room before it can work.
    if (mesh.begin == 0 && mesh.end == mesh.n_elements)
      CudaRuntime::launch_early(kernel, n_blocks, 32 * n_warps, shared_bytes, arguments...);
    else
      kernel<<<n_blocks, 32 * n_warps, shared_bytes, CudaRuntime::stream()>>>(arguments...);
  }
} // namespace Saltus::CudaKernels

#endif
