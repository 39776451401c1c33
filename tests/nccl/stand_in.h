// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_nccl_stand_in_h
#define saltus_tests_nccl_stand_in_h

/// A library in the place of NCCL: whoever links it has it loaded under NCCL's name before Saltus
/// looks for that. It carries no messages, but fails where it is told to.
namespace Saltus::Tests::NcclStandIn
{
  extern bool naming_fails;  ///< ncclGetUniqueId()
  extern bool joining_fails; ///< ncclCommInitRankConfig()
  extern int  n_namings;     ///< calls of ncclGetUniqueId()

  const char *const message = "the stand-in was told to fail"; ///< of both
} // namespace Saltus::Tests::NcclStandIn

#endif
