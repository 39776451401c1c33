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
//                                    Jacobians of affine elements; then those of the next (ahead);
//                                    or those of neighbours and then of the next (in_turn)
//   buffer   [8][stride]             of a neighbour (if buffered and not in_turn); at last what the
//                                    update reads, or the next element's, which then are own
//                                    (swaps)
//   old      [8][stride]             what the update reads (if ahead)
//   metrics                          what metrics of curved elements take, see StoredModes and
//                                    MetricPoints; at last what the update reads (swaps)
//   traces   [plane][8][stride]      the neighbours' components at the points of a face; before the
//                                    faces for metrics; at last the residual, so that the update
//                                    works on words of memory
//
// At high degrees there is no room for buffers: then all but the own data is read from memory.

#include <saltus/base/device/static_for.h>

#include <algorithm>
#include <cuda/operators/conservation_law/stage_points.cuh>
#include <cuda/operators/conservation_law/tetrahedron_metrics.cuh>

namespace Saltus::CudaKernels
{
  /// The operands B of all products, each as 32 numbers, one a lane, and permutations of points.
  ///
  /// The numbers of an operand, and what is between operands of interpolations, are so that lanes
  /// use different banks of shared memory also where these stand transposed in a product.
  /// @tparam has_values whether there are operands for integrals on faces: else those of traces are
  /// transposed, which takes less shared memory
  template <int degree, bool has_values>
  struct TetrahedronTables
  {
    static constexpr int n_modes = Simplex<3>::n_modes(degree);
    static constexpr int nv      = Simplex<3>::n_quadrature_points(2 * degree);
    static constexpr int nf      = Simplex<2>::n_quadrature_points(2 * degree + 1);

    static constexpr TetrahedronGroup
    group(const bool of_tangents)
    {
      return TetrahedronGroup::of_degree(degree, of_tangents, nv, nf);
    }

    static constexpr int n_steps         = divide_up(n_modes, 4); ///< of four modes
    static constexpr int n_tiles         = divide_up(n_modes, 8); ///< of eight modes
    static constexpr int n_volume_groups = divide_up(nv, 4);
    static constexpr int n_volume_tiles  = divide_up(n_volume_groups, 2);
    static constexpr int n_face_groups   = divide_up(nf, 4); ///< of one face
    static constexpr int n_face_tiles    = divide_up(n_face_groups, 2);

    /// The point of lane @p t of a group of the volume's.
    static __device__ __forceinline__ int
    volume_point(const int group, const int t)
    {
      return 4 * group + t < nv ? 4 * group + t : nv - 1;
    }

    /// The point of lane @p t of a group of a face's.
    static __device__ __forceinline__ int
    face_point(const int group, const int t)
    {
      return 4 * group + t < nf ? 4 * group + t : nf - 1;
    }

    /// @name Where the operands begin
    /// @{
    /// Interpolation to tile @p j of the volume: the first of its steps.
    static constexpr __host__ __device__ int
    interpolation(const int j)
    {
      return j * n_steps * step;
    }

    /// The same on face @p f.
    static constexpr __host__ __device__ int
    trace(const int f, const int j)
    {
      return interpolation(n_volume_tiles) + trace_step * (f * n_face_tiles + j) * n_steps;
    }

    /// Gradients in direction @p d at the points of a group of the volume: tile @p j of modes.
    static constexpr __host__ __device__ int
    gradients(const int group, const int d, const int j)
    {
      return trace(4, 0) + 32 * ((group * 3 + d) * n_tiles + j);
    }

    /// Values at the points of a group of face @p f, times -weight.
    static constexpr __host__ __device__ int
    values(const int f, const int group, const int j)
    {
      return gradients(n_volume_groups, 0, 0) + 32 * ((f * n_face_groups + group) * n_tiles + j);
    }

    static constexpr int step = 34; ///< from one step of an interpolation in the volume to the next
    static constexpr int trace_step = has_values ? 32 : step; ///< the same on faces
    /// @}

    /// Where lane @p lane has its number of an operand.
    static constexpr __host__ __device__ int
    place(const int lane)
    {
      return lane ^ (lane >> 4 << 2);
    }

    /// The same of the transposed of an interpolation's operand for a group of a tile's two: column
    /// n of the result is mode 4 (n % 2) + n / 2 of eight.
    static constexpr __host__ __device__ int
    transposed_place(const int group, const int lane)
    {
      const int n = lane / 4, k = lane % 4;
      return n % 2 * step + place(8 * k + 4 * group + n / 2);
    }

    static constexpr int n_orientations = Simplex<3>::n_orientations;

    /// Then come, for each orientation and lane t, the points opposite to its points of all groups,
    /// a byte each. A lane beyond the last point keeps its own number, which no other lane takes.
    using Points = unsigned long long;
    static_assert(n_face_groups <= 8 && sizeof(Points) == sizeof(double));
    /// But first -weight of the points of a face, if there are no values.
    static constexpr int face_weights = values(has_values ? 4 : 0, 0, 0);
    static constexpr int permutations = face_weights + (has_values ? 0 : 4 * n_face_groups);
    static constexpr int size         = permutations + 4 * n_orientations;

    template <typename Number>
    static void
    make(const ElementTables<Number> &from, double *table)
    {
      const auto last = [](const int i, const int n) { return i < n ? i : n - 1; };
      for (int lane = 0; lane < 32; ++lane)
        {
          const int  k = lane % 4, n = lane / 4;
          const auto at = [&](const int operand) -> double & {
            return table[operand + place(lane)];
          };
          for (int i = 0; i < n_steps; ++i)
            if (const int m = 4 * i + k; m < n_modes)
              {
                for (int j = 0; j < n_volume_tiles; ++j)
                  {
                    const int q                     = last(4 * (2 * j + n % 2) + n / 2, nv);
                    at(interpolation(j) + i * step) = from.volume_values[q * n_modes + m];
                  }
                for (int j = 0; j < n_face_tiles; ++j)
                  for (int f = 0; f < 4; ++f)
                    {
                      const int q = last(4 * (2 * j + n % 2) + n / 2, nf);
                      at(trace(f, j) + i * trace_step) =
                        from.face_values[(f * nf + q) * n_modes + m];
                    }
              }
          for (int j = 0; j < n_tiles; ++j)
            if (const int m = 8 * j + 4 * (n % 2) + n / 2; m < n_modes)
              {
                for (int q = k; q < nv; q += 4)
                  for (int d = 0; d < 3; ++d)
                    at(gradients(q / 4, d, j)) =
                      from.volume_weights[q] * from.volume_gradients[(q * 3 + d) * n_modes + m];
                for (int f = 0; has_values && f < 4; ++f)
                  for (int q = k; q < nf; q += 4)
                    at(values(f, q / 4, j)) =
                      -from.face_weights[q] * from.face_values[(f * nf + q) * n_modes + m];
              }
        }
      for (int q = 0; !has_values && q < nf; ++q)
        table[face_weights + q] = -from.face_weights[q];
      for (int i = 0; i < 4 * n_orientations; ++i)
        {
          Points points = 0;
          for (int group = 0; group < n_face_groups; ++group)
            {
              const int q = 4 * group + i % 4;
              points |= Points(q < nf ? from.face_permutations[i / 4 * nf + q] : q) << 8 * group;
            }
          std::memcpy(&table[permutations + i], &points, sizeof(points));
        }
    }
  };

  /// @tparam number that of the numerical flux, see NumericalFluxes
  /// @tparam kind of the elements' geometry
  /// @tparam of_tangents of curved elements: whether modes are those of the map's derivatives
  template <typename Law,
            typename Number,
            int          degree,
            int          number,
            GeometryKind kind,
            bool         of_tangents = false>
  class TetrahedronStage
  {
    using Points    = StagePoints<Law, Number, number, double>;
    using T         = typename Points::T;
    using State     = typename Points::State;
    using Direction = typename Points::Direction;

    static constexpr bool is_curved = kind != GeometryKind::affine;

    static constexpr int n       = Law::n_components;
    static constexpr int n_pairs = n / 2; ///< of components
    static constexpr int single  = n % 2; ///< whether there is one more
    static constexpr int n_rows  = n_pairs + single;

  public:
    using Arguments = StageArguments<Law, Number>;
    using Normals   = TetrahedronNormals;

    /// Whether shared memory is that scarce that there is no room for operands of integrals on
    /// faces.
    static constexpr bool transposes = degree > 3 && is_curved;
    using Tables                     = TetrahedronTables<degree, !transposes>;

    static constexpr int n_modes = Tables::n_modes, n_steps = Tables::n_steps;
    static constexpr int n_tiles = Tables::n_tiles;
    static constexpr int nv = Tables::nv, nf = Tables::nf;

    template <typename Points>
    using ModesOr =
      std::conditional_t<Tables::group(false).n_modes == 0, Points, MetricModes<Tables, T, Number>>;
    using Metrics =
      std::conditional_t<!is_curved,
                         ConstantMetrics<Tables, T, Number>,
                         std::conditional_t<of_tangents,
                                            TangentModes<Tables, T, Number>,
                                            ModesOr<MetricPoints<Tables, T, Number>>>>;

    /// Warps a block and blocks a multiprocessor, so that registers suffice.
    static constexpr int n_warps    = degree <= 1 ? 16 : (degree <= 2 ? 12 : 8);
    static constexpr int min_blocks = 1;

    /// Whether all of a neighbour, and what the update reads, comes through a buffer.
    static constexpr bool buffered = degree <= 3;
    /// Whether what the next element and the update need comes from the beginning on.
    static constexpr bool ahead = degree <= 1;
    /// Whether the element, its neighbours and then the next element take turns in one buffer, and
    /// the update finds the coefficients in the registers.
    static constexpr bool in_turn = degree == 3 && of_tangents;
    /// Whether the next element takes the place of the last neighbour, and what the update reads
    /// that of `metrics` and traces.
    static constexpr bool swaps = degree == 3 && is_curved && !in_turn;
    /// Whether the element's coefficients stay in registers, at least until there are no faces
    /// left.
    static constexpr bool in_registers = degree == 3;
    /// Whether the tiles of a face are unrolled: if there are registers for it, or if traces are
    /// in registers.
    static constexpr bool unrolled = degree >= 3;
    /// Whether what is read early would take registers that there are not.
    static constexpr bool saves_registers = of_tangents && degree > 1;
    /// Tiles of a face whose traces are computed together: none waits for another.
    static constexpr int traces_together = in_turn ? Tables::n_face_tiles : 1;
    /// Whether what the update reads comes into registers a tile of modes early.
    static constexpr bool reads_old_early = (degree > 3 && is_curved) || in_turn;
    /// Rows of components whose traces are in shared memory at a time.
    static constexpr int rows_at_once = buffered ? n_rows : 1;
    /// The first component of those whose traces remain there.
    static constexpr int first_there = 2 * (n_rows - rows_at_once);

    /// Between elements in shared memory, so that lanes use different banks.
    static constexpr int stride       = divide_up(n_modes * n - 4, 8) * 8 + 4;
    static constexpr int trace_stride = divide_up(4 * Tables::n_face_groups - 4, 8) * 8 + 4;
    static constexpr int plane        = 8 * trace_stride;
    static constexpr int residual_stride =
      8 * n + (8 * (8 * n + 4) <= 2 * rows_at_once * plane ? 4 : 0);

    static constexpr int buffer_size = 8 * stride;
    static constexpr int own_size    = buffer_size + (is_curved ? 0 : 8 * 9);
    // Where things begin, in numbers.
    static constexpr int buffers = (ahead ? 2 : 1) * own_size;
    static constexpr int metric_begin =
      buffers + (ahead ? 2 : (buffered && !in_turn ? 1 : 0)) * buffer_size;
    static constexpr int trace_begin = metric_begin + Metrics::room;
    static constexpr int old_begin   = swaps ? metric_begin : buffers + (ahead ? buffer_size : 0);

    /// Where the residual begins in the traces: behind what the update reads, if that is there.
    static constexpr int residual_begin =
      swaps ? divide_up(std::max(0, buffer_size - Metrics::room) * int(sizeof(Number)), 16) * 2 : 0;

    /// Arrays of a tile of modes for the update: the residual and, if they come from registers, the
    /// coefficients.
    static constexpr int n_pieces = in_turn ? 2 : 1;

    static constexpr int warp_bytes =
      trace_begin * sizeof(Number) +
      std::max({2 * rows_at_once * plane * sizeof(double),
                (residual_begin + n_pieces * 8 * residual_stride) * sizeof(double),
                Metrics::room_in_volume * sizeof(Number)});
    static constexpr int shared_bytes = Tables::size * sizeof(double) + n_warps * warp_bytes;

    static constexpr bool available = Law::dimension == 3 && degree >= 1 && degree <= 4 &&
                                      CoefficientLayout{n_modes, n}.element_by_element() && n <= 6;

    __device__ __forceinline__
    TetrahedronStage(const Arguments &arg, const Normals &normals, double *shared)
      : points(arg)
      , normals(normals)
      , lane(threadIdx.x % 32)
      , t(lane % 4)
      , block_table(shared)
      , table(shared + Tables::place(lane))
      , permutations(
          reinterpret_cast<const typename Tables::Points *>(shared + Tables::permutations) + t)
      , memory(reinterpret_cast<Number *>(reinterpret_cast<char *>(shared + Tables::size) +
                                          threadIdx.x / 32 * warp_bytes))
      , old(memory + old_begin + lane / 4 * stride)
      , traces(reinterpret_cast<double *>(memory + trace_begin))
    {}

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
      if constexpr (swaps) // later ones have come when they are needed
        wait();
      ask_for_metrics(element_of(group));
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
        {
          const Number *const first    = from + start(e) + t * word;
          Number *const       to_first = to + t * word;
#pragma unroll
          for (int i = 0; i < n_lane_words; ++i)
            if (4 * i + 3 < n_words || 4 * i + t < n_words)
              copy_async<word_bytes>(first + 4 * i * word, to_first + 4 * i * word);
        }
    }

    /// Where those of the next element come.
    __device__ __forceinline__ int
    next_own() const
    {
      return ahead || swaps ? own_size - own : own;
    }

    /// Those of @p e and, of affine elements, the inverse Jacobians.
    /// @param at where in `memory`
    __device__ __forceinline__ void
    ask_for_own(const int e, const int at) const
    {
      Number *const to = memory + at;
      ask_for(points.arg.u, e, to + lane / 4 * stride);
      if constexpr (is_curved)
        return;
      const Number *from = points.arg.mesh.inverse_jacobians + point_index(e - lane / 4, 0, 9, 1);
      constexpr int in_word = 16 / sizeof(Number), in_row = 8 / in_word; // numbers, words
      for (int i = lane; i < 9 * in_row; i += 32)
        copy_async<16>(from + i / in_row * block_size + i % in_row * in_word,
                       to + buffer_size + in_word * i);
    }

    /// The metrics of element @p e.
    __device__ __forceinline__ Metrics
    metrics_of(const int e) const
    {
      if constexpr (!is_curved)
        return Metrics(normals, memory + own + buffer_size + lane / 4);
      else
        return Metrics(normals, points.arg.stored, e, lane, memory + metric_begin);
    }

    __device__ __forceinline__ void
    ask_for_metrics(const int e) const
    {
      if constexpr (is_curved)
        metrics_of(e).ask_for();
    }

    /// Let numbers of the group of element @p e come into the second-level cache.
    __device__ __forceinline__ void
    prefetch(const Number *from, const int e) const
    {
      constexpr int line = in_line<Number>, count = 8 * n_modes * n;
      if (from != nullptr)
        {
          const Number *const first = from + start(e - lane / 4) + lane * line;
#pragma unroll
          for (int i = 0; i < count; i += 32 * line)
            if (i + 32 * line <= count || i + lane * line < count)
              CudaKernels::prefetch(first + i);
        }
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
      if constexpr (in_registers)
        return u[k][c];
      return read(memory + own + lane / 4 * stride, k, c);
    }

    __device__ __forceinline__ void
    load_coefficients()
    {
#pragma unroll
      for (int i = 0; i < n_steps * n; ++i)
        u[i / n][i % n] = read(memory + own + lane / 4 * stride, i / n, i % n);
    }

    /// Those of an interpolation in the volume or on a face.
    template <int step>
    __device__ __forceinline__ void
    load_operands(double (&b)[n_steps], const int first) const
    {
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
        if constexpr (saves_registers)
          read_again(table + first + k * step, b[k]);
        else
          b[k] = table[first + k * step];
    }

    /// The transposed of an interpolation's operand at the tile's group @p group, for tile @p j of
    /// modes. Where the last of these has one step only, the other is arbitrary: nobody reads it.
    __device__ __forceinline__ double
    transposed(const int first, const int group, const int j) const
    {
      return block_table[first + 2 * j * Tables::step + Tables::transposed_place(group, lane)];
    }

    /// The pairs of components of the own function at the points of a tile.
    __device__ __forceinline__ void
    interpolate_pairs(const double (&b)[n_steps], State (&states)[2]) const
    {
#pragma unroll
      for (int pair = 0; pair < n_pairs; ++pair)
        {
          Pair d[2] = {{0., 0.}, {0., 0.}};
          multiply_add(d, b, [&](const int k, const int i) {
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
            b[i] = operand(i, j);
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
      if constexpr (!swaps)
        wait();
      if constexpr (in_turn)
        {
          load_coefficients();
          __syncwarp();
        }
      if constexpr (ahead)
        ask_for(points.old(), element, old);
      if constexpr (buffered)
        ask_for_neighbor(PackedFace(face, lane & 28));
      prefetch(points.arg.second_order_terms, element);
      if constexpr (ahead)
        ask_for_own(next_element, next_own());
      else
        {
          if constexpr (!swaps)
            prefetch(points.old(), element);
          prefetch(points.arg.u, next_element);
        }
      if constexpr (!saves_registers)
        load_face(next_element);
      if constexpr (in_registers && !in_turn)
        load_coefficients();
      set_zero(r, r_single);
      Metrics metrics = metrics_of(element);
      if constexpr (is_curved)
        metrics.prefetch_inverse_masses();
      add_volume(metrics);
#pragma unroll 1
      for (int f = 0; f < 4; ++f)
        add_face(metrics,
                 f,
                 PackedFace(face, (lane & 28) + f),
                 PackedFace(face, (lane & 28) + (f + 1) % 4));
      if constexpr (swaps)
        ask_for(points.old(), element, old);
      add_second_order_terms();
      if constexpr (is_curved)
        {
          if constexpr (saves_registers)
            load_face(next_element);
          double factors[2]; // before others that take long
          metrics.load_inverse_masses(0, factors);
          if constexpr (Metrics::room_in_volume == 0)
            ask_for_metrics(next_element);
          else
            metrics_of(next_element).prefetch_first();
          apply_inverse_mass(metrics, factors);
        }
      update();
      if constexpr (Metrics::room_in_volume > 0)
        ask_for_metrics(next_element);
      if (failed && stored)
        points.record_failure(element);
    }

    __device__ __forceinline__ void
    add_second_order_terms()
    {
      if (const Number *from = points.arg.second_order_terms; from != nullptr)
        {
          from += start(element);
#pragma unroll
          for (int k = 0; k < n_steps; ++k)
            {
#pragma unroll
              for (int c = 0; c < 2 * n_pairs; ++c)
                r[k / 2][c / 2][k % 2][c % 2] += read(from, k, c);
              if constexpr (single == 1)
                r_single[k / 2][k % 2] += read(from, k, n - 1);
            }
        }
    }

    __device__ __forceinline__ void
    add_volume(Metrics &metrics)
    {
      constexpr int n_groups = Tables::n_volume_groups == 1 ? 1 : 2;
      static_assert(Tables::n_volume_groups % n_groups == 0);
      metrics.begin_volume();
#pragma unroll 1
      for (int j = 0; j < Tables::n_volume_tiles; ++j)
        {
          State  states[2];
          double b[n_steps];
          load_operands<Tables::step>(b, Tables::interpolation(j));
          metrics.begin_volume_tile(j, b);
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
              fields[i] = Points::field(points.arg.fields.volume,
                                        element,
                                        Tables::volume_point(2 * j + i, t),
                                        nv);
            }
#pragma unroll
          for (int d = 0; d < 3; ++d)
            {
              Direction rows[2];
              State     flux[2];
              metrics.read_rows(j, d, b, rows);
#pragma unroll
              for (int i = 0; i < n_groups; ++i)
                flux[i] = points.arg.law.flux(states[i], fields[i], rows[i]);
              add<n_groups>(flux, [&](const int i, const int tile) {
                return table[Tables::gradients(2 * j + i, d, tile)];
              });
            }
        }
      if constexpr (Metrics::room_in_volume > 0)
        __syncwarp();
    }

    /// r becomes the inverse mass matrix times r: pair after pair, if registers are few.
    __device__ __forceinline__ void
    apply_inverse_mass(const Metrics &metrics, const double (&first_factors)[2])
    {
      constexpr int at_once = n_tiles <= 3 ? n_pairs : 1;
      static_for<n_pairs / at_once>([&](const auto i) {
        constexpr int begin = decltype(i)::value * at_once;
        apply_inverse_mass<begin, begin + at_once>(metrics, first_factors);
      });
    }

    /// The same for some pairs, and for the single component with the last one.
    template <int begin, int end>
    __device__ __forceinline__ void
    apply_inverse_mass(const Metrics &metrics, const double (&first_factors)[2])
    {
      constexpr int  count       = end - begin;
      constexpr bool with_single = single == 1 && end == n_pairs;
      Pair           result[n_tiles][count][2];
      double         result_single[n_tiles][2];
      double         next_factors[2] = {first_factors[0], first_factors[1]};
      set_zero(result, result_single);
#pragma unroll 1
      for (int i = 0; i < Tables::n_volume_tiles; ++i)
        {
          const double factors[2] = {next_factors[0], next_factors[1]};
          if (i + 1 < Tables::n_volume_tiles)
            metrics.load_inverse_masses(i + 1, next_factors);
          double b[n_steps];
          load_operands<Tables::step>(b, Tables::interpolation(i));
          Pair   values[count][2];
          double values_single[2] = {0., 0.};
#pragma unroll
          for (int pair = 0; pair < count; ++pair)
            {
#pragma unroll
              for (int c = 0; c < 4; ++c)
                values[pair][c / 2][c % 2] = 0.;
              multiply_add(values[pair], b, [&](const int k, const int c) {
                return r[k / 2][begin + pair][k % 2][c];
              });
#pragma unroll
              for (int c = 0; c < 4; ++c)
                values[pair][c / 2][c % 2] *= factors[c / 2];
            }
          if constexpr (with_single)
            {
#pragma unroll
              for (int k = 0; k < n_steps; ++k)
                multiply_add(values_single, r_single[k / 2][k % 2], b[k]);
              values_single[0] *= factors[0];
              values_single[1] *= factors[1];
            }
#pragma unroll
          for (int j = 0; j < n_tiles; ++j)
            {
              const double operands[2] = {transposed(Tables::interpolation(i), 0, j),
                                          transposed(Tables::interpolation(i), 1, j)};
#pragma unroll
              for (int pair = 0; pair < count; ++pair)
                multiply_add(
                  result[j][pair], values[pair][0], values[pair][1], operands[0], operands[1]);
              if constexpr (with_single)
                {
                  multiply_add(result_single[j], values_single[0], operands[0]);
                  multiply_add(result_single[j], values_single[1], operands[1]);
                }
            }
        }
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
#pragma unroll
          for (int i = 0; i < 4 * count; ++i)
            r[j][begin + i / 4][i / 2 % 2][i % 2] = result[j][i / 4][i / 2 % 2][i % 2];
          if constexpr (with_single)
            {
              r_single[j][0] = result_single[j][0];
              r_single[j][1] = result_single[j][1];
            }
        }
    }

    template <int n_pairs>
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
            w[k][i % 2] = read(neighbor(), k, c);
          else
            w[k][i % 2] = has_mode(k) ? __ldg(in_memory + 4 * k * n + c) : 0.;
        }
    }

    /// The neighbour's components in @p row at all points of face @p f, in its order.
    __device__ __forceinline__ void
    store_traces(const int f, const int row, const double (&w)[n_steps][2])
    {
      constexpr int count = traces_together;
#pragma unroll
      for (int first = 0; first < Tables::n_face_tiles; first += count)
        {
          double b[count][n_steps];
          Pair   d[count][2] = {};
#pragma unroll
          for (int j = 0; j < count; ++j)
            load_operands<Tables::trace_step>(b[j], Tables::trace(f, first + j));
#pragma unroll
          for (int k = 0; k < n_steps; k += 2)
#pragma unroll
            for (int j = 0; j < count; ++j)
              if (k + 1 < n_steps)
                multiply_add(d[j], w[k], w[k + 1], b[j][k], b[j][k + 1]);
              else
                multiply_add(d[j], w[k], b[j][k]);
#pragma unroll
          for (int i = 0; i < 4 * count; ++i)
            if (const int group = 2 * (first + i / 4) + i / 2 % 2; group < Tables::n_face_groups)
              trace(row % rows_at_once * 2 + i % 2, 4 * group + t) = d[i / 4][i / 2 % 2][i % 2];
        }
    }

    /// Where the neighbour's coefficients come.
    __device__ __forceinline__ Number *
    neighbor() const
    {
      return memory + (swaps || in_turn ? next_own() : buffers) + lane / 4 * stride;
    }

    __device__ __forceinline__ void
    ask_for_neighbor(const PackedFace face) const
    {
      ask_for(points.arg.u, face.element_across(element), neighbor());
    }

    /// The states outside boundary face @p b take the place of the neighbour's: each lane's of
    /// those that it will read.
    __device__ __forceinline__ void
    set_outside(const int                     b,
                const typename Tables::Points permutation,
                T (&there)[Tables::n_face_groups][n]) const
    {
#pragma unroll
      for (int group = 0; group < Tables::n_face_groups; ++group)
        {
          const State state = points.boundary_state(b, Tables::face_point(group, t), nf);
#pragma unroll
          for (int c = 0; c < n; ++c)
            if (c < first_there)
              there[group][c] = state[c];
            else
              trace(c - first_there, slot(permutation, group)) = state[c].v;
        }
    }

    /// @param after the face that comes next
    __device__ __forceinline__ void
    add_face(Metrics &metrics, const int f, const PackedFace face, const PackedFace after)
    {
      constexpr int n_groups = Tables::n_face_groups, n_face_tiles = Tables::n_face_tiles;
      const typename Tables::Points permutation = permutations[4 * face.orientation()];
      if constexpr (buffered)
        wait();
      metrics.begin_face(f);

      // Components that other traces replace in shared memory.
      T             there[n_groups][n];
      const Number *in_memory = points.arg.u + start(face.element_across(element)) + t * n;
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
          else if constexpr (swaps || in_turn)
            ask_for_own(next_element, next_own());
          else if constexpr (!ahead)
            ask_for(points.old(), element, old);
        }
      const int b = face.boundary_face();
      if (b >= 0)
        set_outside(b, permutation, there);
      const bool leaves = points.arg.coefficients.weight != 0 && __any_sync(~0U, b >= 0);

      const auto work_on = [&](const int j) {
        State  inside[2], outside[2], flux[2];
        double operands[n_steps];
        load_operands<Tables::trace_step>(operands, Tables::trace(f, j));
        metrics.begin_face_tile(f, j, operands);
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
                outside[i][c] = c < first_there
                                  ? there[group][c]
                                  : T(trace(c - first_there, slot(permutation, group)));
              if constexpr (single == 1)
                inside[i][n - 1] = trace(2 * rows_at_once - 1, 4 * group + t);
              const int q = Tables::face_point(group, t);
              fields[i]   = Points::field(points.arg.fields.face, element, f * nf + q, 4 * nf);
            }
#pragma unroll
        for (int i = 0; i < 2; ++i)
          if (i < n_here)
            {
              failed |= !points.arg.law.admissible(inside[i]);
              Direction normal;
              const T   area = metrics.set_normal(f, i, normal);
              flux[i]        = points.numerical_flux(inside[i], outside[i], fields[i], normal);
#pragma unroll
              for (int c = 0; c < n; ++c)
                flux[i][c] = flux[i][c] * area;
            }
        const auto operand = [&](const int i, const int tile) {
          if constexpr (transposes)
            return transposed(Tables::trace(f, j), i, tile);
          else
            return table[Tables::values(f, 2 * j + i, tile)];
        };
        State weighted[2];
#pragma unroll
        for (int i = 0; i < n_here * n; ++i)
          {
            const T   value = flux[i / n][i % n];
            const int point = 4 * (2 * j + i / n) + t;
            weighted[i / n][i % n] =
              transposes ? value * T(block_table[Tables::face_weights + point]) : value;
          }
        if (n_here == 1)
          add<1>(weighted, operand);
        else
          add<2>(weighted, operand);
        // A copy of a flux: the choice of one by reference would keep all in memory.
        if (leaves)
#pragma unroll 1
          for (int i = 0; i < n_here; ++i)
            if (const int q = 4 * (2 * j + i) + t; b >= 0 && stored && q < nf)
              points.store_outflow(b, q, nf, i == 0 ? State{flux[0]} : State{flux[1]});
      };
      if constexpr (unrolled)
#pragma unroll
        for (int j = 0; j < n_face_tiles; ++j)
          work_on(j);
      else
#pragma unroll 1
        for (int j = 0; j < n_face_tiles; ++j)
          work_on(j);
      __syncwarp();
    }

    /// A tile after the other.
    __device__ __forceinline__ void
    update()
    {
      if constexpr (buffered && !in_turn)
        wait();
      if constexpr (reads_old_early)
        read_old_words<0>();
      static_for<n_tiles>([&](const auto j) { update(j); });
      if constexpr (ahead || swaps)
        own = next_own();
      else if constexpr (!in_turn)
        ask_for_own(next_element, own);
    }

    using Word = Row<word, Number>;

    /// The numbers of tile @p j of modes, of which each lane updates every fourth word of its
    /// element's.
    template <int j>
    struct Piece
    {
      static constexpr int first   = 8 * j * n; ///< of the element's numbers
      static constexpr int n_words = ((j + 1 < n_tiles ? 8 * (j + 1) : n_modes) * n - first) / word;
      static constexpr int n_lane_words = divide_up(n_words, 4);

      static __device__ __forceinline__ bool
      exists(const int i, const int t)
      {
        return 4 * i + 3 < n_words || 4 * i + t < n_words;
      }

      /// Of this lane's word i from its first one on.
      static __device__ __forceinline__ int
      offset(const int i)
      {
        return 4 * i * word;
      }
    };

    /// This lane's first number of a piece in what the update reads.
    template <int j>
    __device__ __forceinline__ const Number *
    first_old() const
    {
      const int first = Piece<j>::first + t * word;
      return buffered ? old + first : points.old() + start(element) + first;
    }

    /// If there is nothing to read, of other numbers, which nobody uses: a choice would take
    /// registers.
    template <int j>
    __device__ __forceinline__ void
    read_old_words()
    {
      const Number *const from  = points.old() != nullptr ? points.old() : points.arg.u;
      const Number *const first = from + start(element) + Piece<j>::first + t * word;
#pragma unroll
      for (int i = 0; i < Piece<j>::n_lane_words; ++i)
        if (Piece<j>::exists(i, t))
          old_words[i] = Word::read(first + Piece<j>::offset(i));
    }

    /// The modes of tile @p j, whose residual replaces the traces: `[8][8 n]`, and behind it the
    /// coefficients if they come from registers.
    template <int j>
    __device__ __forceinline__ void
    update(const StaticNumber<j>)
    {
      using Here             = Piece<j>;
      double *const residual = traces + residual_begin + lane / 4 * residual_stride;
      constexpr int to_own   = 8 * residual_stride;
#pragma unroll
      for (int i = 0; i < 2; ++i)
        if (2 * j + i < n_steps && has_mode(2 * j + i))
#pragma unroll
          for (int c = 0; c < n; ++c)
            {
              double *const to = residual + (4 * i + t) * n + c;
              *to = c < 2 * n_pairs ? r[j][c / 2 < n_pairs ? c / 2 : 0][i][c % 2] : r_single[j][i];
              if constexpr (in_turn)
                to[to_own] = u[2 * j + i][c];
            }
      Word words[reads_old_early ? Here::n_lane_words : 1];
      if constexpr (reads_old_early)
        {
#pragma unroll
          for (int i = 0; i < Here::n_lane_words; ++i)
            words[i] = old_words[i];
          if constexpr (j + 1 < n_tiles)
            read_old_words<j + 1>();
        }
      __syncwarp();
      const int           first        = Here::first + t * word;
      const Number *const coefficients = memory + own + lane / 4 * stride + first;
      const double *const r_here       = residual + t * word;
      const Number *const from         = first_old<j>();
      if (stored)
        points.template update<word, Here::n_lane_words, true>(
          [&](const int i) { return Here::exists(i, t); },
          start(element) + first,
          [](const int i) { return Here::offset(i); },
          [&](const int i) {
            if constexpr (reads_old_early)
              return words[i];
            else
              return Word::read(from + Here::offset(i));
          },
          [&](const int i, const int l) {
            if constexpr (in_turn)
              return T(r_here[to_own + Here::offset(i) + l]);
            else
              return T(coefficients[Here::offset(i) + l]);
          },
          [&](const int i, const int l) { return T(r_here[Here::offset(i) + l]); });
      __syncwarp();
    }

    const Points                         points;
    const Normals                       &normals;
    const int                            lane, t;
    const double *const                  block_table;
    const double *const                  table;        ///< the same, of this lane
    const typename Tables::Points *const permutations; ///< `[4 * orientation]`
    Number *const                        memory;       ///< of the warp
    Number *const                        old; ///< what the update reads of this lane's element
    double *const                        traces;
    int own = 0; ///< where the own numbers are in `memory`, see next_own()

    int        element, next_element;
    FaceRecord next_face; ///< face t of the next element
    bool       stored;    ///< not if it is padding
    bool       failed;    ///< whether a state was not admissible
    Word       old_words[reads_old_early ? Piece<0>::n_lane_words : 1]; ///< of the next piece
    double     u[in_registers ? n_steps : 1][n];                        ///< see coefficient()
    Pair       r[n_tiles][n_pairs][2];
    double     r_single[n_tiles][2];
  };
} // namespace Saltus::CudaKernels

#endif
