// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_check_memory_h
#define saltus_base_ranks_check_memory_h

#include <deal.II/base/mpi.h>

#include <saltus/base/device/device.h>

#include <string>

namespace Saltus
{
  /// Look whether a device has room for what is about to be made, before the work begins: ranks may
  /// share the memory of a node or of a GPU. Collective.
  /// @param name of what it is, with an article
  /// @param bytes of this rank
  /// @param remedy what may help, a sentence; empty: larger elements, a lower degree, more nodes
  /// @throws dealii::ExcMessage on all ranks with the bytes that are wanted and those there are
  void
  check_memory(const Device       device,
               const MPI_Comm     communicator,
               const std::string &name,
               const double       bytes,
               const std::string &remedy = "");
} // namespace Saltus

#endif
