// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/results/evaluation.h>
#include <saltus/io/results/extrema.h>

#include <memory>
#include <optional>
#include <utility>

namespace Saltus
{
  namespace
  {
    const char *const surface_entry = "Evaluation/Surface boundaries";
  } // namespace


  template <int dim>
  template <typename Add>
  void
  Evaluation<dim>::make_tables(const EvaluationRequests<dim> &requests,
                               const SolutionSpace<dim>      &space,
                               const bool                     at_once,
                               const Add                     &add)
  {
    const std::string section = "Evaluation/";
    if (!requests.force_ids.empty())
      add(true,
          "forces",
          std::make_unique<BoundaryForces<dim>>(
            space, requests.force_ids, requests.reference, section + "Force boundaries"));
    if (!requests.flux_ids.empty())
      add(true,
          "fluxes",
          std::make_unique<BoundaryFluxes<dim>>(space,
                                                requests.flux_ids,
                                                section + "Flux boundaries"));
    if (!requests.integrals.empty())
      add(true, "integrals", std::make_unique<Integrals<dim>>(space, requests.integrals));
    if (requests.extrema)
      add(true, "extrema", std::make_unique<Extrema<dim>>(space));

    if (!requests.points.empty() || !requests.lines.empty())
      {
        const auto made    = std::make_shared<std::optional<PointLocator<dim>>>();
        const auto locator = [made, &space]() -> const PointLocator<dim> & {
          if (!*made)
            made->emplace(space.mapping,
                          typename PointLocator<dim>::Cells(space.cells.begin(),
                                                            space.cells.end()));
          return **made;
        };
        const auto add_samples = [&](const bool         with_rows,
                                     const std::string &ending,
                                     const auto        &points,
                                     const char        *entry) {
          auto samples =
            std::make_unique<PointSamples<dim>>(space, locator, points, section + entry);
          if (at_once)
            samples->find();
          add(with_rows, ending, std::move(samples));
        };
        if (!requests.points.empty())
          add_samples(true, "points", requests.points, "Points");
        for (unsigned int l = 0; l < requests.lines.size(); ++l)
          add_samples(false, "line_" + std::to_string(l), requests.lines[l], "Lines");
      }

    if (!requests.wall_ids.empty())
      add(false,
          "wall_pressure",
          std::make_unique<WallPressure<dim>>(
            space, requests.wall_ids, requests.reference, section + "Wall pressure boundaries"));
  }


  template <int dim>
  Evaluation<dim>::Evaluation(const EvaluationRequests<dim>          &requests,
                              const SolutionSpace<dim>               &space,
                              const std::string                      &directory,
                              const std::string                      &name,
                              const std::optional<EvaluationRestart> &restart,
                              const OpenFiles                        &files)
    : space(space)
  {
    const std::string start = (directory.empty() ? "" : directory + '/') + name + '_';
    const auto        add   = [&](const bool with_rows, const std::string &ending, Table table) {
      std::vector<std::string> columns       = {"time"};
      const auto               table_columns = table->columns();
      columns.insert(columns.end(), table_columns.begin(), table_columns.end());
      const auto series = files.table(start + ending + ".csv",
                                      ending,
                                      columns,
                                      space.communicator(),
                                      table->definition(),
                                      restart ? &restart->checkpoint : nullptr);
      (with_rows ? row_tables : picture_tables).push_back({ending, std::move(table), series});
    };
    make_tables(requests, space, !restart || !restart->is_checked, add);
    if (!requests.surface_ids.empty())
      {
        surface.emplace(space,
                        requests.surface_ids,
                        requests.reference,
                        space.degree(),
                        directory,
                        name + "_surface",
                        surface_entry,
                        files);
        if (restart && !restart->is_checked)
          surface->continue_from(restart->checkpoint, restart->pictures);
      }
  }


  template <int dim>
  void
  Evaluation<dim>::check(const EvaluationRequests<dim> &requests, const SolutionSpace<dim> &space)
  {
    make_tables(requests, space, true, [](const bool, const std::string &, const Table &table) {
      table->columns();
    });
    if (!requests.surface_ids.empty())
      surface_faces(space, requests.surface_ids, surface_entry);
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
        file.series->add_rows(rows, is_due);
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
        file.series->save(checkpoint);
    if (surface)
      surface->save(checkpoint);
  }


  template <int dim>
  Json
  Evaluation<dim>::last_rows() const
  {
    Json result;
    for (const File &file : row_tables)
      result[file.ending] = file.series->last();
    return result;
  }


  template class Evaluation<2>;
  template class Evaluation<3>;
} // namespace Saltus
