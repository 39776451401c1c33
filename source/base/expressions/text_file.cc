// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

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
      std::error_code error;
      if (std::filesystem::is_directory(file, error)) // which a stream would open
        {
          cause = "it is a directory";
          return {};
        }
      errno = 0;
      std::ifstream      stream(file, std::ios::binary);
      std::ostringstream text;
      if (stream && stream.peek() == std::ifstream::traits_type::eof() && errno == 0)
        cause = "it is empty";
      else if (!(stream && text << stream.rdbuf()))
        cause = errno != 0 ? std::strerror(errno) : "unknown cause";
      return text.str();
    }
  } // namespace


  std::string
  read_text(const std::string &what, const std::string &file)
  {
    constexpr char byte_order_mark[] = "\xEF\xBB\xBF";
    std::string    cause, text = read(file, cause);
    AssertThrow(cause.empty(),
                dealii::ExcMessage("The " + what + " '" + file + "' cannot be read: " + cause +
                                   "."));
    if (text.compare(0, std::strlen(byte_order_mark), byte_order_mark) == 0)
      text.erase(0, std::strlen(byte_order_mark));
    return text;
  }
} // namespace Saltus
