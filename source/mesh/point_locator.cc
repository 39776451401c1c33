// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/bounding_box.h>
#include <deal.II/numerics/rtree.h>

#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/mesh/mesh_shapes.h>
#include <saltus/mesh/point_locator.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  struct PointLocator<dim>::Tree
  {
    using Leaf = std::pair<BoundingBox<dim>, unsigned int>;

    RTree<Leaf> boxes;
  };


  namespace
  {
    /// Active ones of this rank.
    template <int dim>
    typename PointLocator<dim>::Cells
    own_cells(const Triangulation<dim> &triangulation)
    {
      typename PointLocator<dim>::Cells cells;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          cells.push_back(cell);
      return cells;
    }


    /// Of hypercubes that of a vertex and those beside it.
    template <int dim>
    std::vector<typename PointLocator<dim>::Simplex>
    simplices_of(const typename PointLocator<dim>::Cells &cells)
    {
      std::vector<typename PointLocator<dim>::Simplex> simplices;
      for (const auto &cell : cells)
        {
          const bool is_hypercube = cell->reference_cell().is_hyper_cube();
          simplices.emplace_back();
          for (unsigned int v = 0; v <= dim; ++v)
            simplices.back()[v] = cell->vertex(is_hypercube ? (1U << v) / 2 : v);
        }
      return simplices;
    }


    template <int dim>
    typename PointLocator<dim>::Maps
    maps_of(const Mapping<dim> &mapping, const typename PointLocator<dim>::Cells &cells)
    {
      typename PointLocator<dim>::Maps result;
      const unsigned int               degree = mapping_degree(mapping);
      if (cells.empty() ||
          (degree == 1 && cells[0]->get_triangulation().all_reference_cells_are_simplex()))
        return result;
      const MeshShapes<dim> shapes(cells[0]->get_triangulation());
      const auto            nodes = shapes.for_each([&](const ReferenceCell &shape) {
        return std::make_shared<const MapNodes<dim>>(degree, shape);
      });
      for (const auto &cell : cells)
        result.emplace_back(nodes[shapes.number(cell)],
                            mapping_of(mapping, cell->reference_cell()),
                            cell);
      return result;
    }


    template <int dim>
    std::vector<bool>
    are_hypercubes(const typename PointLocator<dim>::Cells &cells)
    {
      std::vector<bool> result;
      for (const auto &cell : cells)
        result.push_back(cell->reference_cell().is_hyper_cube());
      return result;
    }


    /// A little larger than the simplex, so that it holds all points that count as inside.
    template <int dim>
    BoundingBox<dim>
    bounding_box(const typename PointLocator<dim>::Simplex &simplex)
    {
      BoundingBox<dim> box(simplex);
      double           size = 0.;
      for (unsigned int d = 0; d < dim; ++d)
        size = std::max(size, box.side_length(d));
      box.extend((dim + 1) * PointLocator<dim>::tolerance * size);
      return box;
    }


    /// Of some points, with room for what lies between them.
    template <int dim>
    BoundingBox<dim>
    bounding_box(const ElementMap<dim> &map, const ModeTable<dim> &at_points)
    {
      BoundingBox<dim> box(map.positions(at_points));
      double           size = 0.;
      for (unsigned int d = 0; d < dim; ++d)
        size = std::max(size, box.side_length(d));
      box.extend(0.1 * size);
      return box;
    }
  } // namespace


  template <int dim>
  PointLocator<dim>::PointLocator(const std::vector<Simplex> &simplices,
                                  const Maps                 &maps,
                                  const std::vector<bool>    &is_hypercube)
    : simplices(simplices)
    , maps(maps)
    , is_hypercube(is_hypercube)
  {
    const unsigned int   degree      = maps.empty() ? 1 : maps[0].degree();
    const ReferenceCell  shapes[]    = {ReferenceCells::get_simplex<dim>(),
                                        ReferenceCells::get_hypercube<dim>()};
    const ModeTable<dim> at_points[] = {{degree, map_nodes<dim>(2 * degree, shapes[0]), shapes[0]},
                                        {degree, map_nodes<dim>(2 * degree, shapes[1]), shapes[1]}};
    std::vector<typename Tree::Leaf> leaves;
    leaves.reserve(simplices.size());
    for (unsigned int s = 0; s < simplices.size(); ++s)
      leaves.emplace_back(maps.empty() ? bounding_box<dim>(simplices[s])
                                       : bounding_box<dim>(maps[s], at_points[is_hypercube[s]]),
                          s);
    tree = std::make_unique<const Tree>(Tree{pack_rtree(leaves)});
  }


  template <int dim>
  PointLocator<dim>::PointLocator(const std::vector<Simplex> &simplices,
                                  const Maps                 &maps,
                                  const ReferenceCell        &cell)
    : PointLocator(simplices, maps, std::vector<bool>(simplices.size(), cell.is_hyper_cube()))
  {}


  template <int dim>
  PointLocator<dim>::PointLocator(const Triangulation<dim> &triangulation)
    : PointLocator(
        MappingByShape<dim>(
          ReferenceCells::get_simplex<dim>().template get_default_linear_mapping<dim>(),
          ReferenceCells::get_hypercube<dim>().template get_default_linear_mapping<dim>()),
        triangulation)
  {}


  template <int dim>
  PointLocator<dim>::PointLocator(const Mapping<dim>       &mapping,
                                  const Triangulation<dim> &triangulation)
    : PointLocator(mapping, own_cells(triangulation))
  {}


  template <int dim>
  PointLocator<dim>::PointLocator(const Mapping<dim> &mapping, const Cells &cells)
    : PointLocator(simplices_of<dim>(cells), maps_of(mapping, cells), are_hypercubes<dim>(cells))
  {}


  template <int dim>
  PointLocator<dim>::~PointLocator() = default;


  template <int dim>
  Point<dim>
  PointLocator<dim>::in_curved(const unsigned int simplex,
                               const Point<dim>  &point,
                               const Point<dim>  &guess) const
  {
    const ElementMap<dim> &map    = maps[simplex];
    Point<dim>             result = guess;
    for (unsigned int step = 0; step < 30 && result.norm() < 10.; ++step)
      {
        const Tensor<1, dim> change = invert(map.jacobian(result)) * (point - map.position(result));
        result += change;
        if (change.norm() < 1e-13)
          return result;
        if (!std::isfinite(change.norm()))
          break;
      }
    result[0] = -std::numeric_limits<double>::max();
    return result;
  }


  template <int dim>
  typename PointLocator<dim>::Place
  PointLocator<dim>::place(const unsigned int simplex, const Point<dim> &point) const
  {
    const auto    &vertices = simplices[simplex];
    Tensor<2, dim> jacobian;
    for (unsigned int d = 0; d < dim; ++d)
      for (unsigned int r = 0; r < dim; ++r)
        jacobian[d][r] = vertices[r + 1][d] - vertices[0][d];
    Point<dim> unit_point(invert(jacobian) * (point - vertices[0]));
    if (!maps.empty())
      unit_point = in_curved(simplex, point, unit_point);

    double     smallest = 1.; // of the distances to the faces, in coordinates of the reference cell
    const bool in_cube  = is_hypercube[simplex];
    for (unsigned int d = 0; d < dim && !in_cube; ++d)
      smallest -= unit_point[d];
    for (unsigned int d = 0; d < dim; ++d)
      smallest = std::min({smallest, unit_point[d], in_cube ? 1. - unit_point[d] : smallest});
    return {simplex, unit_point, std::max(0., -smallest)};
  }


  template <int dim>
  typename PointLocator<dim>::Place
  PointLocator<dim>::find(const Point<dim> &point) const
  {
    AssertThrow(!simplices.empty(), ExcMessage("There is no point in a mesh without cells."));
    namespace index = boost::geometry::index;
    std::vector<typename Tree::Leaf> found;
    tree->boxes.query(index::intersects(point), std::back_inserter(found));
    if (found.empty())
      {
        constexpr unsigned int n_nearest = 16;
        tree->boxes.query(index::nearest(point, n_nearest), std::back_inserter(found));
      }
    std::vector<Place> places;
    for (const auto &leaf : found)
      places.push_back(place(leaf.second, point));
    return *std::min_element(places.begin(), places.end(), [](const Place &a, const Place &b) {
      return std::make_pair(a.outside, a.simplex) < std::make_pair(b.outside, b.simplex);
    });
  }


  template class PointLocator<2>;
  template class PointLocator<3>;
} // namespace Saltus
