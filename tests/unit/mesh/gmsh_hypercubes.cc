// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>

#include <saltus/mesh/curve/coarse_cell_mapping.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/make/gmsh_file.h>
#include <saltus/mesh/make/grid_generator.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/cell_volumes.h>
#include <helpers/files.h>
#include <helpers/message_of.h>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace
{
  using namespace dealii;
  using namespace Saltus;
  using namespace Saltus::Tests;

  template <int dim>
  ReferenceCell
  hypercube()
  {
    return ReferenceCells::get_hypercube<dim>();
  }

  std::string
  mesh_file(const std::string &name, const unsigned int degree)
  {
    return SALTUS_SOURCE_DIR "tests/unit/mesh/meshes/" + name + "_" + std::to_string(degree) +
           ".msh";
  }

  template <int dim>
  CurvedNodes<dim>
  read(Triangulation<dim> &tria, const std::string &name, const unsigned int degree)
  {
    CurvedNodes<dim> nodes;
    GridGenerator::read_mesh(tria, mesh_file(name, degree), &nodes, hypercube<dim>());
    EXPECT_EQ(nodes.degree, degree);
    EXPECT_EQ(nodes.positions.size(0), tria.n_active_cells());
    EXPECT_GT(tria.n_active_cells(), 1U);
    return nodes;
  }

  /// Each vertex of the reference cell to each other one, each direction to each other one: as an
  /// affine map moves the nodes.
  template <int dim>
  void
  check_renumbering(const unsigned int degree)
  {
    const std::vector<Point<dim>> nodes = gmsh_nodes<dim>(degree, hypercube<dim>());
    ASSERT_EQ(nodes.size(), std::pow(degree + 1, dim));
    std::vector<unsigned int> directions(dim);
    std::iota(directions.begin(), directions.end(), 0);
    do
      for (unsigned int mirrored = 0; mirrored < 1 << dim; ++mirrored)
        {
          const auto image = [&](const Point<dim> &point) {
            Point<dim> result;
            for (unsigned int d = 0; d < dim; ++d)
              result[directions[d]] = mirrored >> d & 1 ? 1. - point[d] : point[d];
            return result;
          };
          const auto number_of = [&](const Point<dim> &point) -> unsigned int {
            return std::find_if(nodes.begin(),
                                nodes.end(),
                                [&](const auto &node) { return node.distance(point) < 1e-12; }) -
                   nodes.begin();
          };
          std::vector<unsigned int> vertices;
          for (unsigned int v = 0; v < 1 << dim; ++v)
            vertices.push_back(number_of(image(nodes[v])));
          const auto renumbered = renumbered_gmsh_nodes<dim>(degree, vertices);
          for (unsigned int n = 0; n < nodes.size(); ++n)
            EXPECT_EQ(renumbered[n], number_of(image(nodes[n])));
        }
    while (std::next_permutation(directions.begin(), directions.end()));
  }

  /// Elements of Gmsh that are parallelepipeds say where its nodes are.
  template <int dim>
  void
  check_straight(const std::string &name, const unsigned int degree)
  {
    Triangulation<dim>            tria;
    const CurvedNodes<dim>        nodes       = read(tria, name, degree);
    const std::vector<Point<dim>> unit_points = gmsh_nodes<dim>(degree, hypercube<dim>());
    for (const auto &cell : tria.active_cell_iterators())
      for (unsigned int n = 0; n < unit_points.size(); ++n)
        {
          Point<dim> image = cell->vertex(0);
          for (unsigned int d = 0; d < dim; ++d)
            image += unit_points[n][d] * (cell->vertex(1 << d) - cell->vertex(0));
          EXPECT_LT(nodes.positions[cell->index()][n].distance(image), 1e-11);
        }
    const CoarseCellMapping<dim> mapping(nodes);
    const ElementMesh<dim>       mesh(
      mapping, tria, {}, max_matching_rounds, typename ElementOrder<dim>::Kinds(), degree);
    EXPECT_TRUE(mesh.order.all_affine());
  }

  /// What the cells fill whose maps have this degree.
  template <int dim>
  double
  volume(const Triangulation<dim> &tria, const Mapping<dim> &mapping, const unsigned int degree)
  {
    return volume_of_cells(
      tria, mapping, QGauss<dim>(dim * degree), QGauss<dim - 1>(dim * degree), 1e-12);
  }

  /// A quarter of an annulus or of a tube, 1 < r < 2. @p ids: the numbers of faces by their id.
  template <int dim>
  void
  check_curved(const std::string                 &name,
               const unsigned int                 degree,
               const std::map<int, unsigned int> &ids)
  {
    SCOPED_TRACE(name + " of degree " + std::to_string(degree));
    parallel::distributed::Triangulation<dim> tria(MPI_COMM_WORLD);
    const CurvedNodes<dim>                    nodes = read<dim>(tria, name, degree);
    const CoarseCellMapping<dim>              mapping(nodes);
    const auto unit_points = gmsh_nodes<dim>(degree, hypercube<dim>());

    std::map<int, unsigned int> counted;
    for (const auto &cell : tria.active_cell_iterators())
      {
        EXPECT_EQ(cell->material_id(), 5U);
        for (unsigned int n = 0; n < unit_points.size(); ++n)
          EXPECT_LT(mapping.transform_unit_to_real_cell(cell, unit_points[n])
                      .distance(nodes.positions[cell->index()][n]),
                    1e-13);
        for (const unsigned int f : cell->face_indices())
          if (const int id = cell->face(f)->boundary_id(); cell->at_boundary(f))
            {
              ++counted[id];
              for (unsigned int n = 0; n < unit_points.size() && (id == 1 || id == 2); ++n)
                if (unit_points[n][f / 2] == f % 2)
                  {
                    const Point<dim> &position = nodes.positions[cell->index()][n];
                    EXPECT_NEAR(std::hypot(position[0], position[1]), id, 1e-8);
                  }
            }
      }
    EXPECT_EQ(counted, ids);

    // What is refined stays where it was: here in places.
    const double of_file = volume(tria, mapping, degree);
    EXPECT_NEAR(of_file / (0.75 * numbers::PI), 1., 0.3 * std::pow(0.15, degree));
    for (unsigned int i = 0; i < 2; ++i)
      {
        tria.last_active()->set_refine_flag();
        tria.execute_coarsening_and_refinement();
      }
    EXPECT_NEAR(volume(tria, mapping, degree), of_file, 1e-12);

    // Which conserves the integral and has no holes: see ElementGeometry and FaceConnectivity.
    const ElementMesh<dim> mesh(
      mapping, tria, {}, max_matching_rounds, typename ElementOrder<dim>::Kinds(), degree);
    EXPECT_GT(mesh.connectivity.hanging_faces.size(), 0U);
    double of_elements = 0.;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      of_elements += mesh.geometry.volume_factors[e];
    EXPECT_NEAR(of_elements, of_file, 1e-12);

    // As coarse cells of their own.
    Triangulation<dim> serial;
    read<dim>(serial, name, degree);
    serial.refine_global(1);
    const double           straight = volume(serial, MappingQ<dim>(1), 1);
    const CurvedNodes<dim> active   = nodes_of_active_cells(serial, mapping);
    EXPECT_GT(volume(serial, MappingQ<dim>(1), 1) - straight, 1e-3);
    for (const auto &cell : serial.active_cell_iterators())
      for (unsigned int n = 0; n < unit_points.size(); ++n)
        EXPECT_LT(mapping.transform_unit_to_real_cell(cell, unit_points[n])
                    .distance(active.positions[cell->active_cell_index()][n]),
                  1e-13);
  }
} // namespace


TEST(GmshHypercubes, Renumbering)
{
  for (unsigned int degree = 1; degree <= 5; ++degree)
    {
      check_renumbering<2>(degree);
      check_renumbering<3>(degree);
    }
}

TEST(GmshHypercubes, StraightElements)
{
  for (unsigned int degree = 2; degree <= 4; ++degree)
    {
      check_straight<2>("straight_quadrilaterals", degree);
      check_straight<3>("straight_hexahedra", degree);
    }
}

TEST(GmshHypercubes, CurvedElements)
{
  for (unsigned int degree = 2; degree <= 4; ++degree)
    {
      check_curved<2>("annulus_quadrilaterals", degree, {{1, 2}, {2, 2}, {3, 2}});
      check_curved<3>("tube_hexahedra", degree, {{0, 6}, {1, 2}, {2, 2}});
    }
}

/// Cells whose vertices are the wrong way round in the file.
TEST(GmshHypercubes, InvertedElements)
{
  const std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n"
                           "1 0 0 0\n2 1 0 0\n3 1 2 0\n4 0 2 0\n"
                           "5 0 0 3\n6 1 0 3\n7 1 2 3\n8 0 2 3\n$EndNodes\n$Elements\n1\n";
  for (const std::string vertices : {"1 2 3 4 5 6 7 8", "5 6 7 8 1 2 3 4", "1 4 3 2 5 8 7 6"})
    {
      const TemporaryFile file(text + "1 5 0 " + vertices + "\n$EndElements\n", ".msh");
      Triangulation<3>    tria;
      GridGenerator::read_mesh<3>(tria, file.path, nullptr, hypercube<3>());
      EXPECT_NEAR(tria.begin_active()->measure(), 6., 1e-14);
    }
}

TEST(GmshHypercubes, Refusals)
{
  const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n"
                           "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.5 0 0\n6 1 0.5 0\n7 0.5 1 0\n"
                           "8 0 0.5 0\n9 0.5 0.5 0\n10 2 0 0\n$EndNodes\n$Elements\n1\n";
  Triangulation<2>  tria;
  CurvedNodes<2>    nodes;
  const auto        refused = [&](const std::string &elements, const std::string &message) {
    const TemporaryFile file(head + elements + "$EndElements\n", ".msh");
    EXPECT_MESSAGE(GridGenerator::read_mesh(tria, file.path, &nodes, hypercube<2>()), message);
  };
  refused("1 2 0 1 2 3\n",
          "type 2 is not accepted: a triangle. Accepted are Gmsh meshes of quadrilaterals, in "
          "ASCII format 2.2 or 4.1, of one order from 1 to 5, with numeric physical ids on "
          "boundaries.");
  refused("1 16 0 1 2 3 4 5 6 7 8\n",
          "type 16 is not accepted: no simplex, quadrilateral or hexahedron of order 1 to 5 with "
          "all its nodes");
  refused("1 10 0 1 2 3 4 5 6 7 8\n", "type 10 has 9 nodes");
  refused("1 3 0 1 5 2 10\n", "the cell has no volume");
  // In 3D faces come first, also those of prisms.
  Triangulation<3>    cubes;
  const TemporaryFile file(head + "1 2 0 1 2 3\n$EndElements\n", ".msh");
  EXPECT_MESSAGE(GridGenerator::read_mesh<3>(cubes, file.path, nullptr, hypercube<3>()),
                 "type 2 is not accepted: a triangle, a face of a tetrahedron, prism or pyramid.");
}
