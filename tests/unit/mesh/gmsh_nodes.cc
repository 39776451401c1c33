// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/tensor.h>
#include <deal.II/grid/tria.h>

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/nodal_mapping.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/make/gmsh_file.h>
#include <saltus/mesh/make/grid_generator.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <helpers/cell_volumes.h>
#include <helpers/files.h>
#include <helpers/message_of.h>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

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

  /// The first nodes are the vertices of the cells, in their order.
  template <int dim>
  void
  expect_vertices(const Triangulation<dim> &tria, const CurvedNodes<dim> &nodes)
  {
    ASSERT_EQ(nodes.positions.size(0), tria.n_cells(0));
    ASSERT_EQ(nodes.positions.size(1), gmsh_nodes<dim>(nodes.degree).size());
    for (const auto &cell : tria.cell_iterators_on_level(0))
      for (unsigned int v = 0; v <= dim; ++v)
        EXPECT_EQ(nodes.positions[cell->id().get_coarse_cell_id()][v], cell->vertex(v));
  }

  /// The image of a point of the unit simplex under the affine map with the vertices of a cell.
  template <typename Cell, int dim>
  Point<dim>
  affine_image(const Cell &cell, const Point<dim> &unit_point)
  {
    Point<dim> result = cell->vertex(0);
    for (unsigned int d = 0; d < dim; ++d)
      result += unit_point[d] * (cell->vertex(d + 1) - cell->vertex(0));
    return result;
  }

  template <int dim>
  void
  expect_affine(const Triangulation<dim> &tria, const CurvedNodes<dim> &nodes)
  {
    const std::vector<Point<dim>> unit_points = gmsh_nodes<dim>(nodes.degree);
    for (const auto &cell : tria.cell_iterators_on_level(0))
      for (unsigned int n = 0; n < unit_points.size(); ++n)
        EXPECT_LT(nodes.positions[cell->index()][n].distance(affine_image(cell, unit_points[n])),
                  1e-12)
          << "cell " << cell->index() << " node " << n;
  }

  /// Nodes of @p cell on its face of the vertices of @p face.
  template <typename Cell, typename Face, int dim>
  std::vector<Point<dim>>
  nodes_on(const Face &face, const Cell &cell, const CurvedNodes<dim> &nodes)
  {
    unsigned int opposite = numbers::invalid_unsigned_int;
    for (unsigned int v = 0; v <= dim; ++v)
      {
        bool on_face = false;
        for (unsigned int f = 0; f < dim; ++f)
          on_face |= face->vertex_index(f) == cell->vertex_index(v);
        if (!on_face)
          opposite = v;
      }

    const std::vector<Point<dim>> unit_points = gmsh_nodes<dim>(nodes.degree);
    std::vector<Point<dim>>       result;
    for (unsigned int n = 0; n < unit_points.size(); ++n)
      {
        double barycentric = 1.;
        for (unsigned int d = 0; d < dim; ++d)
          barycentric -= unit_points[n][d];
        if (opposite > 0)
          barycentric = unit_points[n][opposite - 1];
        if (std::abs(barycentric) < 1e-12)
          result.push_back(nodes.positions[cell->index()][n]);
      }
    return result;
  }

  /// The nodes that neighbours share are in the same places.
  template <int dim>
  void
  expect_shared(const Triangulation<dim> &tria, const CurvedNodes<dim> &nodes)
  {
    unsigned int n_inner_faces = 0;
    for (const auto &cell : tria.active_cell_iterators())
      for (const unsigned int f : cell->face_indices())
        if (!cell->at_boundary(f))
          {
            const auto sorted = [&](const auto &side) {
              auto result = nodes_on(cell->face(f), side, nodes);
              std::sort(result.begin(), result.end(), [](const Point<dim> &a, const Point<dim> &b) {
                return std::lexicographical_compare(a.begin_raw(),
                                                    a.end_raw(),
                                                    b.begin_raw(),
                                                    b.end_raw());
              });
              return result;
            };
            EXPECT_EQ(sorted(cell), sorted(cell->neighbor(f)));
            ++n_inner_faces;
          }
    EXPECT_GT(n_inner_faces, 0U);
  }

  /// A file of one simplex with the @p vertices and the given @p degree.
  template <int dim>
  std::string
  one_simplex(const unsigned int degree, const std::vector<Point<dim>> &vertices)
  {
    const std::map<unsigned int, unsigned int> types =
      dim == 2 ? std::map<unsigned int, unsigned int>{{1, 2}, {2, 9}, {3, 21}, {4, 23}, {5, 25}}
               : std::map<unsigned int, unsigned int>{{1, 4}, {2, 11}, {3, 29}, {4, 30}, {5, 31}};
    const std::vector<Point<dim>> unit_points = gmsh_nodes<dim>(degree);
    std::ostringstream            file, element;
    file.precision(std::numeric_limits<double>::max_digits10);
    file << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" << unit_points.size() << '\n';
    element << "1 " << types.at(degree) << " 0";
    for (unsigned int n = 0; n < unit_points.size(); ++n)
      {
        Point<dim> point = vertices[0];
        for (unsigned int d = 0; d < dim; ++d)
          point += unit_points[n][d] * (vertices[d + 1] - vertices[0]);
        file << n + 1 << ' ' << point << (dim == 2 ? " 0\n" : "\n");
        element << ' ' << n + 1;
      }
    file << "$EndNodes\n$Elements\n1\n" << element.str() << "\n$EndElements\n";
    return file.str();
  }

  template <int dim>
  void
  check_table()
  {
    for (unsigned int degree = 1; degree <= 5; ++degree)
      {
        const std::vector<Point<dim>> nodes = gmsh_nodes<dim>(degree);
        for (unsigned int v = 1; v <= dim; ++v)
          EXPECT_EQ(nodes[v], (Point<dim>::unit_vector(v - 1)));

        std::vector<unsigned int> order;
        for (unsigned int v = 0; v <= dim; ++v)
          order.push_back(v);
        do
          {
            // as an affine map moves the nodes
            std::vector<Point<dim>> vertices;
            for (const unsigned int v : order)
              vertices.push_back(nodes[v]);
            const auto renumbered = renumbered_gmsh_nodes<dim>(degree, order);
            ASSERT_EQ(renumbered.size(), nodes.size());
            for (unsigned int n = 0; n < nodes.size(); ++n)
              {
                Point<dim> image = vertices[0];
                for (unsigned int d = 0; d < dim; ++d)
                  image += nodes[n][d] * (vertices[d + 1] - vertices[0]);
                EXPECT_LT(image.distance(nodes[renumbered[n]]), 1e-14);
              }
          }
        while (std::next_permutation(order.begin(), order.end()));
      }
  }

  /// Cells whose vertices are the wrong way round in the file.
  template <int dim>
  void
  check_inverted(std::vector<Point<dim>> vertices)
  {
    for (const bool inverted : {false, true})
      {
        if (inverted)
          std::swap(vertices[0], vertices[1]);
        for (unsigned int degree = 1; degree <= 5; ++degree)
          {
            const std::string   text = one_simplex<dim>(degree, vertices);
            const GmshMesh<dim> mesh = parse_gmsh<dim>(text, 5);
            for (unsigned int v = 0; v <= dim; ++v)
              EXPECT_EQ(mesh.nodes[0][v], mesh.cells[0].vertices[v]);

            const TemporaryFile file(text, ".msh");
            Triangulation<dim>  tria;
            CurvedNodes<dim>    nodes;
            GridGenerator::read_mesh(tria, file.path, &nodes);
            EXPECT_EQ(nodes.degree, degree);
            expect_vertices(tria, nodes);
            expect_affine(tria, nodes);
            Tensor<2, dim> edges;
            for (unsigned int d = 0; d < dim; ++d)
              edges[d] = nodes.positions[0][d + 1] - nodes.positions[0][0];
            EXPECT_GT(determinant(edges), 0.);
          }
      }
  }

  /// The cells of a triangulation backwards, with their vertices in another order of the same
  /// orientation.
  template <int dim>
  void
  reverse(const Triangulation<dim> &tria, Triangulation<dim> &reversed)
  {
    std::vector<CellData<dim>> cells;
    for (const auto &cell : tria.active_cell_iterators())
      {
        CellData<dim> data(dim + 1);
        for (unsigned int v = 0; v <= dim; ++v)
          data.vertices[v] = cell->vertex_index(v);
        std::rotate(data.vertices.begin(), data.vertices.begin() + 1, data.vertices.begin() + 3);
        cells.insert(cells.begin(), data);
      }
    reversed.create_triangulation(tria.get_vertices(), cells, SubCellData());
  }
} // namespace


TEST(GmshNodes, Table)
{
  check_table<2>();
  check_table<3>();
}

/// As vtkLagrangeTriangle and vtkLagrangeTetra of VTK 9.7 number their points, in multiples of
/// 1/degree.
TEST(GmshNodes, OrderOfVtk)
{
  const auto check = [](const auto &points, const unsigned int degree, const std::string &numbers) {
    std::string found;
    for (const auto &point : points)
      {
        for (unsigned int d = 0; d < point.dimension; ++d)
          found += std::to_string(std::lround(degree * point[d]));
        found += ' ';
      }
    EXPECT_EQ(found, numbers);
  };
  check(vtk_nodes<1>(3), 3, "0 3 1 2 ");
  check(vtk_nodes<2>(5), 5, "00 50 05 10 20 30 40 41 32 23 14 04 03 02 01 11 31 13 21 22 12 ");
  check(vtk_nodes<3>(2), 2, "000 200 020 002 100 110 010 001 101 011 ");
  check(vtk_nodes<3>(4),
        4,
        "000 400 040 004 100 200 300 310 220 130 030 020 010 001 002 003 301 202 103 031 022 013 "
        "101 201 102 121 112 211 011 012 021 110 120 210 111 ");
}

/// Straight elements of Gmsh itself say where its nodes are.
TEST(GmshNodes, StraightElements)
{
  for (unsigned int degree = 2; degree <= 5; ++degree)
    {
      const auto check = [&](auto &&tria, auto &&nodes, const std::string &name) {
        SCOPED_TRACE(name + " of degree " + std::to_string(degree));
        GridGenerator::read_mesh(tria, mesh_file(name + "_" + std::to_string(degree)), &nodes);
        EXPECT_EQ(nodes.degree, degree);
        EXPECT_GT(tria.n_active_cells(), 1U);
        expect_vertices(tria, nodes);
        expect_affine(tria, nodes);
        expect_shared(tria, nodes);
      };
      check(Triangulation<2>(), CurvedNodes<2>(), "straight_2d");
      check(Triangulation<3>(), CurvedNodes<3>(), "straight_3d");
    }
}

TEST(GmshNodes, InvertedElements)
{
  check_inverted<2>({{0.1, 0.2}, {1.3, 0.1}, {0.4, 1.7}});
  check_inverted<3>({{0.1, 0.2, 0.3}, {1.3, 0.1, 0.2}, {0.4, 1.7, -0.1}, {0.2, 0.3, 1.9}});
}

/// A triangulation of the same cells in another order.
TEST(GmshNodes, OtherOrderOfCells)
{
  for (unsigned int degree = 2; degree <= 5; ++degree)
    {
      const auto check = [&](auto &&tria, auto &&reversed, auto &&nodes, const std::string &name) {
        const std::string file = name + "_" + std::to_string(degree);
        GridGenerator::read_mesh(tria, mesh_file(file), &nodes);
        EXPECT_EQ(in_order_of(tria, nodes).positions, nodes.positions);
        reverse(tria, reversed);
        const auto other = in_order_of(reversed, nodes);
        expect_vertices(reversed, other);
        expect_affine(reversed, other);
        reversed.clear();
        GridGenerator::read_mesh(reversed, mesh_file(name + "_2"), &nodes);
        nodes.positions[0][0][0] += 1e-3;
        EXPECT_MESSAGE(in_order_of(reversed, nodes), "belong to another mesh");
      };
      check(Triangulation<2>(), Triangulation<2>(), CurvedNodes<2>(), "straight_2d");
      check(Triangulation<3>(), Triangulation<3>(), CurvedNodes<3>(), "straight_3d");
    }
}

/// Nodes on round boundaries, boundary and material ids.
TEST(GmshNodes, CurvedElements)
{
  for (const std::string format : {"22", "41"})
    for (unsigned int degree = 2; degree <= 5; ++degree)
      {
        // radii of the boundaries with an id
        const auto check = [&](auto                         &&tria,
                               auto                         &&nodes,
                               const std::string             &name,
                               const std::map<int, double>   &radii,
                               const std::map<int, unsigned> &n_faces) {
          const std::string file = name + "_" + std::to_string(degree) + "_" + format;
          SCOPED_TRACE(file);
          GridGenerator::read_mesh(tria, mesh_file(file), &nodes);
          EXPECT_EQ(nodes.degree, degree);
          expect_vertices(tria, nodes);
          expect_shared(tria, nodes);
          std::map<int, unsigned> counted;
          for (const auto &cell : tria.active_cell_iterators())
            {
              EXPECT_EQ(cell->material_id(), 5U);
              for (const auto &face : cell->face_iterators())
                {
                  if (!face->at_boundary())
                    continue;
                  const int id = face->boundary_id();
                  ++counted[id];
                  if (radii.count(id) == 0)
                    continue;
                  for (const auto &point : nodes_on(face, cell, nodes))
                    EXPECT_NEAR(point.norm(), radii.at(id), 1e-10);
                }
            }
          EXPECT_EQ(counted, n_faces);
        };
        check(Triangulation<2>(),
              CurvedNodes<2>(),
              "annulus",
              {{1, 1.}, {2, 2.}},
              {{1, 2}, {2, 2}, {3, 2}});
        check(Triangulation<3>(), CurvedNodes<3>(), "ball", {{1, 1.}}, {{1, 6}, {2, 18}});
      }
}

/// Nodes without a cell do no harm, and a mesh of first order has its vertices as nodes.
TEST(GmshNodes, FirstOrder)
{
  const TemporaryFile file("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                           "$Nodes\n5\n9 7 7 0\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                           "$Elements\n2\n5 2 0 1 2 3\n6 2 0 1 4 3\n$EndElements\n",
                           ".msh");
  Triangulation<2>    tria;
  CurvedNodes<2>      nodes;
  GridGenerator::read_mesh(tria, file.path, &nodes);
  EXPECT_EQ(nodes.degree, 1U);
  EXPECT_EQ(tria.n_vertices(), 4U);
  expect_vertices(tria, nodes);
}

TEST(GmshNodes, Refusals)
{
  Triangulation<2> tria;
  CurvedNodes<2>   nodes;
  EXPECT_MESSAGE(GridGenerator::read_mesh(tria, mesh_file("annulus_2_22")),
                 "is not accepted: an edge of order 2; write the mesh with 'gmsh -order 1'. "
                 "Accepted are Gmsh meshes of triangles, in ASCII format 2.2 or 4.1, first order");

  const std::string head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n"
                           "1 0 0 0\n2 2 0 0\n3 2 2 0\n4 0 2 0\n"
                           "5 1 0 0\n6 2 1 0\n7 1 1 0\n8 1 2 0\n9 0 1 0\n10 1 1.25 0\n$EndNodes\n";
  const auto        read = [&](const std::string &elements) {
    const TemporaryFile file(head + "$Elements\n2\n" + elements + "$EndElements\n", ".msh");
    GridGenerator::read_mesh(tria, file.path, &nodes);
  };
  read("1 9 0 1 2 3 5 6 7\n2 9 0 1 3 4 7 8 9\n");
  expect_affine(tria, nodes);
  EXPECT_MESSAGE(read("1 9 0 1 2 3 5 6 7\n2 9 0 1 3 4 10 8 9\n"),
                 "line 20: the cell has other nodes on a face than the cell of line 19, which it "
                 "shares it with. Accepted are Gmsh meshes of triangles, in ASCII format 2.2 or "
                 "4.1, of one order from 1 to 5, with numeric physical ids on boundaries.");
  EXPECT_EQ(tria.n_cells(), 0U);
  EXPECT_EQ(nodes.positions.size(0), 0U);
  EXPECT_MESSAGE(read("1 9 0 1 2 3 5 6 7\n2 2 0 1 3 4\n"),
                 "line 20 ('2 2 0 1 3 4'): the element is of order 1, but that of line 19 of order "
                 "2. All elements of a mesh have one order.");
  EXPECT_MESSAGE(read("1 9 0 1 2 3 5 6 7\n2 9 0 1 3 4 7 8\n"), "type 9 has 6 nodes");
  EXPECT_MESSAGE(read("1 9 0 1 2 3 5 6 7\n2 9 0 1 3 4 7 8 11\n"), "there is no node 11");
  EXPECT_MESSAGE(read("1 9 0 1 2 3 5 6 7\n2 9 0 1 3 4 7 8 8\n"), "the element has node 8 twice");
  EXPECT_MESSAGE(read("1 20 0 1 2 3 5 6 7 8 9 10\n"),
                 "type 20 is not accepted: no simplex, quadrilateral or hexahedron of order 1 to 5 "
                 "with all its nodes");
  EXPECT_MESSAGE(read("1 11 0 1 2 3 4 5 6 7 8 9 10\n"),
                 "type 11 is not accepted: a tetrahedron of order 2.");
}

namespace
{
  /// @param volume of what the cells of a file fill but for a relative @p error
  template <int dim>
  void
  check_mapping(const std::string &name,
                const unsigned int degree,
                const double       volume,
                const double       error)
  {
    SCOPED_TRACE(name + " of degree " + std::to_string(degree));
    Triangulation<dim> tria;
    CurvedNodes<dim>   nodes;
    GridGenerator::read_mesh(tria, mesh_file(name + "_" + std::to_string(degree) + "_22"), &nodes);
    const NodalMapping<dim>       mapping(nodes);
    const std::vector<Point<dim>> unit_points = gmsh_nodes<dim>(degree);
    for (const auto &cell : tria.active_cell_iterators())
      for (unsigned int n = 0; n < unit_points.size(); ++n)
        EXPECT_LT(mapping.transform_unit_to_real_cell(cell, unit_points[n])
                    .distance(nodes.positions[cell->index()][n]),
                  1e-13);
    const double sum = volume_of_cells(tria,
                                       mapping,
                                       simplex_quadrature<dim>(dim * (degree - 1)),
                                       simplex_quadrature<dim - 1>((dim - 1) * (degree - 1)),
                                       1e-13);
    EXPECT_NEAR(sum / volume, 1., error);

    const ElementMesh<dim> mesh(
      *mapping.clone(), tria, {}, max_matching_rounds, typename ElementOrder<dim>::Kinds(), degree);
    double of_elements = 0.;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      of_elements += mesh.geometry.volume_factors[e] * mesh.shape.reference_cell.volume();
    EXPECT_NEAR(of_elements, sum, 1e-13);

    tria.refine_global(1);
    EXPECT_MESSAGE(mapping.transform_unit_to_real_cell(tria.begin_active(), unit_points[0]),
                   "belong to another mesh");
  }
} // namespace

TEST(GmshNodes, MappingOfDealII)
{
  for (unsigned int degree = 2; degree <= 5; ++degree)
    {
      check_mapping<2>("annulus", degree, 0.75 * numbers::PI, 0.3 * std::pow(0.15, degree));
      check_mapping<3>("ball", degree, numbers::PI / 6., 0.15 * std::pow(0.3, degree));
    }
}
