// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/gather.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/results/boundary_curves.h>
#include <saltus/io/results/boundary_forces.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <optional>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// On the first rank: the faces of all ranks, counted through the ranks, by the numbers of
    /// their cells and their own in these. Collective.
    template <int dim>
    std::vector<std::size_t>
    in_order_of_cells(const std::vector<SurfaceFace<dim>> &faces, const MPI_Comm communicator)
    {
      std::vector<std::array<std::uint64_t, 2>> names;
      for (const SurfaceFace<dim> &face : faces)
        names.push_back({face.number, face.face});
      names = gather_on_first(communicator, names).values;
      std::vector<std::size_t> order(names.size());
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](const std::size_t a, const std::size_t b) {
        return names[a] < names[b];
      });
      return order;
    }

    /// The one that is nearest to @p point.
    template <int dim>
    const SurfaceFlux<dim> &
    nearest(const std::vector<SurfaceFlux<dim>> &fluxes, const Point<dim> &point)
    {
      return *std::min_element(fluxes.begin(), fluxes.end(), [&](const auto &a, const auto &b) {
        return a.point.distance_square(point) < b.point.distance_square(point);
      });
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
    , faces(surface_faces(space, ids, entry))
    , fluxes(space, faces, entry)
  {
    space.quantities.find("pressure", entry);
  }


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
      if (is_viscous())
        {
          names.push_back("friction_drag_coefficient" + of);
          names.push_back("friction_lift_coefficient" + of);
        }
      if (reference.moment_point)
        {
          if (dim == 2)
            names.push_back("moment_coefficient" + of);
          else
            for (const std::string &coordinate : coordinate_names(dim))
              names.push_back("moment_coefficient_" + coordinate + of);
        }
    };
    append("");
    if (ids.size() > 1)
      for (const unsigned int id : ids)
        append(" of " + std::to_string(id));
    return names;
  }


  template <int dim>
  std::string
  BoundaryForces<dim>::definition() const
  {
    std::vector<double> numbers(ids.begin(), ids.end());
    numbers.insert(numbers.end(),
                   {reference.density, reference.velocity, reference.pressure, reference.area});
    for (const auto &direction : {reference.drag_direction, reference.lift_direction})
      numbers.insert(numbers.end(), direction.begin_raw(), direction.end_raw());
    if (reference.moment_point)
      {
        numbers.push_back(reference.length);
        numbers.insert(numbers.end(),
                       reference.moment_point->begin_raw(),
                       reference.moment_point->end_raw());
      }
    return numbers_text(numbers);
  }


  template <int dim>
  std::vector<typename BoundaryForces<dim>::Force>
  BoundaryForces<dim>::forces(const double time) const
  {
    constexpr unsigned int n_numbers = 2 * dim + Moment::dimension;
    std::vector<double>    sums(ids.size() * n_numbers); // [id][pressure, friction, moment]
    const Point<dim>       moment_point = reference.moment_point.value_or(Point<dim>());
    const auto             first        = fluxes.of_first_order(time);
    const auto             second       = fluxes.of_second_order(time, first);
    for (std::size_t f = 0; f < faces.size(); ++f)
      {
        double    *sum = &sums[std::distance(ids.begin(), ids.find(faces[f].id())) * n_numbers];
        const auto add = [&](const SurfaceFlux<dim> &at,
                             const Tensor<1, dim>   &of_pressure,
                             const Tensor<1, dim>   &of_friction) {
          const Moment of_both = moment(at.point - moment_point, of_pressure + of_friction);
          for (unsigned int d = 0; d < dim; ++d)
            {
              sum[d] += at.weight * of_pressure[d];
              sum[dim + d] += at.weight * of_friction[d];
            }
          for (unsigned int i = 0; i < Moment::dimension; ++i)
            sum[2 * dim + i] += at.weight * of_both[i];
        };
        for (const SurfaceFlux<dim> &at : first[f])
          add(at, (at.pressure - reference.pressure) * at.normal + at.convected, at.shear);
        for (const SurfaceFlux<dim> &at : second[f])
          add(at, {}, at.friction);
      }
    Utilities::MPI::sum(sums, space.communicator(), sums);
    std::vector<Force> result(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
      {
        const double *sum = &sums[i * n_numbers];
        std::copy_n(sum, dim, result[i].pressure.begin_raw());
        std::copy_n(sum + dim, dim, result[i].friction.begin_raw());
        std::copy_n(sum + 2 * dim, Moment::dimension, result[i].moment.begin_raw());
      }
    return result;
  }


  template <int dim>
  typename BoundaryForces<dim>::Moment
  BoundaryForces<dim>::moment(const Tensor<1, dim> &arm, const Tensor<1, dim> &force)
  {
    if constexpr (dim == 2)
      {
        Moment result;
        result[0] = arm[0] * force[1] - arm[1] * force[0];
        return result;
      }
    else
      return cross_product_3d(arm, force);
  }


  template <int dim>
  typename BoundaryForces<dim>::Force &
  BoundaryForces<dim>::Force::operator+=(const Force &other)
  {
    pressure += other.pressure;
    friction += other.friction;
    moment += other.moment;
    return *this;
  }


  template <int dim>
  void
  BoundaryForces<dim>::append(std::vector<double> &row, const Force &force) const
  {
    const double unit                = reference.dynamic_pressure() * reference.area;
    const auto   append_coefficients = [&](const Tensor<1, dim> &of) {
      row.push_back(of * reference.drag_direction / unit);
      row.push_back(of * reference.lift_direction / unit);
    };
    const Tensor<1, dim> total = force.pressure + force.friction;
    row.insert(row.end(), total.begin_raw(), total.end_raw());
    append_coefficients(total);
    if (is_viscous())
      append_coefficients(force.friction);
    if (reference.moment_point)
      for (unsigned int i = 0; i < Moment::dimension; ++i)
        row.push_back(force.moment[i] / (unit * reference.length));
  }


  template <int dim>
  std::vector<std::vector<double>>
  BoundaryForces<dim>::rows(const double time, const SolutionVector & /*solution*/) const
  {
    const std::vector<Force> of_ids = forces(time);
    Force                    total;
    for (const Force &force : of_ids)
      total += force;
    std::vector<double> row;
    append(row, total);
    if (ids.size() > 1)
      for (const Force &force : of_ids)
        append(row, force);
    return {row};
  }


  template <int dim>
  BoundaryFluxes<dim>::BoundaryFluxes(const SolutionSpace<dim>           &space,
                                      const std::set<types::boundary_id> &ids,
                                      const std::string                  &entry)
    : space(space)
    , ids(ids)
    , faces(surface_faces(space, ids, entry))
    , fluxes(space, faces, entry)
  {}


  template <int dim>
  std::vector<std::string>
  BoundaryFluxes<dim>::columns() const
  {
    std::vector<std::string> names;
    for (const unsigned int id : ids)
      names.push_back("flux of " + std::to_string(id));
    if (space.quantities.has_heat)
      for (const unsigned int id : ids)
        names.push_back("heat_flux of " + std::to_string(id));
    return names;
  }


  template <int dim>
  std::vector<std::vector<double>>
  BoundaryFluxes<dim>::rows(const double time, const SolutionVector & /*solution*/) const
  {
    std::vector<double> sums(columns().size()); // of volume [id], of heat [id]
    const auto          first  = fluxes.of_first_order(time);
    const auto          second = fluxes.of_second_order(time, first);
    for (std::size_t f = 0; f < faces.size(); ++f)
      {
        const std::size_t number = std::distance(ids.begin(), ids.find(faces[f].id()));
        for (const SurfaceFlux<dim> &at : first[f])
          sums[number] += at.weight * at.volume;
        if (space.quantities.has_heat)
          for (const SurfaceFlux<dim> &at : second[f])
            sums[ids.size() + number] += at.weight * at.heat;
      }
    Utilities::MPI::sum(sums, space.communicator(), sums);
    return {sums};
  }


  template <int dim>
  WallPressure<dim>::WallPressure(const SolutionSpace<dim>           &space,
                                  const std::set<types::boundary_id> &ids,
                                  const ReferenceState<dim>          &reference,
                                  const std::string                  &entry)
    : space(space)
    , ids(ids)
    , reference(reference)
    , faces(surface_faces(space, ids, entry))
    , fluxes(space, faces, entry)
    , face_order(in_order_of_cells(faces, space.communicator()))
  {
    space.quantities.find("pressure", entry);
    if constexpr (dim == 2)
      {
        const auto all =
          gather_on_first(space.communicator(), directed_edges(space.mapping, faces));
        std::vector<BoundaryEdge> edges;
        for (const std::size_t face : face_order)
          edges.push_back(all.values[face]);
        OfRanks<Arc>             arcs_of_all{std::vector<Arc>(edges.size()), all.starts};
        std::vector<std::size_t> along_curves;
        for (const CurvePiece &piece : boundary_curves(edges))
          {
            const std::size_t face = face_order[piece.edge];
            along_curves.push_back(face);
            arcs_of_all.values[face] = {piece.curve, edges[piece.edge].first, piece.arc_length};
          }
        face_order = along_curves;
        arcs       = scatter_from_first(space.communicator(), arcs_of_all);
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
    if (space.quantities.has_friction)
      for (const std::string &coordinate : coordinates)
        names.push_back("friction_coefficient_" + coordinate);
    if (space.quantities.has_heat)
      names.push_back("heat_flux");
    return names;
  }


  template <int dim>
  std::string
  WallPressure<dim>::definition() const
  {
    return pressure_definition(ids, reference);
  }


  template <int dim>
  std::vector<std::vector<double>>
  WallPressure<dim>::rows(const double time, const SolutionVector &solution) const
  {
    const auto                 quadrature = face_quadrature(space, fluxes.degree());
    BoundaryQuantities<dim>    quantities(space, quadrature);
    const auto                 first      = fluxes.of_first_order(time);
    const auto                 all_fluxes = fluxes.of_second_order(time, first);
    const std::size_t          n_columns  = columns().size();
    std::vector<double>        numbers; // [face][point][column], this rank's
    std::optional<EdgeLengths> lengths;
    if constexpr (dim == 2)
      lengths.emplace(space.mapping, quadrature.get_points());
    for (unsigned int f = 0; f < faces.size(); ++f)
      {
        const auto                points = quantities.evaluate(faces[f], solution);
        std::vector<double>       along; // the edge
        std::vector<unsigned int> order(points.size());
        std::iota(order.begin(), order.end(), 0U);
        if constexpr (dim == 2)
          {
            along = (*lengths)(faces[f], arcs[f].begin);
            std::sort(order.begin(), order.end(), [&](const unsigned int a, const unsigned int b) {
              return along[a] < along[b];
            });
          }
        for (const unsigned int q : order)
          {
            const SurfaceFlux<dim> &at = nearest(all_fluxes[f], points[q].position);
            numbers.push_back(static_cast<double>(faces[f].id()));
            if (dim == 2)
              numbers.insert(numbers.end(),
                             {static_cast<double>(arcs[f].curve), arcs[f].length + along[q]});
            numbers.insert(numbers.end(),
                           points[q].position.begin_raw(),
                           points[q].position.end_raw());
            numbers.insert(numbers.end(),
                           {at.pressure, reference.pressure_coefficient(at.pressure)});
            if (space.quantities.has_friction)
              for (unsigned int d = 0; d < dim; ++d)
                numbers.push_back((at.shear[d] + at.friction[d]) / reference.dynamic_pressure());
            if (space.quantities.has_heat)
              numbers.push_back(at.heat);
          }
      }

    const auto        all     = gather_on_first(space.communicator(), numbers).values;
    const std::size_t n_faces = all.size() / (quadrature.size() * n_columns); // 0 but on the first
    std::vector<std::vector<double>> rows;
    for (std::size_t f = 0; f < n_faces; ++f)
      for (std::size_t q = 0; q < quadrature.size(); ++q)
        {
          const auto begin = all.begin() + (face_order[f] * quadrature.size() + q) * n_columns;
          rows.emplace_back(begin, begin + n_columns);
        }
    return rows;
  }


  template class BoundaryForces<2>;
  template class BoundaryForces<3>;
  template class BoundaryFluxes<2>;
  template class BoundaryFluxes<3>;
  template class WallPressure<2>;
  template class WallPressure<3>;
} // namespace Saltus
