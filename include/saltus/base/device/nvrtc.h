// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_nvrtc_h
#define saltus_base_device_nvrtc_h

#include <saltus/base/device/kernel_source.h>

#include <string>
#include <vector>

/// NVRTC, the library of CUDA that compiles device code while a program runs. Programs load it when
/// they first need it, so they start without it. The environment variable SALTUS_NVRTC names its
/// file, otherwise the system, the toolkit's folder and those of NVIDIA's Python packages are
/// searched.
namespace Saltus::Nvrtc
{
  /// The result of a compilation.
  struct Result
  {
    std::vector<char> binary; ///< machine code, or PTX that ends with a zero; empty after an error
    std::string       error;  ///< one message, with the messages of the compiler
  };

  /// Whether NVRTC was found.
  /// @param reason the places that were searched, if it was not
  bool
  is_available(std::string &reason);

  /// Version and path of the library; empty if it was not found.
  std::string
  version();

  /// The option for an architecture: machine code, or PTX for an architecture that NVRTC does not
  /// know yet.
  std::string
  target_option(const int architecture);

  /// Compile one source text.
  /// @param name of the source in messages
  Result
  compile(const std::string               &name,
          const std::string               &text,
          const std::vector<DeviceHeader> &headers,
          const std::vector<std::string>  &options);
} // namespace Saltus::Nvrtc

#endif
