// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/grid/manifold.h>

#include <saltus/mesh/curve/blending.h>
#include <saltus/mesh/curve/manifold_nodes.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Moves the nodes of cells as the manifolds of their edges or faces say.
    template <int dim, int structdim>
    class Mover
    {
    public:
      explicit Mover(const unsigned int degree)
        : blending(degree)
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
        const auto              vertices = blending.vertices_of(cell, object);
        std::vector<Point<dim>> places;
        for (unsigned int i = 0; i <= structdim; ++i)
          places.push_back(object->vertex(i));
        std::vector<Tensor<1, dim>> displacements;
        for (const unsigned int n : blending.inside(vertices))
          {
            std::vector<double> weights;
            for (const unsigned int v : vertices)
              weights.push_back(blending.coordinates()[n][v]);
            displacements.push_back(
              manifold.get_new_point(make_array_view(places), make_array_view(weights)) -
              positions[n]);
          }
        blending.move(vertices, displacements, positions);
      }

    private:
      Blending<dim, structdim> blending;
    };
  } // namespace


  template <int dim>
  CurvedNodes<dim>
  manifold_nodes(const Triangulation<dim> &tria, const unsigned int degree)
  {
    const Blending<dim, 1> of_nodes(degree);
    const auto            &nodes = of_nodes.coordinates();
    Mover<dim, 1>          along_edges(degree);
    Mover<dim, 2>          along_faces(degree);
    CurvedNodes<dim>       result;
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
