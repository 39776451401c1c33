// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_ranks_peer_message_cuh
#define saltus_cuda_base_ranks_peer_message_cuh

#include <saltus/base/ranks/peer_memory.h>

/// How the blocks `(i, j)` of a kernel send and receive message j.
namespace Saltus::CudaRuntime
{
  /// The value of a counter that other GPUs change, and what they wrote before.
  __device__ __forceinline__ unsigned
  load_acquire(const unsigned &counter)
  {
    unsigned value;
    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(value) : "l"(&counter) : "memory");
    return value;
  }

  /// Set a counter that other GPUs read; they then see what this thread wrote before.
  __device__ __forceinline__ void
  store_release(unsigned &counter, const unsigned value)
  {
    asm volatile("st.release.sys.u32 [%0], %1;" ::"l"(&counter), "r"(value) : "memory");
  }

  /// Wait until a message was sent @p number times. (It is never more than one ahead.)
  __device__ __forceinline__ void
  wait_for_peer(const unsigned &sendings, const unsigned number)
  {
    while (static_cast<int>(load_acquire(sendings) - number) < 0)
      ;
  }

  /// Where this sending arrives.
  __device__ __forceinline__ std::size_t
                             place_of_turn(const PeerMessage &message)
  {
    return (message.n_done + 1) % 2 * message.turn;
  }

  /// Called by all threads of a block. Whether it is the last block of the message that comes here,
  /// and what the others have done can be relied upon; only thread 0 is told.
  __device__ __forceinline__ bool
  is_last_block(PeerMessage &message)
  {
    __syncthreads();
    if (threadIdx.x != 0)
      return false;
    unsigned n_before;
    asm volatile("atom.add.acq_rel.sys.u32 %0, [%1], 1;"
                 : "=r"(n_before)
                 : "l"(&message.n_blocks_done)
                 : "memory");
    const bool is_last = n_before == gridDim.x - 1;
    if (is_last)
      {
        message.n_blocks_done = 0;
        ++message.n_done;
      }
    return is_last;
  }

  /// Write at place_of_turn() in `to`, then call this with all threads.
  __device__ __forceinline__ void
  end_sending(PeerMessage &message)
  {
    if (is_last_block(message))
      store_release(*message.sendings, message.n_done);
  }

  /// Call this with all threads, then read at place_of_turn() in `from`, and call end_receiving().
  __device__ __forceinline__ void
  begin_receiving(const PeerMessage &message)
  {
    if (threadIdx.x == 0)
      wait_for_peer(*message.sendings, message.n_done + 1);
    __syncthreads();
  }

  __device__ __forceinline__ void
  end_receiving(PeerMessage &message)
  {
    is_last_block(message);
  }
} // namespace Saltus::CudaRuntime

#endif
