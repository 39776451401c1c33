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
// Neighbours' coefficients may come through a buffer in shared memory, asked for one face ahead.
//
// Of curved elements the metrics are four components more, whose modes come through a buffer, too,
// asked for one group of elements ahead: reading them at all points would take twice the memory.

#include <cuda/operators/conservation_law/stage_points.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>
#include <vector>

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
    static constexpr int n_face_groups   = divide_up(3 * nf, 4);
    static constexpr int n_groups        = n_volume_groups + n_face_groups;

    /// The face of point @p i of all faces' points.
    static constexpr __host__ __device__ int
    face_of(const int i)
    {
      return i < 3 * nf ? i / nf : 2;
    }

    /// Number of that point on its face.
    static constexpr __host__ __device__ int
    point_of(const int i)
    {
      return i < 3 * nf ? i % nf : nf - 1;
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

    static constexpr int n_operands = values(n_face_groups, 0);
    /// @}

    static constexpr int size = 32 * n_operands;

    template <typename Number>
    static std::vector<double>
    make(const ElementTables<Number> &host)
    {
      std::vector<double> table(size);
      const auto          face_value = [&](const int f, const int q, const int m) {
        return host.face_values[(f * nf + q) * n_modes + m];
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
                      j < 0 ? host.volume_values[(i < nv ? i : nv - 1) * n_modes + m]
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
                  for (int d = 0; d < 2; ++d)
                    at(gradients(q / 4, j, d)) =
                      host.volume_weights[q] * host.volume_gradients[(q * 2 + d) * n_modes + m];
                for (int i = k; i < 3 * nf; i += 4)
                  at(values(i / 4, j)) =
                    -host.face_weights[point_of(i)] * face_value(face_of(i), point_of(i), m);
              }
        }
      return table;
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
    using Geometry  = GeometryView<kind, 2, T, Number>;

  public:
    using Arguments = StageArguments<Law, Number>;
    using Normals   = TensorNormals<2>;
    using Tables    = TriangleTables<degree>;

  private:
    static constexpr bool is_curved = kind != GeometryKind::affine;
    static constexpr int  n         = Law::n_components;
    static constexpr int  n_pairs = divide_up(n, 2); ///< of components; a last one alone has a zero
    static constexpr int  n_modes = Tables::n_modes, n_steps = Tables::n_steps;
    static constexpr int  n_tiles = Tables::n_tiles;
    static constexpr int  nv = Tables::nv, nf = Tables::nf;

    using Steps = Pair[n_steps][n_pairs];
    using Parts = Pair[n_pairs][2]; ///< even and odd parts of a trace

  public:
    /// Warps a block and blocks a multiprocessor, so that registers suffice.
    static constexpr int n_warps    = degree == 2 || degree == 3 ? 12 : 8;
    static constexpr int min_blocks = degree == 1 ? 2 : 1;

    /// Whether neighbours' coefficients come through a buffer, and the own ones stay in two others,
    /// for this element and the next.
    static constexpr bool buffered = degree >= 4 && n % 2 == 0;

    static constexpr int buffer_size  = n_steps * 32 * n; ///< in numbers
    static constexpr int n_buffers    = buffered ? 3 : 0; ///< of a warp
    static constexpr int metric_size  = is_curved ? n_steps * 32 * 4 : 0;
    static constexpr int warp_numbers = n_buffers * buffer_size + metric_size; ///< in numbers
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
      , table(shared + lane)
      , buffer(reinterpret_cast<Number *>(shared + Tables::size) + threadIdx.x / 32 * warp_numbers +
               2 * lane)
    {}

    /// Whether there is what this form of the stage reads.
    static bool
    takes(const Arguments &arg)
    {
      return !is_curved || arg.stored.metric_modes != nullptr;
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
      ask_for(element_of(group), buffer + own);
      ask_for_metric(element_of(group));
      load_faces(element_of(group));
#pragma unroll 1
      for (; group < n_groups; group += stride)
        {
          element            = element_of(group);
          const bool is_last = group + stride >= n_groups;
          next_element       = is_last ? element : element_of(group + stride);
          stored             = element < mesh.n_elements;
#pragma unroll
          for (int f = 0; f < 3; ++f)
            faces[f] = next_faces[f];
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

    /// Those of the next group of elements, one group ahead.
    __device__ __forceinline__ void
    load_faces(const int e)
    {
#pragma unroll
      for (int f = 0; f < 3; ++f)
        next_faces[f] = read_face(points.arg.mesh.faces + point_index(e, f, 3, 1));
    }

    __device__ __forceinline__ std::size_t
                               position(const int e, const int step) const
    {
      return CoefficientLayout{n_modes, n}.index(e, 4 * step + t);
    }

    /// Where the next element's come.
    __device__ __forceinline__ int
    next_own() const
    {
      return 3 * buffer_size - own;
    }

    /// Let the coefficients of an element come into a buffer.
    __device__ __forceinline__ void
    ask_for(const int e, Number *const to) const
    {
      if constexpr (buffered)
        copy_modes<n>(points.arg.u, e, to);
    }

    /// Let the modes of the metric of an element come into their buffer.
    __device__ __forceinline__ void
    ask_for_metric(const int e) const
    {
      if constexpr (is_curved)
        {
          const StoredArrays<Number> &from = points.arg.stored;
          copy_modes<4>(from.metric_modes, e - block_size * from.first_block, metric_buffer());
        }
    }

    /// Behind the others.
    __device__ __forceinline__ Number *
    metric_buffer() const
    {
      return buffer + n_buffers * buffer_size;
    }

    /// Let the modes of an element of a vector with @p nc components come into a buffer,
    /// `[step][pair][lane][2]`.
    template <int nc>
    __device__ __forceinline__ void
    copy_modes(const Number *vector, const int e, Number *const to) const
    {
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
        if (has_mode(k))
#pragma unroll
          for (int pair = 0; pair < nc / 2; ++pair)
            copy_async<2 * sizeof(Number)>(vector +
                                             CoefficientLayout{n_modes, nc}.index(e, 4 * k + t) +
                                             2 * pair,
                                           to + (k * (nc / 2) + pair) * 64);
    }

    /// Two numbers of a buffer.
    static __device__ __forceinline__ void
    take(const Number *from, Pair &to)
    {
      using Two     = std::conditional_t<sizeof(Number) == 8, double2, float2>;
      const Two two = *reinterpret_cast<const Two *>(from);
      to[0]         = two.x;
      to[1]         = two.y;
    }

    /// Let what the update reads come into the second-level cache.
    __device__ __forceinline__ void
    prefetch_old() const
    {
      constexpr int lines = divide_up(8 * n, in_line<Number>); // of a mode
      const Number *from  = points.old();
      if (from != nullptr)
#pragma unroll
        for (int i = lane; i < n_modes * lines; i += 32)
          prefetch(from + CoefficientLayout{n_modes, n}.index(element - lane / 4, i / lines) +
                   i % lines * in_line<Number>);
    }

    /// Until all that was asked for is there.
    static __device__ __forceinline__ void
    wait()
    {
      if constexpr (buffered)
        arrive();
    }

    /// Let those of the next group come into the second-level cache.
    __device__ __forceinline__ void
    prefetch_inverse_mass() const
    {
      const StoredArrays<Number> &from = points.arg.stored;
      const int                   e    = next_element - lane / 4 - block_size * from.first_block;
#pragma unroll
      for (int q = lane; q < nv; q += 32)
        prefetch(from.inverse_masses + point_index(e, q, nv, 1));
    }

    /// From there, or from memory if there are no buffers.
    __device__ __forceinline__ void
    load(const int e, const Number *from, Steps &to) const
    {
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
        {
#pragma unroll
          for (int c = 0; c < 2 * n_pairs; ++c)
            to[k][c / 2][c % 2] = 0.;
          if (!has_mode(k))
            continue;
          if constexpr (buffered)
            {
#pragma unroll
              for (int pair = 0; pair < n_pairs; ++pair)
                take(from + (k * n_pairs + pair) * 64, to[k][pair]);
            }
          else
            {
              const auto row = Row<n, Number>::read(points.arg.u + position(e, k));
#pragma unroll
              for (int c = 0; c < n; ++c)
                to[k][c / 2][c % 2] = row.values[c].v;
            }
        }
    }

    /// The own coefficients: if they stay in shared memory, read again at each call.
    __device__ __forceinline__ const Steps &
    own_coefficients(Steps &room) const
    {
      if constexpr (!buffered)
        return u;
      asm volatile("" ::: "memory");
      load(element, buffer + own, room);
      return room;
    }

    /// Sums over all modes: D += A B with the operands from number @p first on.
    template <int n_pairs>
    __device__ __forceinline__ void
    sum_over_modes(Pair (&d)[n_pairs][2], const Pair (&a)[n_steps][n_pairs], const int first) const
    {
      double b[n_steps];
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
        b[k] = table[32 * (first + k)];
#pragma unroll
      for (int pair = 0; pair < n_pairs; ++pair)
        {
#pragma unroll
          for (int k = 0; k + 1 < n_steps; k += 2)
            multiply_add(d[pair], a[k][pair], a[k + 1][pair], b[k], b[k + 1]);
          if (n_steps % 2 == 1)
            multiply_add(d[pair], a[n_steps - 1][pair], b[n_steps - 1]);
        }
    }

    /// The metric at two groups of points.
    __device__ __forceinline__ void
    interpolate_metric(const int j, Pair (&values)[2][2]) const
    {
      Pair modes[n_steps][2];
      asm volatile("" ::: "memory"); // read again for each: registers are for other things
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
#pragma unroll
        for (int pair = 0; pair < 2; ++pair)
          {
            modes[k][pair][0] = modes[k][pair][1] = 0.;
            if (has_mode(k))
              take(metric_buffer() + (k * 2 + pair) * 64, modes[k][pair]);
          }
#pragma unroll
      for (int i = 0; i < 8; ++i)
        values[i / 4][i / 2 % 2][i % 2] = 0.;
      sum_over_modes<2>(values, modes, Tables::interpolation(j, 0));
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
      const Geometry geometry =
        geometry_view<kind>(points.arg.stored, element, points.geometry(element));
      failed = false;
      points.wait_at_boundary(faces[0].at_boundary() || faces[1].at_boundary() ||
                              faces[2].at_boundary());
      if constexpr (is_curved)
        {
          arrive();
          prefetch_inverse_mass();
        }
      else
        wait();
      if constexpr (!buffered)
        load(element, buffer + own, u);
      ask_for(faces[0].element_across(element), buffer);
      ask_for(next_element, buffer + next_own());
      load_faces(next_element);
      prefetch_old();
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        set_zero(r[j]);

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
                if constexpr (is_curved)
                  return T(metric[k / 2][i][k % 2]);
                else
                  return geometry.metric(k / 2)[k % 2];
              });
              if (group < Tables::n_volume_groups)
                add_volume(map, group, state);
              else if (group < Tables::n_groups)
                add_faces(map, group - Tables::n_volume_groups, state, parts);
            }
        }
      ask_for_metric(next_element);
      if constexpr (is_curved)
        apply_inverse_mass(geometry);
      Steps         room;
      const Steps  &u_here = own_coefficients(room);
      const Number *from   = points.old();
      if (stored)
        points.template update<n, n_steps, true>(
          [&](const int i) { return has_mode(i); },
          [&](const int i) { return position(element, i); },
          [&](const int i) { return Row<n, Number>::read(from + position(element, i)); },
          [&](const int i, const int c) { return T(u_here[i][c / 2][c % 2]); },
          [&](const int i, const int c) { return T(r[i / 2][c / 2][i % 2][c % 2]); });
      if (failed && stored)
        points.record_failure(element);
      own = next_own();
      __syncwarp();
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
      wait();
      load(faces[f].element_across(element), buffer, neighbor);
      if (f < 2)
        ask_for(faces[f < 2 ? f + 1 : 0].element_across(element), buffer);
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
      const bool on_last = last > first && 4 * q + t >= last * nf; // this lane's point
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
        if (b >= 0 && stored && 4 * q + t < 3 * nf)
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
    apply_inverse_mass(const Geometry &geometry)
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
              const double factor = points.weighted_inverse_mass(geometry, 4 * group + t, nv).v;
#pragma unroll
              for (int pair = 0; pair < n_pairs; ++pair)
                {
                  const Pair a = {factor * values[pair][group % 2][0],
                                  factor * values[pair][group % 2][1]};
#pragma unroll
                  for (int j = 0; j < n_tiles; ++j)
                    multiply_add(
                      result[j][pair],
                      a,
                      transposed(table - lane, Tables::interpolation(i, 2 * j), group % 2, lane));
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
    double *const table;             ///< of this lane: operand `i` at `32 * i`
    Number *const buffer;            ///< of this lane, `[step][pair][lane][2]`
    int           own = buffer_size; ///< where the own coefficients are from there on, if buffered

    int        element, next_element;
    bool       stored; ///< not if it is padding
    bool       failed; ///< whether a state was not admissible
    PackedFace faces[3], next_faces[3];
    Steps      u; ///< unless in shared memory
    Pair       r[n_tiles][n_pairs][2];
  };
} // namespace Saltus::CudaKernels

#endif
