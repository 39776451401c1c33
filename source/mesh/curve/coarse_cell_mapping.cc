// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/geometry_info.h>
#include <deal.II/base/polynomial.h>
#include <deal.II/fe/fe_q.h>

#include <saltus/mesh/curve/coarse_cell_mapping.h>

#include <cmath>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <int dim>
    std::vector<Point<dim>>
    unit_vertices()
    {
      std::vector<Point<dim>> result;
      for (const unsigned int v : GeometryInfo<dim>::vertex_indices())
        result.push_back(GeometryInfo<dim>::unit_cell_vertex(v));
      return result;
    }

    /// Nodes in the order of tensor product polynomials.
    template <int dim>
    std::vector<std::vector<Point<dim>>>
    lexicographic(const CurvedNodes<dim> &nodes)
    {
      const auto unit_points = gmsh_nodes<dim>(nodes.degree, ReferenceCells::get_hypercube<dim>());
      std::vector<std::vector<Point<dim>>> result(nodes.positions.size(0),
                                                  std::vector<Point<dim>>(nodes.positions.size(1)));
      for (unsigned int n = 0; n < unit_points.size(); ++n)
        {
          unsigned int i = 0;
          for (unsigned int d = dim; d-- > 0;)
            i = i * (nodes.degree + 1) + std::lround(nodes.degree * unit_points[n][d]);
          for (unsigned int c = 0; c < result.size(); ++c)
            result[c][i] = nodes.positions[c][n];
        }
      return result;
    }
  } // namespace


  template <int dim>
  CoarseCellMapping<dim>::CoarseCellMapping(const CurvedNodes<dim> &nodes)
    : MappingQ<dim>(nodes.degree)
    , polynomials(Polynomials::LagrangeEquidistant::generate_complete_basis(nodes.degree))
    , positions(std::make_shared<const std::vector<std::vector<Point<dim>>>>(lexicographic(nodes)))
    , support_points(FE_Q<dim>(nodes.degree).get_unit_support_points())
  {}


  template <int dim>
  std::unique_ptr<Mapping<dim>>
  CoarseCellMapping<dim>::clone() const
  {
    return std::make_unique<CoarseCellMapping<dim>>(*this);
  }


  template <int dim>
  std::vector<Point<dim>>
  CoarseCellMapping<dim>::images(const typename Triangulation<dim>::cell_iterator &cell,
                                 const std::vector<Point<dim>> &unit_points) const
  {
    std::vector<Point<dim>> in_coarse_cell = unit_points;
    auto                    ancestor       = cell;
    while (ancestor->level() > 0)
      {
        const auto   parent = ancestor->parent();
        unsigned int child  = 0;
        while (parent->child_index(child) != ancestor->index())
          ++child;
        for (Point<dim> &point : in_coarse_cell)
          point = GeometryInfo<dim>::child_to_cell_coordinates(point, child);
        ancestor = parent;
      }
    const std::vector<Point<dim>> &nodes = positions->at(ancestor->index());

    std::vector<double>         values(polynomials.n());
    std::vector<Tensor<1, dim>> no_gradients;
    std::vector<Tensor<2, dim>> no_hessians;
    std::vector<Tensor<3, dim>> no_third;
    std::vector<Tensor<4, dim>> no_fourth;
    std::vector<Point<dim>>     result;
    for (const Point<dim> &point : in_coarse_cell)
      {
        polynomials.evaluate(point, values, no_gradients, no_hessians, no_third, no_fourth);
        // From one of the nodes, which rounding spares far from the origin.
        Tensor<1, dim> offset;
        for (unsigned int i = 0; i < values.size(); ++i)
          offset += values[i] * (nodes[i] - nodes[0]);
        result.push_back(nodes[0] + offset);
      }
    return result;
  }


  template <int dim>
  std::vector<Point<dim>>
  CoarseCellMapping<dim>::compute_mapping_support_points(
    const typename Triangulation<dim>::cell_iterator &cell) const
  {
    return images(cell, support_points);
  }


  template <int dim>
  boost::container::small_vector<Point<dim>, GeometryInfo<dim>::vertices_per_cell>
  CoarseCellMapping<dim>::get_vertices(const typename Triangulation<dim>::cell_iterator &cell) const
  {
    const std::vector<Point<dim>> vertices = images(cell, unit_vertices<dim>());
    return {vertices.begin(), vertices.end()};
  }


  template <int dim>
  CurvedNodes<dim>
  nodes_of_active_cells(Triangulation<dim> &triangulation, const CoarseCellMapping<dim> &mapping)
  {
    const auto unit_points =
      gmsh_nodes<dim>(mapping.get_degree(), ReferenceCells::get_hypercube<dim>());
    CurvedNodes<dim> result;
    result.degree = mapping.get_degree();
    result.positions.reinit(triangulation.n_active_cells(), unit_points.size());
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        const std::vector<Point<dim>> nodes = mapping.images(cell, unit_points);
        for (unsigned int n = 0; n < nodes.size(); ++n)
          result.positions[cell->active_cell_index()][n] = nodes[n];
      }
    // All cells at a vertex have the same, in spite of rounding.
    for (const auto &cell : triangulation.active_cell_iterators())
      for (const unsigned int v : cell->vertex_indices())
        cell->vertex(v) = result.positions[cell->active_cell_index()][gmsh_vertex(v, true)];
    for (const auto &cell : triangulation.active_cell_iterators())
      for (const unsigned int v : cell->vertex_indices())
        result.positions[cell->active_cell_index()][gmsh_vertex(v, true)] = cell->vertex(v);
    return result;
  }

  template class CoarseCellMapping<2>;
  template class CoarseCellMapping<3>;
  template CurvedNodes<2>
  nodes_of_active_cells(Triangulation<2> &, const CoarseCellMapping<2> &);
  template CurvedNodes<3>
  nodes_of_active_cells(Triangulation<3> &, const CoarseCellMapping<3> &);
} // namespace Saltus
