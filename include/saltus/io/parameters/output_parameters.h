// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_output_parameters_h
#define saltus_io_parameters_output_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// Where the files of a run go: two entries of the section `Output`.
  struct OutputFiles
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for an empty name
    void
    check() const;

    /// `DIRECTORY/NAME` and @p ending.
    std::string
    path(const std::string &ending) const;

    std::string directory = "output", name = "solution";
  };


  /// Paths of the tables `DIRECTORY/NAME_TABLE.csv`.
  std::vector<std::string>
  paths_of_tables(const OutputFiles &files, const std::vector<std::string> &tables);


  /// The section `Output` of a time integration.
  struct OutputParameters : public OutputFiles
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    double picture_interval = 0.;     ///< simulated time; 0: only the first and the last
    long   max_pictures     = 100000; ///< that may be expected
    long   series_interval  = 0;      ///< steps; 0: no time series
    bool   progress         = true;
  };


  /// The section `Checkpoint`.
  struct CheckpointParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    long interval = 0; ///< steps; 0: no checkpoints
    bool restart  = false;
  };


  /// The first multiple of @p interval after @p time, which may be one but for rounding; infinite
  /// if the interval is 0.
  /// @throws dealii::ExcMessage if the interval is lost in the rounding of @p time
  double
  next_multiple(const double time, const double interval);


  /// Steps from step number @p step to the next multiple of @p interval; @p otherwise if that is 0.
  long
  steps_to_multiple(const long step, const long interval, const long otherwise);
} // namespace Saltus

#endif
