// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Meshes that are curved as elastic bodies, the surfaces they are moved to, and files of them.
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/manifold_lib.h>
#include <deal.II/grid/tria.h>
#ifdef DEAL_II_WITH_OPENCASCADE
#  include <deal.II/opencascade/utilities.h>

#  include <BRepBuilderAPI_MakeEdge.hxx>
#  include <BRepPrimAPI_MakeBox.hxx>
#  include <BRepPrimAPI_MakeSphere.hxx>
#  include <gp_Circ.hxx>
#endif

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/continuous_nodes.h>
#include <saltus/mesh/curve/curve_mesh.h>
#include <saltus/mesh/curve/manifold_surface.h>
#include <saltus/mesh/curve/nodal_mapping.h>
#include <saltus/mesh/make/bodies.h>
#include <saltus/mesh/make/cad_surface.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/mesh/make/write_gmsh.h>

#include <cmath>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <map>
#include <random>

namespace
{
  using namespace dealii;
  using namespace Saltus;
  using namespace Saltus::Tests;

  /// A linear map of the plane or of space, as a "surface".
  template <int dim>
  class Sheared : public Surface<dim>
  {
  public:
    Point<dim>
    closest_point(const Point<dim>              &point,
                  const std::vector<Point<dim>> &corners = {}) const override
    {
      Point<dim> result = point;
      if (corners.empty()) // else it is between places that have been mapped
        for (unsigned int d = 0; d < dim; ++d)
          result[d] += 0.02 * point[(d + 1) % dim] - 0.01 * point[d];
      return result;
    }
  };

  /// Its vertices are on it already, and nodes between two of them far outside of their edge.
  class Bulging : public Surface<2>
  {
  public:
    Point<2>
    closest_point(const Point<2> &point, const std::vector<Point<2>> &corners = {}) const override
    {
      if (corners.empty())
        return point;
      const double length = corners[0].distance(corners[1]);
      return point +
             Point<2>(0., 3. * point.distance(corners[0]) * point.distance(corners[1]) / length);
    }
  };

  template <int dim>
  void
  make_box(Triangulation<dim> &tria, const unsigned int n)
  {
    Point<dim> lower, upper;
    for (unsigned int d = 0; d < dim; ++d)
      upper[d] = 1.;
    Saltus::GridGenerator::box<dim>(tria, lower, upper, std::vector<unsigned int>(dim, n), 0.2);
  }

  template <int dim>
  Curving<dim>
  round_body(const unsigned int degree, const double radius)
  {
    Curving<dim> curving;
    curving.degree      = degree;
    curving.surfaces[1] = std::make_shared<RoundBody<dim>>(RoundSurface<dim>(), radius);
    return curving;
  }

  /// Between a polygon and a square: boundary 1 within, 0 without, cut into triangles.
  /// @param half leave out what is below y = 0, where boundary 2 is then
  void
  make_ring(Triangulation<2> &tria, const unsigned int n_refinements, const bool half = false)
  {
    Triangulation<2> quadrilaterals;
    dealii::GridGenerator::hyper_cube_with_cylindrical_hole(quadrilaterals, 0.5, 1.5);
    quadrilaterals.refine_global(n_refinements);
    Triangulation<2> whole, flat;
    dealii::GridGenerator::flatten_triangulation(quadrilaterals, whole);
    std::set<Triangulation<2>::active_cell_iterator> left_out;
    for (const auto &cell : whole.active_cell_iterators())
      if (half && cell->center()[1] < 0.)
        left_out.insert(cell);
    dealii::GridGenerator::create_triangulation_with_removed_cells(whole, left_out, flat);
    for (const auto &face : flat.active_face_iterators())
      if (face->at_boundary())
        {
          const Point<2> center = face->center();
          face->set_boundary_id(std::abs(center[1]) < 1e-10 ? 2 : center.norm() < 0.6 ? 1 : 0);
        }
    dealii::GridGenerator::convert_hypercube_to_simplex_mesh(flat, tria);
    tria.reset_all_manifolds();
  }

  template <int dim>
  double
  volume(const Triangulation<dim> &tria, const CurvedNodes<dim> &nodes)
  {
    const NodalMapping<dim> mapping(nodes);
    const FE_Nothing<dim>   nothing(ReferenceCells::get_simplex<dim>());
    FEValues<dim> values(mapping, nothing, simplex_quadrature<dim>(10), update_JxW_values);
    double        result = 0.;
    for (const auto &cell : tria.active_cell_iterators())
      {
        values.reinit(cell);
        for (const unsigned int q : values.quadrature_point_indices())
          result += values.JxW(q);
      }
    return result;
  }

  template <int dim>
  void
  test_numbers(const unsigned int degree)
  {
    Triangulation<dim> tria;
    make_box(tria, 2);
    const ContinuousNodes<dim>         numbers(tria, degree);
    std::map<unsigned int, Point<dim>> places;
    for (const auto &cell : tria.active_cell_iterators())
      for (unsigned int n = 0; n < numbers.weights().size(); ++n)
        {
          const Point<dim> unit  = gmsh_nodes<dim>(degree)[n];
          Point<dim>       place = cell->vertex(0);
          for (unsigned int d = 0; d < dim; ++d)
            place += unit[d] * (cell->vertex(d + 1) - cell->vertex(0));
          const auto [known, is_new] = places.emplace(numbers(cell, n), place);
          EXPECT_LT(known->second.distance(place), 1e-14);
        }
    EXPECT_EQ(places.size(), numbers.size());
    const unsigned int k       = degree - 1;
    unsigned int       n_nodes = tria.n_vertices() + k * tria.n_active_lines();
    if (dim == 2)
      n_nodes += k * (k - 1) / 2 * tria.n_active_cells();
    else
      n_nodes +=
        k * (k - 1) / 2 * tria.n_active_faces() + k * (k - 1) * (k - 2) / 6 * tria.n_active_cells();
    EXPECT_EQ(numbers.size(), n_nodes);
  }

  TEST(CurveMesh, NodesAreSharedByCells)
  {
    for (const unsigned int degree : {1, 2, 3, 4, 5})
      {
        test_numbers<2>(degree);
        test_numbers<3>(degree);
      }
  }

  /// Linear displacements have no forces: what is elastic follows a linear map of its boundary.
  template <int dim>
  void
  test_linear(const unsigned int degree)
  {
    Triangulation<dim> tria, before;
    make_box(tria, 3);
    before.copy_triangulation(tria);
    Curving<dim> curving;
    curving.degree        = degree;
    curving.poisson_ratio = 0.45;
    for (const auto id : tria.get_boundary_ids())
      curving.surfaces[id] = std::make_shared<Sheared<dim>>();
    const CurvedNodes<dim> nodes = curve_mesh(tria, curving);
    const Sheared<dim>     map;
    auto                   old = before.begin_active();
    for (const auto &cell : tria.active_cell_iterators())
      {
        for (unsigned int v = 0; v <= dim; ++v)
          {
            EXPECT_LT(cell->vertex(v).distance(map.closest_point(old->vertex(v))), 1e-12);
            EXPECT_EQ(cell->vertex(v), nodes.positions[cell->active_cell_index()][v]);
          }
        ++old;
      }
    for (const double jacobian : scaled_jacobians(nodes))
      EXPECT_NEAR(jacobian, 1., 1e-10);
  }

  TEST(CurveMesh, LinearMapsAreReproduced)
  {
    for (const unsigned int degree : {1, 2, 3})
      test_linear<2>(degree);
    test_linear<3>(2);
  }

  TEST(CurveMesh, CirclesAreRoundWithAHighOrder)
  {
    for (const unsigned int degree : {2, 3, 4})
      {
        double previous = 0.;
        for (const unsigned int n_refinements : {1, 2})
          {
            Triangulation<2> tria;
            make_ring(tria, n_refinements);
            const CurvedNodes<2> nodes       = curve_mesh(tria, round_body<2>(degree, 0.5));
            unsigned int         n_on_circle = 0;
            for (unsigned int c = 0; c < nodes.positions.size(0); ++c)
              for (unsigned int n = 0; n < nodes.positions.size(1); ++n)
                {
                  EXPECT_GT(nodes.positions[c][n].norm(), 0.5 - 1e-14);
                  n_on_circle += nodes.positions[c][n].norm() < 0.5 + 1e-14;
                }
            EXPECT_GT(n_on_circle, 0U);
            EXPECT_NO_THROW(check_not_folded(tria, nodes));
            const double error = std::abs(volume(tria, nodes) - (9. - numbers::PI / 4.));
            if (n_refinements > 1)
              {
                EXPECT_GT(std::log2(previous / error), degree + 0.7) << "degree " << degree;
              }
            previous = error;
          }
      }
  }

  /// Tetrahedra between the spheres of radius 0.5, boundary 1, and 1, boundary 0.
  void
  make_shell(Triangulation<3> &tria)
  {
    Triangulation<3> hexahedra, refined;
    dealii::GridGenerator::hyper_shell(hexahedra, Point<3>(), 0.5, 1., 6);
    for (const auto &cell : hexahedra.active_cell_iterators())
      for (const unsigned int f : cell->face_indices())
        if (cell->face(f)->at_boundary())
          cell->face(f)->set_all_boundary_ids(cell->face(f)->center().norm() < 0.5 ? 1 : 0);
    hexahedra.refine_global(1);
    dealii::GridGenerator::flatten_triangulation(hexahedra, refined);
    dealii::GridGenerator::convert_hypercube_to_simplex_mesh(refined, tria);
    tria.reset_all_manifolds();
  }

  TEST(CurveMesh, ShellsAreRound)
  {
    Triangulation<3> tria;
    make_shell(tria);
    const double straight      = GridTools::volume(tria, MappingFE<3>{FE_SimplexP<3>(1)});
    auto         curving       = round_body<3>(3, 0.5);
    curving.surfaces[0]        = std::make_shared<RoundBody<3>>(RoundSurface<3>(), 1.);
    const CurvedNodes<3> nodes = curve_mesh(tria, curving);
    EXPECT_NO_THROW(check_not_folded(tria, nodes));
    const double exact = 4. / 3. * numbers::PI * (1. - 0.125);
    EXPECT_LT(std::abs(volume(tria, nodes) - exact), 0.02 * std::abs(straight - exact));
  }

  /// All nodes of faces on boundary 1 lie on the round surface, and cells agree on those they
  /// share.
  template <int dim>
  void
  test_nodes(Triangulation<dim> &tria, const unsigned int degree)
  {
    SCOPED_TRACE(std::to_string(dim) + "D, degree " + std::to_string(degree));
    const CurvedNodes<dim>             nodes = curve_mesh(tria, round_body<dim>(degree, 0.5));
    const ContinuousNodes<dim>         numbers(tria, degree);
    std::map<unsigned int, Point<dim>> places;
    unsigned int                       n_on_surface = 0;
    for (const auto &cell : tria.active_cell_iterators())
      {
        for (unsigned int n = 0; n < numbers.weights().size(); ++n)
          {
            const Point<dim> &place = nodes.positions[cell->active_cell_index()][n];
            EXPECT_EQ(places.emplace(numbers(cell, n), place).first->second, place);
          }
        for (const unsigned int f : cell->face_indices())
          if (cell->at_boundary(f) && cell->face(f)->boundary_id() == 1)
            for (unsigned int n = 0; n < numbers.weights().size(); ++n)
              {
                unsigned int on_face = 0; // of the weights
                for (unsigned int v = 0; v <= dim; ++v)
                  for (const unsigned int w : cell->face(f)->vertex_indices())
                    if (cell->face(f)->vertex_index(w) == cell->vertex_index(v))
                      on_face += numbers.weights()[n][v];
                if (on_face == degree)
                  {
                    EXPECT_NEAR(nodes.positions[cell->active_cell_index()][n].norm(), 0.5, 1e-15);
                    ++n_on_surface;
                  }
              }
      }
    EXPECT_GT(n_on_surface, 0U);
    EXPECT_NO_THROW(check_not_folded(tria, nodes));
  }

  TEST(CurveMesh, NodesAreOnTheSurfaceAndShared)
  {
    for (const unsigned int degree : {2, 3, 4})
      {
        Triangulation<2> ring;
        make_ring(ring, 1);
        test_nodes(ring, degree);
        Triangulation<3> shell;
        make_shell(shell);
        test_nodes(shell, degree);
      }
  }

  TEST(CurveMesh, PlanesOfSymmetrySlide)
  {
    Triangulation<2> tria;
    make_ring(tria, 1, true);
    Curving<2> curving         = round_body<2>(3, 0.49); // so that the vertices move, too
    curving.sliding            = {2};
    const CurvedNodes<2> nodes = curve_mesh(tria, curving);
    double               moved = 0.;
    for (const auto &cell : tria.active_cell_iterators())
      for (const unsigned int f : cell->face_indices())
        if (cell->face(f)->at_boundary() && cell->face(f)->boundary_id() == 2)
          for (const unsigned int v : cell->face(f)->vertex_indices())
            {
              const Point<2> vertex = cell->face(f)->vertex(v);
              EXPECT_NEAR(vertex[1], 0., 1e-14);
              if (std::abs(vertex[0]) < 1.4 && std::abs(vertex[0]) > 0.55)
                moved = std::max(moved, std::abs(std::fmod(std::abs(vertex[0]), 0.25)));
            }
    EXPECT_GT(moved, 1e-3);
    EXPECT_NO_THROW(check_not_folded(tria, nodes));
  }

  /// Triangles in layers along a polygon around a circle, each @p growth times as thick as the one
  /// within, boundary 1 within, 0 without.
  void
  make_layers(Triangulation<2>  &tria,
              const unsigned int n_edges,
              const unsigned int n_layers,
              double             thickness,
              const double       growth)
  {
    std::vector<Point<2>>    vertices;
    std::vector<CellData<2>> cells;
    double                   radius = 0.5;
    for (unsigned int k = 0; k <= n_layers; ++k, radius += thickness, thickness *= growth)
      for (unsigned int i = 0; i < n_edges; ++i)
        {
          const double angle = 2. * numbers::PI * i / n_edges;
          vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
          const unsigned int j = (i + 1) % n_edges;
          const unsigned int a = k * n_edges + i, b = k * n_edges + j;
          if (k < n_layers)
            for (const auto &corners : {std::array<unsigned int, 3>{{a, a + n_edges, b}},
                                        std::array<unsigned int, 3>{{b, a + n_edges, b + n_edges}}})
              {
                cells.emplace_back(3);
                std::copy(corners.begin(), corners.end(), cells.back().vertices.begin());
              }
        }
    tria.create_triangulation(vertices, cells, SubCellData());
    for (const auto &face : tria.active_face_iterators())
      if (face->at_boundary())
        face->set_boundary_id(face->center().norm() < 0.5 ? 1 : 0);
  }

  TEST(CurveMesh, ThinLayersAreNotFolded)
  {
    Triangulation<2> tria;
    const double     edge = 2. * 0.5 * std::sin(numbers::PI / 16.);
    make_layers(tria, 16, 20, edge / 50., 1.25);
    const CurvedNodes<2> curved = curve_mesh(tria, round_body<2>(3, 0.5));
    EXPECT_NO_THROW(check_not_folded(tria, curved));
    const auto jacobians = scaled_jacobians(curved);
    EXPECT_GT(*std::min_element(jacobians.begin(), jacobians.end()), 0.3);

    // If only the nodes of the circle moved, the cells there would be.
    Curving<2> none;
    none.degree                = 3;
    CurvedNodes<2> moved       = curve_mesh(tria, none);
    unsigned int   n_on_circle = 0;
    for (unsigned int c = 0; c < moved.positions.size(0); ++c)
      for (unsigned int n = 0; n < moved.positions.size(1); ++n)
        if (curved.positions[c][n].norm() < 0.5 + 1e-14)
          {
            moved.positions[c][n] = curved.positions[c][n];
            ++n_on_circle;
          }
    EXPECT_EQ(n_on_circle, 16U * 4U + 16U); // of cells with an edge there, and with a vertex
    EXPECT_TRUE(contains(message_of([&] { check_not_folded(tria, moved); }), "16 of 640 cells"));
  }

  TEST(CurveMesh, PointsOfAProfile)
  {
    const NacaProfile<2>                   profile("2412", Point<2>(1., 0.5), 2.);
    std::mt19937                           random(1);
    std::uniform_real_distribution<double> along(0.7, 3.3), across(0.2, 0.8);
    for (unsigned int i = 0; i < 50; ++i)
      {
        const Point<2> point(along(random), across(random));
        double         nearest = 1e10;
        for (int k = -20000; k <= 20000; ++k)
          nearest = std::min(nearest, point.distance(profile.at(k / 20000.)));
        const double found = point.distance(profile.closest_point(point));
        EXPECT_LE(found, nearest + 1e-14);
        EXPECT_GT(found, nearest - 1e-6);
      }
    // The largest thickness of a symmetric one: 12% at 30% of the chord; a sharp trailing edge.
    const NacaProfile<2> symmetric("0012", Point<2>(), 1.);
    EXPECT_NEAR(symmetric.at(std::sqrt(0.3))[1], 0.06, 2e-4);
    EXPECT_NEAR(symmetric.at(-std::sqrt(0.3))[1], -0.06, 2e-4);
    EXPECT_LT(symmetric.at(1.).distance(Point<2>(1., 0.)), 1e-12);
    // Near the thin edge the other side is nearer, but is not taken.
    const Point<2> corner = symmetric.at(0.98), edge = symmetric.at(1.);
    const Point<2> below(0.97, -0.01);
    EXPECT_LT(symmetric.closest_point(below)[1], 0.);
    EXPECT_GE(symmetric.closest_point(below, {corner, edge})[1], 0.);
  }

  /// An arc between two points, and a part of a sphere between three.
  TEST(CurveMesh, ManifoldsOfDealII)
  {
    const ManifoldSurface<2> circle(std::make_shared<PolarManifold<2>>());
    const Point<2>           first(1., 0.), second(0., 1.), there = first + 0.3 * (second - first);
    EXPECT_LT(circle.closest_point(first).distance(first), 1e-14);
    const double angle = 0.3 * numbers::PI_2;
    EXPECT_LT(circle.closest_point(there, {first, second})
                .distance(Point<2>(std::cos(angle), std::sin(angle))),
              1e-13);
    const SphericalManifold<3>  sphere;
    const ManifoldSurface<3>    surface(std::make_shared<SphericalManifold<3>>());
    const std::vector<Point<3>> corners = {{1., 0., 0.}, {0., 1., 0.}, {0., 0., 1.}};
    const std::vector<double>   weights = {0.2, 0.5, 0.3};
    const Point<3>              point(0.2, 0.5, 0.3);
    EXPECT_LT(surface.closest_point(point, corners)
                .distance(sphere.get_new_point(make_array_view(corners), make_array_view(weights))),
              1e-12);
  }

#ifdef DEAL_II_WITH_OPENCASCADE
  TEST(CurveMesh, ShapesOfCadFiles)
  {
    const std::string                      step = ::testing::TempDir() + "saltus_body.step";
    std::mt19937                           random(1);
    std::uniform_real_distribution<double> anywhere(-1., 1.);
    OpenCASCADE::write_STEP(BRepPrimAPI_MakeSphere(500.).Shape(), step);
    const CadSurface<3> sphere(step, 1e-3);
    for (unsigned int i = 0; i < 20; ++i)
      {
        const Point<3> point(anywhere(random), anywhere(random), anywhere(random));
        EXPECT_LT(sphere.closest_point(point).distance(Point<3>(0.5 / point.norm() * point)), 1e-7);
      }

    // A thin plate: from below its middle plane the lower side is nearer, but is not taken.
    const std::string iges = ::testing::TempDir() + "saltus_body.igs";
    OpenCASCADE::write_IGES(BRepPrimAPI_MakeBox(1., 1., 0.01).Shape(), iges);
    const CadSurface<3> plate(iges, 1.);
    const Point<3>      below(0.5, 0.4, 0.004);
    EXPECT_NEAR(plate.closest_point(below)[2], 0., 1e-7);
    const Point<3> on_top = plate.closest_point(
      below, {Point<3>(0.4, 0.3, 0.01), Point<3>(0.6, 0.3, 0.01), Point<3>(0.5, 0.6, 0.01)});
    EXPECT_LT(on_top.distance(Point<3>(0.5, 0.4, 0.01)), 1e-7);

    OpenCASCADE::write_STEP(BRepBuilderAPI_MakeEdge(gp_Circ(gp_Ax2(), 2.)).Shape(), step);
    const CadSurface<2> circle(step, 0.5);
    EXPECT_LT(circle.closest_point(Point<2>(3., 4.)).distance(Point<2>(0.6, 0.8)), 1e-7);
    EXPECT_TRUE(contains(message_of([&] { CadSurface<3>(step, 1.); }), "has no faces"));
    EXPECT_TRUE(contains(message_of([&] { CadSurface<3>("body.obj", 1.); }), "is no CAD file"));
    EXPECT_TRUE(contains(message_of([&] { CadSurface<3>("none.step", 1.); }),
                         "none.step cannot be read: No such file"));
    std::ofstream(step) << "no shape";
    EXPECT_TRUE(contains(message_of([&] { CadSurface<3>(step, 1.); }), "as a step file"));
  }
#endif

  TEST(CurveMesh, FoldedCellsAreNamedOrStraightened)
  {
    Triangulation<2> tria;
    make_box(tria, 2);
    CurvedNodes<2> nodes = curve_mesh(tria, [] {
      Curving<2> none;
      none.degree = 3;
      return none;
    }());
    EXPECT_NO_THROW(check_not_folded(tria, nodes));
    const CurvedNodes<2> straight = nodes;
    nodes.positions[3][9] += (nodes.positions[3][1] - nodes.positions[3][0]); // the middle
    EXPECT_LT(scaled_jacobians(nodes)[3], 0.);
    EXPECT_NE(message_of([&] { check_not_folded(tria, nodes); }).find("1 of 8 cells are folded"),
              std::string::npos);
    const Tensor<1, 2> displacement = nodes.positions[3][9] - straight.positions[3][9];
    EXPECT_EQ(straighten_folded(tria, nodes), 1U);
    EXPECT_GE(scaled_jacobians(nodes)[3], 0.1);
    // By as many halves as are needed.
    const double kept =
      (nodes.positions[3][9] - straight.positions[3][9]).norm() / displacement.norm();
    EXPECT_NEAR(std::log2(kept), std::round(std::log2(kept)), 1e-10);
    nodes.positions[3][9] = straight.positions[3][9] + 2. * kept * displacement;
    EXPECT_LT(scaled_jacobians(nodes)[3], 0.1);
    nodes.positions[3][9] = straight.positions[3][9];
    for (unsigned int c = 0; c < 8; ++c)
      for (unsigned int n = 0; n < 10; ++n)
        EXPECT_LT(nodes.positions[c][n].distance(straight.positions[c][n]), 1e-14);
  }

  /// The corner of a triangle with two edges on a circle is flat once these are curved.
  TEST(CurveMesh, SliversAreCurvedLess)
  {
    for (const unsigned int degree : {2, 3, 4})
      {
        Triangulation<2>            tria;
        const std::vector<Point<2>> vertices = {{0., -0.5}, {0.3, 0.4}, {0., 0.43}, {-0.3, 0.4}};
        std::vector<CellData<2>>    cells(2, CellData<2>(3));
        cells[0].vertices = {0, 1, 3};
        cells[1].vertices = {1, 2, 3};
        tria.create_triangulation(vertices, cells, SubCellData());
        for (const auto &face : tria.active_face_iterators())
          if (face->at_boundary())
            face->set_boundary_id(face->center()[1] > 0.4 ? 1 : 0);
        Curving<2> curving;
        curving.degree      = degree;
        curving.surfaces[1] = std::make_shared<Bulging>();
        CurvedNodes<2> less = curve_mesh(tria, curving);
        const auto     all  = less;
        EXPECT_LT(scaled_jacobians(all)[1], 0.);
        EXPECT_GE(straighten_folded(tria, less), 1U);
        EXPECT_GE(scaled_jacobians(less)[1], 0.1);
        // More than four halvings leave some of the way of the edge's nodes.
        const Point<2> straight =
          Point<2>(vertices[1] + (vertices[2] - vertices[1]) / double(degree));
        const double kept =
          (less.positions[1][3] - straight).norm() / (all.positions[1][3] - straight).norm();
        EXPECT_LT(kept, 1. / 20.);
        EXPECT_GT(kept, 0.);
        EXPECT_NEAR(std::log2(kept), std::round(std::log2(kept)), 1e-10);
      }
  }

  template <int dim>
  void
  test_file(const unsigned int degree)
  {
    Triangulation<dim> tria, read;
    make_box(tria, 2);
    unsigned int id = 1;
    for (const auto &face : tria.active_face_iterators())
      if (face->at_boundary())
        face->set_boundary_id(id++ % 4);
    for (const auto &cell : tria.active_cell_iterators())
      cell->set_material_id(cell->active_cell_index() % 3);
    auto curving                     = Curving<dim>();
    curving.degree                   = degree;
    CurvedNodes<dim>           nodes = curve_mesh(tria, curving), nodes_read;
    const ContinuousNodes<dim> numbers(tria, degree);
    for (const auto &cell : tria.active_cell_iterators())
      for (unsigned int n = dim + 1; n < numbers.weights().size(); ++n)
        nodes.positions[cell->active_cell_index()][n][0] +=
          1e-3 * std::sin(double(numbers(cell, n)));
    const std::string file = ::testing::TempDir() + "saltus_curved.msh";
    std::ofstream     stream(file);
    write_gmsh(stream, tria, nodes);
    stream.close();
    Saltus::GridGenerator::read_mesh(read, file, &nodes_read);
    if (degree == 1)
      nodes_read = nodes; // straight meshes have none
    ASSERT_EQ(read.n_active_cells(), tria.n_active_cells());
    EXPECT_EQ(nodes_read.degree, degree);
    for (const auto &cell : read.active_cell_iterators())
      EXPECT_EQ(cell->material_id(), cell->active_cell_index() % 3);
    const auto in_order = in_order_of(read, nodes);
    for (unsigned int c = 0; degree > 1 && c < read.n_active_cells(); ++c)
      for (unsigned int n = 0; n < numbers.weights().size(); ++n)
        EXPECT_EQ(nodes_read.positions[c][n], in_order.positions[c][n]);
    std::map<std::array<double, dim>, unsigned int> ids;
    const auto                                      key = [](const Point<dim> &p) {
      std::array<double, dim> result;
      for (unsigned int d = 0; d < dim; ++d)
        result[d] = std::round(1e10 * p[d]);
      return result;
    };
    for (const auto &face : tria.active_face_iterators())
      if (face->at_boundary())
        ids[key(face->center())] = face->boundary_id();
    for (const auto &face : read.active_face_iterators())
      if (face->at_boundary())
        {
          EXPECT_EQ(ids.at(key(face->center())), face->boundary_id());
        }
  }

  TEST(CurveMesh, FilesAreReadAgain)
  {
    for (const unsigned int degree : {1, 2, 3, 5})
      {
        test_file<2>(degree);
        test_file<3>(degree);
      }
  }

  TEST(CurveMesh, BadInputIsRefused)
  {
    Triangulation<2> tria;
    make_ring(tria, 1);
    const auto message = [&](const Curving<2> &curving) {
      return message_of([&] { curve_mesh(tria, curving); });
    };
    const auto contains = [](const std::string &text, const std::string &part) {
      return text.find(part) != std::string::npos;
    };
    EXPECT_TRUE(contains(message(round_body<2>(2, 2.)), "the surface is not that of this mesh"));
    EXPECT_TRUE(contains(message(round_body<2>(2, 2.)), "the nearest point of which is ("));
    Curving<2> curving  = round_body<2>(2, 0.5);
    curving.surfaces[7] = curving.surfaces[1];
    EXPECT_TRUE(contains(message(curving),
                         "no boundary face with the id 7, which is to be moved onto a surface;"));
    curving         = round_body<2>(2, 0.5);
    curving.sliding = {8};
    EXPECT_TRUE(contains(message(curving), "no boundary face with the id 8, which is to slide;"));
    curving               = round_body<2>(2, 0.5);
    curving.poisson_ratio = 0.5;
    EXPECT_TRUE(contains(message(curving), "Poisson ratio"));
    curving     = round_body<2>(2, 0.5);
    curving.box = {Point<2>(0., 0.), Point<2>(1., 1.)};
    EXPECT_TRUE(contains(message(curving), "outside of the box"));
    EXPECT_TRUE(contains(message_of([] { NacaProfile<2>("12", Point<2>(), 1.); }), "four digits"));
  }
} // namespace
