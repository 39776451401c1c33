// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/busy_waiting.h>
#include <saltus/base/ranks/ranks.h>

#include <cstdlib>
#include <sched.h>
#include <sstream>
#include <unistd.h>

namespace Saltus
{
  namespace
  {
    /// Messages on a node take microseconds, time slices of the operating system milliseconds.
    constexpr double longest_wait = 1e-4;

    /// Cores for all ranks of this node.
    int
    n_cores()
    {
      // A rank with cores of its own does not know those of others.
      const bool has_own = std::getenv("OMPI_MCA_orte_bound_at_launch") != nullptr;
      cpu_set_t  cores;
      if (has_own || sched_getaffinity(0, sizeof(cores), &cores) != 0)
        return sysconf(_SC_NPROCESSORS_ONLN);
      return CPU_COUNT(&cores);
    }

    /// The seconds for which the ranks of a node wait for each other.
    double
    mean_wait(const MPI_Comm node)
    {
      MPI_Barrier(node);
      const double start   = MPI_Wtime();
      double       seconds = 0;
      unsigned int n       = 0;
      for (; n < 100 && seconds < 0.02; ++n)
        seconds = dealii::Utilities::MPI::max(MPI_Wtime() - start, node);
      return seconds / n;
    }
  } // namespace

  void
  set_open_mpi_parameters()
  {
    const char *n_ranks = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (n_ranks != nullptr && std::atoi(n_ranks) > n_cores())
      setenv("OMPI_MCA_mpi_yield_when_idle", "1", false);
    // Launchers of clusters set the others.
    for (const char *of_launcher :
         {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
      if (std::getenv(of_launcher) != nullptr)
        return;
    setenv("OMPI_MCA_ess_singleton_isolated", "1", false);
    setenv("OMPI_MCA_pml", "ob1", false);
  }

  void
  note_shared_cores(const MPI_Comm communicator)
  {
    MPI_Comm node;
    int status = MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    AssertThrowMPI(status);
    const double longest = dealii::Utilities::MPI::max(mean_wait(node), communicator);
    status               = MPI_Comm_free(&node);
    AssertThrowMPI(status);
    if (longest < longest_wait || this_rank(communicator) > 0)
      return;
    std::ostringstream message;
    message.precision(2);
    message << "ranks of one node wait " << 1e3 * longest
            << " ms for each other, which takes microseconds where each has a core of its own. "
               "Other programs or ranks use the cores: fewer ranks may be faster.";
    say_once(message.str());
  }
} // namespace Saltus
