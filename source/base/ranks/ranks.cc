// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/multithread_info.h>

#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/ranks.h>

#include <algorithm>
#include <sched.h>

namespace Saltus
{
  std::string
  first_of_ranks(const MPI_Comm communicator, const std::string &text)
  {
    if (n_ranks(communicator) == 1)
      return text;
    for (const std::string &of_rank : all_gather(communicator, text))
      if (!of_rank.empty())
        return of_rank;
    return {};
  }

  namespace
  {
    /// The cores on which this process may run, as bytes; empty if they are not known.
    std::string
    given_cores(unsigned int &n_cores)
    {
      cpu_set_t cores;
      n_cores = dealii::MultithreadInfo::n_cores();
      if (sched_getaffinity(0, sizeof(cores), &cores) != 0)
        return {};
      n_cores = CPU_COUNT(&cores);
      return {reinterpret_cast<const char *>(&cores), sizeof(cores)};
    }
  } // namespace

  NodeRanks::NodeRanks(const MPI_Comm communicator)
  {
    unsigned int      n_cores;
    const std::string own = given_cores(n_cores);
    if (!dealii::Utilities::MPI::job_supports_mpi())
      {
        n         = 1;
        number    = 0;
        n_threads = std::max<unsigned int>(1, n_cores);
        return;
      }
    MPI_Comm node;
    int status = MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    AssertThrowMPI(status);
    n              = n_ranks(node);
    number         = this_rank(node);
    const auto all = all_gather(node, own);
    n_threads      = std::max<unsigned int>(1, n_cores / std::count(all.begin(), all.end(), own));
    status         = MPI_Comm_free(&node);
    AssertThrowMPI(status);
  }
} // namespace Saltus
