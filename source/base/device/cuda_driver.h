// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_cuda_driver_h
#define saltus_base_device_cuda_driver_h

#include <saltus/base/device/dynamic_library.h>
#include <saltus/base/device/kernel_compiler.h>

#include <cstddef>

/// The functions of NVIDIA's driver that the library calls, with types and values of CUDA's
/// documentation ("CUDA Driver API"). The driver is loaded when it is first needed, so that a build
/// and a run on the CPU need nothing of CUDA. Memory of a device is a bare pointer here.
namespace Saltus::CudaDriver
{
  using Context = struct ContextHandle *;
  using Stream  = struct StreamHandle *;
  using Event   = struct EventHandle *;
  using Graph   = struct GraphHandle *;
  using Run     = struct RunHandle *; ///< a graph that can be launched
  using Module  = struct ModuleHandle *;
  using Kernel  = struct KernelHandle *;
  using Pool    = struct PoolHandle *;

  struct IpcName
  {
    char bytes[64];
  };

  /// The results that the library distinguishes from other errors.
  enum class Status : int
  {
    success       = 0,
    out_of_memory = 2,
    no_device     = 100,
    not_found     = -1 ///< the library itself: there is no driver
  };

  enum class Attribute : int
  {
    multiprocessors        = 16,
    major                  = 75,
    minor                  = 76,
    single_to_double_ratio = 87,
    shared_memory_of_block = 97,
    memory_pools           = 115
  };

  enum class PoolAttribute : int
  {
    release_threshold = 4,
    reserved          = 5,
    used              = 7
  };

  enum class CaptureMode : int
  {
    thread_local_only = 1,
    relaxed           = 2
  };

  constexpr unsigned int non_blocking_stream = 1, event_without_timing = 2, portable_pages = 1,
                         mapped_pages = 2, node_priorities = 8, lazy_peer_access = 1;
  constexpr int device_of_pointer = 9, dynamic_shared_memory = 8;

  struct PoolProperties
  {
    int         allocation_type = 1; ///< pinned
    int         handle_types    = 0;
    int         location_type   = 1; ///< a device
    int         device          = 0;
    void       *security        = nullptr;
    std::size_t max_size        = 0;
    char        reserved[56]    = {};
  };

  struct LaunchAttribute
  {
    int  name     = 6; ///< that the kernel may begin before the end of the one before
    int  unused   = 0;
    int  value    = 1;
    char rest[60] = {};
  };

  struct LaunchConfiguration
  {
    unsigned int     n_blocks[3]  = {1, 1, 1};
    unsigned int     n_threads[3] = {1, 1, 1};
    unsigned int     shared_bytes = 0;
    Stream           stream       = nullptr;
    LaunchAttribute *attributes   = nullptr;
    unsigned int     n_attributes = 0;
  };

  /// A function of the driver. Without a library it does nothing, which is an error unless a GPU is
  /// assumed.
  template <typename... Arguments>
  class Function
  {
  public:
    using Pointer = Status (*)(Arguments...);

    Function(DynamicLibrary &library, const char *name)
    {
      library.load(pointer, name);
      if (library.file().empty())
        pointer = [](Arguments...) {
          return KernelCompiler::assumed() ? Status::success : Status::not_found;
        };
    }

    Function &
    operator=(const Pointer other)
    {
      pointer = other;
      return *this;
    }

    Status
    operator()(const Arguments... arguments) const
    {
      return pointer(arguments...);
    }

  private:
    Pointer pointer;
  };

  struct Driver
  {
    /// @param names of the library's file
    explicit Driver(const std::initializer_list<const char *> names)
      : library(names)
    {}

    DynamicLibrary library;

    Function<unsigned int>          initialize{library, "cuInit"};
    Function<Status, const char **> error_string{library, "cuGetErrorString"};

    Function<int *>                 n_devices{library, "cuDeviceGetCount"};
    Function<char *, int, int>      name{library, "cuDeviceGetName"};
    Function<int *, Attribute, int> attribute{library, "cuDeviceGetAttribute"};
    Function<std::size_t *, int>    total_memory{library, "cuDeviceTotalMem_v2"};
    Function<void *, int>           unique_name{library, "cuDeviceGetUuid_v2"};
    Function<Context *, int>        primary_context{library, "cuDevicePrimaryCtxRetain"};
    Function<Context>               set_context{library, "cuCtxSetCurrent"};
    Function<Context *>             get_context{library, "cuCtxGetCurrent"};
    Function<int *>                 current_device{library, "cuCtxGetDevice"};
    Function<>                      synchronize{library, "cuCtxSynchronize"};
    Function<int *, int *>          priorities{library, "cuCtxGetStreamPriorityRange"};

    Function<Pool *, const PoolProperties *> create_pool{library, "cuMemPoolCreate"};
    Function<Pool, PoolAttribute, void *>    set_pool{library, "cuMemPoolSetAttribute"};
    Function<Pool, PoolAttribute, void *>    get_pool{library, "cuMemPoolGetAttribute"};
    Function<Pool, std::size_t>              trim_pool{library, "cuMemPoolTrimTo"};

    Function<void **, std::size_t>               allocate{library, "cuMemAlloc_v2"};
    Function<void **, std::size_t, Pool, Stream> allocate_from{library, "cuMemAllocFromPoolAsync"};
    Function<void *, Stream>                     release{library, "cuMemFreeAsync"};
    Function<std::size_t *, std::size_t *>       memory{library, "cuMemGetInfo_v2"};
    Function<int *, int, const void *>           of_pointer{library, "cuPointerGetAttribute"};
    Function<void *, const void *, std::size_t, Stream>  copy{library, "cuMemcpyAsync"};
    Function<void *, unsigned char, std::size_t, Stream> fill{library, "cuMemsetD8Async"};
    Function<void **, std::size_t, unsigned int> allocate_on_host{library, "cuMemHostAlloc"};
    Function<void *, std::size_t, unsigned int>  pin{library, "cuMemHostRegister_v2"};
    Function<void *>                             unpin{library, "cuMemHostUnregister"};
    Function<IpcName *, void *>                  name_memory{library, "cuIpcGetMemHandle"};
    Function<void **, IpcName, unsigned int>     open_memory{library, "cuIpcOpenMemHandle_v2"};

    Function<Stream *, unsigned int, int> create_stream{library, "cuStreamCreateWithPriority"};
    Function<Stream>                      destroy_stream{library, "cuStreamDestroy_v2"};
    Function<Stream>                      wait{library, "cuStreamSynchronize"};
    Function<Stream, Event, unsigned int> wait_for{library, "cuStreamWaitEvent"};
    Function<Event *, unsigned int>       create_event{library, "cuEventCreate"};
    Function<Event>                       destroy_event{library, "cuEventDestroy_v2"};
    Function<Event, Stream>               record{library, "cuEventRecord"};
    Function<Event>                       wait_event{library, "cuEventSynchronize"};
    Function<float *, Event, Event>       milliseconds{library, "cuEventElapsedTime"};

    Function<Stream, CaptureMode> begin_graph{library, "cuStreamBeginCapture_v2"};
    Function<Stream, Graph *>     end_graph{library, "cuStreamEndCapture"};
    Function<CaptureMode *>       exchange_mode{library, "cuThreadExchangeStreamCaptureMode"};
    Function<Graph>               destroy_graph{library, "cuGraphDestroy"};
    Function<Run *, Graph, unsigned long long> make_run{library, "cuGraphInstantiateWithFlags"};
    Function<Run>                              destroy_run{library, "cuGraphExecDestroy"};
    Function<Run, Stream>                      launch_graph{library, "cuGraphLaunch"};

    Function<Module *, const void *>                       load{library, "cuModuleLoadData"};
    Function<Kernel *, Module, const char *>               kernel{library, "cuModuleGetFunction"};
    Function<void **, std::size_t *, Module, const char *> variable{library,
                                                                    "cuModuleGetGlobal_v2"};
    Function<Kernel, int, int>                set_kernel{library, "cuFuncSetAttribute"};
    Function<int *, Kernel, int, std::size_t> resident_blocks{
      library,
      "cuOccupancyMaxActiveBlocksPerMultiprocessor"};
    Function<const LaunchConfiguration *, Kernel, void **, void **> launch{library,
                                                                           "cuLaunchKernelEx"};
  };

  /// The driver, complete or not; that of the assumed GPU if there is one, see KernelCompiler. One
  /// that does nothing at the end of the process.
  const Driver &
  driver();

  /// A driver whose device has its memory on the host and does nothing.
  Driver
  driver_of_assumed_gpu();

  /// Throw std::runtime_error with CUDA's message if a call failed.
  void
  check(const Status status, const char *what);

  /// Whether the device had the memory for a call. Throw as check() if the call failed otherwise.
  bool
  has_memory(const Status status, const char *what);

  /// The stream of the work of the current device; the other one within CudaRuntime::beside(), and
  /// one of the thread's own while it records a graph.
  Stream
  stream();
} // namespace Saltus::CudaDriver

#endif
