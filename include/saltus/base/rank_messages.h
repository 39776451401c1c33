// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_rank_messages_h
#define saltus_base_rank_messages_h

#include <saltus/base/element_partition.h>
#include <saltus/base/memory.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Messages between this rank and others that are sent again and again: a part of an array on a
  /// device to each of them, and from each a part as long. They go from GPU to GPU
  /// where ElementPartition::gpus() is a group, else through the hosts' memory by MPI.
  template <typename Number>
  class RankMessages
  {
  public:
    /// Collective.
    /// @param ranks `[i]` in ascending order: to whom and from whom the numbers
    /// `[i n, (i+1) n)` of the arrays go and come
    RankMessages(const std::shared_ptr<const ElementPartition> &partition,
                 const std::vector<unsigned int>               &ranks,
                 const unsigned int                             n,
                 const Device                                   device);

    RankMessages(const RankMessages &) = delete;
    RankMessages &
    operator=(const RankMessages &) = delete;

    ~RankMessages();

    /// Where to put what is to be sent.
    Number *
    sent_data()
    {
      return sent.data();
    }

    const Number *
    received_data() const
    {
      return received.data();
    }

    /// That this rank sends each time.
    std::size_t
    n_bytes() const
    {
      return sent.size() * sizeof(Number);
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
    Memory<Number>                                sent, received;

    std::unique_ptr<GpuMessages> messages; ///< if they go from GPU to GPU

    // Else:
    std::vector<Number>      sent_from_host, received_on_host; ///< of GPUs
    std::vector<MPI_Request> receipts, sendings;               ///< a message a rank each
  };
} // namespace Saltus

#endif
