// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/launch.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/operators/polytopic/coefficient_checks.h>
#include <saltus/operators/polytopic/polytopic_operator.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  void
  PolytopicOperator<dim>::reinit(const PolytopicSpace<dim>             &space,
                                 const EllipticBoundaryConditions<dim> &conditions,
                                 const Device                           device,
                                 const AdditionalData                  &data)
  {
    AssertThrow(conditions.periodic().empty(),
                ExcMessage("Polytopic elements know no periodic boundaries."));
    polytopes           = &space;
    where               = device;
    boundary_conditions = conditions;
    additional_data     = data;

    form.release();
    Terms here = terms(data.extra_quadrature_degree);
    on_all_ranks(communicator(), [&]() { make_form(std::move(here)); });
  }


  template <int dim>
  void
  PolytopicOperator<dim>::make_form(Terms &&here)
  {
    boundary_values                           = std::move(here.boundary_values);
    const Memory<FacetGeometry>  facets       = std::move(here.points.facets);
    const auto                   boundary_ids = std::move(here.points.boundary_ids);
    const auto                   itself       = [](const unsigned int owner) { return owner; };
    const PolytopicPoints<dim>  &points       = here.points;
    const StoredCellPoints<dim>  in_cells{points.volume.places.data(),
                                         points.weights.data(),
                                         points.volume.owners.data()};
    const StoredFacetPoints<dim> on_facets{points.faces.places.data(),
                                           points.normals.data(),
                                           points.faces.owners.data(),
                                           here.facets.data()};
    check_values<dim>(form.reinit(polytopes->mesh().box_numbers(),
                                  polytopes->degrees(),
                                  polytopes->common_degree(),
                                  std::move(here.points),
                                  in_cells,
                                  on_facets,
                                  here.in_elements,
                                  here.on_faces),
                      polytopes->mesh(),
                      facets,
                      boundary_ids,
                      itself,
                      itself);
  }


  template <int dim>
  typename PolytopicOperator<dim>::Terms
  PolytopicOperator<dim>::terms(const unsigned int extra_degree) const
  {
    Terms result;
    result.points = quadrature_points(*polytopes, extra_degree, where);
    on_all_ranks(communicator(), [&]() {
      result.facets               = facet_records(*polytopes,
                                    result.points,
                                    boundary_conditions,
                                    additional_data.penalty,
                                    additional_data.penalty_factor);
      const PointSet<dim> &volume = result.points.volume, &faces = result.points.faces;
      result.in_elements = coefficients(volume.places, volume.places);
      result.in_elements.reaction =
        coefficient(additional_data.reaction, volume.places, "reaction", 1);
      const auto &diffusion = additional_data.diffusion;
      if (!diffusion.field.empty() && diffusion.sampling == Sampling::by_point)
        {
          result.on_faces = coefficients(places_beside(result.points), faces.places);
          result.on_faces.diffusion.outside = faces.size();
        }
      else
        result.on_faces = coefficients(faces.places, faces.places);
      result.boundary_values = boundary_data(result.points);
    });
    return result;
  }


  template <int dim>
  void
  PolytopicOperator<dim>::initialize_vector(Vector<double> &vector) const
  {
    vector = sparsity()->template vector<double>(where);
  }


  template <int dim>
  Memory<double>
  PolytopicOperator<dim>::evaluate(const FieldFunction<dim> &function,
                                   const Memory<double>     &places,
                                   const std::string        &name) const
  {
    const std::size_t n      = places.size() / dim;
    auto              values = Memory<double>::uninitialized(where, n * function.n_components());
    if (n == 0)
      return values;
    const auto at_points = [&]() {
      auto copy = Memory<double>::uninitialized(where, places.size());
      copy.copy_from(places);
      return PointValues<dim, double>(function, std::move(copy));
    };
    if (function.expression)
      {
        const Memory<TimeState> start(where, 1);
        PointFunction<double>(*function.expression, where)
          .evaluate(n, places.data(), start.data(), 0., values.data());
      }
    else
      at_points().evaluate({}, values.data());
    if (!std::isfinite(
          VectorKernels<double>(where).max_difference(values.size(), values.data(), nullptr)))
      at_points().check_finite(values.data(), name);
    return values;
  }


  template <int dim>
  PolytopicCoefficient
  PolytopicOperator<dim>::coefficient(const EllipticCoefficient<dim> &coefficient,
                                      const Memory<double>           &places,
                                      const std::string              &name,
                                      const unsigned int              max_components) const
  {
    using Place = PointCoefficient::Place;
    coefficient.check_no_materials(name);
    PolytopicCoefficient result;
    if (coefficient.field.empty())
      {
        check_constant(coefficient.constant, name);
        result.n_components = 1;
        result.values       = Memory<double>(where, std::vector<double>(1, coefficient.constant));
        return result;
      }
    result.n_components = check_components(coefficient.field, name, max_components);
    if (coefficient.sampling == Sampling::by_point)
      {
        result.place  = Place::points;
        result.values = evaluate(coefficient.field, places, name);
        return result;
      }
    result.place = Place::cells;
    std::vector<double>       cell_centers; // [cell][d]
    const PolytopicMesh<dim> &mesh = polytopes->mesh();
    for (const auto &cell : mesh.triangulation().active_cell_iterators())
      {
        const unsigned int c = cell->active_cell_index();
        const Point<dim>   center =
          mesh.is_known(c) ? mesh.cell_center(c) : cell->vertex(0); // where it does not matter
        for (unsigned int d = 0; d < dim; ++d)
          cell_centers.push_back(center[d]);
      }
    result.values = evaluate(coefficient.field, Memory<double>(where, cell_centers), name);
    return result;
  }


  template <int dim>
  PolytopicCoefficients
  PolytopicOperator<dim>::coefficients(const Memory<double> &of_diffusion,
                                       const Memory<double> &of_velocity) const
  {
    const AdditionalData &data = additional_data;
    PolytopicCoefficients result;
    result.diffusion =
      coefficient(data.diffusion, of_diffusion, "diffusion", VolumePoint<dim, double>::n_diffusion);
    if (!data.velocity.empty())
      {
        check_velocity(data.velocity);
        result.velocity = {dim,
                           PointCoefficient::Place::points,
                           evaluate(data.velocity, of_velocity, "velocity")};
      }
    return result;
  }


  template <int dim>
  Memory<double>
  PolytopicOperator<dim>::boundary_data(const PolytopicPoints<dim> &points) const
  {
    const auto has_data = [&](const types::boundary_id id) {
      return !boundary_conditions.at(id, 1).data.empty();
    };
    if (std::none_of(points.boundary_ids.begin(), points.boundary_ids.end(), has_data))
      return {};
    Memory<double>    result(where, points.faces.size());
    const Memory<int> all = points_on_boundary(points);
    for (std::size_t part = 0; part < points.boundary_ids.size() && all.size() > 0; ++part)
      {
        const types::boundary_id id   = points.boundary_ids[part];
        const auto              &data = boundary_conditions.at(id, 1).data;
        if (data.empty())
          continue;
        const Memory<int>    list   = points_on_boundary(points, all, part);
        const Memory<double> values = evaluate(data,
                                               places_of_points(points.faces, list),
                                               "boundary value on boundary " + std::to_string(id));
        launch(where, list.size(), PutValues{list.data(), values.data(), result.data()});
      }
    return result;
  }


  template <int dim>
  void
  PolytopicOperator<dim>::assemble(BlockCSRMatrix<double> &matrix) const
  {
    form.assemble(matrix, additional_data.assembly);
  }


  template <int dim>
  void
  PolytopicOperator<dim>::right_hand_side(Vector<double> &b, const FieldFunction<dim> &source) const
  {
    Memory<double> values;
    if (!source.empty())
      on_all_ranks(communicator(), [&]() {
        values = evaluate(source, form.volume_points().places, "source term");
      });
    form.load(b, values, boundary_values);
  }


  template class PolytopicOperator<2>;
  template class PolytopicOperator<3>;
} // namespace Saltus
