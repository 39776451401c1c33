// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/output_parameters.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  void
  OutputFiles::declare(ParameterHandler &prm)
  {
    prm.enter_subsection("Output");
    prm.declare_entry("Directory", "output", Patterns::Anything(), "Where the files go.");
    prm.declare_entry("Name", "solution", Patterns::Anything(), "Beginning of the files' names.");
    prm.leave_subsection();
  }


  OutputFiles::OutputFiles(ParameterHandler &prm)
  {
    prm.enter_subsection("Output");
    directory = prm.get("Directory");
    name      = prm.get("Name");
    prm.leave_subsection();
  }


  std::string
  OutputFiles::path(const std::string &ending) const
  {
    return (directory.empty() ? "" : directory + '/') + name + ending;
  }


  void
  OutputParameters::declare(ParameterHandler &prm)
  {
    OutputFiles::declare(prm);
    prm.enter_subsection("Output");
    prm.declare_entry("Interval",
                      "0",
                      Patterns::Double(0.),
                      "Simulated time between pictures; steps are cut to meet it. 0: only the "
                      "first and the last state.");
    prm.declare_entry("Time series interval",
                      "0",
                      Patterns::Integer(0),
                      "Steps between rows of the table NAME_CYCLE.csv: integrals, outflow, L2 "
                      "norms, extreme element means. 0: no table.");
    prm.leave_subsection();

    prm.enter_subsection("Checkpoint");
    prm.declare_entry("Interval",
                      "0",
                      Patterns::Integer(0),
                      "Steps between checkpoints, which all go to NAME.checkpoint; one is written "
                      "when the run stops, too. 0: none.");
    prm.declare_entry("Restart",
                      "false",
                      Patterns::Bool(),
                      "Continue from NAME.checkpoint (the same as the option --restart).");
    prm.leave_subsection();
  }


  OutputParameters::OutputParameters(ParameterHandler &prm)
    : OutputFiles(prm)
  {
    prm.enter_subsection("Output");
    picture_interval = prm.get_double("Interval");
    series_interval  = prm.get_integer("Time series interval");
    prm.leave_subsection();
    prm.enter_subsection("Checkpoint");
    checkpoint_interval = prm.get_integer("Interval");
    restart             = prm.get_bool("Restart");
    prm.leave_subsection();
  }


  double
  next_multiple(const double time, const double interval)
  {
    if (interval == 0.)
      return std::numeric_limits<double>::infinity();
    const double       next = (std::floor(time / interval + 1e-6) + 1.) * interval;
    std::ostringstream message;
    message << "The interval of " << interval << " between pictures (Output/Interval) is nothing "
            << "against the time " << time << ".";
    AssertThrow(next > time, ExcMessage(message.str()));
    return next;
  }


  long
  steps_to_multiple(const long step, const long interval, const long otherwise)
  {
    return interval > 0 ? interval - step % interval : otherwise;
  }
} // namespace Saltus
