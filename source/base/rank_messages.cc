// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>
#include <saltus/base/rank_messages.h>

#include <algorithm>

namespace Saltus
{
  namespace
  {
    void
    check(const int status)
    {
      AssertThrow(status == MPI_SUCCESS, dealii::ExcMPI(status));
    }

    // Open MPI takes no null pointer, even for no requests.
    void
    start_all(std::vector<MPI_Request> &requests)
    {
      if (!requests.empty())
        check(MPI_Startall(requests.size(), requests.data()));
    }

    void
    wait_for_all(std::vector<MPI_Request> &requests)
    {
      if (!requests.empty())
        check(MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE));
    }

    constexpr int tag = 0; // the communicator is ours alone
  }                        // namespace

  template <typename Number>
  RankMessages<Number>::RankMessages(const std::shared_ptr<const ElementPartition> &partition,
                                     const std::vector<unsigned int>               &ranks,
                                     const unsigned int                             n,
                                     const Device                                   device)
    : partition(partition)
    , sent(device, ranks.size() * n)
    , received(device, ranks.size() * n)
  {
    const auto for_ranks = [&](const auto &body) {
      for (auto begin = ranks.begin(); begin != ranks.end();)
        {
          const auto end = std::upper_bound(begin, ranks.end(), *begin);
          body(*begin,
               static_cast<std::size_t>(begin - ranks.begin()) * n,
               static_cast<std::size_t>(end - begin) * n * sizeof(Number));
          begin = end;
        }
    };
    if (const auto gpus = partition->gpus(device))
      {
        std::vector<GpuGroup::Part> parts;
        for_ranks([&](const int rank, const std::size_t first, const std::size_t bytes) {
          parts.push_back({rank, first * sizeof(Number), bytes});
        });
        messages = gpus->messages(sent.data(), parts, received.data(), parts);
        return;
      }
    Number *from = sent.data(), *to = received.data();
    if (device.is_cuda())
      {
        sent_from_host.resize(sent.size());
        received_on_host.resize(received.size());
        from = sent_from_host.data();
        to   = received_on_host.data();
        for (std::vector<Number> *const buffer : {&sent_from_host, &received_on_host})
          CudaRuntime::pin(buffer->data(), buffer->size() * sizeof(Number));
      }
    for_ranks([&](const int rank, const std::size_t first, const std::size_t bytes) {
      receipts.emplace_back();
      check(MPI_Recv_init(
        to + first, bytes, MPI_BYTE, rank, tag, partition->communicator, &receipts.back()));
      sendings.emplace_back();
      check(MPI_Send_init(
        from + first, bytes, MPI_BYTE, rank, tag, partition->communicator, &sendings.back()));
    });
  }

  template <typename Number>
  RankMessages<Number>::~RankMessages()
  {
    for (auto *requests : {&receipts, &sendings})
      for (MPI_Request &request : *requests)
        MPI_Request_free(&request);
    for (std::vector<Number> *const buffer : {&sent_from_host, &received_on_host})
      if (!buffer->empty())
        CudaRuntime::unpin(buffer->data());
  }

  template <typename Number>
  void
  RankMessages<Number>::start()
  {
    if (messages)
      {
        messages->start();
        return;
      }
    if (sent.device().is_cuda())
      return; // the host would wait for what is to be sent, and not launch what can be done
              // meanwhile
    start_all(receipts);
    start_all(sendings);
  }

  template <typename Number>
  void
  RankMessages<Number>::finish()
  {
    if (messages)
      {
        messages->finish();
        return;
      }
    if (sent.device().is_cuda())
      {
        sent.copy_to_host(sent_from_host.data());
        start_all(receipts);
        start_all(sendings);
      }
    wait_for_all(receipts);
    if (received.device().is_cuda())
      received.copy_from_host(received_on_host.data());
    wait_for_all(sendings);
  }

  template class RankMessages<double>;
  template class RankMessages<float>;
} // namespace Saltus
