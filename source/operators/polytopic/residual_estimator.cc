// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/operators/polytopic/residual_estimator.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Of `[point][d]`.
    template <typename T>
    std::vector<T>
    tensors_of(const std::vector<double> &numbers)
    {
      std::vector<T> tensors(numbers.size() / T::dimension);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        tensors[i / T::dimension][i % T::dimension] = numbers[i];
      return tensors;
    }

    double
    square(const double x)
    {
      return x * x;
    }
  } // namespace


  std::vector<double>
  ResidualEstimate::of_elements() const
  {
    std::vector<double> result(residuals.size());
    for (std::size_t e = 0; e < result.size(); ++e)
      result[e] = std::sqrt(residuals[e] + fluxes[e] + jumps[e]);
    return result;
  }


  double
  ResidualEstimate::sum() const
  {
    double squares = 0;
    for (std::size_t e = 0; e < residuals.size(); ++e)
      squares += residuals[e] + fluxes[e] + jumps[e];
    return std::sqrt(sum_over_ranks(partition, squares));
  }


  template <int dim>
  ResidualEstimator<dim>::Points::Points(const PointSet<dim>         &points,
                                         const PolytopicCoefficients &coefficients)
    : starts(points.starts.to_host())
    , places(tensors_of<Point<dim>>(points.places.to_host()))
    , owners(points.owners.to_host())
    , diffusion(coefficients.diffusion)
    , velocity(coefficients.velocity)
    , reaction(coefficients.reaction)
  {}


  template <int dim>
  SymmetricTensor<2, dim>
  ResidualEstimator<dim>::Points::diffusion_at(const std::size_t q, const unsigned int owner) const
  {
    const DiffusionTensor<dim> A(diffusion.at(q, owner), diffusion.n_components());
    SymmetricTensor<2, dim>    result;
    for (unsigned int d = 0; d < dim; ++d)
      for (unsigned int e = d; e < dim; ++e)
        result[d][e] = A.rows[d][e];
    return result;
  }


  template <int dim>
  Tensor<1, dim>
  ResidualEstimator<dim>::Points::velocity_at(const std::size_t q, const unsigned int owner) const
  {
    Tensor<1, dim> b;
    if (velocity.n_components() > 0)
      for (unsigned int d = 0; d < dim; ++d)
        b[d] = velocity.at(q, owner)[d];
    return b;
  }


  template <int dim>
  ResidualEstimator<dim>::ResidualEstimator(const PolytopicOperator<dim> &op,
                                            const FieldFunction<dim>     &source,
                                            const unsigned int            extra_degree)
    : op(op)
    , space(op.space())
  {
    const auto terms = op.terms(op.data().extra_quadrature_degree + extra_degree);
    volume           = std::make_unique<const Points>(terms.points.volume, terms.in_elements);
    faces            = std::make_unique<const Points>(terms.points.faces, terms.on_faces);
    weights          = terms.points.weights.to_host();
    normals          = tensors_of<Tensor<1, dim>>(terms.points.normals.to_host());
    facets           = terms.facets.to_host();
    boundary_values  = terms.boundary_values.to_host();
    boundary_values.resize(terms.points.faces.size(), 0.);
    on_all_ranks(communicator(), [&]() {
      if (!source.empty())
        source_values = op.evaluate(source, terms.points.volume.places, "source term").to_host();
      diffusion_divergence = divergence_of_diffusion();
    });

    const BlockSparsity &blocks = *terms.points.sparsity;
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      {
        face_starts.push_back(faces->starts[blocks.row_starts[e]]);
        double longest = 0;
        for (unsigned int d = 0; d < dim; ++d)
          longest = std::max(longest, 2. / space.mesh().box(e).to_reference[d].norm());
        sizes.push_back(longest);
        double least = std::numeric_limits<double>::max();
        for (std::size_t q = volume->starts[e]; q < volume->starts[e + 1]; ++q)
          least = std::min(least, *volume->reaction.at(q, volume->owners[q]));
        least_reactions.push_back(least);
      }
    face_starts.push_back(faces->places.size());
    if (volume->diffusion.arrays.place == PointCoefficient::Place::cells)
      cell_faces = find_cell_faces();
  }


  template <int dim>
  std::vector<Tensor<1, dim>>
  ResidualEstimator<dim>::divergence_of_diffusion() const
  {
    const EllipticCoefficient<dim> &diffusion = op.data().diffusion;
    if (diffusion.field.empty() || diffusion.sampling != Sampling::by_point)
      return {};
    const std::size_t   n = volume->places.size();
    std::vector<double> steps(n), shifted(n * dim);
    for (std::size_t q = 0; q < n; ++q)
      steps[q] = 1e-5 * std::pow(space.mesh().cell_volume(volume->owners[q]), 1. / dim);
    std::vector<Tensor<1, dim>> result(n);
    for (unsigned int d = 0; d < dim; ++d)
      for (const double sign : {1., -1.})
        {
          for (std::size_t q = 0; q < n; ++q)
            for (unsigned int k = 0; k < dim; ++k)
              shifted[q * dim + k] = volume->places[q][k] + (k == d ? sign * steps[q] : 0.);
          const std::vector<double> values =
            op.evaluate(diffusion.field, Memory<double>(op.device(), shifted), "diffusion")
              .to_host();
          const int n_components = diffusion.field.n_components();
          for (std::size_t q = 0; q < n; ++q)
            {
              const DiffusionTensor<dim> A(values.data() + q * n_components, n_components);
              for (unsigned int k = 0; k < dim; ++k)
                result[q][k] += A.rows[d][k] * sign / (2. * steps[q]);
            }
        }
    return result;
  }


  template <int dim>
  double
  ResidualEstimator<dim>::residual_weight(const unsigned int element,
                                          const double       diffusion,
                                          const double       speed,
                                          const double       reaction) const
  {
    const double frequency = space.degree(element) / sizes[element];
    const double strength =
      std::max({frequency * frequency * diffusion, frequency * speed, reaction});
    return strength > 0. ? 1. / strength : 0.;
  }


  template <int dim>
  double
  ResidualEstimator<dim>::flux_weight(const unsigned int element,
                                      const double       diffusion,
                                      const double       speed) const
  {
    if (diffusion <= 0.) // there is no flux
      return 0.;
    return std::sqrt(residual_weight(element, diffusion, speed, least_reactions[element]) /
                     diffusion);
  }


  template <int dim>
  void
  ResidualEstimator<dim>::add_residuals(const unsigned int         e,
                                        const std::vector<double> &coefficients,
                                        ResidualEstimate          &result) const
  {
    for (std::size_t q = volume->starts[e]; q < volume->starts[e + 1]; ++q)
      {
        const unsigned int   cell     = volume->owners[q];
        const Point<dim>    &x        = volume->places[q];
        const Tensor2        A        = volume->diffusion_at(q, cell);
        const Tensor<1, dim> b        = volume->velocity_at(q, cell);
        const double         c        = *volume->reaction.at(q, cell);
        const auto           u        = space.derivatives(coefficients, e, x, 2);
        double               residual = A * u.hessian - b * u.gradient - c * u.value;
        if (!source_values.empty())
          residual += source_values[q];
        if (!diffusion_divergence.empty())
          residual += diffusion_divergence[q] * u.gradient;
        const auto   diffusions = eigenvalues(A);
        const double least = diffusions.back(), speed = b.norm();
        // Where nothing else bounds the weight, diffusion in another direction does.
        const double counts =
          least > 1e-12 * diffusions.front() || speed > 0. || c > 0. ? least : diffusions.front();
        result.residuals[e] +=
          weights[q] * residual_weight(e, counts, speed, c) * residual * residual;
      }
  }


  template <int dim>
  void
  ResidualEstimator<dim>::add_faces(const unsigned int         e,
                                    const std::vector<double> &known,
                                    ResidualEstimate          &result) const
  {
    for (std::size_t q = face_starts[e]; q < face_starts[e + 1]; ++q)
      {
        const FacetRecord   &facet  = facets[faces->owners[q]];
        const double         weight = normals[q].norm();
        const Tensor<1, dim> normal = normals[q] / weight;
        const FacePoint      point{q,
                              facet,
                              weight,
                              normal,
                              faces->diffusion_at(q, facet.inside),
                              faces->velocity_at(q, facet.inside) * normal,
                              space.derivatives(known, e, faces->places[q], 1)};
        if (facet.neighbor >= 0)
          add_interface(point, known, result);
        else
          add_boundary(point, result);
      }
  }


  template <int dim>
  void
  ResidualEstimator<dim>::add_interface(const FacePoint           &point,
                                        const std::vector<double> &known,
                                        ResidualEstimate          &result) const
  {
    const auto &[q, facet, w, n, A, speed, u] = point;
    const unsigned int e                      = facet.element;
    const Tensor2      across                 = faces->diffusion_at(q, facet.outside);
    const double       inside = n * (A * n), outside = n * (across * n);
    const auto         v     = space.derivatives(known, facet.neighbor, faces->places[q], 1);
    const double       flux  = n * (A * u.gradient - across * v.gradient);
    const double       jump  = u.value - v.value;
    Tensor<1, dim>     along = u.gradient - v.gradient;
    along -= (along * n) * n;
    result.fluxes[e] +=
      .5 * w *
      (flux_weight(e, std::max(inside, outside), std::abs(speed)) * flux * flux +
       sizes[e] / space.degree(e) * std::max(along * (A * along), along * (across * along)));
    result.jumps[e] += .5 * w * facet.jump_factor(inside, outside, speed) * jump * jump;
  }


  template <int dim>
  void
  ResidualEstimator<dim>::add_boundary(const FacePoint &point, ResidualEstimate &result) const
  {
    const auto &[q, facet, w, n, A, speed, u] = point;
    const unsigned int e                      = facet.element;
    const double       diffusion              = n * (A * n);
    if (facet.kind == EllipticBoundary::dirichlet)
      result.jumps[e] +=
        w * facet.jump_factor(diffusion, diffusion, speed) * square(u.value - boundary_values[q]);
    else
      result.fluxes[e] += w * flux_weight(e, diffusion, std::abs(speed)) *
                          square(boundary_values[q] - facet.robin * u.value - n * (A * u.gradient));
  }


  template <int dim>
  std::vector<std::vector<typename ResidualEstimator<dim>::CellFacePoint>>
  ResidualEstimator<dim>::find_cell_faces() const
  {
    std::vector<std::vector<CellFacePoint>> result(sizes.size());
    parallel_for(sizes.size(), [&](const std::size_t begin, const std::size_t end) {
      ValuesByRule<dim, FEFaceValues<dim>, dim - 1> values(space.mesh().mapping(),
                                                           update_quadrature_points |
                                                             update_JxW_values |
                                                             update_normal_vectors);
      for (std::size_t e = begin; e < end; ++e)
        result[e] = points_between(e, values);
    });
    return result;
  }


  template <int dim>
  std::vector<typename ResidualEstimator<dim>::CellFacePoint>
  ResidualEstimator<dim>::points_between(
    const unsigned int                             e,
    ValuesByRule<dim, FEFaceValues<dim>, dim - 1> &all_values) const
  {
    const PolytopicMesh<dim>  &mesh = space.mesh();
    std::vector<CellFacePoint> result;
    for (const unsigned int c : mesh.cells(e))
      for (const unsigned int f : mesh.cell(c)->face_indices())
        {
          const auto cell = mesh.cell(c);
          // The smaller cell has the face, or the first of two.
          if (cell->at_boundary(f) || cell->neighbor(f)->has_children())
            continue;
          const unsigned int other = cell->neighbor(f)->active_cell_index();
          if (mesh.element_of(other) != e || (other < c && !cell->neighbor_is_coarser(f)))
            continue;
          const Tensor2 inside = volume->diffusion_at(0, c), across =
                                                               volume->diffusion_at(0, other);
          if (inside == across)
            continue;
          const ReferenceCell shape = cell->reference_cell();
          FEFaceValues<dim>  &values =
            all_values.get(shape,
                           shape.face_reference_cell(f),
                           rule_degree(mesh.mapping(), shape, space.degree(e), 0));
          values.reinit(cell, f);
          for (unsigned int q = 0; q < values.n_quadrature_points; ++q)
            {
              const Tensor<1, dim> n       = values.normal_vector(q);
              const double         largest = std::max(n * (inside * n), n * (across * n));
              result.push_back(
                {values.quadrature_point(q),
                 std::sqrt(values.JxW(q) * flux_weight(e, largest, 0.)) * ((inside - across) * n)});
            }
        }
    return result;
  }


  template <int dim>
  void
  ResidualEstimator<dim>::add_cell_faces(const unsigned int         e,
                                         const std::vector<double> &coefficients,
                                         ResidualEstimate          &result) const
  {
    for (const CellFacePoint &point : cell_faces[e])
      result.fluxes[e] += square(point.jump * space.gradient(coefficients, e, point.place));
  }


  template <int dim>
  ResidualEstimate
  ResidualEstimator<dim>::estimate(const std::vector<double> &coefficients) const
  {
    const std::vector<double> known = space.with_ghosts(coefficients);
    ResidualEstimate          result(sizes.size(), partition());
    parallel_for(sizes.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        {
          add_residuals(e, coefficients, result);
          add_faces(e, known, result);
          if (!cell_faces.empty())
            add_cell_faces(e, coefficients, result);
        }
    });
    return result;
  }


  template <int dim>
  double
  ResidualEstimator<dim>::energy_error(const std::vector<double> &coefficients,
                                       const FieldFunction<dim>  &exact,
                                       const FieldFunction<dim>  &gradient) const
  {
    std::vector<double> places;
    for (const Point<dim> &x : volume->places)
      for (unsigned int d = 0; d < dim; ++d)
        places.push_back(x[d]);
    const Memory<double>        there(op.device(), places);
    std::vector<double>         values;
    std::vector<Tensor<1, dim>> gradients;
    on_all_ranks(communicator(), [&]() {
      values    = op.evaluate(exact, there, "exact solution").to_host();
      gradients = tensors_of<Tensor<1, dim>>(
        op.evaluate(gradient, there, "gradient of the exact solution").to_host());
    });
    const std::vector<double> known = space.with_ghosts(coefficients);
    ResidualEstimate          at_faces(sizes.size());
    std::vector<double>       squares(sizes.size());
    parallel_for(sizes.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t e = begin; e < end; ++e)
        {
          add_faces(e, known, at_faces);
          squares[e] = at_faces.jumps[e];
          for (std::size_t q = volume->starts[e]; q < volume->starts[e + 1]; ++q)
            {
              const unsigned int   cell = volume->owners[q];
              const auto           u    = space.derivatives(coefficients, e, volume->places[q], 1);
              const Tensor<1, dim> difference = u.gradient - gradients[q];
              squares[e] +=
                weights[q] * (difference * (volume->diffusion_at(q, cell) * difference) +
                              *volume->reaction.at(q, cell) * square(u.value - values[q]));
            }
        }
    });
    return std::sqrt(
      sum_over_ranks(partition(), std::accumulate(squares.begin(), squares.end(), 0.)));
  }


  template class ResidualEstimator<2>;
  template class ResidualEstimator<3>;
} // namespace Saltus
