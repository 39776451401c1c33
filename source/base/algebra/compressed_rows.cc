// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/algebra/compressed_rows.h>

#include <limits>
#include <numeric>

namespace Saltus
{
  void
  CompressedRows::check_32_bit(const std::size_t  n_rows,
                               const std::size_t  n_columns,
                               const std::size_t  n_nonzeros,
                               const std::string &name)
  {
    constexpr std::size_t largest = std::numeric_limits<int>::max();
    AssertThrow(n_rows <= largest && n_columns <= largest && n_nonzeros <= largest,
                dealii::ExcMessage(name + " may have " + std::to_string(largest) +
                                   " rows, columns and entries at most, not " +
                                   std::to_string(n_rows) + ", " + std::to_string(n_columns) +
                                   " and " + std::to_string(n_nonzeros) +
                                   ". Use a coarser mesh, or a preconditioner without a matrix."));
  }

  CompressedRows
  CompressedRows::placement(const std::vector<std::size_t> &positions, const std::size_t n_rows)
  {
    std::vector<std::size_t> all(positions.size());
    std::iota(all.begin(), all.end(), std::size_t(0));
    return selection(all, all.size()).with_rows_at(positions, n_rows);
  }

  CompressedRows
  CompressedRows::selection(const std::vector<std::size_t> &positions, const std::size_t n_columns)
  {
    CompressedRows result;
    result.n_columns = n_columns;
    for (const std::size_t position : positions)
      {
        result.add(position, 1.);
        result.finish_row();
      }
    return result;
  }

  CompressedRows
  CompressedRows::full(const std::size_t n_columns, const std::vector<double> &entries)
  {
    CompressedRows matrix;
    matrix.n_columns = n_columns;
    for (std::size_t i = 0; i < entries.size(); ++i)
      {
        matrix.add(i % n_columns, entries[i]);
        if ((i + 1) % n_columns == 0)
          matrix.finish_row();
      }
    return matrix;
  }

  CompressedRows
  CompressedRows::with_row_sizes(const std::vector<std::size_t> &sizes, const std::size_t n_columns)
  {
    const std::size_t n_nonzeros = std::accumulate(sizes.begin(), sizes.end(), std::size_t(0));
    check_32_bit(0, n_columns, 0, "A sparse matrix");
    CompressedRows result;
    result.n_columns = n_columns;
    result.row_starts.resize(sizes.size() + 1);
    std::partial_sum(sizes.begin(), sizes.end(), result.row_starts.begin() + 1);
    result.columns.resize(n_nonzeros);
    result.values.resize(n_nonzeros);
    return result;
  }

  void
  CompressedRows::append(const CompressedRows &other)
  {
    const std::size_t before = n_nonzeros();
    for (std::size_t row = 0; row < other.n_rows(); ++row)
      row_starts.push_back(before + other.row_starts[row + 1]);
    columns.insert(columns.end(), other.columns.begin(), other.columns.end());
    values.insert(values.end(), other.values.begin(), other.values.end());
  }

  CompressedRows
  CompressedRows::transpose() const
  {
    CompressedRows result;
    result.n_columns = n_rows();
    result.row_starts.assign(n_columns + 1, 0);
    result.columns.resize(n_nonzeros());
    result.values.resize(n_nonzeros());
    for (const int column : columns)
      ++result.row_starts[column + 1];
    std::partial_sum(result.row_starts.begin(), result.row_starts.end(), result.row_starts.begin());
    std::vector<std::size_t> next(result.row_starts.begin(), result.row_starts.end() - 1);
    for (std::size_t row = 0; row < n_rows(); ++row)
      for (std::size_t k = row_starts[row]; k < row_starts[row + 1]; ++k)
        {
          const std::size_t to = next[columns[k]]++;
          result.columns[to]   = row;
          result.values[to]    = values[k];
        }
    return result;
  }

  std::vector<double>
  CompressedRows::diagonal() const
  {
    std::vector<double> result(n_rows());
    for (std::size_t row = 0; row < n_rows(); ++row)
      for (std::size_t k = row_starts[row]; k < row_starts[row + 1]; ++k)
        if (static_cast<std::size_t>(columns[k]) == row)
          result[row] += values[k];
    return result;
  }

  void
  CompressedRows::scale(const std::vector<double> &row_factors,
                        const std::vector<double> &column_factors)
  {
    AssertDimension(row_factors.size(), n_rows());
    AssertDimension(column_factors.size(), n_columns);
    for (std::size_t row = 0; row < n_rows(); ++row)
      for (std::size_t k = row_starts[row]; k < row_starts[row + 1]; ++k)
        values[k] *= row_factors[row] * column_factors[columns[k]];
  }

  CompressedRows
  CompressedRows::with_rows_at(const std::vector<std::size_t> &positions,
                               const std::size_t               n_rows) const
  {
    AssertDimension(positions.size(), this->n_rows());
    constexpr std::size_t    none = -1;
    std::vector<std::size_t> source(n_rows, none);
    for (std::size_t row = 0; row < positions.size(); ++row)
      {
        AssertThrow(positions[row] < n_rows && source[positions[row]] == none,
                    dealii::ExcMessage("The positions of a matrix's rows must be different and "
                                       "less than the number of rows."));
        source[positions[row]] = row;
      }
    CompressedRows result;
    result.n_columns = n_columns;
    result.row_starts.reserve(n_rows + 1);
    result.columns.reserve(n_nonzeros());
    result.values.reserve(n_nonzeros());
    for (const std::size_t row : source)
      {
        if (row != none)
          for (std::size_t k = row_starts[row]; k < row_starts[row + 1]; ++k)
            result.add(columns[k], values[k]);
        result.finish_row();
      }
    return result;
  }
} // namespace Saltus
