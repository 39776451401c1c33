// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/curve/continuous_nodes.h>

#include <algorithm>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The vertex, edge, face or interior of a simplex that a node lies in.
    template <int dim>
    struct Part
    {
      /// @param cell any one: edges and faces have the same numbers in all
      template <typename Cell>
      Part(const Cell &cell, const std::array<unsigned int, dim + 1> &weights)
      {
        for (unsigned int v = 0; v <= dim; ++v)
          if (weights[v] > 0)
            vertices.push_back(v);
        const auto has_them = [&](const auto &object) {
          const auto corners = object->vertex_indices();
          return std::all_of(vertices.begin(), vertices.end(), [&](const unsigned int v) {
            return std::any_of(corners.begin(), corners.end(), [&](const unsigned int w) {
              return object->vertex_index(w) == cell->vertex_index(v);
            });
          });
        };
        if (vertices.size() == 2)
          for (const unsigned int l : cell->line_indices())
            if (has_them(cell->line(l)))
              number = l;
        if (dim == 3 && vertices.size() == 3)
          for (const unsigned int f : cell->face_indices())
            if (has_them(cell->face(f)))
              number = f;
      }

      std::vector<unsigned int> vertices;   ///< numbers in the cell
      unsigned int              number = 0; ///< of the edge or face in the cell
    };
  } // namespace

  template <int dim>
  ContinuousNodes<dim>::ContinuousNodes(const Triangulation<dim> &tria, const unsigned int degree)
  {
    std::vector<Part<dim>> parts;
    for (const Point<dim> &node : gmsh_nodes<dim>(degree))
      {
        weights_.emplace_back();
        weights_.back()[0] = degree;
        for (unsigned int d = 0; d < dim; ++d)
          {
            weights_.back()[d + 1] = std::lround(degree * node[d]);
            weights_.back()[0] -= weights_.back()[d + 1];
          }
        parts.emplace_back(tria.begin_active(), weights_.back());
      }

    // On an edge or face, the weights at its first vertices in the mesh's order give the position.
    Table<2, unsigned int> positions(degree, degree);
    unsigned int           n_on_face = 0;
    for (unsigned int first = 1; first < degree; ++first)
      for (unsigned int second = 1; first + second < degree; ++second)
        positions(first, second) = n_on_face++;
    constexpr unsigned int    unknown = dealii::numbers::invalid_unsigned_int;
    std::vector<unsigned int> on_vertices(tria.n_vertices(), unknown);
    std::vector<unsigned int> on_lines(tria.n_raw_lines() * (degree - 1), unknown);
    std::vector<unsigned int> on_faces(dim == 3 ? tria.n_raw_quads() * n_on_face : 0, unknown);

    for (const auto &cell : tria.active_cell_iterators())
      {
        std::vector<unsigned int> of_cell;
        for (unsigned int n = 0; n < parts.size(); ++n)
          {
            std::vector<unsigned int> &vertices = parts[n].vertices;
            std::sort(vertices.begin(), vertices.end(), [&](const auto v, const auto w) {
              return cell->vertex_index(v) < cell->vertex_index(w);
            });
            const unsigned int first  = weights_[n][vertices[0]];
            unsigned int       inside = unknown, *number = &inside;
            if (vertices.size() == 1)
              number = &on_vertices[cell->vertex_index(vertices[0])];
            else if (vertices.size() == 2)
              number = &on_lines[cell->line(parts[n].number)->index() * (degree - 1) + first - 1];
            else if (vertices.size() == dim)
              number = &on_faces[cell->face(parts[n].number)->index() * n_on_face +
                                 positions(first, weights_[n][vertices[1]])];
            if (*number == unknown)
              *number = n_nodes++;
            of_cell.push_back(*number);
          }
        numbers.push_back(std::move(of_cell));
      }
  }

  template class ContinuousNodes<2>;
  template class ContinuousNodes<3>;
} // namespace Saltus
