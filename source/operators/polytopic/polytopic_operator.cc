// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/launch.h>
#include <saltus/mesh/position_text.h>
#include <saltus/operators/polytopic/polytopic_operator.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int rank_or_dim, typename T>
    std::vector<double>
    numbers_of(const std::vector<T> &tensors)
    {
      std::vector<double> numbers;
      numbers.reserve(tensors.size() * rank_or_dim);
      for (const auto &tensor : tensors)
        for (unsigned int i = 0; i < rank_or_dim; ++i)
          numbers.push_back(tensor[i]);
      return numbers;
    }
  } // namespace


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
    const PolytopicPoints<dim> points(space, data.extra_quadrature_degree);
    std::vector<unsigned int>  sizes;
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      sizes.push_back(space.n_dofs(e));
    pattern    = std::make_shared<const BlockSparsity>(sizes, points.neighbors);
    first_rows = Memory<int>(where, pattern->first_rows);
    row_starts = Memory<int>(where, pattern->row_starts);
    make_elements();
    make_volume(points);
    make_faces(points);
  }


  template <int dim>
  void
  PolytopicOperator<dim>::initialize_vector(Vector<double> &vector) const
  {
    vector = Vector<double>(where, polytopes->n_dofs(), 1, 1);
  }


  template <int dim>
  void
  PolytopicOperator<dim>::make_elements()
  {
    const PolytopicMesh<dim>  &mesh = polytopes->mesh();
    std::vector<int>           of_cells(mesh.triangulation().n_active_cells()), all_degrees;
    std::vector<double>        all_scales, all_centers, all_maps;
    std::vector<unsigned char> all_powers;
    for (unsigned int c = 0; c < of_cells.size(); ++c)
      of_cells[c] = mesh.element_of(c);
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      {
        const ElementBox<dim> &box = mesh.box(e);
        all_degrees.push_back(polytopes->degree(e));
        all_scales.push_back(1. / std::sqrt(box.volume()));
        for (unsigned int r = 0; r < dim; ++r)
          {
            all_centers.push_back(box.center[r]);
            for (unsigned int d = 0; d < dim; ++d)
              all_maps.push_back(box.to_reference[r][d]);
          }
      }
    for_legendre_modes<dim>(polytopes->max_degree(), [&](const int, const Array<int, dim> &powers) {
      for (unsigned int d = 0; d < dim; ++d)
        all_powers.push_back(powers[d]);
    });
    sort_by_degree();
    elements_of_cells = Memory<int>(where, of_cells);
    degrees           = Memory<int>(where, all_degrees);
    scales            = Memory<double>(where, all_scales);
    centers           = Memory<double>(where, all_centers);
    maps              = Memory<double>(where, all_maps);
    powers            = Memory<unsigned char>(where, all_powers);
  }


  template <int dim>
  void
  PolytopicOperator<dim>::sort_by_degree()
  {
    std::vector<std::vector<int>> elements(max_legendre_degree + 1);
    for (unsigned int e = 0; e < pattern->n_elements(); ++e)
      {
        unsigned int highest = 0;
        for (int b = pattern->row_starts[e]; b < pattern->row_starts[e + 1]; ++b)
          highest = std::max(highest, polytopes->degree(pattern->columns[b]));
        elements[highest].push_back(e);
      }
    std::vector<int> sorted;
    for (int degree = 0; degree <= max_legendre_degree; ++degree)
      {
        by_degree.starts[degree] = sorted.size();
        sorted.insert(sorted.end(), elements[degree].begin(), elements[degree].end());
      }
    by_degree.starts[max_legendre_degree + 1] = sorted.size();
    sorted_elements                           = Memory<int>(where, sorted);
    by_degree.elements                        = sorted_elements.data();
  }


  template <int dim>
  PolytopicElements<dim>
  PolytopicOperator<dim>::elements() const
  {
    return {degrees.data(), scales.data(), powers.data()};
  }


  template <int dim>
  Memory<double>
  PolytopicOperator<dim>::evaluate(const FieldFunction<dim>      &function,
                                   const std::vector<Point<dim>> &points,
                                   const std::string             &name) const
  {
    Memory<double>          values(where, points.size() * function.n_components());
    const Memory<TimeState> start(where, std::vector<TimeState>(1));
    if (points.empty())
      return values;
    const PointValues<dim, double> at_points(function, points, where);
    at_points.evaluate(start.data(), 0., values.data());
    at_points.check_finite(values.data(), name);
    return values;
  }


  template <int dim>
  typename PolytopicOperator<dim>::Coefficient
  PolytopicOperator<dim>::coefficient(const EllipticCoefficient<dim> &coefficient,
                                      const std::vector<Point<dim>>  &points,
                                      const std::string              &name,
                                      const unsigned int              max_components) const
  {
    using Place = PointCoefficient::Place;
    Coefficient result;
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
        result.values = evaluate(coefficient.field, points, name);
        return result;
      }
    result.place = Place::cells;
    std::vector<Point<dim>> cell_centers;
    for (const auto &cell : polytopes->mesh().triangulation().active_cell_iterators())
      {
        const auto vertices = polytopes->mesh().mapping().get_vertices(cell);
        cell_centers.emplace_back();
        for (const auto &vertex : vertices)
          cell_centers.back() += vertex / static_cast<double>(vertices.size());
      }
    result.values = evaluate(coefficient.field, cell_centers, name);
    return result;
  }


  template <int dim>
  void
  PolytopicOperator<dim>::make_volume(const PolytopicPoints<dim> &points)
  {
    const AdditionalData  &data        = additional_data;
    constexpr unsigned int n_diffusion = VolumePoint<dim, double>::n_diffusion;
    const std::size_t      n           = points.volume.points.size();
    volume_points                      = points.volume.points;
    volume_starts                      = Memory<std::size_t>(where, points.volume.starts);
    weights                            = Memory<double>(where, points.weights);
    volume_records      = Memory<double>(where, n * VolumePoint<dim, double>::n_numbers);
    const Coefficient A = coefficient(data.diffusion, volume_points, "diffusion", n_diffusion);
    const Coefficient c = coefficient(data.reaction, volume_points, "reaction", 1);
    Coefficient       b;
    if (!data.velocity.empty())
      {
        AssertThrow(data.velocity.n_components() == dim,
                    ExcMessage("The velocity has " + std::to_string(data.velocity.n_components()) +
                               " components instead of " + std::to_string(dim) + "."));
        b = {dim,
             PointCoefficient::Place::points,
             evaluate(data.velocity, volume_points, "velocity")};
      }
    const Memory<double>           x(where, numbers_of<dim>(volume_points));
    const Memory<int>              cells(where, points.volume.owners);
    Memory<PolytopicFailureRecord> failure(where, 1);
    launch(where,
           n,
           MakeVolumeRecords<dim>{n,
                                  {centers.data(), maps.data()},
                                  elements_of_cells.data(),
                                  cells.data(),
                                  x.data(),
                                  weights.data(),
                                  A.arrays(),
                                  b.arrays(),
                                  c.arrays(),
                                  volume_records.data(),
                                  failure.data()});
    check(failure);
  }


  template <int dim>
  void
  PolytopicOperator<dim>::make_faces(const PolytopicPoints<dim> &points)
  {
    const AdditionalData &data = additional_data;
    const auto           &x    = points.faces.points;
    const std::size_t     n    = x.size();
    n_face_points              = n;
    constexpr auto n_diffusion = VolumePoint<dim, double>::n_diffusion;
    face_starts                = Memory<std::size_t>(where, points.faces.starts);
    std::vector<int> steps     = {0};
    for (std::size_t b = 0; b + 1 < points.faces.starts.size(); ++b)
      steps.push_back(steps.back() + (points.faces.starts[b + 1] - points.faces.starts[b] + 3) / 4);
    face_steps          = Memory<int>(where, steps);
    face_records        = Memory<double>(where, n * FacetPoint<dim, double>::n_numbers);
    boundary_records    = Memory<double>(where, 2 * n);
    const Coefficient A = coefficient(data.diffusion, x, "diffusion", n_diffusion);
    Coefficient       b;
    if (!data.velocity.empty())
      b = {dim, PointCoefficient::Place::points, evaluate(data.velocity, x, "velocity")};
    std::vector<FacetRecord> facets = facet_records();
    std::vector<double>      areas(facets.size(), 0.);
    for (std::size_t q = 0; q < n; ++q)
      areas[points.faces.owners[q]] += points.normals[q].norm();
    std::vector<double> perimeters(polytopes->mesh().n_elements(), 0.);
    for (std::size_t f = 0; f < facets.size(); ++f)
      perimeters[facets[f].element] += areas[f];
    for (std::size_t f = 0; f < facets.size(); ++f)
      {
        FacetRecord &facet   = facets[f];
        facet.penalty_inside = penalty(facet.element, facet.inside, areas[f], perimeters);
        if (facet.neighbor >= 0)
          facet.penalty_outside = penalty(facet.neighbor, facet.outside, areas[f], perimeters);
      }
    const Memory<FacetRecord>      facets_there(where, facets);
    const Memory<int>              owners(where, points.faces.owners);
    const Memory<double>           coordinates(where, numbers_of<dim>(x));
    const Memory<double>           normals(where, numbers_of<dim>(points.normals));
    const Memory<double>           values(where, boundary_data(points));
    Memory<PolytopicFailureRecord> failure(where, 1);
    launch(where,
           n,
           MakeFaceRecords<dim>{n,
                                {centers.data(), maps.data()},
                                facets_there.data(),
                                owners.data(),
                                coordinates.data(),
                                normals.data(),
                                values.data(),
                                A.arrays(),
                                b.arrays(),
                                face_records.data(),
                                boundary_records.data(),
                                failure.data()});
    check(failure);
  }


  template <int dim>
  std::vector<FacetRecord>
  PolytopicOperator<dim>::facet_records() const
  {
    const PolytopicMesh<dim> &mesh = polytopes->mesh();
    std::vector<FacetRecord>  records;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      for (const auto &facet : mesh.facets(e))
        {
          FacetRecord record{static_cast<int>(e),
                             -1,
                             static_cast<int>(facet.inside),
                             static_cast<int>(facet.outside),
                             0.,
                             0.,
                             EllipticBoundary::dirichlet,
                             0.};
          if (facet.neighbor != PolytopicMesh<dim>::no_element)
            record.neighbor = facet.neighbor;
          else
            {
              const auto &condition = boundary_conditions.at(facet.boundary_id, 1);
              record.kind           = condition.kind;
              record.robin          = condition.robin;
            }
          records.push_back(record);
        }
    return records;
  }


  template <int dim>
  double
  PolytopicOperator<dim>::penalty(const unsigned int         element,
                                  const unsigned int         cell,
                                  const double               area,
                                  const std::vector<double> &perimeters) const
  {
    const PolytopicMesh<dim> &mesh   = polytopes->mesh();
    const double              p      = polytopes->degree(element);
    const double              volume = mesh.volume(element);
    const double              simplex =
      mesh.cell_volume(cell) / (mesh.cell(cell)->reference_cell().is_simplex() ? 1 : dim);
    double inverse_length = area / simplex;
    if (additional_data.penalty == PolytopicPenalty::perimeter)
      inverse_length = std::min(inverse_length, perimeters[element] / volume);
    else if (additional_data.penalty == PolytopicPenalty::covering)
      inverse_length = std::min(inverse_length, std::pow(p, 2 * (dim - 1)) * area / volume);
    return additional_data.penalty_factor * p * p * inverse_length;
  }


  template <int dim>
  std::vector<double>
  PolytopicOperator<dim>::boundary_data(const PolytopicPoints<dim> &points) const
  {
    const PolytopicMesh<dim>       &mesh = polytopes->mesh();
    std::vector<types::boundary_id> ids; // of all facets
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      for (const auto &facet : mesh.facets(e))
        ids.push_back(facet.boundary_id);
    std::map<types::boundary_id, std::vector<std::size_t>> points_of;
    for (std::size_t q = 0; q < points.faces.points.size(); ++q)
      if (ids[points.faces.owners[q]] != numbers::internal_face_boundary_id)
        points_of[ids[points.faces.owners[q]]].push_back(q);
    std::vector<double> values(points.faces.points.size(), 0.);
    for (const auto &[id, places] : points_of)
      {
        const auto &data = boundary_conditions.at(id, 1).data;
        if (data.empty())
          continue;
        std::vector<Point<dim>> x;
        for (const std::size_t q : places)
          x.push_back(points.faces.points[q]);
        const std::vector<double> there =
          evaluate(data, x, "boundary value on boundary " + std::to_string(id)).to_host();
        for (std::size_t i = 0; i < places.size(); ++i)
          values[places[i]] = there[i];
      }
    return values;
  }


  template <int dim>
  void
  PolytopicOperator<dim>::check(const Memory<PolytopicFailureRecord> &failure) const
  {
    const PolytopicFailureRecord what = failure.to_host()[0];
    const PolytopicMesh<dim>    &mesh = polytopes->mesh();
    if (what.kind == PolytopicFailure::diffusion)
      AssertThrow(false,
                  ExcMessage("The diffusion is negative in some direction in " +
                             cell_text(mesh.cell(what.owner)) +
                             ": a tensor must be positive or positive semi-definite."));
    if (what.kind == PolytopicFailure::inflow)
      {
        unsigned int number = what.owner, e = 0;
        for (; number >= mesh.facets(e).size(); ++e)
          number -= mesh.facets(e).size();
        const auto &facet = mesh.facets(e).begin()[number];
        AssertThrow(false,
                    ExcMessage("The velocity points inwards at boundary " +
                               std::to_string(facet.boundary_id) + ", at " +
                               cell_text(mesh.cell(facet.inside)) +
                               ": there the condition must be Dirichlet."));
      }
  }


  template <int dim>
  void
  PolytopicOperator<dim>::assemble(BlockCSRMatrix<double> &matrix) const
  {
    AssertThrow(&matrix.sparsity() == pattern.get() && matrix.device() == where,
                ExcMessage("The matrix does not have the blocks of this operator, or is on another "
                           "device."));
    const BlockCSRArrays<double> arrays = matrix.arrays();
    launch(where,
           pattern->n_elements(),
           AssembleRows<dim>{elements(),
                             arrays.row_starts,
                             arrays.columns,
                             arrays.block_starts,
                             {volume_points.size(), volume_records.data()},
                             volume_starts.data(),
                             {n_face_points, face_records.data()},
                             face_starts.data(),
                             face_steps.data(),
                             by_degree,
                             matrix.values()});
  }


  template <int dim>
  void
  PolytopicOperator<dim>::right_hand_side(Vector<double> &b, const FieldFunction<dim> &source) const
  {
    initialize_vector(b);
    Memory<double> weighted;
    if (!source.empty())
      {
        const Memory<double> values = evaluate(source, volume_points, "source term");
        weighted                    = Memory<double>(where, volume_points.size());
        launch(where,
               volume_points.size(),
               WeightValues<dim>{weights.data(), values.data(), weighted.data()});
      }
    launch(where,
           pattern->n_elements(),
           LoadRows<dim>{elements(),
                         first_rows.data(),
                         row_starts.data(),
                         {volume_points.size(), volume_records.data()},
                         volume_starts.data(),
                         {n_face_points, face_records.data()},
                         face_starts.data(),
                         weighted.data(),
                         {n_face_points, boundary_records.data()},
                         b.data()});
  }


  template class PolytopicOperator<2>;
  template class PolytopicOperator<3>;
} // namespace Saltus
