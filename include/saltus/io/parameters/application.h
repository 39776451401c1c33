// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_application_h
#define saltus_io_parameters_application_h

#include <deal.II/base/mpi.h>

#include <saltus/base/device/device.h>
#include <saltus/base/device/error_message.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>

#include <chrono>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

/// What all applications share: the command line and the way that errors are reported.
namespace Saltus
{
  /// `PROGRAM FILE.prm [--print-parameters] [--set 'Section/Entry=value']... [--device NAME]
  /// [--dry-run] [--kernels-for NUMBER] [--restart] [--no-progress] [--version] [--help]`
  struct CommandLine
  {
    std::string parameter_file;
    bool        print_parameters = false;
    bool        dry_run          = false;
    bool        version          = false;
    bool        help             = false;
    int         architecture     = 0;     ///< of `--kernels-for`, 90 for 9.0; 0: none
    bool        no_progress      = false; ///< `Output/Progress=false` where there is this entry

    /// Of `--set`, `Device=NAME` for `--device NAME` and `Checkpoint/Restart=true` for `--restart`,
    /// in the order given.
    std::vector<std::string> assignments;
  };

  /// @param arguments without the name of the program
  /// @throws dealii::ExcMessage for an unknown option, a missing value and a second file
  CommandLine
  parse_command_line(const std::vector<std::string> &arguments);

  /// Do what @p action does; a deal.II exception in it continues with @p entry and a colon before
  /// its text.
  /// @param entry the entry of the parameter file that is to blame
  void
  with_entry(const std::string &entry, const std::function<void()> &action);

  /// Ends a program before its work is done because it was told to stop; what() says by what, and
  /// how the rest can be done. All ranks throw it, or none.
  class StoppedEarly : public std::runtime_error
  {
  public:
    using std::runtime_error::runtime_error;
  };

  /// What a program is told besides the parameters of its own.
  struct RunSettings
  {
    std::string                 program;         ///< its name
    std::string                 device = "auto"; ///< see Device::from_name()
    std::string                 parameter_file;  ///< as the command line gives it
    std::vector<ParameterEntry> entries;         ///< all of them, after reading
    bool                        is_dry = false;  ///< prepare and say all, solve and write nothing
    /// When the program began.
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  };

  /// Say where a run computes; on several ranks, what that of the first one is, and whether they
  /// must share cores. Collective.
  void
  print_device(std::ostream &stream, const Device device, const MPI_Comm communicator);

  /// The main function of an application that is run from a parameter file: initialises MPI,
  /// declares the entry `Device` and those of @p add_parameters, reads command line and parameter
  /// file and calls @p run. An exception ends in one message on the standard error stream, from one
  /// rank only. Of the standard output that of the first rank is seen.
  ///
  /// @param purpose one sentence for `--help`
  /// @return the exit status: 0, 1 after an error, 2 after StoppedEarly
  int
  run_application(int                                                    argc,
                  char                                                 **argv,
                  const std::string                                     &purpose,
                  const std::function<void(dealii::ParameterHandler &)> &add_parameters,
                  const std::function<void(const RunSettings &)>        &run);

  /// The same for a program whose parameters are a struct with `add_parameters()` and `check()`
  /// (see parameters.h).
  /// @param run called as `run(parameters, settings)`
  template <typename Parameters, typename Run>
  int
  run_application(int argc, char **argv, const std::string &purpose, const Run &run)
  {
    Parameters parameters;
    return run_application(
      argc,
      argv,
      purpose,
      [&](dealii::ParameterHandler &prm) { parameters.add_parameters(prm); },
      [&](const RunSettings &settings) {
        parameters.check();
        note_unused_entries(settings.entries);
        run(static_cast<const Parameters &>(parameters), settings);
      });
  }
} // namespace Saltus

#endif
