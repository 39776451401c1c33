// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_gpu_kernel_h
#define saltus_base_device_gpu_kernel_h

#include <saltus/base/device/kernel_source.h>
#include <saltus/base/device/launch_shape.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <string>

namespace Saltus
{
  /// A kernel that is compiled for the current device when a run first asks for it. The constructor
  /// only starts the compilation; the first call of any other function waits for its end and throws
  /// std::runtime_error with the message of the compiler after an error.
  class GpuKernel
  {
  public:
    /// No kernel.
    GpuKernel() = default;

    explicit GpuKernel(const KernelSource &source);

    explicit operator bool() const
    {
      return program != nullptr;
    }

    const LaunchShape &
    shape() const;

    /// Make the tables that each launch passes as the last argument. Later calls do nothing.
    /// @param from the first argument of make_tables() in the program
    /// @return whether this is the first call
    template <typename From>
    bool
    set_tables(const From &from)
    {
      const bool is_first = tables == nullptr;
      if (is_first)
        make_tables(&from);
      return is_first;
    }

    /// Note on standard error that the kernel is a slower form, if it is.
    /// @param name of the kernel in the message
    /// @param otherwise the reason if the device lacks nothing
    void
    report_slower_form(const std::string &name, const char *otherwise) const;

    /// The options of a launch.
    struct Options
    {
      /// Begin while the kernel before is running, if the kernel waits itself, see LaunchShape.
      bool early = false;
      /// Multiprocessors to leave to other kernels; for persistent blocks only.
      int reserved_multiprocessors = 0;
      /// An upper bound on the threads of a block.
      int max_threads = std::numeric_limits<int>::max();
      /// Rows of blocks in place of those of the LaunchShape; 0: as there.
      int n_rows = 0;
    };

    /// Launch as many blocks as @p n_items need, in the device's stream; none for no items.
    /// @param arguments those of the source, without the tables
    template <typename... Arguments>
    void
    launch(const std::size_t n_items, const Options &options, const Arguments &...arguments) const
    {
      const void *pointers[sizeof...(arguments) + 1] = {&arguments..., tables.get()};
      if (n_items > 0)
        launch_pointers(n_items, options, pointers);
    }

    /// The code on the device.
    class Program;

  private:
    void
    make_tables(const void *from);

    void
    launch_pointers(const std::size_t n_items,
                    const Options    &options,
                    const void      **arguments) const;

    std::shared_ptr<const Program>     program;
    std::shared_ptr<const std::byte[]> tables; ///< an argument of the kernel
    std::shared_ptr<void>              memory; ///< of the device, which the tables refer to
  };
} // namespace Saltus

#endif
