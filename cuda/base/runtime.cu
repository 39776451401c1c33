// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>
#include <saltus/base/out_of_memory.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <cuda/base/context.cuh>
#include <cuda/base/mapped_memory.cuh>
#include <limits>

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
      if (status == cudaSuccess)
        return "";
      cudaGetLastError();
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

    /// The end of a recording, whether it went well or not. What was released meanwhile is given
    /// back.
    cudaError_t
    end_recording(DeviceContext &context, cudaGraph_t &graph)
    {
      graph                    = nullptr;
      const cudaError_t status = cudaStreamEndCapture(context.stream, &graph);
      if (status != cudaSuccess)
        cudaGetLastError();
      for (void *const pointer : context.released)
        cudaFreeAsync(pointer, context.stream);
      context.released.clear();
      return status;
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
  } // namespace

  int
  architecture(const int ordinal)
  {
    return 10 * attribute(cudaDevAttrComputeCapabilityMajor, ordinal) +
           attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
  }

  bool
  has_double_tensor_cores(const int ordinal)
  {
    return architecture(ordinal) >= 80 &&
           attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, ordinal) <= 2;
  }

  DeviceContext::DeviceContext()
  {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    int least, greatest;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "reading device properties");
    check(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest),
          "creating a stream");
    present = stream;
    for (cudaEvent_t *const event : {&forked, &joined})
      check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "creating an event");
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

  bool
  DeviceContext::is_recording() const
  {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
           status != cudaStreamCaptureStatusNone;
  }

  cudaStream_t
  stream()
  {
    return of_current_device<DeviceContext>().present;
  }

  int
  n_devices()
  {
    int n = 0;
    if (cudaGetDeviceCount(&n) != cudaSuccess)
      {
        cudaGetLastError();
        return 0;
      }
    return n;
  }

  bool
  usable(const int ordinal, std::string &reason)
  {
    int               n      = 0;
    const cudaError_t status = cudaGetDeviceCount(&n);
    if (status != cudaSuccess)
      cudaGetLastError();
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
    if (context.is_recording())
      throw std::runtime_error("CUDA: memory cannot be allocated while a graph is recorded");
    void      *pointer = nullptr;
    const auto attempt = [&]() {
      return cudaMallocFromPoolAsync(&pointer, bytes, context.pool, context.stream);
    };
    cudaError_t status = attempt();
    if (status == cudaErrorMemoryAllocation)
      {
        // What was released may lie in pieces.
        cudaGetLastError();
        synchronize();
        cudaMemPoolTrimTo(context.pool, 0);
        status = attempt();
      }
    if (status == cudaErrorMemoryAllocation)
      {
        cudaGetLastError();
        std::size_t available = 0, total = 0;
        check(cudaMemGetInfo(&available, &total), "asking for free memory");
        throw OutOfMemory("CUDA device " + std::to_string(current_device()) + " with its " +
                            bytes_for_people(total),
                          bytes,
                          available);
      }
    check(status, "allocating memory");
    return pointer;
  }

  void
  release(void *pointer) noexcept
  {
    cudaPointerAttributes attributes;
    if (pointer == nullptr || cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess)
      return; // at the end of the program, after CUDA's
    DeviceContext &context = of_device<DeviceContext>(attributes.device);
    if (context.is_recording())
      context.released.push_back(pointer);
    else
      cudaFreeAsync(pointer, context.stream);
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
      cudaHostUnregister(memory);
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

  namespace
  {
    /// Let @p second go on when what was launched on @p first so far is done.
    void
    let_follow(const cudaStream_t first, const cudaStream_t second, const cudaEvent_t event)
    {
      check(cudaEventRecord(event, first), "ordering work");
      check(cudaStreamWaitEvent(second, event, 0), "ordering work");
    }
  } // namespace

  void
  fork()
  {
    const DeviceContext &context = of_current_device<DeviceContext>();
    let_follow(context.stream, context.second, context.forked);
  }

  void
  beside(const std::function<void()> &enqueue)
  {
    DeviceContext &context = of_current_device<DeviceContext>();
    context.present        = context.second;
    try
      {
        enqueue();
      }
    catch (...)
      {
        context.present = context.stream;
        throw;
      }
    context.present = context.stream;
  }

  void
  join()
  {
    const DeviceContext &context = of_current_device<DeviceContext>();
    let_follow(context.second, context.stream, context.joined);
  }

  bool
  is_recording()
  {
    return of_current_device<DeviceContext>().is_recording();
  }

  Graph::~Graph()
  {
    clear();
  }

  void
  Graph::record(const std::function<void()> &enqueue)
  {
    clear();
    device                 = current_device();
    DeviceContext &context = of_device<DeviceContext>(device);
    cudaGraph_t    graph;
    check(cudaStreamBeginCapture(context.stream, cudaStreamCaptureModeThreadLocal),
          "recording a graph");
    try
      {
        enqueue();
      }
    catch (...)
      {
        end_recording(context, graph);
        if (graph != nullptr)
          cudaGraphDestroy(graph);
        throw;
      }
    check(end_recording(context, graph), "recording a graph");
    cudaGraphExec_t instance;
    // Else what was launched beside() the rest would wait until that has no more blocks to start.
    const cudaError_t status =
      cudaGraphInstantiate(&instance, graph, cudaGraphInstantiateFlagUseNodePriority);
    cudaGraphDestroy(graph);
    check(status, "instantiating a graph");
    executable = instance;
  }

  void
  Graph::clear() noexcept
  {
    if (executable != nullptr)
      cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable));
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
    cudaEventRecord(begin, stream());
    enqueue();
    cudaEventRecord(end, stream());
    check(cudaEventSynchronize(end), "running kernels");
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return 1e-3 * milliseconds;
  }
} // namespace Saltus::CudaRuntime
