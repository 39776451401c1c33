// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/gathered_matrix.h>
#include <saltus/base/ranks/gather.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Where @p name stands among @p names, which are in ascending order.
    std::size_t
    place_of(const std::size_t name, const std::vector<std::size_t> &names)
    {
      return std::lower_bound(names.begin(), names.end(), name) - names.begin();
    }

    /// Entries at one place become their sum, in the order of columns.
    CompressedRows
    with_sums(const CompressedRows &matrix)
    {
      CompressedRows result;
      result.n_columns = matrix.n_columns;
      std::vector<std::size_t> order;
      for (std::size_t row = 0; row < matrix.n_rows(); ++row)
        {
          order.resize(matrix.row_starts[row + 1] - matrix.row_starts[row]);
          std::iota(order.begin(), order.end(), matrix.row_starts[row]);
          std::stable_sort(order.begin(),
                           order.end(),
                           [&](const std::size_t a, const std::size_t b) {
                             return matrix.columns[a] < matrix.columns[b];
                           });
          const std::size_t begin = result.n_nonzeros();
          for (const std::size_t k : order)
            if (result.n_nonzeros() > begin && result.columns.back() == matrix.columns[k])
              result.values.back() += matrix.values[k];
            else
              result.add(matrix.columns[k], matrix.values[k]);
          result.finish_row();
        }
      return result;
    }
  } // namespace

  GatheredMatrix
  gather(const std::shared_ptr<const ElementPartition> &partition, DistributedRows part)
  {
    if (!partition)
      return {std::move(part.rows), {}, {}};
    const CompressedRows    &rows = part.rows;
    std::vector<std::size_t> own(part.names.begin(), part.names.begin() + rows.n_rows());
    std::vector<std::size_t> columns;
    for (const int column : rows.columns)
      columns.push_back(part.names[column]);
    const auto to_first = [&](const auto &values) {
      return gather_on_first(partition->communicator, values);
    };
    const auto all_names = to_first(own), all_starts = to_first(rows.row_starts),
               all_columns = to_first(columns);
    const auto all_values  = to_first(rows.values);

    GatheredMatrix result;
    if (this_rank(partition->communicator) != 0)
      return result;
    const std::vector<std::size_t> &names = all_names.values;
    for (std::size_t rank = 0; rank + 1 < all_names.starts.size(); ++rank)
      result.counts.push_back(all_names.starts[rank + 1] - all_names.starts[rank]);
    std::vector<std::size_t> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    for (const std::size_t name : names)
      result.places.push_back(place_of(name, sorted));

    std::vector<std::size_t> sizes(sorted.size());
    const auto               for_rows = [&](const auto &body) {
      auto place = result.places.begin();
      for (std::size_t rank = 0; rank < result.counts.size(); ++rank)
        {
          const std::size_t *const starts = &all_starts.values[all_starts.starts[rank]];
          const std::size_t        before = all_columns.starts[rank];
          for (int row = 0; row < result.counts[rank]; ++row, ++place)
            body(before + starts[row], before + starts[row + 1], *place);
        }
    };
    for_rows([&](const std::size_t begin, const std::size_t end, const std::size_t place) {
      sizes[place] += end - begin;
    });
    CompressedRows           matrix = CompressedRows::with_row_sizes(sizes, sorted.size());
    std::vector<std::size_t> next   = matrix.row_starts;
    for_rows([&](const std::size_t begin, const std::size_t end, const std::size_t place) {
      for (std::size_t k = begin; k < end; ++k, ++next[place])
        {
          matrix.columns[next[place]] = place_of(all_columns.values[k], sorted);
          matrix.values[next[place]]  = all_values.values[k];
        }
    });
    result.rows = with_sums(matrix);
    return result;
  }

  CompressedRows
  gather_rows(const std::shared_ptr<const ElementPartition> &partition, CompressedRows own)
  {
    if (!partition)
      return own;
    std::vector<std::size_t> sizes(own.n_rows());
    for (std::size_t row = 0; row < sizes.size(); ++row)
      sizes[row] = own.row_starts[row + 1] - own.row_starts[row];
    const MPI_Comm communicator = partition->communicator;
    const auto     all_sizes    = gather_on_first(communicator, sizes);
    auto           columns      = gather_on_first(communicator, own.columns);
    auto           values       = gather_on_first(communicator, own.values);
    CompressedRows result;
    if (this_rank(communicator) == 0)
      {
        result         = CompressedRows::with_row_sizes(all_sizes.values, own.n_columns);
        result.columns = std::move(columns.values);
        result.values  = std::move(values.values);
      }
    return result;
  }
} // namespace Saltus
