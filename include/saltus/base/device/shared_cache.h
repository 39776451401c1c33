// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_shared_cache_h
#define saltus_base_device_shared_cache_h

#include <saltus/base/device/device.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <typeindex>
#include <vector>

namespace Saltus
{
  /// Constant objects that are made once: one for all who ask, kept as long as one of them holds
  /// it. Threads may ask at a time.
  ///
  /// Ranks that ask, and let go, in the same order find or miss an object alike; so what they make
  /// together they may share as well.
  class SharedCache
  {
  public:
    /// The object of a type, on a device and with some numbers, that are to tell apart all that
    /// differ; made from @p arguments if nobody holds it. To make it others may be asked for here.
    template <typename T, typename... Arguments>
    std::shared_ptr<const T>
    get(const Device                     device,
        const std::vector<unsigned int> &numbers,
        const Arguments &...arguments) const
    {
      const std::lock_guard<std::recursive_mutex> lock(mutex);

      std::weak_ptr<const void> &known  = objects[{typeid(T), device.name(), numbers}];
      auto                       object = std::static_pointer_cast<const T>(known.lock());
      if (object == nullptr)
        {
          object = std::make_shared<const T>(arguments...);
          known  = object;
        }
      return object;
    }

  private:
    using Key = std::tuple<std::type_index, std::string, std::vector<unsigned int>>;

    mutable std::recursive_mutex                     mutex;
    mutable std::map<Key, std::weak_ptr<const void>> objects;
  };
} // namespace Saltus

#endif
