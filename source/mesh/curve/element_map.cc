// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/element_map.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    std::vector<Point<dim>>
    node_positions(const MapNodes<dim>                  &nodes,
                   const Mapping<dim>                   &mapping,
                   const typename ElementMap<dim>::Cell &cell,
                   const VertexPermutation<dim>         &vertices)
    {
      std::vector<Point<dim>> result;
      for (const Point<dim> &node : nodes.points)
        result.push_back(mapping.transform_unit_to_real_cell(cell, to_cell<dim>(vertices, node)));
      return result;
    }
  } // namespace

  template <int dim>
  ElementMap<dim>::ElementMap(const std::shared_ptr<const MapNodes<dim>> &nodes,
                              const std::vector<Point<dim>>              &positions,
                              const int                                   orientation)
    : origin(positions.at(0))
    , modes(nodes->points.size())
    , nodes(nodes)
    , sign(orientation)
  {
    AssertDimension(positions.size(), nodes->points.size());
    for (unsigned int m = 0; m < modes.size(); ++m)
      for (unsigned int i = 0; i < positions.size(); ++i)
        modes[m] += nodes->modes(m, i) * (positions[i] - origin);
  }

  template <int dim>
  ElementMap<dim>::ElementMap(const std::shared_ptr<const MapNodes<dim>> &nodes,
                              const Mapping<dim>                         &mapping,
                              const Cell                                 &cell,
                              const VertexPermutation<dim>               &vertices)
    : ElementMap(nodes,
                 node_positions<dim>(*nodes, mapping, cell, vertices),
                 permutation_sign<dim>(vertices))
  {}

  template <int dim>
  Point<dim>
  ElementMap<dim>::position(const Point<dim> &unit_point) const
  {
    return positions(table(unit_point))[0];
  }

  template <int dim>
  Tensor<2, dim>
  ElementMap<dim>::jacobian(const Point<dim> &unit_point) const
  {
    return jacobians(table(unit_point))[0];
  }

  template <int dim>
  double
  ElementMap<dim>::determinant(const Point<dim> &unit_point) const
  {
    return determinants(table(unit_point))[0];
  }

  template <int dim>
  std::vector<Point<dim>>
  ElementMap<dim>::positions(const ModeTable<dim> &at) const
  {
    std::vector<Point<dim>> result = offsets(at);
    for (Point<dim> &position : result)
      position += origin;
    return result;
  }

  template <int dim>
  std::vector<Point<dim>>
  ElementMap<dim>::offsets(const ModeTable<dim> &at) const
  {
    std::vector<Point<dim>> result(at.n_points());
    for (unsigned int q = 0; q < result.size(); ++q)
      for (unsigned int m = 0; m < modes.size(); ++m)
        result[q] += at.values(q, m) * modes[m];
    return result;
  }

  template <int dim>
  std::vector<Tensor<2, dim>>
  ElementMap<dim>::jacobians(const ModeTable<dim> &at) const
  {
    std::vector<Tensor<2, dim>> result(at.n_points());
    for (unsigned int q = 0; q < result.size(); ++q)
      for (unsigned int m = 0; m < modes.size(); ++m)
        for (unsigned int d = 0; d < dim; ++d)
          result[q][d] += modes[m][d] * at.gradients(q, m);
    return result;
  }

  template <int dim>
  std::vector<double>
  ElementMap<dim>::determinants(const ModeTable<dim> &at) const
  {
    std::vector<double> result;
    for (const Tensor<2, dim> &jacobian : jacobians(at))
      result.push_back(sign * dealii::determinant(jacobian));
    return result;
  }

  template <int dim>
  DeterminantRange
  ElementMap<dim>::determinant_range(const ModeTable<dim> &at) const
  {
    const std::vector<double> values = determinants(at);
    const auto                range  = std::minmax_element(values.begin(), values.end());
    return {*range.first, *range.second};
  }

  template class ElementMap<2>;
  template class ElementMap<3>;
} // namespace Saltus
