// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_curved_laplace_element_h
#define saltus_source_operators_elliptic_kernels_curved_laplace_element_h

#include <saltus/fe/face_mode_values.h>
#include <saltus/operators/elliptic/kernels/laplace_element.h>
#include <saltus/operators/elliptic/kernels/reference_directions.h>
#include <saltus/operators/elliptic/kernels/sparse_modal_products.h>

#include <algorithm>
#include <optional>

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

    CurvedLaplaceFaces()
    {
      const std::vector<double> all = face_mode_values<dim>(degree, 2 * degree);
      std::copy(all.begin(), all.end(), &values[0][0][0]);
      for (int v = 0; v <= dim; ++v)
        set_directions(v);
    }

    Number values[dim + 1][n_points][n_modes];
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
  /// so that at a point few modes are added. What test functions are multiplied with goes the same
  /// way back. Neighbours are looked at from their side first; then their modes are turned.
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

    /// Points of a face at a time, as far as registers go.
    static constexpr int most_points = dim == 2 ? 4 : 3;

    static constexpr CoefficientLayout layout = {n_modes, n_components};

  public:
    /// What is the same for all elements.
    struct Constants
    {
      Entries entries;
      Faces   faces;
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

    void
    add_volume()
    {
      T derivatives[dim][n_lower_modes], factors[dim][n_lower_modes];
      static_for<n_lower_modes>([&](auto row) SALTUS_INLINE_LAMBDA {
        static_for<dim>([&](auto a) SALTUS_INLINE_LAMBDA {
          derivatives[a.value][row.value] =
            this->row_sum(ElementDerivative<dim, degree, a.value>(), row, u);
          factors[a.value][row.value] = T(Number(0));
        });
        to_reference_directions<dim, T>(
          [&](const int i) -> T & { return derivatives[i][row.value]; });
      });
      for_batches<4>(tables.n_volume_points(),
                     [&](const int first, const auto n) SALTUS_INLINE_LAMBDA {
                       add_volume_points<decltype(n)::value>(first, derivatives, factors);
                     });
      static_for<n_lower_modes>([&](auto row) SALTUS_INLINE_LAMBDA {
        from_reference_directions<dim, T>(
          [&](const int i) -> T & { return factors[i][row.value]; });
        static_for<dim>([&](auto a) SALTUS_INLINE_LAMBDA {
          this->add_row(ElementDerivative<dim, degree, a.value>(),
                        row,
                        factors[a.value][row.value],
                        r);
        });
      });
    }

    /// `body(first, n)` for batches of about the same size, and at most @p most, of @p n_all: of
    /// what they have in common less is read.
    template <int most, int n_all, typename Body>
    static void
    for_batches(const Body &body)
    {
      constexpr int n_batches = (n_all + most - 1) / most, n = (n_all + n_batches - 1) / n_batches;
      for (int i = 0; i < n_all / n; ++i)
        body(i * n, std::integral_constant<int, n>());
      if constexpr (n_all % n > 0)
        body(n_all / n * n, std::integral_constant<int, n_all % n>());
    }

    /// The same for a number that is known when the program runs.
    template <int most, typename Body>
    static void
    for_batches(const int n_all, const Body &body)
    {
      int first = 0;
      for (; first + most <= n_all; first += most)
        body(first, std::integral_constant<int, most>());
      static_for<most>([&](auto n) SALTUS_INLINE_LAMBDA {
        if constexpr (n.value > 0)
          if (n_all - first == n.value)
            body(first, n);
      });
    }

    /// Add what derivatives of test functions are multiplied with, for @p n points from @p q on.
    /// @param derivatives,factors in reference directions, by modes
    template <int n>
    void
    add_volume_points(const int q,
                      const T (&derivatives)[dim][n_lower_modes],
                      T (&factors)[dim][n_lower_modes]) const
    {
      Direction fluxes[n]; // gradients at first
      static_for<n * dim>(
        [&](auto i) SALTUS_INLINE_LAMBDA { fluxes[i.value / dim][i.value % dim] = T(Number(0)); });
      for (int m = 0; m < n_lower_modes; ++m)
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          const T value = tables.volume_value(q + j.value, m);
          static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
            fluxes[j.value][i.value] = fluxes[j.value][i.value] + value * derivatives[i.value][m];
          });
        });
      static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
        Array<T, n_form> k;
        static_for<n_form>([&](auto i) SALTUS_INLINE_LAMBDA {
          k[i.value] = form[(q + j.value) * n_form + i.value];
        });
        fluxes[j.value] = symmetric_product<dim>(k, fluxes[j.value]);
      });
      for (int m = 0; m < n_lower_modes; ++m)
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          const T value = tables.volume_value(q + j.value, m);
          static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
            factors[i.value][m] = factors[i.value][m] + value * fluxes[j.value][i.value];
          });
        });
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
      Trace tested;
      set_tested_trace(f, v, records, inside, outside, tested);
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

    /// What the values and the derivatives of test functions are multiplied with at the points of a
    /// face.
    struct FaceTerms
    {
      T values[n_face_points], derivatives[n_face_points][dim];
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

    /// Set @p terms at @p n points from @p q on.
    /// @param v number of the face as Faces has it
    /// @param penalty of the face
    /// @param records see set_tested_trace()
    /// @param across with the values' jump instead
    template <int n>
    void
    set_terms(const int                     f,
              const int                     v,
              const int                     q,
              const T                      &penalty,
              const std::optional<Records> &records,
              const Trace                  &inside,
              const Trace                  &across,
              FaceTerms                    &terms) const
    {
      T jumps[n], here[n][dim], there[n][dim];
      static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
        jumps[j.value] = T(Number(0));
        static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
          here[j.value][i.value] = there[j.value][i.value] = T(Number(0));
        });
      });
      for (int m = 0; m < n_lower_face_modes; ++m)
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          const T value  = faces.values[v][q + j.value][m];
          jumps[j.value] = jumps[j.value] + value * across.values[m];
          static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
            here[j.value][i.value] =
              here[j.value][i.value] + value * inside.derivatives[i.value][m];
            there[j.value][i.value] =
              there[j.value][i.value] + value * across.derivatives[i.value][m];
          });
        });
      for (int m = n_lower_face_modes; m < n_face_modes; ++m)
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          jumps[j.value] = jumps[j.value] + T(faces.values[v][q + j.value][m]) * across.values[m];
        });
      static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
        const int at    = q + j.value;
        const int point = f * n_face_points + at;
        Direction to_flux;
        T         q_in = T(Number(0)), q_out = T(Number(0));
        static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
          to_flux[i.value] = along[point * dim + i.value];
          q_in             = q_in + to_flux[i.value] * here[j.value][i.value];
          q_out            = q_out + along_across[point * dim + i.value] * there[j.value][i.value];
        });
        auto of_point = interior_penalty(jumps[j.value], T(Number(0)), q_in, q_out, penalty);
        if (records)
          set_boundary_terms(arg, records->of, value_at(v, at, inside), q_in, penalty, of_point);
        const T weight   = areas[point];
        terms.values[at] = of_point.value * weight;
        static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
          terms.derivatives[at][i.value] = of_point.flux * weight * to_flux[i.value];
        });
      });
    }

    T
    value_at(const int v, const int q, const Trace &trace) const
    {
      T result = T(Number(0));
      for (int m = 0; m < n_face_modes; ++m)
        result = result + T(faces.values[v][q][m]) * trace.values[m];
      return result;
    }

    /// The sums of @p terms over the points, for @p n modes from @p m on.
    template <int n>
    void
    set_tested(const int v, const int m, const FaceTerms &terms, Trace &tested) const
    {
      T values[n], derivatives[n][dim];
      static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
        values[j.value] = T(Number(0));
        static_for<dim>([&](auto i)
                          SALTUS_INLINE_LAMBDA { derivatives[j.value][i.value] = T(Number(0)); });
      });
      for (int q = 0; q < n_face_points; ++q)
        static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
          const T value   = faces.values[v][q][m + j.value];
          values[j.value] = values[j.value] + value * terms.values[q];
          static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
            derivatives[j.value][i.value] =
              derivatives[j.value][i.value] + value * terms.derivatives[q][i.value];
          });
        });
      static_for<n>([&](auto j) SALTUS_INLINE_LAMBDA {
        tested.values[m + j.value] = values[j.value];
        static_for<dim>([&](auto i) SALTUS_INLINE_LAMBDA {
          tested.derivatives[i.value][m + j.value] = derivatives[j.value][i.value];
        });
      });
    }

    /// Set @p tested to what the modes of test functions' traces are multiplied with.
    /// @param records of the faces, if one of them may be at the boundary
    /// @param across with the values' jump instead
    void
    set_tested_trace(const int                     f,
                     const int                     v,
                     const std::optional<Records> &records,
                     const Trace                  &inside,
                     const Trace                  &across,
                     Trace                        &tested) const
    {
      T penalty;
      load(penalty, arg.penalties + point_index(first, f, n_faces, 1));
      FaceTerms terms;
      for_batches<most_points, n_face_points>([&](const int q, auto n) SALTUS_INLINE_LAMBDA {
        set_terms<decltype(n)::value>(f, v, q, penalty, records, inside, across, terms);
      });
      for_batches<4, n_lower_face_modes>([&](const int m, auto n) SALTUS_INLINE_LAMBDA {
        set_tested<decltype(n)::value>(v, m, terms, tested);
      });
      for (int m = n_lower_face_modes; m < n_face_modes; ++m)
        {
          T sum = T(Number(0));
          for (int q = 0; q < n_face_points; ++q)
            sum = sum + T(faces.values[v][q][m]) * terms.values[q];
          tested.values[m] = sum;
        }
    }

    const LaplaceArguments<Number> &arg;
    const Tables                    tables;
    const Faces                    &faces;
    const int                       first, component;
    const Stored                    form, areas, along, along_across; ///< see PointwiseForm
    T                               u[n_modes], r[n_modes];
  };
} // namespace

#endif
