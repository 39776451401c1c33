// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_h
#define saltus_io_files_h

#include <functional>
#include <ostream>
#include <string>

namespace Saltus
{
  /// Make the directory in which @p path lies, unless it is there.
  /// @throws dealii::ExcMessage if it cannot be made
  void
  make_directory_of(const std::string &path);

  /// Write a file through a temporary one beside it that is renamed when complete, so that at any
  /// time either the old or the new contents stand under @p path.
  /// @throws dealii::ExcMessage if the file cannot be written
  void
  replace_file(const std::string &path, const std::function<void(std::ostream &)> &write);
} // namespace Saltus

#endif
