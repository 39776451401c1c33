// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/nccl.h>

#include <cstring>
#include <cuda/base/context.cuh>
#include <cuda/base/dynamic_library.cuh>
#include <nccl.h>

namespace Saltus::CudaRuntime
{
  namespace
  {
    /// The functions of NCCL that are needed.
    struct Functions
    {
      Functions()
      {
        library.load(get_unique_id, "ncclGetUniqueId");
        library.load(init_rank, "ncclCommInitRankConfig");
        library.load(error_string, "ncclGetErrorString");
        library.load(group_start, "ncclGroupStart");
        library.load(group_end, "ncclGroupEnd");
        library.load(send, "ncclSend");
        library.load(receive, "ncclRecv");
        library.load(all_reduce, "ncclAllReduce");
      }

      DynamicLibrary                    library{"libnccl.so.2", "libnccl.so"};
      decltype(&ncclGetUniqueId)        get_unique_id;
      decltype(&ncclCommInitRankConfig) init_rank;
      decltype(&ncclGetErrorString)     error_string;
      decltype(&ncclGroupStart)         group_start;
      decltype(&ncclGroupEnd)           group_end;
      decltype(&ncclSend)               send;
      decltype(&ncclRecv)               receive;
      decltype(&ncclAllReduce)          all_reduce;
    };

    const Functions &
    nccl()
    {
      static const Functions functions;
      return functions;
    }

    void
    check_nccl(const ncclResult_t status, const char *what)
    {
      if (status != ncclSuccess)
        throw std::runtime_error(std::string("NCCL: ") + what + ": " + nccl().error_string(status));
    }
  } // namespace

  /// A communicator with a stream of its own. It lives as long as the program: to leave a group is
  /// collective, and objects that have one are destroyed at any time.
  struct Nccl::Group
  {
    ncclComm_t   communicator;
    cudaStream_t messages;
    cudaEvent_t  may_start, done;

    /// What follows in the stream of messages comes after what was launched before.
    void
    begin()
    {
      check(cudaEventRecord(may_start, stream()), "ordering messages");
      check(cudaStreamWaitEvent(messages, may_start, 0), "ordering messages");
    }

    void
    end()
    {
      check(cudaEventRecord(done, messages), "ordering messages");
    }
  };

  bool
  Nccl::found()
  {
    return nccl().library.is_complete();
  }

  std::string
  Nccl::new_group()
  {
    ncclUniqueId id;
    check_nccl(nccl().get_unique_id(&id), "naming a group");
    return {reinterpret_cast<const char *>(&id), sizeof(id)};
  }

  std::string
  Nccl::device_name()
  {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, current_device()), "reading device properties");
    return {properties.uuid.bytes, sizeof(properties.uuid.bytes)};
  }

  Nccl::Nccl(const std::string &group, const int n_ranks, const int rank)
    : group(std::make_unique<Group>())
  {
    ncclUniqueId id;
    std::memcpy(&id, group.data(), sizeof(id));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 17, 0)
    config.maxCTAs = n_multiprocessors;
#endif
    check_nccl(nccl().init_rank(&this->group->communicator, n_ranks, id, rank, &config),
               "joining a group");
    // Before blocks of kernels that are waiting for room.
    int least, greatest;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "reading device properties");
    check(cudaStreamCreateWithPriority(&this->group->messages, cudaStreamNonBlocking, greatest),
          "creating a stream");
    for (cudaEvent_t *const event : {&this->group->may_start, &this->group->done})
      check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event");
  }

  Nccl::~Nccl() = default;

  void
  Nccl::start(const void                 *sent,
              const std::vector<Message> &to,
              void                       *received,
              const std::vector<Message> &from)
  {
    group->begin();
    check_nccl(nccl().group_start(), "sending");
    for (const Message &message : to)
      check_nccl(nccl().send(static_cast<const char *>(sent) + message.first,
                             message.size,
                             ncclChar,
                             message.rank,
                             group->communicator,
                             group->messages),
                 "sending");
    for (const Message &message : from)
      check_nccl(nccl().receive(static_cast<char *>(received) + message.first,
                                message.size,
                                ncclChar,
                                message.rank,
                                group->communicator,
                                group->messages),
                 "receiving");
    check_nccl(nccl().group_end(), "sending");
    group->end();
  }

  void
  Nccl::finish()
  {
    check(cudaStreamWaitEvent(stream(), group->done, 0), "ordering messages");
  }

  void
  Nccl::maximum(long long *number)
  {
    group->begin();
    check_nccl(nccl().all_reduce(
                 number, number, 1, ncclInt64, ncclMax, group->communicator, group->messages),
               "finding a maximum");
    group->end();
    finish();
  }
} // namespace Saltus::CudaRuntime
