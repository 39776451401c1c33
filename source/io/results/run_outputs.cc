// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/results/run_outputs.h>
#include <saltus/io/results/solution_output.h>

namespace Saltus
{
  namespace
  {
    std::vector<std::string>
    names_with(const std::vector<CellField>   &fields,
               const std::vector<std::string> &additional,
               std::vector<std::string>        names)
    {
      for (const CellField &field : fields)
        names.push_back(field.name);
      names.insert(names.end(), additional.begin(), additional.end());
      return names;
    }
  } // namespace


  template <int dim, typename VectorType>
  RunOutputs<dim, VectorType>::RunOutputs(const RunParameters             &all_parameters,
                                          const EvaluationRequests<dim>   &requests,
                                          const std::string               &name,
                                          ShownSolution<dim, VectorType>  &solution,
                                          const ElementBlocks             &elements,
                                          const std::optional<Checkpoint> &checkpoint,
                                          const OpenFiles                 &files,
                                          const EndPart                   &end_part)
    : is_adapted(!files.empty())
    , parameters(all_parameters.output)
    , average_interval(all_parameters.average.sampling_interval())
    , solution(solution)
    , elements(elements)
    , end_part(end_part)
    , picture_times(checkpoint ? checkpoint->get_array<double>("pictures") : std::vector<double>())
    , last_row(checkpoint ? checkpoint->get_double("last row") : 0.)
    , last_evaluation(checkpoint ? checkpoint->get_double("last evaluation") : 0.)
    , space(solution.space())
    , fields(solution.cell_fields())
    , additional(parameters.additional_fields, space, solution.optional_cell_fields())
    , pictures(space.mapping,
               space.dof_handler.get_triangulation(),
               space.degree(),
               names_with(fields, additional.names(), space.quantities.names),
               parameters.directory,
               name,
               files)
    , evaluation(requests,
                 space,
                 parameters.directory,
                 name,
                 checkpoint
                   ? std::optional<EvaluationRestart>({*checkpoint, picture_times, is_adapted})
                   : std::nullopt,
                 files)
    , averages(all_parameters.average, space, parameters.directory, name, solution, files)
    , behind(space.communicator())
  {
    if (checkpoint && !is_adapted)
      {
        pictures.continue_from(picture_times);
        averages.continue_from(*checkpoint, picture_times);
      }
    if (checkpoint)
      averages.restore(*checkpoint, elements);
    if (parameters.series_interval > 0)
      series = files.table(OutputFiles{parameters.directory, name}.path(".csv"),
                           "time series",
                           solution.columns(),
                           space.communicator(),
                           "",
                           checkpoint ? &*checkpoint : nullptr);
  }


  template <int dim, typename VectorType>
  void
  RunOutputs<dim, VectorType>::write_what_is_due(const TimeState &time, const bool is_picture)
  {
    if (behind.has_failed())
      behind.finish();
    sample_averages(time);
    const bool is_row = series && time.n_steps % parameters.series_interval == 0;
    if (is_picture)
      write_picture(time.time);
    if (is_row)
      write_row(time);
    if (series ? is_row : is_picture)
      write_evaluation(time.time);
    host_copy.reset();
  }


  template <int dim, typename VectorType>
  void
  RunOutputs<dim, VectorType>::save_files(Checkpoint &checkpoint) const
  {
    checkpoint.set_array("pictures", picture_times.data(), picture_times.size());
    checkpoint.set("last row", last_row);
    checkpoint.set("last evaluation", last_evaluation);
    if (series)
      series->save(checkpoint);
    evaluation.save(checkpoint);
  }


  template <int dim, typename VectorType>
  void
  RunOutputs<dim, VectorType>::write_picture(const double time, const bool is_due)
  {
    behind.finish();
    // Other outputs read the ordered solution at once: then it is ordered here, for all.
    const bool is_shared =
      average_interval > 0 || evaluation.has_rows() || evaluation.has_pictures();
    if (is_shared)
      {
        on_host();
        shown = host_copy;
      }
    else
      {
        if (!shown)
          shown = std::make_shared<SolutionVector>(solution_vector(space.dof_handler));
        solution.coefficients().copy_to_host(coefficients);
      }
    pictures.set_up();
    behind.start(
      [this, is_shared, make = shown_quantities(pictures, space, *shown, fields, additional)]() {
        if (!is_shared)
          solution.copy_to(*shown, coefficients);
        values = pictures.values(make);
      },
      [this, time]() {
        pictures.write(time, values);
        values.clear();
      });
    end_part("pictures");
    if (average_interval > 0)
      {
        averages.write(time, on_host());
        end_part("averages");
      }
    if (evaluation.has_pictures())
      {
        evaluation.write_pictures(time, on_host(), is_due);
        end_part("evaluation");
      }
    if (is_due)
      picture_times.push_back(time);
  }


  template <int dim, typename VectorType>
  void
  RunOutputs<dim, VectorType>::write_row(const TimeState &time, const bool is_due)
  {
    if (!series)
      return;
    series->add(solution.row(time), is_due);
    end_part("time series");
    if (is_due)
      last_row = time.time;
  }


  template <int dim, typename VectorType>
  void
  RunOutputs<dim, VectorType>::write_evaluation(const double time, const bool is_due)
  {
    if (evaluation.has_rows())
      {
        evaluation.write_rows(time, on_host(), is_due);
        end_part("evaluation");
      }
    if (is_due)
      last_evaluation = time;
  }


  template class RunOutputs<2, Vector<double>>;
  template class RunOutputs<3, Vector<double>>;
  template class RunOutputs<2, Vector<float>>;
  template class RunOutputs<3, Vector<float>>;
  template class RunOutputs<2, BlockVector<double>>;
  template class RunOutputs<2, BlockVector<float>>;
} // namespace Saltus
