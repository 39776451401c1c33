// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_device_headers_h
#define saltus_base_device_device_headers_h

#include <utility>
#include <vector>

namespace Saltus
{
  /// All headers that device code can include: name and text. The build generates them.
  extern const std::vector<std::pair<const char *, const char *>> device_headers;
} // namespace Saltus

#endif
