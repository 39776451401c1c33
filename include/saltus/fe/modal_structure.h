// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_modal_structure_h
#define saltus_fe_modal_structure_h

#include <saltus/fe/simplex.h>

/// Which entries of matrices in the basis SimplexModalPolynomials are not zero, known at compile
/// time. The indices (n_0, ..., n_{dim-1}) of a mode are those of that class: a product of
/// polynomials in collapsed coordinates, whose apex is the simplex's last vertex.
namespace Saltus
{
  template <int dim>
  struct ModeIndices
  {
    int n[dim] = {};

    /// Of the first @p count indices.
    constexpr int
    sum(const int count) const
    {
      int result = 0;
      for (int d = 0; d < count; ++d)
        result += n[d];
      return result;
    }

    constexpr int
    degree() const
    {
      return sum(dim);
    }
  };

  /// Number of modes of degree less than @p degree: the first mode of that degree.
  template <int dim>
  constexpr int
  first_mode_of_degree(const int degree)
  {
    return degree == 0 ? 0 : Simplex<dim>::n_modes(degree - 1);
  }

  template <int dim>
  constexpr int
  mode_number(const ModeIndices<dim> &mode)
  {
    const int degree = mode.degree(), i = mode.n[0];
    int       result = first_mode_of_degree<dim>(degree);
    if (dim > 1)
      result += i;
    if constexpr (dim == 3)
      result += i * degree - i * (i - 1) / 2 + mode.n[1];
    return result;
  }

  template <int dim>
  constexpr ModeIndices<dim>
  mode_indices(const int number)
  {
    int degree = 0;
    while (first_mode_of_degree<dim>(degree + 1) <= number)
      ++degree;
    int              rest = number - first_mode_of_degree<dim>(degree);
    ModeIndices<dim> mode;
    if constexpr (dim == 3)
      for (; rest > degree; --degree)
        {
          rest -= degree + 1;
          ++mode.n[0];
        }
    if constexpr (dim > 1)
      mode.n[dim - 2] = rest;
    mode.n[dim - 1] = degree - rest;
    return mode;
  }

  /// Derivative in the direction from the mean of the vertices 0, ..., @p direction to the next
  /// vertex: expanded in the modes of one degree less, row by row.
  template <int dim, int direction>
  struct DerivativeMatrix
  {
    static constexpr int
    n_rows(const int degree)
    {
      return Simplex<dim>::n_modes(degree - 1);
    }

    static constexpr bool
    couples(const ModeIndices<dim> &row, const ModeIndices<dim> &column)
    {
      // Swapping the vertices 0 and 1 changes the sign of the first direction only.
      if ((column.n[0] - row.n[0]) % 2 != (direction == 0 ? 1 : 0))
        return false;
      for (int d = 0; d < dim; ++d)
        if (row.sum(d + 1) > column.sum(d + 1) - (d < direction ? 0 : 1))
          return false;
      return true;
    }
  };

  /// Derivative along the vector from a centre to the point where it is taken. The centre is the
  /// apex, in 1D the midpoint.
  template <int dim>
  struct RadialMatrix
  {
    static constexpr int
    n_rows(const int degree)
    {
      return Simplex<dim>::n_modes(degree);
    }

    static constexpr bool
    couples(const ModeIndices<dim> &row, const ModeIndices<dim> &column)
    {
      const int above = column.n[0] - row.n[0];
      return column.degree() > 0 && row.degree() <= column.degree() &&
             (dim == 1 ? above % 2 == 0 : above == 0);
    }
  };

  /// The modes up to a degree, which is at most 8 on triangles and 6 on tetrahedra.
  template <int dim>
  struct ModeList
  {
    static constexpr int max_size = dim == 3 ? 84 : dim == 2 ? 45 : 9;

    constexpr explicit ModeList(const int degree)
    {
      for (int m = 0; m < Simplex<dim>::n_modes(degree); ++m)
        modes[m] = mode_indices<dim>(m);
    }

    ModeIndices<dim> modes[max_size] = {};
  };

  /// Number of entries of a matrix for modes up to a degree that may differ from 0.
  template <typename Matrix, int dim>
  constexpr int
  n_entries(const int degree)
  {
    const ModeList<dim> list(degree);
    int                 result = 0;
    for (int row = 0; row < Matrix::n_rows(degree); ++row)
      for (int column = 0; column < Simplex<dim>::n_modes(degree); ++column)
        result += Matrix::couples(list.modes[row], list.modes[column]);
    return result;
  }

  template <int n_rows, int n_entries>
  struct SparsityPattern
  {
    int start[n_rows + 1] = {}; ///< where a row begins
    int column[n_entries] = {};
  };

  template <typename Matrix, int dim, int degree>
  constexpr auto
  make_sparsity_pattern()
  {
    SparsityPattern<Matrix::n_rows(degree), n_entries<Matrix, dim>(degree)> result;
    const ModeList<dim>                                                     list(degree);
    int                                                                     entry = 0;
    for (int row = 0; row < Matrix::n_rows(degree); ++row)
      {
        result.start[row] = entry;
        for (int column = 0; column < Simplex<dim>::n_modes(degree); ++column)
          if (Matrix::couples(list.modes[row], list.modes[column]))
            result.column[entry++] = column;
      }
    result.start[Matrix::n_rows(degree)] = entry;
    return result;
  }

  template <typename Matrix, int dim, int degree>
  inline constexpr auto sparsity_pattern = make_sparsity_pattern<Matrix, dim, degree>();

  // Functions, since code for GPUs may not name the object.

  /// Number of the first entry of a row.
  template <typename Matrix, int dim, int degree>
  constexpr int
  first_entry(const int row)
  {
    return sparsity_pattern<Matrix, dim, degree>.start[row];
  }

  template <typename Matrix, int dim, int degree>
  constexpr int
  column_of_entry(const int entry)
  {
    return sparsity_pattern<Matrix, dim, degree>.column[entry];
  }

  /// Number of the entry in a row and a column, -1 if that is zero.
  template <typename Matrix, int dim, int degree>
  constexpr int
  entry_at(const int row, const int column)
  {
    if (row < Matrix::n_rows(degree))
      for (int entry = first_entry<Matrix, dim, degree>(row);
           entry < first_entry<Matrix, dim, degree>(row + 1);
           ++entry)
        if (column_of_entry<Matrix, dim, degree>(entry) == column)
          return entry;
    return -1;
  }
} // namespace Saltus

#endif
