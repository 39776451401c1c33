// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_element_partition_h
#define saltus_base_ranks_element_partition_h

#include <deal.II/base/mpi.h>

#include <saltus/base/device/device.h>
#include <saltus/base/ranks/find_gpu_group.h>
#include <saltus/base/ranks/ranks.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// How the elements of a mesh are spread over the ranks of a communicator. Meshes on one rank
  /// have none.
  class ElementPartition
  {
  public:
    /// Collective.
    /// @param communicator is duplicated: messages of Saltus do not meet those of others
    /// @param n_elements that this rank owns; may be none
    /// @param n_ghosts copies of others' elements that this rank has room for
    ElementPartition(const MPI_Comm     communicator,
                     const unsigned int n_elements,
                     const unsigned int n_ghosts);

    ElementPartition(const ElementPartition &) = delete;
    ElementPartition &
    operator=(const ElementPartition &) = delete;

    ~ElementPartition();

    const MPI_Comm     communicator;
    const unsigned int n_ghosts;
    const std::size_t  first_element;     ///< number of this rank's first one among all
    const std::size_t  n_global_elements; ///< of all ranks

    /// The group of the ranks' GPUs, see find_gpu_group(). Collective, as no rank knows by itself
    /// whether others now work on other devices than the last time: who needs it often keeps it.
    std::shared_ptr<GpuGroup>
    gpus(const Device device) const
    {
      return find_gpu_group(communicator, device);
    }
  };

  /// Whether what ranks send each other goes from device to device, so that nobody on the host
  /// waits and steps can be recorded in a graph. Collective; @p partition may be none.
  inline bool
  exchanges_on_device(const std::shared_ptr<const ElementPartition> &partition, const Device device)
  {
    return partition == nullptr || partition->gpus(device) != nullptr;
  }

  /// The sum of the ranks' values; @p partition may be none. Collective.
  template <typename T>
  T
  sum_over_ranks(const std::shared_ptr<const ElementPartition> &partition, const T value)
  {
    return partition ? dealii::Utilities::MPI::sum(value, partition->communicator) : value;
  }

  /// The same for several values at once.
  template <typename T>
  std::vector<T>
  sum_over_ranks(const std::shared_ptr<const ElementPartition> &partition, std::vector<T> values)
  {
    if (partition)
      dealii::Utilities::MPI::sum(values, partition->communicator, values);
    return values;
  }

  /// The largest of the ranks' values; a NaN wins. Collective.
  template <typename T>
  T
  max_over_ranks(const std::shared_ptr<const ElementPartition> &partition, const T value);

  /// See ranks.h. Collective.
  inline std::string
  first_of_ranks(const std::shared_ptr<const ElementPartition> &partition, const std::string &text)
  {
    return partition ? first_of_ranks(partition->communicator, text) : text;
  }
} // namespace Saltus

#endif
