// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/continuous_nodes.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  ContinuousNodes<dim>::ContinuousNodes(const Triangulation<dim> &tria, const unsigned int degree)
  {
    for (const Point<dim> &node : gmsh_nodes<dim>(degree))
      {
        weights_.emplace_back();
        weights_.back()[0] = degree;
        for (unsigned int d = 0; d < dim; ++d)
          {
            weights_.back()[d + 1] = std::lround(degree * node[d]);
            weights_.back()[0] -= weights_.back()[d + 1];
          }
      }
    // Vertices that count, and how much they do, say which node it is.
    std::map<std::vector<std::pair<unsigned int, unsigned int>>, unsigned int> known;
    for (const auto &cell : tria.active_cell_iterators())
      {
        numbers.emplace_back();
        for (const auto &weights : weights_)
          {
            std::vector<std::pair<unsigned int, unsigned int>> key;
            for (unsigned int v = 0; v <= dim; ++v)
              if (weights[v] > 0)
                key.emplace_back(cell->vertex_index(v), weights[v]);
            std::sort(key.begin(), key.end());
            numbers.back().push_back(known.emplace(key, known.size()).first->second);
          }
      }
    n_nodes = known.size();
  }

  template class ContinuousNodes<2>;
  template class ContinuousNodes<3>;
} // namespace Saltus
