// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_launch_h
#define saltus_base_device_launch_h

#include <saltus/base/device/work_index.h>

#include <cstddef>

// The compiler of device code sees declarations only.
#ifndef __CUDACC_RTC__
#  include <saltus/base/device/device.h>
#  include <saltus/base/device/gpu_kernel.h>
#  include <saltus/base/device/instruction_set.h>
#  include <saltus/base/device/kernel_compiler.h>
#  include <saltus/base/device/threads.h>

#  include <limits>
#  include <map>
#  include <stdexcept>
#  include <string>
#  include <tuple>
#endif

/// How host code has work done where the data is: a struct of sizes and bare pointers, which both
/// back ends know how to do for one of `[0, n)`. There are two kinds: `operator()(i)` does it for
/// number i, with one thread; those of blocks of elements are in
/// operators/blocks/element_kernels.h. GPU code is compiled when a run first needs it. Work may
/// have GPU kernels of its own, see launch_on_gpu().
namespace Saltus
{
  /// Where CPU kernels of a type of work enrol: work on blocks of elements.
  template <typename Work>
  struct WorkRegistry
  {
    using Index = typename WorkIndex<Work>::type;

    /// By level of the vector instruction set.
    static inline void (*cpu[5])(const Index n, const Work &work) = {};
  };

  template <typename... Works>
  struct WorkList
  {
    /// Call `BackEnd::template enrol<Work>()` for each of them.
    template <typename BackEnd>
    static bool
    enrol()
    {
      return (BackEnd::template enrol<Works>() && ...);
    }
  };

  class Device;

  /// Do @p work, whose arrays are on @p device, for all of `[0, n)`: elements, or what else it is
  /// about. Work for one number at a time needs no enrolment.
  /// @throws std::length_error if the numbers of the work have too few bits for @p n
  template <typename Work>
  void
  launch(const Device device, const std::size_t n, const Work &work);

#ifndef __CUDACC_RTC__
  /// The program of work that names none.
  template <typename Work>
  constexpr const char *
  program_of_work()
  {
    return std::is_invocable<const Work &, typename WorkIndex<Work>::type>::value
             ? "WorkProgram"
             : "ElementWorkProgram";
  }

  /// The kernel of a source on the current device, @p device.
  template <KernelSource (*source)()>
  const GpuKernel &
  kernel_on(const int device)
  {
    thread_local GpuKernel kernel;
    thread_local int       of = -1;
    if (of != device)
      kernel = GpuKernel(source());
    of = device;
    return kernel;
  }

  /// The kernel that does a work on GPUs.
  /// @param program class template of device code: its first argument is the type of the work
  /// @param values its other arguments: numbers and values of enumerations
  template <typename Work, typename... Values>
  KernelSource
  source_of_work(const char *program = program_of_work<Work>(), const Values... values)
  {
    return {instance_name(program, {type_name<Work>(), cpp_value(values)...}),
            {KernelSource::Argument::of<typename WorkIndex<Work>::type>(),
             KernelSource::Argument::of<Work>()},
            {}};
  }

  /// @p n as a number of the type @p Index.
  /// @throws std::length_error if the type has too few bits
  template <typename Index>
  Index
  counted_as(const std::size_t n)
  {
    if (n > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      throw std::length_error(
        "One rank has work for " + std::to_string(n) + " numbers, but counts up to " +
        std::to_string(std::numeric_limits<Index>::max()) + " only. Use more ranks.");
    return static_cast<Index>(n);
  }

  /// Work on blocks of elements with few rows takes fewer threads: a row has 32.
  template <typename Work>
  auto
  max_threads(const Work &work, int) -> decltype(work.n_rows())
  {
    return 32 * work.n_rows();
  }

  template <typename Work>
  int
  max_threads(const Work &, long)
  {
    return std::numeric_limits<int>::max();
  }

  /// Launches kernels for work on a GPU, the current device.
  class GpuLauncher
  {
  public:
    /// @param only_compiles begin to compile the kernels, and launch nothing
    GpuLauncher(const int device, const bool only_compiles)
      : device(device)
      , only_compiles(only_compiles)
    {}

    /// Launch the kernel of work that names none.
    template <typename Work>
    void
    operator()(const std::size_t n, const Work &work) const
    {
      run(n, max_threads(work, 0), work, program_of_work<Work>());
    }

    /// Launch a kernel for @p n items, see source_of_work().
    template <typename Work, typename... Values>
    void
    operator()(const char       *program,
               const std::size_t n,
               const Work       &work,
               const Values... values) const
    {
      run(n, std::numeric_limits<int>::max(), work, program, values...);
    }

  private:
    template <typename Work, typename... Values>
    void
    run(const std::size_t n,
        const int         max_threads,
        const Work       &work,
        const char       *program,
        const Values... values) const
    {
      if (n == 0)
        return;
      thread_local std::map<std::tuple<int, const char *, Values...>, GpuKernel> kernels;
      GpuKernel &kernel = kernels[{device, program, values...}];
      if (!kernel)
        kernel = GpuKernel(source_of_work<Work>(program, values...));
      if (!only_compiles)
        kernel.launch(n,
                      {true, 0, max_threads},
                      static_cast<typename WorkIndex<Work>::type>(n),
                      work);
    }

    const int  device;
    const bool only_compiles;
  };

  /// Have a launcher do work for `[0, n)`. Work with kernels of its own has a function template
  /// `launch_on_gpu(n, launch)`, which calls @p launch for each of them.
  template <typename Work, typename Launch>
  auto
  launch_on_gpu(const std::size_t n, const Work &work, const Launch &launch, int)
    -> decltype(work.launch_on_gpu(n, launch))
  {
    work.launch_on_gpu(n, launch);
  }

  template <typename Work, typename Launch>
  void
  launch_on_gpu(const std::size_t n, const Work &work, const Launch &launch, long)
  {
    launch(n, work);
  }

  /// Begin to compile the kernels of a later launch() on a GPU.
  /// @param work its sizes are set; its arrays need not be
  template <typename Work>
  void
  prepare_launch(const Device device, const std::size_t n, const Work &work)
  {
    device.make_current();
    if (device.is_cuda())
      launch_on_gpu(n, work, GpuLauncher(device.ordinal(), true), 0);
  }

  template <typename Work>
  void
  launch(const Device device, const std::size_t n, const Work &work)
  {
    using Index = typename WorkIndex<Work>::type;
    if (n == 0)
      return;
    const auto index = counted_as<Index>(n);
    device.make_current();
    if (device.is_cuda())
      launch_on_gpu(n, work, GpuLauncher(device.ordinal(), false), 0);
    if (device.is_cuda() && !KernelCompiler::assumed())
      return;
    if constexpr (std::is_invocable<const Work &, Index>::value)
      parallel_for(n, [&](const Index begin, const Index end) {
        const Work own = work; // which nothing that it writes can change
        for (Index i = begin; i < end; ++i)
          own(i);
      });
    else
      WorkRegistry<Work>::cpu[instruction_set_level()](index, work);
  }
#endif
} // namespace Saltus

#endif
