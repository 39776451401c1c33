// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_spread_level_h
#define saltus_solvers_multigrid_spread_level_h

#include <saltus/solvers/multigrid/algebraic_level.h>
#include <saltus/solvers/multigrid/level_part.h>

#include <functional>
#include <memory>

namespace Saltus
{
  /// The finest level of an algebraic multigrid cycle, spread over the ranks: each smooths its part
  /// of it. Ranks exchange right-hand sides once a cycle, and what is on the coarse level.
  template <typename Number>
  class SpreadLevel
  {
  public:
    /// What a cycle and the residual that the next one begins with need.
    static LevelPart::Layers
    layers(const unsigned int smoother_degree)
    {
      // Before the coarse correction there is one product less than steps, since they begin from
      // zero; after it one for each step, and one for the residual.
      return {2 * smoother_degree, smoother_degree + 1};
    }

    /// Collective.
    SpreadLevel(const std::shared_ptr<const ElementPartition> &partition,
                const Device                                   device,
                const LevelPart                               &part);

    /// Cycles for the right-hand side that `contributions` have, one after the other, each for the
    /// residual of those before. Collective.
    /// @param coarse the part's vector of the coarse level: the right-hand side that this rank
    /// contributes, then the solution
    /// @param solve_coarse from one to the other
    /// @return the solution; right for the unknowns of this rank's vectors, which are the first
    const Vector<Number> &
    solve(const unsigned int           n_cycles,
          Vector<Number>              &coarse,
          const std::function<void()> &solve_coarse);

    std::size_t
    memory_consumption() const;

    /// This rank's, to the unknowns of its vectors, which come first.
    Vector<Number> contributions;

  private:
    /// The right-hand side of all that the ranks contribute.
    void
    exchange();

    AlgebraicLevel<Number>                level;
    SparseMatrix<Number>                  select_sent;  ///< from contributions
    SparseMatrix<Number>                  add_up;       ///< contributions and those received
    SparseMatrix<Number>                  select_owned; ///< to contributions
    Vector<Number>                        sent, total;
    std::unique_ptr<RankMessages<Number>> messages;
  };
} // namespace Saltus

#endif
