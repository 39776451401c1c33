// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/memory.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/peer_group.h>
#include <saltus/base/ranks/peer_memory.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    using CudaRuntime::PeerMemory;
    using CudaRuntime::PeerMessage;
    using CudaRuntime::PeerNumber;

    /// Where a rank receives a message.
    struct Address
    {
      int              sender;
      std::size_t      size;
      PeerMemory::Name memory;
      std::size_t      first, turn; ///< as PeerMessage::to, PeerMessage::turn
      std::size_t      sendings;
    };

    std::size_t
    largest_size(const std::vector<GpuGroup::Part> &parts)
    {
      std::size_t largest = 0;
      for (const GpuGroup::Part &part : parts)
        largest = std::max(largest, part.size);
      return largest;
    }

    class MessagesToPeers : public GpuMessages
    {
    public:
      MessagesToPeers(const MPI_Comm                     communicator,
                      const Device                       device,
                      const void                        *sent,
                      const std::vector<GpuGroup::Part> &to,
                      void                              *received,
                      const std::vector<GpuGroup::Part> &from)
        : largest_to(largest_size(to))
        , largest_from(largest_size(from))
      {
        std::vector<Address> own;
        on_all_ranks(communicator, [&]() { own = make_incoming(device, received, from); });
        const auto all  = all_gather(communicator, own);
        const auto rank = this_rank(communicator);
        on_all_ranks(communicator, [&]() {
          std::vector<PeerMessage> messages;
          for (const GpuGroup::Part &part : to)
            {
              const auto begin   = all.values.begin() + all.starts[part.rank],
                         end     = all.values.begin() + all.starts[part.rank + 1];
              const auto address = std::find_if(begin, end, [&](const Address &address) {
                return address.sender == static_cast<int>(rank);
              });
              Assert(address != end && address->size == part.size, ExcInternalError());
              char *const memory = CudaRuntime::open_peer_memory(address->memory);
              messages.push_back({static_cast<const char *>(sent) + part.first,
                                  memory + address->first,
                                  part.size,
                                  address->turn,
                                  sendings(memory + address->sendings)});
            }
          outgoing = Memory<PeerMessage>(device, messages);
        });
      }

      void
      start() override
      {
        CudaRuntime::send_to_peers(in_kernels().to);
      }

      void
      finish() override
      {
        CudaRuntime::receive_from_peers(in_kernels().from);
      }

      CudaRuntime::PeerTraffic
      in_kernels() override
      {
        return {{outgoing.data(), static_cast<int>(outgoing.size()), largest_to},
                {incoming.data(), static_cast<int>(incoming.size()), largest_from}};
      }

    private:
      static constexpr std::size_t alignment = 16;

      static std::size_t
      rounded(const std::size_t size)
      {
        return (size + alignment - 1) / alignment * alignment;
      }

      /// Make the inbox and what the kernels read of it.
      /// @return where other ranks find their places
      std::vector<Address>
      make_incoming(const Device device, void *received, const std::vector<GpuGroup::Part> &from)
      {
        const std::size_t turn = rounded(largest_from);
        inbox = std::make_unique<const PeerMemory>(from.size() * (alignment + 2 * turn));
        std::vector<Address>     places;
        std::vector<PeerMessage> messages;
        for (std::size_t i = 0; i < from.size(); ++i)
          {
            const std::size_t first = from.size() * alignment + i * 2 * turn;
            places.push_back(
              {from[i].rank, from[i].size, inbox->name(), first, turn, i * alignment});
            messages.push_back({inbox->data() + first,
                                static_cast<char *>(received) + from[i].first,
                                from[i].size,
                                turn,
                                sendings(inbox->data() + i * alignment)});
          }
        incoming = Memory<PeerMessage>(device, messages);
        return places;
      }

      static unsigned *
      sendings(char *place)
      {
        return reinterpret_cast<unsigned *>(place);
      }

      const std::size_t                 largest_to, largest_from;
      std::unique_ptr<const PeerMemory> inbox;
      Memory<PeerMessage>               incoming, outgoing;
    };

    class PeerGroup : public GpuGroup
    {
    public:
      PeerGroup(const MPI_Comm communicator, const Device device)
        : communicator(Utilities::MPI::duplicate_communicator(communicator))
        , device(device)
        , n(n_ranks(communicator))
      {
        PeerMemory::Name own;
        on_all_ranks(communicator, [&]() {
          numbers = std::make_unique<PeerMemory>(n * sizeof(PeerNumber));
          own     = numbers->name();
          n_done  = Memory<unsigned>(device, 1);
        });
        const auto names = all_gather(communicator, own);
        on_all_ranks(communicator, [&]() {
          std::vector<PeerNumber *> all;
          for (unsigned int rank = 0; rank < n; ++rank)
            all.push_back(reinterpret_cast<PeerNumber *>(
              rank == this_rank(communicator) ? numbers->data()
                                              : CudaRuntime::open_peer_memory(names[rank])));
          places = Memory<PeerNumber *>(device, all);
        });
      }

      std::unique_ptr<GpuMessages>
      messages(const void              *sent,
               const std::vector<Part> &to,
               void                    *received,
               const std::vector<Part> &from) override
      {
        device.make_current();
        return std::make_unique<MessagesToPeers>(communicator, device, sent, to, received, from);
      }

      void
      maximum(long long *number) override
      {
        CudaRuntime::maximum_of_peers(
          number, places.data(), n, this_rank(communicator), n_done.data());
      }

    private:
      const MPI_Comm              communicator;
      const Device                device;
      const unsigned int          n;
      std::unique_ptr<PeerMemory> numbers; ///< `[rank]`: what each has sent here
      Memory<PeerNumber *>        places;
      Memory<unsigned>            n_done;
    };
  } // namespace

  std::shared_ptr<GpuGroup>
  peer_group(const MPI_Comm communicator, const Device device)
  {
    const bool on_one_host = NodeRanks(communicator).n == n_ranks(communicator);
    AssertThrow(on_one_host, ExcMessage("The ranks are not on one host."));
    device.make_current();
    return std::make_shared<PeerGroup>(communicator, device);
  }
} // namespace Saltus
