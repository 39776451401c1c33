// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/polytopic/facet_penalty.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  template <int dim>
  FacetPenalty<dim>::FacetPenalty(const PolytopicSpace<dim> &space,
                                  const std::vector<double> &areas,
                                  const PolytopicPenalty     kind,
                                  const double               factor)
    : space(space)
    , kind(kind)
    , factor(factor)
    , perimeters(space.mesh().n_elements(), 0.)
  {
    auto area = areas.begin();
    for (unsigned int e = 0; e < perimeters.size(); ++e)
      for (std::size_t f = 0; f < space.mesh().facets(e).size(); ++f)
        perimeters[e] += *area++;
  }


  template <int dim>
  double
  FacetPenalty<dim>::operator()(const unsigned int element,
                                const unsigned int cell,
                                const double       area) const
  {
    const PolytopicMesh<dim> &mesh   = space.mesh();
    const double              p      = space.degree(element);
    const double              volume = mesh.volume(element);
    const double              simplex =
      mesh.cell_volume(cell) / (mesh.cell(cell)->reference_cell().is_simplex() ? 1 : dim);
    double inverse_length = area / simplex;
    if (kind == PolytopicPenalty::perimeter)
      inverse_length = std::min(inverse_length, perimeters[element] / volume);
    else if (kind == PolytopicPenalty::covering)
      inverse_length = std::min(inverse_length, std::pow(p, 2 * (dim - 1)) * area / volume);
    return factor * p * p * inverse_length;
  }


  template class FacetPenalty<2>;
  template class FacetPenalty<3>;
} // namespace Saltus
