// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/gmsh_nodes.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace Saltus
{
  namespace
  {
    /// Barycentric coordinates of a node, in multiples of 1/degree.
    template <int dim>
    using Node = std::array<int, dim + 1>;

    /// The node @p n steps from @p from to @p to, which are @p n_steps apart.
    template <int dim>
    Node<dim>
    on_edge(const Node<dim> &from, const Node<dim> &to, const int n, const int n_steps)
    {
      Node<dim> result;
      for (int k = 0; k <= dim; ++k)
        result[k] = from[k] + n * (to[k] - from[k]) / n_steps;
      return result;
    }

    template <int dim>
    void
    append(std::vector<Node<dim>> &nodes, const std::vector<Node<dim>> &corners, const int degree);

    /// Append the nodes inside of the triangle or tetrahedron with the @p corners.
    template <int dim>
    void
    append_inside(std::vector<Node<dim>>       &nodes,
                  const std::vector<Node<dim>> &corners,
                  const int                     degree)
    {
      const int n_corners = corners.size();
      if (degree < n_corners)
        return;
      std::vector<Node<dim>> inner = corners; // a step from each corner towards each other one
      for (int c = 0; c < n_corners; ++c)
        for (const Node<dim> &other : corners)
          for (int k = 0; k <= dim; ++k)
            inner[c][k] += (other[k] - corners[c][k]) / degree;
      append<dim>(nodes, inner, degree - n_corners);
    }

    /// Append the nodes of the triangle or tetrahedron with the @p corners.
    template <int dim>
    void
    append(std::vector<Node<dim>> &nodes, const std::vector<Node<dim>> &corners, const int degree)
    {
      if (degree == 0)
        {
          nodes.push_back(corners[0]);
          return;
        }
      using Edge                                    = std::array<int, 2>;
      static const std::vector<Edge> of_triangle    = {{0, 1}, {1, 2}, {2, 0}};
      static const std::vector<Edge> of_tetrahedron = {
        {0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}};
      const bool is_triangle = corners.size() == 3;

      nodes.insert(nodes.end(), corners.begin(), corners.end());
      for (const auto &[from, to] : is_triangle ? of_triangle : of_tetrahedron)
        for (int n = 1; n < degree; ++n)
          nodes.push_back(on_edge<dim>(corners[from], corners[to], n, degree));
      if (!is_triangle)
        for (const auto &[a, b, c] : {std::array{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}})
          append_inside<dim>(nodes, {corners[a], corners[b], corners[c]}, degree);
      append_inside<dim>(nodes, corners, degree);
    }

    template <int dim>
    std::vector<Node<dim>>
    barycentric_nodes(const int degree)
    {
      std::vector<Node<dim>> corners(dim + 1, Node<dim>{}), result;
      for (int c = 0; c <= dim; ++c)
        corners[c][c] = degree;
      append<dim>(result, corners, degree);
      return result;
    }
  } // namespace


  template <int dim>
  std::vector<dealii::Point<dim>>
  gmsh_nodes(const unsigned int degree)
  {
    std::vector<dealii::Point<dim>> result;
    for (const Node<dim> &node : barycentric_nodes<dim>(degree))
      {
        dealii::Point<dim> point;
        for (int d = 0; d < dim; ++d)
          point[d] = static_cast<double>(node[d + 1]) / degree;
        result.push_back(point);
      }
    return result;
  }


  template <int dim>
  std::vector<unsigned int>
  renumbered_gmsh_nodes(const unsigned int                       degree,
                        const std::array<unsigned int, dim + 1> &vertices)
  {
    const std::vector<Node<dim>>      nodes = barycentric_nodes<dim>(degree);
    std::map<Node<dim>, unsigned int> numbers;
    for (unsigned int n = 0; n < nodes.size(); ++n)
      numbers[nodes[n]] = n;

    std::vector<unsigned int> result;
    for (const Node<dim> &node : nodes)
      {
        Node<dim> other;
        for (int v = 0; v <= dim; ++v)
          other[vertices[v]] = node[v];
        result.push_back(numbers.at(other));
      }
    return result;
  }


  template <int dim>
  CurvedNodes<dim>
  in_order_of(const dealii::Triangulation<dim> &tria, const CurvedNodes<dim> &nodes)
  {
    using Position    = std::array<double, dim>;
    using Vertices    = std::array<Position, dim + 1>;
    const auto sorted = [](Vertices vertices) {
      std::sort(vertices.begin(), vertices.end());
      return vertices;
    };
    const auto position = [](const dealii::Point<dim> &point) {
      Position result;
      std::copy_n(point.begin_raw(), dim, result.begin());
      return result;
    };
    const auto vertices_of = [&](const unsigned int row) {
      Vertices result;
      for (unsigned int v = 0; v <= dim; ++v)
        result[v] = position(nodes.positions[row][v]);
      return result;
    };
    std::map<Vertices, unsigned int> rows;
    for (unsigned int row = 0; row < nodes.positions.size(0); ++row)
      rows[sorted(vertices_of(row))] = row;

    std::map<std::array<unsigned int, dim + 1>, std::vector<unsigned int>> renumberings;
    CurvedNodes<dim>                                                       result = nodes;
    for (const auto &cell : tria.cell_iterators_on_level(0))
      {
        Vertices vertices;
        for (unsigned int v = 0; v <= dim; ++v)
          vertices[v] = position(cell->vertex(v));
        const auto found = rows.find(sorted(vertices));
        if (found == rows.end())
          throw std::runtime_error("The nodes of curved cells belong to another mesh.");

        const Vertices                    given = vertices_of(found->second);
        std::array<unsigned int, dim + 1> permutation;
        for (unsigned int v = 0; v <= dim; ++v)
          permutation[v] = std::find(given.begin(), given.end(), vertices[v]) - given.begin();
        std::vector<unsigned int> &renumbered = renumberings[permutation];
        if (renumbered.empty())
          renumbered = renumbered_gmsh_nodes<dim>(nodes.degree, permutation);
        for (unsigned int n = 0; n < renumbered.size(); ++n)
          result.positions[cell->id().get_coarse_cell_id()][n] =
            nodes.positions[found->second][renumbered[n]];
      }
    return result;
  }


  template std::vector<dealii::Point<2>>
  gmsh_nodes<2>(const unsigned int);
  template std::vector<dealii::Point<3>>
  gmsh_nodes<3>(const unsigned int);
  template std::vector<unsigned int>
  renumbered_gmsh_nodes<2>(const unsigned int, const std::array<unsigned int, 3> &);
  template std::vector<unsigned int>
  renumbered_gmsh_nodes<3>(const unsigned int, const std::array<unsigned int, 4> &);
  template CurvedNodes<2>
  in_order_of(const dealii::Triangulation<2> &, const CurvedNodes<2> &);
  template CurvedNodes<3>
  in_order_of(const dealii::Triangulation<3> &, const CurvedNodes<3> &);
} // namespace Saltus
