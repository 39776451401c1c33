// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/gmsh_nodes.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace Saltus
{
  namespace
  {
    /// The edges and faces of a tetrahedron, by their vertices, in the order of their nodes.
    struct NodeOrder
    {
      std::array<std::array<int, 2>, 6> edges;
      std::array<std::array<int, 3>, 4> faces;
    };

    constexpr NodeOrder of_gmsh = {{{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}},
                                   {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}}}};
    constexpr NodeOrder of_vtk  = {{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
                                   {{{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}}}};

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
    append(std::vector<Node<dim>>       &nodes,
           const std::vector<Node<dim>> &corners,
           const int                     degree,
           const NodeOrder              &order);

    /// Append the nodes inside of the edge, triangle or tetrahedron with the @p corners.
    template <int dim>
    void
    append_inside(std::vector<Node<dim>>       &nodes,
                  const std::vector<Node<dim>> &corners,
                  const int                     degree,
                  const NodeOrder              &order)
    {
      const int n_corners = corners.size();
      if (degree < n_corners)
        return;
      std::vector<Node<dim>> inner = corners; // a step from each corner towards each other one
      for (int c = 0; c < n_corners; ++c)
        for (const Node<dim> &other : corners)
          for (int k = 0; k <= dim; ++k)
            inner[c][k] += (other[k] - corners[c][k]) / degree;
      append<dim>(nodes, inner, degree - n_corners, order);
    }

    /// Append the nodes of the edge, triangle or tetrahedron with the @p corners.
    template <int dim>
    void
    append(std::vector<Node<dim>>       &nodes,
           const std::vector<Node<dim>> &corners,
           const int                     degree,
           const NodeOrder              &order)
    {
      if (degree == 0)
        {
          nodes.push_back(corners[0]);
          return;
        }
      const unsigned int n_edges = corners.size() * (corners.size() - 1) / 2;

      nodes.insert(nodes.end(), corners.begin(), corners.end());
      for (unsigned int e = 0; e < n_edges; ++e) // the first ones are those of triangle and edge
        for (int n = 1; n < degree; ++n)
          nodes.push_back(
            on_edge<dim>(corners[order.edges[e][0]], corners[order.edges[e][1]], n, degree));
      if (corners.size() == 4)
        for (const auto &[a, b, c] : order.faces)
          append_inside<dim>(nodes, {corners[a], corners[b], corners[c]}, degree, order);
      if (corners.size() > 2)
        append_inside<dim>(nodes, corners, degree, order);
    }

    template <int dim>
    std::vector<Node<dim>>
    barycentric_nodes(const int degree, const NodeOrder &order)
    {
      std::vector<Node<dim>> corners(dim + 1, Node<dim>{}), result;
      for (int c = 0; c <= dim; ++c)
        corners[c][c] = degree;
      append<dim>(result, corners, degree, order);
      return result;
    }

    template <int dim>
    std::vector<dealii::Point<dim>>
    unit_points(const unsigned int degree, const NodeOrder &order)
    {
      std::vector<dealii::Point<dim>> result;
      for (const Node<dim> &node : barycentric_nodes<dim>(degree, order))
        {
          dealii::Point<dim> point;
          for (int d = 0; d < dim; ++d)
            point[d] = static_cast<double>(node[d + 1]) / degree;
          result.push_back(point);
        }
      return result;
    }
  } // namespace


  template <int dim>
  std::vector<dealii::Point<dim>>
  gmsh_nodes(const unsigned int degree)
  {
    return unit_points<dim>(degree, of_gmsh);
  }


  template <int dim>
  std::vector<dealii::Point<dim>>
  vtk_nodes(const unsigned int degree)
  {
    return unit_points<dim>(degree, of_vtk);
  }


  template <int dim>
  std::vector<unsigned int>
  renumbered_gmsh_nodes(const unsigned int                       degree,
                        const std::array<unsigned int, dim + 1> &vertices)
  {
    const std::vector<Node<dim>>      nodes = barycentric_nodes<dim>(degree, of_gmsh);
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
    CurvedNodes<dim>                                                       result;
    result.degree = nodes.degree;
    result.positions.reinit(tria.n_active_cells(), nodes.positions.size(1));
    for (const auto &cell : tria.active_cell_iterators())
      {
        if (!cell->is_locally_owned())
          continue;
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
          result.positions[cell->active_cell_index()][n] =
            nodes.positions[found->second][renumbered[n]];
      }
    return result;
  }


  template std::vector<dealii::Point<1>>
  gmsh_nodes<1>(const unsigned int);
  template std::vector<dealii::Point<2>>
  gmsh_nodes<2>(const unsigned int);
  template std::vector<dealii::Point<3>>
  gmsh_nodes<3>(const unsigned int);
  template std::vector<dealii::Point<1>>
  vtk_nodes<1>(const unsigned int);
  template std::vector<dealii::Point<2>>
  vtk_nodes<2>(const unsigned int);
  template std::vector<dealii::Point<3>>
  vtk_nodes<3>(const unsigned int);
  template std::vector<unsigned int>
  renumbered_gmsh_nodes<2>(const unsigned int, const std::array<unsigned int, 3> &);
  template std::vector<unsigned int>
  renumbered_gmsh_nodes<3>(const unsigned int, const std::array<unsigned int, 4> &);
  template CurvedNodes<2>
  in_order_of(const dealii::Triangulation<2> &, const CurvedNodes<2> &);
  template CurvedNodes<3>
  in_order_of(const dealii::Triangulation<3> &, const CurvedNodes<3> &);
} // namespace Saltus
