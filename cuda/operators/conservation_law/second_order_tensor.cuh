// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_tensor_cuh
#define saltus_cuda_operators_conservation_law_second_order_tensor_cuh

// Second-order fluxes with tensor cores in double precision: for the formulas see
// SecondOrderElement, for how numbers stand in the lanes of a warp tensor_core.cuh.
//
// Points are worked on in groups of four: those of the volume, of one face after the other for its
// neighbour, and for the element itself of faces that are taken together, each list filled up by
// repeating its last point with weight 0. A function has several kinds of values at a point: kind 0
// is the function, kind 1 + r its derivative in reference direction r, which on faces is by number
// r of FaceCoordinates. An interpolation to a group gives two kinds a product: column n is kind n %
// 2 of them at point n / 2. Of an odd number of kinds, as in 2D, the last one is that of two
// groups: column n is that at point n / 2 of group n % 2. The transposed of the same operands takes
// fluxes back, so that there is one table.
//
// A component that has no other beside it would leave half of a product empty. Operands of two
// products take the place of the rows then, and elements that of the columns: these are the numbers
// that the lanes have anyway, and results change places between them (transpose()).
//
// Of a neighbour only its state and its own part of the normal flux, F_v(u, grad u) . n, go through
// shared memory: it has them at its points, in its order. At the boundary the element is its own
// neighbour, and what it leaves is what makes of the fluxes and of the jump what holds there.
//
//   shared memory of a warp or of a team of them, in this order
//   rows       [2][8][stride]      coefficients of elements, `[mode][component]`, modes filled up
//                                  with zeros: the own ones and a neighbour's, then the next
//                                  elements'; at last the residual takes the own ones' place
//   Jacobians  [2][8][r][d]        their inverse Jacobians, of straight elements
//   traces     [plane][8][stride]  the neighbours' components and normal fluxes at faces' points
//
// The geometry at the points of bent elements is let come into the second-level cache while work is
// done that comes before: with few warps, nothing else would hide the way from memory.
//
// Where the rows of elements leave no room for as many warps as there are registers for, the warps
// of a team have the same elements and take their groups of points in turn. Each of them has a
// residual of its own until it is stored.
//
// Where there is no room, the volume's operands, or all of them, are read from memory.

#include <saltus/mesh/face_coordinates.h>
#include <saltus/mesh/second_order_group.h>

#include <algorithm>
#include <cstring>
#include <cuda/base/device/limits.cuh>
#include <cuda/operators/conservation_law/second_order_boundary.cuh>
#include <cuda/operators/spaces/row.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

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
    static constexpr int n_kinds = 1 + dim;

    static constexpr int n_steps         = divide_up(n_modes, 4); ///< of four modes
    static constexpr int n_tiles         = divide_up(n_modes, 8); ///< of eight modes
    static constexpr int n_volume_groups = divide_up(nv, 4);
    static constexpr int n_face_groups   = divide_up(nf, 4); ///< of one face

    /// Faces whose points the element itself takes together. The values of the neighbours have to
    /// be kept for all of them.
    static constexpr int n_together        = SecondOrderGroup<dim>{nv, nf}.faces_together();
    static constexpr int n_points_together = n_together * nf;
    static constexpr int n_groups_together = divide_up(n_points_together, 4);

    /// Numbers of a product: `[step][32]`.
    static constexpr int product = 32 * n_steps;

    /// Products of two kinds of a group, and whether the last kind has one with that of the next
    /// group, behind those of the first one.
    static constexpr int  n_pairs_of_kinds = n_kinds / 2;
    static constexpr bool shares           = n_kinds % 2 == 1;

    /// Where the products of group @p i of a list begin; of its last one, where the list ends.
    static constexpr __host__ __device__ int
    group(const int i)
    {
      return (i * n_pairs_of_kinds + (shares ? (i + 1) / 2 : 0)) * product;
    }

    static constexpr int volume_numbers   = group(n_volume_groups);
    static constexpr int face_numbers     = group(n_face_groups);
    static constexpr int together_numbers = group(n_groups_together);
    static constexpr int all_faces        = volume_numbers + (dim + 1) * face_numbers;
    static constexpr int all_groups =
      all_faces + (n_together > 1 ? (dim + 1) / n_together * together_numbers : 0);

    /// Where those of the groups of face @p f begin.
    static constexpr __host__ __device__ int
    face(const int f)
    {
      return volume_numbers + f * face_numbers;
    }

    /// The same of the faces from @p first on that are taken together.
    static constexpr __host__ __device__ int
    together(const int first)
    {
      return n_together == 1 ? face(first) : all_faces + first / n_together * together_numbers;
    }

    /// From where its group begins, where that product of group @p i is in which kind @p kind is.
    static constexpr __host__ __device__ int
    of_kind(const int kind, const int i)
    {
      return kind < 2 * n_pairs_of_kinds ? kind / 2 * product
             : i % 2 == 0                ? n_pairs_of_kinds * product
                                         : -product;
    }

    /// The place in pairs of columns of that product.
    static constexpr __host__ __device__ int
    parity(const int kind, const int i)
    {
      return kind < 2 * n_pairs_of_kinds ? kind % 2 : i % 2;
    }

    /// Where row @p k, column @p n of step @p step is, so that neither lanes that read an operand
    /// nor those that read its transposed meet in a bank.
    static constexpr __host__ __device__ int
    place(const int step, const int k, const int n)
    {
      return 32 * step + ((4 * n + k) ^ (n & 4) ^ ((step & 1) << 1));
    }

    /// Then come, for each orientation and all points of a face's groups, the neighbour's number of
    /// the point and the one that is number this to the neighbour; then the reference normals. The
    /// last tile of modes may be read one step too far.
    static constexpr int n_orientations = Simplex<dim>::n_orientations;
    static constexpr int permutations   = all_groups + 32;
    static constexpr int normals        = permutations + n_orientations * 4 * n_face_groups;
    static constexpr int size           = divide_up(normals + (dim + 1) * dim, 2) * 2;

    static_assert(sizeof(int2) == sizeof(double));

    /// @param normals `[f][r]`
    static __host__ __device__ FaceCoordinates<dim>
                               face_coordinates(const double *normals, const int f)
    {
      return FaceCoordinates<dim>([=](const int r) { return normals[f * dim + r]; });
    }

    static void
    make(const ElementTables<double> &from, double *table)
    {
      const auto set =
        [&](const int begin, const int n_groups, const int n_points, const auto &value) {
          for (int i = 0; i < n_groups; ++i)
            for (int kind = 0; kind < n_kinds; ++kind)
              for (int point = 0; point < 4; ++point)
                for (int m = 0; m < n_modes; ++m)
                  table[begin + group(i) + of_kind(kind, i) +
                        place(m / 4, m % 4, 2 * point + parity(kind, i))] =
                    value(kind, std::min(4 * i + point, n_points - 1), m);
        };
      set(0, n_volume_groups, nv, [&](const int kind, const int q, const int m) {
        return kind == 0 ? from.volume_values[q * n_modes + m]
                         : from.volume_gradients[(q * dim + kind - 1) * n_modes + m];
      });
      // Of points from those of face f on.
      const auto of_face = [&](const int f) {
        return [&from, f](const int kind, const int point, const int m) {
          const int q = f * nf + point;
          if (kind == 0)
            return from.face_values[q * n_modes + m];
          return face_coordinates(from.face_normals, q / nf).derivative(kind - 1, [&](const int r) {
            return from.face_gradients[(q * dim + r) * n_modes + m];
          });
        };
      };
      for (int f = 0; f <= dim; ++f)
        set(face(f), n_face_groups, nf, of_face(f));
      if (n_together > 1)
        for (int f = 0; f <= dim; f += n_together)
          set(together(f), n_groups_together, n_points_together, of_face(f));
      for (int j = 0; j < (dim + 1) * dim; ++j)
        table[normals + j] = from.face_normals[j];
      for (int i = 0; i < n_orientations * 4 * n_face_groups; ++i)
        {
          const auto *there = from.face_permutations + i / (4 * n_face_groups) * nf;
          const int   q     = std::min(i % (4 * n_face_groups), nf - 1);
          int         back  = 0;
          while (there[back] != q)
            ++back;
          const int2 both = {there[q], back};
          std::memcpy(&table[permutations + i], &both, sizeof(both));
        }
    }
  };

  /// What one warp does, or a team of them.
  /// @tparam artificial,varies see SecondOrderTerms
  template <typename Law, int degree, GeometryKind kind, bool artificial, bool varies>
  class SecondOrderStage
  {
    static constexpr int dim = Law::dimension, n = Law::n_components;

    using T      = Quick<double>;
    using Affine = AffineGeometry<dim, T>;
    using Group  = SecondOrderGroup<dim>;

    static constexpr bool is_bent = kind != GeometryKind::affine;

    using Terms     = SecondOrderTerms<Law, T, double, artificial, varies>;
    using State     = typename Terms::State;
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

    using Values = State[n_kinds]; ///< a state each

    /// Of the kinds that come with those of the group before.
    using Kept = std::conditional_t<Tables::shares, State, Array<T, 0>>;

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
    static constexpr int traces_begin = jacobians + (is_bent ? 0 : 2 * 8 * dim * dim);
    static constexpr int team_numbers =
      divide_up(traces_begin + (2 * n - first_flux) * 8 * trace_stride, 2) * 2;
    static constexpr int room = shared_memory_of_block / sizeof(double); ///< of a block

    /// Warps of a block, one a multiprocessor, for which there are registers.
    static constexpr int max_warps = dim == 2 && degree <= 3 ? 12 : 8;

    /// Warps that work on the groups of the same elements in turn: more than one where elements
    /// leave no room for as many as there are registers for, and where there are groups for each.
    static constexpr int
    warps_in_team()
    {
      int result = 1;
      if (!Tables::shares)
        while (max_warps / result * team_numbers > room && result < 4 &&
               std::min(Tables::n_volume_groups, Tables::n_face_groups) > 2 * result)
          result *= 2;
      return result;
    }

    static constexpr int n_in_team = warps_in_team();
    static constexpr int max_teams = max_warps / n_in_team;

    static constexpr bool
    is_room_for(const int n_numbers)
    {
      return n_numbers + max_teams * team_numbers <= room;
    }

  public:
    /// The first number of the tables that stands in shared memory.
    static constexpr int copied       = is_room_for(Tables::size) ? 0
                                        : is_room_for(Tables::size - Tables::volume_numbers)
                                          ? Tables::volume_numbers
                                          : Tables::size;
    static constexpr int n_copied     = Tables::size - copied;
    static constexpr int n_teams      = std::min(max_teams, (room - n_copied) / team_numbers);
    static constexpr int n_warps      = n_teams * n_in_team;
    static constexpr int shared_bytes = (n_copied + n_teams * team_numbers) * sizeof(double);

    __device__ __forceinline__
    SecondOrderStage(const Arguments &arg, const double *tables, double *shared)
      : arg(arg)
      , terms(arg)
      , lane(threadIdx.x % 32)
      , t(lane % 4)
      , team(threadIdx.x / (32 * n_in_team))
      , member(threadIdx.x / 32 % n_in_team)
      , volume_table(copied == 0 ? shared : tables)
      , face_table((n_copied > 0 ? shared - copied : tables))
      , in_order(Tables::place(0, t, lane / 4))
      , transposed(Tables::place(lane / 4 % 2, lane / 8, 2 * t))
      , permutations(reinterpret_cast<const int2 *>(face_table + Tables::permutations))
      , memory(shared + n_copied + team * team_numbers)
      , traces(memory + traces_begin + lane / 4 * trace_stride)
    {}

    __device__ __forceinline__ void
    run()
    {
      const MeshArrays<double> &mesh     = arg.mesh;
      const int                 n_groups = (mesh.end + 7) / 8;
      const int                 stride   = gridDim.x * n_teams;
      int                       group    = mesh.begin / 8 + blockIdx.x * n_teams + team;
      if (group >= n_groups)
        return;
      fill_up(row(0));
      fill_up(row(1));
      CudaRuntime::wait_for_kernel_before();
      ask_for(element_of(group), own);
      prefetch_points<nv, Group::in_volume>(element_of(group), Group::volume());
      load_face(element_of(group));
#pragma unroll 1
      for (; group < n_groups; group += stride)
        {
          element      = element_of(group);
          next_element = group + stride < n_groups ? element_of(group + stride) : element;
          work();
        }
      // What was asked for besides would come after the end.
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

    /// Whether it is this warp's turn in its team for number @p i of things to do.
    __device__ __forceinline__ bool
    is_turn(const int i) const
    {
      return n_in_team == 1 || i % n_in_team == member;
    }

    /// Until what the warps of the team have read and written is done.
    __device__ __forceinline__ void
    synchronize() const
    {
      if constexpr (n_in_team == 1)
        __syncwarp();
      else
        asm volatile("bar.sync %0, %1;" ::"r"(1 + team), "n"(32 * n_in_team) : "memory");
    }

    /// Face t of element @p e, one group ahead.
    __device__ __forceinline__ void
    load_face(const int e)
    {
      next_face = read_face(arg.mesh.faces + point_index(e, ::min(t, dim), dim + 1, 1));
      if constexpr (is_bent)
        next_ratio = __ldg(geometry(e) + Group::n_elements * ::min(t, dim) + lane / 4);
    }

    /// Of the volumes at face @p f.
    __device__ __forceinline__ T
    ratio_at(const int f) const
    {
      return __shfl_sync(~0U, ratio.v, (lane & 28) + f);
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
      // By one warp of a team: that is faster than by turns.
      if (!is_turn(0))
        return;
      const double *from = arg.u + start(e);
      double *const row  = this->row(which);
#pragma unroll
      for (int i = 0; i < n_lane_words; ++i)
        if (has_word(i))
          copy_async<word * sizeof(double)>(from + in_vector(i), row + in_row(i));
      if constexpr (!is_bent)
        for (int i = t; i < dim * dim; i += 4)
          copy_async<sizeof(double)>(arg.mesh.inverse_jacobians + point_index(e, i, dim * dim, 1),
                                     jacobian(which) + i);
    }

    /// Until what was asked for is there.
    __device__ __forceinline__ void
    wait()
    {
      arrive();
      synchronize();
    }

    /// Let what set_boundary_terms() has found at the lane's face come into the second-level cache.
    __device__ __forceinline__ void
    prefetch_boundary_terms(const FaceRecord &face) const
    {
      constexpr int n_numbers = 2 * nf * n;
      if (const int b = face.boundary_face(); b >= 0)
        for (int i = 0; i < n_numbers; i += in_line<double>)
          prefetch(arg.boundary_terms + static_cast<std::size_t>(b) * n_numbers + i);
    }

    /// @name Geometry of bent elements, see SecondOrderGroup
    /// @{

    static constexpr __host__ __device__ Group
    group_layout()
    {
      return {nv, nf};
    }

    /// That of element @p e and the others of its group.
    __device__ __forceinline__ const double *
    geometry(const int e) const
    {
      const std::size_t number = (e - arg.stored.first_block * block_size) / Group::n_elements;
      return arg.stored.groups + number * group_layout().size();
    }

    /// Let the list of @p n_points with @p n_numbers each that begins at @p list come into the
    /// second-level cache, line by line: the instruction for all of it takes its operands from
    /// registers of a whole warp, which costs more instructions here.
    template <int n_points, int n_numbers>
    __device__ __forceinline__ void
    prefetch_points(const int e, const int list) const
    {
      constexpr int size = Group::n_elements * n_points * n_numbers, line = in_line<double>;
      if (is_bent && is_turn(0))
#pragma unroll
        for (int i = 0; i < size; i += 32 * line)
          if (i + lane * line < size)
            prefetch(geometry(e) + list + i + lane * line);
    }

    /// The numbers at this lane's point of a group of that list.
    template <int n_points, int n_numbers>
    class Point
    {
    public:
      __device__ __forceinline__
      Point(const double *list, const int group, const int lane)
        : from(list + Group::begin(n_numbers, group))
        , n_in_group(Group::points_of(n_points, group))
        , point(::min(lane % 4, n_in_group - 1))
        , g(lane / 4)
      {}

      __device__ __forceinline__ T
      operator()(const int c) const
      {
        const double *const number = from + Group::place(n_in_group, c, point, g);
        // In 3D what is read once would take the first-level cache from operands.
        return dim == 2 ? __ldg(number) : __ldcs(number);
      }

    private:
      const double *const from;
      const int           n_in_group, point, g;
    };

    /// On faces.
    template <int n_points>
    __device__ __forceinline__ FaceGeometry<dim, T>
                               point_of_faces(const int list, const int group) const
    {
      return FaceGeometry<dim, T>(
        Point<n_points, Group::on_face>(geometry(element) + list, group, lane));
    }
    /// @}

    __device__ __forceinline__ Affine
    affine(const int which) const
    {
      const double *from = jacobian(which);
      return Affine([&](const int i) { return T(from[i]); });
    }
    /// @}

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

    /// Results of products, of the components from @p first on.
    template <int first>
    struct Columns
    {
      static constexpr int n_pairs = (n - first) / 2;
      static constexpr int paired  = n - 2 * n_pairs; ///< the first one that has one beside it

      Pair   of_pairs[n_pairs > 0 ? n_pairs : 1][2];
      double alone[2]; ///< of the first one, if it has none

      __device__ __forceinline__ T
      of_component(const int c, const int parity) const
      {
        return c < paired ? alone[parity] : of_pairs[(c - paired) / 2][parity][(c - paired) % 2];
      }
    };

    using Interpolated = Columns<0>;
    using Residual     = Columns<first_flux>;

    /// Products of the coefficients in @p row with the operands from @p operands on.
    template <int n_products>
    __device__ __forceinline__ void
    multiply(const double *row, const double *operands, Interpolated (&to)[n_products]) const
    {
      constexpr bool single = Interpolated::paired == 1;
#pragma unroll
      for (int product = 0; product < n_products; ++product)
        to[product] = {};
      [[maybe_unused]] Pair of_two[2] = {};
#pragma unroll
      for (int k = 0; k < n_steps; k += 2)
        {
          double a[2][n], b[n_products][2];
          read(row, k, a[0]);
          if (k + 1 < n_steps)
            read(row, k + 1, a[1]);
#pragma unroll
          for (int product = 0; product < n_products; ++product)
            {
              const double *from = operands + product * Tables::product + 32 * k;
              b[product][0]      = from[in_order];
              if (k + 1 < n_steps)
                b[product][1] = from[32 + (in_order ^ 2)];
#pragma unroll
              for (int pair = 0; pair < Interpolated::n_pairs; ++pair)
                {
                  const int  c  = Interpolated::paired + 2 * pair;
                  const Pair a0 = {a[0][c], a[0][c + 1]};
                  if (k + 1 < n_steps)
                    {
                      const Pair a1 = {a[1][c], a[1][c + 1]};
                      multiply_add(
                        to[product].of_pairs[pair], a0, a1, b[product][0], b[product][1]);
                    }
                  else
                    multiply_add(to[product].of_pairs[pair], a0, b[product][0]);
                }
            }
          if constexpr (single)
#pragma unroll
            for (int i = 0; i < 2 && k + i < n_steps; ++i)
              if constexpr (n_products == 2)
                {
                  const Pair both = {b[0][i], b[1][i]};
                  multiply_add(of_two, both, a[i][0]);
                }
              else
                multiply_add(to[0].alone, a[i][0], b[0][i]);
        }
      if constexpr (single && n_products == 2)
#pragma unroll
        for (int product = 0; product < 2; ++product)
          transpose(of_two[0][product], of_two[1][product], to[product].alone);
    }

    /// Of the matrix of which this lane has columns 2 t and 2 t + 1 in row g: what it has of the
    /// transposed one.
    __device__ __forceinline__ void
    transpose(const double first, const double second, double (&to)[2]) const
    {
      const int  g = lane / 4, from = 8 * t + g / 2;
      const bool odd = g % 2 == 1;
      // Of two lanes that read of the same one, at first one reads what the other reads then.
      const double same  = __shfl_sync(~0U, odd ? second : first, from + (odd ? 4 : 0));
      const double other = __shfl_sync(~0U, odd ? first : second, from + (odd ? 0 : 4));
      to[0]              = odd ? other : same;
      to[1]              = odd ? same : other;
    }

    /// The operands of a group of a list.
    struct Operands
    {
      const double *begin;
      int           group;

      __device__ __forceinline__
      Operands(const double *list, const int group)
        : begin(list + Tables::group(group))
        , group(group)
      {}
    };

    /// Values at this lane's point of a group.
    /// @param kept for the next group of the list
    __device__ __forceinline__ void
    interpolate(const double *row, const Operands &operands, Values &values, Kept &kept) const
    {
      constexpr int n_pairs_of_kinds = Tables::n_pairs_of_kinds;
      const auto    set              = [&](const int product, const Interpolated &columns) {
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int c = 0; c < n; ++c)
            values[2 * product + i][c] = columns.of_component(c, i);
      };
      if (!Tables::shares || operands.group % 2 == 0)
        {
          Interpolated columns[n_pairs_of_kinds + Tables::shares];
          multiply(row, operands.begin, columns);
#pragma unroll
          for (int product = 0; product < n_pairs_of_kinds; ++product)
            set(product, columns[product]);
          if constexpr (Tables::shares)
#pragma unroll
            for (int c = 0; c < n; ++c)
              {
                values[n_kinds - 1][c] = columns[n_pairs_of_kinds].of_component(c, 0);
                kept[c]                = columns[n_pairs_of_kinds].of_component(c, 1);
              }
        }
      else if constexpr (Tables::shares)
        {
          Interpolated columns[n_pairs_of_kinds];
          multiply(row, operands.begin, columns);
#pragma unroll
          for (int product = 0; product < n_pairs_of_kinds; ++product)
            set(product, columns[product]);
          values[n_kinds - 1] = kept;
        }
    }

    /// r += fluxes at this lane's point of a group, of the kinds from @p first to before @p last,
    /// times the values of the modes.
    template <int first, int last>
    __device__ __forceinline__ void
    test(const Operands &operands, const Values &fluxes)
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
#pragma unroll
        for (int i = first; i < last; i += 2)
          {
            const auto operand = [&](const int which) {
              return operands.begin[Tables::of_kind(which, operands.group) + 64 * j +
                                    (transposed ^ (Tables::parity(which, operands.group) << 2))];
            };
            const double b0 = operand(i), b1 = i + 1 < last ? operand(i + 1) : 0.;
#pragma unroll
            for (int pair = 0; pair < Residual::n_pairs; ++pair)
              {
                const int  c  = Residual::paired + 2 * pair;
                const Pair a0 = {fluxes[i][c].v, fluxes[i][c + 1].v};
                if (i + 1 < last)
                  {
                    const Pair a1 = {fluxes[i + 1][c].v, fluxes[i + 1][c + 1].v};
                    multiply_add(r[j].of_pairs[pair], a0, a1, b0, b1);
                  }
                else
                  multiply_add(r[j].of_pairs[pair], a0, b0);
              }
            if constexpr (Residual::paired > first_flux)
              {
                multiply_add(r[j].alone, fluxes[i][first_flux].v, b0);
                if (i + 1 < last)
                  multiply_add(r[j].alone, fluxes[i + 1][first_flux].v, b1);
              }
          }
    }

    /// From derivatives by FaceCoordinates.
    static __device__ __forceinline__ FaceGradient<T, dim, n>
    gradient_of(const Values &values, const FaceGeometry<dim, T> &at)
    {
      FaceGradient<T, dim, n> result;
      result.across = Terms::times(at.parts[dim - 1], values[dim]);
#pragma unroll
      for (int k = 0; k < dim - 1; ++k)
        {
          result.tangents[k]    = at.tangents[k];
          result.derivatives[k] = values[1 + k];
          Terms::add(at.parts[k], values[1 + k], result.across);
        }
      return result;
    }

    /// One group of elements.
    __device__ __forceinline__ void
    work()
    {
      const FaceRecord face_of_lane = next_face;
      prefetch_boundary_terms(face_of_lane);
      wait();
      if constexpr (is_bent)
        ratio = next_ratio;
      ask_for(face_of_element(face_of_lane, 0).element_across(element), 1 - own);
      load_face(next_element);
      prefetch_points<nf, Group::on_face>(element, group_layout().across(0));
#pragma unroll
      for (Residual &tile : r)
        tile = {};
      add_volume();
#pragma unroll 1
      for (int f = 0; f <= dim; ++f)
        {
          const FaceRecord across = face_of_element(face_of_lane, f);
          const FaceRecord next   = face_of_element(face_of_lane, ::min(f + 1, dim));
          const int        slot   = n_together == dim + 1 ? f : f % n_together;
          const int        begin = groups_ready(slot), end = groups_ready(slot + 1);
          if (slot == 0)
            prefetch_points<Tables::n_points_together, Group::on_face>(element,
                                                                       group_layout().own(f));
          if (f < dim)
            prefetch_points<nf, Group::on_face>(element, group_layout().across(f + 1));
          else
            prefetch_points<nv, Group::in_volume>(next_element, Group::volume());
          look_across(f, slot, across);
          // The next neighbour or the next element, while groups that have all they need are added.
          ask_for(f < dim ? next.element_across(element) : next_element, 1 - own);
          add_groups(f - slot, begin, end, face_of_lane);
        }
      store();
      own = 1 - own;
    }

    /// Groups of faces taken together that have all they need when @p n_faces of these have been
    /// looked across; those that share a product with the next one, with it.
    static __device__ __forceinline__ int
    groups_ready(const int n_faces)
    {
      constexpr int at_once = Tables::shares ? 2 : 1;
      return n_faces == n_together ? Tables::n_groups_together
                                   : n_faces * nf / (4 * at_once) * at_once;
    }

    __device__ __forceinline__ void
    add_volume()
    {
      Kept kept;
#pragma unroll 1
      for (int group = member; group < Tables::n_volume_groups; group += n_in_team)
        {
          const int      q        = ::min(4 * group + t, nv - 1);
          const Operands operands = {volume_table, group};
          Values         values;
          T              weight; // over the relative volume
          Affine         map;    // times the same
          if constexpr (!is_bent)
            {
              weight = __ldg(arg.tables.volume_weights + q);
              map    = affine(own);
            }
          else
            {
              const Point<nv, Group::in_volume> point(geometry(element) + Group::volume(),
                                                      group,
                                                      lane);
              weight = point(0);
              map    = Affine([&](const int i) { return point(1 + i); });
            }
          interpolate(row(own), operands, values, kept);
          const auto medium = terms.medium(values[0], T(terms.viscosity_at(element, q)));

          typename Terms::States derivatives, in_directions;
#pragma unroll
          for (int i = 0; i < dim; ++i)
            {
              derivatives[i]   = values[1 + i];
              in_directions[i] = Terms::zero();
            }
          const T factor = 4 * group + t < nv ? -weight : T(0.);
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

    /// The geometry of straight elements at face @p f: the own one's, or the other one's, of which
    /// it is number @p number.
    __device__ __forceinline__ FaceGeometry<dim, T>
                               straight(const int f, const int which, const int number) const
    {
      const double *gradients = jacobian(which);
      return {Tables::face_coordinates(face_table + Tables::normals, number),
              area_normal(own, f),
              [=](const int r) {
                Direction gradient;
#pragma unroll
                for (int d = 0; d < dim; ++d)
                  gradient[d] = gradients[r * dim + d];
                return gradient;
              },
              area_normal(which, number)};
    }

    __device__ __forceinline__ Direction
    area_normal(const int which, const int f) const
    {
      return affine(which).area_normal(f, 0, [&](const int i) { return reference_normal(f, i); });
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

    /// Leave what the neighbours have at the points of face @p f, which is number @p number on
    /// their side, in traces from number @p place on, if this is @p wanted. At the boundary that is
    /// what makes of the mean of the fluxes and of the jump what holds there.
    __device__ __forceinline__ void
    set_traces(const int         f,
               const int         number,
               const bool        wanted,
               const int         place,
               const FaceRecord &across)
    {
      const auto viscosity = terms.viscosities_across(element, across.element_across(element));
      const int  b         = across.boundary_face();
      FaceGeometry<dim, T> here;
      if constexpr (!is_bent)
        here = straight(f, 1 - own, number);
      Kept kept;
#pragma unroll 1
      for (int group = member; group < n_face_groups; group += n_in_team)
        {
          const int point = 4 * group + t;
          const int q     = artificial ? points_across(across, point).y : 0;
          Values    values;
          if constexpr (is_bent)
            here = point_of_faces<nf>(group_layout().across(f), group);
          interpolate(row(1 - own), {face_table + Tables::face(number), group}, values, kept);
          State &value = values[0];
          State  flux  = terms.normal_flux(terms.medium(value, T(viscosity(f, q))),
                                         gradient_of(values, here),
                                         here.normal);
          if (wanted && b >= 0)
            {
              State jump;
              read_boundary_term<0>(arg, b, ::min(point, nf - 1), flux);
              read_boundary_term<1>(arg, b, ::min(point, nf - 1), jump);
              flux = Terms::times(T(2.), flux);
#pragma unroll
              for (int c = 0; c < n; ++c)
                value[c] = value[c] - jump[c];
            }
          if (wanted && point < nf)
#pragma unroll
            for (int c = 0; c < n; ++c)
              {
                trace(c, place + point) = value[c].v;
                if (c >= first_flux)
                  trace(n + c - first_flux, place + point) = flux[c].v;
              }
        }
    }

    /// Leave traces of face @p f, which is number @p slot of those taken together.
    __device__ __forceinline__ void
    look_across(const int f, const int slot, const FaceRecord &across)
    {
      wait();
      const int number = across.at_boundary() ? f : across.face;
      if constexpr (!is_bent)
        if (t == f)
          ratio = affine(own).volume_factor() * affine(1 - own).inverse_volume_factor();
      // One, unless the mesh is not matched.
      for (unsigned int left = ~0U; left != 0;)
        {
          const int  present = arg.mesh.matched ? f : __shfl_sync(~0U, number, __ffs(left) - 1);
          const bool wanted  = number == present;
          left &= ~__ballot_sync(~0U, wanted);
          set_traces(f, present, wanted, slot * nf, across);
        }
      synchronize();
    }

    /// Add groups from @p begin to before @p end of the faces from @p first on that are taken
    /// together, with neighbours that have been looked at.
    __device__ __forceinline__ void
    add_groups(const int first, const int begin, const int end, const FaceRecord &face_of_lane)
    {
      FaceGeometry<dim, T> at;
      if constexpr (!is_bent)
        at = straight(first, own, first);
      Kept kept;
#pragma unroll 1
      for (int group = begin + member; group < end; group += n_in_team)
        {
          const int        place = ::min(4 * group + t, Tables::n_points_together - 1);
          const int        slot = n_together == 1 ? 0 : place / nf, q = place - slot * nf;
          const int        f        = first + slot;
          const FaceRecord across   = face_of_element(face_of_lane, f);
          const bool       inside   = !across.at_boundary();
          const int        there    = slot * nf + points_across(across, q).x;
          const Operands   operands = {face_table + Tables::together(first), group};
          // Half of it: of two sides.
          const T weight = 4 * group + t < Tables::n_points_together
                             ? 0.5 * __ldg(arg.tables.face_weights + q)
                             : 0.;
          Values  values, fluxes;
          if constexpr (is_bent)
            at = point_of_faces<Tables::n_points_together>(group_layout().own(first), group);
          else if constexpr (n_together > 1)
            at = straight(f, own, f);
          interpolate(row(own), operands, values, kept);
          State outside, jump;
#pragma unroll
          for (int c = 0; c < n; ++c)
            outside[c] = trace(c, there);
          const auto medium_out = terms.medium(
            outside, T(terms.viscosities_across(element, across.element_across(element))(f, q)));
          const auto medium = terms.medium(values[0],
                                           terms.spreads_at(across.boundary_face())
                                             ? T(terms.viscosities_on_faces(element)(f, q))
                                             : T(0.));
#pragma unroll
          for (int c = 0; c < n; ++c)
            jump[c] = weight * (values[0][c] - outside[c]);
          const auto  of_jump  = Terms::across(jump);
          const State of_inner = terms.normal_flux(medium, of_jump, at.normal);
          set_jump_fluxes(medium, at, jump, of_inner, fluxes);
          const T factor = -terms.penalty_factor(ratio_at(f));
          fluxes[0]      = Terms::zero();
          Terms::add(weight,
                     terms.normal_flux(medium, gradient_of(values, at), at.normal),
                     fluxes[0]);
          Terms::add(factor, of_inner, fluxes[0]);
          Terms::add(factor, terms.normal_flux(medium_out, of_jump, at.normal), fluxes[0]);
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

    /// The flux of a jump in the directions of the gradients of FaceCoordinates, from the one in
    /// that of the normal.
    template <typename Medium>
    __device__ __forceinline__ void
    set_jump_fluxes(const Medium               &medium,
                    const FaceGeometry<dim, T> &at,
                    const State                &jump,
                    const State                &along_normal,
                    Values                     &fluxes) const
    {
#pragma unroll
      for (int k = 0; k < dim; ++k)
        {
          fluxes[1 + k] = k < dim - 1
                            ? terms.tangential_flux(medium, jump, at.normal, at.tangents[k])
                            : Terms::zero();
          Terms::add(at.parts[k], along_normal, fluxes[1 + k]);
        }
    }

    /// By way of the own coefficients' row, to which each warp of the team adds what it has.
    __device__ __forceinline__ void
    store() const
    {
#pragma unroll
      for (int i = 0; i < n_in_team; ++i)
        {
          if (n_in_team > 1)
            synchronize();
          if (is_turn(i))
            put(i > 0);
        }
      synchronize();
      if (element < arg.mesh.end)
#pragma unroll
        for (int i = 0; i < n_lane_words; ++i)
          if (has_word(i) && is_turn(i))
            {
              Row<word, double> words;
#pragma unroll
              for (int l = 0; l < word; ++l)
                words.values[l] = row(own)[in_row(i) + l];
              words.write(arg.second_order_terms + start(element) + in_vector(i));
            }
      __syncwarp();
    }

    /// Set the own row, or add to it.
    __device__ __forceinline__ void
    put(const bool add) const
    {
      double *const to = row(own);
#pragma unroll
      for (int k = 0; k < n_steps; ++k)
        if (has_mode(k))
#pragma unroll
          for (int c = 0; c < n; ++c)
            {
              const double value = c < first_flux ? 0. : r[k / 2].of_component(c, k % 2).v;
              double      &at    = to[(4 * k + t) * n + c];
              at                 = add ? at + value : value;
            }
    }

    const Arguments    &arg;
    const Terms         terms;
    const int           lane, t;
    const int           team, member; ///< which one of the block, and which of its warps
    const double *const volume_table, *const face_table;
    const int         in_order, transposed; ///< this lane's places in operands
    const int2 *const permutations;         ///< see points_across()
    double *const     memory;               ///< of the team
    double *const     traces;               ///< of the lane's element

    int own = 0; ///< which row is the own one

    int        element, next_element;
    T          ratio;      ///< of the element's volume to that across face t
    FaceRecord next_face;  ///< face t of the next element
    double     next_ratio; ///< the same, of bent elements
    Residual   r[n_tiles];
  };
} // namespace Saltus::CudaKernels

#endif
