// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// SecondOrderGroup: all numbers of all points have places of their own, without gaps.
#include <saltus/fe/simplex.h>
#include <saltus/mesh/second_order_group.h>
#include <saltus/operators/conservation_law/kernels/second_order_terms.h>

#include <gtest/gtest.h>
#include <vector>

using namespace Saltus;

namespace
{
  template <int dim>
  void
  expect_places_without_gaps(const int degree)
  {
    using Group  = SecondOrderGroup<dim>;
    const int nv = Simplex<dim>::n_quadrature_points(second_order_volume_degree(degree)),
              nf = Simplex<dim - 1>::n_quadrature_points(second_order_face_degree(degree));
    const Group      layout   = {nv, nf};
    const int        together = layout.faces_together();
    std::vector<int> users(layout.size());
    const auto       use = [&](const int list, const int n_points, const int n_numbers) {
      for (int q = 0; q < n_points; ++q)
        for (int c = 0; c < n_numbers; ++c)
          for (int g = 0; g < Group::n_elements; ++g)
            {
              const int group = q / Group::points_of_group;
              ++users.at(
                list + Group::begin(n_numbers, group) +
                Group::place(Group::points_of(n_points, group), c, q % Group::points_of_group, g));
            }
    };
    ASSERT_EQ((dim + 1) % together, 0);
    use(0, dim + 1, 1);
    use(Group::volume(), nv, Group::in_volume);
    for (int f = 0; f <= dim; ++f)
      use(layout.across(f), nf, Group::on_face);
    for (int f = 0; f <= dim; f += together)
      use(layout.own(f), together * nf, Group::on_face);
    EXPECT_EQ(users, std::vector<int>(layout.size(), 1)) << dim << "D, degree " << degree;
  }
} // namespace

TEST(SecondOrderGroup, HasPlacesWithoutGaps)
{
  for (int degree = 1; degree <= 5; ++degree)
    expect_places_without_gaps<2>(degree);
  for (int degree = 1; degree <= 4; ++degree)
    expect_places_without_gaps<3>(degree);
}

TEST(SecondOrderGroup, TakesFacesTogetherWhereThatFillsGroups)
{
  EXPECT_EQ((SecondOrderGroup<2>{6, 4}.faces_together()), 1);
  EXPECT_EQ((SecondOrderGroup<2>{12, 5}.faces_together()), 3);
  EXPECT_EQ((SecondOrderGroup<3>{4, 6}.faces_together()), 2);
  EXPECT_EQ((SecondOrderGroup<3>{14, 12}.faces_together()), 1);
}
