// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/weight_adjusted_mass.h>
#include <saltus/mesh/element_metrics.h>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  ElementMetrics<dim>::ElementMetrics(const ReferenceElement<dim> &reference,
                                      const ElementGeometry<dim>  &geometry)
    : reference(reference)
    , geometry(geometry)
  {
    if (!geometry.has_curved_elements)
      return;
    const auto form  = metric_form<dim>(reference.degree,
                                       geometry.map_degree,
                                       reference.volume_degree,
                                       reference.face_degree);
    const auto terms = [&](const std::vector<Point<dim>> &points) {
      return std::make_unique<const MetricTerms<dim>>(form,
                                                      reference.degree,
                                                      geometry.map_degree,
                                                      points);
    };
    in_volume = terms(reference.volume_points);
    on_faces  = terms(reference.face_points);
    modes = std::make_unique<const ModeTable<dim>>(geometry.map_degree, reference.volume_points);
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

  template class ElementMetrics<2>;
  template class ElementMetrics<3>;
} // namespace Saltus
