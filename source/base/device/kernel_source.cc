// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/kernel_source.h>

#include "device_headers.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>

namespace Saltus
{
  std::string
  type_name(const std::type_info &type)
  {
    int                                           status = 0;
    const std::unique_ptr<char, void (*)(void *)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free);
    if (status != 0)
      throw std::runtime_error(std::string("The type ") + type.name() + " has no readable name.");
    return name.get();
  }

  GpuLimits
  GpuLimits::of(const int architecture)
  {
    const int  generation = architecture / 10;
    const bool is_large   = architecture == 80 || architecture == 87; // A100, Orin
    const int  kibibytes  = generation >= 9 && generation < 12 ? 227
                            : is_large                         ? 163
                            : generation < 8                   ? 64
                                                               : 99;
    return {architecture,
            kibibytes << 10,
            architecture == 80 || architecture == 90 || architecture == 100};
  }

  std::string
  instance_name(const std::string &name, const std::vector<std::string> &arguments)
  {
    std::string list;
    for (const std::string &argument : arguments)
      list += (list.empty() ? "" : ", ") + argument;
    return "Saltus::CudaKernels::" + name + "<" + list + ">";
  }

  namespace
  {
    /// All device headers. They live as long as the process, since compilations may run at its end.
    std::map<std::string, std::string> &
    all_headers()
    {
      using Headers           = std::map<std::string, std::string>;
      static Headers &headers = *new Headers(device_headers.begin(), device_headers.end());
      return headers;
    }

    bool
    is_in_name(const char c)
    {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    }

    /// The identifiers in a text, in their order.
    std::vector<std::string>
    identifiers(const std::string &text)
    {
      std::vector<std::string> result;
      for (std::size_t i = 0; i < text.size(); ++i)
        {
          const std::size_t begin = i;
          while (i < text.size() && is_in_name(text[i]))
            ++i;
          if (i > begin)
            result.push_back(text.substr(begin, i - begin));
        }
      return result;
    }

    /// Call `body(line)` for all lines of a text.
    template <typename Body>
    void
    for_lines(const std::string &text, const Body &body)
    {
      for (std::size_t begin = 0; begin < text.size();)
        {
          const std::size_t end = std::min(text.find('\n', begin), text.size());
          body(text.substr(begin, end - begin));
          begin = end + 1;
        }
    }

    /// The class or enumeration that a line begins to define; empty if it does not. Such a line has
    /// at most four spaces at its begin and no semicolon at its end.
    std::string
    defined_name(std::string line)
    {
      line.erase(0, std::min<std::size_t>(line.find_first_not_of(' '), 4));
      if (line.empty() || line.back() == ';')
        return "";
      if (const std::size_t begin = line.find("alignas("); begin != std::string::npos)
        {
          int         n_open = 0;
          std::size_t end    = begin + 7;
          do
            n_open += line[end] == '(' ? 1 : (line[end] == ')' ? -1 : 0);
          while (++end < line.size() && n_open > 0);
          line.erase(begin, end - begin);
        }
      const std::vector<std::string> words         = identifiers(line);
      const std::size_t              first         = words.size() > 1 && words[0] == "enum" ? 1 : 0;
      const bool                     is_definition = words.size() > first + 1 &&
                                 line.compare(0, words[0].size(), words[0]) == 0 &&
                                 (words[first] == "class" || words[first] == "struct");
      return is_definition ? words[first + 1] : "";
    }

    /// The names in the `#include` lines of a text.
    std::vector<std::string>
    included_names(const std::string &text)
    {
      std::vector<std::string> names;
      for_lines(text, [&](const std::string &line) {
        const std::size_t begin = line.find_first_of("<\"");
        if (line.compare(0, 8, "#include") == 0 && begin != std::string::npos)
          names.push_back(line.substr(begin + 1, line.find_first_of(">\"", begin + 1) - begin - 1));
      });
      return names;
    }

    /// Whether all headers of the library that a header includes are device headers.
    /// @param known the results so far
    bool
    is_complete(const std::string &header, std::map<std::string, bool> &known)
    {
      const auto [result, is_new] = known.insert({header, true});
      if (const auto found = all_headers().find(header); found == all_headers().end())
        result->second = false;
      else if (is_new)
        for (const std::string &included : included_names(found->second))
          if (included.compare(0, 7, "saltus/") == 0 && !is_complete(included, known))
            result->second = false;
      return result->second;
    }

    /// The headers that define each class.
    const std::map<std::string, std::set<std::string>> &
    definitions()
    {
      static std::map<std::string, std::set<std::string>> found;
      static std::size_t                                  n_headers = 0;
      std::map<std::string, bool>                         known;
      if (n_headers != all_headers().size())
        for (const auto &[name, text] : all_headers())
          if (is_complete(name, known))
            for_lines(text, [&, header = name](const std::string &line) {
              if (const std::string defined = defined_name(line); !defined.empty())
                found[defined].insert(header);
            });
      n_headers = all_headers().size();
      return found;
    }

    /// The headers that define the classes named in a text.
    std::set<std::string>
    headers_for(const std::string &types)
    {
      std::set<std::string> result;
      for (const std::string &word : identifiers(types))
        if (const auto headers = definitions().find(word); headers != definitions().end())
          result.insert(headers->second.begin(), headers->second.end());
      return result;
    }
  } // namespace

  std::string
  KernelSource::text() const
  {
    std::string text  = "#include <cuda/base/device/limits.cuh>\n"
                        "#include <saltus/base/device/launch_shape.h>\n";
    std::string types = program;
    for (const auto *list : {&arguments, &table_source})
      for (const Argument &argument : *list)
        types += " " + argument.type;
    for (const std::string &header : headers_for(types))
      text += "#include <" + header + ">\n";
    text += definitions + "using Program = " + program + ";\n";
    const auto declare = [&](const Argument &argument, const std::string &name) {
      text += "using " + name + " = " + argument.type + ";\nstatic_assert(sizeof(" + name +
              ") == " + std::to_string(argument.size) +
              ", \"The host and the device differ in the size of " + argument.type + ".\");\n";
    };
    std::string parameters, values;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      {
        const std::string number = std::to_string(i), comma = i == 0 ? "" : ", ";
        declare(arguments[i], "A" + number);
        parameters += comma + "const __grid_constant__ A" + number + " a" + number;
        values += comma + "a" + number;
      }
    std::string sizes;
    if (!table_source.empty())
      {
        declare(table_source.front(), "From");
        parameters += ", const __grid_constant__ typename Program::Tables tables";
        values += ", tables";
        sizes = "shape.table_bytes = sizeof(typename Program::Tables); "
                "shape.memory_bytes = Program::memory_bytes; ";
        text += "extern \"C\" __global__ void make_tables(const From from, void *tables, "
                "double *memory)\n{ Program::make_tables(from, "
                "*static_cast<typename Program::Tables *>(tables), memory); }\n";
      }
    return text + "static constexpr Saltus::LaunchShape complete(Saltus::LaunchShape shape)\n{ " +
           sizes +
           "return shape; }\n"
           "extern \"C\" __device__ const Saltus::LaunchShape launch_shape = "
           "complete(Program::shape);\n"
           "extern \"C\" __global__ void __launch_bounds__(Program::shape.n_threads, "
           "Program::shape.min_blocks)\nkernel(" +
           parameters + ")\n{ Program::run(" + values + "); }\n";
  }

  bool
  add_device_header(const std::string &name, const std::string &text)
  {
    all_headers()[name] = text;
    return true;
  }

  std::vector<DeviceHeader>
  included_headers(const std::string &text)
  {
    std::vector<DeviceHeader> result;
    std::set<std::string>     known;
    std::vector<std::string>  open = included_names(text);
    while (!open.empty())
      {
        const std::string name = open.back();
        open.pop_back();
        const auto header = all_headers().find(name);
        if (header == all_headers().end() || !known.insert(name).second)
          continue;
        result.push_back(*header);
        for (const std::string &included : included_names(header->second))
          open.push_back(included);
      }
    std::sort(result.begin(), result.end());
    return result;
  }

  std::string
  hash_of(const std::string &text)
  {
    unsigned __int128 hash =
      (static_cast<unsigned __int128>(0x6c62272e07bb0142) << 64) | 0x62b821756295c58d;
    const unsigned __int128 prime = (static_cast<unsigned __int128>(1) << 88) | 0x13b;
    for (const unsigned char byte : text)
      hash = (hash ^ byte) * prime;
    std::string digits(32, '0');
    for (int i = 31; i >= 0; --i, hash >>= 4)
      digits[i] = "0123456789abcdef"[static_cast<int>(hash & 15)];
    return digits;
  }
} // namespace Saltus
