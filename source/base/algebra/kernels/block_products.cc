// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Products with matrices of dense blocks, with one set of vector instructions.
#include <saltus/base/algebra/block_csr_kernel.h>
#include <saltus/base/device/threads.h>

#include <algorithm>

namespace
{
  using namespace Saltus;

  constexpr int n_at_once = 32; ///< rows whose sums are in registers

  /// Rows `[first, first + n)` of block row @p element, of which there are @p size.
  template <typename Number>
  void
  multiply_rows(const BlockProduct<Number> &product,
                const int                   element,
                const int                   size,
                const int                   first,
                const int                   n)
  {
    const auto &A              = product.matrix;
    Number      sum[n_at_once] = {};
    for (int b = A.row_starts[element]; b < A.row_starts[element + 1]; ++b)
      {
        const Number *values = A.values + A.block_starts[b] + first;
        const Number *src    = product.src + A.first_rows[A.columns[b]];
        for (int j = 0; j < A.size(A.columns[b]); ++j, values += size)
          {
            const Number factor = src[j];
            if (n == n_at_once)
              for (int i = 0; i < n_at_once; ++i)
                sum[i] += values[i] * factor;
            else
              for (int i = 0; i < n; ++i)
                sum[i] += values[i] * factor;
          }
      }
    for (int i = 0; i < n; ++i)
      product.finish(A.first_rows[element] + first + i, sum[i]);
  }

  struct Cpu
  {
    template <typename Product>
    static void
    run(const int n_elements, const Product &product)
    {
      parallel_for(n_elements, [&](const std::size_t begin, const std::size_t end) {
        for (std::size_t element = begin; element < end; ++element)
          {
            const int size = product.matrix.size(element);
            for (int first = 0; first < size; first += n_at_once)
              multiply_rows(product, element, size, first, std::min(n_at_once, size - first));
          }
      });
    }

    template <typename Product>
    static bool
    enrol()
    {
      WorkRegistry<Product>::cpu[SALTUS_ISA_LEVEL] = &run<Product>;
      return true;
    }
  };

  [[maybe_unused]] const bool enrolled = BlockProducts::enrol<Cpu>();
} // namespace
