// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/say_once.h>

#include <iostream>
#include <mutex>
#include <set>

namespace Saltus
{
  void
  say_once(const std::string &message)
  {
    static std::mutex            mutex;
    static std::set<std::string> said;
    std::lock_guard<std::mutex>  lock(mutex);
    if (said.insert(message).second)
      std::cerr << "Note: " << message << std::endl;
  }
} // namespace Saltus
