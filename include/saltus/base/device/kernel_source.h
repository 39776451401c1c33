// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_kernel_source_h
#define saltus_base_device_kernel_source_h

#include <cstddef>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

namespace Saltus
{
  /// The name of a C++ type as source code spells it, `Saltus::Euler<2>` for example.
  std::string
  type_name(const std::type_info &type);

  template <typename T>
  std::string
  type_name()
  {
    return type_name(typeid(T));
  }

  /// The name of an instance of a class template of device code: `Saltus::CudaKernels::NAME<...>`.
  /// @param arguments types by type_name(), numbers and other values in C++
  std::string
  instance_name(const std::string &name, const std::vector<std::string> &arguments);

  /// A number, or a value of an enumeration, in C++.
  template <typename T>
  std::string
  cpp_value(const T value)
  {
    return "(" + type_name<T>() + ")" + std::to_string(static_cast<int>(value));
  }

  /// The limits of a GPU that device code depends on.
  struct GpuLimits
  {
    int  architecture;            ///< compute capability, 90 for 9.0
    int  shared_memory;           ///< bytes of a block
    bool has_double_tensor_cores; ///< at more than a token rate

    /// The published limits of an architecture from 7.5 on.
    static GpuLimits
    of(const int architecture);
  };

  /// The source of a GPU kernel: a class of device code, its *program*, with
  ///   - `static constexpr LaunchShape shape`,
  ///   - `static void run(arguments...)`, the work of one thread,
  ///   - for a kernel with tables the type `Tables`, which is the last argument of run(), and
  ///     `static void make_tables(from, Tables &, double *memory)`, the work of one thread.
  struct KernelSource
  {
    /// A type of device code with its size on the host. A different size on the device is a
    /// compiler error.
    struct Argument
    {
      std::string type;
      std::size_t size;

      template <typename T>
      static Argument
      of()
      {
        return {type_name<T>(), sizeof(T)};
      }
    };

    std::string           program; ///< the class
    std::vector<Argument> arguments;
    /// The first argument of make_tables(); empty for a kernel without tables.
    std::vector<Argument> table_source = {};
    /// Source code before the program, its class for example, that is in no header.
    std::string definitions = "";
    /// Whether the compiler may contract products and sums. Without it, comparisons decide as on
    /// the host.
    bool contracts = true;

    /// The complete text for the compiler. It includes the device headers that define the classes
    /// in the names of types.
    std::string
    text() const;
  };

  /// A device header inside the library: its name in `#include` lines and its text.
  using DeviceHeader = std::pair<std::string, std::string>;

  /// Add a header, the law of a user for example, to the device headers of the library. Its text
  /// replaces an earlier one of the same name.
  /// @return true, for a static object that calls this function
  bool
  add_device_header(const std::string &name, const std::string &text);

  /// The device headers that @p text includes, directly or through other headers.
  std::vector<DeviceHeader>
  included_headers(const std::string &text);

  /// A hash of 128 bits (FNV-1a) as 32 hexadecimal digits.
  std::string
  hash_of(const std::string &text);
} // namespace Saltus

#endif
