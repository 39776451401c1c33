// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <nccl.h>
#include <nccl/stand_in.h>

namespace Saltus::Tests::NcclStandIn
{
  bool naming_fails  = false;
  bool joining_fails = false;
  int  n_namings     = 0;
} // namespace Saltus::Tests::NcclStandIn

using namespace Saltus::Tests;

ncclResult_t
ncclGetUniqueId(ncclUniqueId *id)
{
  ++NcclStandIn::n_namings;
  *id = {};
  return NcclStandIn::naming_fails ? ncclSystemError : ncclSuccess;
}

ncclResult_t
ncclCommInitRankConfig(ncclComm_t *communicator, int, ncclUniqueId, int, ncclConfig_t *)
{
  *communicator = nullptr;
  return NcclStandIn::joining_fails ? ncclSystemError : ncclSuccess;
}

const char *
ncclGetErrorString(ncclResult_t)
{
  return NcclStandIn::message;
}

ncclResult_t
ncclGroupStart()
{
  return ncclSuccess;
}

ncclResult_t
ncclGroupEnd()
{
  return ncclSuccess;
}

ncclResult_t
ncclSend(const void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)
{
  return ncclSuccess;
}

ncclResult_t
ncclRecv(void *, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t)
{
  return ncclSuccess;
}

ncclResult_t
ncclAllReduce(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t)
{
  return ncclSuccess;
}
