// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_kernel_compiler_h
#define saltus_base_device_kernel_compiler_h

#include <saltus/base/device/kernel_source.h>

#include <future>
#include <optional>
#include <string>
#include <vector>

namespace Saltus
{
  /// Compiles GPU kernels for the architecture of a device: on threads behind the program, once for
  /// each source, from the cache where it has them. See KernelCache.
  namespace KernelCompiler
  {
    using Binary = std::shared_future<std::vector<char>>;

    /// Begin to compile. The program goes on.
    /// @return machine code or PTX, for wait()
    Binary
    compile(const KernelSource &source, const GpuLimits &limits);

    /// The result of a compilation.
    /// @throws std::runtime_error with one message if NVRTC is missing or the source has an error
    const std::vector<char> &
    wait(const Binary &binary);

    /// Compile from now on for such a GPU, which need not be there. Kernels cannot be launched.
    /// @param limits nothing for the GPU that is there
    void
    assume(const std::optional<GpuLimits> &limits);

    /// The limits of the assumed GPU, if there is one.
    const std::optional<GpuLimits> &
    assumed();

    /// Wait for all compilations. @throws std::runtime_error for the first one that failed
    void
    wait_for_all();

    /// The work of the process so far.
    struct Report
    {
      int         n_compiled = 0; ///< kernels
      int         n_read     = 0; ///< kernels that the cache had
      double      seconds    = 0; ///< with at least one compilation
      double      waited     = 0; ///< seconds in wait()
      std::string target;         ///< architecture, `sm_90`
      std::string kept;           ///< the folder, or the reason why kernels were not kept

      /// One line about the kernels compiled since an earlier report; empty if there are none.
      std::string
      line_since(const Report &earlier) const;
    };

    Report
    report();
  } // namespace KernelCompiler
} // namespace Saltus

#endif
