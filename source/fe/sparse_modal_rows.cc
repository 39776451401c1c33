// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/sparse_modal_rows.h>
#include <saltus/fe/sparse_modal_tables.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace Saltus
{
  namespace
  {
    /// A sparse matrix while it is made: the entries of each row by column.
    using Rows = std::vector<std::map<int, double>>;

    Rows
    transposed(const Rows &matrix, const int n_columns)
    {
      Rows result(n_columns);
      for (std::size_t row = 0; row < matrix.size(); ++row)
        for (const auto &[column, entry] : matrix[row])
          result[column][row] = entry;
      return result;
    }

    Rows
    plus_transposed(const Rows &matrix, const int n)
    {
      Rows result = transposed(matrix, n);
      for (std::size_t row = 0; row < matrix.size(); ++row)
        for (const auto &[column, entry] : matrix[row])
          result[row][column] += entry;
      return result;
    }

    /// The matrices of a degree, and the memory that they point to.
    template <int dim, typename Number>
    class RowsOfDegree
    {
      static constexpr int face_dim = dim - 1;

    public:
      explicit RowsOfDegree(const int degree)
        : degree(degree)
        , layout(degree)
        , table(sparse_modal_tables<dim>(degree))
      {
        rows.n_modes       = Simplex<dim>::n_modes(degree);
        rows.n_face_modes  = Simplex<face_dim>::n_modes(degree);
        rows.n_lower_modes = Simplex<dim>::n_modes(degree - 1);
        set_derivatives();
        set_swaps();
        set_traces();
        set_face_matrices();
      }

      SparseModalRows<dim, Number> rows;

    private:
      void
      set_derivatives()
      {
        Rows divergence(rows.n_modes);
        for (int d = 0; d < dim; ++d)
          {
            const Rows derivative = derivative_of<dim>(d, layout.derivative[d]);
            rows.derivative[d]    = keep(derivative);
            for (int row = 0; row < rows.n_lower_modes; ++row)
              for (const auto &[column, entry] : derivative[row])
                divergence[column][d * rows.n_lower_modes + row] = entry;
          }
        rows.divergence = keep(divergence);
      }

      void
      set_swaps()
      {
        for (int level = 0; level < dim - 1; ++level)
          rows.swap[level] = swap_of<dim>(level);
        if constexpr (face_dim == 2)
          rows.face_swap = swap_of<face_dim>(0);
        rows.odd      = odd_modes<dim>();
        rows.face_odd = odd_modes<face_dim>();
      }

      void
      set_traces()
      {
        Rows                trace(rows.n_face_modes), slope(rows.n_face_modes);
        std::vector<int>    on_face;
        std::vector<Number> of_mode[2];
        for (int m = 0; m < rows.n_modes; ++m)
          {
            const auto            mode = mode_indices<dim>(m);
            ModeIndices<face_dim> of_face;
            for (int d = 0; d < face_dim; ++d)
              of_face.n[d] = mode.n[d];
            const int row   = mode_number(of_face);
            const int entry = layout.trace_entry(mode.sum(face_dim), mode.n[face_dim]);
            trace[row][m]   = table[layout.trace + entry];
            slope[row][m]   = table[layout.slope + entry];
            on_face.push_back(row);
            of_mode[0].push_back(Number(trace[row][m]));
            of_mode[1].push_back(Number(slope[row][m]));
          }
        rows.trace         = keep(trace);
        rows.slope         = keep(slope);
        rows.on_face       = keep(on_face);
        rows.trace_of_mode = keep(of_mode[0]);
        rows.slope_of_mode = keep(of_mode[1]);
      }

      void
      set_face_matrices()
      {
        const int  n          = rows.n_face_modes;
        const Rows radial     = matrix_of<RadialMatrix<face_dim>, face_dim>(layout.radial);
        rows.radial           = keep(radial);
        rows.symmetric_radial = keep(plus_transposed(radial, n));
        for (int d = 0; d < face_dim; ++d)
          {
            const Rows derivative        = derivative_of<face_dim>(d, layout.face_derivative[d]);
            rows.face_derivative[d]      = keep(derivative);
            rows.symmetric_derivative[d] = keep(plus_transposed(derivative, n));
          }
      }

      /// The matrix whose entries begin at @p next in the table.
      template <typename Matrix, int matrix_dim>
      Rows
      matrix_of(int next) const
      {
        Rows result(Matrix::n_rows(degree));
        for (int row = 0; row < Matrix::n_rows(degree); ++row)
          for (int column = 0; column < Simplex<matrix_dim>::n_modes(degree); ++column)
            if (Matrix::couples(mode_indices<matrix_dim>(row), mode_indices<matrix_dim>(column)))
              result[row][column] = table[next++];
        return result;
      }

      template <int matrix_dim>
      Rows
      derivative_of(const int direction, const int start) const
      {
        if (direction == 0)
          return matrix_of<DerivativeMatrix<matrix_dim, 0>, matrix_dim>(start);
        if (direction + 1 == matrix_dim)
          return matrix_of<DerivativeMatrix<matrix_dim, matrix_dim - 1>, matrix_dim>(start);
        return matrix_of<DerivativeMatrix<matrix_dim, 1>, matrix_dim>(start);
      }

      /// Modes that differ in the indices @p level and level + 1 only, with the same sum, are a
      /// block.
      template <int swap_dim>
      SymmetricBlocks<Number>
      swap_of(const int level)
      {
        std::vector<typename SymmetricBlocks<Number>::Part> parts;
        std::vector<int>                                    modes;
        std::vector<Number>                                 entries;
        for (int n = 0; n <= degree; ++n)
          {
            parts.push_back({0, n + 1});
            for (int m = 0; m < Simplex<swap_dim>::n_modes(degree); ++m)
              {
                auto mode = mode_indices<swap_dim>(m);
                if (mode.n[level] != 0 || mode.n[level + 1] != n)
                  continue;
                ++parts.back().n_blocks;
                const int first = layout.swap_block(level, mode.sum(level), n);
                for (int i = 0; i < (n + 1) * (n + 1); ++i)
                  entries.push_back(Number(table[first + i]));
                for (int i = 0; i <= n; ++i)
                  {
                    mode.n[level]     = i;
                    mode.n[level + 1] = n - i;
                    modes.push_back(mode_number(mode));
                  }
              }
          }
        return {degree + 1, keep(parts), keep(modes), keep(entries)};
      }

      template <int modes_dim>
      ModeNumbers
      odd_modes()
      {
        std::vector<int> numbers;
        for (int m = 0; m < Simplex<modes_dim>::n_modes(degree); ++m)
          if (mode_indices<modes_dim>(m).n[0] % 2 == 1)
            numbers.push_back(m);
        return {int(numbers.size()), keep(numbers)};
      }

      SparseRows<Number>
      keep(const Rows &matrix)
      {
        std::map<std::size_t, std::vector<int>> rows_by_size;
        for (std::size_t row = 0; row < matrix.size(); ++row)
          rows_by_size[matrix[row].size()].push_back(row);

        std::vector<typename SparseRows<Number>::Part> parts;
        std::vector<int>                               in_order, columns;
        std::vector<Number>                            entries;
        for (const auto &[size, numbers] : rows_by_size)
          {
            parts.push_back({int(numbers.size()), int(size)});
            for (const int row : numbers)
              {
                in_order.push_back(row);
                for (const auto &[column, entry] : matrix[row])
                  {
                    columns.push_back(column);
                    entries.push_back(Number(entry));
                  }
              }
          }
        return {int(parts.size()), keep(parts), keep(in_order), keep(columns), keep(entries)};
      }

      template <typename T>
      const T *
      keep(const std::vector<T> &values)
      {
        auto memory = std::make_shared<std::vector<T>>(values);
        kept.push_back(memory);
        return memory->data();
      }

      const int                          degree;
      const SparseModalLayout<dim>       layout;
      const std::vector<double>          table;
      std::vector<std::shared_ptr<void>> kept; ///< what `rows` points to
    };
  } // namespace

  template <int dim, typename Number>
  const SparseModalRows<dim, Number> &
  sparse_modal_rows(const int degree)
  {
    static std::mutex                               mutex;
    static std::map<int, RowsOfDegree<dim, Number>> made;
    const std::lock_guard<std::mutex>               lock(mutex);
    return made.try_emplace(degree, degree).first->second.rows;
  }

  template const SparseModalRows<2, double> &
  sparse_modal_rows(const int);
  template const SparseModalRows<2, float> &
  sparse_modal_rows(const int);
  template const SparseModalRows<3, double> &
  sparse_modal_rows(const int);
  template const SparseModalRows<3, float> &
  sparse_modal_rows(const int);
} // namespace Saltus
