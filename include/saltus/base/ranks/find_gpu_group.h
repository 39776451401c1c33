// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_find_gpu_group_h
#define saltus_base_ranks_find_gpu_group_h

#include <deal.II/base/mpi.h>

#include <saltus/base/device/device.h>
#include <saltus/base/ranks/gpu_group.h>

namespace Saltus
{
  /// The group of the ranks' GPUs; none if a rank is on no GPU or shares one with another, or if
  /// they cannot reach each other without the hosts, which standard error tells of with the reason.
  /// On one host they write into each other's memory, else they use NVIDIA's library NCCL. The
  /// variable SALTUS_GPU_MESSAGES of the first rank's environment chooses instead: `peers`, also
  /// for ranks that share a GPU (slowly: it works for one of them at a time), `nccl`, or `hosts`
  /// for no group. The same ranks with the same GPUs have one group for all of their meshes, as
  /// long as the program lives. Collective.
  /// @throws dealii::ExcMessage on all ranks if what the variable asks for is unknown or not
  /// possible
  std::shared_ptr<GpuGroup>
  find_gpu_group(const MPI_Comm communicator, const Device device);
} // namespace Saltus

#endif
