// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "../device/no_cuda.h"

#include <saltus/base/ranks/peer_memory.h>

namespace Saltus::CudaRuntime
{
  PeerMemory::PeerMemory(const std::size_t)
  {
    unavailable();
  }

  PeerMemory::~PeerMemory() = default;

  PeerMemory::Name
  PeerMemory::name() const
  {
    unavailable();
  }

  char *
  open_peer_memory(const PeerMemory::Name &)
  {
    unavailable();
  }

  void
  send_to_peers(const PeerMessages &)
  {
    unavailable();
  }

  void
  receive_from_peers(const PeerMessages &)
  {
    unavailable();
  }

  void
  maximum_of_peers(long long *, PeerNumber *const *, const int, const int, unsigned *)
  {
    unavailable();
  }
} // namespace Saltus::CudaRuntime
