// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/cuda_runtime.h>

#include <atomic>
#include <cuda/base/check.cuh>

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
  } // namespace

  cudaStream_t
  stream()
  {
    static cudaStream_t the_stream = [] {
      cudaStream_t s;
      check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "creating a stream");
      return s;
    }();
    return the_stream;
  }

  bool
  usable(const int ordinal, std::string &reason)
  {
    int               n_devices = 0;
    const cudaError_t status    = cudaGetDeviceCount(&n_devices);
    if (status == cudaErrorInsufficientDriver || status == cudaErrorNoDevice)
      reason = "there is no NVIDIA GPU or no driver for it";
    else if (status != cudaSuccess)
      reason = cudaGetErrorString(status);
    else if (ordinal < 0 || ordinal >= n_devices)
      reason = "there are " + std::to_string(n_devices) + " CUDA devices, numbered from 0";
    else
      return true;
    return false;
  }

  void
  select(const int ordinal)
  {
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

  void *
  allocate(const std::size_t bytes)
  {
    void *pointer = nullptr;
    check(cudaMalloc(&pointer, bytes), "allocating memory");
    return pointer;
  }

  void
  release(void *pointer) noexcept
  {
    cudaFree(pointer);
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

  std::size_t
  transferred_bytes()
  {
    return n_transferred_bytes;
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

  Graph::~Graph()
  {
    clear();
  }

  void
  Graph::record(const std::function<void()> &enqueue)
  {
    clear();
    cudaGraph_t graph;
    check(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal), "recording a graph");
    enqueue();
    check(cudaStreamEndCapture(stream(), &graph), "recording a graph");
    cudaGraphExec_t instance;
    check(cudaGraphInstantiate(&instance, graph, 0), "instantiating a graph");
    cudaGraphDestroy(graph);
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
