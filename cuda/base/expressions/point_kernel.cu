// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/cuda_runtime.h>
#include <saltus/base/expressions/point_kernel.h>

#include <cuda/base/device/context.cuh>
#include <cuda/base/device/dynamic_library.cuh>
#include <map>
#include <mutex>
#include <nvrtc.h>
#include <utility>

namespace Saltus
{
  namespace
  {
    /// The functions of NVRTC that are needed.
    struct Nvrtc
    {
      Nvrtc()
      {
        library.load(create, "nvrtcCreateProgram");
        library.load(compile, "nvrtcCompileProgram");
        library.load(destroy, "nvrtcDestroyProgram");
        library.load(log_size, "nvrtcGetProgramLogSize");
        library.load(log, "nvrtcGetProgramLog");
        library.load(binary_size, "nvrtcGetCUBINSize");
        library.load(binary, "nvrtcGetCUBIN");
      }

      DynamicLibrary                    library{"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"};
      decltype(&nvrtcCreateProgram)     create;
      decltype(&nvrtcCompileProgram)    compile;
      decltype(&nvrtcDestroyProgram)    destroy;
      decltype(&nvrtcGetProgramLogSize) log_size;
      decltype(&nvrtcGetProgramLog)     log;
      decltype(&nvrtcGetCUBINSize)      binary_size;
      decltype(&nvrtcGetCUBIN)          binary;
    };

    class CompiledKernel : public PointKernel
    {
    public:
      explicit CompiledKernel(const std::vector<char> &binary)
      {
        cudaLibrary_t library; // lives as long as the program
        CudaRuntime::check(
          cudaLibraryLoadData(&library, binary.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "loading a compiled expression");
        CudaRuntime::check(cudaLibraryGetKernel(&kernel, library, "evaluate"),
                           "loading a compiled expression");
      }

      void
      launch(const std::size_t n_points,
             const double     *points,
             const double     *time,
             const double     *dt,
             const double      fraction,
             void             *values) const override
      {
        if (n_points == 0)
          return;
        constexpr unsigned int n_threads   = 128;
        unsigned long long     n           = n_points;
        double                 fraction_   = fraction;
        void                  *arguments[] = {&n, &points, &time, &dt, &fraction_, &values};
        CudaRuntime::check(cudaLaunchKernel(reinterpret_cast<const void *>(kernel),
                                            dim3((n_points + n_threads - 1) / n_threads),
                                            dim3(n_threads),
                                            arguments,
                                            0,
                                            CudaRuntime::stream()),
                           "evaluating an expression");
      }

    private:
      cudaKernel_t kernel;
    };
  } // namespace

  std::vector<char>
  compile_point_kernel(const std::string &source, const int architecture, std::string &reason)
  {
    static const Nvrtc nvrtc;
    std::vector<char>  binary;
    if (!nvrtc.library.is_complete())
      {
        reason = "CUDA's library NVRTC (libnvrtc.so) was not found";
        return binary;
      }
    nvrtcProgram      program;
    const std::string option = "--gpu-architecture=sm_" + std::to_string(architecture);
    // Without contracting products and sums comparisons decide as on the host.
    const char *options[] = {option.c_str(), "--fmad=false"};
    if (nvrtc.create(&program, source.c_str(), "expression.cu", 0, nullptr, nullptr) !=
        NVRTC_SUCCESS)
      {
        reason = "NVRTC does not start";
        return binary;
      }
    std::size_t size = 0;
    if (nvrtc.compile(program, 2, options) == NVRTC_SUCCESS)
      {
        nvrtc.binary_size(program, &size);
        binary.resize(size);
        nvrtc.binary(program, binary.data());
      }
    else
      {
        nvrtc.log_size(program, &size);
        std::string log(size, ' ');
        nvrtc.log(program, log.data());
        reason = "NVRTC says: " + log;
      }
    nvrtc.destroy(&program);
    return binary;
  }

  std::shared_ptr<const PointKernel>
  make_point_kernel(const std::string &source, std::string &reason)
  {
    using Key = std::pair<int, std::string>;
    static std::mutex                                        mutex;
    static std::map<Key, std::shared_ptr<const PointKernel>> compiled;
    const std::lock_guard<std::mutex>                        lock(mutex);
    const int architecture = CudaRuntime::architecture(CudaRuntime::current_device());
    auto     &kernel       = compiled[{architecture, source}];
    if (kernel == nullptr)
      {
        const auto binary = compile_point_kernel(source, architecture, reason);
        if (!binary.empty())
          kernel = std::make_shared<CompiledKernel>(binary);
      }
    return kernel;
  }
} // namespace Saltus
