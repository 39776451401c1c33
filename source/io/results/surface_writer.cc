// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/io/results/surface_writer.h>
#include <saltus/mesh/curve/mapping_degree.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    std::vector<std::string>
    surface_quantities(const Quantities &quantities)
    {
      std::vector<std::string> names = quantities.names;
      if (quantities.number("pressure"))
        names.emplace_back("pressure_coefficient");
      return names;
    }
  } // namespace


  template <int dim>
  SurfaceWriter<dim>::SurfaceWriter(const SolutionSpace<dim>           &space,
                                    const std::set<types::boundary_id> &ids,
                                    const ReferenceState<dim>          &reference,
                                    const unsigned int                  subdivisions,
                                    const std::string                  &directory,
                                    const std::string                  &name,
                                    const std::string                  &entry,
                                    const OpenFiles                    &files)
    : space(space)
    , ids(ids)
    , reference(reference)
    , pressure(space.quantities.number("pressure"))
    , faces(surface_faces(space, ids, entry))
    , shown(shown_cell<dim - 1>(face_shape(space), subdivisions, mapping_degree(space.mapping)))
    , names(surface_quantities(space.quantities))
    , series(files.pictures(directory, name, space.communicator()))
  {}


  template <int dim>
  void
  SurfaceWriter<dim>::save(Checkpoint &checkpoint) const
  {
    const auto                numbers = series->numbers();
    const std::vector<double> list(numbers.begin(), numbers.end());
    checkpoint.set("surface", pressure_definition(ids, reference));
    checkpoint.set_array("surface pictures", list.data(), list.size());
  }


  template <int dim>
  void
  SurfaceWriter<dim>::continue_from(const Checkpoint &checkpoint, const std::vector<double> &times)
  {
    std::set<unsigned int> own;
    if (checkpoint.has("surface") &&
        checkpoint.get_string("surface") == pressure_definition(ids, reference))
      for (const double number : checkpoint.get_array<double>("surface pictures"))
        if (0 <= number && number < times.size()) // what was not due is written anew
          own.insert(static_cast<unsigned int>(number));
    series->continue_from(times, own);
  }


  template <int dim>
  void
  SurfaceWriter<dim>::write(const double time, const SolutionVector &solution)
  {
    std::vector<SubdividedSimplices> pieces;
    SubdividedSimplices    &simplices = pieces.emplace_back(shown, dim, faces.size(), names);
    BoundaryQuantities<dim> quantities(space, Quadrature<dim - 1>(shown.points));
    for (std::size_t f = 0; f < faces.size(); ++f)
      {
        const auto points = quantities.evaluate(faces[f], solution);
        for (unsigned int q = 0; q < points.size(); ++q)
          {
            const auto        &values = points[q].quantities;
            const unsigned int n      = values.size();
            simplices.set_point(f, q, points[q].position);
            for (unsigned int c = 0; c < n; ++c)
              simplices.set_value(f, q, c, values[c]);
            if (pressure)
              simplices.set_value(f, q, n, reference.pressure_coefficient(values[*pressure]));
          }
      }
    series->write(time, pieces);
  }


  template class SurfaceWriter<2>;
  template class SurfaceWriter<3>;
} // namespace Saltus
