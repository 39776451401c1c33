// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/dynamic_library.h>
#include <saltus/base/ranks/nccl.h>

#include <cstring>
#include <cuda/base/device/context.cuh>
#include <nccl.h>

namespace Saltus::Nccl
{
  using CudaRuntime::check;

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

    /// A communicator with a stream of its own. It lives as long as the program: to leave a group
    /// is collective, and objects that have one are destroyed at any time.
    class Group : public GpuGroup
    {
    public:
      Group(const std::string &name, const int n_ranks, const int rank);

      std::unique_ptr<GpuMessages>
      messages(const void              *sent,
               const std::vector<Part> &to,
               void                    *received,
               const std::vector<Part> &from) override;

      void
      maximum(long long *number) override;

      ncclComm_t   communicator;
      cudaStream_t stream;

      /// What follows in the stream comes after what was launched before.
      void
      begin();

      void
      end();

      /// What is launched afterwards comes after what the stream has to do.
      void
      wait();

    private:
      cudaEvent_t may_start, done;
    };

    class Messages : public GpuMessages
    {
    public:
      using Part = GpuGroup::Part;

      Messages(Group                   &group,
               const char              *sent,
               const std::vector<Part> &to,
               char                    *received,
               const std::vector<Part> &from)
        : group(group)
        , sent(sent)
        , received(received)
        , to(to)
        , from(from)
      {}

      void
      start() override
      {
        group.begin();
        check_nccl(nccl().group_start(), "sending");
        for (const Part &part : to)
          check_nccl(
            nccl().send(
              sent + part.first, part.size, ncclChar, part.rank, group.communicator, group.stream),
            "sending");
        for (const Part &part : from)
          check_nccl(nccl().receive(received + part.first,
                                    part.size,
                                    ncclChar,
                                    part.rank,
                                    group.communicator,
                                    group.stream),
                     "receiving");
        check_nccl(nccl().group_end(), "sending");
        group.end();
      }

      void
      finish() override
      {
        group.wait();
      }

    private:
      Group                  &group;
      const char *const       sent;
      char *const             received;
      const std::vector<Part> to, from;
    };

    Group::Group(const std::string &name, const int n_ranks, const int rank)
    {
      ncclUniqueId id;
      std::memcpy(&id, name.data(), sizeof(id));
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 17, 0)
      config.maxCTAs = n_multiprocessors;
#endif
      check_nccl(nccl().init_rank(&communicator, n_ranks, id, rank, &config), "joining a group");
      // Before blocks of kernels that are waiting for room.
      int least, greatest;
      check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "reading device properties");
      check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest),
            "creating a stream");
      for (cudaEvent_t *const event : {&may_start, &done})
        check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event");
    }

    std::unique_ptr<GpuMessages>
    Group::messages(const void              *sent,
                    const std::vector<Part> &to,
                    void                    *received,
                    const std::vector<Part> &from)
    {
      return std::make_unique<Messages>(
        *this, static_cast<const char *>(sent), to, static_cast<char *>(received), from);
    }

    void
    Group::maximum(long long *number)
    {
      begin();
      check_nccl(nccl().all_reduce(number, number, 1, ncclInt64, ncclMax, communicator, stream),
                 "finding a maximum");
      end();
      wait();
    }

    void
    Group::begin()
    {
      check(cudaEventRecord(may_start, CudaRuntime::stream()), "ordering messages");
      check(cudaStreamWaitEvent(stream, may_start, 0), "ordering messages");
    }

    void
    Group::end()
    {
      check(cudaEventRecord(done, stream), "ordering messages");
    }

    void
    Group::wait()
    {
      check(cudaStreamWaitEvent(CudaRuntime::stream(), done, 0), "ordering messages");
    }
  } // namespace

  bool
  found()
  {
    return nccl().library.is_complete();
  }

  std::string
  new_group()
  {
    ncclUniqueId id;
    check_nccl(nccl().get_unique_id(&id), "naming a group");
    return {reinterpret_cast<const char *>(&id), sizeof(id)};
  }

  std::shared_ptr<GpuGroup>
  join(const std::string &group, const int n_ranks, const int rank)
  {
    return std::make_shared<Group>(group, n_ranks, rank);
  }
} // namespace Saltus::Nccl
