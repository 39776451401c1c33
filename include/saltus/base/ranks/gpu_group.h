// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_gpu_group_h
#define saltus_base_ranks_gpu_group_h

#include <saltus/base/ranks/peer_memory.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace Saltus
{
  /// Messages between GPUs that are sent again and again, see GpuGroup::messages(). They stand in a
  /// row with the other work of a device, and nobody on the host waits for them.
  class GpuMessages
  {
  public:
    virtual ~GpuMessages() = default;

    /// Begin when what was launched before is done.
    virtual void
    start() = 0;

    /// What is launched afterwards waits for the messages.
    virtual void
    finish() = 0;

    /// If kernels can write what is sent where it is received and read it there, instead of start()
    /// and finish(): the messages to and from others. Else there are none.
    virtual CudaRuntime::PeerTraffic
    in_kernels()
    {
      return {};
    }
  };

  /// The GPUs of the ranks of a communicator, one each, which send each other messages without
  /// their hosts. All ranks call the same functions in the same order.
  class GpuGroup
  {
  public:
    /// Messages occupy at most so many: kernels whose blocks stay until all is done should leave
    /// them free.
    static constexpr int n_multiprocessors = 2;

    /// Bytes `[first, first + size)` of an array that go to @p rank or come from there.
    struct Part
    {
      int         rank;
      std::size_t first, size;
    };

    virtual ~GpuGroup() = default;

    /// Parts of the array @p sent that go to other ranks, one to a rank, and of @p received that
    /// come from there. Between two messages to a rank this rank must have finish()ed one from
    /// there, of these or of others. Collective.
    virtual std::unique_ptr<GpuMessages>
    messages(const void              *sent,
             const std::vector<Part> &to,
             void                    *received,
             const std::vector<Part> &from) = 0;

    /// Set a number on each device to the largest of them, in a row with the other work.
    virtual void
    maximum(long long *number) = 0;
  };
} // namespace Saltus

#endif
