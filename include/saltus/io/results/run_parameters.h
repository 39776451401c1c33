// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_run_parameters_h
#define saltus_io_results_run_parameters_h

#include <saltus/io/parameters/output_parameters.h>
#include <saltus/io/results/evaluation_parameters.h>
#include <saltus/io/results/time_average.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// The entries of the section `Time` that say when a run ends.
  struct RunLimits
  {
    /// `End time`, `Steps` and `Stop at steady state`.
    /// @param used see used_with()
    void
    add_end(dealii::ParameterHandler &prm, const std::string &used = "");

    /// `Wall time limit`.
    void
    add_wall_time_limit(dealii::ParameterHandler &prm, const std::string &used = "");

    /// @param dt the longest step; 0: not limited
    /// @param entry that gives it
    /// @throws dealii::ExcMessage if nobody can wait for the end
    void
    check_step_size(const double dt, const std::string &entry = "Time/Step size") const;

    static constexpr long all_steps = 1000000000;

    double end             = 1.;
    double wall_time_limit = 0.; ///< seconds; 0: none
    long   n_steps         = all_steps;

    double steady_tolerance = 0.; ///< largest change in a step; 0: steady or not
    /// Steps between two that are looked at.
    static constexpr long steady_interval = 100;

    bool
    is_steady(const double change) const
    {
      return steady_tolerance > 0. && change <= steady_tolerance;
    }

    /// Whether the step with this number is looked at.
    bool
    is_looked_at(const long step) const
    {
      return steady_tolerance > 0. && step % steady_interval == 0;
    }
  };


  /// Note on standard error that steps with a CFL number far above 1 will not be stable.
  void
  note_large_cfl(const double cfl);


  /// The sections that say what a run in time leaves on disk.
  struct RunParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for outputs without a name, more pictures until @p limits than
    /// are allowed and reference values that are not positive
    void
    check(const RunLimits &limits) const;

    /// Intervals between pictures until the end, at most; 0 if only the first and the last state
    /// are shown.
    double
    n_intervals(const RunLimits &limits) const;

    OutputParameters     output;
    EvaluationParameters evaluation;
    AverageParameters    average;
    CheckpointParameters checkpoint;
  };


  /// Entries and sections whose values may be others at a restart than in the checkpoint, since
  /// what was computed does not depend on them. The steps that follow depend on some: they are cut
  /// to end at `Time/End time` and at the multiples of `Output/Interval`, so that a run which goes
  /// on with others is not, bit by bit, one that has had them from its beginning.
  /// @param has_exact_boundary whether steps depend on the exact solution, which then must not
  /// differ
  std::vector<std::string>
  may_differ_at_restart(const bool has_exact_boundary);
} // namespace Saltus

#endif
