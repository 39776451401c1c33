// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/dynamic_library.h>
#include <saltus/base/ranks/nccl.h>

#include "../device/cuda_driver.h"
#include <cstring>
#include <limits>
#include <stdexcept>

namespace Saltus::Nccl
{
  using CudaDriver::check;
  using CudaDriver::driver;

  namespace
  {
    /// The values and types of NCCL that the library uses, from NCCL's documentation.
    constexpr int bytes_type = 0, integer_type = 4, maximum_operation = 2;
    using Communicator = struct CommunicatorHandle *;
    using Stream       = CudaDriver::Stream;

    struct GroupName
    {
      char bytes[128];
    };

    /// The options of a group, as of NCCL 2.17. Later ones take them, too.
    struct Options
    {
      std::size_t  size         = sizeof(Options);
      unsigned int magic        = 0xcafebeef;
      unsigned int version      = 21700;
      int          blocking     = undefined;
      int          cluster_size = undefined;
      int          min_blocks   = undefined;
      int          max_blocks   = GpuGroup::n_multiprocessors;
      const char  *network      = nullptr;
      int          split_share  = undefined;

      static constexpr int undefined = std::numeric_limits<int>::min();
    };

    /// The functions of NCCL. Each returns 0 for success.
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

      DynamicLibrary library{{"libnccl.so.2", "libnccl.so"}};
      int (*get_unique_id)(GroupName *);
      int (*init_rank)(Communicator *, int, GroupName, int, Options *);
      const char *(*error_string)(int);
      int (*group_start)();
      int (*group_end)();
      int (*send)(const void *, std::size_t, int, int, Communicator, Stream);
      int (*receive)(void *, std::size_t, int, int, Communicator, Stream);
      int (*all_reduce)(const void *, void *, std::size_t, int, int, Communicator, Stream);
    };

    const Functions &
    nccl()
    {
      static const Functions functions;
      return functions;
    }

    void
    check_nccl(const int status, const char *what)
    {
      if (status != 0)
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

      Communicator communicator;
      Stream       stream;

      /// Later work of the stream waits for all earlier launches.
      void
      begin();

      void
      end();

      /// Later launches wait for the work of the stream.
      void
      wait();

    private:
      CudaDriver::Event may_start, done;
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
          check_nccl(nccl().send(sent + part.first,
                                 part.size,
                                 bytes_type,
                                 part.rank,
                                 group.communicator,
                                 group.stream),
                     "sending");
        for (const Part &part : from)
          check_nccl(nccl().receive(received + part.first,
                                    part.size,
                                    bytes_type,
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
      GroupName id;
      std::memcpy(&id, name.data(), sizeof(id));
      Options options;
      check_nccl(nccl().init_rank(&communicator, n_ranks, id, rank, &options), "joining a group");
      // Before blocks of kernels that are waiting for room.
      int least, greatest;
      check(driver().priorities(&least, &greatest), "reading device properties");
      check(driver().create_stream(&stream, CudaDriver::non_blocking_stream, greatest),
            "creating a stream");
      for (CudaDriver::Event *const event : {&may_start, &done})
        check(driver().create_event(event, CudaDriver::event_without_timing), "creating an event");
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
      check_nccl(
        nccl().all_reduce(number, number, 1, integer_type, maximum_operation, communicator, stream),
        "finding a maximum");
      end();
      wait();
    }

    void
    Group::begin()
    {
      check(driver().record(may_start, CudaDriver::stream()), "ordering messages");
      check(driver().wait_for(stream, may_start, 0), "ordering messages");
    }

    void
    Group::end()
    {
      check(driver().record(done, stream), "ordering messages");
    }

    void
    Group::wait()
    {
      check(driver().wait_for(CudaDriver::stream(), done, 0), "ordering messages");
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
    GroupName id;
    check_nccl(nccl().get_unique_id(&id), "naming a group");
    return {reinterpret_cast<const char *>(&id), sizeof(id)};
  }

  std::shared_ptr<GpuGroup>
  join(const std::string &group, const int n_ranks, const int rank)
  {
    return std::make_shared<Group>(group, n_ranks, rank);
  }
} // namespace Saltus::Nccl
