// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_sparse_modal_tables_h
#define saltus_fe_sparse_modal_tables_h

#include <saltus/fe/modal_integrals.h>

#ifndef __CUDACC_RTC__
#  include <vector>
#endif

namespace Saltus
{
  /// Sum of the squares of 1, ..., @p n.
  constexpr int
  sum_of_squares(const int n)
  {
    return n * (n + 1) * (2 * n + 1) / 6;
  }

  /// Matrices in the basis SimplexModalPolynomials from which operators with exact integrals are
  /// made, without their zeros, one after the other in an array. This says where each begins.
  ///
  /// Modes of a face are those of SimplexModalPolynomials in one dimension less, with mean square
  /// 1; the corners of a face are the element's in ascending order. The face opposite the last
  /// vertex is the base. An element is seen from another face by renumbering its vertices, one
  /// swap of neighbouring numbers after the other: a swap of the vertices 0 and 1 is a change of
  /// sign of the modes with odd n_0, the next ones couple few modes of the same degree.
  template <int dim>
  struct SparseModalLayout
  {
    static constexpr int face_dim = dim - 1;

    constexpr explicit SparseModalLayout(const int degree)
      : degree(degree)
    {
      int next = 0;
      for (int a = 0; a < dim; ++a)
        {
          derivative[a] = next;
          next += a == 0   ? n_entries<DerivativeMatrix<dim, 0>, dim>(degree)
                  : a == 1 ? n_entries<DerivativeMatrix<dim, 1>, dim>(degree)
                           : n_entries<DerivativeMatrix<dim, dim - 1>, dim>(degree);
        }
      for (int level = 0; level < dim - 1; ++level)
        {
          swap[level] = next;
          for (int m = 0; m <= (level == 0 ? 0 : degree); ++m)
            next += sum_of_squares(degree - m + 1);
        }
      trace = next;
      next += (degree + 1) * (degree + 2) / 2;
      slope = next;
      next += (degree + 1) * (degree + 2) / 2;
      radial = next;
      next += n_entries<RadialMatrix<face_dim>, face_dim>(degree);
      for (int a = 0; a < face_dim; ++a)
        {
          face_derivative[a] = next;
          next += a == 0 ? n_entries<DerivativeMatrix<face_dim, 0>, face_dim>(degree)
                         : n_entries<DerivativeMatrix<face_dim, face_dim - 1>, face_dim>(degree);
        }
      size = next;
    }

    int degree;
    int derivative[dim]           = {}; ///< DerivativeMatrix of the element
    int swap[dim - 1]             = {}; ///< see swap_block()
    int trace                     = 0;  ///< `[m][k]`, see trace_entry()
    int slope                     = 0;  ///< likewise
    int radial                    = 0;  ///< RadialMatrix of a face
    int face_derivative[face_dim] = {}; ///< DerivativeMatrix of a face
    int size                      = 0;

    /// Swap of the vertices `level + 1` and `level + 2`: among the modes that differ in n_level and
    /// n_{level+1} only, whose sum is @p n, with the sum @p m of the indices before. A full matrix
    /// `[n_level][n_level]`, symmetric and orthogonal; it does not depend on later indices.
    constexpr int
    swap_block(const int level, const int m, const int n) const
    {
      int result = swap[level];
      for (int before = 0; before < m; ++before)
        result += sum_of_squares(degree - before + 1);
      return result + sum_of_squares(n);
    }

    /// On the base a mode with the last index @p k is the mode of the face with the other indices,
    /// whose sum is @p m, times the entry of `trace`. Its derivative along the vector from the
    /// point on the base to the apex is the same mode times the entry of `slope`.
    constexpr int
    trace_entry(const int m, const int k) const
    {
      return m * (degree + 1) - m * (m - 1) / 2 + k;
    }
  };

  /// Multiplications and additions with these matrices that the interior penalty form takes an
  /// element; see SparseLaplaceElement.
  template <int dim>
  constexpr double
  sparse_laplace_flops(const int degree)
  {
    const SparseModalLayout<dim> layout(degree);
    // A swap takes as much on every level. Faces up to `level + 1` need that level, for values from
    // either side and for the result.
    double swaps = 0;
    for (int n = 0; n <= (dim == 2 ? 0 : degree); ++n)
      for (int level = 0; level < dim - 1; ++level)
        swaps += 3. * (level + 2) * sum_of_squares(degree - n + 1);
    const double volume   = 2. * layout.swap[0]; // gradients, and their transposed
    const double traces   = 3. * 2. * Simplex<dim>::n_modes(degree);
    const double on_faces = 3. * (layout.size - layout.radial) +
                            (dim == 2 ? 0. : 2. * sum_of_squares(degree + 1)) +
                            6. * Simplex<dim - 1>::n_modes(degree);
    return 2. * (volume + swaps + Simplex<dim>::n_faces * (traces + on_faces));
  }

  /// The entries, in this layout, found by the compiler.
  template <int dim, int degree>
  class SparseModalTables
  {
    static constexpr int face_dim = dim - 1;

  public:
    static constexpr SparseModalLayout<dim> layout = SparseModalLayout<dim>(degree);

    constexpr SparseModalTables()
    {
      const ModalIntegrals<dim, degree>      integrals;
      const ModalIntegrals<face_dim, degree> face_integrals;
      append_derivative<dim, 0>(layout.derivative[0], integrals);
      append_derivative<dim, 1>(layout.derivative[1], integrals);
      append_derivative<face_dim, 0>(layout.face_derivative[0], face_integrals);
      if constexpr (dim == 3)
        {
          append_derivative<dim, 2>(layout.derivative[2], integrals);
          append_derivative<face_dim, 1>(layout.face_derivative[1], face_integrals);
        }
      append<RadialMatrix<face_dim>, face_dim>(layout.radial,
                                               [&](const auto &row, const auto &column) {
                                                 return face_integrals.radial(row, column);
                                               });
      append_swaps();
      append_traces();
    }

    double entries[layout.size] = {};

  private:
    /// @param entry from the indices of its row and its column
    template <typename Matrix, int matrix_dim, typename Entry>
    constexpr void
    append(int next, const Entry &entry)
    {
      const ModeList<matrix_dim> list(degree);
      for (int row = 0; row < Matrix::n_rows(degree); ++row)
        for (int column = 0; column < Simplex<matrix_dim>::n_modes(degree); ++column)
          if (Matrix::couples(list.modes[row], list.modes[column]))
            entries[next++] = entry(list.modes[row], list.modes[column]);
    }

    template <int matrix_dim, int direction>
    constexpr void
    append_derivative(const int start, const ModalIntegrals<matrix_dim, degree> &integrals)
    {
      append<DerivativeMatrix<matrix_dim, direction>, matrix_dim>(
        start, [&](const auto &row, const auto &column) {
          return integrals.derivative(direction, row, column);
        });
    }

    constexpr void
    append_swaps()
    {
      const SwapIntegrals<degree> swap;
      for (int level = 0; level < dim - 1; ++level)
        for (int m = 0; m <= (level == 0 ? 0 : degree); ++m)
          for (int n = 0; n <= degree - m; ++n)
            {
              int next = layout.swap_block(level, m, n);
              for (int row = 0; row <= n; ++row)
                for (int column = 0; column <= n; ++column)
                  entries[next++] = swap(level, m, n, row, column);
            }
    }

    constexpr void
    append_traces()
    {
      // The mean square of the element's modes is one over its volume, not 1.
      const double norm = square_root(dim == 2 ? 2. : 6.);
      for (int m = 0; m <= degree; ++m)
        for (int k = 0; k <= degree - m; ++k)
          {
            const ValueAndSlope factor    = modal_factor(face_dim, m, k, -1.);
            const int           entry     = layout.trace_entry(m, k);
            entries[layout.trace + entry] = norm * factor.value;
            entries[layout.slope + entry] = norm * 2. * factor.slope;
          }
    }
  };

  template <int dim, int degree>
  inline constexpr SparseModalTables<dim, degree> compiled_modal_tables;

#ifndef __CUDACC_RTC__
  /// The same when the program runs.
  template <int dim>
  std::vector<double>
  sparse_modal_tables(const int degree);
#endif
} // namespace Saltus

#endif
