// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/device/gpu_kernel.h>
#include <saltus/base/device/kernel_compiler.h>
#include <saltus/base/device/say_once.h>

#include "cuda_driver.h"
#include <algorithm>
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
      CudaDriver::check(CudaDriver::driver().copy(to, from, bytes, CudaDriver::stream()),
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
      , shared_memory(limits.shared_memory)
      , binary(KernelCompiler::compile(source, limits))
    {}

    struct Code
    {
      CudaDriver::Kernel kernel, make_tables;
      LaunchShape        shape;
      int                resident_blocks; ///< of a multiprocessor
      bool               may_begin_early;
    };

    const Code &
    code() const
    {
      std::call_once(is_loaded, [&]() { load(); });
      return loaded;
    }

    void
    launch(CudaDriver::LaunchConfiguration &how,
           const CudaDriver::Kernel         kernel,
           const void                     **arguments) const
    {
      how.stream = CudaDriver::stream();
      CudaDriver::check(
        CudaDriver::driver().launch(&how, kernel, const_cast<void **>(arguments), nullptr),
        ("launching " + name).c_str());
    }

  private:
    void
    load() const
    {
      if (KernelCompiler::assumed())
        {
          loaded = {nullptr, nullptr, {256, 256}, 1, false}; // which nobody launches
          return;
        }
      const std::vector<char> &data = KernelCompiler::wait(binary);
      CudaRuntime::outside_recording([&]() {
        const CudaDriver::Driver &driver = CudaDriver::driver();
        CudaDriver::Module module; // lives as long as the process, since graphs refer to kernels
        check(driver.load(&module, data.data()));
        check(driver.kernel(&loaded.kernel, module, "kernel"));
        void       *shape = nullptr;
        std::size_t size  = 0;
        check(driver.variable(&shape, &size, module, "launch_shape"));
        read(&loaded.shape, shape, sizeof(LaunchShape));
        if (loaded.shape.table_bytes > 0)
          check(driver.kernel(&loaded.make_tables, module, "make_tables"));
        allow_shared_memory(loaded.shape.shared_bytes);
        check(driver.resident_blocks(&loaded.resident_blocks,
                                     loaded.kernel,
                                     loaded.shape.n_threads,
                                     loaded.shape.shared_bytes));
        loaded.may_begin_early = loaded.shape.waits && architecture >= 90;
      });
    }

    /// Let blocks have more shared memory than kernels have by themselves.
    void
    allow_shared_memory(const int bytes) const
    {
      if (bytes > shared_memory)
        throw std::runtime_error("CUDA: the kernel " + name + " needs " + std::to_string(bytes) +
                                 " bytes of shared memory a block, but this GPU has " +
                                 std::to_string(shared_memory) + ". The device cpu needs none.");
      check(
        CudaDriver::driver().set_kernel(loaded.kernel, CudaDriver::dynamic_shared_memory, bytes));
    }

    void
    check(const CudaDriver::Status status) const
    {
      CudaDriver::check(status, ("loading the kernel " + name).c_str());
    }

    const std::string            name;
    const int                    architecture, shared_memory;
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
      CudaDriver::LaunchConfiguration one_thread;
      program->launch(one_thread, code.make_tables, arguments);
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
    CudaDriver::LaunchAttribute     early;
    CudaDriver::LaunchConfiguration how;
    how.n_blocks[0]     = n_blocks;
    how.n_blocks[1]     = options.n_rows > 0 ? options.n_rows : code.shape.n_rows;
    const int n_threads = std::min(code.shape.n_threads, options.max_threads);
    how.n_threads[0]    = code.shape.counts_warps ? 32 : n_threads;
    how.n_threads[1]    = n_threads / how.n_threads[0];
    how.shared_bytes    = code.shape.shared_bytes;
    how.attributes      = &early;
    how.n_attributes    = options.early && code.may_begin_early ? 1 : 0;
    program->launch(how, code.kernel, arguments);
  }

  void
  GpuKernel::report_slower_form(const std::string &name, const char *const otherwise) const
  {
    const LaunchShape &form   = shape();
    const char        *reason = form.is_general ? otherwise : nullptr;
    if (form.lacks_tensor_cores)
      reason = "the faster ones need tensor cores for double precision, as data center GPUs have "
               "them from compute capability 8.0 on";
    if (form.lacks_shared_memory)
      reason = "the faster ones need more shared memory than a block has on this GPU";
    if (reason != nullptr)
      say_once(name + " are slower: " + reason);
  }
} // namespace Saltus
