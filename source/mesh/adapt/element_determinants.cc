// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/threads.h>
#include <saltus/mesh/adapt/element_determinants.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  ElementDeterminants<dim>::ElementDeterminants(const ElementMesh<dim> &mesh)
    : means(mesh.geometry.volume_factors.begin(),
            mesh.geometry.volume_factors.begin() + mesh.n_elements())
    , has_curved_elements(mesh.geometry.has_curved_elements)
    , cell(mesh.geometry.cell)
    , map_degree(mesh.geometry.map_degree)
  {
    for (unsigned int e = 0; e < mesh.n_elements() && has_curved_elements; ++e)
      if (const ElementMap<dim> *map = mesh.geometry.curved_map(e))
        {
          curved.push_back(e);
          maps.push_back(*map);
        }
  }

  template <int dim>
  std::vector<double>
  ElementDeterminants<dim>::at_points(const std::vector<Point<dim>> &points) const
  {
    std::vector<double> result;
    result.reserve(means.size() * points.size());
    for (const double mean : means)
      result.insert(result.end(), points.size(), mean);
    if (curved.empty())
      return result;
    const ModeTable<dim> modes(map_degree, points, cell);
    parallel_for(curved.size(), [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        {
          const std::vector<double> determinants = maps[i].determinants(modes);
          std::copy(determinants.begin(),
                    determinants.end(),
                    result.begin() + curved[i] * points.size());
        }
    });
    return result;
  }

  template class ElementDeterminants<2>;
  template class ElementDeterminants<3>;
} // namespace Saltus
