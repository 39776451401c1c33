// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_device_of_rank_h
#define saltus_base_ranks_device_of_rank_h

#include <deal.II/base/mpi.h>

#include <saltus/base/device/device.h>

#include <functional>
#include <string>
#include <vector>

namespace Saltus
{
  /// Device::from_name() for each rank of @p communicator: `cuda` and `auto` share out the GPUs of
  /// a node that can be used among the ranks there, in turn; where there are none, `auto` is the
  /// CPU. More ranks than GPUs, and GPUs that are there but cannot be used, are told of on standard
  /// error. Collective.
  Device
  device_of_rank(const std::string &name, const MPI_Comm communicator);

  /// Numbers of the GPUs that the ranks of a node share. To try a GPU takes time and memory on it:
  /// each rank tries the one that is its own in turn, and all of them only if one of the ranks
  /// cannot use its own; else those that nobody has tried count as usable. Collective.
  /// @param number of this rank on its node
  /// @param n_gpus that this rank sees, numbered from 0
  /// @param is_usable `(number of a GPU)`
  std::vector<int>
  gpus_of_node(const unsigned int              number,
               const unsigned int              n_gpus,
               const std::function<bool(int)> &is_usable,
               const MPI_Comm                  communicator);
} // namespace Saltus

#endif
