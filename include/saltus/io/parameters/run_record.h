// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_run_record_h
#define saltus_io_parameters_run_record_h

#include <saltus/io/files/json.h>
#include <saltus/io/parameters/application.h>
#include <saltus/io/parameters/output_parameters.h>

#include <functional>

namespace Saltus
{
  /// Performs a run with its output directory locked, see OutputLock, and keeps a record of it in
  /// `DIRECTORY/NAME.json`, an object: `program`, `finished`, `message` (why it is not finished),
  /// `started` (UTC), `seconds` since the program began, `versions`, `device`, `ranks`, `threads`
  /// of each, `parameter file`, `settings` (all entries, by section), and what @p add_results adds.
  /// It is written at the beginning, so that it is there if the run is killed, and at the end,
  /// whatever that is.
  ///
  /// A dry run writes nothing.
  /// @param run does the work; what it is called with writes the record of what is known so far
  /// @param add_results called on the first rank at the end, also of a run that fails: what is
  /// known then
  /// @throws dealii::ExcMessage what OutputLock throws; if the record cannot be written; and what
  /// @p run throws
  void
  record_run(const RunSettings                                             &settings,
             const OutputFiles                                             &files,
             const Device                                                   device,
             const MPI_Comm                                                 communicator,
             const std::function<void(const std::function<void()> &write)> &run,
             const std::function<void(Json &)>                             &add_results);

  /// The record of the part of a run before a restart, on the first rank; null without a readable
  /// one.
  Json
  record_of_earlier_part(const OutputFiles &files, const MPI_Comm communicator);
} // namespace Saltus

#endif
