// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_error_message_h
#define saltus_base_device_error_message_h

#include <exception>
#include <string>

namespace Saltus
{
  /// The text of an exception without the frame (file, line, stack) that deal.II puts around it.
  std::string
  error_message(const std::exception &exception);
} // namespace Saltus

#endif
