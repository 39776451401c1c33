// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_files_files_h
#define saltus_io_files_files_h

#include <functional>
#include <ostream>
#include <string>

namespace Saltus
{
  /// Make the directory in which @p path lies, unless it is there.
  /// @throws dealii::ExcMessage if it cannot be made, and as check_output() does
  void
  make_directory_of(const std::string &path);

  /// Call @p write, in which streams to the file @p path throw where they fail (`exceptions(badbit
  /// | failbit)`).
  /// @throws dealii::ExcMessage with the path and the cause if they do
  void
  with_write_errors(const std::string &path, const std::function<void()> &write);

  /// A new, empty file beside @p path, with a random name that no other file and no link had. It
  /// takes the place of @p path when it is complete, or goes.
  class ReplacementFile
  {
  public:
    /// @throws dealii::ExcMessage with the path and the cause if the file cannot be made, and as
    /// check_output() does
    explicit ReplacementFile(const std::string &path);

    ReplacementFile(const ReplacementFile &) = delete;
    ReplacementFile &
    operator=(const ReplacementFile &) = delete;

    ~ReplacementFile();

    /// Rename the file to the path.
    /// @throws dealii::ExcMessage with the path and the cause if that fails
    void
    replace();

    std::string name; ///< empty once it is renamed

  private:
    const std::string path;
  };

  /// Remove files in @p directory that a killed run has left: a ReplacementFile beside a path whose
  /// last part begins with @p name.
  void
  remove_temporary_files(const std::string &directory, const std::string &name);

  /// Write a file through a temporary one beside it that is renamed when complete, so that at any
  /// time either the old or the new contents stand under @p path. If it cannot be written, nothing
  /// is left of it.
  /// @throws dealii::ExcMessage with the path and the cause if the file cannot be written
  void
  replace_file(const std::string &path, const std::function<void(std::ostream &)> &write);

  /// The directory in which @p path lies.
  std::string
  directory_of(const std::string &path);

  /// Wait until what was written to a file, or the names in a directory, are on the disk.
  /// @throws dealii::ExcMessage if they cannot be written there
  void
  sync_to_disk(const std::string &path);

  /// Let the file @p path, if there is one, be found as @p other, too, in the place of what stood
  /// there, also when another file comes to stand under @p path.
  /// @throws dealii::ExcMessage if that fails
  void
  keep_as(const std::string &path, const std::string &other);

  /// Move a file into the directory `set_aside` beside it, or `set_aside-2`, ..., where there is
  /// none of its name.
  /// @return its new path
  /// @throws dealii::ExcMessage if that fails
  std::string
  set_aside(const std::string &path);

  /// The path of an input file: @p name as seen from the working directory or, if there is no such
  /// file, from the directory in which the file @p beside lies; if there is none either, @p name.
  std::string
  find_file(const std::string &name, const std::string &beside);
} // namespace Saltus

#endif
