// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/evaluation.h>
#include <saltus/io/extrema.h>

#include <limits>

namespace Saltus
{
  namespace
  {
    /// Nothing is kept of files without a picture.
    double
    last_picture(const std::vector<double> &times)
    {
      return times.empty() ? -std::numeric_limits<double>::infinity() : times.back();
    }

  } // namespace


  template <int dim>
  Evaluation<dim>::Evaluation(const EvaluationRequests<dim>     &requests,
                              const SolutionSpace<dim>          &space,
                              const std::string                 &directory,
                              const std::string                 &name,
                              const std::optional<RestartTimes> &restart)
    : space(space)
  {
    const std::string section = "Evaluation/";
    const std::string start   = (directory.empty() ? "" : directory + '/') + name;
    const auto        row     = restart ? std::optional<double>(restart->row) : std::nullopt;
    const auto        picture =
      restart ? std::optional<double>(last_picture(restart->pictures)) : std::nullopt;

    if (!requests.force_ids.empty())
      add(row_tables,
          std::make_unique<BoundaryForces<dim>>(
            space, requests.force_ids, requests.reference, section + "Force boundaries"),
          start + "_forces.csv",
          row);
    if (!requests.flux_ids.empty())
      add(row_tables,
          std::make_unique<BoundaryFluxes<dim>>(space,
                                                requests.flux_ids,
                                                section + "Flux boundaries"),
          start + "_fluxes.csv",
          row);
    if (!requests.integrals.empty())
      add(row_tables,
          std::make_unique<Integrals<dim>>(space, requests.integrals),
          start + "_integrals.csv",
          row);
    if (requests.extrema)
      add(row_tables, std::make_unique<Extrema<dim>>(space), start + "_extrema.csv", row);

    if (!requests.points.empty() || !requests.lines.empty())
      {
        const PointLocator<dim> locator(space.dof_handler.get_triangulation());
        if (!requests.points.empty())
          add(row_tables,
              std::make_unique<PointSamples<dim>>(
                space, locator, requests.points, section + "Points"),
              start + "_points.csv",
              row);
        for (unsigned int l = 0; l < requests.lines.size(); ++l)
          add(picture_tables,
              std::make_unique<PointSamples<dim>>(
                space, locator, requests.lines[l], section + "Lines"),
              start + "_line_" + std::to_string(l) + ".csv",
              picture);
      }

    if (!requests.wall_ids.empty())
      add(picture_tables,
          std::make_unique<WallPressure<dim>>(
            space, requests.wall_ids, requests.reference, section + "Wall pressure boundaries"),
          start + "_wall_pressure.csv",
          picture);
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
          surface->continue_from(restart->pictures);
      }
  }


  template <int dim>
  void
  Evaluation<dim>::add(std::vector<File>                        &files,
                       std::unique_ptr<const ResultTable<dim>> &&table,
                       const std::string                        &path,
                       const std::optional<double>              &restart_time)
  {
    std::vector<std::string> columns       = {"time"};
    const auto               table_columns = table->columns();
    columns.insert(columns.end(), table_columns.begin(), table_columns.end());
    files.push_back(
      {std::move(table), TimeSeries(path, columns, space.communicator(), restart_time)});
  }


  template <int dim>
  void
  Evaluation<dim>::write(std::vector<File>    &files,
                         const double          time,
                         const SolutionVector &solution)
  {
    for (File &file : files)
      {
        auto rows = file.table->rows(time, solution);
        for (std::vector<double> &row : rows)
          row.insert(row.begin(), time);
        file.series.add_rows(rows);
      }
  }


  template <int dim>
  void
  Evaluation<dim>::write_rows(const double time, const SolutionVector &solution)
  {
    write(row_tables, time, solution);
  }


  template <int dim>
  void
  Evaluation<dim>::write_pictures(const double time, const SolutionVector &solution)
  {
    write(picture_tables, time, solution);
    if (surface)
      surface->write(time, solution);
  }


  template class Evaluation<2>;
  template class Evaluation<3>;
} // namespace Saltus
