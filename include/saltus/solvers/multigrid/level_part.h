// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_level_part_h
#define saltus_solvers_multigrid_level_part_h

#include <saltus/base/algebra/gathered_matrix.h>
#include <saltus/base/ranks/rank_messages.h>

#include <vector>

namespace Saltus
{
  /// What one rank has of a level of algebraic multigrid: the unknowns of its own vectors, and
  /// layers of others around them, each the neighbours in the matrix of the layer before.
  ///
  /// Where the layers end, the matrix is cut off. A product with it is wrong in the outermost layer
  /// only, the next one in two, and so on: with as many layers as products, from a right-hand side
  /// that is right in all of them, the unknowns of the rank get the same values as on one rank,
  /// without a message on the way.
  struct LevelPart
  {
    /// How many.
    struct Layers
    {
      unsigned int all;
      unsigned int corrected; ///< by the coarse solution: the inner ones
    };

    CompressedRows           matrix; ///< of the part's unknowns, first those of the rank's vectors
    CompressedRows           prolongation; ///< to them from the coarse unknowns that the part needs
    std::vector<std::size_t> coarse;       ///< `[j]`: which of all coarse unknowns the part's j is

    std::vector<double>      scaling; ///< `[i]`, of all that the rank's vectors are multiplied by
    std::vector<int>         of_vectors; ///< `[k]`: which of the part's unknowns is the vectors' k
    std::vector<std::size_t> owned;      ///< every unknown is so of exactly one rank

    /// Right-hand sides are sums of what the ranks contribute to their vectors' unknowns:
    /// contributions that other ranks need, and the unknowns to which those of others belong.
    std::vector<std::size_t> sent, received;
    std::vector<RankPart>    to, from;

    std::vector<double> smoother; ///< weights of its steps

    /// Of the rank's vectors; they are `0` to `n_own() - 1`.
    std::size_t
    n_own() const;
  };

  /// The parts of a level, one for each rank.
  /// @param matrix,prolongation,scaling of the whole level
  /// @param ranks which unknowns the ranks' vectors have
  /// @throws dealii::ExcMessage if the parts together are beyond CompressedRows::check_32_bit()
  std::vector<LevelPart>
  make_level_parts(const CompressedRows      &matrix,
                   const CompressedRows      &prolongation,
                   const std::vector<double> &scaling,
                   const GatheredMatrix      &ranks,
                   const LevelPart::Layers   &layers);

  /// Everybody's part, of those that the first rank has. Collective.
  LevelPart
  scatter(const MPI_Comm communicator, std::vector<LevelPart> parts);
} // namespace Saltus

#endif
