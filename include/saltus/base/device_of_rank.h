// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_of_rank_h
#define saltus_base_device_of_rank_h

#include <deal.II/base/mpi.h>

#include <saltus/base/device.h>

#include <string>

namespace Saltus
{
  /// Device::from_name() for each rank of @p communicator: `cuda` and `auto` share out the GPUs of
  /// a node among the ranks there, in turn. More ranks than GPUs are told of on standard error.
  /// Collective.
  Device
  device_of_rank(const std::string &name, const MPI_Comm communicator);
} // namespace Saltus

#endif
