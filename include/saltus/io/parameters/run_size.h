// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_run_size_h
#define saltus_io_parameters_run_size_h

#include <deal.II/base/mpi.h>

#include <saltus/base/device/device.h>
#include <saltus/io/parameters/run_summary.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace Saltus
{
  /// What a program keeps of each element of a mesh, as far as all its runs do: what follows from
  /// it is the least that a run needs.
  struct ElementNeeds
  {
    std::vector<unsigned int> n_dofs;    ///< degrees of freedom of an element, by vector
    std::string               owners;    ///< of the degrees of freedom: ` of velocity and pressure`
    unsigned int              n_vectors; ///< on the device, of each kind
    std::size_t               number_size; ///< bytes of one number there
  };


  /// How large a computation will be, said and checked before there is its mesh.
  class RunSize
  {
  public:
    /// Collective.
    RunSize(const unsigned int  dim,
            const ElementNeeds &needs,
            const Device        device,
            const MPI_Comm      communicator);

    /// `128 elements, 1280 degrees of freedom, at least 0.52 MiB of memory`; on several ranks what
    /// each needs, and with a GPU also what it needs of that.
    std::string
    text(const double n_elements) const;

    /// Say it, after @p title.
    /// @throws dealii::ExcMessage with all this, the reason and the remedy: for more elements than
    /// can be numbered, more degrees of freedom than dealii::types::global_dof_index has numbers
    /// for, and for more memory than the host or the device has left
    void
    announce(std::ostream &stream, const std::string &title, const double n_elements) const;

    /// Note for a record how many bytes a rank needs at least.
    void
    note(RunSummary &summary, const double n_elements) const;

  private:
    /// @param n_elements of all ranks
    double
    n_dofs(const double n_elements) const;

    /// Bytes of one rank, if all on its node share what the node has once.
    double
    host_bytes(const double n_elements) const;

    double
    device_bytes(const double n_elements) const;

    /// Why so much cannot be had, and what to do; empty if it can.
    std::string
    obstacle(const double n_elements) const;

    const unsigned int dim;
    const ElementNeeds needs;
    const Device       device;
    const unsigned int n_ranks, n_on_node;
    const unsigned int n_on_device; ///< ranks that use the same GPU
  };
} // namespace Saltus

#endif
