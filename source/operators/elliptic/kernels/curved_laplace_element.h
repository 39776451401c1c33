// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_curved_laplace_element_h
#define saltus_source_operators_elliptic_kernels_curved_laplace_element_h

#include <saltus/fe/face_mode_values.h>
#include <saltus/operators/elliptic/kernels/laplace_element.h>
#include <saltus/operators/elliptic/kernels/reference_directions.h>
#include <saltus/operators/elliptic/kernels/sparse_modal_products.h>

#include "mirrored_points.h"
#include <algorithm>
#include <optional>
#include <stdexcept>

namespace
{
  using namespace Saltus;

  /// What CurvedLaplaceElement has of the faces of the reference element, by the number v of the
  /// vertex opposite.
  template <int dim, int degree, typename Number>
  class CurvedLaplaceFaces
  {
  public:
    static constexpr int n_modes  = Simplex<dim - 1>::n_modes(degree);
    static constexpr int n_points = Simplex<dim - 1>::n_quadrature_points(2 * degree);

    /// Of points, see MirroredPoints, and points without the images of others.
    static constexpr int n_pairs     = n_mirrored_pairs<dim - 1>(2 * degree);
    static constexpr int n_different = n_points - n_pairs;

    CurvedLaplaceFaces()
    {
      const std::vector<double> all = face_mode_values<dim>(degree, 2 * degree);
      for (int v = 0; v <= dim; ++v)
        {
          const double *values_of = all.data() + v * n_points * n_modes;
          const auto    found =
            MirroredPoints::find<dim - 1, double>(n_points, n_modes, [&](const int q, const int m) {
              return values_of[q * n_modes + m];
            });
          if (found.n_pairs() != n_pairs)
            throw std::logic_error("Points on faces have other mirror images than is compiled in.");
          std::copy(found.points.begin(), found.points.end(), points[v]);
          std::copy(found.images.begin(), found.images.end(), images[v]);
          for (int i = 0; i < n_different; ++i)
            for (int m = 0; m < n_modes; ++m)
              values[v][i][m] = values_of[points[v][i] * n_modes + m];
          set_directions(v);
        }
    }

    int    points[dim + 1][n_different], images[dim + 1][n_different]; ///< see MirroredPoints
    Number values[dim + 1][n_different][n_modes];                      ///< at the former
    /// `[v][r][b]`: the derivative in reference direction r is this combination of those in the
    /// directions of FaceDerivative and, the last one, from the centre of FaceRadialDerivative to
    /// the apex.
    Number directions[dim + 1][dim][dim];

  private:
    void
    set_directions(const int v)
    {
      // Where the vertices are, from the first corner of the face, in those directions.
      Number    places[dim + 1][dim] = {};
      const int corner[]             = {v > 0 ? 0 : 1, v > 1 ? 1 : 2, v > 2 ? 2 : 3};
      places[corner[1]][0]           = 1;
      if constexpr (dim == 3)
        {
          places[corner[2]][0] = Number(0.5);
          places[corner[2]][1] = 1;
        }
      const int last = corner[dim - 1]; // the centre in 3D; in 2D the midpoint is
      for (int b = 0; b < dim; ++b)
        places[v][b] = places[last][b] * Number(dim == 2 ? 0.5 : 1);
      places[v][dim - 1] += 1;
      for (int r = 0; r < dim; ++r)
        for (int b = 0; b < dim; ++b)
          directions[v][r][b] = places[r + 1][b] - places[0][b];
    }
  };

  /// The work of LaplaceElement, where the formulas are, on simplices whose geometry is stored, if
  /// all of the matrix is asked for.
  ///
  /// Derivatives are found once as polynomials of one degree less, and what is seen of them and of
  /// functions on a face once in the face's modes, by the sparse matrices of SparseModalProducts,
  /// so that at a point few modes are added; even and odd ones by themselves, see MirroredPoints.
  /// What test functions are multiplied with goes the same way back. Neighbours are looked at from
  /// their side first; then their modes are turned.
  template <int dim, int degree, typename T, typename Number, int width, int n_components>
  class CurvedLaplaceElement
    : SparseModalProducts<dim, degree, T, Number, StoredEntries<dim, degree, Number>>
  {
    using Entries   = StoredEntries<dim, degree, Number>;
    using Products  = SparseModalProducts<dim, degree, T, Number, Entries>;
    using Words     = LaneWords<T>;
    using Faces     = CurvedLaplaceFaces<dim, degree, Number>;
    using Tables    = QuadratureTables<dim, Number, Simplex<dim>::n_modes(degree)>;
    using Direction = Array<T, dim>;

    using Products::face_dim;
    using Products::n_face_modes;
    using Products::n_modes;
    using typename Products::Code;

    static constexpr int n_faces            = dim + 1;
    static constexpr int n_lower_modes      = Simplex<dim>::n_modes(degree - 1);
    static constexpr int n_lower_face_modes = Simplex<face_dim>::n_modes(degree - 1);
    static constexpr int n_face_points      = Faces::n_points;
    static constexpr int n_points_of_faces  = n_faces * n_face_points;
    static constexpr int n_form             = dim * (dim + 1) / 2;

    /// Pairs of points at a time, as far as registers go: in the volume and of a face.
    static constexpr int most_pairs = 4, most_face_pairs = dim == 2 ? 3 : 2;

    static constexpr int n_even_modes = n_modes_of_parity<dim, 0>(0, n_lower_modes);

    static constexpr CoefficientLayout layout = {n_modes, n_components};

  public:
    /// What is the same for all elements.
    struct Constants
    {
      explicit Constants(const ElementTables<Number> &tables)
        : points(MirroredPoints::find<dim, Number>(tables.n_volume_points,
                                                   n_lower_modes,
                                                   [&](const int q, const int m) {
                                                     return tables.volume_values[q * n_modes + m];
                                                   }))
      {
        for (const int q : points.points)
          for (int i = 0; i < n_lower_modes; ++i)
            values.push_back(tables.volume_values[q * n_modes + lower_mode(i)]);
      }

      Entries             entries;
      Faces               faces;
      MirroredPoints      points; ///< in the volume
      std::vector<Number> values; ///< of the lower modes at them, before their images
    };

    /// Whether this is for what is asked.
    static bool
    takes(const LaplaceArguments<Number> &arg)
    {
      return arg.face_codes != nullptr && arg.is_whole() &&
             arg.tables.n_face_points == n_face_points;
    }

    /// Elements from @p first on, all of one block. Those beyond the last one store nothing.
    CurvedLaplaceElement(const LaplaceArguments<Number> &arg,
                         const Constants                &constants,
                         const int                       first,
                         const int                       component)
      : Products(constants.entries)
      , arg(arg)
      , tables(arg.tables)
      , constants(constants)
      , faces(constants.faces)
      , first(first)
      , component(component)
      , form(arg.pointwise.volume, *this, tables.n_volume_points() * n_form)
      , areas(arg.pointwise.areas, *this, n_points_of_faces)
      , along(arg.pointwise.along, *this, n_points_of_faces * dim)
      , along_across(arg.pointwise.along_across, *this, n_points_of_faces * dim)
    {}

    void
    run()
    {
      load_modes();
      set_reaction();
      add_volume();
      for (int f = 0; f < n_faces; ++f)
        add_face(f);
      store_result();
    }

  private:
    /// A function on a face, in the face's modes.
    struct Trace
    {
      T values[n_face_modes];
      T derivatives[dim][n_lower_face_modes]; ///< in reference directions
    };

    /// What PointwiseForm has of the elements in one of its arrays. It is most of what is read, so
    /// that of the elements in the same place of the next block is asked for meanwhile.
    class Stored
    {
    public:
      /// @param n numbers of an element
      Stored(const Number *all, const CurvedLaplaceElement &of, const int n)
        : numbers(all + point_index(of.first - of.arg.stored.first_block * block_size, 0, n, 1))
        , to_next_block(n * block_size)
      {}

      T
      operator[](const int i) const
      {
        const Number *from = numbers + i * block_size;
        // From row to row of a block are jumps, which processors that look ahead do not follow.
        __builtin_prefetch(from + to_next_block, 0, 2);
        T result;
        load(result, from);
        return result;
      }

    private:
      const Number *numbers;
      const int     to_next_block;
    };

    void
    load_modes()
    {
      const Number *from = arg.u + layout.index(first, 0) + component;
      for (int m = 0; m < n_modes; ++m)
        if constexpr (n_components == 1)
          load(u[m], from + m * layout.mode_stride());
        else
          for (int l = 0; l < width; ++l)
            set_lane(u[m], l, from[m * layout.mode_stride() + l * n_components]);
    }

    void
    store_result() const
    {
      const std::size_t start  = layout.index(first, 0) + component;
      const int         n_left = arg.mesh.n_elements - first;
      for (int m = 0; m < n_modes; ++m)
        {
          const std::size_t place = start + m * layout.mode_stride();
          if (n_components == 1 && n_left >= width)
            {
              T base = T(Number(0));
              if (arg.base != nullptr)
                load(base, arg.base + place);
              store(base + T(arg.scale) * r[m], arg.out + place);
            }
          else
            for (int l = 0; l < width && l < n_left; ++l)
              {
                const std::size_t i    = place + l * n_components;
                const Number      base = arg.base != nullptr ? arg.base[i] : Number(0);
                arg.out[i]             = base + arg.scale * get_lane(r[m], l);
              }
        }
    }

    void
    set_reaction()
    {
      if (arg.reaction.volume == nullptr && arg.reaction.constant == Number(0))
        for (int m = 0; m < n_modes; ++m)
          r[m] = T(Number(0));
      else
        LaplaceElement<GeometryKind::stored, dim, T, Number, width, Tables>(arg, tables, first)
          .set_reaction(u, r);
    }

    /// Modes of one degree less are in this order: even ones first.
    static constexpr int
    lower_mode(const int place)
    {
      return place < n_even_modes ? mode_of_parity<dim, 0>(0, place)
                                  : mode_of_parity<dim, 1>(0, place - n_even_modes);
    }

    static constexpr int
    place_of_lower_mode(const int m)
    {
      return is_odd<dim>(m) ? n_even_modes + n_modes_of_parity<dim, 1>(0, m)
                            : n_modes_of_parity<dim, 0>(0, m);
    }

    void
    add_volume()
    {
      T derivatives[dim][n_lower_modes], factors[dim][n_lower_modes];
      static_for<n_lower_modes>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int place = place_of_lower_mode(row.value);
        static_for<dim>([&](auto a) SALTUS_INLINE_LAMBDA {
          derivatives[a.value][place] =
            this->row_sum(ElementDerivative<dim, degree, a.value>(), row, u);
          factors[a.value][place] = T(Number(0));
        });
        to_reference_directions<dim, T>([&](const int i) -> T & { return derivatives[i][place]; });
      });
      const MirroredPoints &points = constants.points;
      for_batches<most_pairs>(0, points.n_pairs(), [&](const int i, auto n) SALTUS_INLINE_LAMBDA {
        add_volume_points<decltype(n)::value, true>(i, derivatives, factors);
      });
      for_batches<most_pairs>(
        points.n_pairs(), points.size(), [&](const int i, auto n) SALTUS_INLINE_LAMBDA {
          add_volume_points<decltype(n)::value, false>(i, derivatives, factors);
        });
      static_for<n_lower_modes>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int place = place_of_lower_mode(row.value);
        from_reference_directions<dim, T>([&](const int i) -> T & { return factors[i][place]; });
        static_for<dim>([&](auto a) SALTUS_INLINE_LAMBDA {
          this->add_row(ElementDerivative<dim, degree, a.value>(), row, factors[a.value][place], r);
        });
      });
    }

    /// `body(first, n)` for batches of about the same size, and at most @p most, from @p begin to
    /// @p end: of what they have in common less is read.
    template <int most, int begin, int end, typename Body>
    static void
    for_batches(const Body &body)
    {
      constexpr int n_all = end - begin;
      if constexpr (n_all > 0)
        {
          constexpr int n_batches = (n_all + most - 1) / most;
          constexpr int n         = (n_all + n_batches - 1) / n_batches;
          for (int i = 0; i < n_all / n; ++i)
            body(begin + i * n, std::integral_constant<int, n>());
          if constexpr (n_all % n > 0)
            body(begin + n_all / n * n, std::integral_constant<int, n_all % n>());
        }
    }

    /// The same for numbers that are known when the program runs; the last batch may be small.
    template <int most, typename Body>
    static void
    for_batches(int begin, const int end, const Body &body)
    {
      for (; begin + most <= end; begin += most)
        body(begin, std::integral_constant<int, most>());
      static_for<most>([&](auto n) SALTUS_INLINE_LAMBDA {
        if constexpr (n.value > 0)
          if (end - begin == n.value)
            body(begin, n);
      });
    }

    /// Set @p sums to those of modes from @p begin to @p end at @p n points.
    /// @param values at the first point, of another one n_lower_modes further on
    template <int begin, int end, int n>
    static void
    set_sums(const Number *values, const T (&derivatives)[dim][n_lower_modes], Direction (&sums)[n])
    {
      static_for<n * dim>(
        [&](auto i) SALTUS_INLINE_LAMBDA { sums[i.value / dim][i.value % dim] = T(Number(0)); });
      for (int m = begin; m < end; ++m)
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          const T value = values[j.value * n_lower_modes + m];
          static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
            sums[j.value][i.value] = sums[j.value][i.value] + value * derivatives[i.value][m];
          });
        });
    }

    /// The transposed of set_sums(), added to @p factors.
    template <int begin, int end, int n>
    static void
    add_sums(const Number *values, const Direction (&sums)[n], T (&factors)[dim][n_lower_modes])
    {
      for (int m = begin; m < end; ++m)
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          const T value = values[j.value * n_lower_modes + m];
          static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
            factors[i.value][m] = factors[i.value][m] + value * sums[j.value][i.value];
          });
        });
    }

    /// Make @p a the sum of both, and @p b the difference.
    static void
    sum_and_difference(T &a, T &b)
    {
      const T sum = a + b;
      b           = a - b;
      a           = sum;
    }

    static void
    sum_and_difference(Direction &a, Direction &b)
    {
      static_for<dim>([&](auto d)
                        SALTUS_INLINE_LAMBDA { sum_and_difference(a[d.value], b[d.value]); });
    }

    /// Add what derivatives of test functions are multiplied with, for @p n points from number @p i
    /// of MirroredPoints on.
    /// @tparam in_pairs and for their images
    /// @param derivatives,factors in reference directions, by modes
    template <int n, bool in_pairs>
    void
    add_volume_points(const int i,
                      const T (&derivatives)[dim][n_lower_modes],
                      T (&factors)[dim][n_lower_modes]) const
    {
      const Number *values = constants.values.data() + i * n_lower_modes;
      Direction     even[n], odd[n];
      set_sums<0, n_even_modes>(values, derivatives, even);
      set_sums<n_even_modes, n_lower_modes>(values, derivatives, odd);
      static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
        Direction point = even[j.value], image = odd[j.value];
        sum_and_difference(point, image);
        point = conducted(constants.points.points[i + j.value], point);
        if constexpr (in_pairs)
          {
            image = conducted(constants.points.images[i + j.value], image);
            sum_and_difference(point, image);
          }
        else
          image = point;
        even[j.value] = point;
        odd[j.value]  = image;
      });
      add_sums<0, n_even_modes>(values, even, factors);
      add_sums<n_even_modes, n_lower_modes>(values, odd, factors);
    }

    /// The form's tensor at point @p q in the volume times @p gradient.
    Direction
    conducted(const int q, const Direction &gradient) const
    {
      Array<T, n_form> k;
      static_for<n_form>([&](auto i)
                           SALTUS_INLINE_LAMBDA { k[i.value] = form[q * n_form + i.value]; });
      return symmetric_product<dim>(k, gradient);
    }

    /// Set @p trace to that of the modes @p modes, by number.
    /// @param face as the elements count it that have these modes
    /// @param direction `(r, b)`, see CurvedLaplaceFaces::directions
    template <typename Modes, typename FaceNumber, typename Directions>
    void
    set_trace(const Modes &modes, const FaceNumber &face, const Directions &direction, Trace &trace)
    {
      T slopes[n_face_modes];
      for (int m = 0; m < n_face_modes; ++m)
        trace.values[m] = slopes[m] = T(Number(0));
      this->add_trace(modes, face, trace.values, slopes);
      static_for<n_lower_face_modes>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int m = decltype(row)::value;
        Direction     along;
        static_for<face_dim>([&](auto b) SALTUS_INLINE_LAMBDA {
          along[b.value] = this->row_sum(FaceDerivative<dim, degree, b.value>(), row, trace.values);
        });
        along[face_dim] =
          slopes[m] + this->row_sum(FaceRadialDerivative<dim, degree>(), row, trace.values);
        for (int i = 0; i < dim; ++i)
          {
            T sum = direction(i, 0) * along[0];
            for (int b = 1; b < dim; ++b)
              sum = sum + direction(i, b) * along[b];
            trace.derivatives[i][m] = sum;
          }
      });
    }

    /// The transposed of set_trace(), added to the result.
    void
    add_transposed_trace(const int v, Trace &trace)
    {
      T slopes[n_face_modes];
      for (int m = n_lower_face_modes; m < n_face_modes; ++m)
        slopes[m] = T(Number(0));
      static_for<n_lower_face_modes>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int m = decltype(row)::value;
        Direction     along;
        for (int b = 0; b < dim; ++b)
          {
            along[b] = T(faces.directions[v][0][b]) * trace.derivatives[0][m];
            for (int i = 1; i < dim; ++i)
              along[b] = along[b] + T(faces.directions[v][i][b]) * trace.derivatives[i][m];
          }
        static_for<face_dim>([&](auto b) SALTUS_INLINE_LAMBDA {
          this->add_row(FaceDerivative<dim, degree, b.value>(), row, along[b.value], trace.values);
        });
        slopes[m] = along[face_dim];
        this->add_row(FaceRadialDerivative<dim, degree>(), row, slopes[m], trace.values);
      });
      Products::add_transposed_trace(CommonFace<T>(v), trace.values, slopes, r);
    }

    /// @param f in deal.II's order
    void
    add_face(const int f)
    {
      const int  v = dim == 2 ? (f + 2) % 3 : 3 - f; // the vertex opposite
      const Code code(Words::load(arg.face_codes + point_index(first, v, n_faces, 1)));
      Trace      inside, outside;
      set_trace([&](const int m) SALTUS_INLINE_LAMBDA { return u[m]; },
                CommonFace<T>(v),
                common_directions(v),
                inside);
      set_trace_across(v, code, outside);
      for (int m = 0; m < n_face_modes; ++m)
        outside.values[m] = inside.values[m] - outside.values[m];
      std::optional<Records> records;
      if (may_be_boundary(code))
        records.emplace(arg, first, f);
      T penalty;
      load(penalty, arg.penalties + point_index(first, f, n_faces, 1));
      Trace tested;
      set_tested_trace({f, v, penalty, records}, inside, outside, tested);
      add_transposed_trace(v, tested);
    }

    /// Whether an element is across a face of its own, as codes have it at the boundary.
    bool
    may_be_boundary(const Code &code) const
    {
      const auto across = code.element();
      for (int l = 0; l < width; ++l)
        if (static_cast<int>(across[l]) == first + l)
          return true;
      return false;
    }

    auto
    common_directions(const int v) const
    {
      return [&directions = faces.directions[v]](const int i, const int b)
               SALTUS_INLINE_LAMBDA { return T(directions[i][b]); };
    }

    void
    set_trace_across(const int v, const Code &code, Trace &trace)
    {
      const auto first_mode = Words::first_place(code.element(), n_modes) * n_components;
      const auto modes      = [&](const int m) SALTUS_INLINE_LAMBDA {
        T value;
        gather(value, arg.u + component + m * layout.mode_stride(), first_mode);
        return value;
      };
      // Mostly the lanes of a pack have this number across, too.
      if (!Words::in_some_lane(code.face() ^ v))
        set_trace(modes, CommonFace<T>(v), common_directions(v), trace);
      else
        {
          const auto place = Words::first_place(code.face(), 1) * (dim * dim);
          T          directions[dim][dim];
          for (int i = 0; i < dim; ++i)
            for (int b = 0; b < dim; ++b)
              gather(directions[i][b], &faces.directions[0][i][b], place);
          set_trace(
            modes,
            LaneFaces<dim, T>(code),
            [&](const int i, const int b) SALTUS_INLINE_LAMBDA { return directions[i][b]; },
            trace);
        }
      this->turn_to_this_side(code, trace.values);
      static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
        this->template turn_to_this_side<degree - 1>(code, trace.derivatives[i.value]);
      });
    }

    /// What the value and the derivatives of test functions are multiplied with at a point.
    struct PointTerms
    {
      T         value;
      Direction derivatives;
    };

    /// The sums of those at the points of a face, by numbers of MirroredPoints, and at their
    /// images, for even modes; and the differences for odd ones.
    struct FaceTerms
    {
      PointTerms even[Faces::n_different], odd[Faces::n_pairs];
    };

    /// The faces @p f of the elements.
    struct Records
    {
      Records(const LaplaceArguments<Number> &arg, const int first, const int f)
      {
        for (int l = 0; l < width; ++l)
          {
            const int element = std::min(first + l, arg.mesh.n_elements - 1);
            of[l]             = arg.mesh.faces[point_index(element, f, n_faces, 1)];
          }
      }

      FaceRecord of[width];
    };

    /// What there is at a point of a face.
    struct AtPoint
    {
      T         jump;
      Direction here, there; ///< derivatives
    };

    /// The part of the modes of one parity, at @p n points from number @p i of MirroredPoints on.
    /// @param v number of the face as Faces has it
    /// @param across with the values' jump instead
    template <int parity, int n>
    void
    set_sums(const int v, const int i, const Trace &inside, const Trace &across, AtPoint (&at)[n])
      const
    {
      static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
        at[j.value].jump = T(Number(0));
        static_for<dim>([&](auto d) SALTUS_INLINE_LAMBDA {
          at[j.value].here[d.value] = at[j.value].there[d.value] = T(Number(0));
        });
      });
      for_modes<parity, 0, n_face_modes>([&](auto m) SALTUS_INLINE_LAMBDA {
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          AtPoint &point = at[j.value];
          const T  value = faces.values[v][i + j.value][m.value];
          point.jump     = point.jump + value * across.values[m.value];
          if constexpr (m.value < n_lower_face_modes)
            static_for<dim>([&](auto d) SALTUS_INLINE_LAMBDA {
              point.here[d.value] =
                point.here[d.value] + value * inside.derivatives[d.value][m.value];
              point.there[d.value] =
                point.there[d.value] + value * across.derivatives[d.value][m.value];
            });
        });
      });
    }

    /// `body(m)` for the modes of a face of one parity from @p begin to @p end.
    template <int parity, int begin, int end, typename Body>
    static void
    for_modes(const Body &body)
    {
      static_for<n_modes_of_parity<face_dim, parity>(begin, end)>([&](auto i) SALTUS_INLINE_LAMBDA {
        body(std::integral_constant<int, mode_of_parity<face_dim, parity>(begin, i.value)>());
      });
    }

    /// Faces @p f of the elements, and what there is to be said of all of its points.
    struct ThisFace
    {
      int                           f; ///< in deal.II's order
      int                           v; ///< its number as Faces has it
      T                             penalty;
      const std::optional<Records> &records; ///< if one of them may be at the boundary
    };

    /// Set @p terms of @p n points from number @p i of MirroredPoints on.
    /// @tparam in_pairs with their images
    /// @param across with the values' jump instead
    template <int n, bool in_pairs>
    void
    set_terms(const ThisFace &face,
              const int       i,
              const Trace    &inside,
              const Trace    &across,
              FaceTerms      &terms) const
    {
      AtPoint at[n], images[n];
      set_sums<0>(face.v, i, inside, across, at);
      if constexpr (in_pairs)
        set_sums<1>(face.v, i, inside, across, images);
      static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
        const int number = i + j.value;
        AtPoint  &point = at[j.value], &image = images[j.value];
        if constexpr (in_pairs)
          {
            sum_and_difference(point.jump, image.jump);
            sum_and_difference(point.here, image.here);
            sum_and_difference(point.there, image.there);
          }
        terms.even[number] =
          point_terms(face, number, faces.points[face.v][number], 1, point, inside);
        if constexpr (in_pairs)
          {
            terms.odd[number] =
              point_terms(face, number, faces.images[face.v][number], -1, image, inside);
            sum_and_difference(terms.even[number].value, terms.odd[number].value);
            sum_and_difference(terms.even[number].derivatives, terms.odd[number].derivatives);
          }
      });
    }

    /// At point @p q.
    /// @param i,sign as in value_at()
    PointTerms
    point_terms(const ThisFace &face,
                const int       i,
                const int       q,
                const int       sign,
                const AtPoint  &at,
                const Trace    &inside) const
    {
      const int point = face.f * n_face_points + q;
      Direction to_flux;
      T         q_in = T(Number(0)), q_out = T(Number(0));
      static_for<dim>([&](auto d) SALTUS_INLINE_LAMBDA {
        to_flux[d.value] = along[point * dim + d.value];
        q_in             = q_in + to_flux[d.value] * at.here[d.value];
        q_out            = q_out + along_across[point * dim + d.value] * at.there[d.value];
      });
      auto of_point = interior_penalty(at.jump, T(Number(0)), q_in, q_out, face.penalty);
      if (face.records)
        set_boundary_terms(
          arg, face.records->of, value_at(face.v, i, sign, inside), q_in, face.penalty, of_point);
      const T    weight = areas[point];
      PointTerms result;
      result.value = of_point.value * weight;
      static_for<dim>([&](auto d) SALTUS_INLINE_LAMBDA {
        result.derivatives[d.value] = of_point.flux * weight * to_flux[d.value];
      });
      return result;
    }

    /// The function at number @p i of MirroredPoints, or, with the sign -1, its image.
    T
    value_at(const int v, const int i, const int sign, const Trace &trace) const
    {
      T result = T(Number(0));
      for (int m = 0; m < n_face_modes; ++m)
        result =
          result + T(faces.values[v][i][m] * (is_odd<face_dim>(m) ? sign : 1)) * trace.values[m];
      return result;
    }

    /// The sums of @p terms over @p n_points points, for the modes of one parity.
    template <int parity, int n_points>
    void
    set_tested(const int v, const PointTerms *terms, Trace &tested) const
    {
      constexpr int at_once = 4, n_all = n_modes_of_parity<face_dim, parity>(0, n_lower_face_modes);
      static_for<(n_all + at_once - 1) / at_once>([&](auto batch) SALTUS_INLINE_LAMBDA {
        constexpr int begin = decltype(batch)::value * at_once;
        constexpr int n     = n_all - begin < at_once ? n_all - begin : at_once;
        PointTerms    sums[n];
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          sums[j.value].value = T(Number(0));
          static_for<dim>([&](auto d) SALTUS_INLINE_LAMBDA {
            sums[j.value].derivatives[d.value] = T(Number(0));
          });
        });
        for (int i = 0; i < n_points; ++i)
          static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
            PointTerms &sum = sums[j.value];
            const T     value =
              faces.values[v][i][mode_of_parity<face_dim, parity>(0, begin + j.value)];
            sum.value = sum.value + value * terms[i].value;
            static_for<dim>([&](auto d) SALTUS_INLINE_LAMBDA {
              sum.derivatives[d.value] =
                sum.derivatives[d.value] + value * terms[i].derivatives[d.value];
            });
          });
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          constexpr int m  = mode_of_parity<face_dim, parity>(0, begin + decltype(j)::value);
          tested.values[m] = sums[j.value].value;
          static_for<dim>([&](auto d) SALTUS_INLINE_LAMBDA {
            tested.derivatives[d.value][m] = sums[j.value].derivatives[d.value];
          });
        });
      });
      for_modes<parity, n_lower_face_modes, n_face_modes>([&](auto m) SALTUS_INLINE_LAMBDA {
        T sum = T(Number(0));
        for (int i = 0; i < n_points; ++i)
          sum = sum + T(faces.values[v][i][m.value]) * terms[i].value;
        tested.values[m.value] = sum;
      });
    }

    /// Set @p tested to what the modes of test functions' traces are multiplied with.
    /// @param across with the values' jump instead
    void
    set_tested_trace(const ThisFace &face,
                     const Trace    &inside,
                     const Trace    &across,
                     Trace          &tested) const
    {
      FaceTerms terms;
      for_batches<most_face_pairs, 0, Faces::n_pairs>(
        [&](const int i, auto n) SALTUS_INLINE_LAMBDA {
          set_terms<decltype(n)::value, true>(face, i, inside, across, terms);
        });
      for_batches<2, Faces::n_pairs, Faces::n_different>(
        [&](const int i, auto n) SALTUS_INLINE_LAMBDA {
          set_terms<decltype(n)::value, false>(face, i, inside, across, terms);
        });
      set_tested<0, Faces::n_different>(face.v, terms.even, tested);
      set_tested<1, Faces::n_pairs>(face.v, terms.odd, tested);
    }

    const LaplaceArguments<Number> &arg;
    const Tables                    tables;
    const Constants                &constants;
    const Faces                    &faces;
    const int                       first, component;
    const Stored                    form, areas, along, along_across; ///< see PointwiseForm
    T                               u[n_modes], r[n_modes];
  };
} // namespace

#endif
