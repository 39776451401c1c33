// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/environment.h>
#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/mapped_memory.h>
#include <saltus/base/device/nvrtc.h>
#include <saltus/base/device/out_of_memory.h>
#include <saltus/base/device/per_device.h>

#include "cuda_driver.h"
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

namespace Saltus::CudaDriver
{
  namespace
  {
    std::atomic<bool> has_ended{false};
  }

  const Driver &
  driver()
  {
    const auto none = []() -> const Driver & {
      static const Driver &made = *new Driver(std::initializer_list<const char *>{});
      return made;
    };
    const auto assumed = []() -> const Driver & {
      static const Driver &made = *new Driver(driver_of_assumed_gpu());
      return made;
    };
    const auto there = []() -> const Driver & {
      static const Driver &loaded = *new Driver({"libcuda.so.1", "libcuda.so"});
      return loaded; // lives as long as the process
    };
    return has_ended ? none() : (KernelCompiler::assumed() ? assumed() : there());
  }

  namespace
  {
    std::string
    message(const Status status)
    {
      const char *text = nullptr;
      if (status == Status::not_found)
        return "there is no driver of NVIDIA's";
      if (driver().error_string(status, &text) == Status::success && text != nullptr)
        return text;
      return "error " + std::to_string(static_cast<int>(status));
    }

    /// Start the driver. CUDA needs it before any other call.
    Status
    start()
    {
      if (KernelCompiler::assumed())
        return Status::success;
      static const Status status = []() {
        if (!driver().library.is_complete())
          return Status::not_found;
        // At the end of the process the driver may be gone before the last objects.
        const Status result = driver().initialize(0);
        std::atexit([]() { has_ended = true; });
        return result;
      }();
      return status;
    }
  } // namespace

  void
  check(const Status status, const char *what)
  {
    if (status != Status::success)
      throw std::runtime_error(std::string("CUDA: ") + what + ": " + message(status));
  }

  bool
  has_memory(const Status status, const char *what)
  {
    if (status != Status::out_of_memory)
      check(status, what);
    return status == Status::success;
  }
} // namespace Saltus::CudaDriver

namespace Saltus::CudaRuntime
{
  using namespace CudaDriver;

  namespace
  {
    std::atomic<std::size_t> n_transferred_bytes{0};

    /// Copy between host and device and wait.
    void
    transfer(void *to, const void *from, const std::size_t bytes, const char *what)
    {
      check(driver().copy(to, from, bytes, stream()), what);
      synchronize();
      n_transferred_bytes += bytes;
    }

    int
    attribute(const Attribute name, const int ordinal)
    {
      int value = 0;
      check(driver().attribute(&value, name, ordinal), "reading device properties");
      return value;
    }

    int
    architecture(const int ordinal)
    {
      return 10 * attribute(Attribute::major, ordinal) + attribute(Attribute::minor, ordinal);
    }

    /// The context of a device that all libraries share.
    Context
    context(const int ordinal)
    {
      static std::mutex              mutex;
      static std::map<int, Context> &known = *new std::map<int, Context>;

      const std::lock_guard<std::mutex> lock(mutex);
      Context                          &result = known[ordinal];
      if (result == nullptr)
        check(driver().primary_context(&result, ordinal), "selecting a device");
      return result;
    }

    /// Why a device that is there cannot be used; empty if it can.
    std::string
    find_obstacle(const int ordinal)
    {
      try
        {
          context(ordinal);
          if (attribute(Attribute::memory_pools, ordinal) == 0)
            return "it has no memory pools (cuMemAllocAsync), which the library needs";
          std::string reason;
          return Nvrtc::is_available(reason) ? "" : reason;
        }
      catch (const std::runtime_error &error)
        {
          return error.what();
        }
    }

    /// The same, found once.
    std::string
    obstacle(const int ordinal)
    {
      static std::mutex                  mutex;
      static std::map<int, std::string> &known = *new std::map<int, std::string>;
      const std::lock_guard<std::mutex>  lock(mutex);
      if (known.count(ordinal) == 0)
        known[ordinal] = find_obstacle(ordinal);
      return known[ordinal];
    }

    /// Let @p second go on when what was launched on @p first so far is done.
    void
    let_follow(const Stream first, const Stream second, const Event event)
    {
      check(driver().record(event, first), "ordering work");
      check(driver().wait_for(second, event, 0), "ordering work");
    }

    /// A stream, and one for what is launched beside() its work.
    class Streams
    {
    public:
      Streams()
      {
        int least, greatest;
        check(driver().priorities(&least, &greatest), "reading device properties");
        const auto create = [](Stream &stream, const int priority) {
          check(driver().create_stream(&stream, non_blocking_stream, priority),
                "creating a stream");
        };
        create(first, 0);
        create(second, greatest);
        for (Event *const event : {&forked, &joined})
          check(driver().create_event(event, event_without_timing), "creating an event");
      }

      Streams(const Streams &) = delete;
      Streams &
      operator=(const Streams &) = delete;

      ~Streams()
      {
        for (const Stream stream : {first, second})
          driver().destroy_stream(stream);
        for (const Event event : {forked, joined})
          driver().destroy_event(event);
      }

      void
      fork() const
      {
        let_follow(first, second, forked);
      }

      void
      join() const
      {
        let_follow(second, first, joined);
      }

      Stream first, second;

    private:
      Event forked, joined;
    };

    /// The streams and the memory of a device, which all threads share.
    struct DeviceContext
    {
      DeviceContext()
      {
        PoolProperties properties;
        properties.device = current_device();
        check(driver().create_pool(&pool, &properties), "creating a memory pool");
        // The pool keeps released memory for later requests.
        std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
        check(driver().set_pool(pool, PoolAttribute::release_threshold, &threshold),
              "creating a memory pool");
      }

      const Streams streams;
      Pool          pool;
    };

    /// The launches of a thread to the current device from the constructor to end(), see
    /// Graph::record(). They have streams of their own, so that launches of other threads are no
    /// part of the recording.
    class Recording
    {
    public:
      Recording()
        : device(current_device())
      {
        if (of_thread != nullptr)
          throw std::runtime_error("CUDA: a graph is being recorded already");
        check(driver().begin_graph(streams.first, CaptureMode::thread_local_only),
              "recording a graph");
        of_thread = this;
      }

      ~Recording()
      {
        if (of_thread == this)
          end();
        if (graph != nullptr)
          driver().destroy_graph(graph);
      }

      /// End the recording and release the memory that the thread released meanwhile.
      Status
      end()
      {
        of_thread           = nullptr;
        const Status status = driver().end_graph(streams.first, &graph);
        for (void *const pointer : released)
          release(pointer);
        return status;
      }

      /// The one of this thread on a device; nullptr if there is none.
      static Recording *
      find(const int device)
      {
        return of_thread != nullptr && of_thread->device == device ? of_thread : nullptr;
      }

      /// While it lives, the thread's work is no part of its recording.
      class Pause
      {
      public:
        Pause()
          : paused(of_thread)
        {
          of_thread = nullptr;
        }

        ~Pause()
        {
          of_thread = paused;
        }

      private:
        Recording *const paused;
      };

      const Streams       streams;
      CudaDriver::Graph   graph = nullptr;
      std::vector<void *> released; ///< nothing can be given back before the end

    private:
      static thread_local Recording *of_thread;

      const int device;
    };

    thread_local Recording *Recording::of_thread = nullptr;

    /// Whether this thread is within beside().
    thread_local bool is_beside = false;

    /// The streams of this thread's launches to the current device.
    const Streams &
    streams()
    {
      const int              device    = current_device();
      const Recording *const recording = Recording::find(device);
      return recording != nullptr ? recording->streams : of_device<DeviceContext>(device).streams;
    }
  } // namespace

  int
  current_device()
  {
    Context now = nullptr;
    check(driver().get_context(&now), "asking for the current device");
    int ordinal = 0;
    if (now == nullptr) // no call of this thread so far
      check(driver().set_context(context(ordinal)), "selecting a device");
    else
      check(driver().current_device(&ordinal), "asking for the current device");
    return ordinal;
  }

  int
  n_multiprocessors(const int ordinal)
  {
    return attribute(Attribute::multiprocessors, ordinal);
  }

  const char *
  lack_for_kernels(const int shared_bytes, const bool with_tensor_cores)
  {
    const GpuLimits there = limits(current_device());
    if (with_tensor_cores && !there.has_double_tensor_cores)
      return "the faster ones need tensor cores for double precision, as data center GPUs have "
             "them from compute capability 8.0 on";
    return shared_bytes > there.shared_memory
             ? "the faster ones need more shared memory than a block has on this GPU"
             : nullptr;
  }

  GpuLimits
  limits(const int ordinal)
  {
    const int there = attribute(Attribute::shared_memory_of_block, ordinal);
    const int shared =
      std::min<double>(there, environment_number("SALTUS_SHARED_MEMORY", 1, 1e9).value_or(there));
    const bool may_have_cores =
      environment_number("SALTUS_DOUBLE_TENSOR_CORES", 0, 1).value_or(1) != 0;
    return {architecture(ordinal),
            shared,
            may_have_cores && architecture(ordinal) >= 80 &&
              attribute(Attribute::single_to_double_ratio, ordinal) <= 2};
  }

  void
  outside_recording(const std::function<void()> &work)
  {
    CaptureMode mode = CaptureMode::relaxed;
    check(driver().exchange_mode(&mode), "recording a graph");
    const Recording::Pause pause;
    const bool             was_beside = is_beside;
    is_beside                         = false;
    const auto resume                 = [&]() {
      is_beside = was_beside;
      driver().exchange_mode(&mode);
    };
    try
      {
        work();
        synchronize();
      }
    catch (...)
      {
        resume();
        throw;
      }
    resume();
  }

  int
  n_devices()
  {
    int n = 0;
    return start() == Status::success && driver().n_devices(&n) == Status::success ? n : 0;
  }

  bool
  usable(const int ordinal, std::string &reason)
  {
    const Status status = start();
    if (status == Status::not_found && !driver().library.file().empty())
      reason = "the NVIDIA driver is too old: CUDA 12 needs 525 or later";
    else if (status == Status::not_found || status == Status::no_device)
      reason = "there is no NVIDIA GPU or no driver for it";
    else if (status != Status::success)
      reason = message(status);
    else if (const int n = n_devices(); ordinal < 0 || ordinal >= n)
      reason = "there are " + std::to_string(n) + " CUDA devices, numbered from 0";
    else
      reason = obstacle(ordinal);
    return reason.empty();
  }

  void
  select(const int ordinal)
  {
    if (current_device() != ordinal)
      check(driver().set_context(context(ordinal)), "selecting a device");
  }

  std::string
  description(const int ordinal)
  {
    char        name[256];
    std::size_t bytes = 0;
    check(driver().name(name, sizeof(name), ordinal), "reading device properties");
    check(driver().total_memory(&bytes, ordinal), "reading device properties");
    return std::string(name) + ", compute capability " +
           std::to_string(attribute(Attribute::major, ordinal)) + "." +
           std::to_string(attribute(Attribute::minor, ordinal)) + ", " +
           std::to_string(bytes >> 30) + " GiB";
  }

  std::string
  device_name()
  {
    std::string name(16, '\0');
    check(driver().unique_name(name.data(), current_device()), "reading device properties");
    return name;
  }

  void *
  allocate(const std::size_t bytes)
  {
    const DeviceContext &context = of_device<DeviceContext>(current_device());
    if (is_recording())
      throw std::runtime_error("CUDA: memory cannot be allocated while a graph is recorded");
    void *pointer = nullptr;
    take_memory(bytes, [&]() {
      return has_memory(
        driver().allocate_from(&pointer, bytes, context.pool, context.streams.first),
        "allocating memory");
    });
    return pointer;
  }

  void
  take_memory(const std::size_t bytes, const std::function<bool()> &attempt)
  {
    if (attempt())
      return;
    // Released memory may lie in pieces.
    synchronize();
    check(driver().trim_pool(of_device<DeviceContext>(current_device()).pool, 0),
          "giving back memory");
    if (attempt())
      return;
    std::size_t available = 0, total = 0;
    check(driver().memory(&available, &total), "asking for free memory");
    throw OutOfMemory("CUDA device " + std::to_string(current_device()) + " with its " +
                        bytes_for_people(total),
                      bytes,
                      available);
  }

  std::size_t
  available_memory()
  {
    std::size_t available = 0, total = 0;
    check(driver().memory(&available, &total), "asking for free memory");
    const Pool    pool     = of_device<DeviceContext>(current_device()).pool;
    std::uint64_t reserved = 0, used = 0;
    check(driver().get_pool(pool, PoolAttribute::reserved, &reserved), "asking for free memory");
    check(driver().get_pool(pool, PoolAttribute::used, &used), "asking for free memory");
    return available + (reserved - used);
  }

  void
  release(void *pointer) noexcept
  {
    int device;
    if (pointer == nullptr ||
        driver().of_pointer(&device, device_of_pointer, pointer) != Status::success)
      return; // at the end of the program, after CUDA's
    if (Recording *const recording = Recording::find(device))
      recording->released.push_back(pointer);
    else
      driver().release(pointer, of_device<DeviceContext>(device).streams.first);
  }

  void
  copy_to_device(void *to, const void *from, const std::size_t bytes)
  {
    transfer(to, from, bytes, "copying to the device");
  }

  void
  copy_to_host(void *to, const void *from, const std::size_t bytes)
  {
    transfer(to, from, bytes, "copying to the host");
  }

  MappedMemory::MappedMemory(const std::size_t bytes)
  {
    current_device(); // of which the memory is
    check(driver().allocate_on_host(&memory, bytes, mapped_pages), "allocating host memory");
  }

  void
  MappedMemory::read(void *to, const std::size_t bytes) const
  {
    synchronize();
    std::memcpy(to, memory, bytes);
    n_transferred_bytes += bytes;
  }

  std::size_t
  transferred_bytes()
  {
    return n_transferred_bytes;
  }

  void
  pin(void *memory, const std::size_t bytes)
  {
    current_device(); // without which there are no calls
    if (bytes > 0)
      check(driver().pin(memory, bytes, portable_pages), "pinning host memory");
  }

  void
  unpin(void *memory) noexcept
  {
    if (memory != nullptr)
      driver().unpin(memory);
  }

  void
  copy_on_device(void *to, const void *from, const std::size_t bytes)
  {
    check(driver().copy(to, from, bytes, stream()), "copying on the device");
  }

  void
  fill_zero(void *to, const std::size_t bytes)
  {
    check(driver().fill(to, 0, bytes, stream()), "filling memory");
  }

  void
  synchronize()
  {
    check(driver().wait(stream()), "running kernels");
  }

  void
  fork()
  {
    streams().fork();
  }

  void
  beside(const std::function<void()> &enqueue)
  {
    is_beside = true;
    try
      {
        enqueue();
      }
    catch (...)
      {
        is_beside = false;
        throw;
      }
    is_beside = false;
  }

  void
  join()
  {
    streams().join();
  }

  bool
  is_recording()
  {
    return Recording::find(current_device()) != nullptr;
  }

  Graph::~Graph()
  {
    clear();
  }

  void
  Graph::record(const std::function<void()> &enqueue)
  {
    clear();
    device = current_device();
    Recording recording;
    enqueue();
    check(recording.end(), "recording a graph");
    Run instance;
    // Else what was launched beside() the rest would wait until that has no more blocks to start.
    check(driver().make_run(&instance, recording.graph, node_priorities), "instantiating a graph");
    executable = instance;
  }

  void
  Graph::clear() noexcept
  {
    if (executable != nullptr)
      driver().destroy_run(static_cast<Run>(executable));
    executable = nullptr;
  }

  void
  Graph::launch() const
  {
    select(device);
    check(driver().launch_graph(static_cast<Run>(executable), stream()), "launching a graph");
  }

  double
  time(const std::function<void()> &enqueue)
  {
    Event begin, end;
    check(driver().create_event(&begin, 0), "creating an event");
    check(driver().create_event(&end, 0), "creating an event");
    check(driver().record(begin, stream()), "recording an event");
    enqueue();
    check(driver().record(end, stream()), "recording an event");
    check(driver().wait_event(end), "running kernels");
    float milliseconds = 0;
    driver().milliseconds(&milliseconds, begin, end);
    driver().destroy_event(begin);
    driver().destroy_event(end);
    return 1e-3 * milliseconds;
  }
} // namespace Saltus::CudaRuntime

namespace Saltus::CudaDriver
{
  Stream
  stream()
  {
    using namespace CudaRuntime;
    return is_beside ? streams().second : streams().first;
  }
} // namespace Saltus::CudaDriver
