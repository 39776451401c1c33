// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/io/parameters/manifold_list.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/mesh/make/round_surface.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/message_of.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// After two refinements all vertices of the boundary part with @p id have the distance
  /// @p radius from the surface's centre or axis, and normals are radial there.
  template <int dim>
  void
  expect_round(Triangulation<dim>      &triangulation,
               const types::boundary_id id,
               const RoundSurface<dim> &surface,
               const double             radius)
  {
    attach_manifold(triangulation, id, surface);
    triangulation.refine_global(2);
    unsigned int n_faces = 0;
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary() && face->boundary_id() == id)
        {
          ++n_faces;
          for (const unsigned int v : face->vertex_indices())
            EXPECT_NEAR(surface.radius(face->vertex(v)).norm(), radius, 1e-13);
          // also where the straight face is not on the surface
          const Point<dim>     point  = face->center();
          const Tensor<1, dim> normal = face->get_manifold().normal_vector(face, point);
          EXPECT_NEAR(normal.norm(), 1., 1e-14);
          EXPECT_NEAR(normal * surface.radius(point), surface.radius(point).norm(), 1e-13);
        }
    EXPECT_GT(n_faces, 0U);
    for (const auto &cell : triangulation.active_cell_iterators())
      EXPECT_GT(cell->measure(), 0.);
  }

  /// The box [1,2]x[0.8,1.6]x[0,0.7], displaced by @p map.
  template <typename Map>
  void
  make_mapped_box(Triangulation<3> &triangulation, const Map &map)
  {
    Saltus::GridGenerator::box<3>(triangulation,
                                  Point<3>(1., 0.8, 0.),
                                  Point<3>(2., 1.6, 0.7),
                                  {2, 3, 2});
    GridTools::transform(map, triangulation);
  }

  template <int dim>
  std::string
  parse_error(const std::string &text)
  {
    return message_of([&]() { parse_manifolds<dim>(text, "Mesh/Manifolds"); });
  }
} // namespace

TEST(RoundSurface, Circle)
{
  for (const types::boundary_id id : {0, 1})
    {
      Triangulation<2> triangulation;
      Saltus::GridGenerator::annulus(triangulation, 1., 3., 3, 12);
      triangulation.reset_all_manifolds();
      triangulation.set_all_manifold_ids(numbers::flat_manifold_id);
      GridTools::shift(Tensor<1, 2>({5., -2.}), triangulation);
      RoundSurface<2> circle;
      circle.center = Point<2>(5., -2.);
      expect_round(triangulation, id, circle, id == 0 ? 1. : 3.);
    }
}

TEST(RoundSurface, Cylinder)
{
  Triangulation<3> triangulation;
  make_mapped_box(triangulation, [](const Point<3> &p) {
    return Point<3>(p[2], 3. + p[0] * std::cos(p[1]), 1. + p[0] * std::sin(p[1]));
  });
  const RoundSurface<3> cylinder{Point<3>(7., 3., 1.), Tensor<1, 3>({-2., 0., 0.})};
  expect_round(triangulation, 1, cylinder, 2.);
}

TEST(RoundSurface, Sphere)
{
  Triangulation<3> triangulation;
  make_mapped_box(triangulation, [](const Point<3> &p) {
    return Point<3>(p[0] * std::sin(p[1]) * std::cos(p[2]),
                    p[0] * std::sin(p[1]) * std::sin(p[2]),
                    4. + p[0] * std::cos(p[1]));
  });
  RoundSurface<3> sphere;
  sphere.center = Point<3>(0., 0., 4.);
  expect_round(triangulation, 0, sphere, 1.);
}

TEST(RoundSurface, RefusesWhatIsNotRound)
{
  Triangulation<2> triangulation;
  Saltus::GridGenerator::annulus(triangulation, 1., 3., 3, 12);
  RoundSurface<2> circle;
  const auto      error = [&](const types::boundary_id id) {
    return message_of([&]() { attach_manifold(triangulation, id, circle); });
  };
  EXPECT_TRUE(contains(error(7), "no boundary face has the id 7"));
  circle.center[1] = 0.01;
  EXPECT_TRUE(contains(error(1), "boundary 1 does not lie on this surface: its vertex at ("));
}

TEST(RoundSurface, IsParsed)
{
  EXPECT_TRUE(parse_manifolds<2>("", "").empty());
  const auto circles = parse_manifolds<2>(" 1: circle (0.5, -2e1),3:circle(0,0)", "");
  ASSERT_EQ(circles.size(), 2U);
  EXPECT_EQ(circles.at(1).center, Point<2>(0.5, -20.));
  EXPECT_EQ(circles.at(1).axis.norm(), 0.);

  const auto surfaces =
    parse_manifolds<3>("2: cylinder (1, 2, 3; 0, 0, 4), 7: sphere (5, 6, 7)", "");
  EXPECT_EQ(surfaces.at(2).center, Point<3>(1., 2., 3.));
  EXPECT_EQ(surfaces.at(2).axis, (Tensor<1, 3>({0., 0., 4.})));
  EXPECT_EQ(surfaces.at(7).center, Point<3>(5., 6., 7.));

  const auto expect_error_2d = [](const std::string &text, const std::string &message) {
    EXPECT_TRUE(contains(parse_error<2>(text), message));
  };
  expect_error_2d("circle (0, 0)", "is no manifold. Expected 'id: kind'");
  expect_error_2d("x: circle (0, 0)", "'x' of 'x: circle (0, 0)' is no boundary id");
  expect_error_2d("1: cirkle (0, 0)", "Did you mean 'circle'?");
  expect_error_2d("1: sphere (0, 0, 0)", "'sphere' of boundary 1 is unknown in 2D");
  expect_error_2d("1: circle", "the 2 coordinates of the centre, not ''");
  expect_error_2d("1: circle (0, 0, 0)", "the 2 coordinates of the centre, not '0, 0, 0'");
  expect_error_2d("1: circle (0, a)", "the 2 coordinates of the centre");
  expect_error_2d("1: circle (0, nan)", "the 2 coordinates of the centre");
  expect_error_2d("1: circle (0, 0; 1, 1)", "the 2 coordinates of the centre");
  expect_error_2d("1: circle (0, 0", "unbalanced parentheses");
  expect_error_2d("1: circle (0, 0), 1: circle (1, 1)", "boundary 1 has two manifolds");
  EXPECT_TRUE(
    contains(parse_error<3>("1: cylinder (0, 0, 0)"), "a semicolon, and those of the axis'"));
  EXPECT_TRUE(
    contains(parse_error<3>("1: cylinder (0, 0, 0; 0, 0, 0)"), "an axis without direction"));
}
