// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/bounding_box.h>
#include <deal.II/numerics/rtree.h>

#include <saltus/mesh/point_locator.h>

#include <algorithm>

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
    template <int dim>
    std::vector<typename PointLocator<dim>::Simplex>
    simplices_of(const Triangulation<dim> &triangulation)
    {
      std::vector<typename PointLocator<dim>::Simplex> simplices;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          {
            simplices.emplace_back();
            for (unsigned int v = 0; v <= dim; ++v)
              simplices.back()[v] = cell->vertex(v);
          }
      return simplices;
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
  } // namespace


  template <int dim>
  PointLocator<dim>::PointLocator(const std::vector<Simplex> &simplices)
    : simplices(simplices)
  {
    std::vector<typename Tree::Leaf> leaves;
    leaves.reserve(simplices.size());
    for (unsigned int s = 0; s < simplices.size(); ++s)
      leaves.emplace_back(bounding_box<dim>(simplices[s]), s);
    tree = std::make_unique<const Tree>(Tree{pack_rtree(leaves)});
  }


  template <int dim>
  PointLocator<dim>::PointLocator(const Triangulation<dim> &triangulation)
    : PointLocator(simplices_of(triangulation))
  {}


  template <int dim>
  PointLocator<dim>::~PointLocator() = default;


  template <int dim>
  typename PointLocator<dim>::Place
  PointLocator<dim>::place(const unsigned int simplex, const Point<dim> &point) const
  {
    const auto    &vertices = simplices[simplex];
    Tensor<2, dim> jacobian;
    for (unsigned int d = 0; d < dim; ++d)
      for (unsigned int r = 0; r < dim; ++r)
        jacobian[d][r] = vertices[r + 1][d] - vertices[0][d];
    const Point<dim> unit_point(invert(jacobian) * (point - vertices[0]));

    double smallest = 1.;
    for (unsigned int d = 0; d < dim; ++d)
      smallest -= unit_point[d];
    for (unsigned int d = 0; d < dim; ++d)
      smallest = std::min(smallest, unit_point[d]);
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
