// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_gathered_multigrid_h
#define saltus_solvers_gathered_multigrid_h

#include <saltus/base/gathered_matrix.h>
#include <saltus/solvers/algebraic_multigrid.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// AlgebraicMultigrid for a problem that is spread over ranks and small enough for one of them,
  /// such as the coarse levels of a multigrid method: the first rank gathers right-hand sides, does
  /// the cycles on its device, and gives everybody their part of the result. On one rank it is
  /// AlgebraicMultigrid and nothing else.
  template <typename Number>
  class GatheredMultigrid
  {
  public:
    using AdditionalData = typename AlgebraicMultigrid<Number>::AdditionalData;

    /// Collective.
    /// @param matrix see gather(); symmetric
    /// @param additional_data is read on the first rank; its near-null vector counts the unknowns
    /// of the gathered matrix
    /// @param embedding from this rank's unknowns to the *array* of its vectors, see
    /// AlgebraicMultigrid::initialize()
    void
    initialize(const std::shared_ptr<const ElementPartition> &partition,
               const GatheredMatrix                          &matrix,
               const AdditionalData                          &additional_data,
               const Device                                   device,
               const CompressedRows                          &embedding);

    /// One cycle for the right-hand side @p src, from zero. Collective.
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const;

    /// `dst += ` one cycle for @p src. Collective.
    void
    vmult_add(Vector<Number> &dst, const Vector<Number> &src) const;

    /// Where the cycles are done; without levels on other ranks.
    const AlgebraicMultigrid<Number> &
    cycles() const
    {
      return algebraic;
    }

    /// Bytes on this rank's device.
    std::size_t
    memory_consumption() const;

  private:
    /// This rank's part of the solution in `own`.
    void
    solve(const Vector<Number> &src) const;

    /// Every rank's `own` to the first rank's `all_b`, and from its `all_x`: from GPU to GPU, or
    /// through the hosts.
    void
    gather() const;

    void
    scatter() const;

    /// Make the messages between GPUs. Collective.
    void
    connect_gpus(const Device device);

    bool
    is_first() const
    {
      return !counts.empty();
    }

    /// That this rank sends and gets.
    std::size_t
    own_bytes() const;

    std::shared_ptr<const ElementPartition> partition;
    AlgebraicMultigrid<Number>              algebraic;

    // On several ranks:
    /// If the ranks' GPUs have a group; without the first rank's own part.
    std::unique_ptr<GpuMessages> to_first, from_first;

    std::vector<int>       counts, starts;         ///< `[rank]` on the first rank
    SparseMatrix<Number>   embedding, restriction; ///< of this rank
    mutable Vector<Number> own;                    ///< scratch: this rank's unknowns
    mutable Vector<Number> all_b, all_x;           ///< the same of all ranks, on the first
  };
} // namespace Saltus

#endif
