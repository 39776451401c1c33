// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Meshes with curved cells: made along manifolds, refined, searched for points.
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/manifold_nodes.h>
#include <saltus/mesh/curve/nodal_mapping.h>
#include <saltus/mesh/curve/refine_curved.h>
#include <saltus/mesh/make/round_surface.h>
#include <saltus/mesh/point_locator.h>

#include <gtest/gtest.h>
#include <helpers/hypercubes.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>

namespace
{
  using namespace dealii;
  using namespace Saltus;
  using namespace Saltus::Tests;

  std::string
  mesh_file(const std::string &name)
  {
    return SALTUS_SOURCE_DIR "tests/unit/mesh/meshes/" + name + ".msh";
  }

  /// Volume of a mesh by a rule that is exact for polynomials of a degree; no cell may be folded,
  /// and neighbours must have the same points on their faces.
  template <int dim>
  double
  checked_volume(const Mapping<dim>       &mapping,
                 const Triangulation<dim> &triangulation,
                 const unsigned int        degree)
  {
    const FE_Nothing<dim>     nothing(ReferenceCells::get_simplex<dim>());
    const Quadrature<dim - 1> on_face = simplex_quadrature<dim - 1>(4);
    FEValues<dim>     in_cell(mapping, nothing, simplex_quadrature<dim>(degree), update_JxW_values);
    FEFaceValues<dim> here(mapping, nothing, on_face, update_quadrature_points);
    FEFaceValues<dim> there(mapping, nothing, on_face, update_quadrature_points);
    double            volume = 0.;
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        in_cell.reinit(cell);
        for (const unsigned int q : in_cell.quadrature_point_indices())
          {
            EXPECT_GT(in_cell.JxW(q), 0.);
            volume += in_cell.JxW(q);
          }
        for (const unsigned int f : cell->face_indices())
          if (!cell->at_boundary(f))
            {
              here.reinit(cell, f);
              there.reinit(cell->neighbor(f), cell->neighbor_of_neighbor(f));
              for (const Point<dim> &point : here.get_quadrature_points())
                {
                  double nearest = 1.;
                  for (const Point<dim> &other : there.get_quadrature_points())
                    nearest = std::min(nearest, point.distance(other));
                  EXPECT_LT(nearest, 1e-13);
                }
            }
      }
    return volume;
  }

  template <int dim>
  double
  checked_volume(const CurvedNodes<dim> &nodes, const Triangulation<dim> &triangulation)
  {
    return checked_volume(NodalMapping<dim>(nodes), triangulation, dim * (nodes.degree - 1));
  }

  /// Errors of the volume of a round mesh and of one that is refined once.
  template <int dim>
  void
  check_round(Triangulation<dim> &triangulation, const double volume, const unsigned int max_degree)
  {
    std::vector<double> coarse;
    for (const bool refined : {false, true})
      {
        for (unsigned int degree = 2; degree <= max_degree; ++degree)
          {
            SCOPED_TRACE("degree " + std::to_string(degree));
            const auto   nodes = manifold_nodes(triangulation, degree);
            const double error = std::abs(checked_volume(nodes, triangulation) - volume) / volume;
            if (!refined)
              coarse.push_back(error);
            else
              EXPECT_LT(error, 1.5 * std::pow(0.5, degree + 1) * coarse[degree - 2] + 1e-13);
          }
        triangulation.refine_global(1);
      }
    EXPECT_LT(coarse.back(), 1e-2 * coarse.front());
  }

  /// The nodes of the vertices of a file, as straight cells that a manifold is to curve.
  void
  read_ball(Triangulation<3> &triangulation)
  {
    CurvedNodes<3> nodes;
    Saltus::GridGenerator::read_mesh(triangulation, mesh_file("ball_2_22"), &nodes);
    attach_manifold<3>(triangulation, 1, {Point<3>(), {}});
  }

  template <int dim>
  void
  check_refinement(const std::string &file)
  {
    SCOPED_TRACE(file);
    Triangulation<dim> triangulation;
    CurvedNodes<dim>   nodes;
    Saltus::GridGenerator::read_mesh(triangulation, mesh_file(file), &nodes);
    const CurvedNodes<dim> coarse_nodes = nodes;
    const double           volume       = checked_volume(nodes, triangulation);
    Triangulation<dim>     coarse;
    coarse.copy_triangulation(triangulation);
    const NodalMapping<dim> coarse_mapping(coarse_nodes);
    const PointLocator<dim> locator(coarse_mapping, coarse);

    for (unsigned int n = 0; n < 2; ++n)
      {
        EXPECT_MESSAGE((refine_curved(triangulation, nodes),
                        NodalMapping<dim>(n == 0 ? coarse_nodes : CurvedNodes<dim>())
                          .transform_unit_to_real_cell(triangulation.begin_active(), Point<dim>())),
                       "belong to another mesh");
        EXPECT_NEAR(checked_volume(nodes, triangulation), volume, 1e-13);
      }

    // A boundary face is a part of one of the coarse mesh.
    for (const auto &cell : triangulation.active_cell_iterators())
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f))
          for (unsigned int v = 0; v < dim; ++v)
            {
              const auto place = locator.find(cell->face(f)->vertex(v));
              double     rest  = 1.;
              double     least = 1.;
              for (unsigned int d = 0; d < dim; ++d)
                {
                  rest -= place.unit_point[d];
                  least = std::min(least, place.unit_point[d]);
                }
              EXPECT_NEAR(std::min(least, rest), 0., 1e-12);
            }
  }

  template <int dim>
  void
  check_locator(const Mapping<dim> &mapping, const Triangulation<dim> &triangulation)
  {
    const PointLocator<dim>       locator(mapping, triangulation);
    const std::vector<Point<dim>> points =
      cell_quadrature<dim>(triangulation.begin()->reference_cell(), 7).get_points();
    unsigned int number = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        for (const Point<dim> &point : points)
          {
            const auto place = locator.find(mapping.transform_unit_to_real_cell(cell, point));
            EXPECT_EQ(place.simplex, number);
            EXPECT_LT(place.unit_point.distance(point), 1e-12);
            EXPECT_TRUE(place.inside());
          }
        ++number;
      }
    Point<dim> far;
    far[0] = 2.5;
    EXPECT_FALSE(locator.find(far).inside());
  }

  template <int dim>
  void
  check_locator(const std::string &file)
  {
    SCOPED_TRACE(file);
    Triangulation<dim> triangulation;
    CurvedNodes<dim>   nodes;
    Saltus::GridGenerator::read_mesh(triangulation, mesh_file(file), &nodes);
    check_locator(NodalMapping<dim>(nodes), triangulation);
  }

  /// With cells of different sizes, turned against each other.
  template <int dim>
  void
  check_locator_of_hypercubes()
  {
    for (const Cells cells : {Cells::parallelepipeds, Cells::turned, Cells::refined})
      {
        const HypercubeBox<dim> box(3, cells);
        check_locator(box.mapping, box.triangulation);
      }
  }
} // namespace

/// An edge on a circle is an arc with nodes at equal angles.
TEST(CurvedMeshes, NodesOnCircle)
{
  Triangulation<2> triangulation;
  Saltus::GridGenerator::disc(triangulation, 2., 2);
  const auto   nodes       = manifold_nodes(triangulation, 4);
  const auto   unit_points = gmsh_nodes<2>(4);
  unsigned int n_on_circle = 0;
  for (const auto &cell : triangulation.active_cell_iterators())
    for (unsigned int n = 0; n < unit_points.size(); ++n)
      for (const unsigned int f : cell->face_indices())
        if (cell->at_boundary(f) && std::abs(f == 0   ? unit_points[n][1]
                                             : f == 1 ? 1. - unit_points[n][0] - unit_points[n][1]
                                                      : unit_points[n][0]) < 1e-12)
          {
            EXPECT_NEAR(nodes.positions[cell->active_cell_index()][n].norm(), 2., 1e-14);
            ++n_on_circle;
          }
  EXPECT_EQ(n_on_circle, 12U * 5U);
}

TEST(CurvedMeshes, Disc)
{
  Triangulation<2> triangulation;
  Saltus::GridGenerator::disc(triangulation, 1., 2);
  check_round(triangulation, numbers::PI, 6);
}

TEST(CurvedMeshes, Annulus)
{
  Triangulation<2> triangulation;
  Saltus::GridGenerator::annulus(triangulation, 1., 2., 3, 12);
  check_round(triangulation, 3. * numbers::PI, 6);
}

TEST(CurvedMeshes, Sphere)
{
  Triangulation<3> triangulation;
  read_ball(triangulation);
  check_round(triangulation, numbers::PI / 6., 4);
}

/// The curved side of a quarter of a cylinder: a box that is bent, whose diagonals are no circles.
TEST(CurvedMeshes, Cylinder)
{
  Triangulation<3> triangulation;
  Saltus::GridGenerator::box<3>(triangulation,
                                Point<3>(1., 0., 0.),
                                Point<3>(2., numbers::PI / 2., 1.),
                                {1, 3, 1});
  GridTools::transform(
    [](const Point<3> &p) { return Point<3>(p[0] * std::cos(p[1]), p[0] * std::sin(p[1]), p[2]); },
    triangulation);
  Tensor<1, 3> axis;
  axis[2] = 1.;
  attach_manifold<3>(triangulation, 0, {Point<3>(), axis});
  attach_manifold<3>(triangulation, 1, {Point<3>(), axis});
  check_round(triangulation, 0.75 * numbers::PI, 4);
}

TEST(CurvedMeshes, Refinement)
{
  for (const char *degree : {"2", "4"})
    {
      check_refinement<2>(std::string("annulus_") + degree + "_22");
      check_refinement<3>(std::string("ball_") + degree + "_22");
    }
}

TEST(CurvedMeshes, Locator)
{
  check_locator<2>("annulus_3_22");
  check_locator<3>("ball_3_22");
}

TEST(CurvedMeshes, LocatorOfHypercubes)
{
  check_locator_of_hypercubes<2>();
  check_locator_of_hypercubes<3>();
}
