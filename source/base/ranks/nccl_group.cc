// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/nccl.h>
#include <saltus/base/ranks/nccl_group.h>

#include <string>

namespace Saltus
{
  std::shared_ptr<GpuGroup>
  nccl_group(const MPI_Comm communicator)
  {
    on_all_ranks(communicator, []() {
      AssertThrow(Nccl::found(), dealii::ExcMessage("NCCL is not found on all ranks."));
    });
    std::string name;
    on_first_rank(communicator, [&]() { name = Nccl::new_group(); });
    name = all_gather(communicator, name).front();
    std::shared_ptr<GpuGroup> group;
    on_all_ranks(communicator, [&]() {
      group = Nccl::join(name, n_ranks(communicator), this_rank(communicator));
    });
    return group;
  }
} // namespace Saltus
