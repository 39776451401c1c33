// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/gpu_kernel.h>
#include <saltus/base/device/kernel_compiler.h>

#include <algorithm>
#include <cuda/base/device/context.cuh>
#include <map>
#include <mutex>
#include <tuple>

namespace Saltus
{
  namespace
  {
    /// Copy to the host what belongs to kernels, and not to the data of a run.
    void
    read(void *to, const void *from, const std::size_t bytes)
    {
      CudaRuntime::check(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, CudaRuntime::stream()),
        "reading tables of a kernel");
      CudaRuntime::synchronize();
    }
  } // namespace

  /// The code of one source for one device, loaded when it is first needed.
  class GpuKernel::Program
  {
  public:
    Program(const KernelSource &source, const GpuLimits &limits)
      : name(source.program)
      , architecture(limits.architecture)
      , binary(KernelCompiler::compile(source, limits))
    {}

    struct Code
    {
      cudaKernel_t kernel, make_tables;
      LaunchShape  shape;
      int          resident_blocks; ///< of a multiprocessor
      bool         may_begin_early;
    };

    const Code &
    code() const
    {
      std::call_once(is_loaded, [&]() { load(); });
      return loaded;
    }

    const std::string name;

  private:
    void
    load() const
    {
      const std::vector<char> &data = KernelCompiler::wait(binary);
      CudaRuntime::outside_recording([&]() {
        cudaLibrary_t library; // lives as long as the process, since graphs refer to kernels
        check(cudaLibraryLoadData(&library, data.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
        check(cudaLibraryGetKernel(&loaded.kernel, library, "kernel"));
        void       *shape = nullptr;
        std::size_t size  = 0;
        check(cudaLibraryGetGlobal(&shape, &size, library, "launch_shape"));
        read(&loaded.shape, shape, sizeof(LaunchShape));
        if (loaded.shape.table_bytes > 0)
          check(cudaLibraryGetKernel(&loaded.make_tables, library, "make_tables"));
        const void *const kernel = loaded.kernel;
        CudaRuntime::allow_shared_memory(kernel, loaded.shape.shared_bytes);
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &loaded.resident_blocks, kernel, loaded.shape.n_threads, loaded.shape.shared_bytes));
        loaded.may_begin_early = loaded.shape.waits && architecture >= 90;
      });
    }

    void
    check(const cudaError_t status) const
    {
      CudaRuntime::check(status, ("loading the kernel " + name).c_str());
    }

    const int                    architecture;
    const KernelCompiler::Binary binary;
    mutable std::once_flag       is_loaded;
    mutable Code                 loaded;
  };

  GpuKernel::GpuKernel(const KernelSource &source)
  {
    using Key = std::tuple<int, int, bool, std::string>;
    static std::mutex mutex;
    static auto      &programs = *new std::map<Key, std::shared_ptr<const Program>>;
    const auto       &assumed  = KernelCompiler::assumed();
    const int         device   = assumed ? -1 : CudaRuntime::current_device();
    const GpuLimits   limits   = assumed ? *assumed : CudaRuntime::limits(device);

    const std::lock_guard<std::mutex> lock(mutex);
    auto                             &known =
      programs[{device, limits.shared_memory, limits.has_double_tensor_cores, source.text()}];
    if (known == nullptr)
      known = std::make_shared<const Program>(source, limits);
    program = known;
  }

  const LaunchShape &
  GpuKernel::shape() const
  {
    return program->code().shape;
  }

  void
  GpuKernel::make_tables(const void *from)
  {
    const Program::Code &code  = program->code();
    const auto           bytes = new std::byte[code.shape.table_bytes];
    tables.reset(bytes);
    CudaRuntime::outside_recording([&]() {
      const auto allocate = [](const int size) {
        return std::shared_ptr<void>(CudaRuntime::allocate(std::max(1, size)),
                                     CudaRuntime::release);
      };
      memory                   = allocate(code.shape.memory_bytes);
      const auto  on_device    = allocate(code.shape.table_bytes);
      const void *pointers[2]  = {on_device.get(), memory.get()};
      const void *arguments[3] = {from, &pointers[0], &pointers[1]};
      CudaRuntime::fill_zero(memory.get(), code.shape.memory_bytes);
      CudaRuntime::check(cudaLaunchKernel(code.make_tables,
                                          dim3(1),
                                          dim3(1),
                                          const_cast<void **>(arguments),
                                          0,
                                          CudaRuntime::stream()),
                         ("making the tables of " + program->name).c_str());
      read(bytes, on_device.get(), code.shape.table_bytes);
    });
  }

  void
  GpuKernel::launch_pointers(const std::size_t n_items,
                             const Options    &options,
                             const void      **arguments) const
  {
    const Program::Code &code     = program->code();
    std::size_t          n_blocks = (n_items + code.shape.per_block - 1) / code.shape.per_block;
    const auto           bound    = [&](const int per_multiprocessor, const int n_reserved) {
      const int n = CudaRuntime::n_multiprocessors(CudaRuntime::current_device()) - n_reserved;
      n_blocks = std::min<std::size_t>(n_blocks, per_multiprocessor * n);
    };
    if (code.shape.is_persistent)
      bound(code.resident_blocks, options.reserved_multiprocessors);
    if (code.shape.max_blocks > 0)
      bound(code.shape.max_blocks, 0);
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim          = dim3(n_blocks, code.shape.n_rows);
    config.blockDim         = std::min(code.shape.n_threads, options.max_threads);
    config.dynamicSmemBytes = code.shape.shared_bytes;
    config.stream           = CudaRuntime::stream();
    config.attrs            = &early;
    config.numAttrs         = options.early && code.may_begin_early ? 1 : 0;
    CudaRuntime::check(cudaLaunchKernelExC(&config, code.kernel, const_cast<void **>(arguments)),
                       ("launching " + program->name).c_str());
  }
} // namespace Saltus
