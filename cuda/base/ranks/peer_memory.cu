// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/available_memory.h>

#include <algorithm>
#include <cstring>
#include <cuda/base/device/context.cuh>
#include <cuda/base/ranks/peer_message.cuh>

namespace Saltus::CudaRuntime
{
  namespace
  {
    static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(PeerMemory::Name));

    /// Of a device.
    struct PeerMemories
    {
      std::multimap<std::size_t, char *> released; ///< by size
      std::map<PeerMemory::Name, char *> opened;   ///< of other processes
    };

    /// The smallest size that CUDA does not give together with other memory, doubled until
    /// @p bytes fit: few sizes can be used again more often.
    std::size_t
    size_for(const std::size_t bytes)
    {
      std::size_t size = std::size_t(2) << 20;
      while (size < bytes)
        size *= 2;
      return size;
    }

    constexpr int n_threads = 256;

    /// Bytes that a block of threads copies, if there is no more than max_blocks of them for a
    /// message: they share the few multiprocessors that other kernels leave to messages.
    constexpr std::size_t bytes_per_block = 16 * n_threads;
    constexpr int         max_blocks      = 32;

    /// Copy @p n numbers with the blocks of the grid's row.
    template <typename T>
    __device__ void
    copy(char *to, const char *from, const std::size_t n)
    {
      for (std::size_t i = blockIdx.x * n_threads + threadIdx.x; i < n; i += gridDim.x * n_threads)
        reinterpret_cast<T *>(to)[i] = reinterpret_cast<const T *>(from)[i];
    }

    __device__ void
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

    __global__ void
    send_kernel(PeerMessage *messages)
    {
      PeerMessage &message = messages[blockIdx.y];
      copy(message.to + place_of_turn(message), message.from, message.size);
      end_sending(message);
    }

    __global__ void
    receive_kernel(PeerMessage *messages)
    {
      PeerMessage &message = messages[blockIdx.y];
      begin_receiving(message);
      copy(message.to, message.from + place_of_turn(message), message.size);
      end_receiving(message);
    }

    __global__ void
    maximum_kernel(long long         *number,
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
      for (int other = threadIdx.x; other < n_ranks; other += blockDim.x)
        {
          PeerNumber &there         = places[other][rank];
          there.values[sending % 2] = own;
          PeerCounter(there.sendings).store(sending, cuda::memory_order_release);
        }
      for (int other = threadIdx.x; other < n_ranks; other += blockDim.x)
        {
          PeerNumber &here = places[rank][other];
          wait_for_peer(here.sendings, sending);
          atomicMax(&largest, here.values[sending % 2]);
        }
      __syncthreads();
      if (threadIdx.x == 0)
        {
          *number = largest;
          *n_done = sending;
        }
    }

    void
    launch(void (*kernel)(PeerMessage *), const PeerMessages &batch)
    {
      if (batch.n == 0)
        return;
      const std::size_t wanted = (batch.largest + bytes_per_block - 1) / bytes_per_block;
      const dim3        grid(std::clamp<std::size_t>(wanted, 1, max_blocks), batch.n);
      kernel<<<grid, n_threads, 0, stream()>>>(batch.messages);
      check_launch("messages between GPUs");
    }
  } // namespace

  PeerMemory::PeerMemory(const std::size_t bytes)
    : device(current_device())
    , bytes(size_for(bytes))
  {
    auto      &released = of_device<PeerMemories>(device).released;
    const auto known    = released.find(this->bytes);
    if (known != released.end())
      {
        pointer = known->second;
        released.erase(known);
      }
    else
      take_memory(this->bytes, [&]() {
        return has_memory(cudaMalloc(&pointer, this->bytes), "memory for messages");
      });
    check(cudaDeviceSynchronize(), "memory for messages"); // what it was used for before
    check(cudaMemset(pointer, 0, this->bytes), "memory for messages");
    check(cudaDeviceSynchronize(), "memory for messages");
  }

  PeerMemory::~PeerMemory()
  {
    of_device<PeerMemories>(device).released.emplace(bytes, pointer);
  }

  PeerMemory::Name
  PeerMemory::name() const
  {
    cudaIpcMemHandle_t handle;
    check(cudaIpcGetMemHandle(&handle, pointer), "sharing memory with other processes");
    Name name;
    std::memcpy(name.data(), &handle, sizeof(handle));
    return name;
  }

  char *
  open_peer_memory(const PeerMemory::Name &name)
  {
    char *&opened = of_current_device<PeerMemories>().opened[name];
    if (opened == nullptr)
      {
        cudaIpcMemHandle_t handle;
        std::memcpy(&handle, name.data(), sizeof(handle));
        check(cudaIpcOpenMemHandle(reinterpret_cast<void **>(&opened),
                                   handle,
                                   cudaIpcMemLazyEnablePeerAccess),
              "opening the memory of another process");
      }
    return opened;
  }

  void
  send_to_peers(const PeerMessages &batch)
  {
    launch(send_kernel, batch);
  }

  void
  receive_from_peers(const PeerMessages &batch)
  {
    launch(receive_kernel, batch);
  }

  void
  maximum_of_peers(long long         *number,
                   PeerNumber *const *places,
                   const int          n_ranks,
                   const int          rank,
                   unsigned          *n_done)
  {
    maximum_kernel<<<1, 32, 0, stream()>>>(number, places, n_ranks, rank, n_done);
    check_launch("maximum of all GPUs");
  }
} // namespace Saltus::CudaRuntime
