// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/grid/manifold.h>
#include <deal.II/lac/full_matrix.h>

#include <saltus/fe/basis.h>
#include <saltus/fe/simplex_modal_polynomials.h>
#include <saltus/mesh/curve/manifold_nodes.h>

#include <array>
#include <map>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    using Barycentric = std::array<double, dim + 1>;

    template <int dim>
    std::vector<Barycentric<dim>>
    barycentric(const std::vector<Point<dim>> &points)
    {
      std::vector<Barycentric<dim>> result;
      for (const Point<dim> &point : points)
        {
          result.emplace_back();
          result.back()[0] = 1.;
          for (unsigned int d = 0; d < dim; ++d)
            {
              result.back()[d + 1] = point[d];
              result.back()[0] -= point[d];
            }
        }
      return result;
    }


    /// What the nodes of cells do when those inside of one of their edges or faces are moved.
    template <int dim, int structdim>
    struct Extension
    {
      using Vertices = std::array<unsigned int, structdim + 1>; ///< numbers in the cell

      Extension(const std::vector<Barycentric<dim>> &nodes, const Vertices &vertices)
      {
        const unsigned int            n_vertices = structdim + 1;
        const double                  tolerance  = 1e-10;
        std::vector<double>           bubbles;
        std::vector<Point<structdim>> points; // of the polynomial h
        unsigned int                  degree = 0;
        for (unsigned int n = 0; n < nodes.size(); ++n)
          {
            double bubble = 1., sum = 0.;
            for (const unsigned int v : vertices)
              {
                bubble *= nodes[n][v];
                sum += nodes[n][v];
              }
            bubbles.push_back(bubble);
            points.emplace_back();
            for (unsigned int d = 0; d < structdim; ++d)
              points.back()[d] = nodes[n][vertices[d + 1]] + (1. - sum) / n_vertices;
            if (sum > 1. - tolerance && bubble > tolerance)
              inside.push_back(n);
          }
        if (inside.empty()) // of a low degree
          return;
        while (SimplexModalPolynomials<structdim>::n_polynomials(degree) < inside.size())
          ++degree;

        // from values at the nodes inside over the modes of h to all nodes
        const SimplexModalPolynomials<structdim> modes(degree);
        std::vector<Point<structdim>>            points_inside;
        for (const unsigned int n : inside)
          points_inside.push_back(points[n]);
        FullMatrix<double> to_modes(inside.size());
        to_modes.invert(values_at(modes, points_inside));
        const FullMatrix<double> at_nodes = values_at(modes, points);
        weights.reinit(nodes.size(), inside.size());
        at_nodes.mmult(weights, to_modes);
        for (unsigned int n = 0; n < nodes.size(); ++n)
          for (unsigned int i = 0; i < inside.size(); ++i)
            weights(n, i) *= bubbles[n] / bubbles[inside[i]];
      }

      std::vector<unsigned int> inside;  ///< nodes inside of the edge or face
      FullMatrix<double>        weights; ///< `(node, i)`
    };


    /// Moves the nodes of cells as the manifolds of their edges or faces say.
    template <int dim, int structdim>
    class Mover
    {
    public:
      explicit Mover(const std::vector<Barycentric<dim>> &nodes)
        : nodes(nodes)
      {}

      /// @param object edge or face of @p cell
      /// @param positions of the nodes of the cell
      template <typename Cell, typename Object>
      void
      move(const Cell &cell, const Object &object, std::vector<Point<dim>> &positions)
      {
        const Manifold<dim> &manifold = object->get_manifold();
        if (dynamic_cast<const FlatManifold<dim> *>(&manifold) != nullptr)
          return;
        typename Extension<dim, structdim>::Vertices vertices;
        std::vector<Point<dim>>                      places;
        for (unsigned int i = 0; i <= structdim; ++i)
          {
            places.push_back(object->vertex(i));
            vertices[i] = 0;
            while (cell->vertex_index(vertices[i]) != object->vertex_index(i))
              ++vertices[i];
          }
        const auto &extension = extensions.try_emplace(vertices, nodes, vertices).first->second;

        std::vector<Tensor<1, dim>> displacements;
        for (const unsigned int n : extension.inside)
          {
            std::vector<double> weights;
            for (const unsigned int v : vertices)
              weights.push_back(nodes[n][v]);
            displacements.push_back(
              manifold.get_new_point(make_array_view(places), make_array_view(weights)) -
              positions[n]);
          }
        for (unsigned int n = 0; n < positions.size(); ++n)
          for (unsigned int i = 0; i < displacements.size(); ++i)
            positions[n] += extension.weights(n, i) * displacements[i];
      }

    private:
      const std::vector<Barycentric<dim>> nodes;

      std::map<typename Extension<dim, structdim>::Vertices, Extension<dim, structdim>> extensions;
    };
  } // namespace


  template <int dim>
  CurvedNodes<dim>
  manifold_nodes(const Triangulation<dim> &tria, const unsigned int degree)
  {
    const auto       nodes = barycentric(gmsh_nodes<dim>(degree));
    Mover<dim, 1>    along_edges(nodes);
    Mover<dim, 2>    along_faces(nodes);
    CurvedNodes<dim> result;
    result.degree = degree;
    result.positions.reinit(tria.n_active_cells(), nodes.size());
    for (const auto &cell : tria.active_cell_iterators())
      if (cell->reference_cell().is_simplex())
        {
          std::vector<Point<dim>> positions(nodes.size());
          for (unsigned int n = 0; n < nodes.size(); ++n)
            for (unsigned int v = 0; v <= dim; ++v)
              positions[n] += nodes[n][v] * cell->vertex(v);
          for (const unsigned int l : cell->line_indices())
            along_edges.move(cell, cell->line(l), positions);
          if constexpr (dim == 3)
            for (const unsigned int f : cell->face_indices())
              along_faces.move(cell, cell->face(f), positions);
          for (unsigned int v = 0; v <= dim; ++v)
            positions[v] = cell->vertex(v);
          for (unsigned int n = 0; n < nodes.size(); ++n)
            result.positions[cell->active_cell_index()][n] = positions[n];
        }
    return result;
  }

  template CurvedNodes<2>
  manifold_nodes(const Triangulation<2> &, const unsigned int);
  template CurvedNodes<3>
  manifold_nodes(const Triangulation<3> &, const unsigned int);
} // namespace Saltus
