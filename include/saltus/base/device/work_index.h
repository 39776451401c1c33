// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_work_index_h
#define saltus_base_device_work_index_h

#include <type_traits>

namespace Saltus
{
  template <typename Work, typename Index>
  Index
  index_of_work(void (Work::*)(Index) const);

  /// The type of the numbers that a work is done for: that of the argument of its operator(), or
  /// int for blocks of elements.
  template <typename Work, typename = void>
  struct WorkIndex
  {
    using type = int;
  };

  template <typename Work>
  struct WorkIndex<Work, std::void_t<decltype(&Work::operator())>>
  {
    using type = decltype(index_of_work(&Work::operator()));
  };
} // namespace Saltus

#endif
