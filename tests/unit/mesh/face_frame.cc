// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// FaceFrame against the inverse Jacobians of both sides of a face.
#include <deal.II/base/tensor.h>

#include <saltus/mesh/face_frame.h>

#include <gtest/gtest.h>
#include <random>

using namespace dealii;
using namespace Saltus;

namespace
{
  template <int dim>
  using Direction = Array<double, dim>;

  /// Perpendicular to the others, which are those along the face.
  template <int dim>
  Tensor<1, dim>
  normal_of(const Tensor<1, dim> (&along)[dim - 1])
  {
    if constexpr (dim == 2)
      return cross_product_2d(along[0]);
    else
      return cross_product_3d(along[0], along[1]);
  }

  template <int dim>
  void
  expect_geometry_of_both_sides(const double orientation)
  {
    std::mt19937                           random(1);
    std::uniform_real_distribution<double> number(-0.3, 0.3);
    Tensor<2, dim>                         J, J_across;
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int j = 0; j < dim; ++j)
        J[i][j] = (i == j ? (i == 0 ? orientation : 1.) : 0.) + number(random);

    // The same along the face, another derivative across it.
    Tensor<1, dim> along[dim - 1], of_point;
    for (auto &direction : along)
      for (unsigned int d = 0; d < dim; ++d)
        direction[d] = number(random);
    const Tensor<1, dim> reference_normal = 0.7 * normal_of<dim>(along);
    for (unsigned int d = 0; d < dim; ++d)
      of_point[d] = number(random);
    J_across = J - outer_product(of_point, reference_normal);

    Array<Direction<dim>, dim + 1> derivatives;
    for (unsigned int i = 0; i <= dim; ++i)
      {
        const Tensor<1, dim> derivative =
          (i == dim ? J_across : J) * (i + 1 < dim ? along[i] : reference_normal);
        for (unsigned int d = 0; d < dim; ++d)
          derivatives[i][d] = derivative[d];
      }
    const double                 mean = 1.3;
    const FaceFrame<dim, double> frame(derivatives, 0.7 / mean);

    const Tensor<1, dim> normal =
      std::abs(determinant(J)) / mean * transpose(invert(J)) * reference_normal;
    for (unsigned int d = 0; d < dim; ++d)
      {
        EXPECT_NEAR(frame.normal[d], normal[d], 1e-14);
        EXPECT_NEAR(frame.across_inside * frame.inside.metric(dim - 1)[d], normal[d], 1e-14);
        EXPECT_NEAR(frame.across_outside * frame.outside.metric(dim - 1)[d], normal[d], 1e-14);
      }
    // Gradients of the coordinates are the dual basis of the derivatives.
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j)
        {
          EXPECT_NEAR(dot<dim>(frame.inside.metric(i), derivatives[j]), i == j, 1e-13);
          EXPECT_NEAR(dot<dim>(frame.outside.metric(i), derivatives[j == dim - 1 ? dim : j]),
                      i == j,
                      1e-13);
        }
  }
} // namespace

TEST(FaceFrame, HasGeometryOfBothSides)
{
  for (const double orientation : {1., -1.})
    {
      expect_geometry_of_both_sides<2>(orientation);
      expect_geometry_of_both_sides<3>(orientation);
    }
}
