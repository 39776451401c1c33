// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_compressed_rows_h
#define saltus_base_algebra_compressed_rows_h

#include <cstddef>
#include <string>
#include <vector>

namespace Saltus
{
  /// A sparse matrix in host memory, row by row: what a SparseMatrix is made from. Row i has the
  /// entries `row_starts[i]` to `row_starts[i + 1] - 1` of the arrays of columns and values.
  struct CompressedRows
  {
    std::size_t              n_columns  = 0;
    std::vector<std::size_t> row_starts = {0}; ///< number of rows plus one
    std::vector<int>         columns;
    std::vector<double>      values;

    /// The matrix whose column i is the unit vector of row `positions[i]`: it puts entry i of a
    /// vector at place `positions[i]` of an array of @p n_rows numbers.
    static CompressedRows
    placement(const std::vector<std::size_t> &positions, const std::size_t n_rows);

    /// Its transpose for such positions among @p n_columns, which may be repeated: the matrix whose
    /// row i takes entry `positions[i]` of a vector.
    static CompressedRows
    selection(const std::vector<std::size_t> &positions, const std::size_t n_columns);

    /// All entries of a matrix with @p n_columns columns, given as `[row][column]`.
    static CompressedRows
    full(const std::size_t n_columns, const std::vector<double> &entries);

    /// Rows of the given sizes, whose columns and values are to be filled in.
    /// @throws dealii::ExcMessage beyond \f$2^{31}-1\f$ columns
    static CompressedRows
    with_row_sizes(const std::vector<std::size_t> &sizes, const std::size_t n_columns);

    std::size_t
    n_rows() const
    {
      return row_starts.size() - 1;
    }

    std::size_t
    n_nonzeros() const
    {
      return columns.size();
    }

    /// A SparseMatrix and Trilinos' Epetra number entries, rows and columns with 32 bits: for the
    /// former larger numbers would be more memory to read in every product.
    /// @param name of the matrix or of who asks, for the message
    /// @throws dealii::ExcMessage if one of the counts is larger than \f$2^{31}-1\f$
    static void
    check_32_bit(const std::size_t  n_rows,
                 const std::size_t  n_columns,
                 const std::size_t  n_nonzeros,
                 const std::string &name);

    /// Append an entry to the row that is being built; finish_row() ends it.
    void
    add(const std::size_t column, const double value)
    {
      columns.push_back(column);
      values.push_back(value);
    }

    void
    finish_row()
    {
      row_starts.push_back(columns.size());
    }

    /// Append the rows of @p other.
    void
    append(const CompressedRows &other);

    CompressedRows
    transpose() const;

    /// The diagonal of a square matrix, 0 where there is no entry.
    std::vector<double>
    diagonal() const;

    /// Multiply entry (i, j) by `row_factors[i] * column_factors[j]`.
    void
    scale(const std::vector<double> &row_factors, const std::vector<double> &column_factors);

    /// Row i becomes row `positions[i]` of @p n_rows; all others are empty.
    CompressedRows
    with_rows_at(const std::vector<std::size_t> &positions, const std::size_t n_rows) const;
  };
} // namespace Saltus

#endif
