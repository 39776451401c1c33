// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/operators/blocks/element_couplings.h>

#include <numeric>

namespace Saltus
{
  template <typename Number>
  CompressedRows
  ElementCouplings<Number>::compressed_rows(
    const std::vector<dealii::types::global_dof_index> &numbers) const
  {
    std::vector<std::size_t> sizes(static_cast<std::size_t>(n_elements) * n_modes);
    for (std::size_t e = 0; e < n_elements; ++e)
      for (unsigned int c = 0; c < n_couplings; ++c)
        if (partner(e, c) >= 0)
          for (unsigned int i = 0; i < n_modes; ++i)
            sizes[numbers[e * n_modes + i]] += n_modes;
    CompressedRows result = CompressedRows::with_row_sizes(sizes, numbers.size());

    parallel_for(n_elements, [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        for (unsigned int i = 0; i < n_modes; ++i)
          {
            std::size_t k = result.row_starts[numbers[e * n_modes + i]];
            for (unsigned int c = 0; c < n_couplings; ++c)
              if (const std::ptrdiff_t other = partner(e, c); other >= 0)
                for (unsigned int j = 0; j < n_modes; ++j, ++k)
                  {
                    result.columns[k] = numbers[other * n_modes + j];
                    result.values[k]  = block(e, c)[i * n_modes + j];
                  }
          }
    });
    return result;
  }

  template <typename Number>
  CompressedRows
  ElementCouplings<Number>::compressed_rows(const unsigned int n_ghosts) const
  {
    std::vector<dealii::types::global_dof_index> numbers(
      (static_cast<std::size_t>(n_elements) + n_ghosts) * n_modes);
    std::iota(numbers.begin(), numbers.end(), 0);
    return compressed_rows(numbers);
  }

  template struct ElementCouplings<double>;
  template struct ElementCouplings<float>;
} // namespace Saltus
