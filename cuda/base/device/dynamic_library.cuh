// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_base_device_dynamic_library_cuh
#define saltus_cuda_base_device_dynamic_library_cuh

#include <dlfcn.h>
#include <initializer_list>
#include <string>
#include <type_traits>

namespace Saltus
{
  /// A library of CUDA's that is looked for when it is first needed, so that programs run without
  /// it: where the system looks, and where it was when Saltus was compiled.
  class DynamicLibrary
  {
  public:
    /// @param names of the file, the best first
    explicit DynamicLibrary(const std::initializer_list<const char *> names)
    {
      for (const std::string folder : {"", SALTUS_CUDA_LIBRARY_DIR "/", "/usr/local/cuda/lib64/"})
        for (const char *name : names)
          if (library == nullptr)
            library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      complete = library != nullptr;
    }

    /// Let @p function point to the function @p name.
    template <typename Function>
    void
    load(Function *&function, const char *name)
    {
      function = library == nullptr ? nullptr : reinterpret_cast<Function *>(dlsym(library, name));
      complete = complete && function != nullptr;
    }

    /// Whether the library was found, and in it everything that was asked for.
    bool
    is_complete() const
    {
      return complete;
    }

  private:
    void *library = nullptr; ///< lives as long as the program
    bool  complete;
  };
} // namespace Saltus

#endif
