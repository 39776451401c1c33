// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_sparse_modal_tables_h
#define saltus_fe_sparse_modal_tables_h

#include <saltus/fe/modal_structure.h>

#include <vector>

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

  /// The entries, in this layout.
  template <int dim>
  std::vector<double>
  sparse_modal_tables(const int degree);
} // namespace Saltus

#endif
