// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/ranks/rank_messages.h>

#include <limits>

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

  std::vector<RankPart>
  rank_parts(const std::vector<unsigned int> &ranks, const std::size_t n)
  {
    std::vector<RankPart> parts;
    for (const int rank : ranks)
      if (parts.empty() || parts.back().rank != rank)
        parts.push_back({rank, n});
      else
        parts.back().size += n;
    return parts;
  }

  template <typename Number>
  RankMessages<Number>::RankMessages(const std::shared_ptr<const ElementPartition> &partition,
                                     const Device                                   device,
                                     const Number                                  *sent,
                                     const std::vector<RankPart>                   &to,
                                     Number                                        *received,
                                     const std::vector<RankPart>                   &from)
    : partition(partition)
    , device(device)
    , sent(sent)
    , received(received)
  {
    const auto in_bytes = [](const std::vector<RankPart> &parts, std::size_t &n) {
      std::vector<GpuGroup::Part> result;
      for (const RankPart &part : parts)
        {
          result.push_back({part.rank, n * sizeof(Number), part.size * sizeof(Number)});
          n += part.size;
        }
      return result;
    };
    const auto to_others = in_bytes(to, n_sent), from_others = in_bytes(from, n_received);
    if (const auto gpus = partition->gpus(device))
      {
        messages = gpus->messages(sent, to_others, received, from_others);
        return;
      }
    const char *source      = reinterpret_cast<const char *>(sent);
    char       *destination = reinterpret_cast<char *>(received);
    if (device.is_cuda())
      {
        sent_from_host.resize(n_sent);
        received_on_host.resize(n_received);
        for (std::vector<Number> *const buffer : {&sent_from_host, &received_on_host})
          if (!buffer->empty())
            CudaRuntime::pin(buffer->data(), buffer->size() * sizeof(Number));
        source      = reinterpret_cast<const char *>(sent_from_host.data());
        destination = reinterpret_cast<char *>(received_on_host.data());
      }
    for (const auto *parts : {&from_others, &to_others})
      for (const GpuGroup::Part &part : *parts)
        AssertThrow(part.size <= static_cast<std::size_t>(std::numeric_limits<int>::max()),
                    dealii::ExcMessage("A rank is to send another one " +
                                       std::to_string(part.size) +
                                       " bytes, more than MPI can count."));
    for (const GpuGroup::Part &part : from_others)
      {
        receipts.emplace_back();
        check(MPI_Recv_init(destination + part.first,
                            part.size,
                            MPI_BYTE,
                            part.rank,
                            tag,
                            partition->communicator,
                            &receipts.back()));
      }
    for (const GpuGroup::Part &part : to_others)
      {
        sendings.emplace_back();
        check(MPI_Send_init(source + part.first,
                            part.size,
                            MPI_BYTE,
                            part.rank,
                            tag,
                            partition->communicator,
                            &sendings.back()));
      }
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
    if (device.is_cuda())
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
    if (device.is_cuda())
      {
        device.make_current();
        if (n_sent > 0)
          CudaRuntime::copy_to_host(sent_from_host.data(), sent, n_bytes());
        start_all(receipts);
        start_all(sendings);
      }
    wait_for_all(receipts);
    if (device.is_cuda() && n_received > 0)
      CudaRuntime::copy_to_device(received, received_on_host.data(), n_received * sizeof(Number));
    wait_for_all(sendings);
  }

  template class RankMessages<double>;
  template class RankMessages<float>;
} // namespace Saltus
