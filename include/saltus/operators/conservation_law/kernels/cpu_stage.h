// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_cpu_stage_h
#define saltus_operators_conservation_law_kernels_cpu_stage_h

// The fused Runge-Kutta stage of a conservation law on the CPU. Included by cpu_kernels.h.
//
// A group of `width` elements of one block is worked on at once, one element a SIMD lane:
//   u, u_neighbor, r  [m][c]  pack  coefficients of the group and across a face, residual
//   state, flux       [c]     pack  at one quadrature point
// As faces have the same number on both sides, all lanes use the same entry of a table at the same
// time: it is an operand of the arithmetic. Points are worked on in batches whose states fit into
// registers. Groups with a face that has another number on its other side read the neighbours'
// tables lane by lane.

#include <saltus/base/algebra/lane_rows.h>
#include <saltus/base/device/static_for.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/physics/numerical_flux.h>

namespace Saltus::SALTUS_ISA_NAMESPACE
{
  /// Modes of the largest element: complete degree 7 in 3D.
  constexpr int max_modes = 120;

  /// Instead of a degree: sizes are known when the program runs, and for every quadrature.
  constexpr int any_degree = -1;

  /// On a face, for any_degree: of the largest symmetric rule on triangles.
  constexpr int most_face_points = Simplex<2>::n_quadrature_points(14);

  /// Numbers of modes and points of the default quadrature, 0 for any_degree.
  template <int dim, int degree>
  struct StageSizes
  {
    static constexpr bool fixed   = degree >= 0;
    static constexpr int  n_modes = fixed ? Simplex<dim>::n_modes(degree) : 0;
    static constexpr int  nv      = fixed ? Simplex<dim>::n_quadrature_points(2 * degree) : 0;
    static constexpr int  nf = fixed ? Simplex<dim - 1>::n_quadrature_points(2 * degree + 1) : 0;

    /// Points of a face whose states across are computed together.
    static constexpr int max_nf = fixed ? nf : most_face_points;

    template <typename Number>
    static bool
    fit(const ElementTables<Number> &tables)
    {
      return tables.n_modes == n_modes && tables.n_volume_points == nv &&
             tables.n_face_points == nf && tables.n_faces == Simplex<dim>::n_faces;
    }
  };

  /// One stage of a law: the residual of groups of elements, and the update.
  template <typename Law, typename Number, int degree, GeometryKind kind>
  class CpuStage
  {
    static constexpr int dim          = Law::dimension;
    static constexpr int n_components = Law::n_components;
    static constexpr int n_fields     = Law::n_fields;
    static constexpr int width        = vector_bytes / sizeof(Number);

    using Sizes     = StageSizes<dim, degree>;
    using T         = Pack<Number, width>;
    using Mask      = typename T::Mask;
    using State     = Array<T, n_components>;
    using Field     = Array<T, n_fields>;
    using Vector    = Array<T, dim>;
    using Arguments = StageArguments<Law, Number>;
    using Affine    = AffineGeometry<dim, T>;
    using Geometry  = GeometryView<kind, dim, T, Number>;

    /// Points worked on together: their states fit into the registers, 32 or 16, beside others.
    static constexpr int n_registers = SALTUS_ISA_LEVEL == 4 ? 20 : 12;
    static constexpr int max_batch   = n_components > n_registers / 2
                                         ? 1
                                         : (n_components == 1 ? 8 : n_registers / n_components);

  public:
    explicit CpuStage(const Arguments &arguments)
      : arg(arguments)
      , tables(arguments.tables)
      , dt(*arguments.dt)
      , numerical_flux(NumericalFluxes<Law>::chosen(arguments.law))
    {}

    /// All elements of block @p block.
    void
    run(const int block)
    {
      const int last = min((block + 1) * block_size, arg.mesh.end);
      for (first = block * block_size; first < last; first += width)
        {
          n_lanes = min(width, arg.mesh.end - first);
          int elements[width];
          for (int l = 0; l < width; ++l)
            elements[l] = first + min(l, n_lanes - 1);
          gather(elements, u);
          const Affine affine([&](const int i) {
            T entry;
            load(entry, arg.mesh.inverse_jacobians + point_index(first, i, dim * dim, 1));
            return entry;
          });
          const auto   geometry = geometry_view<kind>(arg.stored, first, affine);
          for (int i = 0; i < n_modes() * n_components; ++i)
            r[i] = T(Number(0));
          admissible = T(Number(0)) == T(Number(0));
          add_volume(geometry);
          for (int face = 0; face < n_faces(); ++face)
            add_face(face, geometry);
          if constexpr (!Geometry::is_constant)
            apply_inverse_mass(geometry);
          update();
          record_failures();
        }
    }

  private:
    static int
    min(const int a, const int b)
    {
      return a < b ? a : b;
    }

    int
    n_modes() const
    {
      return Sizes::fixed ? Sizes::n_modes : tables.n_modes;
    }

    int
    n_volume_points() const
    {
      return Sizes::fixed ? Sizes::nv : tables.n_volume_points;
    }

    int
    n_face_points() const
    {
      return Sizes::fixed ? Sizes::nf : tables.n_face_points;
    }

    int
    n_faces() const
    {
      return Sizes::fixed ? Simplex<dim>::n_faces : tables.n_faces;
    }

    /// Call `body(size, first)` for batches of points that together are @p n, where `size` is a
    /// StaticNumber.
    /// @tparam n_fixed @p n where it is known at compile time, else 0
    template <int n_fixed, typename Body>
    static inline __attribute__((always_inline)) void
    for_batches(const int n, const Body &body)
    {
      constexpr int n_batches = (n_fixed + max_batch - 1) / max_batch;
      constexpr int size      = n_fixed > 0 ? (n_fixed + n_batches - 1) / n_batches : max_batch;
      constexpr int rest      = n_fixed > 0 ? n_fixed % size : 1;

      int q = 0;
      for (; q + size <= n; q += size)
        body(StaticNumber<size>(), q);
      if constexpr (rest > 0)
        for (; q < n; q += rest)
          body(StaticNumber<rest>(), q);
    }

    /// Call `body(size, first)` for the pieces, of powers of two numbers, of a row of coefficients
    /// in memory.
    template <typename Body>
    inline __attribute__((always_inline)) void
    for_pieces(const Body &body) const
    {
      constexpr int largest = width < 8 ? width : 8;
      const int     n       = row_length();
      int           i       = 0;
      for (; i + largest <= n; i += largest)
        body(StaticNumber<largest>(), i);
      if constexpr (largest > 4)
        if (n & 4)
          {
            body(StaticNumber<4>(), i);
            i += 4;
          }
      if constexpr (largest > 2)
        if (n & 2)
          {
            body(StaticNumber<2>(), i);
            i += 2;
          }
      if constexpr (largest > 1)
        if (n & 1)
          body(StaticNumber<1>(), i);
    }

    /// Numbers of an element that follow each other in memory: all, or those of a mode.
    int
    row_length() const
    {
      return CoefficientLayout{n_modes(), n_components}.element_stride();
    }

    int
    n_rows() const
    {
      return CoefficientLayout{n_modes(), n_components}.element_by_element() ? 1 : n_modes();
    }

    /// Coefficients of one element a lane.
    void
    gather(const int (&of)[width], T *to) const
    {
      const Number *start[width];
      for (int l = 0; l < width; ++l)
        start[l] = arg.u + CoefficientLayout{n_modes(), n_components}.index(of[l], 0);
      for (int row = 0; row < n_rows(); ++row)
        for_pieces([&](const auto size, const int i) SALTUS_INLINE_LAMBDA {
          LaneRows<Number, width, decltype(size)::value>::load(
            start,
            row * CoefficientLayout{n_modes(), n_components}.mode_stride() + i,
            to + row * row_length() + i);
        });
    }

    /// Fields of the law at point @p point of a list of @p n_points points an element.
    Field
    load_field(const Number *values, const int point, const int n_points) const
    {
      Field field;
      for (int i = 0; i < n_fields; ++i)
        for (int l = 0; l < width; ++l)
          field[i].v[l] = values[point_index(first, point, n_points, n_fields) + l * n_fields + i];
      return field;
    }

    /// In registers: compilers call a function for an array as large as a state.
    static inline __attribute__((always_inline)) void
    copy(const State &from, State &to)
    {
      for (int c = 0; c < n_components; ++c)
        to[c] = from[c];
    }

    /// States at @p n_points points from rows `[q][m]` of basis values.
    template <int n_points>
    inline __attribute__((always_inline)) void
    interpolate(const Number *rows, const T *coefficients, State *states) const
    {
      State sums[n_points];
      for (int q = 0; q < n_points; ++q)
        for (int c = 0; c < n_components; ++c)
          sums[q][c] = T(rows[q * n_modes()]) * coefficients[c];
      for (int m = 1; m < n_modes(); ++m)
        for (int q = 0; q < n_points; ++q)
          for (int c = 0; c < n_components; ++c)
            sums[q][c] =
              sums[q][c] + T(rows[q * n_modes() + m]) * coefficients[m * n_components + c];
      for (int q = 0; q < n_points; ++q)
        copy(sums[q], states[q]);
    }

    /// \f$ r_m \mathrel{-}= \sum_i \text{row}_{im} f_i \f$ for the modes from @p first_mode on.
    template <int n>
    inline __attribute__((always_inline)) void
    subtract(const Number *rows, const State *values, const int first_mode)
    {
      for (int m = first_mode; m < n_modes(); ++m)
        {
          State sum;
          for (int c = 0; c < n_components; ++c)
            sum[c] = r[m * n_components + c];
          for (int i = 0; i < n; ++i)
            for (int c = 0; c < n_components; ++c)
              sum[c] = sum[c] - T(rows[i * n_modes() + m]) * values[i][c];
          for (int c = 0; c < n_components; ++c)
            r[m * n_components + c] = sum[c];
        }
    }

    /// \f$ r_m \mathrel{+}= \sum_q \sum_r \partial_r\phi_m(q) w_q F(u_q)\cdot\nabla\hat x_r \f$.
    void
    add_volume(const Geometry &geometry)
    {
      for_batches<Sizes::nv>(
        n_volume_points(), [&](const auto size, const int q0) SALTUS_INLINE_LAMBDA {
          constexpr int n_points = decltype(size)::value;
          State         states[n_points], fluxes[n_points * dim];
          interpolate<n_points>(tables.volume_values + q0 * n_modes(), u, states);
          for (int q = 0; q < n_points; ++q)
            {
              admissible        = admissible & arg.law.admissible(states[q]);
              const Field field = load_field(arg.fields.volume, q0 + q, n_volume_points());
              const T     factor(-tables.volume_weights[q0 + q]);
              for (int d = 0; d < dim; ++d)
                {
                  const Vector metric = geometry.metric(q0 + q, d);
                  Vector       direction; // fluxes are linear in it
                  for (int k = 0; k < dim; ++k)
                    direction[k] = factor * metric[k];
                  fluxes[q * dim + d] = arg.law.flux(states[q], field, direction);
                }
            }
          // The first mode is constant.
          subtract<n_points * dim>(tables.volume_gradients + q0 * dim * n_modes(), fluxes, 1);
        });
    }

    /// \f$ r_m \mathrel{-}= |F|/\det J \sum_q w_q \phi_m(q) \hat F(u^-_q, u^+_q, n) \f$.
    void
    add_face(const int face, const Geometry &geometry)
    {
      find_neighbors(face);
      const auto set_normal = [&](const int q, Vector &normal) {
        return geometry.set_normal(
          face, q, [&](const int r) { return tables.face_normals[face * dim + r]; }, normal);
      };
      Vector normal_of_face;
      T      area_of_face;
      if constexpr (Geometry::is_constant)
        area_of_face = set_normal(0, normal_of_face);
      State across[Sizes::max_nf];
      // Lane by lane otherwise, which takes several times as long.
      const bool together = matched && n_face_points() <= Sizes::max_nf;
      if (together)
        load_across(face, across);

      for_batches<Sizes::nf>(
        n_face_points(), [&](const auto size, const int q0) SALTUS_INLINE_LAMBDA {
          constexpr int n_points = decltype(size)::value;
          const Number *values   = tables.face_values + (face * n_face_points() + q0) * n_modes();
          State         inside[n_points], outside[n_points], fluxes[n_points];
          interpolate<n_points>(values, u, inside);
          for (int q = 0; q < n_points; ++q)
            {
              admissible = admissible & arg.law.admissible(inside[q]);
              if (together)
                copy(across[q0 + q], outside[q]);
              else
                set_neighbor_state(q0 + q, outside[q]);
              if (at_boundary)
                set_boundary_states(q0 + q, inside[q], outside[q]);
            }
          Vector normals[n_points];
          T      areas[n_points];
          for (int q = 0; q < n_points; ++q)
            if constexpr (Geometry::is_constant)
              {
                normals[q] = normal_of_face;
                areas[q]   = area_of_face;
              }
            else
              areas[q] = set_normal(q0 + q, normals[q]);
          set_numerical_fluxes<n_points>(face, q0, inside, outside, normals, fluxes);
          for (int q = 0; q < n_points; ++q)
            {
              const T scale = areas[q] * T(tables.face_weights[q0 + q]);
              for (int c = 0; c < n_components; ++c)
                fluxes[q][c] = scale * fluxes[q][c];
              if (at_boundary)
                add_outflow(fluxes[q], geometry);
            }
          subtract<n_points>(values, fluxes, 0);
        });
    }

    /// \f$ r_m \leftarrow \sum_q w_q \phi_m(q) \tilde J_q^{-1} \sum_n \phi_n(q) r_n \f$.
    void
    apply_inverse_mass(const Geometry &geometry)
    {
      T *const of_r = u_neighbor; // room that is free after the faces
      for (int i = 0; i < n_modes() * n_components; ++i)
        {
          of_r[i] = r[i];
          r[i]    = T(Number(0));
        }
      for_batches<Sizes::nv>(n_volume_points(),
                             [&](const auto size, const int q0) SALTUS_INLINE_LAMBDA {
                               constexpr int n_points = decltype(size)::value;
                               const Number *values   = tables.volume_values + q0 * n_modes();
                               State         states[n_points];
                               interpolate<n_points>(values, of_r, states);
                               for (int q = 0; q < n_points; ++q)
                                 {
                                   const T factor = geometry.inverse_mass(q0 + q) *
                                                    T(-tables.volume_weights[q0 + q]);
                                   for (int c = 0; c < n_components; ++c)
                                     states[q][c] = factor * states[q][c];
                                 }
                               subtract<n_points>(values, states, 0);
                             });
    }

    /// Through face @p face, at its points from @p q0 on, by the numerical flux that the law
    /// chooses: no choice is left within the loop.
    template <int n_points, int number = 0>
    inline __attribute__((always_inline)) void
    set_numerical_fluxes(const int     face,
                         const int     q0,
                         const State  *inside,
                         const State  *outside,
                         const Vector *normals,
                         State        *fluxes) const
    {
      if (number == numerical_flux)
        for (int q = 0; q < n_points; ++q)
          copy(NumericalFluxes<Law>::template evaluate<number>(
                 arg.law,
                 inside[q],
                 outside[q],
                 load_field(arg.fields.face,
                            face * n_face_points() + q0 + q,
                            n_faces() * n_face_points()),
                 normals[q]),
               fluxes[q]);
      else if constexpr (number + 1 < NumericalFluxes<Law>::n)
        set_numerical_fluxes<n_points, number + 1>(face, q0, inside, outside, normals, fluxes);
    }

    /// Neighbours of the group across face @p face; at the boundary the element itself stands in.
    void
    find_neighbors(const int face)
    {
      at_boundary = false;
      matched     = true;
      int               neighbors[width];
      const FaceRecord *records = arg.mesh.faces + point_index(first, face, n_faces(), 1);
      for (int l = 0; l < width; ++l)
        {
          const FaceRecord across = read_face(records + l);
          boundary_faces[l]       = across.boundary_face();
          neighbors[l]            = across.element_across(first + min(l, n_lanes - 1));
          faces_across[l]         = across.face;
          orientations[l]         = across.orientation;
          at_boundary |= across.at_boundary();
          matched &= across.at_boundary() || across.face == face;
        }
      gather(neighbors, u_neighbor);
    }

    /// The neighbours' states at the points of face @p face, which is theirs, too.
    void
    load_across(const int face, State *states) const
    {
      const int nf = n_face_points();
      State     there[Sizes::max_nf]; // at the points in the neighbour's order
      for_batches<Sizes::nf>(nf, [&](const auto size, const int q) SALTUS_INLINE_LAMBDA {
        interpolate<decltype(size)::value>(tables.face_values + (face * nf + q) * n_modes(),
                                           u_neighbor,
                                           there + q);
      });
      const T orientation = LaneWords<T>::numbers(LaneWords<T>::load(orientations));
      for (int q = 0; q < nf; ++q)
        copy(there[q], states[q]);
      for (int o = 1; o < Simplex<dim>::n_orientations; ++o)
        if (const Mask mask = orientation == T(Number(o)); any(mask))
          for (int q = 0; q < nf; ++q)
            for (int c = 0; c < n_components; ++c)
              states[q][c] =
                select(mask, there[tables.face_permutations[o * nf + q]][c], states[q][c]);
    }

    /// The neighbours' state at point @p q, each lane by its own table.
    void
    set_neighbor_state(const int q, State &state) const
    {
      const Number *rows[width];
      for (int l = 0; l < width; ++l)
        rows[l] =
          tables.face_values + (faces_across[l] * n_face_points() +
                                tables.face_permutations[orientations[l] * n_face_points() + q]) *
                                 n_modes();
      for (int c = 0; c < n_components; ++c)
        state[c] = T(Number(0));
      for (int m = 0; m < n_modes(); ++m)
        {
          T value;
          for (int l = 0; l < width; ++l)
            value.v[l] = rows[l][m];
          for (int c = 0; c < n_components; ++c)
            state[c] = state[c] + value * u_neighbor[m * n_components + c];
        }
    }

    /// Replace the outside states of the lanes at the boundary. They are few: one by one.
    void
    set_boundary_states(const int q, const State &inside, State &outside) const
    {
      for (int l = 0; l < width; ++l)
        if (const int b = boundary_faces[l]; b >= 0)
          {
            const std::size_t           point = static_cast<std::size_t>(b) * n_face_points() + q;
            Array<Number, n_components> in;
            Array<Number, dim>          normal;
            for (int c = 0; c < n_components; ++c)
              in[c] = inside[c].v[l];
            for (int d = 0; d < dim; ++d)
              normal[d] = arg.boundary.normals[point * dim + d];
            const auto data = arg.boundary.template data_at<n_components>(b, q);
            const auto out  = arg.law.boundary_state(arg.boundary.faces[b].kind, in, data, normal);
            for (int c = 0; c < n_components; ++c)
              outside[c].v[l] = out[c];
          }
    }

    /// Sum up what leaves through boundary faces; @p flux is scaled by the face's area over det J.
    void
    add_outflow(const State &flux, const Geometry &geometry) const
    {
      if (arg.coefficients.weight == 0)
        return;
      for (int l = 0; l < n_lanes; ++l)
        if (const int b = boundary_faces[l]; b >= 0)
          {
            const double scale =
              arg.coefficients.weight * dt * get_lane(geometry.volume_factor(), l);
            for (int c = 0; c < n_components; ++c)
              arg.boundary.outflow[b * n_components + c] += scale * flux[c].v[l];
          }
    }

    /// The Runge-Kutta update of the group's elements, in the order of memory.
    void
    update() const
    {
      for (int row = 0; row < n_rows(); ++row)
        for_pieces([&](const auto size, const int i) SALTUS_INLINE_LAMBDA {
          constexpr int n = decltype(size)::value;
          // Whether the pieces of neighbouring elements follow each other.
          constexpr bool together =
            n == n_components && !CoefficientLayout{1, n_components}.element_by_element();
          alignas(T) Number residual[width * n];
          LaneRows<Number, width, n>::store(r + row * row_length() + i, residual);
          const std::size_t start =
            CoefficientLayout{n_modes(), n_components}.index(first, row) + i;
          if (together && n_lanes == width)
            update<together ? width : n, width * n>(start, residual);
          else
            for (int l = 0; l < n_lanes; ++l)
              update<n, n>(start + l * row_length(), residual + l * n);
        });
    }

    /// That of the @p n numbers from @p start on, @p step at a time.
    template <int step, int n>
    inline __attribute__((always_inline)) void
    update(const std::size_t start, const Number *residual) const
    {
      using Piece = Pack<Number, (step < width ? step : width)>;

      const StageCoefficients &k = arg.coefficients;
      const Number             A = k.A;
      const Number             w = k.w * dt;
      const Number             a = k.a;
      const Number             b = k.b;
      const Number             c = k.c * dt;
      const Number             d = k.d;
      for (int i = 0; i < n; i += step < width ? step : width)
        {
          const std::size_t at   = start + i;
          const auto        read = [&](const Number *from) {
            Piece piece;
            load(piece, from);
            return piece;
          };
          const Piece of_r = read(residual + i);
          Piece       out  = Piece(a) * read(arg.u + at) + Piece(c) * of_r;
          if (k.w != 0 || k.d != 0)
            {
              Piece s = Piece(w) * of_r;
              if (k.A != 0)
                s = s + Piece(A) * read(arg.accumulator + at);
              store(s, arg.accumulator + at);
              out = out + Piece(d) * s;
            }
          if (k.b != 0)
            out = out + Piece(b) * read(arg.base + at);
          store(out, arg.out + at);
        }
    }

    /// Record the group's first inadmissible state. This is seldom done: so it is searched for.
    void
    record_failures() const
    {
      if (!any(T(Number(0)) == select(admissible, T(Number(1)), T(Number(0)))))
        return;
      for (int l = 0; l < n_lanes; ++l)
        if (!admissible[l])
          find_failure(first + l);
    }

    void
    find_failure(const int element) const
    {
      const int n_volume = n_volume_points(), n_all = n_volume + n_faces() * n_face_points();
      for (int q = 0; q < n_all; ++q)
        {
          const Number               *row = q < n_volume ? tables.volume_values + q * n_modes()
                                                         : tables.face_values + (q - n_volume) * n_modes();
          Array<Number, n_components> state{};
          for (int m = 0; m < n_modes(); ++m)
            for (int c = 0; c < n_components; ++c)
              state[c] +=
                row[m] * arg.u[CoefficientLayout{n_modes(), n_components}.index(element, m) + c];
          // The last one, if sums in another order make all look admissible.
          if (!arg.law.admissible(state) || q == n_all - 1)
            {
              record_failure(arg.failure,
                             FailureKind::state,
                             element,
                             arg.time->time + arg.coefficients.time * arg.time->dt,
                             state);
              return;
            }
        }
    }

    static constexpr int n_numbers =
      (Sizes::fixed ? Sizes::n_modes : max_modes) * n_components; ///< of an element

    const Arguments             &arg;
    const ElementTables<Number> &tables;
    const double                 dt;
    const int                    numerical_flux; ///< its number

    int  first, n_lanes; ///< elements
    T    u[n_numbers];
    T    u_neighbor[n_numbers];
    T    r[n_numbers];
    Mask admissible;

    bool         at_boundary; ///< whether some lane is
    bool         matched;     ///< whether the face has the same number on both sides in all lanes
    int          boundary_faces[width];
    int          faces_across[width];
    unsigned int orientations[width];
  };
} // namespace Saltus::SALTUS_ISA_NAMESPACE

#endif
