// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_peer_memory_h
#define saltus_base_ranks_peer_memory_h

#include <array>
#include <cstddef>

/// What GPUs of one host need to write into each other's memory. As in cuda_runtime.h, all is about
/// the current device, and errors are std::runtime_error with CUDA's message.
namespace Saltus::CudaRuntime
{
  /// Memory of the device, at first zeros, which other processes can open. It is never given back,
  /// since they may have it open, but used again: who opens it once may keep it open.
  class PeerMemory
  {
  public:
    using Name = std::array<char, 64>;

    /// Waits for the device.
    explicit PeerMemory(const std::size_t bytes);

    PeerMemory(const PeerMemory &) = delete;
    PeerMemory &
    operator=(const PeerMemory &) = delete;

    ~PeerMemory();

    char *
    data() const
    {
      return pointer;
    }

    /// By which other processes open it.
    Name
    name() const;

  private:
    int         device;
    std::size_t bytes;
    char       *pointer;
  };

  /// The memory of another process where this device sees it.
  char *
  open_peer_memory(const PeerMemory::Name &name);

  /// A message from one device to another, as both of them see it. They count its sendings. It
  /// arrives in two places by turns, so that it can be sent again while the last one is read.
  struct PeerMessage
  {
    const char *from     = nullptr;
    char       *to       = nullptr;
    std::size_t size     = 0;       ///< in bytes
    std::size_t turn     = 0;       ///< bytes from one of the two places to the other
    unsigned   *sendings = nullptr; ///< in the receiver's memory: how many have arrived

    unsigned n_done        = 0; ///< sendings that this side is done with
    unsigned n_blocks_done = 0; ///< of the sending that it works on
  };

  /// Several of them.
  struct PeerMessages
  {
    PeerMessage *messages = nullptr; ///< on the device
    int          n        = 0;
    std::size_t  largest  = 0; ///< size
  };

  /// Those to and from others.
  struct PeerTraffic
  {
    PeerMessages to, from;
  };

  /// Write messages into the receivers' memory.
  void
  send_to_peers(const PeerMessages &batch);

  /// Wait for messages in this device's memory and take them away.
  void
  receive_from_peers(const PeerMessages &batch);

  /// Place of one rank's numbers in the memory of another.
  struct PeerNumber
  {
    long long values[2]; ///< by turns
    unsigned  sendings;
  };

  /// Set a number of every device to the largest.
  /// @param places `[rank]` on the device: where that rank has a place for each rank's numbers
  /// @param n_done one on the device, at first 0
  void
  maximum_of_peers(long long         *number,
                   PeerNumber *const *places,
                   const int          n_ranks,
                   const int          rank,
                   unsigned          *n_done);
} // namespace Saltus::CudaRuntime

#endif
