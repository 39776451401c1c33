// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/expressions/run_files.h>
#include <saltus/base/expressions/text_file.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace Saltus
{
  namespace
  {
    /// @param cause why the text cannot be read; empty if it can
    std::string
    read(const std::string &file, std::string &cause)
    {
      cause = obstacle_to_reading(file);
      if (!cause.empty())
        return {};
      errno = 0;
      std::ifstream      stream(file, std::ios::binary);
      std::ostringstream text;
      if (!(stream && text << stream.rdbuf()))
        cause = errno != 0 ? std::strerror(errno) : "unknown cause";
      return text.str();
    }
  } // namespace


  std::string
  obstacle_to_reading(const std::string &file)
  {
    std::error_code error;
    const auto      status = std::filesystem::status(file, error);
    if (std::filesystem::is_directory(status))
      return "it is a directory";
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      return "it is a device or a pipe, not a file";
    if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(file, error) == 0)
      return "it is empty";
    return "";
  }


  std::string
  read_text(const std::string &what, const std::string &file)
  {
    constexpr char byte_order_mark[] = "\xEF\xBB\xBF";
    std::string    cause, text = read(file, cause);
    AssertThrow(cause.empty(),
                dealii::ExcMessage("The " + what + " '" + file + "' cannot be read: " + cause +
                                   "."));
    note_input(file);
    if (text.compare(0, std::strlen(byte_order_mark), byte_order_mark) == 0)
      text.erase(0, std::strlen(byte_order_mark));
    return text;
  }
} // namespace Saltus
