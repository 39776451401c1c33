// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/dynamic_library.h>

#include <cstdlib>
#include <glob.h>
#include <vector>

namespace Saltus
{
  namespace
  {
    /// The folders to search, the first ones first.
    std::vector<std::string>
    folders()
    {
      std::vector<std::string> result = {"", "/usr/local/cuda/lib64/"};
      if (const char *const toolkit = std::getenv("CUDA_HOME"))
        result.insert(result.begin() + 1, std::string(toolkit) + "/lib64/");
      std::vector<std::string> roots = {"/usr/local"};
      if (const char *const home = std::getenv("HOME"))
        roots.insert(roots.begin(), std::string(home) + "/.local");
      if (const char *const environment = std::getenv("VIRTUAL_ENV"))
        roots.insert(roots.begin(), environment);
      for (const std::string &root : roots)
        {
          const std::string pattern = root + "/lib/python3*/*-packages/nvidia/*/lib/";
          glob_t            found;
          if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
            result.insert(result.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
          globfree(&found);
        }
      return result;
    }
  } // namespace

  DynamicLibrary::DynamicLibrary(const std::initializer_list<const char *> names,
                                 const char *const                         variable)
  {
    const char *const file = variable == nullptr ? nullptr : std::getenv(variable);
    if (file != nullptr && *file != '\0')
      attempt(file);
    else
      for (const std::string &folder : folders())
        for (const char *name : names)
          attempt(folder + name);
    complete = library != nullptr;
  }
} // namespace Saltus
