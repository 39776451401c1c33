// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/fe/basis.h>
#include <saltus/mesh/curve/map_nodes.h>

#include <algorithm>
#include <numeric>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    using Indices     = std::vector<unsigned int>;
    using Coordinates = std::vector<double>;

    /// Those of @p n intervals.
    std::vector<double>
    nodes_on_edge(const unsigned int n)
    {
      if (n == 0)
        return {0.5};
      const QGaussLobatto<1> rule(n + 1);
      std::vector<double>    nodes;
      for (const Point<1> &point : rule.get_points())
        nodes.push_back(point[0]);
      return nodes;
    }

    /// The node with the indices @p indices.
    /// @param on_edge `[n]`: see nodes_on_edge()
    Coordinates
    node(const std::vector<std::vector<double>> &on_edge, const Indices &indices)
    {
      if (indices.size() == 1)
        return {1.};
      const unsigned int n = std::accumulate(indices.begin(), indices.end(), 0U);
      Coordinates        result(indices.size());
      double             sum = 0.;
      for (unsigned int i = 0; i < indices.size(); ++i)
        {
          Indices others = indices;
          others.erase(others.begin() + i);
          Coordinates on_face = node(on_edge, others);
          on_face.insert(on_face.begin() + i, 0.);
          const double weight = on_edge[n][n - indices[i]];
          for (unsigned int j = 0; j < indices.size(); ++j)
            result[j] += weight * on_face[j];
          sum += weight;
        }
      for (double &coordinate : result)
        coordinate /= sum;
      return result;
    }

    /// Append all continuations of @p begun by @p n_missing indices that sum to @p remaining.
    void
    append_indices(std::vector<Indices> &list,
                   const Indices        &begun,
                   const unsigned int    n_missing,
                   const unsigned int    remaining)
    {
      Indices next = begun;
      next.push_back(remaining);
      if (n_missing == 1)
        list.push_back(next);
      else
        for (next.back() = 0; next.back() <= remaining; ++next.back())
          append_indices(list, next, n_missing - 1, remaining - next.back());
    }
  } // namespace

  template <int dim>
  std::vector<Point<dim>>
  map_nodes(const unsigned int degree, const ReferenceCell &cell)
  {
    AssertThrow(degree >= 1, ExcMessage("Maps of elements have a degree of at least 1."));
    if (cell.is_hyper_cube())
      return QGaussLobatto<dim>(degree + 1).get_points();
    std::vector<std::vector<double>> on_edge;
    for (unsigned int n = 0; n <= degree; ++n)
      on_edge.push_back(nodes_on_edge(n));
    std::vector<Indices> all_indices;
    append_indices(all_indices, {}, dim + 1, degree);

    std::vector<Point<dim>> result;
    for (const Indices &indices : all_indices)
      {
        const Coordinates coordinates = node(on_edge, indices);
        result.emplace_back();
        std::copy(coordinates.begin() + 1, coordinates.end(), result.back().begin_raw());
      }
    return result;
  }

  template <int dim>
  ModeTable<dim>::ModeTable(const unsigned int             degree,
                            const std::vector<Point<dim>> &points,
                            const ReferenceCell           &cell)
  {
    const auto                  basis       = polynomials_of<dim>(cell, degree);
    const auto                 &polynomials = *basis;
    std::vector<double>         values_there(polynomials.n());
    std::vector<Tensor<1, dim>> gradients_there(polynomials.n());
    std::vector<Tensor<2, dim>> no_2nd;
    std::vector<Tensor<3, dim>> no_3rd;
    std::vector<Tensor<4, dim>> no_4th;
    values.reinit(points.size(), polynomials.n());
    gradients.reinit(points.size(), polynomials.n());
    for (unsigned int q = 0; q < points.size(); ++q)
      {
        polynomials.evaluate(points[q], values_there, gradients_there, no_2nd, no_3rd, no_4th);
        for (unsigned int m = 0; m < polynomials.n(); ++m)
          {
            values(q, m)    = values_there[m];
            gradients(q, m) = gradients_there[m];
          }
      }
  }

  template <int dim>
  MapNodes<dim>::MapNodes(const unsigned int degree, const ReferenceCell &cell)
    : degree(degree)
    , cell(cell)
    , points(map_nodes<dim>(degree, cell))
    , at_points(degree, points, cell)
    , modes(points.size(), points.size())
  {
    modes.invert(at_points.values);
  }

#define SALTUS_MAP_NODES(dim)                                                                 \
  template std::vector<Point<dim>> map_nodes<dim>(const unsigned int, const ReferenceCell &); \
  template class ModeTable<dim>;                                                              \
  template class MapNodes<dim>;
  SALTUS_MAP_NODES(2)
  SALTUS_MAP_NODES(3)
#undef SALTUS_MAP_NODES
} // namespace Saltus
