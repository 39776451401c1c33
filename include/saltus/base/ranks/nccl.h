// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_nccl_h
#define saltus_base_ranks_nccl_h

#include <saltus/base/ranks/gpu_group.h>

#include <memory>
#include <string>

/// Messages between GPUs by NVIDIA's library NCCL, which is looked for when it is first needed.
/// Errors are std::runtime_error with NCCL's message.
namespace Saltus::Nccl
{
  /// Whether the library was found.
  bool
  found();

  /// What names a new group: made by one rank, given to all.
  std::string
  new_group();

  /// Join a group with the current device. Collective.
  std::shared_ptr<GpuGroup>
  join(const std::string &group, const int n_ranks, const int rank);
} // namespace Saltus::Nccl

#endif
