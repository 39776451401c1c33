// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_tetrahedron_stage_cuh
#define saltus_cuda_operators_conservation_law_tetrahedron_stage_cuh

// The fused Runge-Kutta stage on tetrahedra with tensor cores in double precision, for systems
// whose coefficients stand element by element. See tensor_core.cuh for how numbers stand in the
// lanes of a warp.
//
// Points are worked on in groups of four: those of the volume, then those of one face after the
// other, each list filled up by repeating its last point with weight 0. An interpolation, a tile,
// gives two groups: column n is point n / 2 of group n % 2 of them. As faces have the same number
// on both sides, the neighbour's trace comes from the same table, its points in its order; through
// shared memory each lane takes what is opposite to its points.
//
// A last component without another beside it shares its rows on faces with the neighbour's.
//
//   shared memory of a warp, in this order
//   own      [8][stride], [3][3][8]  coefficients, `[mode][component]` as in memory, and inverse
//                                    Jacobians of the elements; then those of the next ones (ahead)
//   buffer   [8][stride]             of a neighbour, at last what the update reads (if buffered)
//   old      [8][stride]             what the update reads (if ahead)
//   traces   [plane][8][stride]      the neighbours' components at the points of a face; at last
//                                    the residual, so that the update works on words of memory
//
// At high degrees there is no room for buffers: then all but the own data is read from memory.

#include <saltus/base/device/static_for.h>

#include <cuda/operators/conservation_law/stage_points.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>
#include <vector>

namespace Saltus::CudaKernels
{
  /// The operands B of all products, each as 32 numbers, one a lane, and permutations of points.
  template <int degree>
  struct TetrahedronTables
  {
    static constexpr int n_modes = Simplex<3>::n_modes(degree);
    static constexpr int nv      = Simplex<3>::n_quadrature_points(2 * degree);
    static constexpr int nf      = Simplex<2>::n_quadrature_points(2 * degree + 1);

    static constexpr int n_steps         = divide_up(n_modes, 4); ///< of four modes
    static constexpr int n_tiles         = divide_up(n_modes, 8); ///< of eight modes
    static constexpr int n_volume_groups = divide_up(nv, 4);
    static constexpr int n_volume_tiles  = divide_up(n_volume_groups, 2);
    static constexpr int n_face_groups   = divide_up(nf, 4); ///< of one face
    static constexpr int n_face_tiles    = divide_up(n_face_groups, 2);

    /// @name Numbers of the operands
    /// @{
    /// Interpolation to tile @p j of the volume: the first of its steps.
    static constexpr __host__ __device__ int
    interpolation(const int j)
    {
      return j * n_steps;
    }

    /// The same on face @p f.
    static constexpr __host__ __device__ int
    trace(const int f, const int j)
    {
      return interpolation(n_volume_tiles) + (f * n_face_tiles + j) * n_steps;
    }

    /// Gradients in direction @p d at the points of a group of the volume: tile @p j of modes.
    static constexpr __host__ __device__ int
    gradients(const int group, const int d, const int j)
    {
      return trace(4, 0) + (group * 3 + d) * n_tiles + j;
    }

    /// Values at the points of a group of face @p f, times -weight.
    static constexpr __host__ __device__ int
    values(const int f, const int group, const int j)
    {
      return gradients(n_volume_groups, 0, 0) + (f * n_face_groups + group) * n_tiles + j;
    }

    static constexpr int n_operands = values(4, 0, 0);
    /// @}

    static constexpr int n_orientations = Simplex<3>::n_orientations;

    /// Then come, for each orientation and lane t, the points opposite to its points of all groups,
    /// a byte each.
    using Points = unsigned long long;
    static_assert(n_face_groups <= 8 && sizeof(Points) == sizeof(double));
    static constexpr int permutations = 32 * n_operands;
    static constexpr int size         = permutations + 4 * n_orientations;

    template <typename Number>
    static std::vector<double>
    make(const ElementTables<Number> &host)
    {
      std::vector<double> table(size);
      const auto          last = [](const int i, const int n) { return i < n ? i : n - 1; };
      for (int lane = 0; lane < 32; ++lane)
        {
          const int  k = lane % 4, n = lane / 4;
          const auto at = [&](const int operand) -> double & { return table[32 * operand + lane]; };
          for (int step = 0; step < n_steps; ++step)
            if (const int m = 4 * step + k; m < n_modes)
              {
                for (int j = 0; j < n_volume_tiles; ++j)
                  {
                    const int q                 = last(4 * (2 * j + n % 2) + n / 2, nv);
                    at(interpolation(j) + step) = host.volume_values[q * n_modes + m];
                  }
                for (int i = 0; i < 4 * n_face_tiles; ++i)
                  {
                    const int f = i / n_face_tiles, j = i % n_face_tiles;
                    const int q            = last(4 * (2 * j + n % 2) + n / 2, nf);
                    at(trace(f, j) + step) = host.face_values[(f * nf + q) * n_modes + m];
                  }
              }
          for (int j = 0; j < n_tiles; ++j)
            if (const int m = 8 * j + 4 * (n % 2) + n / 2; m < n_modes)
              {
                for (int q = k; q < nv; q += 4)
                  for (int d = 0; d < 3; ++d)
                    at(gradients(q / 4, d, j)) =
                      host.volume_weights[q] * host.volume_gradients[(q * 3 + d) * n_modes + m];
                for (int f = 0; f < 4; ++f)
                  for (int q = k; q < nf; q += 4)
                    at(values(f, q / 4, j)) =
                      -host.face_weights[q] * host.face_values[(f * nf + q) * n_modes + m];
              }
        }
      for (int i = 0; i < 4 * n_orientations; ++i)
        {
          Points points = 0;
          for (int group = 0; group < n_face_groups; ++group)
            points |=
              Points(host.face_permutations[i / 4 * nf + last(4 * group + i % 4, nf)]) << 8 * group;
          std::memcpy(&table[permutations + i], &points, sizeof(points));
        }
      return table;
    }
  };

  /// @tparam number that of the numerical flux, see NumericalFluxes
  /// @tparam kind of the elements' geometry
  template <typename Law, typename Number, int degree, int number, GeometryKind kind>
  class TetrahedronStage
  {
    using Points    = StagePoints<Law, Number, number, double>;
    using T         = typename Points::T;
    using State     = typename Points::State;
    using Direction = typename Points::Direction;
    using Geometry  = GeometryView<kind, 3, T, Number>;

    static constexpr int n       = Law::n_components;
    static constexpr int n_pairs = n / 2; ///< of components
    static constexpr int single  = n % 2; ///< whether there is one more
    static constexpr int n_rows  = n_pairs + single;

  public:
    using Arguments = StageArguments<Law, Number>;
    using Normals   = TensorNormals<3>;
    using Tables    = TetrahedronTables<degree>;

    static constexpr int n_modes = Tables::n_modes, n_steps = Tables::n_steps;
    static constexpr int n_tiles = Tables::n_tiles;
    static constexpr int nv = Tables::nv, nf = Tables::nf;

    /// Warps a block and blocks a multiprocessor, so that registers suffice.
    static constexpr int n_warps    = degree <= 1 ? 16 : (degree <= 2 ? 12 : 8);
    static constexpr int min_blocks = 1;

    /// Whether neighbours' coefficients, and what the update reads, come through a buffer.
    static constexpr bool buffered = degree <= 3;
    /// Whether what the next element and the update need comes from the beginning on.
    static constexpr bool ahead = degree <= 1;
    /// Rows of components whose traces are in shared memory at a time.
    static constexpr int rows_at_once = buffered ? n_rows : 1;

    /// Between elements in shared memory, so that lanes use different banks.
    static constexpr int stride       = divide_up(n_modes * n - 4, 8) * 8 + 4;
    static constexpr int trace_stride = divide_up(4 * Tables::n_face_groups - 4, 8) * 8 + 4;
    static constexpr int plane        = 8 * trace_stride;
    static constexpr int residual_stride =
      8 * n + (8 * (8 * n + 4) <= 2 * rows_at_once * plane ? 4 : 0);

    static constexpr int buffer_size = 8 * stride;
    static constexpr int own_size    = buffer_size + 8 * 9;
    static constexpr int buffers     = (ahead ? 2 : 1) * own_size; ///< where they begin
    static constexpr int n_buffers   = ahead ? 2 : (buffered ? 1 : 0);
    static constexpr int trace_begin = buffers + n_buffers * buffer_size; ///< in numbers
    static constexpr int warp_bytes =
      trace_begin * sizeof(Number) + 2 * rows_at_once * plane * sizeof(double);
    static constexpr int shared_bytes = Tables::size * sizeof(double) + n_warps * warp_bytes;

    static constexpr bool available = Law::dimension == 3 && degree >= 1 && degree <= 4 &&
                                      CoefficientLayout{n_modes, n}.element_by_element() &&
                                      n <= 6 && shared_bytes <= 227 << 10;

    __device__ __forceinline__
    TetrahedronStage(const Arguments &arg, const Normals &normals, double *shared)
      : points(arg)
      , normals(normals.normals)
      , lane(threadIdx.x % 32)
      , t(lane % 4)
      , table(shared + lane)
      , permutations(
          reinterpret_cast<const typename Tables::Points *>(shared + Tables::permutations) + t)
      , memory(reinterpret_cast<Number *>(reinterpret_cast<char *>(shared + Tables::size) +
                                          threadIdx.x / 32 * warp_bytes))
      , buffer(memory + buffers + lane / 4 * stride)
      , old(buffer + (n_buffers - 1) * buffer_size)
      , traces(reinterpret_cast<double *>(memory + trace_begin))
    {}

    static bool
    takes(const Arguments & /*arg*/)
    {
      return true;
    }

    __device__ __forceinline__ void
    run()
    {
      const MeshArrays<Number> &mesh     = points.arg.mesh;
      const int                 n_groups = (mesh.end + 7) / 8;
      const int                 stride   = gridDim.x * n_warps;
      int                       group    = mesh.begin / 8 + blockIdx.x * n_warps + threadIdx.x / 32;
      if (group >= n_groups)
        return;
      ask_for_own(element_of(group), own);
      load_face(element_of(group));
#pragma unroll 1
      for (; group < n_groups; group += stride)
        {
          element      = element_of(group);
          next_element = group + stride < n_groups ? element_of(group + stride) : element;
          work();
        }
      wait();
    }

  private:
    /// Face t of element @p e, one group ahead.
    __device__ __forceinline__ void
    load_face(const int e)
    {
      next_face = read_face(points.arg.mesh.faces + point_index(e, t, 4, 1));
    }

    __device__ __forceinline__ int
    element_of(const int group) const
    {
      return 8 * group + lane / 4;
    }

    __device__ __forceinline__ bool
    has_mode(const int step) const
    {
      return 4 * step + 3 < n_modes || 4 * step + t < n_modes;
    }

    static __device__ __forceinline__ std::size_t
                                      start(const int e)
    {
      return CoefficientLayout{n_modes, n}.index(e, 0);
    }

    /// @name An element's coefficients, of which each of its lanes moves every fourth word
    /// @{
    static constexpr int element_bytes = n_modes * n * sizeof(Number);
    static constexpr int word_bytes =
      element_bytes % 16 == 0 ? 16 : (element_bytes % 8 == 0 ? 8 : sizeof(Number));
    static constexpr int word         = word_bytes / sizeof(Number); ///< numbers of a word
    static constexpr int n_words      = n_modes * n / word;
    static constexpr int n_lane_words = divide_up(n_words, 4);

    /// Let numbers of element @p e come to @p to in shared memory.
    __device__ __forceinline__ void
    ask_for(const Number *from, const int e, Number *const to) const
    {
      if (from != nullptr)
#pragma unroll
        for (int i = 0; i < n_lane_words; ++i)
          if (4 * i + 3 < n_words || 4 * i + t < n_words)
            {
              const int at = (4 * i + t) * word;
              copy_async<word_bytes>(from + start(e) + at, to + at);
            }
    }

    /// Where those of the next element come.
    __device__ __forceinline__ int
    next_own() const
    {
      return ahead ? own_size - own : own;
    }

    /// Those of @p e and the inverse Jacobians.
    /// @param at where in `memory`
    __device__ __forceinline__ void
    ask_for_own(const int e, const int at) const
    {
      Number *const to = memory + at;
      ask_for(points.arg.u, e, to + lane / 4 * stride);
      const Number *from = points.arg.mesh.inverse_jacobians + point_index(e - lane / 4, 0, 9, 1);
      constexpr int in_word = 16 / sizeof(Number), in_row = 8 / in_word; // numbers, words
      for (int i = lane; i < 9 * in_row; i += 32)
        copy_async<16>(from + i / in_row * block_size + i % in_row * in_word,
                       to + buffer_size + in_word * i);
    }

    /// Let numbers of the group of element @p e come into the second-level cache.
    __device__ __forceinline__ void
    prefetch(const Number *from, const int e) const
    {
      constexpr int line = in_line<Number>;
      if (from != nullptr)
        for (int i = lane * line; i < 8 * n_modes * n; i += 32 * line)
          CudaKernels::prefetch(from + start(e - lane / 4) + i);
    }

    /// Until what was asked for is there.
    static __device__ __forceinline__ void
    wait()
    {
      arrive();
      __syncwarp();
    }
    /// @}

    __device__ __forceinline__ double
    read(const Number *from, const int k, const int c) const
    {
      return has_mode(k) ? from[(4 * k + t) * n + c] : 0.;
    }

    /// The element's own.
    __device__ __forceinline__ double
    coefficient(const int k, const int c) const
    {
      return read(memory + own + lane / 4 * stride, k, c);
    }

    __device__ __forceinline__ Geometry
    geometry() const
    {
      return geometry_view<kind>(points.arg.stored, element, AffineGeometry<3, T>([&](const int i) {
                                   return memory[own + buffer_size + 8 * i + lane / 4];
                                 }));
    }

    __device__ __forceinline__ void
    load_operands(double (&b)[n_steps], const int first) const
    {
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
        b[k] = table[32 * (first + k)];
    }

    /// D += A B, summed over all modes, with the rows `a(k, 0)` and `a(k, 1)`.
    template <typename A>
    static __device__ __forceinline__ void
    sum_over_modes(Pair (&d)[2], const double (&b)[n_steps], const A &a)
    {
#pragma unroll
      for (int k = 0; k + 1 < n_steps; k += 2)
        {
          const Pair a0 = {a(k, 0), a(k, 1)}, a1 = {a(k + 1, 0), a(k + 1, 1)};
          multiply_add(d, a0, a1, b[k], b[k + 1]);
        }
      if constexpr (n_steps % 2 == 1)
        {
          const Pair last = {a(n_steps - 1, 0), a(n_steps - 1, 1)};
          multiply_add(d, last, b[n_steps - 1]);
        }
    }

    /// The pairs of components of the own function at the points of a tile.
    __device__ __forceinline__ void
    interpolate_pairs(const double (&b)[n_steps], State (&states)[2]) const
    {
#pragma unroll
      for (int pair = 0; pair < n_pairs; ++pair)
        {
          Pair d[2] = {{0., 0.}, {0., 0.}};
          sum_over_modes(d, b, [&](const int k, const int i) {
            return coefficient(k, 2 * pair + i);
          });
#pragma unroll
          for (int i = 0; i < 4; ++i)
            states[i / 2][2 * pair + i % 2] = d[i / 2][i % 2];
        }
    }

    /// r += the fluxes at the points of two groups (or of one) times operands `(i, j)`.
    template <int n_groups, typename Operand>
    __device__ __forceinline__ void
    add(const State (&flux)[2], const Operand &operand)
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
          double b[2];
#pragma unroll
          for (int i = 0; i < n_groups; ++i)
            b[i] = table[32 * operand(i, j)];
#pragma unroll
          for (int pair = 0; pair < n_pairs; ++pair)
            {
              Pair a[2];
#pragma unroll
              for (int i = 0; i < 2 * n_groups; ++i)
                a[i / 2][i % 2] = flux[i / 2][2 * pair + i % 2].v;
              if constexpr (n_groups == 2)
                multiply_add(r[j][pair], a[0], a[1], b[0], b[1]);
              else
                multiply_add(r[j][pair], a[0], b[0]);
            }
          if constexpr (single == 1)
#pragma unroll
            for (int i = 0; i < n_groups; ++i)
              multiply_add(r_single[j], flux[i][n - 1].v, b[i]);
        }
    }

    /// One group of elements.
    __device__ __forceinline__ void
    work()
    {
      const PackedFace face = next_face;
      stored                = element < points.arg.mesh.n_elements;
      failed                = false;
      points.wait_at_boundary(face.at_boundary());
      wait();
      if constexpr (ahead)
        ask_for(points.old(), element, old);
      if constexpr (buffered)
        ask_for_neighbor(PackedFace(face, lane & 28));
      if constexpr (ahead)
        ask_for_own(next_element, next_own());
      else
        {
          prefetch(points.old(), element);
          prefetch(points.arg.u, next_element);
        }
      load_face(next_element);
      set_zero(r, r_single);
      add_volume();
#pragma unroll 1
      for (int f = 0; f < 4; ++f)
        add_face(f, PackedFace(face, (lane & 28) + f), PackedFace(face, (lane & 28) + (f + 1) % 4));
      if constexpr (!Geometry::is_constant)
        apply_inverse_mass();
      update();
      if (failed && stored)
        points.record_failure(element);
    }

    __device__ __forceinline__ void
    add_volume()
    {
      constexpr int n_groups = Tables::n_volume_groups == 1 ? 1 : 2;
      static_assert(Tables::n_volume_groups % n_groups == 0);
      const auto geometry = this->geometry();
#pragma unroll 1
      for (int j = 0; j < Tables::n_volume_tiles; ++j)
        {
          // Read early, as it may take long.
          AffineGeometry<3, T> metrics[2];
#pragma unroll
          for (int i = 0; i < n_groups; ++i)
            metrics[i] = geometry.at_volume_point(volume_point(2 * j + i));
          State  states[2];
          double b[n_steps];
          load_operands(b, Tables::interpolation(j));
          interpolate_pairs(b, states);
          if constexpr (single == 1)
            {
              double d[2] = {0., 0.};
#pragma unroll
              for (int k = 0; k < n_steps; ++k)
                multiply_add(d, coefficient(k, n - 1), b[k]);
              states[0][n - 1] = d[0];
              states[1][n - 1] = d[1];
            }
          typename Points::Field fields[2];
#pragma unroll
          for (int i = 0; i < n_groups; ++i)
            {
              failed |= !points.arg.law.admissible(states[i]);
              fields[i] =
                Points::field(points.arg.fields.volume, element, volume_point(2 * j + i), nv);
            }
#pragma unroll
          for (int d = 0; d < 3; ++d)
            {
              State flux[2];
#pragma unroll
              for (int i = 0; i < n_groups; ++i)
                flux[i] = points.arg.law.flux(states[i], fields[i], metrics[i].metric(d));
              add<n_groups>(flux, [&](const int i, const int tile) {
                return Tables::gradients(2 * j + i, d, tile);
              });
            }
        }
    }

    /// This lane's point of a group of the volume's.
    __device__ __forceinline__ int
    volume_point(const int group) const
    {
      return 4 * group + t < nv ? 4 * group + t : nv - 1;
    }

    /// r becomes the inverse mass matrix times r.
    __device__ __forceinline__ void
    apply_inverse_mass()
    {
      const auto geometry = this->geometry();
      Pair       result[n_tiles][n_pairs][2];
      double     result_single[n_tiles][2];
      set_zero(result, result_single);
#pragma unroll 1
      for (int i = 0; i < Tables::n_volume_tiles; ++i)
        {
          double factors[2], b[n_steps];
#pragma unroll
          for (int j = 0; j < 2; ++j)
            factors[j] = points.weighted_inverse_mass(geometry, 4 * (2 * i + j) + t, nv).v;
          load_operands(b, Tables::interpolation(i));
          Pair   values[n_pairs][2];
          double values_single[2];
#pragma unroll
          for (int pair = 0; pair < n_pairs; ++pair)
            {
#pragma unroll
              for (int c = 0; c < 4; ++c)
                values[pair][c / 2][c % 2] = 0.;
              sum_over_modes(values[pair], b, [&](const int k, const int c) {
                return r[k / 2][pair][k % 2][c];
              });
            }
          values_single[0] = values_single[1] = 0.;
          if constexpr (single == 1)
#pragma unroll
            for (int k = 0; k < n_steps; ++k)
              multiply_add(values_single, r_single[k / 2][k % 2], b[k]);
#pragma unroll
          for (int j = 0; j < n_tiles; ++j)
            {
              const int first = Tables::interpolation(i) + 2 * j;
#pragma unroll
              for (int group = 0; group < 2; ++group)
                {
                  const double operand = transposed(table - lane, first, group, lane);
#pragma unroll
                  for (int pair = 0; pair < n_pairs; ++pair)
                    {
                      const Pair a = {factors[group] * values[pair][group][0],
                                      factors[group] * values[pair][group][1]};
                      multiply_add(result[j][pair], a, operand);
                    }
                  if constexpr (single == 1)
                    multiply_add(result_single[j], factors[group] * values_single[group], operand);
                }
            }
        }
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
#pragma unroll
          for (int i = 0; i < 4 * n_pairs; ++i)
            r[j][i / 4][i / 2 % 2][i % 2] = result[j][i / 4][i / 2 % 2][i % 2];
          r_single[j][0] = result_single[j][0];
          r_single[j][1] = result_single[j][1];
        }
    }

    static __device__ __forceinline__ void
    set_zero(Pair (&pairs)[n_tiles][n_pairs][2], double (&singles)[n_tiles][2])
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
#pragma unroll
          for (int i = 0; i < 4 * n_pairs; ++i)
            pairs[j][i / 4][i / 2 % 2][i % 2] = 0.;
          singles[j][0] = singles[j][1] = 0.;
        }
    }

    /// This lane's point of a group of a face's.
    __device__ __forceinline__ int
    point_of(const int group) const
    {
      return 4 * group + t < nf ? 4 * group + t : nf - 1;
    }

    /// Where the traces of this lane's point of a group stand.
    static __device__ __forceinline__ int
    slot(const typename Tables::Points permutation, const int group)
    {
      return permutation >> (8 * group) & 255;
    }

    __device__ __forceinline__ double &
    trace(const int in_plane, const int point) const
    {
      return traces[in_plane * plane + lane / 4 * trace_stride + point];
    }

    /// Two components of the neighbour, or its last one and the own last one.
    __device__ __forceinline__ void
    load_row(double (&w)[n_steps][2], const int row, const Number *in_memory) const
    {
#pragma unroll
      for (int i = 0; i < 2 * n_steps; ++i)
        {
          const int k = i / 2, c = 2 * row + i % 2;
          if (c == n)
            w[k][i % 2] = coefficient(k, n - 1);
          else if constexpr (buffered)
            w[k][i % 2] = read(buffer, k, c);
          else
            w[k][i % 2] = has_mode(k) ? __ldg(in_memory + (4 * k + t) * n + c) : 0.;
        }
    }

    /// The neighbour's components in @p row at all points of face @p f, in its order.
    __device__ __forceinline__ void
    store_traces(const int f, const int row, const double (&w)[n_steps][2])
    {
#pragma unroll
      for (int j = 0; j < Tables::n_face_tiles; ++j)
        {
          double b[n_steps];
          load_operands(b, Tables::trace(f, j));
          Pair d[2] = {{0., 0.}, {0., 0.}};
          sum_over_modes(d, b, [&](const int k, const int i) { return w[k][i]; });
#pragma unroll
          for (int i = 0; i < 4; ++i)
            if (const int group = 2 * j + i / 2; group < Tables::n_face_groups)
              trace(row % rows_at_once * 2 + i % 2, 4 * group + t) = d[i / 2][i % 2];
        }
    }

    __device__ __forceinline__ void
    ask_for_neighbor(const PackedFace face) const
    {
      ask_for(points.arg.u, face.element_across(element), buffer);
    }

    /// @param after the face that comes next
    __device__ __forceinline__ void
    add_face(const int f, const PackedFace face, const PackedFace after)
    {
      constexpr int n_groups = Tables::n_face_groups, n_face_tiles = Tables::n_face_tiles;
      const typename Tables::Points permutation = permutations[4 * face.orientation()];
      const Geometry                geometry    = this->geometry();
      if constexpr (buffered)
        wait();

      // Components that other traces replace in shared memory.
      T             there[n_groups][n];
      const Number *in_memory = points.arg.u + start(face.element_across(element));
#pragma unroll
      for (int row = 0; row < n_rows; ++row)
        {
          double w[n_steps][2];
          load_row(w, row, in_memory);
          store_traces(f, row, w);
          if ((row + 1) % rows_at_once == 0 && row + 1 < n_rows)
            {
              __syncwarp();
#pragma unroll
              for (int group = 0; group < n_groups; ++group)
#pragma unroll
                for (int i = 0; i < 2; ++i)
                  there[group][2 * row + i] = trace(i, slot(permutation, group));
              __syncwarp();
            }
        }
      __syncwarp();
      if constexpr (buffered)
        {
          if (f < 3)
            ask_for_neighbor(after);
          else if constexpr (!ahead)
            ask_for(points.old(), element, old);
        }
      const int b = face.boundary_face();

      const auto work_on = [&](const int j) {
        State  inside[2], outside[2], flux[2];
        double operands[n_steps];
        load_operands(operands, Tables::trace(f, j));
        interpolate_pairs(operands, inside);
        const int              n_here = n_groups % 2 == 1 && 2 * j + 1 == n_groups ? 1 : 2;
        typename Points::Field fields[2];
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (i < n_here)
            {
              const int group = 2 * j + i;
#pragma unroll
              for (int c = 0; c < n; ++c)
                {
                  const int row = c / 2 - (n_rows - rows_at_once);
                  outside[i][c] =
                    row < 0 ? there[group][c] : T(trace(2 * row + c % 2, slot(permutation, group)));
                }
              if constexpr (single == 1)
                inside[i][n - 1] = trace(2 * rows_at_once - 1, 4 * group + t);
              const int q = point_of(group);
              fields[i]   = Points::field(points.arg.fields.face, element, f * nf + q, 4 * nf);
            }
        if (b >= 0)
#pragma unroll
          for (int i = 0; i < 2; ++i)
            if (i < n_here)
              outside[i] = points.boundary_state(b, point_of(2 * j + i), nf);
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (i < n_here)
            {
              failed |= !points.arg.law.admissible(inside[i]);
              Direction normal;
              const T   area = geometry.set_normal(
                f, point_of(2 * j + i), [&](const int k) { return normals[f][k]; }, normal);
              flux[i] = points.numerical_flux(inside[i], outside[i], fields[i], normal);
#pragma unroll
              for (int c = 0; c < n; ++c)
                flux[i][c] = flux[i][c] * area;
            }
        // A copy of a flux: the choice of one by reference would keep all in memory.
        if (points.arg.coefficients.weight != 0 && __any_sync(~0U, b >= 0))
#pragma unroll 1
          for (int i = 0; i < n_here; ++i)
            if (const int q = 4 * (2 * j + i) + t; b >= 0 && stored && q < nf)
              points.store_outflow(b, q, nf, i == 0 ? State{flux[0]} : State{flux[1]});
        const auto operand = [&](const int i, const int tile) {
          return Tables::values(f, 2 * j + i, tile);
        };
        if (n_here == 1)
          add<1>(flux, operand);
        else
          add<2>(flux, operand);
      };
      if constexpr (rows_at_once == n_rows)
#pragma unroll 1
        for (int j = 0; j < n_face_tiles; ++j)
          work_on(j);
      else // `there` is in registers
#pragma unroll
        for (int j = 0; j < n_face_tiles; ++j)
          work_on(j);
      __syncwarp();
    }

    /// A tile after the other.
    __device__ __forceinline__ void
    update()
    {
      if constexpr (buffered)
        wait();
      static_for<n_tiles>([&](const auto j) { update(j); });
      if constexpr (ahead)
        {
          own = next_own();
        }
      else
        ask_for_own(next_element, own);
    }

    /// The modes of tile @p j, whose residual replaces the traces: `[8][8 n]`. Each lane updates
    /// every fourth word of its element's.
    template <int j>
    __device__ __forceinline__ void
    update(const StaticNumber<j>)
    {
      using Word            = Row<word, Number>;
      constexpr int first   = 8 * j * n; // of the element's numbers
      constexpr int n_words = ((j + 1 < n_tiles ? 8 * (j + 1) : n_modes) * n - first) / word;
      static_assert(8 * residual_stride <= 2 * rows_at_once * plane);
      double *const residual = traces + lane / 4 * residual_stride;
#pragma unroll
      for (int i = 0; i < 2; ++i)
        if (2 * j + i < n_steps && has_mode(2 * j + i))
#pragma unroll
          for (int c = 0; c < n; ++c)
            residual[(4 * i + t) * n + c] =
              c < 2 * n_pairs ? r[j][c / 2 < n_pairs ? c / 2 : 0][i][c % 2] : r_single[j][i];
      __syncwarp();
      const Number     *coefficients = memory + own + lane / 4 * stride + first;
      const std::size_t start_here   = start(element) + first;
      const Number     *from         = buffered ? old + first : points.old() + start_here;
      const auto        first_of     = [&](const int i) { return (4 * i + t) * word; };
      if (stored)
        points.template update<word, divide_up(n_words, 4), true>(
          [&](const int i) { return 4 * i + 3 < n_words || 4 * i + t < n_words; },
          [&](const int i) { return start_here + first_of(i); },
          [&](const int i) { return Word::read(from + first_of(i)); },
          [&](const int i, const int l) { return T(coefficients[first_of(i) + l]); },
          [&](const int i, const int l) { return T(residual[first_of(i) + l]); });
      __syncwarp();
    }

    const Points points;
    const double (&normals)[4][3];
    const int                            lane, t;
    const double *const                  table;        ///< of this lane: operand `i` at `32 * i`
    const typename Tables::Points *const permutations; ///< `[4 * orientation]`
    Number *const                        memory;       ///< of the warp
    Number *const buffer, *const old;                  ///< of this lane's element
    double *const traces;
    int           own = 0; ///< where the own numbers are in `memory`, see next_own()

    int        element, next_element;
    FaceRecord next_face; ///< face t of the next element
    bool       stored;    ///< not if it is padding
    bool       failed;    ///< whether a state was not admissible
    Pair       r[n_tiles][n_pairs][2];
    double     r_single[n_tiles][2];
  };
} // namespace Saltus::CudaKernels

#endif
