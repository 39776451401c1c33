// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/base/ranks/check_memory.h>
#include <saltus/base/ranks/collective.h>

#include <algorithm>
#include <limits>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Of the rows that belong to a rank's elements.
    std::shared_ptr<const ElementPartition>
    partition_of(const std::shared_ptr<const GhostElements> &ghosts, const std::size_t n_rows)
    {
      if (!ghosts)
        return nullptr;
      return std::make_shared<const ElementPartition>(ghosts->partition->communicator, n_rows, 0);
    }

    /// Nobody asks for less than this on one rank.
    constexpr std::size_t large = std::size_t(1) << 28;

    /// A pattern for whose values there is room.
    template <typename Number>
    const std::shared_ptr<const BlockSparsity> &
    with_room(const std::shared_ptr<const BlockSparsity> &sparsity, const Device device)
    {
      const std::size_t bytes = sparsity->n_values() * sizeof(Number);
      if (sparsity->ghosts || bytes >= large)
        check_memory(device,
                     sparsity->ghosts ? sparsity->ghosts->partition->communicator : MPI_COMM_SELF,
                     "A matrix of " + std::to_string(sparsity->n_rows()) + " rows in " +
                       std::to_string(sparsity->n_blocks()) + " blocks",
                     bytes);
      return sparsity;
    }
  } // namespace


  BlockSparsity::BlockSparsity(const std::vector<unsigned int>              &sizes,
                               const std::vector<std::vector<unsigned int>> &neighbors,
                               const std::shared_ptr<const GhostElements>   &ghosts)
    : ghosts(ghosts)
    , first_rows(1, 0)
    , row_starts(1, 0)
    , block_starts(1, 0)
  {
    std::size_t n_unknowns = 0, n = neighbors.size();
    for (const unsigned int size : sizes)
      n_unknowns += size;
    for (const auto &row : neighbors)
      n += row.size();
    const auto check_size = [&]() {
      constexpr std::size_t largest = std::numeric_limits<int>::max();
      AssertThrow(n_unknowns <= largest && n <= largest,
                  ExcMessage("A matrix of blocks with " + std::to_string(n_unknowns) + " rows in " +
                             std::to_string(n) + " blocks is too large: at most " +
                             std::to_string(largest) + " of both can be numbered."));
    };
    if (ghosts)
      on_all_ranks(ghosts->partition->communicator, check_size);
    else
      check_size();
    columns.reserve(n);
    block_starts.reserve(n + 1);
    for (const unsigned int size : sizes)
      first_rows.push_back(first_rows.back() + size);
    for (unsigned int e = 0; e < neighbors.size(); ++e)
      {
        const auto add = [&](const unsigned int column) {
          columns.push_back(column);
          // Every block begins where pairs of numbers do.
          const std::size_t size = static_cast<std::size_t>(sizes[e]) * sizes[column];
          block_starts.push_back(block_starts.back() + (size + 1) / 2 * 2);
        };
        for (const unsigned int neighbor : neighbors[e])
          add(neighbor);
        add(e);
        row_starts.push_back(columns.size());
      }
    partition = partition_of(ghosts, n_rows());
  }


  BlockSparsity::BlockSparsity(std::vector<int>                            first_rows,
                               std::vector<int>                            row_starts,
                               std::vector<int>                            columns,
                               std::vector<std::size_t>                    block_starts,
                               const std::shared_ptr<const GhostElements> &ghosts)
    : ghosts(ghosts)
    , first_rows(std::move(first_rows))
    , row_starts(std::move(row_starts))
    , columns(std::move(columns))
    , block_starts(std::move(block_starts))
  {
    partition = partition_of(ghosts, n_rows());
  }


  std::vector<unsigned int>
  BlockSparsity::sizes() const
  {
    std::vector<unsigned int> result;
    for (unsigned int e = 0; e + 1 < first_rows.size(); ++e)
      result.push_back(size(e));
    return result;
  }


  std::vector<std::size_t>
  BlockSparsity::names() const
  {
    std::vector<std::size_t> result;
    if (!ghosts)
      return result;
    std::vector<double> first; // of the elements
    for (unsigned int e = 0; e < n_elements(); ++e)
      first.push_back(partition->first_element + first_rows[e]);
    first = with_ghosts(ghosts, first);
    for (unsigned int e = 0; e < first.size(); ++e)
      for (unsigned int i = 0; i < size(e); ++i)
        result.push_back(first[e] + i);
    return result;
  }


  BlockSparsity
  BlockSparsity::diagonal() const
  {
    std::vector<unsigned int> of_elements = sizes();
    of_elements.resize(n_elements());
    BlockSparsity result(of_elements, std::vector<std::vector<unsigned int>>(n_elements()));
    result.partition = partition;
    return result;
  }


  template <typename Number>
  BlockCSRMatrix<Number>::BlockCSRMatrix(const std::shared_ptr<const BlockSparsity> &sparsity,
                                         const Device                                device)
    : pattern(with_room<Number>(sparsity, device))
    , first_rows(device, sparsity->first_rows)
    , row_starts(device, sparsity->row_starts)
    , columns(device, sparsity->columns)
    , block_starts(device, sparsity->block_starts)
    , values_(device, sparsity->n_values())
  {
    if (sparsity->ghosts)
      exchange = std::make_unique<ElementExchange<Number>>(
        *sparsity->ghosts,
        device,
        std::vector<std::size_t>(sparsity->first_rows.begin(), sparsity->first_rows.end()));
  }


  template <typename Number>
  BlockCSRArrays<Number>
  BlockCSRMatrix<Number>::arrays() const
  {
    return {
      first_rows.data(), row_starts.data(), columns.data(), block_starts.data(), values_.data()};
  }


  template <typename Number>
  void
  BlockCSRMatrix<Number>::vmult(Vector<Number> &dst, const Vector<Number> &src) const
  {
    apply(1, src, 0, src, dst);
  }


  template <typename Number>
  void
  BlockCSRMatrix<Number>::vmult_add(Vector<Number> &dst, const Vector<Number> &src) const
  {
    apply(1, src, 1, dst, dst);
  }


  template <typename Number>
  void
  BlockCSRMatrix<Number>::residual(Vector<Number>       &dst,
                                   const Vector<Number> &x,
                                   const Vector<Number> &b) const
  {
    apply(-1, x, 1, b, dst);
  }


  template <typename Number>
  void
  BlockCSRMatrix<Number>::apply(const Number          alpha,
                                const Vector<Number> &src,
                                const Number          beta,
                                const Vector<Number> &other,
                                Vector<Number>       &dst) const
  {
    AssertThrow(&src != &dst, ExcMessage("A matrix of blocks cannot multiply a vector in place."));
    for (const Vector<Number> *vector : {&src, &other, static_cast<const Vector<Number> *>(&dst)})
      {
        AssertThrow(vector->locally_owned_size() == pattern->n_rows() &&
                      vector->layout().partition == pattern->partition,
                    ExcMessage(
                      "A matrix of blocks with " + std::to_string(m()) +
                      " rows does not go with a vector of " + std::to_string(vector->size()) +
                      " entries" +
                      (pattern->partition ? " that is spread over ranks in another way." : ".")));
        AssertThrow(vector->device() == device(),
                    ExcMessage("A matrix of blocks and a vector are on different devices."));
      }
    launch(device(),
           pattern->n_elements(),
           BlockProduct<Number>{arrays(),
                                alpha,
                                beta,
                                exchange ? exchange->run(src.data()) : src.data(),
                                other.data(),
                                dst.data()});
  }


  template <typename Number>
  CompressedRows
  BlockCSRMatrix<Number>::compressed_rows() const
  {
    const BlockSparsity      &p = *pattern;
    const std::vector<Number> entries(values_.to_host());
    std::vector<std::size_t>  sizes(p.n_rows());
    const auto                for_rows = [&](const auto &visit) {
      for (unsigned int e = 0; e < p.n_elements(); ++e)
        for (int row = p.first_rows[e]; row < p.first_rows[e + 1]; ++row)
          visit(e, row);
    };
    const auto for_columns = [&](const unsigned int e, const auto &visit) {
      for (int b = p.row_starts[e]; b < p.row_starts[e + 1]; ++b)
        for (int column = p.first_rows[p.columns[b]]; column < p.first_rows[p.columns[b] + 1];
             ++column)
          visit(b, column);
    };
    for_rows([&](const unsigned int e, const int row) {
      for_columns(e, [&](const int, const int) { ++sizes[row]; });
    });
    CompressedRows result = CompressedRows::with_row_sizes(sizes, p.n_columns());
    std::size_t    entry  = 0;
    for_rows([&](const unsigned int e, const int row) {
      const int n = p.first_rows[e + 1] - p.first_rows[e];
      for_columns(e, [&](const int b, const int column) {
        const std::size_t j    = column - p.first_rows[p.columns[b]];
        result.columns[entry]  = column;
        result.values[entry++] = entries[p.block_starts[b] + j * n + row - p.first_rows[e]];
      });
    });
    return result;
  }


  template <typename Number>
  std::size_t
  BlockCSRMatrix<Number>::memory_consumption() const
  {
    return (first_rows.size() + row_starts.size() + columns.size()) * sizeof(int) +
           block_starts.size() * sizeof(std::size_t) + values_.size() * sizeof(Number) +
           (exchange ? exchange->memory_consumption() : 0);
  }


  BlockCSRMatrix<double>
  inverse_diagonal_blocks(const BlockCSRMatrix<double> &matrix)
  {
    const BlockSparsity   &sparsity = matrix.sparsity();
    BlockCSRMatrix<double> inverse(std::make_shared<const BlockSparsity>(sparsity.diagonal()),
                                   matrix.device());
    launch(matrix.device(),
           sparsity.n_elements(),
           InvertDiagonalBlocks{matrix.arrays(), inverse.arrays(), inverse.values()});
    return inverse;
  }


  BlockRoots::BlockRoots(const BlockCSRMatrix<double> &matrix, const bool is_symmetric)
  {
    const auto diagonal = std::make_shared<const BlockSparsity>(matrix.sparsity().diagonal());
    for (auto *factor : {&left, &right, &inverse_left, &inverse_right})
      *factor = BlockCSRMatrix<double>(diagonal, matrix.device());
    launch(matrix.device(),
           diagonal->n_elements(),
           FactorDiagonalBlocks{matrix.arrays(),
                                left.arrays(),
                                is_symmetric,
                                left.values(),
                                right.values(),
                                inverse_left.values(),
                                inverse_right.values()});
  }


  template <typename Number>
  BlockCSRMatrix<Number>
  BlockRoots::scale(const std::shared_ptr<const BlockSparsity> &sparsity,
                    const BlockCSRMatrix<double>               &matrix) const
  {
    BlockCSRMatrix<Number> result(sparsity, matrix.device());
    std::vector<int>       rows;
    unsigned int           largest = 0;
    for (unsigned int e = 0; e < sparsity->n_elements(); ++e)
      rows.resize(sparsity->row_starts[e + 1], e);
    for (const unsigned int size : sparsity->sizes())
      largest = std::max(largest, size);
    AssertThrow(largest <= ScaleBlocks<Number>::max_size && largest * rows.size() < (1UL << 31),
                ExcMessage("A matrix of " + std::to_string(rows.size()) + " blocks of up to " +
                           std::to_string(largest) + " rows is too large to be scaled."));
    const Memory<int>      rows_there(matrix.device(), rows);
    BlockCSRArrays<double> diagonal   = left.arrays();
    const double          *of_columns = inverse_right.values();
    // Those of ghosts come from their ranks.
    std::unique_ptr<ElementExchange<double>> exchange;
    Memory<std::size_t>                      block_starts;
    if (sparsity->ghosts)
      {
        const std::vector<unsigned int> sizes = sparsity->sizes();
        const std::vector<std::size_t>  starts =
          BlockSparsity(sizes, std::vector<std::vector<unsigned int>>(sizes.size())).block_starts;
        block_starts          = Memory<std::size_t>(matrix.device(), starts);
        diagonal.block_starts = block_starts.data();
        exchange =
          std::make_unique<ElementExchange<double>>(*sparsity->ghosts, matrix.device(), starts);
        of_columns = exchange->run(inverse_right.values());
      }
    launch(matrix.device(),
           largest * rows.size(),
           ScaleBlocks<Number>{static_cast<int>(largest),
                               rows_there.data(),
                               matrix.arrays(),
                               diagonal,
                               inverse_left.values(),
                               of_columns,
                               result.values()});
    return result;
  }


  std::size_t
  BlockRoots::memory_consumption() const
  {
    return 4 * left.memory_consumption();
  }


  template BlockCSRMatrix<double>
  BlockRoots::scale(const std::shared_ptr<const BlockSparsity> &,
                    const BlockCSRMatrix<double> &) const;
  template BlockCSRMatrix<float>
  BlockRoots::scale(const std::shared_ptr<const BlockSparsity> &,
                    const BlockCSRMatrix<double> &) const;
  template class BlockCSRMatrix<double>;
  template class BlockCSRMatrix<float>;
} // namespace Saltus
