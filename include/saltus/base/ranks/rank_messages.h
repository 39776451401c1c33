// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_ranks_rank_messages_h
#define saltus_base_ranks_rank_messages_h

#include <saltus/base/ranks/element_partition.h>
#include <saltus/base/ranks/gpu_group.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// So many numbers that go to a rank or come from there.
  struct RankPart
  {
    int         rank;
    std::size_t size;
  };

  /// The parts of an array whose numbers `[i n, (i+1) n)` belong to `ranks[i]`.
  /// @param ranks in ascending order
  std::vector<RankPart>
  rank_parts(const std::vector<unsigned int> &ranks, const std::size_t n);

  /// Messages between this rank and others that are sent again and again: parts of an array on a
  /// device, one after the other, go to as many ranks, and those of another array come from there.
  /// They go from GPU to GPU where ElementPartition::gpus() is a group, else through the hosts'
  /// memory by MPI.
  template <typename Number>
  class RankMessages
  {
  public:
    /// Collective.
    /// @param sent,received stay where they are as long as there are messages
    /// @param to,from by ascending ranks, none of them this one; parts are not empty. Between two
    /// messages to a rank something must have come from there, see GpuGroup::messages().
    RankMessages(const std::shared_ptr<const ElementPartition> &partition,
                 const Device                                   device,
                 const Number                                  *sent,
                 const std::vector<RankPart>                   &to,
                 Number                                        *received,
                 const std::vector<RankPart>                   &from);

    RankMessages(const RankMessages &) = delete;
    RankMessages &
    operator=(const RankMessages &) = delete;

    ~RankMessages();

    /// That this rank sends each time.
    std::size_t
    n_bytes() const
    {
      return n_sent * sizeof(Number);
    }

    /// Whether they go from GPU to GPU, so that nobody on the host waits for them.
    bool
    on_device() const
    {
      return messages != nullptr;
    }

    /// If kernels can send and receive themselves, see GpuMessages.
    CudaRuntime::PeerTraffic
    in_kernels() const
    {
      return messages ? messages->in_kernels() : CudaRuntime::PeerTraffic();
    }

    /// Once everything that was launched before has filled what is to be sent.
    void
    start();

    /// Returns when what was received may be used by what is launched afterwards, and what was sent
    /// may be overwritten.
    void
    finish();

  private:
    const std::shared_ptr<const ElementPartition> partition;
    const Device                                  device;
    const Number *const                           sent;
    Number *const                                 received;
    std::size_t                                   n_sent = 0, n_received = 0;

    std::unique_ptr<GpuMessages> messages; ///< if they go from GPU to GPU

    // Else:
    std::vector<Number>      sent_from_host, received_on_host; ///< of GPUs
    std::vector<MPI_Request> receipts, sendings;               ///< a message a rank each
  };
} // namespace Saltus

#endif
