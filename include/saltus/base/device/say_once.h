// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_say_once_h
#define saltus_base_device_say_once_h

#include <string>

namespace Saltus
{
  /// Note on standard error that something is not as one might expect, slower for example; each
  /// message once in the life of the program.
  void
  say_once(const std::string &message);
} // namespace Saltus

#endif
