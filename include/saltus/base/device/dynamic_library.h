// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_dynamic_library_h
#define saltus_base_device_dynamic_library_h

#include <dlfcn.h>
#include <initializer_list>
#include <string>

namespace Saltus
{
  /// A library of CUDA, loaded when it is first needed, so that programs start without it. The
  /// object searches the system's folders, those of the toolkit in CUDA_HOME or
  /// /usr/local/cuda, and NVIDIA's packages of Python in VIRTUAL_ENV, ~/.local and /usr/local.
  class DynamicLibrary
  {
  public:
    /// @param names of the file, the best first
    /// @param variable of the environment that names the only file to try; nullptr: none
    explicit DynamicLibrary(const std::initializer_list<const char *> names,
                            const char                               *variable = nullptr);

    /// Let @p function point to the function @p name.
    template <typename Function>
    void
    load(Function *&function, const char *name)
    {
      function = library == nullptr ? nullptr : reinterpret_cast<Function *>(dlsym(library, name));
      complete = complete && function != nullptr;
    }

    /// Whether the library was found, with all its requested functions.
    bool
    is_complete() const
    {
      return complete;
    }

    /// The file that was loaded; empty if there is none.
    const std::string &
    file() const
    {
      return found;
    }

    /// The files that were tried in vain.
    const std::string &
    searched() const
    {
      return in_vain;
    }

  private:
    void
    attempt(const std::string &name)
    {
      if (library != nullptr)
        return;
      library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr)
        found = name;
      else
        in_vain += (in_vain.empty() ? "" : ", ") + name;
    }

    void       *library = nullptr; ///< lives as long as the program
    std::string found, in_vain;
    bool        complete;
  };
} // namespace Saltus

#endif
