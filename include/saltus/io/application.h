// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_application_h
#define saltus_io_application_h

#include <deal.II/base/parameter_handler.h>

#include <functional>
#include <string>
#include <vector>

/// What all applications share: the command line and the way that errors are reported.
namespace Saltus
{
  /// `PROGRAM FILE.prm [--print-parameters] [--set 'Section/Entry=value']... [--device NAME]
  /// [--restart] [--help]`
  struct CommandLine
  {
    std::string parameter_file;
    bool        print_parameters = false;
    bool        help             = false;

    /// Of `--set`, `Device=NAME` for `--device NAME` and `Checkpoint/Restart=true` for `--restart`,
    /// in the order given.
    std::vector<std::string> assignments;
  };

  /// @param arguments without the name of the program
  /// @throws dealii::ExcMessage for an unknown option, a missing value and a second file
  CommandLine
  parse_command_line(const std::vector<std::string> &arguments);

  /// The text of an exception without the frame (file, line, stack) that deal.II puts around it.
  std::string
  error_message(const std::exception &exception);

  /// Do what @p action does; a deal.II exception in it continues with @p entry and a colon before
  /// its text.
  /// @param entry the entry of the parameter file that is to blame
  void
  with_entry(const std::string &entry, const std::function<void()> &action);

  /// The main function of an application that is run from a parameter file: initialises MPI,
  /// declares the entry `Device` and those of @p declare, reads command line and parameter file and
  /// calls
  /// @p run. An exception ends in one message on the standard error stream, from one rank only.
  ///
  /// @param purpose one sentence for `--help`
  /// @return 0, or 1 after an error: the exit status
  int
  run_application(int                                                    argc,
                  char                                                 **argv,
                  const std::string                                     &purpose,
                  const std::function<void(dealii::ParameterHandler &)> &declare,
                  const std::function<void(dealii::ParameterHandler &)> &run);
} // namespace Saltus

#endif
