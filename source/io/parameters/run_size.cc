// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/base/types.h>

#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/out_of_memory.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/parameters/run_size.h>
#include <saltus/mesh/make/mesh_size.h>
#include <saltus/mesh/mesh_arrays.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace Saltus
{
  using dealii::types::global_dof_index;

  namespace
  {
    /// Ranks that work on the GPU of this one. Collective.
    unsigned int
    count_on_device(const Device device, const MPI_Comm communicator)
    {
      device.make_current();
      const std::string own = device.is_cuda() ? CudaRuntime::device_name() : "";
      const auto        all = all_gather(communicator, own);
      return std::count(all.begin(), all.end(), own);
    }


    /// Of an element in an ElementMesh: its cell, its place, origin, map, inverse map and volume,
    /// and its faces.
    double
    element_mesh_bytes(const unsigned int dim)
    {
      return 16 + sizeof(unsigned int) + sizeof(double) * (dim + 2 * dim * dim + 1) +
             sizeof(FaceRecord) * (dim + 1);
    }
  } // namespace


  RunSize::RunSize(const unsigned int  dim,
                   const ElementNeeds &needs,
                   const Device        device,
                   const MPI_Comm      communicator)
    : dim(dim)
    , needs(needs)
    , device(device)
    , n_ranks(Saltus::n_ranks(communicator))
    , n_on_node(NodeRanks(communicator).n)
    , n_on_device(count_on_device(device, communicator))
  {}


  double
  RunSize::n_dofs(const double n_elements) const
  {
    return n_elements * std::accumulate(needs.n_dofs.begin(), needs.n_dofs.end(), 0U);
  }


  double
  RunSize::host_bytes(const double n_elements) const
  {
    const double here = n_elements / n_ranks;
    // Every node makes the whole mesh, twice where it is to be spread; ranks have their parts.
    const double n_cells = n_ranks == 1 ? n_elements : 2. * n_elements / n_on_node + here;
    return n_cells * triangulation_bytes(dim) + here * element_mesh_bytes(dim) +
           2. * sizeof(global_dof_index) * n_dofs(here) +
           (device.is_cuda() ? 0. : device_bytes(n_elements));
  }


  double
  RunSize::device_bytes(const double n_elements) const
  {
    const double here = n_elements / n_ranks;
    return here * (dim * dim * needs.number_size + (dim + 1) * sizeof(FaceRecord)) +
           n_dofs(here) * needs.n_vectors * needs.number_size;
  }


  std::string
  RunSize::text(const double n_elements) const
  {
    std::string result = count_for_people(n_elements) + " elements, ";
    for (const unsigned int &n : needs.n_dofs)
      result += (&n == needs.n_dofs.data() ? "" : " + ") + count_for_people(n * n_elements);
    result += " degrees of freedom" + needs.owners + ", at least " +
              text_of_bytes(host_bytes(n_elements)) + " of memory";
    if (device.is_cuda())
      result += " and " + text_of_bytes(device_bytes(n_elements)) + " of GPU memory";
    return result + (n_ranks > 1 ? " a rank" : "");
  }


  std::string
  RunSize::obstacle(const double n_elements) const
  {
    constexpr global_dof_index last_dof    = std::numeric_limits<global_dof_index>::max() - 1;
    const std::string          fewer       = "Use a coarser mesh, fewer refinements";
    const std::string          less_memory = fewer + ", a lower degree, or more nodes.";
    if (n_elements > max_n_elements)
      return "the elements of a mesh cannot be numbered beyond " +
             count_for_people(max_n_elements) + ". " + fewer + " or fewer cycles.";
    if (n_dofs(n_elements) > last_dof)
      return "degrees of freedom cannot be numbered beyond " + count_for_people(last_dof) + ". " +
             fewer +
             ", a lower degree, or a deal.II that is configured with DEAL_II_WITH_64BIT_INDICES.";
    if (const std::size_t available = available_host_memory();
        host_bytes(n_elements) * n_on_node > available)
      return "the host has only " + bytes_for_people(available) + " left" +
             (n_on_node > 1 ? " for " + std::to_string(n_on_node) + " ranks" : "") + ". " +
             less_memory;
    if (!device.is_cuda())
      return "";
    if (const std::size_t available = available_memory(device);
        device_bytes(n_elements) * n_on_device > available)
      return "the GPU has only " + bytes_for_people(available) + " left" +
             (n_on_device > 1 ? " for " + std::to_string(n_on_device) + " ranks" : "") + ". " +
             less_memory;
    return "";
  }


  void
  RunSize::announce(std::ostream &stream, const std::string &title, const double n_elements) const
  {
    const std::string line = title + ": " + text(n_elements), reason = obstacle(n_elements);
    AssertThrow(reason.empty(), dealii::ExcMessage(line + ": " + reason));
    stream << line << std::endl;
  }


  void
  RunSize::note(RunSummary &summary, const double n_elements) const
  {
    Json bytes;
    bytes["host"] = host_bytes(n_elements);
    if (device.is_cuda())
      bytes["GPU"] = device_bytes(n_elements);
    summary.note("least memory", bytes);
  }
} // namespace Saltus
