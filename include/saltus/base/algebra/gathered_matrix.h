// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_gathered_matrix_h
#define saltus_base_algebra_gathered_matrix_h

#include <saltus/base/algebra/compressed_rows.h>
#include <saltus/base/ranks/element_partition.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// What one rank contributes to a matrix that is spread over several: rows of its unknowns.
  /// Unknowns may belong to several ranks, whose contributions are added.
  struct DistributedRows
  {
    /// Columns count through the rank's unknowns, and then through those of others with which they
    /// are coupled.
    CompressedRows rows;

    /// `[i]`: what names the unknown i on all ranks, whether it has a row here or not. Empty on one
    /// rank, where unknowns have no other names.
    std::vector<std::size_t> names;
  };

  /// The whole matrix on the first rank, where unknowns have the order of their names. On others it
  /// has no rows.
  struct GatheredMatrix
  {
    CompressedRows rows;

    /// `[i]`: the place in the matrix of unknown i, counting through the unknowns with rows of all
    /// ranks. Empty on one rank: that of unknown i is i.
    std::vector<std::size_t> places;

    /// `[rank]`: how many of them each has.
    std::vector<int> counts;
  };

  /// Collective.
  GatheredMatrix
  gather(const std::shared_ptr<const ElementPartition> &partition, DistributedRows part);

  /// The rows of all ranks, one rank after the other, on the first rank; others get none.
  /// @p partition may be none. Collective.
  /// @param own whose columns count through the unknowns of all ranks
  CompressedRows
  gather_rows(const std::shared_ptr<const ElementPartition> &partition, CompressedRows own);
} // namespace Saltus

#endif
