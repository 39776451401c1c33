// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/results/evaluation.h>
#include <saltus/io/results/extrema.h>

namespace Saltus
{
  template <int dim>
  Evaluation<dim>::Evaluation(const EvaluationRequests<dim>          &requests,
                              const SolutionSpace<dim>               &space,
                              const std::string                      &directory,
                              const std::string                      &name,
                              const std::optional<EvaluationRestart> &restart)
    : space(space)
  {
    const std::string section = "Evaluation/";
    const std::string start   = (directory.empty() ? "" : directory + '/') + name + '_';
    const auto        add     = [&](std::vector<File>                        &files,
                         std::unique_ptr<const ResultTable<dim>> &&table,
                         const std::string                        &ending) {
      std::vector<std::string> columns       = {"time"};
      const auto               table_columns = table->columns();
      columns.insert(columns.end(), table_columns.begin(), table_columns.end());
      TimeSeries series(start + ending + ".csv",
                        ending,
                        columns,
                        space.communicator(),
                        table->definition(),
                        restart ? &restart->checkpoint : nullptr);
      files.push_back({std::move(table), std::move(series)});
    };

    if (!requests.force_ids.empty())
      add(row_tables,
          std::make_unique<BoundaryForces<dim>>(
            space, requests.force_ids, requests.reference, section + "Force boundaries"),
          "forces");
    if (!requests.flux_ids.empty())
      add(row_tables,
          std::make_unique<BoundaryFluxes<dim>>(space,
                                                requests.flux_ids,
                                                section + "Flux boundaries"),
          "fluxes");
    if (!requests.integrals.empty())
      add(row_tables, std::make_unique<Integrals<dim>>(space, requests.integrals), "integrals");
    if (requests.extrema)
      add(row_tables, std::make_unique<Extrema<dim>>(space), "extrema");

    if (!requests.points.empty() || !requests.lines.empty())
      {
        const PointLocator<dim> locator(space.mapping, space.dof_handler.get_triangulation());
        if (!requests.points.empty())
          add(row_tables,
              std::make_unique<PointSamples<dim>>(
                space, locator, requests.points, section + "Points"),
              "points");
        for (unsigned int l = 0; l < requests.lines.size(); ++l)
          add(picture_tables,
              std::make_unique<PointSamples<dim>>(
                space, locator, requests.lines[l], section + "Lines"),
              "line_" + std::to_string(l));
      }

    if (!requests.wall_ids.empty())
      add(picture_tables,
          std::make_unique<WallPressure<dim>>(
            space, requests.wall_ids, requests.reference, section + "Wall pressure boundaries"),
          "wall_pressure");
    if (!requests.surface_ids.empty())
      {
        surface.emplace(space,
                        requests.surface_ids,
                        requests.reference,
                        space.degree(),
                        directory,
                        name + "_surface",
                        section + "Surface boundaries");
        if (restart)
          surface->continue_from(restart->checkpoint, restart->pictures);
      }
  }


  template <int dim>
  void
  Evaluation<dim>::write(std::vector<File>    &files,
                         const double          time,
                         const SolutionVector &solution,
                         const bool            is_due)
  {
    for (File &file : files)
      {
        auto rows = file.table->rows(time, solution);
        for (std::vector<double> &row : rows)
          row.insert(row.begin(), time);
        file.series.add_rows(rows, is_due);
      }
  }


  template <int dim>
  void
  Evaluation<dim>::write_rows(const double time, const SolutionVector &solution, const bool is_due)
  {
    write(row_tables, time, solution, is_due);
  }


  template <int dim>
  void
  Evaluation<dim>::write_pictures(const double          time,
                                  const SolutionVector &solution,
                                  const bool            is_due)
  {
    write(picture_tables, time, solution, is_due);
    if (surface)
      surface->write(time, solution);
  }


  template <int dim>
  void
  Evaluation<dim>::save(Checkpoint &checkpoint) const
  {
    for (const auto *files : {&row_tables, &picture_tables})
      for (const File &file : *files)
        file.series.save(checkpoint);
    if (surface)
      surface->save(checkpoint);
  }


  template class Evaluation<2>;
  template class Evaluation<3>;
} // namespace Saltus
