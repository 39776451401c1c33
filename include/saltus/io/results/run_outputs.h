// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_run_outputs_h
#define saltus_io_results_run_outputs_h

#include <saltus/io/files/background_work.h>
#include <saltus/io/files/open_files.h>
#include <saltus/io/files/solution_writer.h>
#include <saltus/io/results/evaluation.h>
#include <saltus/io/results/run_parameters.h>
#include <saltus/io/results/shown_solution.h>
#include <saltus/io/results/time_average.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace Saltus
{
  /// The files that grow during a run in time: pictures, time series, averages and what the section
  /// `Evaluation` asks for. They are opened at once. VTU files of the solution are made and
  /// written while the run goes on.
  template <int dim, typename VectorType>
  class RunOutputs
  {
  public:
    using EndPart = std::function<void(const std::string &)>;

    /// @param name of the files, without directory
    /// @param solution is not copied, nor are @p elements; both must live as long
    /// @param elements in the order of the solution's coefficients
    /// @param checkpoint if given, the run goes on from it: continue files and averages
    /// @param files of the outputs before, if there were some on another mesh of the same domain
    /// @param end_part called with the name of each kind of output when it has been written
    RunOutputs(
      const RunParameters             &parameters,
      const EvaluationRequests<dim>   &requests,
      const std::string               &name,
      ShownSolution<dim, VectorType>  &solution,
      const ElementBlocks             &elements,
      const std::optional<Checkpoint> &checkpoint,
      const OpenFiles                 &files    = OpenFiles(),
      const EndPart                   &end_part = [](const std::string &) {});

    /// Steps after step number @p step until something besides a picture is due, or @p otherwise.
    long
    steps_to_next(const long step, const long otherwise) const
    {
      return std::min(steps_to_multiple(step, parameters.series_interval, otherwise),
                      steps_to_multiple(step, average_interval, otherwise));
    }

    /// A time after @p time at which a step must end, besides that of a picture; or infinity.
    double
    next_time(const double time) const
    {
      return averages.next_begin(time);
    }

    /// See TimeAverages::averaged_time().
    std::optional<double>
    averaged_time(const double time) const
    {
      return averages.averaged_time(time);
    }

    void
    write_first(const TimeState &time)
    {
      sample_averages(time);
      write_picture(time.time);
      write_row(time);
      write_evaluation(time.time);
      host_copy.reset();
    }

    /// @param is_picture whether one is due
    /// @throws what has_failed() tells, and what these outputs throw
    void
    write_what_is_due(const TimeState &time, const bool is_picture);

    /// Whether a VTU file could not be written, see BackgroundWork.
    bool
    has_failed() const
    {
      return behind.has_failed();
    }

    /// The last state is written even if it is not due; a restart writes over it. All VTU files
    /// are written then.
    void
    write_last(const TimeState &time)
    {
      if (time.time > last_picture())
        write_picture(time.time, false);
      if (time.time > last_row)
        write_row(time, false);
      if (time.time > last_evaluation)
        write_evaluation(time.time, false);
      host_copy.reset();
      finish_pictures();
    }

    /// Wait until all VTU files are written: before the mesh or what belongs to it changes.
    /// Collective.
    void
    finish_pictures()
    {
      behind.finish();
      end_part("pictures");
    }

    /// What a restart needs of the outputs. Collective.
    void
    save(Checkpoint &checkpoint)
    {
      finish_pictures();
      save_files(checkpoint);
      averages.save(checkpoint, elements);
    }

    /// What outputs on an adapted mesh need of these, besides averages_of_coefficients().
    void
    note(Checkpoint &checkpoint)
    {
      finish_pictures();
      save_files(checkpoint);
      averages.note(checkpoint);
    }

    /// See TimeAverages::vectors().
    std::vector<VectorType *>
    averages_of_coefficients()
    {
      return averages.vectors();
    }

    /// See Evaluation::last_rows().
    Json
    last_evaluations() const
    {
      return evaluation.last_rows();
    }

  private:
    /// All but the averages.
    void
    save_files(Checkpoint &checkpoint) const;

    double
    last_picture() const
    {
      return picture_times.empty() ? 0. : picture_times.back();
    }

    /// The present solution. It is copied to the host once for all that is due at a time.
    const SolutionVector &
    on_host()
    {
      if (!host_copy)
        host_copy = std::make_shared<SolutionVector>(
          solution_vector(space.dof_handler, solution, solution.coefficients()));
      return *host_copy;
    }

    void
    sample_averages(const TimeState &time)
    {
      if (average_interval == 0)
        return;
      averages.sample_if_due(time.n_steps, time.time, [&]() -> const SolutionVector & {
        return on_host();
      });
      end_part("averages");
    }

    void
    write_picture(const double time, const bool is_due = true);

    void
    write_row(const TimeState &time, const bool is_due = true);

    /// Rows of the evaluation. They are due with those of the time series or, without one, with
    /// pictures.
    void
    write_evaluation(const double time, const bool is_due = true);

    const bool                      is_adapted; ///< the mesh
    const OutputParameters          parameters;
    const long                      average_interval;
    ShownSolution<dim, VectorType> &solution;
    const ElementBlocks            &elements;
    const EndPart                   end_part;

    std::shared_ptr<SolutionVector> host_copy; ///< see on_host()

    std::vector<double> picture_times;   ///< of those that were due
    double              last_row;        ///< time of the last one of the series that was due
    double              last_evaluation; ///< time of its last rows that were due

    const SolutionSpace<dim>      space;
    const std::vector<CellField>  fields; ///< of the cells, in pictures
    const AdditionalFields<dim>   additional;
    SolutionWriter<dim>           pictures;
    Evaluation<dim>               evaluation;
    TimeAverages<dim, VectorType> averages;
    std::shared_ptr<TimeSeries>   series;

    // The next VTU file is made of these:
    VectorType                           coefficients; ///< in host memory
    std::shared_ptr<SolutionVector>      shown;        ///< the same in deal.II's numbering
    typename SolutionWriter<dim>::Values values;
    BackgroundWork                       behind; ///< uses all that stands above
  };
} // namespace Saltus

#endif
