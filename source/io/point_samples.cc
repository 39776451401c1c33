// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/point_samples.h>

#include <sstream>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  PointSamples<dim>::PointSamples(const SolutionSpace<dim>      &space,
                                  const PointLocator<dim>       &locator,
                                  const std::vector<Point<dim>> &points,
                                  const std::string             &entry)
    : space(space)
    , label_name("point")
  {
    for (unsigned int i = 0; i < points.size(); ++i)
      add(locator, i, points[i], entry);
  }


  template <int dim>
  PointSamples<dim>::PointSamples(const SolutionSpace<dim> &space,
                                  const PointLocator<dim>  &locator,
                                  const Line<dim>          &line,
                                  const std::string        &entry)
    : space(space)
    , label_name("distance")
  {
    const Tensor<1, dim> direction = line.to - line.from;
    for (unsigned int i = 0; i < line.n_points; ++i)
      {
        const double fraction = static_cast<double>(i) / (line.n_points - 1);
        add(locator, fraction * direction.norm(), line.from + fraction * direction, entry);
      }
  }


  template <int dim>
  void
  PointSamples<dim>::add(const PointLocator<dim> &locator,
                         const double             label,
                         const Point<dim>        &point,
                         const std::string       &entry)
  {
    const auto         place = locator.find(point);
    std::ostringstream message;
    message << entry << ": the point (" << point << ") lies outside the mesh.";
    AssertThrow(place.inside(), ExcMessage(message.str()));
    samples.push_back({label, point, place.simplex, space.shape_values({place.unit_point})});
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
  std::vector<std::vector<double>>
  PointSamples<dim>::rows(const double /*time*/, const dealii::Vector<double> &solution) const
  {
    std::vector<std::vector<double>> result;
    for (const Sample &sample : samples)
      {
        std::vector<double> row = {sample.label};
        for (unsigned int d = 0; d < dim; ++d)
          row.push_back(sample.point[d]);
        const auto values = space.evaluate(space.cells[sample.cell], sample.shape, solution);
        row.insert(row.end(), values.begin(), values.end());
        result.push_back(std::move(row));
      }
    return result;
  }


  template class PointSamples<2>;
  template class PointSamples<3>;
} // namespace Saltus
