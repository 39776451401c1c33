// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/launch.h>
#include <saltus/base/device/per_device.h>
#include <saltus/base/ranks/peer_memory.h>

#include "../device/cuda_driver.h"
#include <algorithm>
#include <cstring>

namespace Saltus::CudaRuntime
{
  using namespace CudaDriver;

  namespace
  {
    static_assert(sizeof(IpcName) == sizeof(PeerMemory::Name));

    /// The memory for messages of a device.
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

    KernelSource
    source_of_sending()
    {
      return {"Saltus::CudaKernels::SendProgram", {KernelSource::Argument::of<PeerMessage *>()}};
    }

    KernelSource
    source_of_receiving()
    {
      return {"Saltus::CudaKernels::ReceiveProgram", {KernelSource::Argument::of<PeerMessage *>()}};
    }

    KernelSource
    source_of_maximum()
    {
      return {"Saltus::CudaKernels::MaximumProgram",
              {KernelSource::Argument::of<long long *>(),
               KernelSource::Argument::of<PeerNumber *const *>(),
               KernelSource::Argument::of<int>(),
               KernelSource::Argument::of<int>(),
               KernelSource::Argument::of<unsigned *>()}};
    }

    /// With few blocks for a message: they share the multiprocessors that other kernels leave.
    void
    launch(const GpuKernel &kernel, const PeerMessages &batch)
    {
      if (batch.n == 0)
        return;
      constexpr std::size_t most = 32;
      const std::size_t     one  = kernel.shape().per_block;
      GpuKernel::Options    options;
      options.n_rows = batch.n;
      kernel.launch(std::clamp(batch.largest, one, most * one), options, batch.messages);
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
        void      *memory = nullptr;
        const bool has = has_memory(driver().allocate(&memory, this->bytes), "memory for messages");
        pointer        = static_cast<char *>(memory);
        return has;
      });
    check(driver().synchronize(), "memory for messages"); // what it was used for before
    fill_zero(pointer, this->bytes);
    synchronize();
  }

  PeerMemory::~PeerMemory()
  {
    of_device<PeerMemories>(device).released.emplace(bytes, pointer);
  }

  PeerMemory::Name
  PeerMemory::name() const
  {
    IpcName handle;
    check(driver().name_memory(&handle, pointer), "sharing memory with other processes");
    Name name;
    std::memcpy(name.data(), &handle, sizeof(handle));
    return name;
  }

  char *
  open_peer_memory(const PeerMemory::Name &name)
  {
    char *&opened = of_device<PeerMemories>(current_device()).opened[name];
    if (opened == nullptr)
      {
        IpcName handle;
        void   *memory = nullptr;
        std::memcpy(&handle, name.data(), sizeof(handle));
        check(driver().open_memory(&memory, handle, lazy_peer_access),
              "opening the memory of another process");
        opened = static_cast<char *>(memory);
      }
    return opened;
  }

  void
  send_to_peers(const PeerMessages &batch)
  {
    launch(kernel_on<source_of_sending>(current_device()), batch);
  }

  void
  receive_from_peers(const PeerMessages &batch)
  {
    launch(kernel_on<source_of_receiving>(current_device()), batch);
  }

  void
  maximum_of_peers(long long         *number,
                   PeerNumber *const *places,
                   const int          n_ranks,
                   const int          rank,
                   unsigned          *n_done)
  {
    kernel_on<source_of_maximum>(current_device())
      .launch(1, {}, number, places, n_ranks, rank, n_done);
  }
} // namespace Saltus::CudaRuntime
