// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/io/files/subdivision.h>
#include <saltus/mesh/curve/gmsh_nodes.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace Saltus
{
  namespace
  {
    template <int dim>
    using Lattice = std::array<int, dim>;

    /// Whether \f$ k \ge x_0 \ge x_1 \ge \dots \ge 0 \f$.
    template <int dim>
    bool
    in_ordered_simplex(const Lattice<dim> &x, const int k)
    {
      return x[0] <= k && x[dim - 1] >= 0 && std::is_sorted(x.rbegin(), x.rend());
    }


    /// Barycentric coordinates of x in the ordered simplex are \f$ k-x_0, x_0-x_1, \dots \f$.
    template <int dim>
    dealii::Point<dim>
    unit_point(const Lattice<dim> &x, const int k)
    {
      dealii::Point<dim> p;
      for (int d = 0; d < dim; ++d)
        p[d] = (x[d] - (d + 1 < dim ? x[d + 1] : 0)) / static_cast<double>(k);
      return p;
    }


    template <int dim>
    bool
    positively_oriented(const std::vector<dealii::Point<dim>>   &points,
                        const std::array<unsigned int, dim + 1> &simplex)
    {
      dealii::Tensor<2, dim> edges;
      for (int d = 0; d < dim; ++d)
        edges[d] = points[simplex[d + 1]] - points[simplex[0]];
      return determinant(edges) > 0.;
    }
  } // namespace


  template <int dim>
  Subdivision<dim>
  subdivide_simplex(const unsigned int k)
  {
    AssertThrow(k >= 1, dealii::ExcMessage("A simplex is cut into at least one piece an edge."));
    const int        n = static_cast<int>(k);
    Subdivision<dim> result;

    // All lattice points of the cube that lie in the ordered simplex.
    std::map<Lattice<dim>, unsigned int> index;
    const auto                           n_cube = static_cast<unsigned int>(std::pow(n + 1, dim));
    for (unsigned int i = 0; i < n_cube; ++i)
      {
        Lattice<dim> x;
        for (unsigned int d = 0, rest = i; d < dim; ++d, rest /= n + 1)
          x[d] = static_cast<int>(rest % (n + 1));
        if (in_ordered_simplex<dim>(x, n))
          {
            index.emplace(x, result.points.size());
            result.points.push_back(unit_point<dim>(x, n));
          }
      }

    // Each small cube is cut into dim! simplices: paths from its lowest to its highest corner that
    // go one direction after the other. Such a simplex lies either inside or outside the ordered
    // one.
    for (const auto &[corner, corner_index] : index)
      {
        std::array<int, dim> directions;
        std::iota(directions.begin(), directions.end(), 0);
        do
          {
            std::array<unsigned int, dim + 1> simplex = {{corner_index}};
            Lattice<dim>                      x       = corner;
            bool                              inside  = true;
            for (int step = 0; step < dim && inside; ++step)
              {
                ++x[directions[step]];
                const auto vertex = index.find(x);
                inside            = vertex != index.end();
                if (inside)
                  simplex[step + 1] = vertex->second;
              }
            if (!inside)
              continue;
            if (!positively_oriented<dim>(result.points, simplex))
              std::swap(simplex[dim - 1], simplex[dim]);
            result.simplices.push_back(simplex);
          }
        while (std::next_permutation(directions.begin(), directions.end()));
      }
    return result;
  }


  template <int dim>
  ShownSimplex<dim>
  linear_cells(const unsigned int k)
  {
    constexpr std::uint8_t vtk_types[] = {0, 3, 5, 10}; // line, triangle, tetrahedron
    const Subdivision<dim> subdivision = subdivide_simplex<dim>(k);
    ShownSimplex<dim>      result      = {subdivision.points, dim + 1, {}, vtk_types[dim]};
    for (const auto &simplex : subdivision.simplices)
      result.vertices.insert(result.vertices.end(), simplex.begin(), simplex.end());
    return result;
  }


  template <int dim>
  ShownSimplex<dim>
  cells_of_hypercube(const unsigned int k)
  {
    constexpr std::uint8_t vtk_types[] = {0, 3, 9, 12}; // line, quadrilateral, hexahedron
    // The vertices of a cell in VTK's order, by bits for the directions.
    constexpr unsigned int vertices[] = {0, 1, 3, 2, 4, 5, 7, 6};
    ShownSimplex<dim>      result     = {{}, 1U << dim, {}, vtk_types[dim]};
    // Of the lattice point with these indices in base n.
    const auto coordinate = [](const unsigned int i, const unsigned int d, const unsigned int n) {
      return i / static_cast<unsigned int>(std::pow(n, d)) % n;
    };
    const auto n_points = static_cast<unsigned int>(std::pow(k + 1, dim));
    for (unsigned int i = 0; i < n_points; ++i)
      {
        result.points.emplace_back();
        for (unsigned int d = 0; d < dim; ++d)
          result.points.back()[d] = coordinate(i, d, k + 1) / static_cast<double>(k);
      }
    const auto n_cells = static_cast<unsigned int>(std::pow(k, dim));
    for (unsigned int cell = 0; cell < n_cells; ++cell)
      for (unsigned int v = 0; v < result.n_vertices; ++v)
        {
          unsigned int point = 0;
          for (unsigned int d = dim; d-- > 0;)
            point = point * (k + 1) + coordinate(cell, d, k) + (vertices[v] >> d & 1);
          result.vertices.push_back(point);
        }
    return result;
  }


  template <int dim>
  ShownSimplex<dim>
  lagrange_cell(const unsigned int k)
  {
    constexpr std::uint8_t vtk_types[] = {0, 68, 69, 71}; // VTK_LAGRANGE_CURVE and so on
    ShownSimplex<dim>      result      = {vtk_nodes<dim>(k), 0, {}, vtk_types[dim]};
    result.n_vertices                  = result.points.size();
    result.vertices.resize(result.n_vertices);
    std::iota(result.vertices.begin(), result.vertices.end(), 0U);
    return result;
  }


#define SALTUS_SUBDIVISION(dim)                                           \
  template ShownSimplex<dim> cells_of_hypercube<dim>(const unsigned int); \
  template Subdivision<dim>  subdivide_simplex<dim>(const unsigned int);  \
  template ShownSimplex<dim> linear_cells<dim>(const unsigned int);       \
  template ShownSimplex<dim> lagrange_cell<dim>(const unsigned int);
  SALTUS_SUBDIVISION(1)
  SALTUS_SUBDIVISION(2)
  SALTUS_SUBDIVISION(3)
#undef SALTUS_SUBDIVISION
} // namespace Saltus
