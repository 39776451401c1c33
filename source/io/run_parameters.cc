// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/run_parameters.h>

namespace Saltus
{
  using namespace dealii;

  void
  RunLimits::add_end(ParameterHandler &prm)
  {
    prm.enter_subsection("Time");
    prm.add_parameter("End time", end, "Stop at this time.", Patterns::Double(0.));
    prm.add_parameter(
      "Steps",
      n_steps,
      "Stop the run after this many steps of a cycle, those before a restart counted.",
      Patterns::Integer(0));
    prm.leave_subsection();
  }


  void
  RunLimits::add_wall_time_limit(ParameterHandler &prm)
  {
    prm.enter_subsection("Time");
    prm.add_parameter("Wall time limit",
                      wall_time_limit,
                      "Seconds after which the run stops as it does at a signal: after the present "
                      "step, with a checkpoint if Checkpoint/Interval asks for some; 0: none.",
                      Patterns::Double(0.));
    prm.leave_subsection();
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
  may_differ_at_restart()
  {
    return {"Device",
            "Mesh/File", // the mesh itself is compared
            "Discretization/Cycles",
            "Functions/Exact solution",
            "Functions/Reference errors",
            "Time/End time",
            "Time/Steps",
            "Time/Steady tolerance",
            "Time/Wall time limit",
            "Output/",
            "Evaluation/",
            "Checkpoint/"};
  }
} // namespace Saltus
