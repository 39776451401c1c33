// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_run_files_h
#define saltus_base_expressions_run_files_h

#include <string>

/// The input files of a run and its output directory, so that no output replaces an input or goes
/// to another directory. Each process notes the files that it reads and checks those that it
/// writes.
namespace Saltus
{
  /// Note that the run reads @p file.
  /// @param successor the output that may take its place, if there is one
  void
  note_input(const std::string &file, const std::string &successor = "");

  /// Note that the run writes to an existing @p directory, until the object ends. The present
  /// directory is `.`.
  class OutputDirectory
  {
  public:
    explicit OutputDirectory(const std::string &directory);

    OutputDirectory(const OutputDirectory &) = delete;
    OutputDirectory &
    operator=(const OutputDirectory &) = delete;

    ~OutputDirectory();
  };

  /// Check that the run may write @p file.
  /// @throws dealii::ExcMessage if the file is an input of the run, by device and inode, but not
  /// its successor. The same holds if its directory is the noted one and was renamed or removed.
  void
  check_output(const std::string &file);
} // namespace Saltus

#endif
