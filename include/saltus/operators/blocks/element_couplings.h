// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_blocks_element_couplings_h
#define saltus_operators_blocks_element_couplings_h

#include <deal.II/base/types.h>

#include <saltus/base/algebra/compressed_rows.h>

#include <vector>

namespace Saltus
{
  /// A matrix that couples elements with themselves (coupling 0) and with their neighbours
  /// (coupling f + 1 through face f; on meshes with hanging nodes coupling `s n_faces + f + 1`
  /// through part s of it), block by block in host memory. On several ranks these are the
  /// rows of one rank's elements; ghost i is the partner `n_elements + i`.
  template <typename Number>
  struct ElementCouplings
  {
    unsigned int        n_elements, n_couplings, n_modes;
    std::vector<int>    partners; ///< `[e][c]`: the other element, -1 if there is none
    std::vector<Number> values;   ///< `[e][c][i][j]`: row i of e, column j of the partner

    int
    partner(const unsigned int e, const unsigned int c) const
    {
      return partners[static_cast<std::size_t>(e) * n_couplings + c];
    }

    /// `[i][j]`
    const Number *
    block(const unsigned int e, const unsigned int c) const
    {
      return values.data() + (static_cast<std::size_t>(e) * n_couplings + c) * n_modes * n_modes;
    }

    Number *
    block(const unsigned int e, const unsigned int c)
    {
      return const_cast<Number *>(static_cast<const ElementCouplings &>(*this).block(e, c));
    }

    /// The whole matrix. An entry stands in several parts where two elements meet at several faces
    /// (across periodic boundaries).
    /// @param numbers `[e][m]`: row and column of mode m of element e, then columns of ghosts
    /// @throws dealii::ExcMessage beyond \f$2^{31}-1\f$ columns
    CompressedRows
    compressed_rows(const std::vector<dealii::types::global_dof_index> &numbers) const;

    /// The same, row and column `e * n_modes + m` being those of mode m of element or ghost e.
    /// @param n_ghosts how many there are
    CompressedRows
    compressed_rows(const unsigned int n_ghosts = 0) const;
  };
} // namespace Saltus

#endif
