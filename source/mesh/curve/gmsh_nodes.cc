// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/gmsh_nodes.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace Saltus
{
  namespace
  {
    using dealii::ReferenceCell;

    /// The edges and the faces of a shape, by their corners, in the order of their nodes.
    struct Parts
    {
      std::vector<std::array<int, 2>> edges;
      std::vector<std::vector<int>>   faces; ///< in 3D
    };

    /// Those of edges and what has them, by the number of corners.
    struct NodeOrder
    {
      bool                 of_hypercubes;
      std::map<int, Parts> parts;
    };

    const NodeOrder of_gmsh            = {false,
                                          {{2, {{{0, 1}}, {}}},
                                           {3, {{{0, 1}, {1, 2}, {2, 0}}, {}}},
                                           {4,
                                            {{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}},
                                             {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}}}}}};
    const NodeOrder of_vtk             = {false,
                                          {{2, {{{0, 1}}, {}}},
                                           {3, {{{0, 1}, {1, 2}, {2, 0}}, {}}},
                                           {4,
                                            {{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
                                             {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}}}}}};
    const NodeOrder hypercubes_of_gmsh = {
      true,
      {{2, {{{0, 1}}, {}}},
       {4, {{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {}}},
       {8,
        {{{0, 1},
          {0, 3},
          {0, 4},
          {1, 2},
          {1, 5},
          {2, 3},
          {2, 6},
          {3, 7},
          {4, 5},
          {4, 7},
          {5, 6},
          {6, 7}},
         {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}}}}};

    /// Coordinates of a node in multiples of 1/degree: barycentric ones in simplices.
    template <std::size_t n_coordinates>
    using Node = std::array<int, n_coordinates>;

    template <std::size_t n>
    void
    append(std::vector<Node<n>>       &nodes,
           const std::vector<Node<n>> &corners,
           const int                   degree,
           const NodeOrder            &order);

    /// Append the nodes inside of the edge, triangle, etc. with the @p corners.
    template <std::size_t n>
    void
    append_inside(std::vector<Node<n>>       &nodes,
                  const std::vector<Node<n>> &corners,
                  const int                   degree,
                  const NodeOrder            &order)
    {
      const int n_corners = corners.size();
      // How much smaller what is inside is; and how often a step along one of a corner's edges, or
      // one as long along a diagonal, is in the sum of all steps to other corners.
      const int reduction = order.of_hypercubes ? 2 : n_corners;
      const int multitude = order.of_hypercubes ? n_corners / 2 : 1;
      if (degree < reduction)
        return;
      std::vector<Node<n>> inner = corners; // a step from each corner along each of its edges
      for (int c = 0; c < n_corners; ++c)
        for (std::size_t k = 0; k < n; ++k)
          {
            int sum = 0;
            for (const Node<n> &other : corners)
              sum += other[k] - corners[c][k];
            inner[c][k] += sum / (degree * multitude);
          }
      append<n>(nodes, inner, degree - reduction, order);
    }

    /// Append the nodes of the edge, triangle, etc. with the @p corners.
    template <std::size_t n>
    void
    append(std::vector<Node<n>>       &nodes,
           const std::vector<Node<n>> &corners,
           const int                   degree,
           const NodeOrder            &order)
    {
      if (degree == 0)
        {
          nodes.push_back(corners[0]);
          return;
        }
      const Parts &parts = order.parts.at(corners.size());
      nodes.insert(nodes.end(), corners.begin(), corners.end());
      for (const auto &[from, to] : parts.edges)
        for (int i = 1; i < degree; ++i)
          {
            Node<n> node;
            for (std::size_t k = 0; k < n; ++k)
              node[k] = corners[from][k] + i * (corners[to][k] - corners[from][k]) / degree;
            nodes.push_back(node);
          }
      for (const std::vector<int> &face : parts.faces)
        {
          std::vector<Node<n>> of_face;
          for (const int c : face)
            of_face.push_back(corners[c]);
          append_inside<n>(nodes, of_face, degree, order);
        }
      if (corners.size() > 2)
        append_inside<n>(nodes, corners, degree, order);
    }

    template <int dim>
    std::vector<Node<dim + 1>>
    barycentric_nodes(const int degree, const NodeOrder &order)
    {
      std::vector<Node<dim + 1>> corners(dim + 1, Node<dim + 1>{}), result;
      for (int c = 0; c <= dim; ++c)
        corners[c][c] = degree;
      append<dim + 1>(result, corners, degree, order);
      return result;
    }

    template <int dim>
    std::vector<Node<dim>>
    hypercube_nodes(const int degree)
    {
      std::vector<Node<dim>> corners(1 << dim), result;
      for (unsigned int c = 0; c < corners.size(); ++c)
        for (int d = 0; d < dim; ++d)
          corners[c][d] = degree * (dealii_vertex(c, true) >> d & 1);
      append<dim>(result, corners, degree, hypercubes_of_gmsh);
      return result;
    }

    /// The first one of barycentric coordinates says nothing new.
    template <int dim, std::size_t n>
    std::vector<dealii::Point<dim>>
    unit_points(const unsigned int degree, const std::vector<Node<n>> &nodes)
    {
      std::vector<dealii::Point<dim>> result;
      for (const Node<n> &node : nodes)
        {
          dealii::Point<dim> point;
          for (int d = 0; d < dim; ++d)
            point[d] = static_cast<double>(node[d + n - dim]) / degree;
          result.push_back(point);
        }
      return result;
    }

    /// `[n]`: which of the @p nodes `image(node n)` is.
    template <std::size_t n, typename Image>
    std::vector<unsigned int>
    numbers_of_images(const std::vector<Node<n>> &nodes, const Image &image)
    {
      std::map<Node<n>, unsigned int> numbers;
      for (unsigned int i = 0; i < nodes.size(); ++i)
        numbers[nodes[i]] = i;
      std::vector<unsigned int> result;
      for (const Node<n> &node : nodes)
        result.push_back(numbers.at(image(node)));
      return result;
    }
  } // namespace


  template <int dim>
  std::vector<dealii::Point<dim>>
  gmsh_nodes(const unsigned int degree, const ReferenceCell &cell)
  {
    return cell.is_hyper_cube() ? unit_points<dim>(degree, hypercube_nodes<dim>(degree))
                                : unit_points<dim>(degree, barycentric_nodes<dim>(degree, of_gmsh));
  }


  template <int dim>
  std::vector<dealii::Point<dim>>
  vtk_nodes(const unsigned int degree)
  {
    return unit_points<dim>(degree, barycentric_nodes<dim>(degree, of_vtk));
  }


  template <int dim>
  std::vector<unsigned int>
  renumbered_gmsh_nodes(const unsigned int degree, const std::vector<unsigned int> &vertices)
  {
    if (vertices.size() == dim + 1)
      return numbers_of_images(barycentric_nodes<dim>(degree, of_gmsh),
                               [&](const Node<dim + 1> &node) {
                                 Node<dim + 1> image;
                                 for (int v = 0; v <= dim; ++v)
                                   image[vertices[v]] = node[v];
                                 return image;
                               });
    const std::vector<Node<dim>> nodes = hypercube_nodes<dim>(degree);
    return numbers_of_images(nodes, [&](const Node<dim> &node) {
      const Node<dim> &origin = nodes[vertices[0]];
      Node<dim>        image  = origin;
      for (int d = 0; d < dim; ++d)
        {
          const Node<dim> &end = nodes[vertices[gmsh_vertex(1U << d, true)]];
          for (int k = 0; k < dim; ++k)
            image[k] += node[d] * (end[k] - origin[k]) / static_cast<int>(degree);
        }
      return image;
    });
  }


  template <int dim>
  CurvedNodes<dim>
  in_order_of(const dealii::Triangulation<dim> &tria, const CurvedNodes<dim> &nodes)
  {
    using Position                = std::array<double, dim>;
    using Vertices                = std::vector<Position>;
    const bool         is_cube    = tria.all_reference_cells_are_hyper_cube();
    const unsigned int n_vertices = is_cube ? 1U << dim : dim + 1;
    const auto         sorted     = [](Vertices vertices) {
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
      for (unsigned int v = 0; v < n_vertices; ++v)
        result.push_back(position(nodes.positions[row][v]));
      return result;
    };
    std::map<Vertices, unsigned int> rows;
    for (unsigned int row = 0; row < nodes.positions.size(0); ++row)
      rows[sorted(vertices_of(row))] = row;

    std::map<std::vector<unsigned int>, std::vector<unsigned int>> renumberings;
    CurvedNodes<dim>                                               result;
    result.degree = nodes.degree;
    result.positions.reinit(tria.n_active_cells(), nodes.positions.size(1));
    for (const auto &cell : tria.active_cell_iterators())
      {
        if (!is_cube && !cell->reference_cell().is_simplex())
          continue; // of a mesh that mixes shapes: another mapping curves these
        Vertices vertices;
        for (unsigned int v = 0; v < n_vertices; ++v)
          vertices.push_back(position(cell->vertex(dealii_vertex(v, is_cube))));
        const auto found = rows.find(sorted(vertices));
        if (found == rows.end() && cell->is_locally_owned())
          throw std::runtime_error("The nodes of curved cells belong to another mesh.");
        if (found == rows.end())
          continue;

        const Vertices            given = vertices_of(found->second);
        std::vector<unsigned int> permutation;
        for (const Position &vertex : vertices)
          permutation.push_back(std::find(given.begin(), given.end(), vertex) - given.begin());
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
  gmsh_nodes<1>(const unsigned int, const ReferenceCell &);
  template std::vector<dealii::Point<2>>
  gmsh_nodes<2>(const unsigned int, const ReferenceCell &);
  template std::vector<dealii::Point<3>>
  gmsh_nodes<3>(const unsigned int, const ReferenceCell &);
  template std::vector<dealii::Point<1>>
  vtk_nodes<1>(const unsigned int);
  template std::vector<dealii::Point<2>>
  vtk_nodes<2>(const unsigned int);
  template std::vector<dealii::Point<3>>
  vtk_nodes<3>(const unsigned int);
  template std::vector<unsigned int>
  renumbered_gmsh_nodes<2>(const unsigned int, const std::vector<unsigned int> &);
  template std::vector<unsigned int>
  renumbered_gmsh_nodes<3>(const unsigned int, const std::vector<unsigned int> &);
  template CurvedNodes<2>
  in_order_of(const dealii::Triangulation<2> &, const CurvedNodes<2> &);
  template CurvedNodes<3>
  in_order_of(const dealii::Triangulation<3> &, const CurvedNodes<3> &);
} // namespace Saltus
