// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/environment.h>
#include <saltus/base/device/nvrtc.h>
#include <saltus/base/device/out_of_memory.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <cuda/base/device/context.cuh>
#include <cuda/base/device/mapped_memory.cuh>
#include <limits>
#include <vector>

namespace Saltus::CudaRuntime
{
  namespace
  {
    std::atomic<std::size_t> n_transferred_bytes{0};

    /// Copy between host and device and wait.
    void
    transfer(void                *to,
             const void          *from,
             const std::size_t    bytes,
             const cudaMemcpyKind direction,
             const char          *what)
    {
      check(cudaMemcpyAsync(to, from, bytes, direction, stream()), what);
      synchronize();
      n_transferred_bytes += bytes;
    }

    __global__ void
    probe_kernel()
    {}

    /// Why a device that is there cannot be used; empty if it can.
    std::string
    find_obstacle(const int ordinal)
    {
      int                has_pools = 0;
      cudaFuncAttributes attributes;
      cudaError_t        status = cudaSetDevice(ordinal);
      if (status == cudaSuccess)
        status = cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, ordinal);
      if (status == cudaSuccess && has_pools == 0)
        return "it has no memory pools (cudaMallocAsync), which the library needs";
      if (status == cudaSuccess)
        status = cudaFuncGetAttributes(&attributes, probe_kernel);
      if (std::string reason; status == cudaSuccess)
        return Nvrtc::is_available(reason) ? "" : reason;
      succeeds(status);
      if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidDeviceFunction)
        return "it is an " + description(ordinal) +
               ", but the library was compiled for the architectures " SALTUS_CUDA_ARCHITECTURES
               "; configure with -DCMAKE_CUDA_ARCHITECTURES=" +
               std::to_string(architecture(ordinal));
      return cudaGetErrorString(status);
    }

    /// The same, found once; the current device stays.
    std::string
    obstacle(const int ordinal)
    {
      static std::mutex                  mutex;
      static std::map<int, std::string> &known = *new std::map<int, std::string>;
      std::lock_guard<std::mutex>        lock(mutex);
      if (known.count(ordinal) == 0)
        {
          const int present = current_device();
          known[ordinal]    = find_obstacle(ordinal);
          cudaSetDevice(present);
        }
      return known[ordinal];
    }

    /// Let @p second go on when what was launched on @p first so far is done.
    void
    let_follow(const cudaStream_t first, const cudaStream_t second, const cudaEvent_t event)
    {
      check(cudaEventRecord(event, first), "ordering work");
      check(cudaStreamWaitEvent(second, event, 0), "ordering work");
    }

    /// A stream, and one for what is launched beside() its work.
    class Streams
    {
    public:
      Streams()
      {
        check(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), "creating a stream");
        int least, greatest;
        check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "reading device properties");
        check(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest),
              "creating a stream");
        for (cudaEvent_t *const event : {&forked, &joined})
          check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event");
      }

      Streams(const Streams &) = delete;
      Streams &
      operator=(const Streams &) = delete;

      ~Streams()
      {
        for (const cudaStream_t stream : {first, second})
          cudaStreamDestroy(stream);
        for (const cudaEvent_t event : {forked, joined})
          cudaEventDestroy(event);
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

      cudaStream_t first, second;

    private:
      cudaEvent_t forked, joined;
    };

    /// What all threads share of a device: the streams of all its work, and its memory.
    struct DeviceContext
    {
      DeviceContext()
      {
        cudaMemPoolProps properties{};
        properties.allocType     = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id   = current_device();
        check(cudaMemPoolCreate(&pool, &properties), "creating a memory pool");
        // What was released is for the next one who asks, and not given back to the system.
        std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
        check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold),
              "creating a memory pool");
      }

      const Streams streams;
      cudaMemPool_t pool;
    };

    /// What a thread records on the current device, see Graph::record(), from the constructor to
    /// end(). It goes through streams of its own: what other threads launch meanwhile is no part of
    /// it.
    class Recording
    {
    public:
      Recording()
        : device(current_device())
      {
        if (of_thread != nullptr)
          throw std::runtime_error("CUDA: a graph is being recorded already");
        check(cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal),
              "recording a graph");
        of_thread = this;
      }

      ~Recording()
      {
        if (of_thread == this)
          end();
        if (graph != nullptr)
          cudaGraphDestroy(graph);
      }

      /// Whether it went well. What was released meanwhile is given back.
      cudaError_t
      end()
      {
        of_thread                = nullptr;
        const cudaError_t status = cudaStreamEndCapture(streams.first, &graph);
        succeeds(status);
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
      cudaGraph_t         graph = nullptr;
      std::vector<void *> released; ///< nothing can be given back before the end

    private:
      static thread_local Recording *of_thread;

      const int device;
    };

    thread_local Recording *Recording::of_thread = nullptr;

    /// Whether this thread is within beside().
    thread_local bool is_beside = false;

    /// Those of this thread's launches to the current device.
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
    int ordinal = 0;
    check(cudaGetDevice(&ordinal), "asking for the current device");
    return ordinal;
  }

  namespace
  {
    int
    attribute(const cudaDeviceAttr name, const int ordinal)
    {
      int value = 0;
      check(cudaDeviceGetAttribute(&value, name, ordinal), "reading device properties");
      return value;
    }

    /// The code that runs on the current device, which may have been compiled for an older one.
    struct CompiledCode
    {
      CompiledCode()
      {
        cudaFuncAttributes code;
        check(cudaFuncGetAttributes(&code, probe_kernel), "asking for a kernel's version");
        version = code.ptxVersion;
      }

      int version; ///< the compute capability, 90 for 9.0
    };
  } // namespace

  int
  architecture(const int ordinal)
  {
    return 10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
           attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
  }

  int
  n_multiprocessors(const int ordinal)
  {
    return attribute(cudaDevAttrMultiProcessorCount, ordinal);
  }

  bool
  has_double_tensor_cores(const int ordinal)
  {
    // So that the kernels of other GPUs can be tried.
    if (environment_number("SALTUS_DOUBLE_TENSOR_CORES", 0, 1).value_or(1) == 0)
      return false;
    return of_device<CompiledCode>(ordinal).version >= 80 &&
           attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, ordinal) <= 2;
  }

  int
  shared_memory_of_block()
  {
    const int there = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, current_device());
    return std::min<double>(there,
                            environment_number("SALTUS_SHARED_MEMORY", 1, 1e9).value_or(there));
  }

  const char *
  lack_for_kernels(const int shared_bytes, const bool with_tensor_cores)
  {
    if (with_tensor_cores && !has_double_tensor_cores(current_device()))
      return "the faster ones need tensor cores for double precision, as data center GPUs have "
             "them from compute capability 8.0 on";
    return shared_bytes > shared_memory_of_block()
             ? "the faster ones need more shared memory than a block has on this GPU"
             : nullptr;
  }

  GpuLimits
  limits(const int ordinal)
  {
    const int there = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
    const int shared =
      std::min<double>(there, environment_number("SALTUS_SHARED_MEMORY", 1, 1e9).value_or(there));
    const bool may_have_cores =
      environment_number("SALTUS_DOUBLE_TENSOR_CORES", 0, 1).value_or(1) != 0;
    return {architecture(ordinal),
            shared,
            may_have_cores && architecture(ordinal) >= 80 &&
              attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, ordinal) <= 2};
  }

  void
  outside_recording(const std::function<void()> &work)
  {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    check(cudaThreadExchangeStreamCaptureMode(&mode), "recording a graph");
    const Recording::Pause pause;
    const bool             was_beside = is_beside;
    is_beside                         = false;
    const auto resume                 = [&]() {
      is_beside = was_beside;
      cudaThreadExchangeStreamCaptureMode(&mode);
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

  cudaStream_t
  stream()
  {
    return is_beside ? streams().second : streams().first;
  }

  bool
  is_built()
  {
    return true;
  }

  int
  n_devices()
  {
    int n = 0;
    return succeeds(cudaGetDeviceCount(&n)) ? n : 0;
  }

  bool
  usable(const int ordinal, std::string &reason)
  {
    int               n      = 0;
    const cudaError_t status = cudaGetDeviceCount(&n);
    succeeds(status);
    if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice)
      reason = "there is no NVIDIA GPU or no driver for it";
    else if (status != cudaSuccess)
      reason = cudaGetErrorString(status);
    else if (ordinal < 0 || ordinal >= n)
      reason = "there are " + std::to_string(n) + " CUDA devices, numbered from 0";
    else
      reason = obstacle(ordinal);
    return reason.empty();
  }

  void
  select(const int ordinal)
  {
    if (current_device() != ordinal)
      check(cudaSetDevice(ordinal), "selecting a device");
  }

  std::string
  description(const int ordinal)
  {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, ordinal), "reading device properties");
    return std::string(properties.name) + ", compute capability " +
           std::to_string(properties.major) + "." + std::to_string(properties.minor) + ", " +
           std::to_string(properties.totalGlobalMem >> 30) + " GiB";
  }

  std::string
  device_name()
  {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, current_device()), "reading device properties");
    return {properties.uuid.bytes, sizeof(properties.uuid.bytes)};
  }

  void *
  allocate(const std::size_t bytes)
  {
    const DeviceContext &context = of_current_device<DeviceContext>();
    if (is_recording())
      throw std::runtime_error("CUDA: memory cannot be allocated while a graph is recorded");
    void *pointer = nullptr;
    take_memory(bytes, [&]() {
      return has_memory(
        cudaMallocFromPoolAsync(&pointer, bytes, context.pool, context.streams.first),
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
    check(cudaMemPoolTrimTo(of_current_device<DeviceContext>().pool, 0), "giving back memory");
    if (attempt())
      return;
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "asking for free memory");
    throw OutOfMemory("CUDA device " + std::to_string(current_device()) + " with its " +
                        bytes_for_people(total),
                      bytes,
                      available);
  }

  std::size_t
  available_memory()
  {
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "asking for free memory");
    const cudaMemPool_t pool     = of_current_device<DeviceContext>().pool;
    std::uint64_t       reserved = 0, used = 0;
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved),
          "asking for free memory");
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used),
          "asking for free memory");
    return available + (reserved - used);
  }

  void
  release(void *pointer) noexcept
  {
    cudaPointerAttributes attributes;
    if (pointer == nullptr || !succeeds(cudaPointerGetAttributes(&attributes, pointer)))
      return; // at the end of the program, after CUDA's
    if (Recording *const recording = Recording::find(attributes.device))
      recording->released.push_back(pointer);
    else
      succeeds(cudaFreeAsync(pointer, of_device<DeviceContext>(attributes.device).streams.first));
  }

  void
  copy_to_device(void *to, const void *from, const std::size_t bytes)
  {
    transfer(to, from, bytes, cudaMemcpyHostToDevice, "copying to the device");
  }

  void
  copy_to_host(void *to, const void *from, const std::size_t bytes)
  {
    transfer(to, from, bytes, cudaMemcpyDeviceToHost, "copying to the host");
  }

  MappedMemory::MappedMemory(const std::size_t bytes)
  {
    check(cudaHostAlloc(&memory, bytes, cudaHostAllocMapped), "allocating host memory");
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
    if (bytes > 0)
      check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable), "pinning host memory");
  }

  void
  unpin(void *memory) noexcept
  {
    if (memory != nullptr)
      succeeds(cudaHostUnregister(memory));
  }

  void
  copy_on_device(void *to, const void *from, const std::size_t bytes)
  {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()),
          "copying on the device");
  }

  void
  fill_zero(void *to, const std::size_t bytes)
  {
    check(cudaMemsetAsync(to, 0, bytes, stream()), "filling memory");
  }

  void
  synchronize()
  {
    check(cudaStreamSynchronize(stream()), "running kernels");
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
    cudaGraphExec_t instance;
    // Else what was launched beside() the rest would wait until that has no more blocks to start.
    check(cudaGraphInstantiate(&instance, recording.graph, cudaGraphInstantiateFlagUseNodePriority),
          "instantiating a graph");
    executable = instance;
  }

  void
  Graph::clear() noexcept
  {
    if (executable != nullptr)
      succeeds(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable)));
    executable = nullptr;
  }

  void
  Graph::launch() const
  {
    select(device);
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(executable), stream()), "launching a graph");
  }

  double
  time(const std::function<void()> &enqueue)
  {
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin), "creating an event");
    check(cudaEventCreate(&end), "creating an event");
    check(cudaEventRecord(begin, stream()), "recording an event");
    enqueue();
    check(cudaEventRecord(end, stream()), "recording an event");
    check(cudaEventSynchronize(end), "running kernels");
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return 1e-3 * milliseconds;
  }
} // namespace Saltus::CudaRuntime
