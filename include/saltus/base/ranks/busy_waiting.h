// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_busy_waiting_h
#define saltus_base_ranks_busy_waiting_h

#include <deal.II/base/mpi.h>

/// Ranks that wait for messages keep their cores busy. That is the quickest way where each rank has
/// a core of its own, and a slow one where others want it: perhaps the rank that is to send.
namespace Saltus
{
  /// To be called before MPI is initialized: sets parameters of Open MPI, unless the environment
  /// has them. Where Open MPI started more ranks on this node than there are cores for them, those
  /// that wait give way to others. (Its launcher does this itself, but not where it was told of
  /// more slots, as by `--host localhost:4`.) A process that no launcher started needs no daemon
  /// and no network, which take it 0.4 s.
  void
  set_open_mpi_parameters();

  /// Note on standard error if the ranks of a node wait so long for each other that their cores
  /// must be shared. Collective; takes less than a millisecond where they are not.
  void
  note_shared_cores(const MPI_Comm communicator);
} // namespace Saltus

#endif
