// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_tensor_cuh
#define saltus_cuda_operators_conservation_law_second_order_tensor_cuh

// Second-order fluxes with tensor cores in double precision: for the formulas see
// SecondOrderElement, for how numbers stand in the lanes of a warp tensor_core.cuh.
//
// Points are worked on in groups of four: those of the volume, of one face after the other for its
// neighbour, and for the element itself of faces that are taken together, each list filled up by
// repeating its last point with weight 0. A function has several kinds of values at a point: kind 0
// is the function, kind 1 + r its derivative in reference direction r. An interpolation to a group
// gives two kinds a product: column n is kind n % 2 of them at point n / 2. The transposed of the
// same operands takes fluxes back, so that there is one table.
//
// Of a neighbour only its state and its own part of the normal flux, F_v(u, grad u) . n, go through
// shared memory: it has them at its points, in its order. At the boundary the element is its own
// neighbour, and what it leaves is what makes of the fluxes and of the jump what holds there.
//
// On faces of bent triangles, derivatives are those in the directions of FaceFrame.
//
//   shared memory of a warp, in this order
//   rows       [2][8][stride]      coefficients of elements, `[mode][component]`, modes filled up
//                                  with zeros: the own ones and a neighbour's, then the next
//                                  elements'; at last the residual takes the own ones' place
//   Jacobians  [2][8][r][d]        their inverse Jacobians
//   traces     [plane][8][stride]  the neighbours' components and normal fluxes at faces' points
//   penalties  [8][face]           their factors, see SecondOrderTerms
//
// Where there is no room, the volume's operands, or all of them, are read from memory.

#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/ranks/gpu_group.h>

#include <algorithm>
#include <cstring>
#include <cuda/base/device/check.cuh>
#include <cuda/base/device/context.cuh>
#include <cuda/base/device/device_numbers.cuh>
#include <cuda/operators/conservation_law/face_directions.cuh>
#include <cuda/operators/conservation_law/second_order_launch.cuh>
#include <cuda/operators/spaces/row.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>
#include <vector>

namespace Saltus::CudaKernels
{
  /// The operands B of all products, each as 32 numbers, and permutations of points.
  template <int dim, int degree>
  struct SecondOrderTables
  {
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    static constexpr int nv = Simplex<dim>::n_quadrature_points(second_order_volume_degree(degree));
    static constexpr int nf =
      Simplex<dim - 1>::n_quadrature_points(second_order_face_degree(degree));
    static constexpr int n_kinds    = 1 + dim;
    static constexpr int n_products = divide_up(n_kinds, 2);

    static constexpr int n_steps         = divide_up(n_modes, 4); ///< of four modes
    static constexpr int n_tiles         = divide_up(n_modes, 8); ///< of eight modes
    static constexpr int n_volume_groups = divide_up(nv, 4);
    static constexpr int n_face_groups   = divide_up(nf, 4); ///< of one face

    /// Faces whose points the element itself takes together, where these are fewer groups. The
    /// values of the neighbours have to be kept for all of them.
    static constexpr int n_candidates = dim == 2 ? 3 : (degree == 1 ? 2 : 1);
    static constexpr int n_together =
      divide_up(n_candidates * nf, 4) < n_candidates * n_face_groups ? n_candidates : 1;
    static constexpr int n_points_together = n_together * nf;
    static constexpr int n_groups_together = divide_up(n_points_together, 4);

    static constexpr int n_groups =
      n_volume_groups + (dim + 1) * n_face_groups +
      (n_together > 1 ? (dim + 1) / n_together * n_groups_together : 0);

    /// Numbers of a group: `[product][step][32]`.
    static constexpr int group = 32 * n_products * n_steps;

    /// Where those of a group of face @p f begin.
    static constexpr __host__ __device__ int
    face_group(const int f, const int i)
    {
      return (n_volume_groups + f * n_face_groups + i) * group;
    }

    /// The same of the faces from @p first on that are taken together.
    static constexpr __host__ __device__ int
    group_together(const int first, const int i)
    {
      return n_together == 1 ? face_group(first, i)
                             : face_group(dim + 1, first / n_together * n_groups_together + i);
    }

    /// Where row @p k, column @p n of step @p step is, so that neither lanes that read an operand
    /// nor those that read its transposed meet in a bank.
    static constexpr __host__ __device__ int
    place(const int step, const int k, const int n)
    {
      return 32 * step + ((4 * n + k) ^ (n & 4) ^ ((step & 1) << 1));
    }

    /// Then come, for each orientation and all points of a face's groups, the neighbour's number of
    /// the point and the one that is number this to the neighbour; then the reference normals and
    /// areas. The last tile of modes may be read one step too far.
    static constexpr int n_orientations = Simplex<dim>::n_orientations;
    static constexpr int permutations   = n_groups * group + 32;
    static constexpr int normals        = permutations + n_orientations * 4 * n_face_groups;
    static constexpr int areas          = normals + (dim + 1) * dim; ///< see FaceFrame
    static constexpr int size           = divide_up(areas + dim + 1, 2) * 2;

    static_assert(sizeof(int2) == sizeof(double));

    /// @param has_frames whether derivatives on faces are in the directions of FaceFrame
    static std::vector<double>
    make(const ElementTables<double> &host, const bool has_frames)
    {
      const FaceDirections<dim> directions(host);
      std::vector<double>       table(size);
      const auto                set =
        [&](const int begin, const int first, const int n_points, const auto &value) {
          for (int kind = 0; kind < n_kinds; ++kind)
            for (int point = 0; point < 4; ++point)
              for (int m = 0; m < n_modes; ++m)
                table[begin + kind / 2 * 32 * n_steps + place(m / 4, m % 4, 2 * point + kind % 2)] =
                  value(kind, std::min(first + point, n_points - 1), m);
        };
      for (int i = 0; i < n_volume_groups; ++i)
        set(i * group, 4 * i, nv, [&](const int kind, const int q, const int m) {
          return kind == 0 ? host.volume_values[q * n_modes + m]
                           : host.volume_gradients[(q * dim + kind - 1) * n_modes + m];
        });
      // Of points from those of face f on.
      const auto of_face = [&](const int f) {
        return [&host, &directions, has_frames, f](const int kind, const int point, const int m) {
          const int q = f * nf + point;
          if (kind == 0)
            return host.face_values[q * n_modes + m];
          return has_frames ? directions.derivative(q / nf, q % nf, kind - 1, m)
                            : host.face_gradients[(q * dim + kind - 1) * n_modes + m];
        };
      };
      for (int f = 0; f <= dim; ++f)
        for (int i = 0; i < n_face_groups; ++i)
          set(face_group(f, i), 4 * i, nf, of_face(f));
      if (n_together > 1)
        for (int f = 0; f <= dim; f += n_together)
          for (int i = 0; i < n_groups_together; ++i)
            set(group_together(f, i), 4 * i, n_points_together, of_face(f));
      std::copy_n(host.face_normals, (dim + 1) * dim, table.begin() + normals);
      for (int f = 0; f <= dim; ++f)
        table[areas + f] = directions.area(f);
      for (int i = 0; i < n_orientations * 4 * n_face_groups; ++i)
        {
          const auto *there = host.face_permutations + i / (4 * n_face_groups) * nf;
          const int   q     = std::min(i % (4 * n_face_groups), nf - 1);
          const int2  both  = {there[q], static_cast<int>(std::find(there, there + nf, q) - there)};
          std::memcpy(&table[permutations + i], &both, sizeof(both));
        }
      return table;
    }
  };

  /// What one warp does.
  /// @tparam artificial,varies see SecondOrderTerms
  template <typename Law, int degree, GeometryKind kind, bool artificial, bool varies>
  class SecondOrderStage
  {
    static constexpr int dim = Law::dimension, n = Law::n_components;
    static constexpr int n_pairs = n / 2;
    static constexpr int single  = n % 2; ///< whether the first component has none beside it

    using T        = Quick<double>;
    using Affine   = AffineGeometry<dim, T>;
    using Geometry = GeometryView<kind, dim, T, double>;

    using Terms     = SecondOrderTerms<Law, T, double, artificial, varies>;
    using State     = typename Terms::State;
    using Trace     = typename Terms::Trace;
    using Direction = typename Terms::Direction;

  public:
    using Arguments = SecondOrderArguments<Law, double>;
    using Tables    = SecondOrderTables<dim, degree>;

  private:
    static constexpr int n_modes = Tables::n_modes, n_steps = Tables::n_steps;
    static constexpr int n_tiles = Tables::n_tiles, n_kinds = Tables::n_kinds;
    static constexpr int nv = Tables::nv, nf = Tables::nf;
    static constexpr int n_face_groups = Tables::n_face_groups;
    static constexpr int n_together    = Tables::n_together;

    /// Whether the first component has a flux, if it has none beside it.
    static constexpr bool single_flux = single == 1 && Terms::first_flux == 0;

    /// Whether geometry on faces is that of FaceFrame. On tetrahedra it is arithmetic that limits,
    /// and normals of maps of a high degree are others.
    static constexpr bool has_frames = !Geometry::is_constant && dim == 2;
    /// Whether geometry comes into the second-level cache before it is read: where more is read,
    /// not all that the warps ask for would stay there.
    static constexpr bool prefetches = !Geometry::is_constant && (dim == 2 || degree <= 2);

    using Values = State[n_kinds]; ///< a state each

    /// Between elements in shared memory, so that lanes use different banks.
    static constexpr int n_in_row = 4 * n_steps * n;
    static constexpr int stride =
      n % 2 == 0 ? divide_up(n_in_row - 2, 16) * 16 + 2 : divide_up(n_in_row - 4, 8) * 8 + 4;

    /// Points of a plane of traces; if there are 8 or 16, in another order for each element.
    static constexpr int trace_stride =
      Tables::n_groups_together <= 2 || Tables::n_groups_together == 4
        ? 4 * Tables::n_groups_together
        : divide_up(Tables::n_points_together - 4, 8) * 8 + 4;

    /// The first component whose flux is kept.
    static constexpr int first_flux = Terms::first_flux;

    static constexpr int rows         = 8 * stride;
    static constexpr int jacobians    = 2 * rows; ///< where they begin
    static constexpr int traces_begin = jacobians + 2 * 8 * dim * dim;
    static constexpr int penalties    = traces_begin + (2 * n - first_flux) * 8 * trace_stride;
    static constexpr int warp_numbers = divide_up(penalties + 8 * n_together, 2) * 2;
    static constexpr int room         = (227 << 10) / sizeof(double); ///< of a block

    /// Warps of a block, one a multiprocessor, for which there are registers.
    static constexpr int max_warps = dim == 2 && degree <= 3 ? 12 : 8;

    static constexpr bool
    is_room_for(const int n_numbers)
    {
      return n_numbers + max_warps * warp_numbers <= room;
    }

  public:
    /// The first number of the tables that stands in shared memory.
    static constexpr int copied       = is_room_for(Tables::size) ? 0
                                        : is_room_for(Tables::size - Tables::face_group(0, 0))
                                          ? Tables::face_group(0, 0)
                                          : Tables::size;
    static constexpr int n_copied     = Tables::size - copied;
    static constexpr int n_warps      = std::min(max_warps, (room - n_copied) / warp_numbers);
    static constexpr int shared_bytes = (n_copied + n_warps * warp_numbers) * sizeof(double);

    __device__ __forceinline__
    SecondOrderStage(const Arguments &arg, const double *tables, double *shared)
      : arg(arg)
      , terms(arg)
      , lane(threadIdx.x % 32)
      , t(lane % 4)
      , volume_table(copied == 0 ? shared : tables)
      , face_table((n_copied > 0 ? shared - copied : tables))
      , in_order(Tables::place(0, t, lane / 4))
      , transposed(Tables::place(lane / 4 % 2, lane / 8, 2 * t))
      , permutations(reinterpret_cast<const int2 *>(face_table + Tables::permutations))
      , memory(shared + n_copied + threadIdx.x / 32 * warp_numbers)
      , traces(memory + traces_begin + lane / 4 * trace_stride)
    {}

    __device__ __forceinline__ void
    run()
    {
      const MeshArrays<double> &mesh     = arg.mesh;
      const int                 n_groups = (mesh.end + 7) / 8;
      const int                 stride   = gridDim.x * n_warps;
      int                       group    = mesh.begin / 8 + blockIdx.x * n_warps + threadIdx.x / 32;
      if (group >= n_groups)
        return;
      fill_up(row(0));
      fill_up(row(1));
      CudaRuntime::wait_for_kernel_before();
      ask_for(element_of(group), own);
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

    /// Face t of element @p e, one group ahead.
    __device__ __forceinline__ void
    load_face(const int e)
    {
      next_face = read_face(arg.mesh.faces + point_index(e, ::min(t, dim), dim + 1, 1));
    }

    /// Face @p f of the lane's element.
    __device__ __forceinline__ FaceRecord
    face_of_element(const FaceRecord &of_lane, const int f) const
    {
      unsigned long long word;
      memcpy(&word, &of_lane, sizeof(word));
      word = __shfl_sync(~0U, word, (lane & 28) + f);
      FaceRecord result;
      memcpy(static_cast<void *>(&result), &word, sizeof(word));
      return result;
    }

    /// @name Rows of elements, of which each of their lanes moves every fourth word
    /// @{
    static constexpr CoefficientLayout layout       = {n_modes, n};
    static constexpr int               piece        = layout.element_by_element() ? n_modes * n : n;
    static constexpr int               word         = piece % 2 == 0 ? 2 : 1; ///< numbers of a word
    static constexpr int               n_words      = n_modes * n / word;
    static constexpr int               n_lane_words = divide_up(n_words, 4);

    __device__ __forceinline__ bool
    has_word(const int i) const
    {
      return 4 * i + 3 < n_words || 4 * i + t < n_words;
    }

    /// Where word @p i of this lane begins in a row.
    __device__ __forceinline__ int
    in_row(const int i) const
    {
      return (4 * i + t) * word;
    }

    /// The same in a vector, from the element's first number on.
    __device__ __forceinline__ int
    in_vector(const int i) const
    {
      return layout.element_by_element() ? in_row(i)
                                         : in_row(i) / n * layout.mode_stride() + in_row(i) % n;
    }

    static __device__ __forceinline__ std::size_t
                                      start(const int e)
    {
      return CoefficientLayout{n_modes, n}.index(e, 0);
    }

    /// Row @p which of the lane's element, 0 or 1.
    __device__ __forceinline__ double *
    row(const int which) const
    {
      return memory + which * rows + lane / 4 * stride;
    }

    __device__ __forceinline__ double *
    jacobian(const int which) const
    {
      return memory + jacobians + (which * 8 + lane / 4) * dim * dim;
    }

    /// Zeros where there are no modes.
    __device__ __forceinline__ void
    fill_up(double *row) const
    {
      for (int i = n_modes * n + t; i < n_in_row; i += 4)
        row[i] = 0.;
    }

    /// Let coefficients and geometry of element @p e come to row @p which.
    __device__ __forceinline__ void
    ask_for(const int e, const int which) const
    {
      const double *from = arg.u + start(e);
      double *const row  = this->row(which);
#pragma unroll
      for (int i = 0; i < n_lane_words; ++i)
        if (has_word(i))
          copy_async<word * sizeof(double)>(from + in_vector(i), row + in_row(i));
      for (int i = t; i < dim * dim; i += 4)
        copy_async<sizeof(double)>(arg.mesh.inverse_jacobians + point_index(e, i, dim * dim, 1),
                                   jacobian(which) + i);
    }

    /// Until what was asked for is there.
    static __device__ __forceinline__ void
    wait()
    {
      arrive();
      __syncwarp();
    }

    /// @name What comes into the second-level cache while other points are worked on
    /// @{

    /// Of the stored geometry of element @p e, @p n_numbers at each of @p n_points points from
    /// number @p first of the @p n_in_element on, `[point][i][l]`. Warps that have the elements of
    /// a block take a part each.
    __device__ __forceinline__ void
    prefetch_geometry(const double *array,
                      const int     e,
                      const int     n_in_element,
                      const int     first,
                      const int     n_points,
                      const int     n_numbers) const
    {
      const int         in_block = (e - lane / 4) % block_size, n = n_points * n_numbers;
      const std::size_t point =
        static_cast<std::size_t>(e / block_size - arg.stored.first_block) * n_in_element + first;
      prefetch(array + point * n_numbers * block_size + in_block * n, 8 * n, lane);
    }

    __device__ __forceinline__ void
    prefetch_volume(const int e) const
    {
      if constexpr (prefetches)
        {
          prefetch_geometry(arg.stored.metrics, e, nv, 0, nv, dim * dim);
          prefetch_geometry(arg.stored.factors, e, nv, 0, nv, 1);
        }
    }

    /// For look_across().
    __device__ __forceinline__ void
    prefetch_across(const int f) const
    {
      if constexpr (prefetches && has_frames)
        prefetch_geometry(Geometry::face_frames(arg.stored),
                          element,
                          (dim + 1) * nf,
                          f * nf,
                          nf,
                          FaceFrame<dim, T>::n_derivatives * dim);
      else if constexpr (prefetches)
        {
          constexpr int n = (dim + 1) * nf;
          prefetch_geometry(arg.stored.normals, element, n, f * nf, nf, dim);
          prefetch_geometry(arg.stored.face_metrics_across, element, n, f * nf, nf, dim * dim);
        }
    }

    /// For add_groups().
    __device__ __forceinline__ void
    prefetch_face(const int f) const
    {
      if constexpr (prefetches && !has_frames)
        prefetch_geometry(arg.stored.face_metrics, element, (dim + 1) * nf, f * nf, nf, dim * dim);
    }
    /// @}

    __device__ __forceinline__ Affine
    affine(const int which) const
    {
      const double *from = jacobian(which);
      return Affine([&](const int i) { return T(from[i]); });
    }
    /// @}

    __device__ __forceinline__ Geometry
    geometry() const
    {
      return geometry_view<kind>(arg.stored, element, affine(own));
    }

    /// Components of a mode of a row.
    __device__ __forceinline__ void
    read(const double *row, const int step, double (&to)[n]) const
    {
      const double *from = row + (4 * step + t) * n;
      if constexpr (n % 2 == 0)
#pragma unroll
        for (int c = 0; c < n; c += 2)
          {
            const double2 two = *reinterpret_cast<const double2 *>(from + c);
            to[c]             = two.x;
            to[c + 1]         = two.y;
          }
      else
#pragma unroll
        for (int c = 0; c < n; ++c)
          to[c] = from[c];
    }

    /// Values at this lane's point of a group.
    __device__ __forceinline__ void
    interpolate(const double *row, const double *operands, Values &values) const
    {
      constexpr int n_products = Tables::n_products;
      Pair          d[n_products][n_pairs + 1][2];
#pragma unroll
      for (int i = 0; i < n_products * (n_pairs + 1) * 4; ++i)
        d[i / 4 / (n_pairs + 1)][i / 4 % (n_pairs + 1)][i / 2 % 2][i % 2] = 0.;
      double alone[n_products][2];
#pragma unroll
      for (int product = 0; product < n_products; ++product)
        alone[product][0] = alone[product][1] = 0.;
#pragma unroll
      for (int k = 0; k < n_steps; k += 2)
        {
          double a[2][n];
          read(row, k, a[0]);
          if (k + 1 < n_steps)
            read(row, k + 1, a[1]);
#pragma unroll
          for (int product = 0; product < n_products; ++product)
            {
              const double *b  = operands + 32 * (product * n_steps + k);
              const double  b0 = b[in_order];
              const double  b1 = k + 1 < n_steps ? b[32 + (in_order ^ 2)] : 0.;
#pragma unroll
              for (int pair = 0; pair < n_pairs; ++pair)
                {
                  const int  c  = single + 2 * pair;
                  const Pair a0 = {a[0][c], a[0][c + 1]};
                  if (k + 1 < n_steps)
                    {
                      const Pair a1 = {a[1][c], a[1][c + 1]};
                      multiply_add(d[product][pair], a0, a1, b0, b1);
                    }
                  else
                    multiply_add(d[product][pair], a0, b0);
                }
              if constexpr (single == 1)
                {
                  multiply_add(alone[product], a[0][0], b0);
                  if (k + 1 < n_steps)
                    multiply_add(alone[product], a[1][0], b1);
                }
            }
        }
#pragma unroll
      for (int i = 0; i < n_kinds; ++i)
#pragma unroll
        for (int c = 0; c < n; ++c)
          values[i][c] =
            c < single ? alone[i / 2][i % 2] : d[i / 2][(c - single) / 2][i % 2][(c - single) % 2];
    }

    /// r += fluxes at this lane's point of a group, of the kinds from @p first to before @p last,
    /// times the values of the modes.
    template <int first, int last>
    __device__ __forceinline__ void
    test(const double *operands, const Values &fluxes)
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
#pragma unroll
        for (int i = first; i < last; i += 2)
          {
            const auto operand = [&](const int i) {
              return operands[32 * n_steps * (i / 2) + 64 * j + (transposed ^ (i % 2 << 2))];
            };
            const double b0 = operand(i), b1 = i + 1 < last ? operand(i + 1) : 0.;
#pragma unroll
            for (int pair = 0; pair < n_pairs; ++pair)
              {
                const int  c  = single + 2 * pair;
                const Pair a0 = {fluxes[i][c].v, fluxes[i][c + 1].v};
                if (i + 1 < last)
                  {
                    const Pair a1 = {fluxes[i + 1][c].v, fluxes[i + 1][c + 1].v};
                    multiply_add(r[j][pair], a0, a1, b0, b1);
                  }
                else
                  multiply_add(r[j][pair], a0, b0);
              }
            if constexpr (single_flux)
              {
                multiply_add(r_alone[j], fluxes[i][0].v, b0);
                if (i + 1 < last)
                  multiply_add(r_alone[j], fluxes[i + 1][0].v, b1);
              }
          }
    }

    __device__ __forceinline__ void
    clear()
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
#pragma unroll
          for (int i = 0; i < 4 * n_pairs; ++i)
            r[j][i / 4][i / 2 % 2][i % 2] = 0.;
          r_alone[j][0] = r_alone[j][1] = 0.;
        }
    }

    static __device__ __forceinline__ Trace
    trace_of(const Values &values, const Affine &map)
    {
      Trace result;
      result.value = values[0];
#pragma unroll
      for (int i = 0; i < dim; ++i)
        {
          result.gradient.directions[i]  = map.metric(i);
          result.gradient.derivatives[i] = values[1 + i];
        }
      return result;
    }

    /// One group of elements.
    __device__ __forceinline__ void
    work()
    {
      const FaceRecord face_of_lane = next_face;
      wait();
      ask_for(face_of_element(face_of_lane, 0).element_across(element), 1 - own);
      load_face(next_element);
      clear();
      volume = affine(own).volume_factor();
      prefetch_across(0);
      add_volume();
#pragma unroll 1
      for (int f = 0; f <= dim; ++f)
        {
          // The neighbour across the next face comes meanwhile, or the next element.
          const FaceRecord across = face_of_element(face_of_lane, f);
          const int        after =
            face_of_element(face_of_lane, ::min(f + 1, dim)).element_across(element);
          const int slot = f % n_together;
          prefetch_face(f);
          look_across(f, slot, across, f < dim ? after : next_element);
          if (f < dim)
            prefetch_across(f + 1);
          else
            prefetch_volume(next_element);
          add_groups(f - slot,
                     slot * nf / 4,
                     slot == n_together - 1 ? Tables::n_groups_together : (slot + 1) * nf / 4,
                     face_of_lane);
        }
      store();
      own = 1 - own;
    }

    __device__ __forceinline__ void
    add_volume()
    {
      const Geometry geometry = this->geometry();
#pragma unroll 1
      for (int group = 0; group < Tables::n_volume_groups; ++group)
        {
          const int     q        = ::min(4 * group + t, nv - 1);
          const double *operands = volume_table + group * Tables::group;
          const Affine  map      = geometry.at_volume_point(q); // times the relative volume
          T             factor   = 4 * group + t < nv ? -__ldg(arg.tables.volume_weights + q) : 0.;
          if constexpr (!Geometry::is_constant)
            factor = factor / geometry.relative_volume(q);
          Values values;
          interpolate(row(own), operands, values);
          const auto medium = terms.medium(values[0], T(terms.viscosity_at(element, q)));

          typename Terms::States derivatives, in_directions;
#pragma unroll
          for (int i = 0; i < dim; ++i)
            {
              derivatives[i]   = values[1 + i];
              in_directions[i] = Terms::zero();
            }
          terms.add_fluxes(medium, map, factor, derivatives, in_directions);
          Values fluxes;
#pragma unroll
          for (int i = 0; i < dim; ++i)
            fluxes[1 + i] = in_directions[i];
          test<1, n_kinds>(operands, fluxes);
        }
    }

    __device__ __forceinline__ T
    reference_normal(const int f, const int i) const
    {
      return face_table[Tables::normals + f * dim + i];
    }

    /// The normal of face @p f at its point @p q, as long as the area over |det J|.
    __device__ __forceinline__ Direction
    normal_of(const Geometry &geometry, const int f, const int q) const
    {
      return geometry.area_normal(f, q, [&](const int i) { return reference_normal(f, i); });
    }

    /// Geometry at a point of a face, of the element itself or of the one across.
    struct PointOfFace
    {
      Direction normal;
      Affine    map;
    };

    /// @param sense see FaceFrame
    __device__ __forceinline__ FaceFrame<dim, T>
    frame_at(const Geometry &geometry, const int f, const int q, const T &sense) const
    {
      return geometry.face_frame(
        f, q, [](const int) { return T(1.); }, T(face_table[Tables::areas + f]), sense);
    }

    __device__ __forceinline__ auto
    geometry_across(const Geometry &geometry, const Affine &affine_across) const
    {
      if constexpr (Geometry::is_constant)
        return affine_across;
      else
        return typename Geometry::Across(geometry);
    }

    __device__ __forceinline__ double &
    trace(const int plane, const int point) const
    {
      constexpr int spread = trace_stride == 16 ? 3 : (trace_stride == 8 ? 2 : 0);
      constexpr int factor = trace_stride == 16 ? 4 : 2;
      return traces[plane * 8 * trace_stride + (point ^ (lane / 4 & spread) * factor)];
    }

    /// The neighbour's number of a face's point, and the one that has this number.
    __device__ __forceinline__ int2
    points_across(const FaceRecord &across, const int point) const
    {
      const int orientation = across.at_boundary() ? 0 : across.orientation;
      return permutations[orientation * 4 * n_face_groups + point];
    }

    /// The factor of the penalty at a face of the lane's element.
    __device__ __forceinline__ double &
    penalty(const int slot) const
    {
      return memory[penalties + lane / 4 * n_together + slot];
    }

    /// Leave what the neighbours have at the points of face @p f, which is number @p number on
    /// their side, in traces from number @p place on, if this is @p wanted. At the boundary that is
    /// what makes of the mean of the fluxes and of the jump what holds there.
    __device__ __forceinline__ void
    set_traces(const int         f,
               const int         number,
               const bool        wanted,
               const int         place,
               const FaceRecord &across,
               const Affine     &affine_across) const
    {
      const Geometry  geometry      = this->geometry();
      const auto      geometry_here = geometry_across(geometry, affine_across);
      const auto      viscosity = terms.viscosities_across(element, across.element_across(element));
      const Direction constant  = normal_of(geometry, f, 0);
      const int       b         = across.boundary_face();
      const T         sense     = points_across(across, 0).x == 0 ? 1. : -1.;
#pragma unroll 1
      for (int group = 0; group < n_face_groups; ++group)
        {
          const int point = 4 * group + t;
          const int q = Geometry::is_constant && !artificial ? 0 : points_across(across, point).y;
          Values    values;
          interpolate(row(1 - own), face_table + Tables::face_group(number, group), values);
          const PointOfFace here = [&]() -> PointOfFace {
            if constexpr (has_frames)
              {
                const auto frame = frame_at(geometry, f, q, sense);
                return {frame.normal, frame.outside};
              }
            else
              return {Geometry::is_constant ? constant : normal_of(geometry, f, q),
                      geometry_here.at_face_point(f, q)};
          }();
          Trace at = trace_of(values, here.map);
          State flux =
            terms.flux(terms.medium(at.value, T(viscosity(f, q))), at.gradient, here.normal);
          if (wanted && b >= 0)
            {
              State jump;
              read_boundary_term<0>(arg, b, ::min(point, nf - 1), flux);
              read_boundary_term<1>(arg, b, ::min(point, nf - 1), jump);
              flux = Terms::times(T(2.), flux);
#pragma unroll
              for (int c = 0; c < n; ++c)
                at.value[c] = at.value[c] - jump[c];
            }
          if (wanted && point < nf)
#pragma unroll
            for (int c = 0; c < n; ++c)
              {
                trace(c, place + point) = at.value[c].v;
                if (c >= first_flux)
                  trace(n + c - first_flux, place + point) = flux[c].v;
              }
        }
    }

    /// Leave traces and penalty of face @p f, which is number @p slot of those taken together.
    /// @param after the element whose row comes after the neighbour's
    __device__ __forceinline__ void
    look_across(const int f, const int slot, const FaceRecord &across, const int after)
    {
      wait();
      const Affine affine_across = affine(1 - own);
      const T      factor = terms.penalty_factor(volume * affine_across.inverse_volume_factor());
      const int    number = across.at_boundary() ? f : across.face;
      if (t == 0)
        penalty(slot) = -factor.v;
      // One, unless the mesh is not matched.
      for (unsigned int left = ~0U; left != 0;)
        {
          const int  present = __shfl_sync(~0U, number, __ffs(left) - 1);
          const bool wanted  = number == present;
          set_traces(f, present, wanted, slot * nf, across, affine_across);
          left &= ~__ballot_sync(~0U, wanted);
        }
      __syncwarp();
      ask_for(after, 1 - own);
    }

    /// Add groups from @p begin to before @p end of the faces from @p first on that are taken
    /// together, with neighbours that have been looked at.
    __device__ __forceinline__ void
    add_groups(const int first, const int begin, const int end, const FaceRecord &face_of_lane)
    {
      const Geometry  geometry = this->geometry();
      const Direction constant = normal_of(geometry, first, 0);
#pragma unroll 1
      for (int group = begin; group < end; ++group)
        {
          const int        place = ::min(4 * group + t, Tables::n_points_together - 1);
          const int        slot = n_together == 1 ? 0 : place / nf, q = place - slot * nf;
          const int        f        = first + slot;
          const FaceRecord across   = face_of_element(face_of_lane, f);
          const bool       inside   = !across.at_boundary();
          const int        there    = slot * nf + points_across(across, q).x;
          const double    *operands = face_table + Tables::group_together(first, group);
          // Half of it: of two sides.
          const T weight = 4 * group + t < Tables::n_points_together
                             ? 0.5 * __ldg(arg.tables.face_weights + q)
                             : 0.;
          Values  values, fluxes;
          interpolate(row(own), operands, values);
          const auto [normal, map] = [&]() -> PointOfFace {
            if constexpr (has_frames)
              {
                const auto frame = frame_at(geometry, f, q, T(1.));
                return {frame.normal, frame.inside};
              }
            else
              return {Geometry::is_constant && n_together == 1 ? constant
                                                               : normal_of(geometry, f, q),
                      geometry.at_face_point(f, q)};
          }();
          const Trace here = trace_of(values, map);
          State       outside, jump;
#pragma unroll
          for (int c = 0; c < n; ++c)
            outside[c] = trace(c, there);
          const auto medium_out = terms.medium(
            outside, T(terms.viscosities_across(element, across.element_across(element))(f, q)));
          const auto medium = terms.medium(here.value,
                                           terms.spreads_at(across.boundary_face())
                                             ? T(terms.viscosities_on_faces(element)(f, q))
                                             : T(0.));
#pragma unroll
          for (int c = 0; c < n; ++c)
            jump[c] = weight * (here.value[c] - outside[c]);
          const auto of_jump = Terms::outer(jump, normal);
#pragma unroll
          for (int i = 0; i < dim; ++i)
            fluxes[1 + i] = terms.flux(medium, of_jump, map.metric(i));
          const T factor = penalty(slot);
          fluxes[0]      = Terms::zero();
          Terms::add(weight, terms.flux(medium, here.gradient, normal), fluxes[0]);
          Terms::add(factor, jump_flux(f, medium, of_jump, normal, fluxes), fluxes[0]);
          Terms::add(factor, terms.flux(medium_out, of_jump, normal), fluxes[0]);
#pragma unroll
          for (int c = 0; c < n; ++c)
            {
              // At the boundary all has been left, and what would be outside may not be a state.
              if (!inside)
                fluxes[0][c] = 0.;
              if (c >= first_flux)
                fluxes[0][c] = fluxes[0][c] + weight * T(trace(n + c - first_flux, there));
            }
          test<0, n_kinds>(operands, fluxes);
        }
      __syncwarp();
    }

    /// The flux of a jump along the normal of face @p f, of those in reference directions where
    /// that is their sum.
    template <typename Medium, typename Jump>
    __device__ __forceinline__ State
    jump_flux(const int        f,
              const Medium    &medium,
              const Jump      &of_jump,
              const Direction &normal,
              const Values    &fluxes) const
    {
      if constexpr (Geometry::is_constant)
        {
          State result;
#pragma unroll
          for (int c = 0; c < n; ++c)
            {
              result[c] = reference_normal(f, 0) * fluxes[1][c];
#pragma unroll
              for (int i = 1; i < dim; ++i)
                result[c] = result[c] + reference_normal(f, i) * fluxes[1 + i][c];
            }
          return result;
        }
      else
        return terms.flux(medium, of_jump, normal);
    }

    /// By way of the own coefficients' row.
    __device__ __forceinline__ void
    store() const
    {
      double *const to = row(own);
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
        if (has_mode(k))
#pragma unroll
          for (int c = 0; c < n; ++c)
            to[(4 * k + t) * n + c] = c < single
                                        ? r_alone[k / 2][k % 2]
                                        : r[k / 2][(c - single) / 2][k % 2][(c - single) % 2];
      __syncwarp();
      if (element < arg.mesh.end)
#pragma unroll
        for (int i = 0; i < n_lane_words; ++i)
          if (has_word(i))
            {
              Row<word, double> words;
#pragma unroll
              for (int l = 0; l < word; ++l)
                words.values[l] = to[in_row(i) + l];
              words.write(arg.second_order_terms + start(element) + in_vector(i));
            }
      __syncwarp();
    }

    const Arguments    &arg;
    const Terms         terms;
    const int           lane, t;
    const double *const volume_table, *const face_table;
    const int         in_order, transposed; ///< this lane's places in operands
    const int2 *const permutations;         ///< see points_across()
    double *const     memory;               ///< of the warp
    double *const     traces;               ///< of the lane's element
    int               own = 0;              ///< which row is the own one

    int        element, next_element;
    T          volume;    ///< see AffineGeometry::volume_factor()
    FaceRecord next_face; ///< face t of the next element
    Pair       r[n_tiles][n_pairs > 0 ? n_pairs : 1][2];
    double     r_alone[n_tiles][2]; ///< of the first component if it has none beside it
  };

  template <typename Stage>
  __global__ void __launch_bounds__(32 * Stage::n_warps, 1)
    second_order_kernel(const __grid_constant__ typename Stage::Arguments arg,
                        const double *__restrict__ tables)
  {
    CudaRuntime::let_next_kernel_begin();
    extern __shared__ double shared[];
    if constexpr (Stage::n_copied > 0)
      copy_to_block(tables + Stage::copied, shared, Stage::n_copied);
    Stage(arg, tables, shared).run();
  }

  /// The fast form of SecondOrderElement.
  template <typename Law, int degree, GeometryKind kind>
  class SecondOrderLauncher : public SecondOrderKernels<Law, double>
  {
    template <bool artificial, bool varies>
    using Stage  = SecondOrderStage<Law, degree, kind, artificial, varies>;
    using Tables = typename Stage<false, true>::Tables;

  public:
    static bool
    fits(const ElementTables<double> &host)
    {
      return host.face_gradients != nullptr && host.n_volume_points == Tables::nv &&
             host.n_face_points == Tables::nf &&
             CudaRuntime::has_double_tensor_cores(CudaRuntime::current_device());
    }

    explicit SecondOrderLauncher(const ElementTables<double> &host)
      : tables(Tables::make(host, kind != GeometryKind::affine && Law::dimension == 2))
      , n_multiprocessors(CudaRuntime::n_multiprocessors(CudaRuntime::current_device()))
    {
      for_second_order_terms([](const auto artificial, const auto varies) {
        using Form = Stage<artificial, varies>;
        CudaRuntime::allow_shared_memory(second_order_kernel<Form>, Form::shared_bytes);
      });
    }

    void
    apply(const SecondOrderArguments<Law, double> &arg) const override
    {
      set_boundary_terms<kind, DegreeTables<Law::dimension, double, degree>>(arg);
      with_second_order_terms(arg, [&](const auto artificial, const auto varies) {
        using Form = Stage<artificial, varies>;
        // The blocks stay until all is done: messages would have to wait for them.
        const int n_blocks =
          std::min(divide_up(arg.mesh.end - arg.mesh.begin, 8 * Form::n_warps),
                   n_multiprocessors -
                     (arg.launch.beside_messages ? GpuGroup::n_multiprocessors : 0));
        launch_second_order(second_order_kernel<Form>,
                            n_blocks,
                            32 * Form::n_warps,
                            Form::shared_bytes,
                            arg,
                            tables.data());
      });
    }

  private:
    const DeviceNumbers tables;
    const int           n_multiprocessors;
  };
} // namespace Saltus::CudaKernels

#endif
