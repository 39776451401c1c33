// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_parameters_output_parameters_h
#define saltus_io_parameters_output_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// Place and content of the files of a run: entries of the section `Output`.
  struct OutputFiles
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for an empty name, and for one with a slash or characters that
    /// have a meaning in XML
    void
    check() const;

    /// `DIRECTORY/NAME` and @p ending.
    std::string
    path(const std::string &ending) const;

    std::string directory = "output", name = "solution";
    bool        double_values = false; ///< in VTU files

    std::vector<std::string> additional_fields = {}; ///< of VTU files
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


  /// Returns whether @p time is at @p target or later. A billionth of the target counts as
  /// rounding.
  bool
  is_reached(const double target, const double time);


  /// Returns the first multiple of @p interval after @p time, or infinity for an interval of 0. A
  /// time up to a millionth of the interval before a multiple counts as that multiple. The result
  /// hence grows from step to step exactly where a multiple is reached.
  /// @param entry of the interval in the parameter file, for the message
  /// @throws dealii::ExcMessage if the interval is lost in the rounding of @p time
  double
  next_multiple(const double time, const double interval, const std::string &entry);


  /// Steps from step number @p step to the next multiple of @p interval; @p otherwise if that is 0.
  long
  steps_to_multiple(const long step, const long interval, const long otherwise);
} // namespace Saltus

#endif
