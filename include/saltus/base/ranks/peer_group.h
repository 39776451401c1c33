// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_peer_group_h
#define saltus_base_ranks_peer_group_h

#include <deal.II/base/mpi.h>

#include <saltus/base/device/device.h>
#include <saltus/base/ranks/gpu_group.h>

namespace Saltus
{
  /// The group of GPUs of one host that write into each other's memory. Collective.
  /// @throws dealii::ExcMessage on all ranks if they cannot
  std::shared_ptr<GpuGroup>
  peer_group(const MPI_Comm communicator, const Device device);
} // namespace Saltus

#endif
