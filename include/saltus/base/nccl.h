// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_nccl_h
#define saltus_base_nccl_h

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace Saltus::CudaRuntime
{
  /// Messages between GPUs by NVIDIA's library NCCL, without its headers. What is sent stands in a
  /// row with the other work of a device, and nobody on the host waits for it. NCCL is looked for
  /// when it is first needed. Errors are std::runtime_error with NCCL's message.
  ///
  /// All ranks of a group call the same functions in the same order.
  class Nccl
  {
  public:
    /// Messages occupy at most so many: kernels whose blocks stay until all is done should leave
    /// them free.
    static constexpr int n_multiprocessors = 2;

    /// Bytes `[first, first + size)` of an array that go to @p rank or come from there.
    struct Message
    {
      int         rank;
      std::size_t first, size;
    };

    /// Whether the library was found. (Saltus may have been compiled without its header.)
    static bool
    found();

    /// What names a new group: made by one rank, given to all.
    static std::string
    new_group();

    /// What names the current device among all. A device has one place in a group.
    static std::string
    device_name();

    /// Join a group with the current device. Collective.
    Nccl(const std::string &group, const int n_ranks, const int rank);

    ~Nccl();

    /// Begin when what was launched before is done, beside what is launched afterwards.
    void
    start(const void                 *sent,
          const std::vector<Message> &to,
          void                       *received,
          const std::vector<Message> &from);

    /// What is launched afterwards waits for the messages.
    void
    finish();

    /// Set a number on each device to the largest of them, in a row with the other work.
    void
    maximum(long long *number);

  private:
    struct Group;
    std::unique_ptr<Group> group;
  };
} // namespace Saltus::CudaRuntime

#endif
