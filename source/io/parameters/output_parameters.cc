// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/parameters/output_parameters.h>
#include <saltus/io/parameters/parameters.h>
#include <saltus/io/parameters/unused_entries.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  void
  OutputFiles::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Output");
    prm.add_parameter("Directory", directory, "Where the files go.");
    prm.add_parameter("Name", name, "Beginning of the files' names.");
    prm.add_parameter("Additional fields",
                      additional_fields,
                      "Besides the quantities of the equation, in VTU files of the solution: "
                      "NAME_gradient of a quantity, as density_gradient or velocity_x_gradient. "
                      "Further names are rank, and for gases vorticity, temperature and "
                      "artificial_viscosity.");
    add_choice(
      prm,
      "Precision",
      double_values,
      {{"float", false}, {"double", true}},
      "Values in VTU files have this precision. Points have double precision where the mesh needs it.");
    prm.leave_subsection();
  }


  void
  OutputFiles::check() const
  {
    AssertThrow(!name.empty(),
                ExcMessage("Output/Name is empty: give the beginning of the files' names."));
    for (const char c : name)
      AssertThrow(std::string("/<>&\"'").find(c) == std::string::npos && (c < 0 || c >= ' '),
                  ExcMessage(
                    "Output/Name '" + name + "' has the character '" + c +
                    "'. The beginning of files' names may have no slash, <, >, &, quote or "
                    "control character. Output/Directory is the place for directories."));
  }


  std::string
  OutputFiles::path(const std::string &ending) const
  {
    return (directory.empty() ? "" : directory + '/') + name + ending;
  }


  std::vector<std::string>
  paths_of_tables(const OutputFiles &files, const std::vector<std::string> &tables)
  {
    std::vector<std::string> result;
    for (const std::string &table : tables)
      result.push_back(files.path('_' + table + ".csv"));
    return result;
  }


  void
  OutputParameters::add_parameters(ParameterHandler &prm)
  {
    OutputFiles::add_parameters(prm);
    prm.enter_subsection("Output");
    prm.add_parameter("Interval",
                      picture_interval,
                      "Simulated time between pictures; steps are cut to meet it. 0: only the "
                      "first and the last state.",
                      Patterns::Double(0.));
    prm.add_parameter("Maximum pictures",
                      max_pictures,
                      "A run whose end time and interval ask for more of them is refused." +
                        used_with("Output/Interval above 0"),
                      Patterns::Integer(1));
    prm.add_parameter("Time series interval",
                      series_interval,
                      "Steps between rows of the table NAME_CYCLE.csv: integrals, norms and the "
                      "like. 0: no table.",
                      Patterns::Integer(0));
    prm.add_parameter("Progress",
                      progress,
                      "Whether lines on the standard output show how the steps go on (false: the "
                      "same as the option --no-progress).");
    prm.leave_subsection();
  }


  void
  CheckpointParameters::add_parameters(ParameterHandler &prm)
  {
    prm.enter_subsection("Checkpoint");
    prm.add_parameter("Interval",
                      interval,
                      "Steps between checkpoints, which all go to NAME.checkpoint; the one before "
                      "is kept as NAME.checkpoint.old. One is written when the run stops, too. 0: "
                      "none.",
                      Patterns::Integer(0));
    prm.add_parameter("Restart",
                      restart,
                      "Continue from NAME.checkpoint (the same as the option --restart).");
    prm.leave_subsection();
  }


  bool
  is_reached(const double target, const double time)
  {
    return time >= (1. - 1e-9) * target;
  }


  double
  next_multiple(const double time, const double interval, const std::string &entry)
  {
    if (interval == 0.)
      return std::numeric_limits<double>::infinity();
    const double       next = (std::floor(time / interval + 1e-6) + 1.) * interval;
    std::ostringstream message;
    message << entry << " = " << interval << " is lost in the rounding of the time " << time
            << ". Increase the interval.";
    AssertThrow(next > time, ExcMessage(message.str()));
    return next;
  }


  long
  steps_to_multiple(const long step, const long interval, const long otherwise)
  {
    return interval > 0 ? interval - step % interval : otherwise;
  }
} // namespace Saltus
