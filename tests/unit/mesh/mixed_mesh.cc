// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Meshes that mix triangles and quadrilaterals: files, mappings, parts and where they meet.
#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/make/gmsh_file.h>
#include <saltus/mesh/point_locator.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/message_of.h>
#include <helpers/mixed.h>
#include <set>
#include <string>

namespace
{
  using namespace dealii;
  using namespace Saltus;
  using namespace Saltus::Tests;

  std::string
  mesh_file(const std::string &format)
  {
    return SALTUS_SOURCE_DIR "tests/unit/mesh/meshes/mixed_" + format + ".msh";
  }

  unsigned int
  n_triangles(const Triangulation<2> &triangulation)
  {
    unsigned int n = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      n += cell->reference_cell() == ReferenceCells::Triangle;
    return n;
  }

  /// Volume, and integral of x y^2, by FEValues with one mapping for all shapes.
  std::pair<double, double>
  integrals(const Mapping<2> &mapping, const Triangulation<2> &triangulation)
  {
    double volume = 0., moment = 0.;
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        const auto          shape = cell->reference_cell();
        const FE_Nothing<2> element(shape);
        FEValues<2>         values(mapping,
                           element,
                           cell_quadrature<2>(shape, 8),
                           update_JxW_values | update_quadrature_points);
        values.reinit(cell);
        for (const unsigned int q : values.quadrature_point_indices())
          {
            const Point<2> x = values.quadrature_point(q);
            volume += values.JxW(q);
            moment += values.JxW(q) * x[0] * x[1] * x[1];
          }
      }
    return {volume, moment};
  }
} // namespace

TEST(MixedMesh, GmshFiles)
{
  for (const char *format : {"22", "41"})
    {
      Triangulation<2> triangulation;
      CurvedNodes<2>   nodes;
      Saltus::GridGenerator::read_mesh<2>(triangulation,
                                          mesh_file(format),
                                          &nodes,
                                          ReferenceCells::Invalid);
      EXPECT_EQ(nodes.degree, 1U);
      EXPECT_TRUE(triangulation.is_mixed_mesh());
      double area[2] = {0., 0.}, length[5] = {};
      for (const auto &cell : triangulation.active_cell_iterators())
        {
          const bool is_triangle = cell->reference_cell() == ReferenceCells::Triangle;
          area[is_triangle] += cell->measure();
          EXPECT_EQ(cell->center()[0] > 0.5, is_triangle);
          EXPECT_EQ(cell->material_id(), is_triangle ? 2U : 1U);
          for (const auto &face : cell->face_iterators())
            if (face->at_boundary())
              length[face->boundary_id()] += face->measure();
        }
      EXPECT_NEAR(area[0], 0.5, 1e-12);
      EXPECT_NEAR(area[1], 0.5, 1e-12);
      for (unsigned int id = 1; id < 5; ++id)
        EXPECT_NEAR(length[id], 1., 1e-12);
      for (unsigned int i = 0; i < 2; ++i) // deal.II refines both shapes
        triangulation.refine_global(1);
      const auto [volume, moment] = integrals(straight_mapping(), triangulation);
      EXPECT_NEAR(volume, 1., 1e-12);
      EXPECT_NEAR(moment, 1. / 6., 1e-12);
    }
}

TEST(MixedMesh, BadGmshFilesAreRefused)
{
  const std::string good    = contents(mesh_file("22"));
  const auto        refusal = [](const std::string &text) {
    return message_of([&]() { parse_mixed_gmsh(text); });
  };
  EXPECT_EQ(refusal(good), "");
  // A line of a physical id at no cell, or between a quadrilateral and a triangle, where it has no
  // effect.
  const auto with_line = [&](const std::string &nodes) {
    std::string text  = good;
    const auto  place = text.find("$Elements\n") + 10;
    const auto  end   = text.find('\n', place);
    const long  n     = std::stol(text.substr(place, end - place));
    text.replace(place, end - place, std::to_string(n + 1) + "\n100000 1 2 9 9 " + nodes);
    return text;
  };
  Triangulation<2> triangulation;
  Saltus::GridGenerator::read_mesh<2>(triangulation,
                                      mesh_file("22"),
                                      nullptr,
                                      ReferenceCells::Invalid);
  EXPECT_NE(refusal(with_line("1 4")).find("at no cell"), std::string::npos);
  const GmshMesh<2> mesh = parse_mixed_gmsh(good);
  std::string       between;
  for (const auto &cell : mesh.cells)
    if (cell.vertices.size() == 4)
      for (const unsigned int j : {1, 3}) // the edge on the right of the cell
        if (mesh.vertices[cell.vertices[j]][0] == 0.5)
          {
            if (std::count(between.begin(), between.end(), ' ') < 2)
              between += std::to_string(cell.vertices[j] + 1) + ' ';
          }
  const GmshMesh<2> with_interior = parse_mixed_gmsh(with_line(between));
  EXPECT_EQ(with_interior.interior_ids, std::set<unsigned int>({9}));
  EXPECT_EQ(with_interior.faces.boundary_lines.size(), mesh.faces.boundary_lines.size());
  EXPECT_NE(refusal("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n").find("neither triangles nor"),
            std::string::npos);
  EXPECT_MESSAGE(parse_gmsh<2>(good, 1), "element type 3 is not accepted");
}

// One mapping for FEValues of both shapes, curved alike at common faces.
TEST(MixedMesh, MappingByShape)
{
  Triangulation<2> ring;
  Saltus::GridGenerator::annulus_quadrilaterals(ring, 1., 2., 4, 24);
  Saltus::GridGenerator::cut_quadrilaterals(ring);
  EXPECT_EQ(n_triangles(ring), 64U);
  EXPECT_EQ(ring.n_active_cells(), 128U);
  const MappingByShape<2> mapping(NodalMapping<2>(manifold_nodes(ring, 2)), MappingQ<2>(2));
  const auto [volume, moment] = integrals(mapping, ring);
  EXPECT_NEAR(volume, 3. * numbers::PI, 2e-4);
  EXPECT_NEAR(moment, 0., 1e-12);

  // Points there and back, also of a copy.
  const std::unique_ptr<Mapping<2>> copy = mapping.clone();
  for (const auto &cell : ring.active_cell_iterators())
    {
      const Point<2> unit(0.2, 0.3), x = copy->transform_unit_to_real_cell(cell, unit);
      EXPECT_LT(copy->transform_real_to_unit_cell(cell, x).distance(unit), 1e-9);
    }
  const PointLocator<2> locator(mapping, ring);
  for (const double angle : {0.1, 1.2, 3.3, 5.5})
    for (const double radius : {1.01, 1.4, 1.99})
      {
        const Point<2> x(radius * std::cos(angle), radius * std::sin(angle));
        const auto     place = locator.find(x);
        EXPECT_TRUE(place.inside());
        auto cell = ring.begin_active();
        std::advance(cell, place.simplex);
        EXPECT_LT(mapping.transform_unit_to_real_cell(cell, place.unit_point).distance(x), 1e-10);
      }
}

TEST(MixedMesh, PartsAndCommonFaces)
{
  Triangulation<2> triangulation;
  make_mixed_box(triangulation, 6, 0.2);
  const MixedMesh<2> meshes = make_mixed_mesh(straight_mapping(), triangulation);
  ASSERT_EQ(meshes.size(), 2U);
  EXPECT_EQ(meshes[0]->n_elements(), n_triangles(triangulation));
  EXPECT_EQ(meshes[0]->n_elements() + meshes[1]->n_elements(), triangulation.n_active_cells());

  unsigned int n_common = 0;
  for (const auto &face : triangulation.active_face_iterators())
    n_common += !face->at_boundary();
  for (const auto &mesh : meshes)
    for (unsigned int e = 0; e < mesh->n_elements(); ++e)
      for (unsigned int f = 0; f < mesh->shape.n_faces; ++f)
        n_common -= mesh->connectivity.face(e, f).kind == FaceKind::interior &&
                    mesh->connectivity.face(e, f).neighbor > static_cast<int>(e);
  const std::vector<MixedFace> faces = find_mixed_faces(meshes);
  EXPECT_EQ(faces.size(), 2 * n_common);
  EXPECT_GT(n_common, 10U);
  const auto center = [&](const MixedFace &face) {
    const auto &mesh    = *meshes[face.mesh];
    const auto &of_mesh = mesh.connectivity.boundary_faces[face.boundary_face];
    EXPECT_TRUE(of_mesh.is_inside());
    return mesh.order.cells[of_mesh.element]->face(of_mesh.cell_face)->center();
  };
  for (unsigned int i = 0; i < faces.size(); ++i)
    {
      EXPECT_EQ(faces[faces[i].across].across, i);
      EXPECT_NE(faces[faces[i].across].mesh, faces[i].mesh);
      EXPECT_EQ(center(faces[i]), center(faces[faces[i].across]));
    }

  // One of them may have no cells.
  Triangulation<2> squares;
  dealii::GridGenerator::subdivided_hyper_cube(squares, 2);
  const MixedMesh<2> of_squares = make_mixed_mesh(straight_mapping(), squares);
  EXPECT_EQ(of_squares[0]->n_elements(), 0U);
  EXPECT_EQ(of_squares[1]->n_elements(), 4U);
  EXPECT_TRUE(find_mixed_faces(of_squares).empty());

  triangulation.begin_active()->set_refine_flag();
  triangulation.execute_coarsening_and_refinement();
  EXPECT_MESSAGE(make_mixed_mesh(straight_mapping(), triangulation), "The mesh has hanging nodes");
}
