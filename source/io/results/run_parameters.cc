// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/results/run_parameters.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  void
  RunLimits::add_end(ParameterHandler &prm, const std::string &used)
  {
    prm.enter_subsection("Time");
    prm.add_parameter("End time", end, "Stop at this time." + used, Patterns::Double(0.));
    prm.add_parameter(
      "Steps",
      n_steps,
      "Stop the run after this many steps of a cycle, those before a restart counted." + used,
      Patterns::Integer(0));
    prm.add_parameter(
      "Stop at steady state",
      steady_tolerance,
      "Stop when no coefficient of the solution (of a flow: of its velocity) changes "
      "by more in a step, looked at every 100 steps; 0: never." +
        used,
      Patterns::Double(0.));
    prm.leave_subsection();
  }


  void
  RunLimits::add_wall_time_limit(ParameterHandler &prm, const std::string &used)
  {
    prm.enter_subsection("Time");
    prm.add_parameter("Wall time limit",
                      wall_time_limit,
                      "Seconds after which the run stops as it does at a signal: after the present "
                      "step, with a checkpoint if Checkpoint/Interval asks for some; 0: none." +
                        used,
                      Patterns::Double(0.));
    prm.leave_subsection();
  }


  void
  RunLimits::check_step_size(const double dt, const std::string &entry) const
  {
    std::ostringstream text;
    text << entry << " = " << dt << " asks for " << end / dt
         << " steps until Time/End time = " << end
         << ". Take longer ones or an earlier end, or let Time/Steps end the run.";
    AssertThrow(dt == 0. || end / dt <= 1e12 || n_steps < all_steps, ExcMessage(text.str()));
  }


  void
  note_large_cfl(const double cfl)
  {
    std::ostringstream text;
    text << "Time/CFL number = " << cfl
         << " is far above 1, where explicit steps are not stable any more.";
    if (cfl > 10. && this_rank(MPI_COMM_WORLD) == 0)
      say_once(text.str());
  }


  double
  RunParameters::n_intervals(const RunLimits &limits) const
  {
    return output.picture_interval > 0.
             ? std::min(std::ceil(limits.end / output.picture_interval - 1e-6), 1. * limits.n_steps)
             : 0.;
  }


  void
  RunParameters::check(const RunLimits &limits) const
  {
    output.check();

    const double       n = n_intervals(limits);
    std::ostringstream text;
    text << "Output/Interval = " << output.picture_interval << " asks for " << n
         << " pictures until the end of the run, more than Output/Maximum pictures = "
         << output.max_pictures << ". Take a longer interval, or allow as many.";
    AssertThrow(n <= output.max_pictures, ExcMessage(text.str()));
  }


  void
  RunParameters::add_parameters(ParameterHandler &prm)
  {
    output.add_parameters(prm);
    evaluation.add_parameters(prm);
    average.add_parameters(prm);
    checkpoint.add_parameters(prm);
  }


  std::vector<std::string>
  may_differ_at_restart(const bool has_exact_boundary)
  {
    std::vector<std::string> entries = {"Device",
                                        "Mesh/File", // the mesh itself is compared
                                        "Discretization/Cycles",
                                        "Functions/Reference errors",
                                        "Time/End time",
                                        "Time/Steps",
                                        "Time/Stop at steady state",
                                        "Time/Stop at residual",
                                        "Time/Wall time limit",
                                        "Output/",
                                        "Evaluation/",
                                        "Checkpoint/"};
    if (!has_exact_boundary)
      entries.emplace_back("Functions/Exact solution");
    return entries;
  }
} // namespace Saltus
