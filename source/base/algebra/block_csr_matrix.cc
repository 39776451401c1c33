// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/base/device/threads.h>
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
    std::vector<int>         all_rows = {0}, all_row_starts = {0}, all_columns;
    std::vector<std::size_t> all_block_starts = {0};
    all_columns.reserve(n);
    all_block_starts.reserve(n + 1);
    for (const unsigned int size : sizes)
      all_rows.push_back(all_rows.back() + size);
    for (unsigned int e = 0; e < neighbors.size(); ++e)
      {
        const auto add = [&](const unsigned int column) {
          all_columns.push_back(column);
          all_block_starts.push_back(all_block_starts.back() +
                                     room_for_block(sizes[e], sizes[column]));
        };
        for (const unsigned int neighbor : neighbors[e])
          add(neighbor);
        add(e);
        all_row_starts.push_back(all_columns.size());
      }
    n_numbers    = all_block_starts.back();
    first_rows   = std::move(all_rows);
    row_starts   = std::move(all_row_starts);
    columns      = std::move(all_columns);
    block_starts = std::move(all_block_starts);
    partition    = partition_of(ghosts, n_rows());
  }


  BlockSparsity::BlockSparsity(const MirroredArray<int>                   &first_rows,
                               const MirroredArray<int>                   &row_starts,
                               const MirroredArray<int>                   &columns,
                               const MirroredArray<std::size_t>           &block_starts,
                               const std::size_t                           n_values,
                               const std::shared_ptr<const GhostElements> &ghosts)
    : ghosts(ghosts)
    , first_rows(first_rows)
    , row_starts(row_starts)
    , columns(columns)
    , block_starts(block_starts)
    , n_numbers(n_values)
  {
    if (ghosts) // the number of rows may have to come from a device
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
    , arrays_(sparsity->arrays<Number>(device))
    , values_(device, sparsity->n_values())
  {
    prepare_launch(device, pattern->n_elements(), BlockProduct<Number>{});
    if (sparsity->ghosts)
      exchange = std::make_unique<ElementExchange<Number>>(
        *sparsity->ghosts,
        device,
        std::vector<std::size_t>(sparsity->first_rows.host().begin(),
                                 sparsity->first_rows.host().end()));
  }


  template <typename Number>
  BlockCSRArrays<Number>
  BlockCSRMatrix<Number>::arrays() const
  {
    BlockCSRArrays<Number> result = arrays_;
    result.values                 = values_.data();
    return result;
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
    const BlockSparsity            &p          = *pattern;
    const std::vector<int>         &first_rows = p.first_rows.host(), &columns = p.columns.host();
    const std::vector<int>         &row_starts   = p.row_starts.host();
    const std::vector<std::size_t> &block_starts = p.block_starts.host();
    const std::vector<Number>       entries(values_.to_host());
    const auto size = [&](const unsigned int e) { return first_rows[e + 1] - first_rows[e]; };
    std::vector<std::size_t> sizes;
    sizes.reserve(p.n_rows());
    for (unsigned int e = 0; e < p.n_elements(); ++e)
      {
        std::size_t n = 0;
        for (int b = row_starts[e]; b < row_starts[e + 1]; ++b)
          n += size(columns[b]);
        sizes.insert(sizes.end(), size(e), n);
      }
    CompressedRows result = CompressedRows::with_row_sizes(sizes, p.n_columns());
    parallel_for(p.n_elements(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        for (int i = 0; i < size(e); ++i)
          {
            std::size_t entry = result.row_starts[first_rows[e] + i];
            for (int b = row_starts[e]; b < row_starts[e + 1]; ++b)
              for (int j = 0; j < size(columns[b]); ++j, ++entry)
                {
                  result.columns[entry] = first_rows[columns[b]] + j;
                  result.values[entry]  = entries[block_starts[b] + j * size(e) + i];
                }
          }
    });
    return result;
  }


  template <typename Number>
  std::size_t
  BlockCSRMatrix<Number>::memory_consumption() const
  {
    return pattern->memory_consumption() + values_.size() * sizeof(Number) +
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


  double
  smallest_pivot(const BlockCSRMatrix<double> &matrix)
  {
    const BlockSparsity   &sparsity = matrix.sparsity();
    BlockCSRMatrix<double> room(std::make_shared<const BlockSparsity>(sparsity.diagonal()),
                                matrix.device());
    auto ratios = Memory<double>::uninitialized(matrix.device(), sparsity.n_elements());
    launch(matrix.device(),
           sparsity.n_elements(),
           SmallestPivots{matrix.arrays(), room.arrays(), room.values(), ratios.data()});
    double smallest = 1.;
    for (const double ratio : ratios.to_host())
      smallest = std::min(smallest, ratio);
    smallest = -max_over_ranks(sparsity.partition, -smallest);
    AssertThrow(smallest >= 0.,
                ExcMessage("The matrix has entries that are not finite: coefficients are too large "
                           "or too small for double precision."));
    return smallest;
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
    MirroredArray<std::size_t>               block_starts;
    if (sparsity->ghosts)
      {
        const std::vector<unsigned int> sizes = sparsity->sizes();
        block_starts =
          BlockSparsity(sizes, std::vector<std::vector<unsigned int>>(sizes.size())).block_starts;
        diagonal.block_starts = block_starts.on(matrix.device()).data();
        exchange              = std::make_unique<ElementExchange<double>>(*sparsity->ghosts,
                                                             matrix.device(),
                                                             block_starts.host());
        of_columns            = exchange->run(inverse_right.values());
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
