// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// That groups of elements that kernels work on together have few faces around them.
#include <saltus/mesh/element_groups.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/meshes.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// The elements of a mesh along the space-filling curve.
  template <int dim>
  struct Along
  {
    static constexpr unsigned int n_faces = dim + 1;

    explicit Along(const Triangulation<dim> &triangulation)
    {
      const ElementOrder<dim>     order(triangulation, ReferenceCells::get_simplex<dim>());
      const FaceConnectivity<dim> connectivity(order, CellShape<dim>());
      n = order.n_elements();
      for (unsigned int e = 0; e < n; ++e)
        for (unsigned int f = 0; f < n_faces; ++f)
          faces.push_back(connectivity.face(e, f));
    }

    /// Faces between groups, an element, if this element is at each place.
    double
    faces_between_groups(const std::vector<unsigned int> &element_at) const
    {
      std::vector<unsigned int> group(n);
      for (unsigned int place = 0; place < n; ++place)
        group[element_at[place]] = place / elements_of_group;
      unsigned int n_between = 0;
      for (unsigned int e = 0; e < n; ++e)
        for (unsigned int f = 0; f < n_faces; ++f)
          if (const FaceRecord &face = faces[e * n_faces + f];
              face.kind == FaceKind::interior && group[face.neighbor] != group[e])
            ++n_between;
      return double(n_between) / n;
    }

    std::vector<unsigned int>
    in_groups(const std::vector<ElementRange> &ranges) const
    {
      return order_in_groups(n_faces, faces, ranges);
    }

    /// From one element to before another, of a kind.
    static ElementRange
    range(const unsigned int begin, const unsigned int end, const GeometryKind kind)
    {
      ElementRange result;
      result.kind  = kind;
      result.begin = begin;
      result.end   = end;
      return result;
    }

    unsigned int            n;
    std::vector<FaceRecord> faces;
  };

  std::vector<unsigned int>
  places(const unsigned int n)
  {
    std::vector<unsigned int> all(n);
    for (unsigned int i = 0; i < n; ++i)
      all[i] = i;
    return all;
  }

  /// Faces between groups in the order along the curve, and in groups, of a mesh whose geometry is
  /// stored.
  template <int dim>
  std::pair<double, double>
  before_and_after(const Triangulation<dim> &triangulation)
  {
    const Along<dim> along(triangulation);
    const auto       order  = along.in_groups({along.range(0, along.n, GeometryKind::stored)});
    auto             sorted = order;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, places(along.n));
    for (unsigned int place = 0; place < along.n; ++place)
      EXPECT_EQ(order[place] / 1024, place / 1024);
    return {along.faces_between_groups(places(along.n)), along.faces_between_groups(order)};
  }
} // namespace

TEST(ElementGroups, TrianglesHaveFewerFacesBetween)
{
  Triangulation<2> box, disc;
  make_box(box, 60, 0.2);
  turn_some_edges(box);
  shuffle_vertices(box);
  Saltus::GridGenerator::disc(disc, 1., 40);
  for (const auto *triangulation : {&box, &disc})
    {
      const auto [before, after] = before_and_after(*triangulation);
      EXPECT_LT(after, 0.88 * before);
    }
}

TEST(ElementGroups, TetrahedraHaveFewerFacesBetween)
{
  Triangulation<3> box;
  make_box(box, 8, 0.2);
  const auto [before, after] = before_and_after(box);
  EXPECT_LT(after, 0.98 * before);
}

TEST(ElementGroups, ElementsStayInTheirRanges)
{
  Triangulation<2> box;
  make_box(box, 40, 0.2);
  const Along<2>     along(box);
  const unsigned int first = 320, last = 1600;
  const auto         order = along.in_groups({along.range(0, first, GeometryKind::affine),
                                              along.range(first, last, GeometryKind::stored),
                                              along.range(last, along.n, GeometryKind::affine)});
  const auto         same  = places(along.n);
  EXPECT_TRUE(std::equal(order.begin(), order.begin() + first, same.begin()));
  EXPECT_TRUE(std::equal(order.begin() + last, order.end(), same.begin() + last));
  EXPECT_NE(order, same);
  EXPECT_TRUE(
    std::is_permutation(order.begin() + first, order.begin() + last, same.begin() + first));
}
