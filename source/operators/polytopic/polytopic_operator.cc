// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/base/device/launch.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/mesh/position_text.h>
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

    Terms here = terms(data.extra_quadrature_degree);
    on_all_ranks(communicator(), [&]() { make_form(std::move(here)); });
  }


  template <int dim>
  void
  PolytopicOperator<dim>::make_form(Terms &&here)
  {
    std::vector<ElementBox<dim>> boxes;
    std::vector<unsigned int>    degrees;
    for (unsigned int e = 0; e < polytopes->mesh().n_known_elements(); ++e)
      {
        boxes.push_back(polytopes->mesh().box(e));
        degrees.push_back(polytopes->degree(e));
      }
    boundary_values                          = std::move(here.boundary_values);
    const Memory<FacetGeometry> facets       = std::move(here.points.facets);
    const auto                  boundary_ids = std::move(here.points.boundary_ids);
    check(form.reinit(
            boxes, degrees, std::move(here.points), here.facets, here.in_elements, here.on_faces),
          facets,
          boundary_ids);
  }


  template <int dim>
  typename PolytopicOperator<dim>::Terms
  PolytopicOperator<dim>::terms(const unsigned int extra_degree) const
  {
    Terms result;
    result.points = quadrature_points(*polytopes, extra_degree, where);
    on_all_ranks(communicator(), [&]() {
      result.facets      = facet_records(result.points);
      result.in_elements = coefficients(result.points.volume);
      result.in_elements.reaction =
        coefficient(additional_data.reaction, result.points.volume, "reaction", 1);
      result.on_faces        = coefficients(result.points.faces);
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
    Memory<double>          values(where, places.size() / dim * function.n_components());
    const Memory<TimeState> start(where, std::vector<TimeState>(1));
    if (places.size() == 0)
      return values;
    Memory<double> copy(where, places.size());
    copy.copy_from(places);
    const PointValues<dim, double> at_points(function, std::move(copy));
    at_points.evaluate(start.data(), 0., values.data());
    at_points.check_finite(values.data(), name);
    return values;
  }


  template <int dim>
  PolytopicCoefficient
  PolytopicOperator<dim>::coefficient(const EllipticCoefficient<dim> &coefficient,
                                      const PointSet<dim>            &points,
                                      const std::string              &name,
                                      const unsigned int              max_components) const
  {
    using Place = PointCoefficient::Place;
    PolytopicCoefficient result;
    if (coefficient.field.empty())
      {
        result.n_components = 1;
        result.values       = Memory<double>(where, std::vector<double>(1, coefficient.constant));
        return result;
      }
    result.n_components = coefficient.field.n_components();
    AssertThrow(result.n_components == 1 || result.n_components == static_cast<int>(max_components),
                ExcMessage("The " + name + " has " + std::to_string(result.n_components) +
                           " components instead of 1" +
                           (max_components > 1 ? " or " + std::to_string(max_components) : "") +
                           "."));
    if (coefficient.sampling == Sampling::by_point)
      {
        result.place  = Place::points;
        result.values = evaluate(coefficient.field, points.places, name);
        return result;
      }
    result.place = Place::cells;
    std::vector<double>       cell_centers; // [cell][d]
    const PolytopicMesh<dim> &mesh = polytopes->mesh();
    for (const auto &cell : mesh.triangulation().active_cell_iterators())
      {
        Point<dim> center = cell->vertex(0); // of unknown cells, where it does not matter
        if (mesh.is_known(cell->active_cell_index()))
          {
            const auto vertices = mesh.mapping().get_vertices(cell);
            center              = Point<dim>();
            for (const auto &vertex : vertices)
              center += vertex / static_cast<double>(vertices.size());
          }
        for (unsigned int d = 0; d < dim; ++d)
          cell_centers.push_back(center[d]);
      }
    result.values = evaluate(coefficient.field, Memory<double>(where, cell_centers), name);
    return result;
  }


  template <int dim>
  PolytopicCoefficients
  PolytopicOperator<dim>::coefficients(const PointSet<dim> &points) const
  {
    const AdditionalData &data = additional_data;
    PolytopicCoefficients result;
    result.diffusion =
      coefficient(data.diffusion, points, "diffusion", VolumePoint<dim, double>::n_diffusion);
    if (!data.velocity.empty())
      {
        AssertThrow(data.velocity.n_components() == dim,
                    ExcMessage("The velocity has " + std::to_string(data.velocity.n_components()) +
                               " components instead of " + std::to_string(dim) + "."));
        result.velocity = {dim,
                           PointCoefficient::Place::points,
                           evaluate(data.velocity, points.places, "velocity")};
      }
    return result;
  }


  template <int dim>
  Memory<FacetRecord>
  PolytopicOperator<dim>::facet_records(const PolytopicPoints<dim> &points) const
  {
    std::vector<FacetCondition> kinds;
    for (const types::boundary_id id : points.boundary_ids)
      {
        const auto &condition = boundary_conditions.at(id, 1);
        kinds.push_back({condition.kind, condition.robin});
      }
    std::vector<int> degrees;
    for (unsigned int e = 0; e < polytopes->mesh().n_known_elements(); ++e)
      degrees.push_back(polytopes->degree(e));
    const Memory<FacetCondition> conditions(where, kinds);
    const Memory<int>            all_degrees(where, degrees);
    Memory<FacetRecord>          records(where, points.facets.size());
    launch(where,
           points.facets.size(),
           MakeFacets<dim>{points.facets.data(),
                           conditions.data(),
                           all_degrees.data(),
                           points.volumes.data(),
                           points.perimeters.data(),
                           additional_data.penalty,
                           additional_data.penalty_factor,
                           records.data()});
    return records;
  }


  namespace
  {
    /// Those of some points that are on a part of the boundary, or on any.
    /// @param among numbers of points; empty: all of them
    template <int dim>
    Memory<int>
    points_on_boundary(const PolytopicPoints<dim> &points, const Memory<int> &among, const int part)
    {
      const Device device = points.facets.device();
      const int    n      = part < 0 ? points.faces.size() : among.size();
      Memory<int>  marks(device, n);
      launch(device,
             n,
             MarkBoundary{
               points.facets.data(), points.faces.owners.data(), among.data(), part, marks.data()});
      const Memory<int> starts = prefix_sums<int>(marks);
      Memory<int>       list(device, last_of(starts));
      launch(device, n, ListMarked{starts.data(), among.data(), list.data()});
      return list;
    }
  } // namespace


  template <int dim>
  Memory<double>
  PolytopicOperator<dim>::boundary_data(const PolytopicPoints<dim> &points) const
  {
    Memory<double>    result(where, points.faces.size());
    const Memory<int> all = points_on_boundary(points, Memory<int>(), -1);
    for (std::size_t part = 0; part < points.boundary_ids.size() && all.size() > 0; ++part)
      {
        const types::boundary_id id   = points.boundary_ids[part];
        const auto              &data = boundary_conditions.at(id, 1).data;
        if (data.empty())
          continue;
        const Memory<int> list = points_on_boundary(points, all, part);
        Memory<double>    places(where, list.size() * dim);
        launch(where,
               list.size(),
               TakePlaces<dim>{list.data(), points.faces.places.data(), places.data()});
        const Memory<double> values =
          evaluate(data, places, "boundary value on boundary " + std::to_string(id));
        launch(where, list.size(), PutValues{list.data(), values.data(), result.data()});
      }
    return result;
  }


  template <int dim>
  void
  PolytopicOperator<dim>::check(const PolytopicFailureRecord          &what,
                                const Memory<FacetGeometry>           &facets,
                                const std::vector<types::boundary_id> &boundary_ids) const
  {
    const PolytopicMesh<dim> &mesh = polytopes->mesh();
    if (what.kind == PolytopicFailure::diffusion)
      AssertThrow(false,
                  ExcMessage("The diffusion is negative in some direction in " +
                             cell_text(mesh.cell(what.owner)) +
                             ": a tensor must be positive or positive semi-definite."));
    if (what.kind == PolytopicFailure::inflow)
      {
        const FacetGeometry facet = facets.to_host()[what.owner];
        AssertThrow(false,
                    ExcMessage("The velocity points inwards at boundary " +
                               std::to_string(boundary_ids[facet.part]) + ", at " +
                               cell_text(mesh.cell(facet.inside)) +
                               ": there the condition must be Dirichlet."));
      }
  }


  template <int dim>
  void
  PolytopicOperator<dim>::assemble(BlockCSRMatrix<double> &matrix) const
  {
    form.assemble(matrix);
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
