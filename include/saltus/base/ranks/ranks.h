// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_ranks_h
#define saltus_base_ranks_ranks_h

#include <deal.II/base/mpi.h>

#include <string>

/// Also for programs on one rank that do not initialise MPI.
namespace Saltus
{
  inline unsigned int
  n_ranks(const MPI_Comm communicator)
  {
    namespace MPI = dealii::Utilities::MPI;
    return MPI::job_supports_mpi() ? MPI::n_mpi_processes(communicator) : 1;
  }

  inline unsigned int
  this_rank(const MPI_Comm communicator)
  {
    namespace MPI = dealii::Utilities::MPI;
    return MPI::job_supports_mpi() ? MPI::this_mpi_process(communicator) : 0;
  }

  /// @return @p communicator, for libraries that need MPI on one rank, too
  /// @throws dealii::ExcMessage if the program has not initialized MPI
  inline MPI_Comm
  with_mpi(const MPI_Comm communicator)
  {
    AssertThrow(dealii::Utilities::MPI::job_supports_mpi(),
                dealii::ExcMessage(
                  "Trilinos needs MPI, which is not initialized. Begin main() with "
                  "a dealii::Utilities::MPI::MPI_InitFinalize."));
    return communicator;
  }

  /// The text of the first rank that has one which is not empty; empty if none has. Collective.
  std::string
  first_of_ranks(const MPI_Comm communicator, const std::string &text);

  /// Ranks that have a node in common with this one.
  struct NodeRanks
  {
    /// Collective.
    explicit NodeRanks(const MPI_Comm communicator);

    unsigned int n;
    unsigned int number;    ///< of this rank among them
    unsigned int n_threads; ///< for this rank: the cores that it was given, which others may share
  };
} // namespace Saltus

#endif
