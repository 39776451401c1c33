// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/dynamic_library.h>
#include <saltus/base/device/nvrtc.h>

#include <algorithm>

namespace Saltus::Nvrtc
{
  namespace
  {
    using Program = void *;

    /// The functions of NVRTC that Saltus calls. Each returns 0 for success.
    struct Library
    {
      Library()
      {
        file.load(version, "nvrtcVersion");
        file.load(n_architectures, "nvrtcGetNumSupportedArchs");
        file.load(architectures, "nvrtcGetSupportedArchs");
        file.load(create, "nvrtcCreateProgram");
        file.load(compile, "nvrtcCompileProgram");
        file.load(destroy, "nvrtcDestroyProgram");
        file.load(log_size, "nvrtcGetProgramLogSize");
        file.load(log, "nvrtcGetProgramLog");
        file.load(binary_size, "nvrtcGetCUBINSize");
        file.load(binary, "nvrtcGetCUBIN");
        file.load(ptx_size, "nvrtcGetPTXSize");
        file.load(ptx, "nvrtcGetPTX");
      }

      using Size = int(Program, std::size_t *);
      using Text = int(Program, char *);

      DynamicLibrary file{{"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"}, "SALTUS_NVRTC"};
      int (*version)(int *, int *);
      int (*n_architectures)(int *);
      int (*architectures)(int *);
      int (*create)(Program *,
                    const char *,
                    const char *,
                    int,
                    const char *const *,
                    const char *const *);
      int (*compile)(Program, int, const char *const *);
      int (*destroy)(Program *);
      Size *log_size, *binary_size, *ptx_size;
      Text *log, *binary, *ptx;
    };

    const Library &
    library()
    {
      static const Library &loaded = *new Library; // lives as long as the process
      return loaded;
    }

    std::vector<const char *>
    pointers(const std::vector<std::string> &texts)
    {
      std::vector<const char *> result;
      for (const std::string &text : texts)
        result.push_back(text.c_str());
      return result;
    }

    std::vector<char>
    read(const Program program, Library::Size *const size_of, Library::Text *const text_of)
    {
      std::size_t       size = 0;
      std::vector<char> text;
      if (size_of(program, &size) == 0)
        {
          text.resize(size);
          text_of(program, text.data());
        }
      return text;
    }
  } // namespace

  bool
  is_available(std::string &reason)
  {
    const DynamicLibrary &file = library().file;
    if (!file.is_complete())
      reason = file.file().empty()
                 ? "NVRTC, the compiler library of CUDA, was not found among " + file.searched()
                 : file.file() + " is no NVRTC that Saltus can use";
    if (!file.is_complete())
      reason += ". Install NVRTC 12.8 or later, or set SALTUS_NVRTC to the path of its file.";
    return file.is_complete();
  }

  std::string
  version()
  {
    int major = 0, minor = 0;
    if (!library().file.is_complete() || library().version(&major, &minor) != 0)
      return "";
    return std::to_string(major) + "." + std::to_string(minor) + ", " + library().file.file();
  }

  std::string
  target_option(const int architecture)
  {
    int              n = 0;
    std::vector<int> known;
    if (library().file.is_complete() && library().n_architectures(&n) == 0)
      {
        known.resize(n);
        library().architectures(known.data());
      }
    if (known.empty() || std::find(known.begin(), known.end(), architecture) != known.end())
      return "--gpu-architecture=sm_" + std::to_string(architecture);
    int nearest = 0;
    for (const int older : known)
      if (older < architecture)
        nearest = std::max(nearest, older);
    return "--gpu-architecture=compute_" + std::to_string(nearest == 0 ? architecture : nearest);
  }

  Result
  compile(const std::string               &name,
          const std::string               &text,
          const std::vector<DeviceHeader> &headers,
          const std::vector<std::string>  &options)
  {
    Result result;
    if (!is_available(result.error))
      return result;
    std::vector<std::string> names, texts;
    for (const auto &[header, content] : headers)
      {
        names.push_back(header);
        texts.push_back(content);
      }
    Program program;
    if (library().create(&program,
                         text.c_str(),
                         name.c_str(),
                         headers.size(),
                         pointers(texts).data(),
                         pointers(names).data()) != 0)
      {
        result.error = "NVRTC (" + version() + ") does not start.";
        return result;
      }
    const bool is_ptx = std::any_of(options.begin(), options.end(), [](const std::string &option) {
      return option.find("=compute_") != std::string::npos;
    });
    if (library().compile(program, options.size(), pointers(options).data()) == 0)
      result.binary = is_ptx ? read(program, library().ptx_size, library().ptx)
                             : read(program, library().binary_size, library().binary);
    else
      {
        const std::vector<char> log = read(program, library().log_size, library().log);
        result.error                = "NVRTC " + version() + " cannot compile " + name + ":\n" +
                       std::string(log.begin(), std::find(log.begin(), log.end(), '\0'));
      }
    library().destroy(&program);
    return result;
  }
} // namespace Saltus::Nvrtc
