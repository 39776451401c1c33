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
#include <saltus/operators/spaces/quadrature_tables.h>

#include <cstring>
#include <cuda/base/device/limits.cuh>
#include <cuda/operators/spaces/element_programs.cuh>
#include <cuda/operators/spaces/row.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>
#include <cuda/operators/spaces/tile_operands.cuh>

namespace Saltus::CudaKernels
{
  /// The operands B of a reference element, which are an operator's own.
  struct WarpOperands
  {
    const double2 *volume, *faces;
    int            n_volume_tiles, n_face_tiles; ///< of points, the latter of one face
  };

  /// Modes that stay with a lane, `[j][i][c]`: in registers, or in shared memory if these are too
  /// few.
  template <int n_tiles, int n>
  class KeptModes
  {
  public:
    static constexpr bool in_memory = 2 * n_tiles * n > 32;              ///< numbers of a lane
    static constexpr int  memory = in_memory ? n_tiles * 2 * n * 32 : 0; ///< of a warp, in numbers

    /// @param memory of the lane, its first number
    __device__ __forceinline__ explicit KeptModes(double *memory)
      : own(memory)
    {}

    __device__ __forceinline__ void
    set(const int j, const double (&modes)[2][n])
    {
#pragma unroll
      for (int i = 0; i < 2 * n; ++i)
        if constexpr (in_memory)
          own[(j * 2 * n + i) * 32] = modes[i / n][i % n];
        else
          registers[j][i / n][i % n] = modes[i / n][i % n];
    }

    __device__ __forceinline__ void
    get(const int j, double (&modes)[2][n]) const
    {
#pragma unroll
      for (int i = 0; i < 2 * n; ++i)
        if constexpr (in_memory)
          modes[i / n][i % n] = own[(j * 2 * n + i) * 32];
        else
          modes[i / n][i % n] = registers[j][i / n][i % n];
    }

  private:
    double *const own;
    double        registers[in_memory ? 1 : n_tiles][2][n];
  };

  /// The elements of a warp, and how its lanes share their modes.
  template <int dim, int degree>
  class ElementWarp
  {
  protected:
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    static constexpr int n_tiles = divide_up(n_modes, 8); ///< of modes

    /// Size of make_face_operands().
    static constexpr int
    n_face_operands(const int n_face_tiles)
    {
      return (dim + 1) * n_face_tiles * 2 * n_tiles * 64;
    }

    /// Operands of the faces: `[f][q][values, then test functions][j][lane][step]`, for tiles q of
    /// points.
    static void
    make_face_operands(const ElementTables<double> &from, OperandList &table)
    {
      const int n_points = from.n_face_points;
      for (int f = 0; f < from.n_faces; ++f)
        for (int q = 0; q < n_points; q += 8)
          {
            const auto value = [&](const int i, const int m) {
              return q + i < n_points && m < n_modes
                       ? from.face_values[(f * n_points + q + i) * n_modes + m]
                       : 0.;
            };
            append_operands(table, n_modes, [&](const int j, const int k, const int n) {
              return value(n, j + k);
            });
            append_operands(table, n_modes, [&](const int j, const int k, const int n) {
              return q + k < n_points ? from.face_weights[q + k] * value(k, j + n) : 0.;
            });
          }
    }

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

    template <int n_values, int n>
    static __device__ __forceinline__ void
    set_zero(double (&values)[n_values][2][n])
    {
#pragma unroll
      for (int j = 0; j < n_values; ++j)
        set_zero(values[j]);
    }

    template <int n>
    static __device__ __forceinline__ Array<double, n>
                                      as_array(const double (&values)[n])
    {
      Array<double, n> result;
#pragma unroll
      for (int c = 0; c < n; ++c)
        result[c] = values[c];
      return result;
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

    /// Whether any lane has a mode in step @p i of tile @p j.
    static constexpr __device__ __forceinline__ bool
    has_step(const int j, const int i)
    {
      return 8 * j + 4 * i < n_modes;
    }

    /// Of face @p f, whose points have @p n_tiles_of_face tiles, in tile @p q: values, behind them
    /// test functions.
    __device__ __forceinline__ const double2 *
    face_operands(const double2 *faces, const int n_tiles_of_face, const int f, const int q) const
    {
      return faces + (f * n_tiles_of_face + q) * 2 * n_tiles * 32 + lane;
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

    /// Number of face @p f on the neighbour's side.
    static __device__ __forceinline__ int
    number_across(const FaceRecord &across, const int f)
    {
      return across.at_boundary() ? f : across.face;
    }

    /// Call `body(present, wanted)` for each @p number that is present in the warp: whether it is
    /// this lane's.
    /// @param left lanes whose numbers count
    template <typename Body>
    static __device__ __forceinline__ void
    for_numbers(const int number, unsigned int left, const Body &body)
    {
      while (left != 0)
        {
          const int  present = __shfl_sync(~0U, number, __ffs(left) - 1);
          const bool wanted  = number == present;
          body(present, wanted);
          left &= ~__ballot_sync(~0U, wanted);
        }
    }

    /// The neighbour's number of point @p point of a face with @p n_points of them; the same at the
    /// boundary and for what fills up a tile.
    static __device__ __forceinline__ int
    point_across(const FaceRecord            &across,
                 const int                    point,
                 const int                    n_points,
                 const ElementTables<double> &tables)
    {
      if (point < n_points && !across.at_boundary())
        return __ldg(tables.face_permutations + across.orientation * n_points + point);
      return point;
    }

    /// Set the normal of face @p f of the lane's element.
    /// @return its area over |det J|
    __device__ __forceinline__ double
    set_normal(const ElementTables<double> &tables, const int f, Array<double, dim> &normal) const
    {
      return geometry.set_normal(
        [&](const int r) { return __ldg(tables.face_normals + f * dim + r); }, normal);
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
      return Row<nc, double>::read(start +
                                   (has_mode(j, i) ? 8 * j + 4 * i + lane / 8 : n_modes - 1) *
                                     CoefficientLayout{n_modes, nc}.mode_stride());
    }

    /// Read the modes of element @p of in the tiles from @p first on.
    template <int nc, int n>
    __device__ __forceinline__ void
    read_modes(const double *vector,
               const int     of,
               const int     first,
               Row<nc, double> (&to)[n][2]) const
    {
      const double *start = vector + CoefficientLayout{n_modes, nc}.index(of, 0);
#pragma unroll
      for (int j = 0; j < n; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (has_step(first + j, i))
            to[j][i] = read_mode<nc>(start, first + j, i);
    }

    /// Where component 0 of a mode that this lane writes is in a vector with @p nc components.
    template <int nc>
    __device__ __forceinline__ std::size_t
                               position(const int j, const int i) const
    {
      return CoefficientLayout{n_modes, nc}.index(accessed, 8 * j + 4 * i + lane / 8);
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

  /// An operator on affine simplices, see FlowFamily: on tensor cores where these are faster, or
  /// with one thread an element.
  /// @tparam Warp_ the work of a warp, derived from ElementWarp, with `n_warps` of a block,
  /// `min_blocks` of a multiprocessor, shared `memory(n_face_tiles)` of a warp in numbers, the
  /// operands of make_volume_operands() and make_face_operands() and their numbers, whether it
  /// `fits(n_face_points)`, and whether it `is_faster` than one thread an element, as was measured
  /// @tparam nv,nf points of the rules in the volume and on a face
  template <template <typename, int> class Warp_, typename Family, int degree, int nv, int nf>
  class ElementWarpProgram
  {
    using Warp      = Warp_<Family, degree>;
    using Arguments = typename Family::Arguments;
    using General   = ElementThreadsProgram<
      Family,
      GeometryKind::affine,
      QuadratureTables<Family::dim, double, Simplex<Family::dim>::n_modes(degree)>>;

    static constexpr int n_volume_tiles = divide_up(nv, 8), n_face_tiles = divide_up(nf, 8);
    static constexpr int memory           = Warp::memory(n_face_tiles); ///< of a warp, in numbers
    static constexpr int n_volume_numbers = Warp::n_volume_operands(n_volume_tiles);

    static constexpr bool may_be_fast = Warp::is_faster && Warp::fits(nf);

    static constexpr LaunchShape warps{.n_threads  = 32 * Warp::n_warps,
                                       .per_block  = 8 * Warp::n_warps,
                                       .min_blocks = Warp::min_blocks,
                                       .shared_bytes =
                                         Warp::n_warps * memory * static_cast<int>(sizeof(double)),
                                       .waits = true};

    static constexpr bool has_memory = warps.shared_bytes <= shared_memory_of_block;
    static constexpr bool is_fast    = may_be_fast && has_double_tensor_cores && has_memory;

  public:
    using Tables = WarpOperands;

    static constexpr LaunchShape shape =
      is_fast ? warps
              : LaunchShape{.n_threads           = General::shape.n_threads,
                            .per_block           = General::shape.per_block,
                            .is_general          = Warp::is_faster,
                            .lacks_tensor_cores  = may_be_fast && !has_double_tensor_cores,
                            .lacks_shared_memory = may_be_fast && has_double_tensor_cores};
    static constexpr int memory_bytes =
      is_fast ? (n_volume_numbers + Warp::n_face_operands(n_face_tiles)) * sizeof(double) : 0;

    static void
    make_tables(const ElementTables<double> &from, Tables &tables, double *operands)
    {
      if constexpr (is_fast)
        {
          OperandList table(operands);
          Warp::make_volume_operands(from, table);
          Warp::make_face_operands(from, table);
          tables = {reinterpret_cast<const double2 *>(operands),
                    reinterpret_cast<const double2 *>(operands + n_volume_numbers),
                    n_volume_tiles,
                    n_face_tiles};
        }
    }

    static __device__ __forceinline__ void
    run(const Arguments &arg, const Tables &operands)
    {
      if constexpr (is_fast)
        {
          CudaRuntime::let_next_kernel_begin();
          extern __shared__ double shared[];
          const int                warp = threadIdx.x / 32;
          const int                first =
            arg.mesh.begin + 8 * (static_cast<int>(blockIdx.x) * Warp::n_warps + warp);
          if (first < arg.mesh.end)
            Warp(arg, operands, first, shared + warp * memory).run();
        }
      else
        General::run(arg);
    }
  };
} // namespace Saltus::CudaKernels

#endif
