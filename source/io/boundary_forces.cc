// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/fe/reference_element.h>
#include <saltus/io/boundary_curves.h>
#include <saltus/io/boundary_forces.h>

#include <algorithm>
#include <map>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    void
    append_coefficients(std::vector<double>       &row,
                        const Tensor<1, dim>      &force,
                        const ReferenceState<dim> &reference)
    {
      for (unsigned int d = 0; d < dim; ++d)
        row.push_back(force[d]);
      const double unit = reference.dynamic_pressure() * reference.area;
      row.push_back(force * reference.drag_direction / unit);
      row.push_back(force * reference.lift_direction / unit);
    }
  } // namespace


  template <int dim>
  BoundaryForces<dim>::BoundaryForces(const SolutionSpace<dim>           &space,
                                      const std::set<types::boundary_id> &ids,
                                      const ReferenceState<dim>          &reference,
                                      const std::string                  &entry)
    : space(space)
    , ids(ids)
    , reference(reference)
    , pressure(space.quantities.find("pressure", entry))
    , faces(surface_faces(space, ids, entry))
  {}


  template <int dim>
  std::vector<std::string>
  BoundaryForces<dim>::columns() const
  {
    std::vector<std::string> names;
    const auto               append = [&](const std::string &of) {
      for (const std::string &coordinate : coordinate_names(dim))
        names.push_back("force_" + coordinate + of);
      names.push_back("drag_coefficient" + of);
      names.push_back("lift_coefficient" + of);
    };
    append("");
    if (ids.size() > 1)
      for (const unsigned int id : ids)
        append(" of " + std::to_string(id));
    return names;
  }


  template <int dim>
  std::vector<std::vector<double>>
  BoundaryForces<dim>::rows(const double /*time*/, const dealii::Vector<double> &solution) const
  {
    std::map<types::boundary_id, Tensor<1, dim>> forces;
    BoundaryQuantities<dim> quantities(space, simplex_quadrature<dim - 1>(2 * space.degree() + 1));
    for (const auto &face : faces)
      for (const BoundaryPoint<dim> &point : quantities.evaluate(face, solution))
        forces[face.id()] += point.weight * traction(point);

    Tensor<1, dim> total;
    for (const auto &[id, force] : forces)
      total += force;
    std::vector<double> row;
    append_coefficients(row, total, reference);
    if (ids.size() > 1)
      for (const auto &[id, force] : forces)
        append_coefficients(row, force, reference);
    return {row};
  }


  template <int dim>
  Tensor<1, dim>
  BoundaryForces<dim>::traction(const BoundaryPoint<dim> &point) const
  {
    return (point.quantities[pressure] - reference.pressure) * point.normal;
  }


  template <int dim>
  WallPressure<dim>::WallPressure(const SolutionSpace<dim>           &space,
                                  const std::set<types::boundary_id> &ids,
                                  const ReferenceState<dim>          &reference,
                                  const std::string                  &entry)
    : space(space)
    , reference(reference)
    , pressure(space.quantities.find("pressure", entry))
    , faces(surface_faces(space, ids, entry))
  {
    if constexpr (dim == 2)
      {
        const auto unordered = std::move(faces);
        faces.clear();
        for (const CurvePiece &piece : boundary_curves(unordered))
          {
            faces.push_back(unordered[piece.face]);
            arcs.push_back({piece.curve, piece.begin, piece.arc_length});
          }
      }
  }


  template <int dim>
  std::vector<std::string>
  WallPressure<dim>::columns() const
  {
    std::vector<std::string> names = {"boundary"};
    if (dim == 2)
      names.insert(names.end(), {"curve", "arc_length"});
    const auto coordinates = coordinate_names(dim);
    names.insert(names.end(), coordinates.begin(), coordinates.end());
    names.insert(names.end(), {"pressure", "pressure_coefficient"});
    return names;
  }


  template <int dim>
  std::vector<std::vector<double>>
  WallPressure<dim>::rows(const double /*time*/, const dealii::Vector<double> &solution) const
  {
    std::vector<std::vector<double>> result;
    BoundaryQuantities<dim> quantities(space, simplex_quadrature<dim - 1>(2 * space.degree() + 1));
    for (unsigned int f = 0; f < faces.size(); ++f)
      {
        auto points = quantities.evaluate(faces[f], solution);
        if (dim == 2)
          std::sort(points.begin(), points.end(), [&](const auto &a, const auto &b) {
            return a.point.distance(arcs[f].begin) < b.point.distance(arcs[f].begin);
          });
        for (const BoundaryPoint<dim> &point : points)
          {
            std::vector<double> row = {static_cast<double>(faces[f].id())};
            if (dim == 2)
              row.insert(row.end(),
                         {static_cast<double>(arcs[f].curve),
                          arcs[f].length + point.point.distance(arcs[f].begin)});
            for (unsigned int d = 0; d < dim; ++d)
              row.push_back(point.point[d]);
            const double p = point.quantities[pressure];
            row.insert(row.end(), {p, reference.pressure_coefficient(p)});
            result.push_back(std::move(row));
          }
      }
    return result;
  }


  template class BoundaryForces<2>;
  template class BoundaryForces<3>;
  template class WallPressure<2>;
  template class WallPressure<3>;
} // namespace Saltus
