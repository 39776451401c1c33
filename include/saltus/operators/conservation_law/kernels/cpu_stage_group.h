// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_cpu_stage_group_h
#define saltus_operators_conservation_law_kernels_cpu_stage_group_h

// What the stages on the CPU have in common, whatever the shape of the elements. Included by
// cpu_kernels.h.
//
// A group of `width` elements of one block is worked on at once, one element a SIMD lane:
//   u, r         [m][c]  pack  coefficients of the group, residual
//   state, flux  [c]     pack  at one quadrature point

#include <saltus/base/algebra/lane_rows.h>
#include <saltus/base/device/static_for.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/physics/numerical_flux.h>

#include <cstring>

namespace Saltus::SALTUS_ISA_NAMESPACE
{
  /// A group of elements with what a stage does to it but integrals: neighbours, numerical fluxes,
  /// boundary states, the update.
  /// @tparam Sizes numbers of modes, points and faces, see StageSizes
  template <typename Law, typename Number, typename Sizes, GeometryKind kind>
  class CpuStageGroup
  {
  public:
    explicit CpuStageGroup(const StageArguments<Law, Number> &arguments)
      : arg(arguments)
      , tables(arguments.tables)
      , dt(*arguments.dt)
      , numerical_flux(NumericalFluxes<Law>::chosen(arguments.law))
    {}

  protected:
    static constexpr int dim          = Law::dimension;
    static constexpr int n_components = Law::n_components;
    static constexpr int n_fields     = Law::n_fields;
    static constexpr int width        = vector_bytes / sizeof(Number);

    using T         = Pack<Number, width>;
    using Mask      = typename T::Mask;
    using State     = Array<T, n_components>;
    using Field     = Array<T, n_fields>;
    using Vector    = Array<T, dim>;
    using Arguments = StageArguments<Law, Number>;
    using Affine    = AffineGeometry<dim, T>;
    using Geometry  = GeometryView<kind, dim, T, Number>;

    /// Groups of all elements of block @p block: `add_residual(geometry)` adds to r the residual of
    /// one, times the inverse mass matrix.
    template <typename AddResidual>
    void
    run_groups(const int block, const AddResidual &add_residual)
    {
      const int last = min((block + 1) * block_size, arg.mesh.end);
      for (first = block * block_size; first < last; first += width)
        {
          n_lanes = min(width, arg.mesh.end - first);
          int elements[width];
          for (int l = 0; l < width; ++l)
            elements[l] = first + min(l, n_lanes - 1);
          gather(arg.u, elements, u);
          const Affine affine([&](const int i) {
            T entry;
            load(entry, arg.mesh.inverse_jacobians + point_index(first, i, dim * dim, 1));
            return entry;
          });
          if (arg.second_order_terms != nullptr)
            gather(arg.second_order_terms, elements, r);
          else
            for (int i = 0; i < n_modes() * n_components; ++i)
              r[i] = T(Number(0));
          admissible = T(Number(0)) == T(Number(0));
          add_residual(geometry_view<kind>(arg.stored, first, affine));
          update();
          record_failures();
        }
    }

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
      return Sizes::fixed ? Sizes::n_faces : tables.n_faces;
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

    /// Coefficients in a vector of one element a lane, in the order of memory: see place().
    void
    gather(const Number *vector, const int (&of)[width], T *to) const
    {
      const Number *start[width];
      for (int l = 0; l < width; ++l)
        start[l] = vector + CoefficientLayout{n_modes(), n_components}.index(of[l], 0);
      for (int row = 0; row < n_rows(); ++row)
        for_pieces([&](const auto size, const int i) SALTUS_INLINE_LAMBDA {
          LaneRows<Number, width, decltype(size)::value>::load(
            start,
            row * CoefficientLayout{n_modes(), n_components}.mode_stride() + i,
            to + row * row_length() + i);
        });
    }

    /// Where gather() puts a component of a mode.
    static constexpr int
    place(const int m, const int c)
    {
      constexpr CoefficientLayout layout{Sizes::n_modes, n_components};
      return layout.component_by_component() ? c * layout.component_stride() + m
                                             : m * n_components + c;
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
      FaceWord words[width];
      std::memcpy(words, arg.mesh.faces + point_index(first, face, n_faces(), 1), sizeof(words));
      set_neighbors(words);
      compare_neighbors(face, words);
    }

    /// A FaceRecord as a number, of which compilers handle one a lane at once: the neighbour is in
    /// the lowest bytes, the kind in the highest one.
    using FaceWord = unsigned long long;

    static constexpr FaceWord byte = 255;

    static bool
    is(const FaceKind what, const FaceWord word)
    {
      return word >> 56 == static_cast<FaceWord>(what);
    }

    inline __attribute__((always_inline)) void
    set_neighbors(const FaceWord (&words)[width])
    {
      const int element = first, last = n_lanes - 1;
      for (int l = 0; l < width; ++l)
        {
          const int  number      = static_cast<int>(words[l]);
          const bool is_boundary = is(FaceKind::boundary, words[l]),
                     is_given    = is(FaceKind::hanging, words[l]);
          boundary_faces[l]      = is_boundary ? number : -1;
          given_fluxes[l]        = is_given ? number : -1;
          neighbors[l]           = is_boundary | is_given ? element + min(l, last) : number;
          faces_across[l]        = words[l] >> 32 & byte;
          orientations[l]        = words[l] >> 40 & byte;
        }
    }

    /// What the lanes have in common. No branch in the loop: it is on the way to all else.
    inline __attribute__((always_inline)) void
    compare_neighbors(const int face, const FaceWord (&words)[width])
    {
      constexpr FaceWord none = 0, full = ~none;
      const FaceWord     own  = face;
      FaceWord           some = none, all = full, others = none, boundary = none, given = none;
      for (int l = 0; l < width; ++l)
        {
          const FaceWord of_boundary = is(FaceKind::boundary, words[l]) ? full : none,
                         of_given    = is(FaceKind::hanging, words[l]) ? full : none;
          boundary |= of_boundary;
          given |= of_given;
          some |= words[l] & ~(of_boundary | of_given);
          all &= words[l] | of_boundary | of_given;
          others |= ((words[l] >> 32 & byte) ^ own) & ~of_boundary;
        }
      at_boundary        = boundary != none;
      has_given          = given != none;
      matched            = others == none;
      alike              = ((some & ~all) >> 32 & 0xffff) == 0;
      face_of_all        = some >> 32 & byte;
      orientation_of_all = some >> 40 & byte;
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

    /// Replace the fluxes, times the face's area over det J, of the lanes whose face hangs.
    void
    set_given_fluxes(const int q, State &flux) const
    {
      for (int l = 0; l < width; ++l)
        if (const int number = given_fluxes[l]; number >= 0)
          {
            const SideFluxLayout layout{int(n_face_points()), n_components};
            for (int c = 0; c < n_components; ++c)
              flux[c].v[l] = arg.hanging.fluxes[layout.index(number, q, c)];
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
      const Update by(arg, dt);
      for (int row = 0; row < n_rows(); ++row)
        for_pieces([&](const auto size, const int i) SALTUS_INLINE_LAMBDA {
          constexpr int     n       = decltype(size)::value;
          constexpr bool    is_mode = n == n_components;
          alignas(T) Number residual[width * n];
          LaneRows<Number, width, n>::store(r + row * row_length() + i, residual);
          const CoefficientLayout layout{n_modes(), n_components};
          const std::size_t       start = layout.index(first, row) + i;
          // Then the pieces of neighbouring elements follow each other.
          if (is_mode && !layout.element_by_element() && n_lanes == width)
            by.template run<is_mode ? width : n, width * n>(start, residual);
          else
            for (int l = 0; l < n_lanes; ++l)
              by.template run<n, n>(start + l * row_length(), residual + l * n);
        });
    }

    /// What update() does to numbers that follow each other. It knows all by value: nothing that is
    /// written could be one of these.
    class Update
    {
    public:
      Update(const Arguments &arg, const double dt)
        : u(arg.u)
        , base(arg.base)
        , accumulator(arg.accumulator)
        , out(arg.out)
        , by(arg.coefficients, dt)
        , has_base(arg.coefficients.has_base)
        , accumulates(arg.coefficients.accumulates())
        , reads_accumulator(arg.coefficients.reads_accumulator())
      {}

      /// That of the @p n numbers from @p start on, @p step at a time.
      template <int step, int n>
      inline __attribute__((always_inline)) void
      run(const std::size_t start, const Number *residual) const
      {
        using Piece = Pack<Number, (step < width ? step : width)>;

        for (int i = 0; i < n; i += step < width ? step : width)
          {
            const std::size_t at   = start + i;
            const auto        read = [](const Number *from) SALTUS_INLINE_LAMBDA {
              Piece piece;
              load(piece, from);
              return piece;
            };
            const auto read_if = [&](const bool is_read, const Number *from) SALTUS_INLINE_LAMBDA {
              return is_read ? read(from) : Piece(Number(0));
            };
            const Piece of_r = read(residual + i);
            Piece       s(Number(0));
            if (accumulates)
              {
                s = by.accumulator(read_if(reads_accumulator, accumulator + at), of_r);
                store(s, accumulator + at);
              }
            store(by.state(read(u + at), read_if(has_base, base + at), of_r, s), out + at);
          }
      }

    private:
      const Number *const u, *const base;
      Number *const accumulator, *const out;
      const StageUpdate<Number> by;
      const bool                has_base, accumulates, reads_accumulator;
    };

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
                row[m] * arg.u[CoefficientLayout{n_modes(), n_components}.index(element, m, c)];
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

    static constexpr int n_numbers = Sizes::most_modes * n_components; ///< of an element

    const Arguments             &arg;
    const ElementTables<Number> &tables;
    const double                 dt;
    const int                    numerical_flux; ///< its number

    int  first, n_lanes; ///< elements
    T    u[n_numbers];
    T    r[n_numbers];
    Mask admissible;

    // Of one face.
    bool         at_boundary;         ///< whether some lane is
    bool         has_given;           ///< whether some lane's face hangs: its flux is known
    int          given_fluxes[width]; ///< their numbers, -1 of other faces
    bool         matched; ///< whether the face has the same number on both sides in all lanes
    bool         alike;   ///< whether all neighbours have one number and orientation of the face:
    int          face_of_all, orientation_of_all;
    int          boundary_faces[width];
    int          neighbors[width];
    int          faces_across[width];
    unsigned int orientations[width];
  };
} // namespace Saltus::SALTUS_ISA_NAMESPACE

#endif
