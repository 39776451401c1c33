// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_triangle_stage_cuh
#define saltus_cuda_operators_conservation_law_triangle_stage_cuh

// The fused Runge-Kutta stage on triangles with tensor cores in double precision.
//
// See tensor_core.cuh for how numbers stand in the lanes of a warp.
//
// Points are worked on in groups of four: those of the volume, then those of all faces in a row,
// each list filled up by repeating its last point with weight 0. An interpolation gives two groups:
// column n is point n / 2 of group n % 2 of them. For a group of face points, a product gives the
// neighbour's trace: column n is the even (n % 2 = 0) or the odd part of the trace about the middle
// of the face at point n / 2. Their sum is the value there, their difference that at the mirror
// point, which is where the neighbour has the point if it sees the face the other way round.
//
// Of curved elements the metrics are four components more: reading them at all points would take
// twice the memory. The last steps of these are left out where the map's degree is at most that of
// the basis.
//
// What is read of a group of elements comes through buffers of the warp in shared memory, so that
// no register waits for it: the modes of the own elements, of the neighbours and of the metric, and
// the inverse masses. Each is asked for as soon as what was there is done with. See Reading.

#include <cuda/operators/conservation_law/stage_points.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  /// The operands B of all products, each as 32 numbers, one a lane.
  template <int degree>
  struct TriangleTables
  {
    static constexpr int n_modes = Simplex<2>::n_modes(degree);
    static constexpr int nv      = Simplex<2>::n_quadrature_points(2 * degree);
    static constexpr int nf      = Simplex<1>::n_quadrature_points(2 * degree + 1);

    static constexpr int n_steps         = divide_up(n_modes, 4); ///< of four modes
    static constexpr int n_tiles         = divide_up(n_modes, 8); ///< of eight modes
    static constexpr int n_volume_groups = divide_up(nv, 4);
    /// From face to face among the face points. Three fill up a group, so that no group is on two
    /// faces.
    static constexpr int stride        = nf == 3 ? 4 : nf;
    static constexpr int n_face_groups = divide_up(2 * stride + nf, 4);
    static constexpr int n_groups      = n_volume_groups + n_face_groups;

    /// The face of number @p i of all faces' points.
    static constexpr __host__ __device__ int
    face_of(const int i)
    {
      return i < 3 * stride ? i / stride : 2;
    }

    /// Whether it is a point, rather than one that fills up.
    static constexpr __host__ __device__ bool
    is_point(const int i)
    {
      return i - stride * face_of(i) < nf;
    }

    /// Number of that point on its face.
    static constexpr __host__ __device__ int
    point_of(const int i)
    {
      return is_point(i) ? i - stride * face_of(i) : nf - 1;
    }

    /// Faces that have points in the groups of face points before group @p q, counted once a group.
    static constexpr __host__ __device__ int
    n_faces_before(const int q)
    {
      int n = 0;
      for (int i = 0; i < q; ++i)
        n += face_of(4 * i + 3) - face_of(4 * i) + 1;
      return n;
    }

    /// @name Numbers of the operands
    /// @{
    /// Interpolation to the groups 2 j and 2 j + 1: step @p k.
    static constexpr __host__ __device__ int
    interpolation(const int j, const int k)
    {
      return j * n_steps + k;
    }

    /// Even and odd parts of the neighbour's trace at the points of group @p q on face @p f.
    static constexpr __host__ __device__ int
    outside(const int q, const int f, const int k)
    {
      return interpolation(divide_up(n_groups, 2), 0) +
             (n_faces_before(q) + f - face_of(4 * q)) * n_steps + k;
    }

    /// Gradients in direction @p d at the points of a group of the volume: tile @p j of modes.
    static constexpr __host__ __device__ int
    gradients(const int group, const int j, const int d)
    {
      return outside(n_face_groups, face_of(4 * n_face_groups), 0) + (group * n_tiles + j) * 2 + d;
    }

    /// Values at the points of a group of face points, times -weight.
    static constexpr __host__ __device__ int
    values(const int q, const int j)
    {
      return gradients(n_volume_groups, 0, 0) + q * n_tiles + j;
    }

    /// Values at the points of a group of the volume, times the weight.
    static constexpr __host__ __device__ int
    projection(const int group, const int j)
    {
      return values(n_face_groups, 0) + group * n_tiles + j;
    }

    static constexpr int n_operands = projection(n_volume_groups, 0);
    /// @}

    static constexpr int size = 32 * n_operands;

    template <typename Number>
    static void
    make(const ElementTables<Number> &from, double *table)
    {
      const auto face_value = [&](const int f, const int q, const int m) {
        return from.face_values[(f * nf + q) * n_modes + m];
      };
      for (int lane = 0; lane < 32; ++lane)
        {
          const int  k = lane % 4, n = lane / 4;
          const auto at = [&](const int operand) -> double & { return table[32 * operand + lane]; };
          for (int step = 0; step < n_steps; ++step)
            if (const int m = 4 * step + k; m < n_modes)
              {
                for (int group = n % 2; group < n_groups; group += 2)
                  {
                    const int i = 4 * group + n / 2, j = i - 4 * n_volume_groups;
                    at(interpolation(group / 2, step)) =
                      j < 0 ? from.volume_values[(i < nv ? i : nv - 1) * n_modes + m]
                            : face_value(face_of(j), point_of(j), m);
                  }
                for (int q = 0; q < n_face_groups; ++q)
                  {
                    const int    i = 4 * q + n / 2, f = face_of(i);
                    const double here       = face_value(f, point_of(i), m);
                    const double there      = face_value(f, nf - 1 - point_of(i), m);
                    at(outside(q, f, step)) = 0.5 * (n % 2 == 0 ? here + there : here - there);
                  }
              }
          for (int j = 0; j < n_tiles; ++j)
            if (const int m = 8 * j + 4 * (n % 2) + n / 2; m < n_modes)
              {
                for (int q = k; q < nv; q += 4)
                  {
                    const double weight = from.volume_weights[q];
                    for (int d = 0; d < 2; ++d)
                      at(gradients(q / 4, j, d)) =
                        weight * from.volume_gradients[(q * 2 + d) * n_modes + m];
                    at(projection(q / 4, j)) = weight * from.volume_values[q * n_modes + m];
                  }
                for (int i = k; i < 4 * n_face_groups; i += 4)
                  if (is_point(i))
                    at(values(i / 4, j)) =
                      -from.face_weights[point_of(i)] * face_value(face_of(i), point_of(i), m);
              }
        }
    }
  };

  /// @tparam number that of the numerical flux, see NumericalFluxes
  /// @tparam kind of the elements' geometry
  template <typename Law, typename Number, int degree, int number, GeometryKind kind>
  class TriangleStage
  {
    using Points    = StagePoints<Law, Number, number, double>;
    using T         = typename Points::T;
    using State     = typename Points::State;
    using Direction = typename Points::Direction;
    using Map       = AffineGeometry<2, T>; ///< the tangent map at a point

  public:
    using Arguments = StageArguments<Law, Number>;
    using Normals   = TensorNormals<2>;
    using Tables    = TriangleTables<degree>;

  private:
    static constexpr bool is_curved = kind != GeometryKind::affine;
    static constexpr int  n         = Law::n_components;
    static constexpr int  n_pairs   = 2; ///< of components; the last of three has a zero beside it
    static constexpr int  n_modes = Tables::n_modes, n_steps = Tables::n_steps;
    static constexpr int  n_tiles = Tables::n_tiles;
    static constexpr int  nv = Tables::nv, nf = Tables::nf;

    /// Of the metric of a map of that degree.
    static constexpr int n_lower_steps = divide_up(Simplex<2>::n_modes(degree - 1), 4);

    using Steps = Pair[n_steps][n_pairs];
    using Parts = Pair[n_pairs][2]; ///< even and odd parts of a trace

  public:
    /// How coefficients are read.
    enum class Reading
    {
      /// From memory, where they are needed.
      directly,
      /// Through two buffers: in one, the own ones stay; in the other, those of the neighbours
      /// across the faces take turns, each asked for one face ahead, and after them come the own
      /// ones of the next group.
      in_turn,
      /// Through a buffer for the own ones and one for the neighbours across each face, all asked
      /// for one group ahead: for few modes, which are done with before the memory has answered.
      ahead
    };
    static constexpr Reading reading = n % 2 == 1 || (!is_curved && degree <= 3)
                                         ? Reading::directly
                                         : (degree <= 2 ? Reading::ahead : Reading::in_turn);

    static constexpr bool directly = reading == Reading::directly;
    static constexpr bool in_turn  = reading == Reading::in_turn;
    static constexpr bool ahead    = reading == Reading::ahead;

    /// Warps of the one block of a multiprocessor, so that registers suffice.
    static constexpr int n_warps    = ahead || degree == 1 ? 16 : (degree <= 3 ? 12 : 8);
    static constexpr int min_blocks = 1;

    // Buffers of a warp, in numbers.
    static constexpr int mode_buffer    = n_steps * 32 * 4; ///< the modes of four components
    static constexpr int n_buffers      = directly ? 0 : (ahead ? 4 : 2); ///< of coefficients
    static constexpr int n_mode_buffers = n_buffers + is_curved;
    static constexpr int mass_buffer    = is_curved ? 32 * Tables::n_volume_groups : 0;
    static constexpr int warp_numbers   = n_mode_buffers * mode_buffer + mass_buffer;
    static constexpr int shared_bytes =
      Tables::size * sizeof(double) + n_warps * warp_numbers * sizeof(Number);

    /// Systems on triangles whose coefficients and residual fit into registers: a scalar would
    /// leave three quarters of the tensor cores' rows empty, or of the registers. In single
    /// precision, one thread an element has room for one degree more; geometry that is stored it
    /// would wait for.
    static constexpr int min_degree =
      kind == GeometryKind::stored ? 1 : (sizeof(Number) == sizeof(double) ? 3 : 4);
    static constexpr bool available =
      Law::dimension == 2 && degree >= min_degree && degree <= 5 && n >= 3 && n <= 4;

    __device__ __forceinline__
    TriangleStage(const Arguments &arg, const Normals &normals, double *shared)
      : points(arg)
      , normals(normals.normals)
      , lane(threadIdx.x % 32)
      , t(lane % 4)
      , all_metric_steps(n_lower_steps < n_steps && arg.stored.n_metric_modes > 4 * n_lower_steps)
      , table(shared + lane)
      , buffer(reinterpret_cast<Number *>(shared + Tables::size) + threadIdx.x / 32 * warp_numbers)
    {}

    /// Whether there is what this form of the stage reads.
    __device__ __forceinline__ void
    run()
    {
      const MeshArrays<Number> &mesh   = points.arg.mesh;
      const int                 last   = (mesh.end + 7) / 8 - 1; // group
      const int                 stride = gridDim.x * n_warps;
      int                       group  = mesh.begin / 8 + blockIdx.x * n_warps + threadIdx.x / 32;
      if (group > last)
        return;
      clear_buffers();
      next_element = element_of(group);
      load_faces(next_element);
      if constexpr (!directly)
        ask_for_coefficients(next_element, own_buffer());
      if constexpr (ahead)
        {
          next_faces();
#pragma unroll
          for (int f = 0; f < 3; ++f)
            ask_for_coefficients(faces_ahead[f].element_across(next_element), face_buffer(f));
          ask_for_inverse_masses(next_element);
          load_faces(element_of(::min(group + stride, last)));
        }
      ask_for_metric(next_element);
#pragma unroll 1
      for (; group <= last; group += stride)
        {
          element      = next_element;
          next_element = element_of(::min(group + stride, last));
          stored       = element < mesh.n_elements;
          next_faces();
          if constexpr (!in_turn)
            load_faces(ahead ? element_of(::min(group + 2 * stride, last)) : next_element);
          work();
        }
    }

  private:
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

    /// Read those of a group to come, which next_faces() takes when they are there.
    __device__ __forceinline__ void
    load_faces(const int e)
    {
#pragma unroll
      for (int f = 0; f < 3; ++f)
        records[f] = read_face(points.arg.mesh.faces + point_index(e, f, 3, 1));
    }

    __device__ __forceinline__ void
    next_faces()
    {
#pragma unroll
      for (int f = 0; f < 3; ++f)
        {
          faces[f]       = ahead ? faces_ahead[f] : PackedFace(records[f]);
          faces_ahead[f] = records[f];
        }
    }

    /// Where this lane's modes of an element begin in vectors with @p nc components, and from one
    /// step to the next.
    template <int nc>
    __device__ __forceinline__ std::size_t
                               position(const int e) const
    {
      return CoefficientLayout{n_modes, nc}.index(e, t);
    }

    template <int nc>
    static constexpr int stride = 4 * CoefficientLayout{n_modes, nc}.mode_stride();

    /// @name Buffers
    /// Those of modes have four components, `[step][t][g][pair][2]`, the order of the memory, so
    /// that copies take whole sectors. The pairs `[g][pair]` are permuted, see place(): then lanes
    /// use different banks of shared memory both for the copies and where they read.
    /// @{
    __device__ __forceinline__ Number *
    own_buffer() const
    {
      return buffer + (ahead ? 0 : own_offset);
    }

    __device__ __forceinline__ Number *
    face_buffer(const int f) const
    {
      return buffer + (ahead ? (1 + f) * mode_buffer : mode_buffer - own_offset);
    }

    __device__ __forceinline__ Number *
    metric_buffer() const
    {
      return buffer + n_buffers * mode_buffer;
    }

    /// `[group of points][lane]`
    __device__ __forceinline__ Number *
    inverse_masses() const
    {
      return metric_buffer() + mode_buffer;
    }

    /// Where pair @p i of the 16 of mode @p m stands.
    static constexpr __device__ __forceinline__ int
    place(const int m, const int i)
    {
      return 2 * (16 * m + (i ^ (m % 2 + m / 2 % 2 * 4)));
    }

    /// Modes that there are not are zero in all buffers.
    __device__ __forceinline__ void
    clear_buffers() const
    {
      if (!has_mode(n_steps - 1))
#pragma unroll 1
        for (int i = 0; i < n_mode_buffers; ++i)
#pragma unroll
          for (int c = 0; c < 4; ++c)
            buffer[i * mode_buffer + 128 * (n_steps - 1) + place(t, lane / 4 * 2 + c / 2) + c % 2] =
              0;
    }

    /// Until what was asked for is there, also what other lanes have copied.
    static __device__ __forceinline__ void
    wait()
    {
      arrive();
      __syncwarp();
    }

    /// Let the modes of element @p e of a vector with four components come into a buffer that all
    /// lanes have done with: those of the steps from @p begin to before @p end. A lane copies pair
    /// lane % 16 of every second mode; of a single step what it reads itself, so that lanes need
    /// not tell each other their elements.
    template <int begin = 0, int end = n_steps>
    __device__ __forceinline__ void
    ask_for_modes(const Number *vector, const int e, Number *const to) const
    {
      constexpr CoefficientLayout layout{n_modes, 4};
      constexpr int               bytes = 2 * sizeof(Number);
      if constexpr (n_steps == 1)
        {
          const Number *from = vector + layout.index(e, t);
          if (has_mode(0))
#pragma unroll
            for (int pair = 0; pair < 2; ++pair)
              copy_async<bytes>(from + 2 * pair, to + place(t, lane / 4 * 2 + pair));
        }
      else
        {
          const int     first = lane / 16;
          const int     here  = __shfl_sync(~0U, e, lane % 16 / 2 * 4);
          const Number *from  = vector + layout.index(here, first) + lane % 2 * 2;
          __syncwarp();
#pragma unroll
          for (int m = 4 * begin; m < 4 * end; m += 2)
            if (m + 1 < n_modes || m + first < n_modes)
              copy_async<bytes>(from + m * layout.mode_stride(), to + place(m + first, lane % 16));
        }
    }

    __device__ __forceinline__ void
    ask_for_coefficients(const int e, Number *const to) const
    {
      ask_for_modes(points.arg.u, e, to);
    }

    __device__ __forceinline__ void
    ask_for_metric(const int e) const
    {
      if constexpr (is_curved)
        {
          const StoredArrays<Number> &from = points.arg.stored;
          const int                   i    = e - block_size * from.first_block;
          ask_for_modes<0, n_lower_steps>(from.metric_modes, i, metric_buffer());
          if (all_metric_steps)
            ask_for_modes<n_lower_steps>(from.metric_modes, i, metric_buffer());
        }
    }

    __device__ __forceinline__ void
    ask_for_inverse_masses(const int e) const
    {
      const StoredArrays<Number> &from = points.arg.stored;
      if constexpr (is_curved)
#pragma unroll
        for (int group = 0; group < Tables::n_volume_groups; ++group)
          copy_async<sizeof(Number)>(
            from.inverse_masses +
              point_index(e - block_size * from.first_block, ::min(4 * group + t, nv - 1), nv, 1),
            inverse_masses() + 32 * group + lane);
    }

    /// What the update adds to is read where registers are left for it, rather than only let come
    /// into the second-level cache.
    static constexpr bool reads_old_early = degree == 1;

    __device__ __forceinline__ void
    read_old(Row<n, Number> (&to)[n_steps]) const
    {
      const Number *from = points.old();
      if (from != nullptr)
#pragma unroll
        for (int k = 0; k < n_steps; ++k)
          if (has_mode(k))
            to[k] = Row<n, Number>::read(from + position<n>(element) + k * stride<n>);
    }

    /// Let what the update reads come into the second-level cache.
    __device__ __forceinline__ void
    prefetch_element(const Number *from) const
    {
      constexpr int lines = divide_up(8 * n, in_line<Number>); // of a mode
      if (from != nullptr)
#pragma unroll
        for (int i = lane; i < n_modes * lines; i += 32)
          prefetch(from + CoefficientLayout{n_modes, n}.index(element - lane / 4, i / lines) +
                   i % lines * in_line<Number>);
    }

    /// What stands at a step.
    __device__ __forceinline__ void
    take(const Number *from, const int step, Pair (&to)[2]) const
    {
#pragma unroll
      for (int pair = 0; pair < 2; ++pair)
        read_again(from + 128 * step + place(t, lane / 4 * 2 + pair), to[pair]);
    }

    template <int begin = 0, int end = n_steps>
    __device__ __forceinline__ void
    take(const Number *from, Steps &to) const
    {
#pragma unroll
      for (int k = begin; k < end; ++k)
        take(from, k, to[k]);
    }
    /// @}

    /// The coefficients of element @p e, from its buffer or from memory.
    __device__ __forceinline__ void
    load(const int e, const Number *from, Steps &to) const
    {
      if constexpr (!directly)
        take(from, to);
      else
#pragma unroll
        for (int k = 0; k < n_steps; ++k)
          {
#pragma unroll
            for (int c = 0; c < 4; ++c)
              to[k][c / 2][c % 2] = 0.;
            if (!has_mode(k))
              continue;
            const auto row = Row<n, Number>::read(points.arg.u + position<n>(e) + k * stride<n>);
#pragma unroll
            for (int c = 0; c < n; ++c)
              to[k][c / 2][c % 2] = row.values[c].v;
          }
    }

    /// The own coefficients: where they stay in shared memory, read again at each call.
    __device__ __forceinline__ const Steps &
    own_coefficients(Steps &room) const
    {
      if constexpr (!in_turn)
        return u;
      take(own_buffer(), room);
      return room;
    }

    /// Sums over the modes of the steps from @p begin to before @p end: D += A B, @p first being
    /// the number of the operand of step 0.
    template <int n_pairs, int begin = 0, int end = n_steps>
    __device__ __forceinline__ void
    sum_over_modes(Pair (&d)[n_pairs][2], const Pair (&a)[n_steps][n_pairs], const int first) const
    {
      double b[n_steps];
#pragma unroll
      for (int k = begin; k < end; ++k)
        if constexpr (degree < 5)
          b[k] = table[32 * (first + k)];
        else // what is read early takes registers that there are not
          read_again(table + 32 * (first + k), b[k]);
#pragma unroll
      for (int pair = 0; pair < n_pairs; ++pair)
        {
#pragma unroll
          for (int k = begin; k + 1 < end; k += 2)
            multiply_add(d[pair], a[k][pair], a[k + 1][pair], b[k], b[k + 1]);
          if ((end - begin) % 2 == 1)
            multiply_add(d[pair], a[end - 1][pair], b[end - 1]);
        }
    }

    /// The metric at two groups of points.
    __device__ __forceinline__ void
    interpolate_metric(const int j, Pair (&values)[2][2]) const
    {
#pragma unroll
      for (int i = 0; i < 8; ++i)
        values[i / 4][i / 2 % 2][i % 2] = 0.;
      if (all_metric_steps)
        add_metric<0, n_steps>(j, values);
      else
        add_metric<0, n_lower_steps>(j, values);
    }

    template <int begin, int end>
    __device__ __forceinline__ void
    add_metric(const int j, Pair (&values)[2][2]) const
    {
      Steps modes;
      take<begin, end>(metric_buffer(), modes);
      sum_over_modes<2, begin, end>(values, modes, Tables::interpolation(j, 0));
    }

    static __device__ __forceinline__ void
    set_pairs(Pair (&to)[n_pairs], const State &state)
    {
#pragma unroll
      for (int c = 0; c < 2 * n_pairs; ++c)
        to[c / 2][c % 2] = c < n ? state[c < n ? c : 0].v : 0.;
    }

    static __device__ __forceinline__ void
    set_zero(Pair (&d)[n_pairs][2])
    {
#pragma unroll
      for (int i = 0; i < 4 * n_pairs; ++i)
        d[i / 4][i / 2 % 2][i % 2] = 0.;
    }

    /// One group of elements.
    __device__ __forceinline__ void
    work()
    {
      failed = false;
      points.wait_at_boundary(faces[0].at_boundary() || faces[1].at_boundary() ||
                              faces[2].at_boundary());
      if constexpr (n_mode_buffers > 0)
        wait();
      if constexpr (!in_turn)
        load(element, own_buffer(), u);
      if constexpr (in_turn)
        ask_for_coefficients(faces[0].element_across(element), face_buffer(0));
      if constexpr (ahead)
        ask_for_coefficients(next_element, own_buffer());
      else
        ask_for_inverse_masses(element);
      Row<n, Number> olds[n_steps];
      if constexpr (reads_old_early)
        read_old(olds);
      else
        prefetch_element(points.old());
      prefetch_element(points.arg.second_order_terms);
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        set_zero(r[j]);

      Map affine;
      if constexpr (!is_curved)
        affine = points.geometry(element);
      Parts parts[Tables::n_face_groups];
#pragma unroll
      for (int j = 0; j < divide_up(Tables::n_groups, 2); ++j)
        {
          Steps room;
          Pair  values[n_pairs][2];
          set_zero(values);
          sum_over_modes<n_pairs>(values, own_coefficients(room), Tables::interpolation(j, 0));
          Pair metric[2][2];
          if constexpr (is_curved)
            interpolate_metric(j, metric);
#pragma unroll
          for (int i = 0; i < 2; ++i)
            {
              const int group = 2 * j + i;
              State     state;
#pragma unroll
              for (int c = 0; c < n; ++c)
                state[c] = values[c / 2][i][c % 2];
              const Map map([&](const int k) {
                return is_curved ? T(metric[k / 2][i][k % 2]) : affine.metric(k / 2)[k % 2];
              });
              if (group < Tables::n_volume_groups)
                add_volume(map, group, state);
              else if (group < Tables::n_groups)
                add_faces(map, group - Tables::n_volume_groups, state, parts);
            }
        }
      if constexpr (directly && is_curved)
        arrive();
      ask_for_metric(next_element);
      if constexpr (in_turn) // not before: they would take registers
        load_faces(next_element);
      add_second_order_terms();
      if constexpr (is_curved)
        apply_inverse_mass();
      if constexpr (ahead)
        ask_for_inverse_masses(next_element);
      Steps             room;
      const Steps      &u_here = own_coefficients(room);
      const Number     *from   = points.old();
      const std::size_t first  = position<n>(element);
      if (stored)
        points.template update<n, n_steps, true>(
          [&](const int i) { return has_mode(i); },
          first,
          [&](const int i) { return i * stride<n>; },
          [&](const int i) {
            if constexpr (reads_old_early)
              return olds[i];
            else
              return Row<n, Number>::read(from + first + i * stride<n>);
          },
          [&](const int i, const int c) { return T(u_here[i][c / 2][c % 2]); },
          [&](const int i, const int c) { return T(r[i / 2][c / 2][i % 2][c % 2]); });
      if (failed && stored)
        points.record_failure(element);
      if constexpr (in_turn)
        own_offset = mode_buffer - own_offset;
    }

    __device__ __forceinline__ void
    add_second_order_terms()
    {
      if (const Number *from = points.arg.second_order_terms; from != nullptr)
#pragma unroll
        for (int i = 0; i < n_steps; ++i)
          if (has_mode(i))
            {
              const auto row = Row<n, Number>::read(from + position<n>(element) + i * stride<n>);
#pragma unroll
              for (int c = 0; c < n; ++c)
                r[i / 2][c / 2][i % 2][c % 2] += row.values[c].v;
            }
    }

    __device__ __forceinline__ void
    add_volume(const Map &map, const int group, const State &state)
    {
      failed |= !points.arg.law.admissible(state);
      const int  q     = 4 * group + t < nv ? 4 * group + t : nv - 1;
      const auto field = Points::field(points.arg.fields.volume, element, q, nv);
      Pair       flux[2][n_pairs];
#pragma unroll
      for (int d = 0; d < 2; ++d)
        set_pairs(flux[d], points.arg.law.flux(state, field, map.metric(d)));
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
#pragma unroll
        for (int pair = 0; pair < n_pairs; ++pair)
          multiply_add(r[j][pair],
                       flux[0][pair],
                       flux[1][pair],
                       table[32 * Tables::gradients(group, j, 0)],
                       table[32 * Tables::gradients(group, j, 1)]);
    }

    /// The neighbour's trace at all points of face @p f, of whose groups @p q is the first.
    __device__ __forceinline__ void
    add_neighbor(const int f, const int q, Parts (&parts)[Tables::n_face_groups]) const
    {
      Steps neighbor;
      if constexpr (in_turn)
        wait();
      load(faces[f].element_across(element), face_buffer(f), neighbor);
      if constexpr (in_turn)
        ask_for_coefficients(f < 2 ? faces[f < 2 ? f + 1 : 0].element_across(element)
                                   : next_element,
                             face_buffer(f));
      if constexpr (ahead)
        ask_for_coefficients(faces_ahead[f].element_across(next_element), face_buffer(f));
#pragma unroll
      for (int i = q; i < Tables::n_face_groups; ++i)
        if (Tables::face_of(4 * i) <= f)
          {
            if (Tables::face_of(4 * i) == f)
              set_zero(parts[i]);
            sum_over_modes<n_pairs>(parts[i], neighbor, Tables::outside(i, f, 0));
          }
    }

    __device__ __forceinline__ void
    add_faces(const Map   &map,
              const int    q,
              const State &inside,
              Parts (&parts)[Tables::n_face_groups])
    {
      failed |= !points.arg.law.admissible(inside);
      const int  first = Tables::face_of(4 * q), last = Tables::face_of(4 * q + 3);
      const bool on_last = last > first && 4 * q + t >= last * Tables::stride; // this lane's point
#pragma unroll
      for (int f = first; f <= last; ++f)
        if (q == 0 || Tables::face_of(4 * q - 1) < f)
          add_neighbor(f, q, parts);
      const PackedFace face      = on_last ? faces[last] : faces[first];
      const double     direction = face.orientation() == 0 ? 1. : -1.;
      State            outside;
#pragma unroll
      for (int c = 0; c < n; ++c)
        outside[c] = parts[q][c / 2][0][c % 2] + direction * parts[q][c / 2][1][c % 2];

      const int point = Tables::point_of(4 * q + t), b = face.boundary_face();
      if (b >= 0)
        outside = points.boundary_state(b, point, nf);
      Direction normal;
      const int f = on_last ? last : first;
      const T   area =
        map.set_normal([&](const int k) { return on_last ? normals[last][k] : normals[first][k]; },
                       normal);
      const auto field = Points::field(points.arg.fields.face, element, f * nf + point, 3 * nf);
      State      flux  = points.numerical_flux(inside, outside, field, normal);
#pragma unroll
      for (int c = 0; c < n; ++c)
        flux[c] = flux[c] * area;
      if (points.arg.coefficients.weight != 0 && __any_sync(~0U, b >= 0))
        if (b >= 0 && stored && Tables::is_point(4 * q + t))
          points.store_outflow(b, point, nf, flux);

      Pair a[n_pairs];
      set_pairs(a, flux);
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
#pragma unroll
        for (int pair = 0; pair < n_pairs; ++pair)
          multiply_add(r[j][pair], a[pair], table[32 * Tables::values(q, j)]);
    }

    /// r becomes the inverse mass matrix times r.
    __device__ __forceinline__ void
    apply_inverse_mass()
    {
      Steps residual;
      Pair  result[n_tiles][n_pairs][2];
#pragma unroll
      for (int i = 0; i < n_steps * n_pairs * 2; ++i)
        {
          const int k = i / (2 * n_pairs), pair = i / 2 % n_pairs, c = i % 2;
          residual[k][pair][c] = r[k / 2][pair][k % 2][c];
        }
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        set_zero(result[j]);
#pragma unroll
      for (int i = 0; i < divide_up(Tables::n_volume_groups, 2); ++i)
        {
          Pair values[n_pairs][2];
          set_zero(values);
          sum_over_modes<n_pairs>(values, residual, Tables::interpolation(i, 0));
#pragma unroll
          for (int group = 2 * i; group < 2 * i + 2 && group < Tables::n_volume_groups; ++group)
            {
              double factor;
              read_again(inverse_masses() + 32 * group + lane, factor);
#pragma unroll
              for (int pair = 0; pair < n_pairs; ++pair)
                {
                  const Pair a = {factor * values[pair][group % 2][0],
                                  factor * values[pair][group % 2][1]};
#pragma unroll
                  for (int j = 0; j < n_tiles; ++j)
                    multiply_add(result[j][pair], a, table[32 * Tables::projection(group, j)]);
                }
            }
        }
#pragma unroll
      for (int i = 0; i < n_tiles * n_pairs * 4; ++i)
        {
          const int j = i / (4 * n_pairs), pair = i / 4 % n_pairs;
          r[j][pair][i / 2 % 2][i % 2] = result[j][pair][i / 2 % 2][i % 2];
        }
    }

    const Points points;
    const double (&normals)[3][2];
    const int     lane, t;
    const bool    all_metric_steps; ///< rather than the lower ones only
    double *const table;            ///< of this lane: operand `i` at `32 * i`
    Number *const buffer;           ///< the first one of the warp
    int           own_offset = 0;   ///< of the own coefficients' buffer, if neighbours take turns

    int        element, next_element;
    bool       stored; ///< not if it is padding
    bool       failed; ///< whether a state was not admissible
    FaceRecord records[3];
    PackedFace faces[3], faces_ahead[3];
    Steps      u; ///< unless in shared memory
    Pair       r[n_tiles][n_pairs][2];
  };
} // namespace Saltus::CudaKernels

#endif
