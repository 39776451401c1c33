// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_collective_h
#define saltus_base_ranks_collective_h

#include <deal.II/base/mpi.h>

#include <functional>

/// What ranks do for all, so that it fails on all of them or on none: a rank that goes on alone
/// waits for the others for ever.
namespace Saltus
{
  /// Perform an action on every rank. Collective; the action itself need not be.
  /// @throws dealii::ExcMessage on all ranks, with the message of the first one on which the action
  /// throws an exception; on one rank that exception itself
  void
  on_all_ranks(const MPI_Comm communicator, const std::function<void()> &action);

  /// The same on the first rank only.
  void
  on_first_rank(const MPI_Comm communicator, const std::function<void()> &action);
} // namespace Saltus

#endif
