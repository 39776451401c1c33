// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_ranks_peer_message_cuh
#define saltus_cuda_base_ranks_peer_message_cuh

#include <saltus/base/ranks/peer_memory.h>

#include <cuda/atomic>

/// How the blocks `(i, j)` of a kernel send and receive message j.
namespace Saltus::CudaRuntime
{
  using PeerCounter = cuda::atomic_ref<unsigned, cuda::thread_scope_system>;

  /// Wait until a message was sent @p number times. (It is never more than one ahead.)
  __device__ inline void
  wait_for_peer(unsigned &sendings, const unsigned number)
  {
    while (static_cast<int>(PeerCounter(sendings).load(cuda::memory_order_acquire) - number) < 0)
      ;
  }

  /// Where this sending arrives.
  __device__ inline std::size_t
  place_of_turn(const PeerMessage &message)
  {
    return (message.n_done + 1) % 2 * message.turn;
  }

  /// Called by all threads of a block. Whether it is the last block of the message that comes here,
  /// and what the others have done can be relied upon; only thread 0 is told.
  __device__ inline bool
  is_last_block(PeerMessage &message)
  {
    __syncthreads();
    if (threadIdx.x != 0)
      return false;
    const bool is_last =
      PeerCounter(message.n_blocks_done).fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    if (is_last)
      {
        message.n_blocks_done = 0;
        ++message.n_done;
      }
    return is_last;
  }

  /// Write at place_of_turn() in `to`, then call this with all threads.
  __device__ inline void
  end_sending(PeerMessage &message)
  {
    if (is_last_block(message))
      PeerCounter(*message.sendings).store(message.n_done, cuda::memory_order_release);
  }

  /// Call this with all threads, then read at place_of_turn() in `from`, and call end_receiving().
  __device__ inline void
  begin_receiving(const PeerMessage &message)
  {
    if (threadIdx.x == 0)
      wait_for_peer(*message.sendings, message.n_done + 1);
    __syncthreads();
  }

  __device__ inline void
  end_receiving(PeerMessage &message)
  {
    is_last_block(message);
  }
} // namespace Saltus::CudaRuntime

#endif
