// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// That the neighbours of elements that kernels work on together stand together.
#include <saltus/mesh/element_strips.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <numeric>
#include <set>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Lines of memory with four elements that eight elements' neighbours by one face are in, in the
  /// mean.
  double
  lines_of_neighbors(const FaceConnectivity<2> &connectivity, const unsigned int n_elements)
  {
    constexpr unsigned int group = 8, line = 4;
    unsigned int           n_lines = 0, n_groups = 0;
    for (unsigned int begin = 0; begin + group <= n_elements; begin += group)
      for (unsigned int f = 0; f < 3; ++f, ++n_groups)
        {
          std::set<unsigned int> lines;
          for (unsigned int e = begin; e < begin + group; ++e)
            lines.insert(connectivity.face(e, f).element_across(e) / line);
          n_lines += lines.size();
        }
    return double(n_lines) / n_groups;
  }

  double
  lines_along_curve(const Triangulation<2> &triangulation)
  {
    const ElementOrder<2> order(triangulation, ReferenceCells::Triangle);
    return lines_of_neighbors(FaceConnectivity<2>(order, CellShape<2>()), order.n_elements());
  }

  double
  lines_in_strips(const Triangulation<2> &triangulation)
  {
    const ElementMesh<2> mesh(MappingFE<2>(FE_SimplexP<2>(1)), triangulation);
    return lines_of_neighbors(mesh.connectivity, mesh.n_elements());
  }
} // namespace

TEST(ElementStrips, NeighborsStandTogether)
{
  Triangulation<2> box;
  make_box(box, 60, 0.2);
  EXPECT_GT(lines_along_curve(box), 4.7);
  EXPECT_LT(lines_in_strips(box), 3.3);
  turn_some_edges(box); // rows end here and there
  shuffle_vertices(box);
  EXPECT_GT(lines_along_curve(box), 4.7);
  EXPECT_LT(lines_in_strips(box), 4.5);
  Triangulation<2> disc;
  Saltus::GridGenerator::disc(disc, 1., 40);
  EXPECT_GT(lines_along_curve(disc), 4.7);
  EXPECT_LT(lines_in_strips(disc), 4.5);
}

/// Two rows of triangles, each one strip: 0 1 2 ... from one side to the other, in two ranges.
TEST(ElementStrips, HalvesOfStrips)
{
  constexpr unsigned int  n_of_row = 20, n = 2 * n_of_row;
  std::vector<FaceRecord> faces(3 * n);
  for (FaceRecord &face : faces)
    face.kind = FaceKind::boundary;
  for (unsigned int e = 0; e + 1 < n; ++e)
    if (e + 1 != n_of_row)
      for (const unsigned int here : {e, e + 1})
        {
          FaceRecord &face = faces[3 * here + e % 2];
          face.kind        = FaceKind::interior;
          face.neighbor    = here == e ? e + 1 : e;
          face.face        = e % 2;
        }
  std::vector<ElementRange> ranges(2);
  ranges[0].end                   = n_of_row;
  ranges[1].begin                 = n_of_row;
  ranges[1].end                   = n;
  const auto                order = order_in_strips(3, faces, ranges);
  std::vector<unsigned int> expected;
  for (const unsigned int first : {0u, n_of_row})
    for (const auto &[begin, end] : {std::make_pair(0u, 8u), std::make_pair(8u, 10u)})
      for (const unsigned int half : {0u, 1u})
        for (unsigned int i = begin; i < end; ++i)
          expected.push_back(first + 2 * i + half);
  EXPECT_EQ(order, expected);
}

/// A ring is cut open, and elements that meet none with the same numbers stay where they are.
TEST(ElementStrips, RingsAndSingleElements)
{
  constexpr unsigned int  n_of_ring = 6, n = n_of_ring + 3;
  std::vector<FaceRecord> faces(3 * n);
  for (FaceRecord &face : faces)
    face.kind = FaceKind::boundary;
  const auto join =
    [&](const unsigned int a, const unsigned int f, const unsigned int b, const unsigned int g) {
      faces[3 * a + f].kind = faces[3 * b + g].kind = FaceKind::interior;
      faces[3 * a + f].neighbor                     = b;
      faces[3 * a + f].face                         = g;
      faces[3 * b + g].neighbor                     = a;
      faces[3 * b + g].face                         = f;
    };
  for (unsigned int i = 0; i < n_of_ring; ++i)
    join(i, i % 2, (i + 1) % n_of_ring, i % 2);
  join(6, 0, 7, 1); // other numbers on both sides
  join(7, 2, 8, 2); // across the side of a strip
  ElementRange all;
  all.end                                = n;
  auto                            order  = order_in_strips(3, faces, {all});
  const std::vector<unsigned int> halves = {0, 2, 4, 6, 8, 1, 3, 5, 7};
  EXPECT_EQ(order, halves);
  std::sort(order.begin(), order.end());
  std::vector<unsigned int> each(n);
  std::iota(each.begin(), each.end(), 0u);
  EXPECT_EQ(order, each);
}
