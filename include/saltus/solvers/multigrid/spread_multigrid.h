// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_spread_multigrid_h
#define saltus_solvers_multigrid_spread_multigrid_h

#include <saltus/base/algebra/gathered_matrix.h>
#include <saltus/base/algebra/gathered_vector.h>
#include <saltus/solvers/multigrid/algebraic_multigrid.h>
#include <saltus/solvers/multigrid/spread_level.h>

#include <functional>
#include <memory>
#include <vector>

namespace Saltus
{
  /// AlgebraicMultigrid for a problem that is spread over ranks. The first rank gathers the matrix
  /// and makes the levels. Where the finest one is large, every rank treats its part of it
  /// (SpreadLevel); the others, or all, are those of the first rank, which gathers right-hand
  /// sides, does the cycles on its device, and gives everybody their part of the result. The cycle
  /// is the same in both cases, up to rounding. On one rank this is AlgebraicMultigrid and nothing
  /// else.
  ///
  /// A part of the right-hand side in the kernel of a singular matrix is ignored on one rank and
  /// where all levels are gathered. A spread level leaves a multiple of the kernel in the result;
  /// the right-hand side should have no such part then.
  template <typename Number>
  class SpreadMultigrid
  {
  public:
    struct AdditionalData : AlgebraicMultigrid<Number>::AdditionalData
    {
      /// The finest level is spread if each rank gets so many unknowns of it, on average.
      unsigned int min_unknowns_per_rank = 50000;
    };

    /// Collective.
    /// @param matrix see gather(); symmetric
    /// @param additional_data the near-null vector is read on the first rank, and counts the
    /// unknowns of the gathered matrix
    /// @param embedding from this rank's unknowns to the *array* of its vectors, see
    /// AlgebraicMultigrid::initialize()
    /// @throws dealii::ExcMessage as AlgebraicMultigrid::initialize(), on all ranks
    void
    initialize(const std::shared_ptr<const ElementPartition> &partition,
               const GatheredMatrix                          &matrix,
               const AdditionalData                          &additional_data,
               const Device                                   device,
               const CompressedRows                          &embedding);

    /// The same for a hierarchy that was made before.
    /// @param hierarchy is read on the first rank
    /// @param finest where its finest level has the unknowns of all ranks; without rows
    void
    initialize(const std::shared_ptr<const ElementPartition> &partition,
               AggregationHierarchy                           hierarchy,
               const GatheredMatrix                          &finest,
               const AdditionalData                          &additional_data,
               const Device                                   device,
               const CompressedRows                          &embedding);

    /// One cycle for the right-hand side @p src, from zero. Collective.
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const;

    /// `dst += ` one cycle for @p src. Collective.
    void
    vmult_add(Vector<Number> &dst, const Vector<Number> &src) const;

    /// The finest first; none but on the first rank.
    const std::vector<typename AlgebraicMultigrid<Number>::LevelSize> &
    level_sizes() const
    {
      return sizes;
    }

    /// Seconds of all that a vmult() does on the coarsest level; 0 but on the first rank.
    double
    time_coarsest() const;

    /// Bytes on this rank's device.
    std::size_t
    memory_consumption() const;

    /// Whether every rank has a part of the finest level.
    bool
    is_spread() const
    {
      return finest != nullptr;
    }

  private:
    /// @param make called where the hierarchy is needed
    void
    initialize_with(const std::shared_ptr<const ElementPartition> &partition,
                    const std::function<AggregationHierarchy()>   &make,
                    const GatheredMatrix                          &finest,
                    const AdditionalData                          &additional_data,
                    const Device                                   device,
                    const CompressedRows                          &embedding);

    /// Make the way from this rank's vectors to where cycles begin and back. Collective.
    /// @param n_gathered unknowns that the first rank gathers from this one
    void
    connect(const Device          device,
            const CompressedRows &to_vectors,
            const CompressedRows &from_vectors,
            const std::size_t     n_gathered);

    /// From the right-hand side in `gathered->part` to the solution there.
    void
    solve_on_first() const;

    /// The solution for this rank's unknowns.
    const Vector<Number> &
    solve(const Vector<Number> &src) const;

    std::shared_ptr<const ElementPartition>                     partition;
    unsigned int                                                n_cycles = 1;
    std::vector<typename AlgebraicMultigrid<Number>::LevelSize> sizes;
    AlgebraicMultigrid<Number> algebraic; ///< of one rank or of the first

    // On several ranks:
    SparseMatrix<Number>                    embedding, restriction;
    std::unique_ptr<SpreadLevel<Number>>    finest; ///< if it is spread
    std::unique_ptr<GatheredVector<Number>> gathered;
  };
} // namespace Saltus

#endif
