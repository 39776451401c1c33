// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <cstddef>
#include <nccl/stand_in.h>

namespace Saltus::Tests::NcclStandIn
{
  bool naming_fails  = false;
  bool joining_fails = false;
  int  n_namings     = 0;
} // namespace Saltus::Tests::NcclStandIn

using namespace Saltus::Tests;

// The functions as in NCCL's documentation: 0 is success, 2 an error of the system.
extern "C"
{
  struct Name
  {
    char bytes[128];
  };

  int
  ncclGetUniqueId(Name *name)
  {
    ++NcclStandIn::n_namings;
    *name = {};
    return NcclStandIn::naming_fails ? 2 : 0;
  }

  int
  ncclCommInitRankConfig(void **communicator, int, Name, int, void *)
  {
    *communicator = nullptr;
    return NcclStandIn::joining_fails ? 2 : 0;
  }

  const char *
  ncclGetErrorString(int)
  {
    return NcclStandIn::message;
  }

  int
  ncclGroupStart()
  {
    return 0;
  }

  int
  ncclGroupEnd()
  {
    return 0;
  }

  int
  ncclSend(const void *, std::size_t, int, int, void *, void *)
  {
    return 0;
  }

  int
  ncclRecv(void *, std::size_t, int, int, void *, void *)
  {
    return 0;
  }

  int
  ncclAllReduce(const void *, void *, std::size_t, int, int, void *, void *)
  {
    return 0;
  }
}
