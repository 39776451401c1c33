// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_ranks_peer_programs_cuh
#define saltus_cuda_base_ranks_peer_programs_cuh

#include <saltus/base/device/launch_shape.h>

#include <cuda/base/ranks/peer_message.cuh>

namespace Saltus::CudaKernels
{
  using CudaRuntime::PeerMessage;
  using CudaRuntime::PeerNumber;

  /// Messages as bytes. A thread copies at most 16 bytes at a time.
  struct MessageProgram
  {
    static constexpr int         n_threads = 256;
    static constexpr LaunchShape shape{n_threads, 16 * n_threads};

    static __device__ __forceinline__ void
    copy(char *to, const char *from, const std::size_t size)
    {
      const std::size_t all =
        reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | size;
      if (all % sizeof(uint4) == 0)
        copy<uint4>(to, from, size / sizeof(uint4));
      else if (all % sizeof(uint2) == 0)
        copy<uint2>(to, from, size / sizeof(uint2));
      else
        copy<unsigned>(to, from, size / sizeof(unsigned));
    }

  private:
    /// Copy @p n numbers with the blocks of the grid's row.
    template <typename T>
    static __device__ __forceinline__ void
    copy(char *to, const char *from, const std::size_t n)
    {
      for (std::size_t i = blockIdx.x * n_threads + threadIdx.x; i < n; i += gridDim.x * n_threads)
        reinterpret_cast<T *>(to)[i] = reinterpret_cast<const T *>(from)[i];
    }
  };

  struct SendProgram : MessageProgram
  {
    static __device__ __forceinline__ void
    run(PeerMessage *messages)
    {
      PeerMessage &message = messages[blockIdx.y];
      copy(message.to + place_of_turn(message), message.from, message.size);
      end_sending(message);
    }
  };

  struct ReceiveProgram : MessageProgram
  {
    static __device__ __forceinline__ void
    run(PeerMessage *messages)
    {
      PeerMessage &message = messages[blockIdx.y];
      begin_receiving(message);
      copy(message.to, message.from + place_of_turn(message), message.size);
      end_receiving(message);
    }
  };

  /// See CudaRuntime::maximum_of_peers().
  struct MaximumProgram
  {
    static constexpr LaunchShape shape{32, 1};

    static __device__ __forceinline__ void
    run(long long         *number,
        PeerNumber *const *places,
        const int          n_ranks,
        const int          rank,
        unsigned          *n_done)
    {
      __shared__ long long largest;
      const unsigned       sending = *n_done + 1;
      const long long      own     = *number;
      if (threadIdx.x == 0)
        largest = own;
      __syncthreads();
      for (int other = threadIdx.x; other < n_ranks; other += shape.n_threads)
        {
          PeerNumber &there         = places[other][rank];
          there.values[sending % 2] = own;
          CudaRuntime::store_release(there.sendings, sending);
        }
      for (int other = threadIdx.x; other < n_ranks; other += shape.n_threads)
        {
          PeerNumber &here = places[rank][other];
          CudaRuntime::wait_for_peer(here.sendings, sending);
          atomicMax(&largest, here.values[sending % 2]);
        }
      __syncthreads();
      if (threadIdx.x == 0)
        {
          *number = largest;
          *n_done = sending;
        }
    }
  };
} // namespace Saltus::CudaKernels

#endif
