// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// FaceCoordinates and FaceGeometry, against a gradient that is known in the coordinates of the
// cell.
#include <saltus/fe/cell_shape.h>
#include <saltus/mesh/face_coordinates.h>

#include <gtest/gtest.h>

using namespace Saltus;

namespace
{
  /// @param gradients of the reference coordinates, `[r][d]`
  template <int dim>
  void
  expect_the_same_gradient(const Array<Array<double, dim>, dim> &gradients)
  {
    const CellShape<dim> shape;
    Array<double, dim>   derivatives;
    for (int r = 0; r < dim; ++r)
      derivatives[r] = 1.5 - r * r;
    for (int f = 0; f <= dim; ++f)
      {
        const auto of_reference = [&](const int r) { return shape.face_normals[f * dim + r]; };
        const FaceCoordinates<dim> coordinates(of_reference);
        Array<double, dim>         last{}, normal;
        for (int d = 0; d < dim; ++d)
          {
            for (int r = 0; r < dim; ++r)
              last[d] += of_reference(r) * gradients[r][d];
            normal[d] = -0.7 * last[d]; // of any length
          }
        const FaceGeometry<dim, double> geometry(
          coordinates, normal, [&](const int r) { return gradients[r]; }, last);
        EXPECT_NEAR(geometry.parts[dim - 1], -1. / 0.7, 1e-14);
        for (int d = 0; d < dim; ++d)
          {
            double expected = 0., found = 0.;
            for (int k = 0; k < dim; ++k)
              {
                const double derivative =
                  coordinates.derivative(k, [&](const int r) { return derivatives[r]; });
                expected += derivatives[k] * gradients[k][d];
                found += derivative * geometry.parts[k] * normal[d];
                if (k < dim - 1)
                  found += derivative * geometry.tangents[k][d];
              }
            EXPECT_NEAR(found, expected, 1e-13) << "face " << f << " in " << dim << "D";
          }
        for (int k = 0; k < dim - 1; ++k)
          EXPECT_NEAR(dot<dim>(geometry.tangents[k], normal), 0., 1e-14);

        const FaceGeometry<dim, double> copy(
          [&](const int i) { return FaceGeometry<dim, double>::number(geometry, i); });
        EXPECT_EQ(copy.normal[dim - 1], geometry.normal[dim - 1]);
        EXPECT_EQ(copy.tangents[dim - 2][0], geometry.tangents[dim - 2][0]);
        EXPECT_EQ(copy.parts[dim - 1], geometry.parts[dim - 1]);
      }
  }
} // namespace

TEST(FaceCoordinates, HaveTheSameGradient)
{
  expect_the_same_gradient<2>({{{{1.2, 0.3}}, {{-0.4, 0.9}}}});
  expect_the_same_gradient<3>({{{{1.2, 0.3, 0.1}}, {{-0.4, 0.9, 0.2}}, {{0.3, -0.1, 1.1}}}});
}
