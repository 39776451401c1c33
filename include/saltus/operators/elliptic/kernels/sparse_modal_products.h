// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_sparse_modal_products_h
#define saltus_operators_elliptic_kernels_sparse_modal_products_h

#include <saltus/base/algebra/array.h>
#include <saltus/fe/sparse_modal_tables.h>
#include <saltus/operators/spaces/lane_faces.h>

#include <algorithm>
#include <type_traits>

namespace Saltus
{
  /// The entries of SparseModalTables in memory.
  template <int dim, int degree, typename Number>
  class StoredEntries
  {
  public:
    StoredEntries()
    {
#ifdef __CUDACC_RTC__
      constexpr SparseModalTables<dim, degree> found;
      for (int i = 0; i < n; ++i)
        entries[i] = found.entries[i];
#else
      const auto found = sparse_modal_tables<dim>(degree);
      std::copy(found.begin(), found.end(), entries);
#endif
    }

    template <int position>
    SALTUS_HOST_DEVICE
    Number
    get() const
    {
      return entries[position];
    }

  private:
    static constexpr int n = SparseModalLayout<dim>(degree).size;

    Number entries[n];
  };

  /// The same as a part of the code.
  template <int dim, int degree, typename Number>
  struct CompiledEntries
  {
    template <int position>
    SALTUS_HOST_DEVICE
    Number
    get() const
    {
      constexpr double entry = compiled_modal_tables<dim, degree>.entries[position];
      return Number(entry);
    }
  };

  /// One of the matrices of SparseModalLayout: its kind, the dimension of its modes, and where its
  /// entries begin.
  template <typename Kind_, int matrix_dim_, int offset_>
  struct PlacedMatrix
  {
    using Kind = Kind_;

    static constexpr int matrix_dim = matrix_dim_, offset = offset_;
  };

  /// The derivative in direction @p a.
  template <int dim, int degree, int a>
  using ElementDerivative =
    PlacedMatrix<DerivativeMatrix<dim, a>, dim, SparseModalLayout<dim>(degree).derivative[a]>;

  /// That along a face.
  template <int dim, int degree, int a>
  using FaceDerivative = PlacedMatrix<DerivativeMatrix<dim - 1, a>,
                                      dim - 1,
                                      SparseModalLayout<dim>(degree).face_derivative[a]>;

  /// That from a centre, see RadialMatrix, on a face.
  template <int dim, int degree>
  using FaceRadialDerivative =
    PlacedMatrix<RadialMatrix<dim - 1>, dim - 1, SparseModalLayout<dim>(degree).radial>;

  /// Products with the matrices of SparseModalLayout, whose columns the compiler knows, on as many
  /// elements at once as `T` has lanes.
  /// @tparam Entries StoredEntries or CompiledEntries
  template <int dim, int degree, typename T, typename Number, typename Entries>
  class SparseModalProducts
  {
  protected:
    static constexpr int face_dim     = dim - 1;
    static constexpr int n_modes      = Simplex<dim>::n_modes(degree);
    static constexpr int n_face_modes = Simplex<face_dim>::n_modes(degree);

    static constexpr SparseModalLayout<dim> layout = SparseModalLayout<dim>(degree);

    using Code = FaceCode<typename LaneWords<T>::Type>;

    SALTUS_HOST_DEVICE
    explicit SparseModalProducts(const Entries &entries)
      : entries(&entries)
    {}

    template <int position>
    SALTUS_HOST_DEVICE
    T
    table_entry() const
    {
      return T(entries->template get<position>());
    }

    /// `to += coefficient M x` for a PlacedMatrix.
    template <typename Matrix>
    SALTUS_HOST_DEVICE
    void
    add_product(const Matrix matrix, const T &coefficient, const T *x, T *to) const
    {
      static_for<Matrix::Kind::n_rows(degree)>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int r = decltype(row)::value;
        if constexpr (n_in_row<Matrix, r>() > 0)
          to[r] = to[r] + coefficient * row_sum(matrix, row, x);
      });
    }

    /// `to += coefficient (M + M^T) x`
    template <typename Matrix>
    SALTUS_HOST_DEVICE
    void
    add_symmetric_product(const Matrix, const T &coefficient, const T *x, T *to) const
    {
      constexpr int n = Simplex<Matrix::matrix_dim>::n_modes(degree);
      static_for<n>([&](auto row) SALTUS_INLINE_LAMBDA {
        constexpr int r   = decltype(row)::value;
        T             sum = T(Number(0));
        static_for<n>([&](auto column) SALTUS_INLINE_LAMBDA {
          constexpr int c     = decltype(column)::value;
          constexpr int entry = entry_at<typename Matrix::Kind, Matrix::matrix_dim, degree>(r, c);
          constexpr int transposed =
            entry_at<typename Matrix::Kind, Matrix::matrix_dim, degree>(c, r);
          if constexpr (entry >= 0)
            sum = sum + table_entry<Matrix::offset + entry>() * x[c];
          if constexpr (transposed >= 0)
            sum = sum + table_entry<Matrix::offset + transposed>() * x[c];
        });
        to[r] = to[r] + coefficient * sum;
      });
    }

    /// \f$ \sum_m M_{row,m} x_m \f$
    template <typename Matrix, typename Row>
    SALTUS_HOST_DEVICE
    T
    row_sum(const Matrix, const Row, const T *x) const
    {
      T sum = T(Number(0));
      for_entries<Matrix, Row::value>([&](const auto place, const auto m) SALTUS_INLINE_LAMBDA {
        sum = sum + table_entry<place.value>() * x[m.value];
      });
      return sum;
    }

    /// `to_m += M_{row,m} x`
    template <typename Matrix, typename Row>
    SALTUS_HOST_DEVICE
    void
    add_row(const Matrix, const Row, const T &x, T *to) const
    {
      for_entries<Matrix, Row::value>([&](const auto place, const auto m) SALTUS_INLINE_LAMBDA {
        to[m.value] = to[m.value] + table_entry<place.value>() * x;
      });
    }

    /// Add values and derivatives towards the apex, on the face, in its modes.
    /// @param modes the modes of the elements, by number
    template <typename Modes, typename Face>
    SALTUS_HOST_DEVICE
    void
    add_trace(const Modes &modes, const Face &face, T *values, T *slopes)
    {
      entries = read_again(entries);
      static_for<degree + 1>([&](auto block) SALTUS_INLINE_LAMBDA {
        constexpr int n = decltype(block)::value, first = first_mode_of_degree<dim>(n);
        constexpr int size = first_mode_of_degree<dim>(n + 1) - first;
        T             a[size];
        static_for<size>([&](auto m) SALTUS_INLINE_LAMBDA { a[m.value] = modes(first + m.value); });
        change_sign<n>(face, a);
        static_for<dim - 1>([&](auto level) SALTUS_INLINE_LAMBDA {
          swap_vertices<decltype(level)::value, n>(face, a);
        });
        static_for<size>([&](auto m) SALTUS_INLINE_LAMBDA {
          constexpr auto mode  = BaseMode<first + decltype(m)::value>();
          values[mode.on_face] = values[mode.on_face] + table_entry<mode.trace>() * a[m.value];
          slopes[mode.on_face] = slopes[mode.on_face] + table_entry<mode.slope>() * a[m.value];
        });
      });
    }

    /// The transposed of add_trace(), added to the modes @p to of the elements.
    template <typename Face>
    SALTUS_HOST_DEVICE
    void
    add_transposed_trace(const Face &face, const T *values, const T *slopes, T *to)
    {
      entries = read_again(entries);
      static_for<degree + 1>([&](auto block) SALTUS_INLINE_LAMBDA {
        constexpr int n = decltype(block)::value, first = first_mode_of_degree<dim>(n);
        constexpr int size = first_mode_of_degree<dim>(n + 1) - first;
        T             a[size];
        static_for<size>([&](auto m) SALTUS_INLINE_LAMBDA {
          constexpr auto mode = BaseMode<first + decltype(m)::value>();
          a[m.value]          = table_entry<mode.trace>() * values[mode.on_face] +
                       table_entry<mode.slope>() * slopes[mode.on_face];
        });
        static_for<dim - 1>([&](auto level) SALTUS_INLINE_LAMBDA {
          swap_vertices<dim - 2 - decltype(level)::value, n>(face, a);
        });
        change_sign<n>(face, a);
        static_for<size>([&](auto m) SALTUS_INLINE_LAMBDA {
          to[first + m.value] = to[first + m.value] + a[m.value];
        });
      });
    }

    /// From the corners of the face as the outside counts them to this side's; and the sign of
    /// mirror images.
    /// @tparam highest degree of the functions
    template <int highest = degree, typename... Modes>
    SALTUS_HOST_DEVICE
    void
    turn_to_this_side(const Code &code, Modes *...functions) const
    {
      const SignMask<T> all(code.changes_sign()),
        odd_first(code.changes_sign() ^ code.swaps_first()), odd_last(code.swaps_last());
      const T    swapped = LaneWords<T>::numbers(code.swaps_middle());
      const auto turn    = [&](T *a) SALTUS_INLINE_LAMBDA {
        static_for<highest + 1>([&](auto block) SALTUS_INLINE_LAMBDA {
          constexpr int n     = decltype(block)::value;
          constexpr int first = first_mode_of_degree<face_dim>(n);
          static_for<first_mode_of_degree<face_dim>(n + 1) - first>(
            [&](auto m) SALTUS_INLINE_LAMBDA {
              constexpr int  number = first + decltype(m)::value;
              constexpr bool odd    = mode_indices<face_dim>(number).n[0] % 2 == 1;
              a[number]             = flip_sign(a[number], odd ? odd_first : all);
            });
          if constexpr (face_dim == 2)
            {
              swap_vertices<face_dim, 0, n>(a + first, swapped);
              for_odd_modes<face_dim, n>([&](auto m) SALTUS_INLINE_LAMBDA {
                a[first + m.value] = flip_sign(a[first + m.value], odd_last);
              });
            }
        });
      };
      (turn(functions), ...);
    }

    const Entries *entries;

  private:
    template <typename Matrix, int row>
    static constexpr int
    first_entry_of()
    {
      return first_entry<typename Matrix::Kind, Matrix::matrix_dim, degree>(row);
    }

    template <typename Matrix, int row>
    static constexpr int
    n_in_row()
    {
      return first_entry_of<Matrix, row + 1>() - first_entry_of<Matrix, row>();
    }

    /// `body(place, m)` for all entries of a row: where it stands, and its column.
    template <typename Matrix, int row, typename Body>
    SALTUS_HOST_DEVICE
    static void
    for_entries(const Body &body)
    {
      static_for<n_in_row<Matrix, row>()>([&](auto i) SALTUS_INLINE_LAMBDA {
        constexpr int entry = first_entry_of<Matrix, row>() + decltype(i)::value;
        constexpr int m = column_of_entry<typename Matrix::Kind, Matrix::matrix_dim, degree>(entry);
        body(std::integral_constant<int, Matrix::offset + entry>(),
             std::integral_constant<int, m>());
      });
    }

    /// What the base sees of a mode: positions in the table, and the face's mode.
    template <int number>
    struct BaseMode
    {
      static constexpr ModeIndices<dim>
      indices()
      {
        return mode_indices<dim>(number);
      }

      static constexpr int
      face_mode()
      {
        ModeIndices<face_dim> result;
        for (int d = 0; d < face_dim; ++d)
          result.n[d] = indices().n[d];
        return mode_number(result);
      }

      static constexpr int entry =
        layout.trace_entry(indices().sum(face_dim), indices().n[face_dim]);
      static constexpr int trace   = layout.trace + entry;
      static constexpr int slope   = layout.slope + entry;
      static constexpr int on_face = face_mode();
    };

    /// Swap the vertices 0 and 1: of the modes @p a of degree @p n.
    template <int n, typename Face>
    SALTUS_HOST_DEVICE
    void
    change_sign(const Face &face, T *a) const
    {
      for_odd_modes<dim, n>([&](auto m)
                              SALTUS_INLINE_LAMBDA { a[m.value] = face.with_sign(a[m.value]); });
    }

    /// The modes of degree @p n whose first index is odd, counted among those of that degree.
    template <int mode_dim, int n, typename Body>
    SALTUS_HOST_DEVICE
    static void
    for_odd_modes(const Body &body)
    {
      constexpr int first = first_mode_of_degree<mode_dim>(n);
      static_for<first_mode_of_degree<mode_dim>(n + 1) - first>([&](auto m) SALTUS_INLINE_LAMBDA {
        if constexpr (mode_indices<mode_dim>(first + decltype(m)::value).n[0] % 2 == 1)
          body(m);
      });
    }

    /// Swap the vertices `level + 1` and `level + 2` where @p face needs it.
    template <int level, int n, typename Face>
    SALTUS_HOST_DEVICE
    void
    swap_vertices(const Face &face, T *a) const
    {
      face.template swap<level>(
        [&](const auto &amount) SALTUS_INLINE_LAMBDA { swap_vertices<dim, level, n>(a, amount); });
    }

    /// @param a modes of degree @p n in @p mode_dim dimensions
    /// @param amount as above
    template <int mode_dim, int level, int n, typename Amount>
    SALTUS_HOST_DEVICE
    void
    swap_vertices(T *a, const Amount &amount) const
    {
      // Modes differ in the indices level and level + 1 only within a group; the third index, if
      // there is one, counts the groups. A group of one mode stays as it is.
      static_for<(mode_dim == 2 ? 1 : n)>([&](auto group) SALTUS_INLINE_LAMBDA {
        constexpr int other = decltype(group)::value, size = n - other + 1;
        if constexpr (size > 1)
          {
            T change[size]; // or the new values, if all change
            static_for<size>([&](auto row) SALTUS_INLINE_LAMBDA {
              constexpr int r = decltype(row)::value;
              if constexpr (std::is_same_v<Amount, Always>)
                change[r] = T(Number(0));
              else
                change[r] = -a[in_group<mode_dim, level, n>(other, r)];
              static_for<size>([&](auto column) SALTUS_INLINE_LAMBDA {
                constexpr int c = decltype(column)::value;
                constexpr int m = in_group<mode_dim, level, n>(other, c);
                // The block is symmetric: half of it leaves room in the cache of constants.
                constexpr int entry = layout.swap_block(level, level == 0 ? 0 : other, size - 1) +
                                      (r < c ? r * size + c : c * size + r);
                change[r] = change[r] + table_entry<entry>() * a[m];
              });
            });
            static_for<size>([&](auto row) SALTUS_INLINE_LAMBDA {
              constexpr int m = in_group<mode_dim, level, n>(other, decltype(row)::value);
              if constexpr (std::is_same_v<Amount, Always>)
                a[m] = change[row.value];
              else
                a[m] = a[m] + amount * change[row.value];
            });
          }
      });
    }

    /// The mode of degree @p n with the index @p i in direction @p level, counted among those of
    /// that degree.
    template <int mode_dim, int level, int n>
    static constexpr int
    in_group(const int other, const int i)
    {
      ModeIndices<mode_dim> mode;
      if constexpr (mode_dim == 3)
        mode.n[level == 0 ? 2 : 0] = other;
      mode.n[level]     = i;
      mode.n[level + 1] = n - other - i;
      return mode_number(mode) - first_mode_of_degree<mode_dim>(n);
    }
  };
} // namespace Saltus

#endif
