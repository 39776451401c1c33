// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_mirrored_array_h
#define saltus_base_device_mirrored_array_h

#include <saltus/base/device/memory.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace Saltus
{
  /// An array that does not change, in host memory and on devices: wherever it is made first, it is
  /// copied to another place when somebody asks for it there. Copies share what they hold. Threads
  /// may ask at a time.
  template <typename T>
  class MirroredArray
  {
  public:
    /// @throws OutOfMemory
    MirroredArray(std::vector<T> values = {})
      : n(values.size())
      , state(std::make_shared<State>())
    {
      set_host(std::move(values));
    }

    MirroredArray(Memory<T> &&values)
      : n(values.size())
      , state(std::make_shared<State>())
    {
      const std::string name = values.device().name();
      state->on_devices.emplace(name, std::move(values));
    }

    std::size_t
    size() const
    {
      return n;
    }

    /// Waits for a device if the values are there alone.
    const std::vector<T> &
    host() const
    {
      std::call_once(state->made_on_host,
                     [&]() { state->on_host = state->on_devices.begin()->second.to_host(); });
      return state->on_host;
    }

    const T &
    operator[](const std::size_t i) const
    {
      return host()[i];
    }

    /// @throws OutOfMemory
    const Memory<T> &
    on(const Device device) const
    {
      const std::lock_guard<std::mutex> lock(state->mutex);
      const auto                        found = state->on_devices.find(device.name());
      if (found != state->on_devices.end())
        return found->second;
      return state->on_devices.emplace(device.name(), Memory<T>(device, host())).first->second;
    }

  private:
    struct State
    {
      std::once_flag                   made_on_host;
      std::vector<T>                   on_host;
      std::mutex                       mutex; ///< of the following
      std::map<std::string, Memory<T>> on_devices;
    };

    void
    set_host(std::vector<T> &&values)
    {
      std::call_once(state->made_on_host, [&]() { state->on_host = std::move(values); });
    }

    std::size_t            n;
    std::shared_ptr<State> state;
  };
} // namespace Saltus

#endif
