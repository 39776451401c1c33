// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_column_stage_cuh
#define saltus_cuda_operators_conservation_law_column_stage_cuh

// The stage on quadrilaterals and hexahedra by sums along lines of points. A lane has a column of
// an element, the n = p + 1 points that differ in the last direction, with all components; the
// lanes of an element exchange what the other directions need through shared memory: see
// ColumnTeam.
//
//   values  [c][k][column]         shared  coefficients of an element, k in the last direction
//   fluxes  [side][c][line][point] shared  in one direction of the volume (by layers), or on faces
//   old     [k][c][column]         shared  what the update reads, in the room of fluxes at the end;
//                                          hexahedra with few points: lane [c][k]
//   r       [c][k]                 lane    residual at the points of its column

#include <cuda/operators/conservation_law/column_points.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  template <typename Law, typename Number, int degree, int number, GeometryKind kind>
  class ColumnStage : public ColumnTeam<Law::dimension, degree + 1, 128>
  {
    // So small that two large teams share a multiprocessor: one works while lanes of the other
    // wait.
    using Team      = ColumnTeam<Law::dimension, degree + 1, 128>;
    using Points    = StagePoints<Law, Number, number>;
    using T         = typename Points::T;
    using State     = typename Points::State;
    using Direction = typename Points::Direction;
    using Column    = ColumnPoints<Law, Number, degree + 1>;
    using Cube      = Hypercube<Law::dimension>;

    static constexpr int dim = Law::dimension;
    static constexpr int nc  = Law::n_components;
    static constexpr int n   = degree + 1;

    static constexpr int n_faces  = Cube::n_faces;
    static constexpr int n_points = n * Team::n_columns;
    /// Numbers of a line that are read together: with an odd number of points one by one takes less
    /// than pairs, the last of which has one.
    static constexpr int in_read = n % 2 == 0 ? 2 : 1;

    /// A face as lanes read it, once for all of them made of its record.
    struct alignas(8) Across
    {
      Across() = default;

      __device__ __forceinline__
      Across(const FaceRecord &record, const int f)
        : neighbor(record.neighbor)
        , face_kind(record.kind)
      {
        FaceRecord there = record;
        if (is_special())
          {
            there.face        = f;
            there.orientation = 0;
          }
        lines = typename Column::Lines(there, n_columns);
      }

      int                    neighbor;
      FaceKind               face_kind;
      typename Column::Lines lines; ///< where it is special, of the element itself

      /// Whether it is one that a column seldom has.
      __device__ __forceinline__ bool
      is_special() const
      {
        return face_kind == FaceKind::boundary || face_kind == FaceKind::hanging;
      }
    };
    static_assert(sizeof(Across) == 16, "read in two accesses");

    static constexpr bool is_affine = kind == GeometryKind::affine;

    /// Whether states across faces are read from shared memory where the neighbour is in the block.
    /// With columns of few points, and in layers of hexahedra, that gains nothing.
    static constexpr bool shares = dim == 2 && n >= 4;

    /// Whether what the update reads goes to registers, not to shared memory: where there are
    /// enough.
    static constexpr bool old_in_registers = dim == 3 && n <= 3;

  public:
    using Arguments  = StageArguments<Law, Number>;
    using value_type = Number;
    using Lines      = LineTables<Number, n>;

    using Team::column;
    using Team::element;
    using Team::elements_of;
    using Team::has_column;
    using Team::i;
    using Team::in_block;
    using Team::in_blocks;
    using Team::is_own;
    using Team::j;
    using Team::max_threads;
    using Team::n_columns;
    using Team::sync;

    /// Of a multiprocessor: as many as registers allow without spills.
    static constexpr int
      min_blocks = sizeof(Number) * nc > 40
                     ? 1
                     : (in_blocks ? 2 : (n == 2 ? 7 - dim : (n == 3 && dim == 2 ? 4 : 3)));

  private:
    // Strides in shared memory without bank conflicts.
    static constexpr int layer  = dim == 3 && n == 4 ? 20 : (dim == 3 && n == 6 ? 40 : n_columns);
    static constexpr int values = (nc * n * layer + 1) / 2 * 2;
    /// In two directions of a layer of a hexahedron, or in one of a quadrilateral.
    static constexpr int of_layer = nc * n * n * (dim - 1);
    static constexpr int of_faces = 2 * nc * n * (dim == 3 ? n : 1);
    static constexpr int of_old   = nc * n_points;
    static constexpr int flux_room =
      ((dim == 2 ? of_layer + of_faces : (of_old > 2 * of_layer ? of_old : 2 * of_layer)) + 1) / 2 *
      2;
    static constexpr int jacobian_room = (dim * dim + 1) / 2 * 2;
    static constexpr int geometry_room = jacobian_room + n_faces * sizeof(Across) / sizeof(Number);
    static constexpr int raw           = values + flux_room + geometry_room;
    static constexpr int wanted        = n == 2 || (dim == 2 && n == 4) ? 4 : 2;
    static constexpr int of_element    = raw + (wanted - raw % 16 + 16) % 16;

  public:
    static constexpr int
    shared_bytes(const int n_threads)
    {
      return elements_of(n_threads) * of_element * sizeof(Number);
    }

    __device__ __forceinline__
    ColumnStage(const Arguments &arg, const Lines &lines, Number *const shared)
      : Team(arg.mesh.begin, arg.mesh.end)
      , points(arg)
      , lines(lines)
      , order(lines, i, j)
      , inverse_root(T(lines.inverse_root[i]) * T(dim == 3 ? lines.inverse_root[j] : Number(1)))
    {
      own      = shared + in_block * of_element;
      buffer   = own + values;
      jacobian = buffer + flux_room;
    }

    __device__ __forceinline__ void
    run()
    {
      load();
      if constexpr (shares)
        __syncthreads();
      else
        sync();
      add_volume();
#pragma unroll
      for (int d = 0; d < dim; ++d)
        add_faces(d);
      update();
    }

  private:
    __device__ __forceinline__ Across *
    faces() const
    {
      return reinterpret_cast<Across *>(jacobian + jacobian_room);
    }

    __device__ __forceinline__ Across
    face(const int f) const
    {
      using Word [[gnu::may_alias]]    = unsigned long long;
      const auto              *from    = reinterpret_cast<const volatile Word *>(faces() + f);
      const unsigned long long words[] = {from[0], from[1]};
      Across                   across;
      memcpy(static_cast<void *>(&across), words, sizeof(across));
      return across;
    }

    static constexpr __device__ __forceinline__ CoefficientLayout
    layout()
    {
      return Column::layout();
    }

    static constexpr int together = Column::together;
    using Piece                   = typename Column::Piece;
    using Pieces                  = typename Column::Pieces;

    /// Of point k of the column: where its coefficients begin.
    __device__ __forceinline__ std::size_t
                               position(const int k) const
    {
      return layout().index(element, k * n_columns + column);
    }

    __device__ __forceinline__ Number &
    value(const int c, const int k, const int of_column) const
    {
      return own[(c * n + k) * layer + of_column];
    }

    __device__ __forceinline__ T
    root_of_column() const
    {
      return T(lines.root[i]) * T(dim == 3 ? lines.root[j] : Number(1));
    }

    __device__ __forceinline__ void
    load()
    {
      const Arguments &arg  = points.arg;
      const bool       adds = arg.second_order_terms != nullptr;
      Pieces           pieces[n], terms[n];
#pragma unroll
      for (int k = 0; k < n; ++k)
        {
          pieces[k] = Column::read_mode(arg.u + position(k));
          terms[k]  = adds ? Column::read_mode(arg.second_order_terms + position(k)) : Pieces{};
        }
      // All reads before the first result is waited for.
      constexpr int n_records = (n_faces + n_columns - 1) / n_columns;
      constexpr int n_entries = (dim * dim + n_columns - 1) / n_columns;
      FaceRecord    records[n_records];
      Number        entries[n_entries];
#pragma unroll
      for (int l = 0; l < n_records; ++l)
        if (const int f = column + l * n_columns; f < n_faces)
          records[l] = read_face(arg.mesh.faces + point_index(element, f, n_faces, 1));
#pragma unroll
      for (int l = 0; l < n_entries; ++l)
        if (const int i = column + l * n_columns; i < dim * dim)
          entries[l] = __ldg(arg.mesh.inverse_jacobians + point_index(element, i, dim * dim, 1));
      if (has_column())
        {
#pragma unroll
          for (int l = 0; l < n_records; ++l)
            if (const int f = column + l * n_columns; f < n_faces)
              faces()[f] = Across(records[l], f);
#pragma unroll
          for (int l = 0; l < n_entries; ++l)
            if (const int i = column + l * n_columns; i < dim * dim)
              jacobian[i] = entries[l];
#pragma unroll
          for (int k = 0; k < n; ++k)
#pragma unroll
            for (int c = 0; c < nc; ++c)
              value(c, k, column) = pieces[k].values[c].v;
        }
#pragma unroll
      for (int k = 0; k < n; ++k)
#pragma unroll
        for (int c = 0; c < nc; ++c)
          r[c][k] = T(lines.inverse_root[k]) * inverse_root * T(terms[k].values[c]);
    }

    /// From shared memory each time: registers are for other things.
    /// @param needs `(r)`: whether row r of an affine map is needed
    template <typename Needs>
    __device__ __forceinline__ auto
    geometry(const Needs &needs) const
    {
      const AffineGeometry<dim, T> affine([&](const int entry) {
        return is_affine && !needs(entry / dim)
                 ? T(Number(0))
                 : T(const_cast<const volatile Number *>(jacobian)[entry]);
      });
      return geometry_view<kind>(points.arg.stored, element, affine);
    }

    __device__ __forceinline__ void
    add_volume()
    {
      const auto of_element = geometry([](const int) { return true; });
      T          along_i[n], along_j[n];
#pragma unroll
      for (int q = 0; q < n; ++q)
        {
          along_i[q] = lines.derivative[q][i];
          along_j[q] = lines.derivative[q][j];
        }
#pragma unroll
      for (int k = 0; k < n; ++k)
        {
          State state;
#pragma unroll
          for (int c = 0; c < nc; ++c)
            state[c] = T(lines.inverse_root[k]) * inverse_root * T(value(c, k, column));
          admissible &= points.arg.law.admissible(state);
          const int  q     = k * n_columns + column;
          const auto field = Points::field(points.arg.fields.volume, element, q, n_points);
          State      flux[dim];
#pragma unroll
          for (int d = 0; d < dim; ++d)
            flux[d] = points.arg.law.flux(state, field, of_element.metric(q, d));
#pragma unroll
          for (int m = 0; m < n; ++m)
#pragma unroll
            for (int c = 0; c < nc; ++c)
              r[c][m] = r[c][m] + T(lines.derivative[k][m]) * flux[dim - 1][c];
          if constexpr (dim == 3)
            {
              Number *const in_i = buffer + k % 2 * of_layer, *const in_j = in_i + of_layer / 2;
              if (has_column())
                {
#pragma unroll
                  for (int c = 0; c < nc; ++c)
                    {
                      in_i[(c * n + j) * n + i] = flux[0][c].v;
                      in_j[(c * n + i) * n + j] = flux[1][c].v;
                    }
                }
              sync();
#pragma unroll
              for (int c = 0; c < nc; ++c)
                r[c][k] = r[c][k] + sum(along_i, in_i + (c * n + j) * n) +
                          sum(along_j, in_j + (c * n + i) * n);
            }
          else if (has_column())
            {
#pragma unroll
              for (int c = 0; c < nc; ++c)
                buffer[(k * nc + c) * n + i] = flux[0][c].v;
            }
        }
      if constexpr (dim == 2)
        {
          sync();
#pragma unroll
          for (int k = 0; k < n; ++k)
#pragma unroll
            for (int c = 0; c < nc; ++c)
              r[c][k] = r[c][k] + sum(along_i, buffer + (k * nc + c) * n);
        }
    }

    /// \f$ \sum_q f_q \text{line}_q \f$, in_read numbers an access.
    static __device__ __forceinline__ T
    sum(const T (&factors)[n], const Number *line)
    {
      T result = Number(0);
#pragma unroll
      for (int q = 0; q < n; q += in_read)
        {
          const auto numbers = Row<in_read, Number>::read(line + q);
#pragma unroll
          for (int l = 0; l < in_read; ++l)
            result = result + factors[q + l] * numbers.values[l];
        }
      return result;
    }

    /// Both faces across direction @p d. The lane has the line behind the point of the faces with
    /// its two indices: in the order of the directions, but for d = 1 in the opposite one.
    __device__ __forceinline__ void
    add_faces(const int d)
    {
      const int a = d == 1 && dim == 3 ? j : i, b = d == 1 && dim == 3 ? i : j;
      // No branch from here until the states are there, so that lanes wait for both at once.
      const Across across[2] = {face(2 * d), face(2 * d + 1)};
      State        inside[2], outside[2];
#pragma unroll
      for (int side = 0; side < 2; ++side)
        outside[side] = state_across(across[side], a, b);
      set_inside(d, inside);
      if (d == dim - 1)
        fetch_old();
      const bool has_special = across[0].is_special() || across[1].is_special();
      if (has_special)
        set_outside_boundary(across, a + n * b, outside);

      State fluxes[2];
      set_fluxes(d, a + n * b, inside, outside, fluxes);
      if (has_special)
        exchange_with_boundary(across, a + n * b, fluxes);
      if (d == dim - 1)
        lift(fluxes);
      else
        add_fluxes(d, fluxes);
    }

    /// The states at both ends of the lane's line in direction @p d.
    __device__ __forceinline__ void
    set_inside(const int d, State (&inside)[2]) const
    {
      const int of_line = d == dim - 1 ? column
                          : d == 0     ? (dim == 3 ? j * layer + i * n : i * layer)
                                       : j * layer + i;
      const int step    = d == dim - 1 ? layer : (d == 0 ? 1 : n);
#pragma unroll
      for (int c = 0; c < nc; ++c)
        {
          inside[0][c] = inside[1][c] = T(Number(0));
#pragma unroll
          for (int m = 0; m < n; ++m)
            {
              const T there = own[c * n * layer + of_line + m * step];
              inside[0][c]  = inside[0][c] + T(lines.edge_of_modes[m]) * there;
              inside[1][c]  = inside[1][c] + T(lines.edge_of_modes[n - 1 - m]) * there;
            }
#pragma unroll
          for (int side = 0; side < 2; ++side)
            inside[side][c] = inverse_root * inside[side][c];
        }
    }

    /// Where there is no element across, and at hanging faces, where any state does.
    __device__ __forceinline__ void
    set_outside_boundary(const Across (&across)[2], const int q, State (&outside)[2]) const
    {
      Points::wait_at_boundary(true);
#pragma unroll
      for (int side = 0; side < 2; ++side)
        if (across[side].face_kind == FaceKind::boundary)
          outside[side] = points.boundary_state(across[side].neighbor, q, n_columns);
    }

    /// Leave what goes through the boundary to others, and take what comes through hanging faces.
    __device__ __forceinline__ void
    exchange_with_boundary(const Across (&across)[2], const int q, State (&fluxes)[2]) const
    {
#pragma unroll
      for (int side = 0; side < 2; ++side)
        if (across[side].face_kind == FaceKind::hanging)
          fluxes[side] = given_flux(across[side].neighbor, q);
        else if (across[side].is_special() && is_own)
          points.store_outflow(across[side].neighbor, q, n_columns, fluxes[side]);
    }

    /// At point @p q of both faces across direction @p d, times the area over |det J|.
    __device__ __forceinline__ void
    set_fluxes(const int d,
               const int q,
               const State (&inside)[2],
               const State (&outside)[2],
               State (&fluxes)[2])
    {
      const auto of_element       = geometry([&](const int r) { return r == d; });
      const auto reference_normal = [&](const int k) { return Number(k == d ? -1 : 0); };
      Direction  normal; // of affine elements the opposite one at the other end
      T          area;
      if constexpr (is_affine)
        area = of_element.set_normal(reference_normal, normal);
#pragma unroll
      for (int side = 0; side < 2; ++side)
        {
          const int f = 2 * d + side;
          admissible &= points.arg.law.admissible(inside[side]);
          if constexpr (is_affine)
            {
              if (side == 1)
                for (int k = 0; k < dim; ++k)
                  normal[k] = -normal[k];
            }
          else
            area = of_element.set_normal(f, q, reference_normal, normal);
          const auto field =
            Points::field(points.arg.fields.face, element, f * n_columns + q, n_faces * n_columns);
          fluxes[side] = points.numerical_flux(inside[side], outside[side], field, normal);
#pragma unroll
          for (int c = 0; c < nc; ++c)
            fluxes[side][c] = area * fluxes[side][c];
        }
    }

    /// In the last direction fluxes are those of the lane's own column.
    __device__ __forceinline__ void
    lift(const State (&fluxes)[2])
    {
#pragma unroll
      for (int side = 0; side < 2; ++side)
#pragma unroll
        for (int m = 0; m < n; ++m)
#pragma unroll
          for (int c = 0; c < nc; ++c)
            r[c][m] = r[c][m] - T(lines.lift[side == 0 ? m : n - 1 - m]) * fluxes[side][c];
    }

    /// Through a hanging face, times the area over |det J|.
    __device__ __forceinline__ State
    given_flux(const int number_of_face, const int q) const
    {
      constexpr SideFluxLayout layout{n_columns, nc};
      constexpr int            together = layout.component_by_component() ? 1 : nc;
      State                    flux;
#pragma unroll
      for (int c = 0; c < nc; c += together)
        {
          const auto row = Row<together, Number>::read(points.arg.hanging.fluxes +
                                                       layout.index(number_of_face, q, c));
#pragma unroll
          for (int l = 0; l < together; ++l)
            flux[c + l] = row.values[l];
        }
      return flux;
    }

    /// Of both faces across direction @p d: those of the lines that the column crosses, which
    /// other lanes have.
    __device__ __forceinline__ void
    add_fluxes(const int d, const State (&fluxes)[2])
    {
      // Not the room that was read last.
      Number *const room = buffer + (dim == 3 ? (n + d) % 2 * of_layer : of_layer);
      if (has_column())
        {
#pragma unroll
          for (int side = 0; side < 2; ++side)
#pragma unroll
            for (int c = 0; c < nc; ++c)
              room[dim == 3 ? ((side * nc + c) * n + i) * n + j : (side * nc + c) * n + i] =
                fluxes[side][c].v;
        }
      sync();
      const int on_line = d == 0 ? i : j, line = d == 0 ? j : i;
      const T   lifts[2] = {lines.lift[on_line], lines.lift[n - 1 - on_line]};
#pragma unroll
      for (int side = 0; side < 2; ++side)
#pragma unroll
        for (int c = 0; c < nc; ++c)
          {
            const Number *from =
              room + (dim == 3 ? ((side * nc + c) * n + line) * n : (side * nc + c) * n);
#pragma unroll
            for (int k = 0; k < n; k += in_read)
              {
                const auto numbers = Row<in_read, Number>::read(from + k);
#pragma unroll
                for (int l = 0; l < in_read; ++l)
                  r[c][k + l] = r[c][k + l] - lifts[side] * numbers.values[l];
              }
          }
    }

    /// The neighbour's state at the point with the indices @p a and @p b of a face; where that is
    /// special, the element's own.
    __device__ __forceinline__ State
    state_across(const Across &across, const int a, const int b) const
    {
      const int neighbor = across.is_special() ? element : across.neighbor;
      if constexpr (shares)
        {
          const int first_of_block = element - in_block, there = neighbor - first_of_block;
          if (0 <= there &&
              there < ::min(elements_of(blockDim.x), points.arg.mesh.end - first_of_block))
            {
              static_assert(layer == n_columns, "distances in vectors and in shared memory");
              const Number *from =
                own + (there - in_block) * of_element + across.lines.beginnings.at(a, b);
              State state = Column::sum_on_line(lines.edge_of_modes, [&](const int m) {
                Pieces values;
#pragma unroll
                for (int c = 0; c < nc; ++c)
                  values.values[c] = from[c * n * layer + m * across.lines.step];
                return values;
              });
#pragma unroll
              for (int c = 0; c < nc; ++c)
                state[c] = inverse_root * state[c];
              return state;
            }
        }
      return Column::state_across(points.arg.u, lines, order, neighbor, across.lines, a, b);
    }

    /// Numbers of a column that are copied together.
    static constexpr int in_copy = Piece::in_word > 1 ? 2 : 1;

    /// Where the update finds component @p c of point @p k of what it reads.
    __device__ __forceinline__ Number *
    old(const int k, const int c) const
    {
      return buffer + ((k * (nc / in_copy) + c / in_copy) * n_columns + column) * in_copy +
             c % in_copy;
    }

    /// Let what the update reads come while the last faces are worked on, whose fluxes stay in
    /// registers: the room for the others is free then.
    __device__ __forceinline__ void
    fetch_old()
    {
      const Number *from = points.old();
      if (from == nullptr)
        return;
      if constexpr (old_in_registers)
        read_old(from);
      else
        copy_old(from);
    }

    __device__ __forceinline__ void
    read_old(const Number *from)
    {
#pragma unroll
      for (int k = 0; k < n; ++k)
#pragma unroll
        for (int c = 0; c < nc; c += together)
          {
            const auto piece = Piece::read(from + position(k) + c * layout().component_stride());
#pragma unroll
            for (int l = 0; l < together; ++l)
              olds[c + l][k] = piece.values[l];
          }
    }

    __device__ __forceinline__ void
    copy_old(const Number *from) const
    {
      if constexpr (dim == 3)
        sync();
      if (!has_column())
        return;
#pragma unroll
      for (int k = 0; k < n; ++k)
#pragma unroll
        for (int c = 0; c < nc; c += in_copy)
          copy_async<in_copy * sizeof(Number)>(from + position(k) + c * layout().component_stride(),
                                               old(k, c));
    }

    __device__ __forceinline__ void
    update()
    {
      const auto of_element = geometry([](const int) { return false; });
      const T    of_column  = root_of_column();
      T          roots[n];
#pragma unroll
      for (int k = 0; k < n; ++k)
        roots[k] = T(lines.root[k]) * of_column;
      constexpr int of_point = nc / together; // pieces
      const auto    offset   = [&](const int i) {
        return i / of_point * n_columns * layout().mode_stride() +
               i % of_point * layout().component_stride();
      };
      arrive();
      if (!is_own)
        return;
      points.template update<together, n * of_point, true, true>(
        [](const int) { return true; },
        position(0),
        offset,
        [&](const int i) {
          Piece piece;
#pragma unroll
          for (int l = 0; l < together; ++l)
            piece.values[l] = old_in_registers ? olds[i % of_point * together + l][i / of_point]
                                               : T(*old(i / of_point, i % of_point + l));
          return piece;
        },
        [&](const int i, const int l) { return T(value(i % of_point + l, i / of_point, column)); },
        [&](const int i, const int l) {
          const int k = i / of_point;
          return roots[k] * of_element.inverse_mass(k * n_columns + column) *
                 r[i % of_point + l][k];
        });
      if (!admissible)
        points.record_failure(element);
    }

    const Points                 points;
    const Lines                 &lines;
    const typename Column::Order order; ///< the same with i and j exchanged
    /// Product of the inverse roots of weights for i and j.
    const T inverse_root;
    Number *own, *buffer, *jacobian; ///< the element's in shared memory
    T       r[nc][n];
    T       olds[nc][n]; ///< if old_in_registers
    bool    admissible = true;
  };
} // namespace Saltus::CudaKernels

#endif
