// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/continuous_nodes.h>
#include <saltus/mesh/make/write_gmsh.h>

#include <algorithm>
#include <array>
#include <iomanip>
#include <limits>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Gmsh's numbers of elements of all orders.
    constexpr std::array<std::array<unsigned int, max_gmsh_order>, 3> types = {
      {{{1, 8, 26, 27, 28}}, {{2, 9, 21, 23, 25}}, {{4, 11, 29, 30, 31}}}};

    /// The nodes of a cell that are those of one of its faces, in the face's order.
    /// @param vertices of the face, as numbers in the cell
    template <int dim>
    std::vector<unsigned int>
    nodes_of_face(const ContinuousNodes<dim>      &numbers,
                  const unsigned int               degree,
                  const std::vector<unsigned int> &vertices)
    {
      std::vector<unsigned int> result;
      for (const Point<dim - 1> &point : gmsh_nodes<dim - 1>(degree))
        {
          std::array<unsigned int, dim + 1> weights{};
          weights[vertices[0]] = degree;
          for (unsigned int d = 0; d < dim - 1; ++d)
            {
              const unsigned int weight = std::lround(degree * point[d]);
              weights[vertices[d + 1]]  = weight;
              weights[vertices[0]] -= weight;
            }
          const auto &all = numbers.weights();
          result.push_back(std::find(all.begin(), all.end(), weights) - all.begin());
        }
      return result;
    }
  } // namespace

  template <int dim>
  void
  write_gmsh(std::ostream &out, const Triangulation<dim> &tria, const CurvedNodes<dim> &nodes)
  {
    AssertThrow(nodes.degree <= max_gmsh_order,
                ExcMessage("Gmsh files have elements of order 1 to " +
                           std::to_string(max_gmsh_order) + ", not " +
                           std::to_string(nodes.degree) + "."));
    const ContinuousNodes<dim> numbers(tria, nodes.degree);
    const unsigned int         n_nodes = numbers.weights().size();
    std::vector<Point<dim>>    places(numbers.size());
    std::vector<std::string>   elements;
    const auto                 add = [&](const unsigned int               dimension,
                         const unsigned int               id,
                         const auto                      &cell,
                         const std::vector<unsigned int> &of_cell) {
      std::string line = std::to_string(types[dimension - 1][nodes.degree - 1]) + " 2 " +
                         std::to_string(id) + " " + std::to_string(id);
      for (const unsigned int n : of_cell)
        line += " " + std::to_string(numbers(cell, n) + 1);
      elements.push_back(line);
    };
    std::vector<unsigned int> all(n_nodes);
    for (unsigned int n = 0; n < n_nodes; ++n)
      all[n] = n;
    for (const auto &cell : tria.active_cell_iterators())
      {
        for (unsigned int n = 0; n < n_nodes; ++n)
          places[numbers(cell, n)] = nodes.positions[cell->active_cell_index()][n];
        for (const unsigned int f : cell->face_indices())
          if (const auto face = cell->face(f); face->at_boundary() && face->boundary_id() > 0)
            {
              std::vector<unsigned int> vertices;
              for (const unsigned int v : face->vertex_indices())
                for (unsigned int w = 0; w <= dim; ++w)
                  if (cell->vertex_index(w) == face->vertex_index(v))
                    vertices.push_back(w);
              add(dim - 1,
                  face->boundary_id(),
                  cell,
                  nodes_of_face(numbers, nodes.degree, vertices));
            }
        add(dim, cell->material_id(), cell, all);
      }

    out << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"
        << places.size() << '\n'
        << std::setprecision(std::numeric_limits<double>::max_digits10);
    for (unsigned int i = 0; i < places.size(); ++i)
      {
        out << i + 1;
        for (unsigned int d = 0; d < 3; ++d)
          out << ' ' << (d < dim ? places[i][d < dim ? d : 0] : 0.);
        out << '\n';
      }
    out << "$EndNodes\n$Elements\n" << elements.size() << '\n';
    for (unsigned int i = 0; i < elements.size(); ++i)
      out << i + 1 << ' ' << elements[i] << '\n';
    out << "$EndElements\n";
  }

  template void
  write_gmsh(std::ostream &, const Triangulation<2> &, const CurvedNodes<2> &);
  template void
  write_gmsh(std::ostream &, const Triangulation<3> &, const CurvedNodes<3> &);
} // namespace Saltus
