// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_text_file_h
#define saltus_base_expressions_text_file_h

#include <string>

namespace Saltus
{
  /// A reason why @p file is no file with contents, as part of a sentence; empty if the file is
  /// one, or is missing.
  std::string
  obstacle_to_reading(const std::string &file);

  /// The whole text of a file, without the byte order mark that some programs put first.
  /// @param what the file is, for the message: `mesh file`
  /// @throws dealii::ExcMessage with @p what, name and cause, also for an empty file
  std::string
  read_text(const std::string &what, const std::string &file);
} // namespace Saltus

#endif
