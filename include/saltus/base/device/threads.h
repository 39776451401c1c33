// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_threads_h
#define saltus_base_device_threads_h

#include <cstddef>

namespace Saltus
{
  /// Call `function(data, begin, end)` for ranges that together cover `[0, n)`, on deal.II's
  /// threads. A plain function pointer, so that files compiled for different instruction sets share
  /// no template.
  void
  parallel_for(const std::size_t n,
               void (*function)(void *data, std::size_t begin, std::size_t end),
               void *data);

  /// The same for a callable `body(begin, end)`.
  template <typename Body>
  void
  parallel_for(const std::size_t n, Body &&body)
  {
    parallel_for(
      n,
      [](void *data, const std::size_t begin, const std::size_t end) {
        (*static_cast<Body *>(data))(begin, end);
      },
      &body);
  }
} // namespace Saltus

#endif
