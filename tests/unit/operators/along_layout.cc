// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// AlongLayout: all numbers have places of their own, without gaps, and those that are read together
// stand together.
#include <saltus/operators/elliptic/kernels/along_layout.h>

#include <gtest/gtest.h>
#include <vector>

using namespace Saltus;

namespace
{
  template <int dim>
  void
  expect_places_without_gaps(const AlongLayout<dim> &layout)
  {
    const int        n = 2 * block_size; // elements
    std::vector<int> users(n * layout.n_faces * layout.n_face_points * dim);
    for (int i = 0; i < n; ++i)
      for (int f = 0; f < layout.n_faces; ++f)
        for (int q = 0; q < layout.n_face_points; ++q)
          for (int r = 0; r < dim; ++r)
            ++users.at(layout(i, f, q, r));
    EXPECT_EQ(users, std::vector<int>(users.size(), 1)) << dim << "D, " << layout.n_face_points;
  }
} // namespace

TEST(AlongLayout, HasPlacesWithoutGaps)
{
  for (const bool in_groups : {false, true})
    {
      for (const int n_points : {2, 4, 5, 9})
        expect_places_without_gaps<2>({3, n_points, in_groups});
      for (const int n_points : {3, 6, 12})
        expect_places_without_gaps<3>({4, n_points, in_groups});
      expect_places_without_gaps<3>({6, 9, in_groups});
    }
}

TEST(AlongLayout, OneByOneIsByElement)
{
  const AlongLayout<3> layout = {4, 6, false};
  for (int l = 0; l < block_size; ++l)
    EXPECT_EQ(layout.place(l, 2, 3, 1), ((2 * 6 + 3) * 3 + 1) * block_size + l);
}

/// What eight pairs of elements have at four points, or what the last group has, in one piece.
TEST(AlongLayout, GroupsAreByPairsOfElements)
{
  const AlongLayout<3> layout = {4, 6, true};
  for (const int group : {0, 1})
    {
      const int n_points = group == 0 ? 4 : 2;
      EXPECT_EQ(layout.points_of(group), n_points);
      const int begin = layout.place(0, 1, 4 * group, 2);
      for (int l = 0; l < 16; ++l)
        for (int point = 0; point < n_points; ++point)
          EXPECT_EQ(layout.place(l, 1, 4 * group + point, 2) - begin,
                    (l / 2 * n_points + point) * 2 + l % 2);
    }
}
