// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/solvers/multigrid/spread_level.h>

#include <numeric>

namespace Saltus
{
  namespace
  {
    /// Of all contributions, the rank's own and those that it receives: to which of its unknowns
    /// they belong.
    std::vector<std::size_t>
    unknowns_of_contributions(const LevelPart &part)
    {
      std::vector<std::size_t> result(part.n_own());
      std::iota(result.begin(), result.end(), std::size_t(0));
      result.insert(result.end(), part.received.begin(), part.received.end());
      return result;
    }

    /// The transpose of the prolongation to the unknowns that a rank owns: what it contributes to a
    /// coarse right-hand side.
    CompressedRows
    restriction(const LevelPart &part)
    {
      const CompressedRows &all = part.prolongation;
      std::vector<bool>     is_owned(all.n_rows());
      for (const std::size_t i : part.owned)
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
    const auto        of_contributions = unknowns_of_contributions(part);
    const std::size_t n = part.matrix.n_rows(), n_contributions = of_contributions.size();
    const auto        matrix = [&](const CompressedRows &rows) {
      return SparseMatrix<Number>(device, rows);
    };
    level.matrix       = matrix(part.matrix);
    level.prolongation = matrix(part.prolongation);
    level.restriction  = matrix(restriction(part));
    level.smoother.assign(part.smoother.begin(), part.smoother.end());
    level.b = level.x = level.residual = total = algebraic_vector<Number>(device, n);

    contributions = algebraic_vector<Number>(device, n_contributions);
    sent          = algebraic_vector<Number>(device, part.sent.size());
    select_sent   = matrix(CompressedRows::selection(part.sent, n_contributions));
    add_up        = matrix(CompressedRows::selection(of_contributions, n).transpose());
    select_owned =
      matrix(CompressedRows::selection(part.owned, n).with_rows_at(part.owned, n_contributions));
    messages = std::make_unique<RankMessages<Number>>(
      partition, device, sent.data(), part.to, contributions.data() + part.n_own(), part.from);
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
