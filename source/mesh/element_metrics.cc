// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/weight_adjusted_mass.h>
#include <saltus/mesh/element_metrics.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Largest and smallest eigenvalue. Where they are nearly the same, the roots of deal.II's
    /// characteristic polynomial have lost half of their digits, or are complex.
    std::pair<double, double>
    extreme_eigenvalues(const SymmetricTensor<2, 2> &S)
    {
      const double mean = 0.5 * trace(S), radius = std::hypot(0.5 * (S[0][0] - S[1][1]), S[0][1]);
      return {mean + radius, mean - radius};
    }

    std::pair<double, double>
    extreme_eigenvalues(const SymmetricTensor<2, 3> &S)
    {
      const auto all = eigenvalues(S);
      return {all[0], all[2]};
    }
  } // namespace

  template <int dim>
  ElementMetrics<dim>::ElementMetrics(const ReferenceElement<dim>    &reference,
                                      const ElementGeometry<dim>     &geometry,
                                      const std::optional<MetricForm> given_form)
    : reference(reference)
    , geometry(geometry)
  {
    if (!geometry.has_curved_elements)
      return;
    const ReferenceCell &cell = reference.reference_cell;
    const MetricForm     form = given_form ? *given_form
                                           : metric_form<dim>(reference.degree,
                                                          geometry.map_degree,
                                                          reference.volume_degree,
                                                          reference.face_degree,
                                                          cell.is_hyper_cube());
    metric_degree =
      form == MetricForm::curl ? reference.degree : (dim - 1) * (geometry.map_degree - 1);
    are_products     = form == MetricForm::cross_product;
    const auto terms = [&](const std::vector<Point<dim>> &points) {
      return std::make_unique<const MetricTerms<dim>>(
        form, reference.degree, geometry.map_degree, points, cell);
    };
    in_volume        = terms(reference.volume_points);
    on_faces         = terms(reference.face_points);
    const auto table = [&](const std::vector<Point<dim>> &points) {
      return std::make_unique<const ModeTable<dim>>(geometry.map_degree, points, cell);
    };
    modes      = table(reference.volume_points);
    face_modes = table(reference.face_points);
  }

  template <int dim>
  std::vector<double>
  ElementMetrics<dim>::determinants(const unsigned int element) const
  {
    const ElementMap<dim> *map = geometry.curved_map(element);
    if (map == nullptr)
      return std::vector<double>(reference.n_volume_points(), 1.);
    std::vector<double> result = map->determinants(*modes);
    for (double &value : result)
      value /= geometry.volume_factors[element];
    return result;
  }

  template <int dim>
  std::vector<double>
  ElementMetrics<dim>::inverse_masses(const unsigned int element) const
  {
    const ElementMap<dim> *map = geometry.curved_map(element);
    if (map == nullptr)
      return std::vector<double>(reference.n_volume_points(), 1.);
    std::vector<double> result = inverse_projected_determinants(reference, *modes, *map);
    for (double &value : result)
      value *= geometry.volume_factors[element];
    return result;
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  ElementMetrics<dim>::metrics(const unsigned int element) const
  {
    const ElementMap<dim> *map = geometry.curved_map(element);
    if (map == nullptr)
      return std::vector<Tensor<2, dim>>(reference.n_volume_points(),
                                         geometry.inverse_jacobians[element]);
    std::vector<Tensor<2, dim>> result = (*in_volume)(*map);
    for (Tensor<2, dim> &value : result)
      value /= geometry.volume_factors[element];
    return result;
  }

  template <int dim>
  bool
  ElementMetrics<dim>::has_metric_modes() const
  {
    return reference.is_simplex() && metric_degree <= reference.degree &&
           reference.volume_degree >= 2 * reference.degree;
  }

  template <int dim>
  unsigned int
  ElementMetrics<dim>::n_metric_modes() const
  {
    return Simplex<dim>::n_modes(metric_degree);
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  ElementMetrics<dim>::metric_modes(const unsigned int element) const
  {
    Assert(has_metric_modes(), ExcInternalError());
    return modes_of(metrics(element));
  }

  template <int dim>
  bool
  ElementMetrics<dim>::has_tangent_modes() const
  {
    return dim == 3 && are_products && geometry.map_degree <= reference.degree + 1 &&
           reference.volume_degree >= 2 * reference.degree;
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  ElementMetrics<dim>::tangent_modes(const unsigned int element) const
  {
    Assert(has_tangent_modes(), ExcInternalError());
    const ElementMap<dim>      *map = geometry.curved_map(element);
    std::vector<Tensor<2, dim>> jacobians =
      map == nullptr
        ? std::vector<Tensor<2, dim>>(reference.n_volume_points(), geometry.jacobians[element])
        : map->jacobians(*modes);
    for (Tensor<2, dim> &value : jacobians)
      value = transpose(value) / std::sqrt(geometry.volume_factors[element]);
    return modes_of(jacobians);
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  ElementMetrics<dim>::modes_of(const std::vector<Tensor<2, dim>> &values) const
  {
    const unsigned int          n_modes = reference.n_modes;
    std::vector<Tensor<2, dim>> result(n_modes);
    for (unsigned int q = 0; q < values.size(); ++q)
      for (unsigned int m = 0; m < n_modes; ++m)
        result[m] +=
          reference.volume_weights[q] * reference.volume_values[q * n_modes + m] * values[q];
    return result;
  }

  template <int dim>
  std::vector<Tensor<1, dim>>
  ElementMetrics<dim>::normals(const unsigned int element) const
  {
    const ElementMap<dim>      *map = geometry.curved_map(element);
    const unsigned int          nf  = reference.n_face_points();
    std::vector<Tensor<2, dim>> metrics;
    if (map != nullptr)
      metrics = (*on_faces)(*map);
    std::vector<Tensor<1, dim>> result(reference.n_faces * nf);
    for (unsigned int i = 0; i < result.size(); ++i)
      for (unsigned int r = 0; r < dim; ++r)
        result[i] += reference.face_normals[i / nf * dim + r] *
                     (map == nullptr ? geometry.inverse_jacobians[element][r]
                                     : metrics[i][r] / geometry.volume_factors[element]);
    return result;
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  ElementMetrics<dim>::face_jacobians(const unsigned int element) const
  {
    const ElementMap<dim> *map = geometry.curved_map(element);
    if (map == nullptr)
      return std::vector<Tensor<2, dim>>(reference.n_faces * reference.n_face_points(),
                                         geometry.jacobians[element]);
    return map->jacobians(*face_modes);
  }

  template <int dim>
  bool
  ElementMetrics<dim>::has_face_frames() const
  {
    return reference.is_simplex() && are_products &&
           (dim == 2 ? reference.degree <= 2 : reference.degree == 1 && geometry.map_degree <= 2);
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  ElementMetrics<dim>::face_gradients(const unsigned int element) const
  {
    if (geometry.curved_map(element) == nullptr)
      return std::vector<Tensor<2, dim>>(reference.n_faces * reference.n_face_points(),
                                         geometry.inverse_jacobians[element]);
    std::vector<Tensor<2, dim>> result = face_jacobians(element);
    for (Tensor<2, dim> &value : result)
      value = invert(value);
    return result;
  }

  template <int dim>
  SymmetricTensor<2, dim>
  ElementMetrics<dim>::deformation(const unsigned int    element,
                                   const Tensor<2, dim> &gradients) const
  {
    const Tensor<2, dim> transposed = geometry.jacobians[element] * gradients;
    return symmetrize(transposed * transpose(transposed));
  }

  template <int dim>
  std::vector<double>
  ElementMetrics<dim>::trace_areas(const unsigned int element) const
  {
    const unsigned int  nf       = reference.n_face_points();
    const auto          lengths  = normals(element);
    const auto          on_faces = face_gradients(element);
    std::vector<double> result(reference.n_faces);
    for (unsigned int i = 0; i < lengths.size(); ++i)
      result[i / nf] =
        std::max(result[i / nf],
                 lengths[i].norm() * extreme_eigenvalues(deformation(element, on_faces[i])).first);

    const auto in_volume    = metrics(element);
    const auto determinants = this->determinants(element);
    double     smallest     = std::numeric_limits<double>::max();
    for (unsigned int q = 0; q < determinants.size(); ++q)
      {
        const auto S = deformation(element, in_volume[q] / determinants[q]);
        smallest     = std::min(smallest, determinants[q] * extreme_eigenvalues(S).second);
      }
    for (double &area : result)
      area /= smallest;
    return result;
  }

  template class ElementMetrics<2>;
  template class ElementMetrics<3>;
} // namespace Saltus
