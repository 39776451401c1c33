// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/solvers/spread_level.h>

#include <numeric>

namespace Saltus
{
  namespace
  {
    /// Ones at the places `(rows[k], columns[k])`.
    CompressedRows
    ones(const std::size_t       n_rows,
         const std::size_t       n_columns,
         const std::vector<int> &rows,
         const std::vector<int> &columns)
    {
      std::vector<std::size_t> sizes(n_rows);
      for (const int row : rows)
        ++sizes[row];
      CompressedRows           result = CompressedRows::with_row_sizes(sizes, n_columns);
      std::vector<std::size_t> next   = result.row_starts;
      for (std::size_t k = 0; k < rows.size(); ++k)
        result.columns[next[rows[k]]++] = columns[k];
      result.values.assign(result.n_nonzeros(), 1.);
      return result;
    }

    std::vector<int>
    range(const std::size_t begin, const std::size_t end)
    {
      std::vector<int> numbers(end - begin);
      std::iota(numbers.begin(), numbers.end(), begin);
      return numbers;
    }

    std::vector<int>
    joined(std::vector<int> a, const std::vector<int> &b)
    {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    }

    /// The transpose of the prolongation to the unknowns that a rank owns: what it contributes to a
    /// coarse right-hand side.
    CompressedRows
    restriction(const LevelPart &part)
    {
      const CompressedRows &all = part.prolongation;
      std::vector<bool>     is_owned(all.n_rows());
      for (const int i : part.owned)
        is_owned[i] = true;
      CompressedRows rows;
      rows.n_columns = all.n_columns;
      for (std::size_t i = 0; i < all.n_rows(); ++i)
        {
          for (std::size_t k = all.row_starts[i]; is_owned[i] && k < all.row_starts[i + 1]; ++k)
            rows.add(all.columns[k], all.values[k]);
          rows.finish_row();
        }
      return rows.transpose();
    }
  } // namespace

  template <typename Number>
  SpreadLevel<Number>::SpreadLevel(const std::shared_ptr<const ElementPartition> &partition,
                                   const Device                                   device,
                                   const LevelPart                               &part)
  {
    const std::size_t n = part.matrix.n_rows(), n_own = part.n_own(), n_sent = part.sent.size(),
                      n_contributions = n_own + part.received.size();
    const auto matrix                 = [&](const CompressedRows &rows) {
      return SparseMatrix<Number>(device, rows);
    };
    level.matrix       = matrix(part.matrix);
    level.prolongation = matrix(part.prolongation);
    level.restriction  = matrix(restriction(part));
    level.smoother.assign(part.smoother.begin(), part.smoother.end());
    level.b = level.x = level.residual = total = algebraic_vector<Number>(device, n);

    contributions = algebraic_vector<Number>(device, n_contributions);
    sent          = algebraic_vector<Number>(device, n_sent);
    select_sent   = matrix(ones(n_sent, n_contributions, range(0, n_sent), part.sent));
    add_up        = matrix(
      ones(n, n_contributions, joined(range(0, n_own), part.received), range(0, n_contributions)));
    select_owned = matrix(ones(n_contributions, n, part.owned, part.owned));
    messages     = std::make_unique<RankMessages<Number>>(
      partition, device, sent.data(), part.to, contributions.data() + n_own, part.from);
  }

  template <typename Number>
  void
  SpreadLevel<Number>::exchange()
  {
    select_sent.vmult(sent, contributions);
    messages->start();
    messages->finish();
    add_up.vmult(level.b, contributions);
  }

  template <typename Number>
  const Vector<Number> &
  SpreadLevel<Number>::solve(const unsigned int           n_cycles,
                             Vector<Number>              &coarse,
                             const std::function<void()> &solve_coarse)
  {
    for (unsigned int cycle = 0; cycle < n_cycles; ++cycle)
      {
        if (cycle > 0)
          {
            level.matrix.residual(level.residual, level.x, level.b);
            select_owned.vmult(contributions, level.residual);
          }
        exchange();
        level.descend(coarse);
        solve_coarse();
        level.ascend(coarse);
        if (cycle == 0)
          total = level.x;
        else
          total += level.x;
      }
    return total;
  }

  template <typename Number>
  std::size_t
  SpreadLevel<Number>::memory_consumption() const
  {
    std::size_t n_bytes = level.memory_consumption();
    for (const auto *matrix : {&select_sent, &add_up, &select_owned})
      n_bytes += matrix->memory_consumption();
    for (const auto *vector : {&contributions, &sent, &total})
      n_bytes += vector->data_size() * sizeof(Number);
    return n_bytes;
  }

  template class SpreadLevel<double>;
  template class SpreadLevel<float>;
} // namespace Saltus
