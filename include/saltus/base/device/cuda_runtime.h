// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_cuda_runtime_h
#define saltus_base_device_cuda_runtime_h

#include <cstddef>
#include <functional>
#include <string>

namespace Saltus
{
  struct GpuLimits;
}

/// The few services of GPUs that host code needs, without CUDA's headers. NVIDIA's driver is loaded
/// when it is first needed. Where there is none, n_devices() is 0, usable() is false, and nothing
/// else may be called. Every function throws std::runtime_error with CUDA's message when a call
/// fails.
///
/// Every device that is used has one stream, on which all its work stands in a row, but for what is
/// launched beside() it: that of all threads of the host, so that they may work at a time. What a
/// thread records in a Graph is no part of it, and has nothing of what others launch meanwhile.
/// What takes no device goes to the current one of the calling thread: the one that was selected
/// last.
namespace Saltus::CudaRuntime
{
  /// Devices that CUDA sees, whether they can be used or not.
  int
  n_devices();

  /// Whether device @p ordinal can be used; if not, @p reason says why: it is not there, it does
  /// not answer, or NVRTC is missing.
  bool
  usable(const int ordinal, std::string &reason);

  /// Make device @p ordinal the current one of this thread.
  void
  select(const int ordinal);

  /// The device of this thread; 0 at first.
  int
  current_device();

  int
  n_multiprocessors(const int ordinal);

  /// The limits of a device. The environment variables SALTUS_SHARED_MEMORY and
  /// SALTUS_DOUBLE_TENSOR_CORES lower them, so that the kernels of other GPUs can be tried.
  /// @throws std::runtime_error if such a variable is no number
  GpuLimits
  limits(const int ordinal);

  /// Name, compute capability and memory of a device, for messages.
  std::string
  description(const int ordinal);

  /// What names the current device among all of all hosts.
  std::string
  device_name();

  /// Why kernels do not run on the current device, for KernelSet::fallback(); nullptr if they do.
  /// @param shared_bytes that a block needs
  /// @param with_tensor_cores whether kernels need them for double precision
  const char *
  lack_for_kernels(const int shared_bytes, const bool with_tensor_cores = false);

  /// Memory of the device, to be used after what was launched before, from a pool in which it stays
  /// when it is released: neither waits.
  /// @throws OutOfMemory
  /// @throws std::runtime_error while a graph is recorded
  void *
  allocate(const std::size_t bytes);

  /// Give memory back once what was launched before on its device is done, whichever device is the
  /// current one.
  void
  release(void *pointer) noexcept;

  void
  copy_to_device(void *to, const void *from, const std::size_t bytes);

  /// Waits for the copy.
  void
  copy_to_host(void *to, const void *from, const std::size_t bytes);

  /// Keep host memory in its place, which makes copies from and to it fast.
  void
  pin(void *memory, const std::size_t bytes);

  void
  unpin(void *memory) noexcept;

  /// Bytes copied between host and device, in both directions, since the program began.
  std::size_t
  transferred_bytes();

  void
  copy_on_device(void *to, const void *from, const std::size_t bytes);

  void
  fill_zero(void *to, const std::size_t bytes);

  /// Wait until all work is done; reports errors of kernels.
  void
  synchronize();

  /// What beside() launches from now on begins when the work so far is done.
  void
  fork();

  /// Do what @p enqueue does on a second stream of the current device, between fork() and join(),
  /// beside the work that is launched outside. Where there is room for one of both only, this goes
  /// first.
  void
  beside(const std::function<void()> &enqueue);

  /// What is launched from now on begins when what was launched beside it is done, too.
  void
  join();

  /// A sequence of launches recorded once and replayed with little launch cost.
  class Graph
  {
  public:
    Graph()              = default;
    Graph(const Graph &) = delete;
    Graph &
    operator=(const Graph &) = delete;
    ~Graph();

    /// Record what @p enqueue launches on the current device; nothing runs yet. @p enqueue must not
    /// allocate or wait. If it throws, nothing is recorded and the stream goes on as before.
    void
    record(const std::function<void()> &enqueue);

    bool
    recorded() const
    {
      return executable != nullptr;
    }

    void
    clear() noexcept;

    /// On the device where it was recorded.
    void
    launch() const;

  private:
    void *executable = nullptr;
    int   device     = 0;
  };

  /// Whether what is launched now goes into a graph, see Graph::record().
  bool
  is_recording();

  /// Do work that a graph cannot record, allocations for example, in the device's stream, and wait
  /// for its end. A graph that this thread records is not affected.
  void
  outside_recording(const std::function<void()> &work);

  /// Seconds that the device spends on what @p enqueue launches, by events.
  double
  time(const std::function<void()> &enqueue);
} // namespace Saltus::CudaRuntime

#endif
