// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_identity_h
#define saltus_base_device_identity_h

#include <atomic>
#include <cstdint>

namespace Saltus
{
  /// Tells apart what may stand at the same address one after the other: each one that is made is
  /// different from all before; only copies are equal.
  class Identity
  {
  public:
    Identity()
      : number(++last())
    {}

    bool
    operator==(const Identity &other) const
    {
      return number == other.number;
    }

    bool
    operator!=(const Identity &other) const
    {
      return !(*this == other);
    }

  private:
    static std::atomic<std::uint64_t> &
    last()
    {
      static std::atomic<std::uint64_t> number{0};
      return number;
    }

    std::uint64_t number;
  };
} // namespace Saltus

#endif
