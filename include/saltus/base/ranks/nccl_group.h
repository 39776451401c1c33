// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_nccl_group_h
#define saltus_base_ranks_nccl_group_h

#include <deal.II/base/mpi.h>

#include <saltus/base/ranks/gpu_group.h>

#include <memory>

namespace Saltus
{
  /// The group of the ranks' current GPUs, one each, which send each other messages by NCCL.
  /// Collective.
  /// @throws dealii::ExcMessage on all ranks if NCCL is not found on all of them, or if one cannot
  /// join
  std::shared_ptr<GpuGroup>
  nccl_group(const MPI_Comm communicator);
} // namespace Saltus

#endif
