// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_point_kernel_h
#define saltus_base_expressions_point_kernel_h

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// A point-wise kernel (see point_kernel_source()) that was compiled while the program runs, by
  /// CUDA's library NVRTC. The library is looked for when it is first needed; programs run without
  /// it.
  class PointKernel
  {
  public:
    virtual ~PointKernel() = default;

    /// Launch on the current device; neither waits nor allocates, so that it may be recorded
    /// in a graph. All pointers but those to @p values (of the kernel's number type) are to double,
    /// on the device.
    virtual void
    launch(const std::size_t n_points,
           const double     *points,
           const double     *time,
           const double     *dt,
           const double      fraction,
           void             *values) const = 0;
  };

  /// Machine code for compute capability @p architecture (90 for 9.0); empty, with the @p reason,
  /// if there is none. Needs no GPU.
  std::vector<char>
  compile_point_kernel(const std::string &source, const int architecture, std::string &reason);

  /// The kernel for the current device; nullptr, with the @p reason, if there is none. Sources that
  /// were compiled before are not compiled again.
  std::shared_ptr<const PointKernel>
  make_point_kernel(const std::string &source, std::string &reason);
} // namespace Saltus

#endif
