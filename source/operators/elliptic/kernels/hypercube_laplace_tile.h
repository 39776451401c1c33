// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_hypercube_laplace_tile_h
#define saltus_source_operators_elliptic_kernels_hypercube_laplace_tile_h

// The Laplace operator on affine quadrilaterals or hexahedra for one set of vector instructions.
// Elements are worked on by tiles: first the values and fluxes on the faces of all of them and of
// those around them are found, by groups of as many elements as a vector has numbers, then each
// group takes what it needs from its own and from its neighbours' faces. A tile's numbers stay in
// the second cache.
//
//   u, r      coefficients [m]: points, the first direction fastest; T: of a group of elements
//   numbers   [slot][q][k][l], then [l]: k = 0 the value, 1 the flux out of the element at point q
//             of a face of the elements l of a group, and what their penalty has as a factor
#include <saltus/base/algebra/pack.h>

#include "../../spaces/kernels/range_kernels.h"
#include "half_lines.h"
#include <algorithm>
#include <vector>

namespace
{
  using namespace Saltus;

  /// What the parts of a tile share.
  template <int dim, int n, typename Number, int n_components>
  struct TileTraits
  {
    static constexpr int width = vector_bytes / sizeof(Number);

    using T         = Pack<Number, width>;
    using Cube      = Hypercube<dim>;
    using Lines     = SymmetricLineTables<Number, n>;
    using HalfLines = ::HalfLines<Number, n>;

    static constexpr int n_faces = Cube::n_faces, n_points = power(n, dim), nf = power(n, dim - 1);
    static constexpr int n_form = dim * (dim + 1) / 2, n_stiffness = n_form + 1;

    /// Of a face of a group.
    static constexpr int slot_size = (2 * nf + 1) * width;

    /// Elements whose faces take half a mebibyte.
    static constexpr int size =
      std::clamp(int((1 << 19) / (n_faces * slot_size / width * sizeof(Number))) / block_size *
                   block_size,
                 64,
                 2048);

    static constexpr CoefficientLayout layout{n_points, n_components};

    /// The numbers of a group in an array `[block][i][l]`.
    static inline __attribute__((always_inline)) T
    number(const Number *from, const int first, const int size, const int i)
    {
      T result;
      load(result, from + point_index(first, i, size, 1));
      return result;
    }

    /// Coefficients of a group.
    static inline __attribute__((always_inline)) T
    coefficient(const Number *u, const int first, const int m)
    {
      const Number *const from = u + layout.index(first, m);
      T                   result;
      if constexpr (layout.element_stride() == 1)
        load(result, from);
      else
        for (int l = 0; l < width; ++l)
          set_lane(result, l, from[l * layout.element_stride()]);
      return result;
    }

    /// `set(m, value)` at the points of a cell or of a face, of which there are @p size: @p matrix,
    /// of HalfLines, along the lines on which neighbouring points are @p stride apart.
    template <int size, typename Set>
    static inline __attribute__((always_inline)) void
    derive(const T  *values,
           const int stride,
           const Number (&matrix)[2][HalfLines::half][HalfLines::half],
           const Set &set)
    {
      for (int begin = 0; begin < size; ++begin)
        if (begin / stride % n == 0)
          HalfLine<T, n>(values + begin, stride)
            .derive(matrix, [&](const int i, const T &value) SALTUS_INLINE_LAMBDA {
              set(begin + i * stride, value);
            });
    }
  };

  /// What the outward flux k grad u . n, times the area, is made of on face f of a group.
  template <typename Traits, int f>
  struct FluxRow
  {
    using T = typename Traits::T;

    static constexpr int dim = Traits::n_faces / 2, d = f / 2;

    inline __attribute__((always_inline)) FluxRow(const T *stiffness)
      : normal(stiffness[symmetric_entry<dim>(d, d)])
    {
      for (int t = 0; t + 1 < dim; ++t)
        {
          const T entry = stiffness[symmetric_entry<dim>(d, (d + 1 + t) % dim)];
          tangential[t] = f % 2 == 1 ? entry : -entry;
          is_tangential |= any(abs(entry) > T(0));
        }
    }

    T    normal, tangential[dim - 1];
    bool is_tangential = false; ///< whether it has derivatives along the face
  };

  /// Values and fluxes on faces of groups.
  template <int dim, int n, typename Number, int n_components>
  class FaceTraces : TileTraits<dim, n, Number, n_components>
  {
    using Traits = TileTraits<dim, n, Number, n_components>;
    using Traits::n_faces, Traits::n_points, Traits::nf, Traits::n_stiffness, Traits::width,
      Traits::slot_size;
    using typename Traits::Cube;
    using typename Traits::T;

  public:
    FaceTraces(const LaplaceArguments<Number>   &arg,
               const typename Traits::Lines     &lines,
               const typename Traits::HalfLines &half_lines)
      : arg(arg)
      , lines(lines)
      , half_lines(half_lines)
    {}

    /// Forget all, and go to @p component of the vector and the tile of the elements from @p begin
    /// to before @p end, whose groups are to be added one after the other.
    void
    start(const int component, const int begin, const int end)
    {
      u    = arg.u + component;
      tile = begin, n_elements = end - begin;
      for (const int key : used)
        slots[key] = -1;
      used.clear();
    }

    /// All faces of the group from @p first on.
    void
    add_group(const int first)
    {
      T coefficients[n_points], stiffness[n_stiffness];
      for (int m = 0; m < n_points; ++m)
        coefficients[m] = Traits::coefficient(u, first, m);
      read(first, stiffness);
      static_for<dim>([&](auto direction) SALTUS_INLINE_LAMBDA {
        constexpr int d = decltype(direction)::value;
        T             values[2][nf], slopes[2][nf];
        for (int q = 0; q < nf; ++q)
          {
            const HalfLine<T, n> line(coefficients + Cube::line(d, q, n), Cube::stride(d, n));
            line.set_ends(half_lines.edge, values[0][q], values[1][q]);
            line.set_ends(half_lines.slope, slopes[0][q], slopes[1][q]);
          }
        store_face<2 * d>(first, stiffness, values[0], slopes[0]);
        store_face<2 * d + 1>(first, stiffness, values[1], slopes[1]);
      });
    }

    /// Whether an element is of the tile.
    inline __attribute__((always_inline)) bool
    has(const int element) const
    {
      return static_cast<unsigned int>(element - tile) < static_cast<unsigned int>(n_elements);
    }

    /// Where the numbers of @p element, which is of the tile, are on its face @p f.
    inline __attribute__((always_inline)) int
    place_in_tile(const int element, const int f) const
    {
      const unsigned int e = element - tile;
      return (e / width * n_faces + f) * slot_size + e % width;
    }

    /// Of any element; the face is added if it is not there.
    int
    place(const int element, const int f)
    {
      if (has(element))
        return place_in_tile(element, f);
      const int k = key(element, f);
      if (k >= int(slots.size()) || slots[k] < 0)
        static_for<n_faces>([&](auto face) {
          if (f == decltype(face)::value)
            add_face<decltype(face)::value>(element / width * width);
        });
      return slots[k] * slot_size + element % width;
    }

    const Number *
    begin() const
    {
      return numbers.data();
    }

  private:
    static int
    key(const int element, const int f)
    {
      return element / width * n_faces + f;
    }

    /// The next slot, behind all others.
    Number *
    new_slot(const int first, const int f)
    {
      const int k = key(first, f), slot = used.size();
      if (k >= int(slots.size()))
        slots.resize(k + 1 + k / 4, -1);
      slots[k] = slot;
      used.push_back(k);
      const std::size_t begin = std::size_t(slot) * slot_size;
      if (begin + slot_size > numbers.size())
        numbers.resize(begin + std::size_t(Traits::size) / width * n_faces * slot_size);
      return numbers.data() + begin;
    }

    void
    read(const int first, T (&stiffness)[n_stiffness]) const
    {
      for (int i = 0; i < n_stiffness; ++i)
        stiffness[i] = Traits::number(arg.stiffness, first, n_stiffness, i);
    }

    template <int f>
    inline __attribute__((always_inline)) void
    store_face(const int first, const T *stiffness, const T (&values)[nf], const T (&slopes)[nf])
    {
      const FluxRow<Traits, f> row(stiffness);
      Number *const            to = new_slot(first, f);
      T                        fluxes[nf];
      for (int q = 0; q < nf; ++q)
        fluxes[q] = row.normal * slopes[q];
      if (row.is_tangential)
        for (int t = 0; t + 1 < dim; ++t)
          Traits::template derive<nf>(values,
                                      Cube::stride(t, n),
                                      half_lines.derivative,
                                      [&](const int q, const T &value) SALTUS_INLINE_LAMBDA {
                                        fluxes[q] = fluxes[q] + row.tangential[t] * value;
                                      });
      for (int q = 0; q < nf; ++q)
        {
          store(values[q], to + 2 * q * width);
          store(fluxes[q], to + (2 * q + 1) * width);
        }
      store(stiffness[n_stiffness - 1] * row.normal, to + 2 * nf * width);
    }

    /// Of a group that has not all of its faces here.
    template <int f>
    void
    add_face(const int first)
    {
      constexpr int d = f / 2, stride = Cube::stride(d, n);
      T             values[nf], slopes[nf], stiffness[n_stiffness];
      read(first, stiffness);
      for (int q = 0; q < nf; ++q)
        {
          const int line = Cube::line(d, q, n);
          values[q] = slopes[q] = T(0);
          for (int m = 0; m < n; ++m)
            {
              const int from_face = f % 2 == 1 ? n - 1 - m : m;
              const T   at        = Traits::coefficient(u, first, line + m * stride);
              values[q]           = values[q] + T(lines.edge[from_face]) * at;
              slopes[q]           = slopes[q] + T(lines.slope[from_face]) * at;
            }
        }
      store_face<f>(first, stiffness, values, slopes);
    }

    const LaplaceArguments<Number>   &arg;
    const typename Traits::Lines     &lines;
    const typename Traits::HalfLines &half_lines;
    const Number                     *u    = nullptr; ///< component 0 is the one that is worked on
    int                               tile = 0, n_elements = 0;
    std::vector<int>                  slots; ///< `[group][f]`, -1 where there is none
    std::vector<int>                  used;  ///< which of these are not
    std::vector<Number>               numbers;
  };

  /// What a group of elements has on the other sides of its faces.
  template <int dim, int n, typename Number, int n_components>
  class GroupFaces : TileTraits<dim, n, Number, n_components>
  {
    using Traits = TileTraits<dim, n, Number, n_components>;
    using Traits::n_faces, Traits::width;

    using Traces = FaceTraces<dim, n, Number, n_components>;

  public:
    struct Side
    {
      int           here, places[width]; ///< of numbers: of this side, and across
      unsigned char codes[width];        ///< `face << 3 | orientation`, of the element across
      bool          are_alike = true, are_alone = false;
      Number        share[width], seen[width]; ///< if some are alone, see set_alone()
    };

    GroupFaces(const LaplaceArguments<Number> &arg, const int first, Traces &traces)
      : first(first)
    {
      for (int f = 0; f < n_faces; ++f)
        {
          const unsigned int *const words = arg.face_codes + point_index(first, f, n_faces, 1);
          Side                     &side  = sides[f];
          side.here                       = traces.place_in_tile(first, f);
          // Most often all are inside the tile: that is found for all lanes at once.
          bool is_inside = true;
          for (int l = 0; l < width; ++l)
            {
              const HypercubeFaceCode code(words[l]);
              is_inside &= !code.is_alone() & traces.has(code.element());
              side.codes[l]  = words[l] & 63;
              side.places[l] = traces.place_in_tile(code.element(), words[l] >> 3 & 7);
            }
          for (int l = 0; l < width && !is_inside; ++l)
            if (const HypercubeFaceCode code(words[l]); code.is_alone())
              set_alone(code, f, l);
            else
              side.places[l] = traces.place(code.element(), code.face(f));
          for (int l = 1; l < width; ++l)
            side.are_alike &= side.codes[l] == side.codes[0];
        }
    }

    const int first; ///< of its elements
    Side      sides[n_faces];
    bool      has_special_terms = false;

  private:
    /// At the boundary and where sizes differ the element itself stands in for that across, of
    /// which nothing is seen. It bears all of the terms at a Dirichlet boundary, and none at
    /// others.
    void
    set_alone(const HypercubeFaceCode code, const int f, const int l)
    {
      Side &side = sides[f];
      if (!side.are_alone)
        {
          side.are_alone = true;
          std::fill_n(side.share, width, Number(0.5));
          std::fill_n(side.seen, width, Number(1));
        }
      side.share[l]  = code.is_dirichlet() ? 1 : 0;
      side.seen[l]   = 0;
      side.places[l] = side.here + l;
      side.codes[l]  = f << 3;
      has_special_terms |= code.has_terms();
    }
  };

  /// A group of elements whose faces, and those across, are there.
  template <int dim, int n, typename Number, int n_components>
  class TracedLaplaceGroup : TileTraits<dim, n, Number, n_components>
  {
    using Traits = TileTraits<dim, n, Number, n_components>;
    using Across = LinesAcross<dim, n>;
    using Traits::n_faces, Traits::n_points, Traits::nf, Traits::n_stiffness, Traits::width,
      Traits::layout;
    using typename Traits::Cube;
    using typename Traits::T;

    static constexpr int half = HalfLines<Number, n>::half;

  public:
    using Traces = FaceTraces<dim, n, Number, n_components>;

    using Faces = GroupFaces<dim, n, Number, n_components>;

    using SpecialFace = SpecialHypercubeFace<GeometryKind::affine,
                                             dim,
                                             n,
                                             Number,
                                             n_components,
                                             typename Traits::Lines>;

    TracedLaplaceGroup(const LaplaceArguments<Number>   &arg,
                       const typename Traits::Lines     &lines,
                       const typename Traits::HalfLines &half_lines,
                       const Faces                      &faces,
                       const int                         component)
      : arg(arg)
      , lines(lines)
      , half_lines(half_lines)
      , faces(faces)
      , first(faces.first)
      , component(component)
    {}

    void
    run(const Traces &traces)
    {
      for (int i = 0; i < n_stiffness; ++i)
        stiffness[i] = Traits::number(arg.stiffness, first, n_stiffness, i);
      T mass = T(0);
      if (arg.reaction_mass != nullptr)
        load(mass, arg.reaction_mass + first);
      for (int m = 0; m < n_points; ++m)
        {
          u[m] = Traits::coefficient(arg.u + component, first, m);
          r[m] = mass * u[m];
        }
      add_mixed_derivatives();
      static_for<dim>(
        [&](auto d) SALTUS_INLINE_LAMBDA { add_direction<decltype(d)::value>(traces.begin()); });
      write();
      if (faces.has_special_terms)
        add_special_terms();
    }

  private:
    /// Of the volume, what products of derivatives in two directions give.
    void
    add_mixed_derivatives()
    {
      bool is_mixed = false;
      for (int d = 0; d < dim; ++d)
        for (int e = d + 1; e < dim; ++e)
          is_mixed |= any(abs(stiffness[symmetric_entry<dim>(d, e)]) > T(0));
      if (!is_mixed)
        return;
      T gradient[dim][n_points];
      static_for<dim>([&](auto d) SALTUS_INLINE_LAMBDA {
        Traits::template derive<n_points>(u,
                                          Cube::stride(decltype(d)::value, n),
                                          half_lines.derivative,
                                          [&](const int m, const T &value) SALTUS_INLINE_LAMBDA {
                                            gradient[decltype(d)::value][m] = value;
                                          });
      });
      static_for<dim>([&](auto direction) SALTUS_INLINE_LAMBDA {
        constexpr int d = decltype(direction)::value;
        T             flux[n_points];
        for (int m = 0; m < n_points; ++m)
          {
            flux[m] = T(0);
            for (int e = 0; e < dim; ++e)
              if (e != d)
                flux[m] = flux[m] + stiffness[symmetric_entry<dim>(d, e)] * gradient[e][m];
          }
        Traits::template derive<n_points>(flux,
                                          Cube::stride(d, n),
                                          half_lines.tested_derivative,
                                          [&](const int m, const T &value)
                                            SALTUS_INLINE_LAMBDA { r[m] = r[m] + value; });
      });
    }

    /// The rest of the volume, and the faces at both ends of the lines in direction @p d.
    template <int d>
    inline __attribute__((always_inline)) void
    add_direction(const Number *numbers)
    {
      // What values and outward derivatives of test functions are multiplied with.
      T values[2][nf], slopes[2][nf];
      set_face<2 * d>(numbers, values[0], slopes[0]);
      set_face<2 * d + 1>(numbers, values[1], slopes[1]);
      for (int q = 0; q < nf; ++q)
        add_line<d>(Cube::line(d, q, n), values[0][q], values[1][q], slopes[0][q], slopes[1][q]);
    }

    template <int d>
    inline __attribute__((always_inline)) void
    add_line(const int begin,
             const T  &value,
             const T  &value_at_end,
             const T  &slope,
             const T  &slope_at_end)
    {
      constexpr int        stride = Cube::stride(d, n);
      const T              along  = stiffness[symmetric_entry<dim>(d, d)];
      const HalfLine<T, n> line(u + begin, stride);
      T                    sums[2][half];
      static_for<2>([&](auto of_parity) SALTUS_INLINE_LAMBDA {
        constexpr int parity    = decltype(of_parity)::value;
        const T       of_values = parity == 0 ? value + value_at_end : value - value_at_end,
                of_slopes       = parity == 0 ? slope + slope_at_end : slope - slope_at_end;
        for (int m = 0; m < HalfLines<Number, n>::size(parity); ++m)
          sums[parity][m] = along * line.template sum<parity>(half_lines.stiffness[parity][m]) +
                            T(half_lines.edge[parity][m]) * of_values +
                            T(half_lines.slope[parity][m]) * of_slopes;
      });
      T *const at = r + begin;
      for (int m = 0; m < n / 2; ++m)
        {
          at[m * stride]           = at[m * stride] + (sums[0][m] + sums[1][m]);
          at[(n - 1 - m) * stride] = at[(n - 1 - m) * stride] + (sums[0][m] - sums[1][m]);
        }
      if (n % 2 == 1)
        at[n / 2 * stride] = at[n / 2 * stride] + sums[0][half - 1];
    }

    /// What values and outward derivatives of test functions on face @p f are multiplied with.
    template <int f>
    inline __attribute__((always_inline)) void
    set_face(const Number *numbers, T (&values)[nf], T (&slopes)[nf]) const
    {
      const typename Faces::Side &side = faces.sides[f];
      const FluxRow<Traits, f>    row(stiffness);
      const Number *const         here = numbers + side.here;
      const Number               *from[width];
      for (int l = 0; l < width; ++l)
        from[l] = numbers + side.places[l];

      T share = T(0.5), seen = T(1), factor, factor_across;
      if (side.are_alone)
        {
          load(share, side.share);
          load(seen, side.seen);
        }
      load(factor, here + 2 * nf * width);
      gather(factor_across, from, 2 * nf * width);
      const T penalty = T(2 * arg.penalty) * max(factor, factor_across);

      int along[width][dim - 1];
      for (int l = 0; l < (side.are_alike ? 1 : width); ++l)
        from[l] += set_points_across(side.codes[l], along[l]);
      if (side.are_alike)
        for (int l = 1; l < width; ++l)
          from[l] += from[0] - (numbers + side.places[0]);

      T jump[nf];
      for (int q = 0; q < nf; ++q)
        {
          T inside, flux, outside, flux_across;
          load(inside, here + 2 * q * width);
          load(flux, here + (2 * q + 1) * width);
          if (side.are_alike)
            {
              const int i = place(along[0], q);
              gather(outside, from, i);
              gather(flux_across, from, i + width);
            }
          else
            {
              const Number *at[width];
              for (int l = 0; l < width; ++l)
                at[l] = from[l] + place(along[l], q);
              gather(outside, at, 0);
              gather(flux_across, at, width);
            }
          jump[q]   = share * (inside - seen * outside);
          values[q] = penalty * jump[q] - share * (flux - seen * flux_across);
          slopes[q] = -(row.normal * jump[q]);
        }
      if (row.is_tangential)
        for (int t = 0; t + 1 < dim; ++t)
          Traits::template derive<nf>(jump,
                                      Cube::stride(t, n),
                                      half_lines.tested_derivative,
                                      [&](const int q, const T &value) SALTUS_INLINE_LAMBDA {
                                        values[q] = values[q] - row.tangential[t] * value;
                                      });
    }

    /// How far it is across to the numbers of the next point in this side's directions of the face.
    /// @return how far to those of this side's first point
    static int
    set_points_across(const int code, int (&along)[dim - 1])
    {
      const Across across(0, code >> 3, code & 7);
      int          result = 0;
      for (int t = 0; t + 1 < dim; ++t)
        {
          const int there    = (across.direction(t) + dim - 1 - across.face / 2) % dim;
          const int distance = power(n, there) * 2 * width;
          along[t]           = across.along[t] > 0 ? distance : -distance;
          result += across.along[t] > 0 ? 0 : (n - 1) * distance;
        }
      return result;
    }

    static inline __attribute__((always_inline)) int
    place(const int (&along)[dim - 1], const int q)
    {
      return dim == 2 ? q * along[0] : q % n * along[0] + q / n * along[dim - 2];
    }

    void
    write() const
    {
      constexpr int stride = layout.element_stride();
      const int     n_left = std::min(width, arg.mesh.n_elements - first);
      for (int m = 0; m < n_points; ++m)
        {
          const std::size_t i = layout.index(first, m) + component;
          if (stride == 1 && n_left == width)
            {
              T result = T(0);
              if (arg.base != nullptr)
                load(result, arg.base + i);
              store(result + T(arg.scale) * r[m], arg.out + i);
            }
          else
            for (int l = 0; l < n_left; ++l)
              arg.out[i + l * stride] =
                (arg.base != nullptr ? arg.base[i + l * stride] : Number(0)) +
                arg.scale * get_lane(r[m], l);
        }
    }

    void
    add_special_terms() const
    {
      for (int l = 0; l < width && first + l < arg.mesh.n_elements; ++l)
        for (int f = 0; f < n_faces; ++f)
          {
            const SpecialFace face(arg, lines, first + l, f, component);
            if (face.has_terms())
              for (int q = 0; q < nf; ++q)
                face.for_terms(q, [&](const int m, const Number term) {
                  arg.out[layout.index(first + l, m) + component] += arg.scale * term;
                });
          }
    }

    const LaplaceArguments<Number>   &arg;
    const typename Traits::Lines     &lines;
    const typename Traits::HalfLines &half_lines;
    const Faces                      &faces;
    const int                         first, component;
    T                                 stiffness[n_stiffness], u[n_points], r[n_points];
  };

  /// The operator on the range of the mesh.
  template <int dim, int n, typename Number, int n_components>
  void
  apply_by_tiles(const LaplaceArguments<Number>       &arg,
                 const SymmetricLineTables<Number, n> &lines,
                 const HalfLines<Number, n>           &half_lines)
  {
    using Traits    = TileTraits<dim, n, Number, n_components>;
    using Group     = TracedLaplaceGroup<dim, n, Number, n_components>;
    using Traces    = typename Group::Traces;
    const int first = arg.mesh.begin, last = arg.mesh.end;
    parallel_for(n_blocks(last - first), [&](const int begin, const int end) {
      Traces                             traces(arg, lines, half_lines);
      std::vector<typename Group::Faces> groups;
      const int                          behind = std::min(first + end * block_size, last);
      for (int tile = first + begin * block_size; tile < behind; tile += Traits::size)
        for (int component = 0; component < n_components; ++component)
          {
            const int end_of_tile = std::min(tile + Traits::size, behind);
            traces.start(component, tile, end_of_tile);
            for (int i = tile; i < end_of_tile; i += Traits::width)
              traces.add_group(i);
            groups.clear();
            for (int i = tile; i < end_of_tile; i += Traits::width)
              groups.emplace_back(arg, i, traces);
            for (const auto &faces : groups)
              Group(arg, lines, half_lines, faces, component).run(traces);
          }
    });
  }
} // namespace

#endif
