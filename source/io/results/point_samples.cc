// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/results/point_samples.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  PointSamples<dim>::PointSamples(const SolutionSpace<dim>      &space,
                                  const Locator                 &locator,
                                  const std::vector<Point<dim>> &points,
                                  const std::string             &entry)
    : space(space)
    , label_name("point")
    , entry(entry)
    , locator(locator)
  {
    for (const Point<dim> &point : points)
      samples.push_back({static_cast<double>(samples.size()), point, {}, {}});
  }


  template <int dim>
  PointSamples<dim>::PointSamples(const SolutionSpace<dim> &space,
                                  const Locator            &locator,
                                  const Line<dim>          &line,
                                  const std::string        &entry)
    : space(space)
    , label_name("distance")
    , entry(entry)
    , locator(locator)
  {
    const Tensor<1, dim> direction = line.to - line.from;
    for (unsigned int i = 0; i < line.n_points; ++i)
      {
        const double fraction = static_cast<double>(i) / (line.n_points - 1);
        samples.push_back({fraction * direction.norm(), line.from + fraction * direction, {}, {}});
      }
  }


  template <int dim>
  void
  PointSamples<dim>::find() const
  {
    if (!locator)
      return;
    const MPI_Comm communicator = space.communicator();
    // How far from this rank's nearest elements the points are, and the numbers of these elements.
    std::vector<double> outside(samples.size(), std::numeric_limits<double>::infinity());
    std::vector<types::global_dof_index> own(samples.size(), numbers::invalid_dof_index);
    for (std::size_t i = 0; i < samples.size() && !space.cells.empty(); ++i)
      {
        const auto place = locator().find(samples[i].point);
        outside[i]       = place.outside;
        own[i]           = space.numbers[place.simplex];
        samples[i].cell  = place.simplex;
        samples[i].shape =
          space.shape_values(space.cells[place.simplex], std::vector<Point<dim>>{place.unit_point});
      }
    std::vector<double> nearest(outside);
    Utilities::MPI::min(outside, communicator, nearest);
    auto chosen = own;
    for (std::size_t i = 0; i < samples.size(); ++i)
      {
        std::ostringstream message;
        message << entry << ": the point (" << samples[i].point << ") lies outside the mesh.";
        AssertThrow(nearest[i] < PointLocator<dim>::tolerance, ExcMessage(message.str()));
        if (outside[i] > nearest[i])
          chosen[i] = numbers::invalid_dof_index;
      }
    Utilities::MPI::min(chosen, communicator, chosen);
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (own[i] != chosen[i])
        samples[i].cell.reset();
    locator = {};
  }


  template <int dim>
  std::vector<std::string>
  PointSamples<dim>::columns() const
  {
    std::vector<std::string> names = {label_name};
    for (const auto &part : {coordinate_names(dim), space.quantities.identifiers()})
      names.insert(names.end(), part.begin(), part.end());
    return names;
  }


  template <int dim>
  std::string
  PointSamples<dim>::definition() const
  {
    std::vector<double> coordinates;
    for (const Sample &sample : samples)
      coordinates.insert(coordinates.end(), sample.point.begin_raw(), sample.point.end_raw());
    return numbers_text(coordinates);
  }


  template <int dim>
  std::vector<std::vector<double>>
  PointSamples<dim>::rows(const double /*time*/, const SolutionVector &solution) const
  {
    find();
    const std::size_t   n = space.quantities.size();
    std::vector<double> values(samples.size() * n); // zero where another rank speaks
    for (std::size_t i = 0; i < samples.size(); ++i)
      if (samples[i].cell)
        {
          const auto at_point =
            space.evaluate(space.cells[*samples[i].cell], samples[i].shape, solution);
          std::copy(at_point.begin(), at_point.end(), values.begin() + i * n);
        }
    Utilities::MPI::sum(values, space.communicator(), values);

    std::vector<std::vector<double>> result;
    for (std::size_t i = 0; i < samples.size(); ++i)
      {
        std::vector<double> row = {samples[i].label};
        row.insert(row.end(), samples[i].point.begin_raw(), samples[i].point.end_raw());
        row.insert(row.end(), values.begin() + i * n, values.begin() + (i + 1) * n);
        result.push_back(std::move(row));
      }
    return result;
  }


  template class PointSamples<2>;
  template class PointSamples<3>;
} // namespace Saltus
