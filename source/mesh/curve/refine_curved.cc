// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/lac/full_matrix.h>

#include <saltus/fe/fe_simplex_nodes.h>
#include <saltus/mesh/curve/refine_curved.h>

#include <array>
#include <map>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    using UnitVertices = std::array<Point<dim>, dim + 1>;

    /// What nodes of children are of those of their parents.
    template <int dim>
    class NodesOfChildren
    {
    public:
      explicit NodesOfChildren(const unsigned int degree)
        : points(gmsh_nodes<dim>(degree))
        , shapes(degree, points)
      {}

      /// `(node of the child, node of the parent)`
      /// @param vertices of the child in the reference cell of its parent
      const FullMatrix<double> &
      operator()(const UnitVertices<dim> &vertices)
      {
        std::array<double, (dim + 1) * dim> key;
        for (unsigned int v = 0; v <= dim; ++v)
          for (unsigned int d = 0; d < dim; ++d)
            key[v * dim + d] = vertices[v][d];
        FullMatrix<double> &matrix = matrices[key];
        if (matrix.empty())
          {
            matrix.reinit(points.size(), points.size());
            for (unsigned int n = 0; n < points.size(); ++n)
              {
                Point<dim> point = vertices[0];
                for (unsigned int d = 0; d < dim; ++d)
                  point += points[n][d] * (vertices[d + 1] - vertices[0]);
                for (unsigned int i = 0; i < points.size(); ++i)
                  matrix(n, i) = shapes.shape_value(i, point);
              }
          }
        return matrix;
      }

    private:
      const std::vector<Point<dim>>                                     points;
      const FE_SimplexNodes<dim>                                        shapes;
      std::map<std::array<double, (dim + 1) * dim>, FullMatrix<double>> matrices;
    };


    /// Where the vertices of the children of @p cell are in its reference cell, by their numbers in
    /// the triangulation.
    template <typename Cell>
    auto
    vertices_of_children(const Cell &cell)
    {
      constexpr int dim = Cell::AccessorType::dimension;

      std::map<unsigned int, Point<dim>> result;
      for (unsigned int v = 0; v <= dim; ++v)
        result[cell->vertex_index(v)] = v == 0 ? Point<dim>() : Point<dim>::unit_vector(v - 1);
      for (const unsigned int l : cell->line_indices())
        {
          const auto line = cell->line(l);
          result[line->child(0)->vertex_index(1)] =
            result.at(line->vertex_index(0)) +
            0.5 * (result.at(line->vertex_index(1)) - result.at(line->vertex_index(0)));
        }
      return result;
    }
  } // namespace


  template <int dim>
  void
  refine_curved(Triangulation<dim> &tria, CurvedNodes<dim> &nodes)
  {
    const unsigned int        level            = tria.n_levels() - 1;
    const unsigned int        first_new_vertex = tria.n_vertices();
    std::vector<unsigned int> rows(tria.n_cells(level)); // of the parents
    for (const auto &cell : tria.active_cell_iterators())
      rows[cell->index()] = cell->active_cell_index();
    tria.refine_global(1);

    NodesOfChildren<dim> nodes_of_children(nodes.degree);
    CurvedNodes<dim>     refined;
    refined.degree = nodes.degree;
    refined.positions.reinit(tria.n_active_cells(), nodes.positions.size(1));
    for (const auto &parent : tria.cell_iterators_on_level(level))
      {
        const auto in_parent = vertices_of_children(parent);
        for (unsigned int c = 0; c < parent->n_children(); ++c)
          {
            const auto        child = parent->child(c);
            const auto        row   = child->active_cell_index();
            UnitVertices<dim> vertices;
            for (unsigned int v = 0; v <= dim; ++v)
              vertices[v] = in_parent.at(child->vertex_index(v));
            const FullMatrix<double> &matrix = nodes_of_children(vertices);
            for (unsigned int n = 0; n < matrix.m(); ++n)
              for (unsigned int i = 0; i < matrix.n(); ++i)
                refined.positions[row][n] +=
                  matrix(n, i) * nodes.positions[rows[parent->index()]][i];
            for (unsigned int v = 0; v <= dim; ++v)
              if (child->vertex_index(v) >= first_new_vertex)
                child->vertex(v) = refined.positions[row][v];
          }
      }
    // All cells at a vertex have the same, in spite of rounding.
    for (const auto &cell : tria.active_cell_iterators())
      for (unsigned int v = 0; v <= dim; ++v)
        refined.positions[cell->active_cell_index()][v] = cell->vertex(v);
    nodes = std::move(refined);
  }

  template void
  refine_curved(Triangulation<2> &, CurvedNodes<2> &);
  template void
  refine_curved(Triangulation<3> &, CurvedNodes<3> &);
} // namespace Saltus
