// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>
#include <deal.II/grid/manifold.h>
#include <deal.II/grid/tria.h>

#include <saltus/mesh/make/grid_generator.h>
#include <saltus/mesh/periodic_faces.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <helpers/files.h>
#include <helpers/message_of.h>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace
{
  using namespace dealii;
  using namespace Saltus;
  using namespace Saltus::Tests;

  template <int dim>
  double
  volume(const Triangulation<dim> &tria)
  {
    double sum = 0.;
    for (const auto &cell : tria.active_cell_iterators())
      sum += cell->measure();
    return sum;
  }

  template <int dim>
  void
  expect_positive_simplices(const Triangulation<dim> &tria)
  {
    for (const auto &cell : tria.active_cell_iterators())
      {
        EXPECT_TRUE(cell->reference_cell().is_simplex());
        Tensor<2, dim> edges;
        for (unsigned int d = 0; d < dim; ++d)
          edges[d] = cell->vertex(d + 1) - cell->vertex(0);
        EXPECT_GT(determinant(edges), 0.);
      }
  }

  /// The smallest angle of all triangles, in degrees.
  double
  min_angle(const Triangulation<2> &tria)
  {
    double result = 180.;
    for (const auto &cell : tria.active_cell_iterators())
      for (unsigned int v = 0; v < 3; ++v)
        {
          const Tensor<1, 2> a = cell->vertex((v + 1) % 3) - cell->vertex(v);
          const Tensor<1, 2> b = cell->vertex((v + 2) % 3) - cell->vertex(v);
          result = std::min(result, std::acos(a * b / a.norm() / b.norm()) * 180. / numbers::PI);
        }
    return result;
  }

  /// The length or area of each boundary id's part.
  template <int dim>
  std::map<types::boundary_id, double>
  boundary_measures(const Triangulation<dim> &tria)
  {
    std::map<types::boundary_id, double> result;
    for (const auto &face : tria.active_face_iterators())
      if (face->at_boundary())
        result[face->boundary_id()] += face->measure();
    return result;
  }

  /// @param lengths of the parts of the boundary, by id
  void
  check_triangles(const Triangulation<2>    &tria,
                  const unsigned int         n_cells,
                  const double               area,
                  const std::vector<double> &lengths)
  {
    EXPECT_EQ(tria.n_active_cells(), n_cells);
    expect_positive_simplices(tria);
    EXPECT_GT(min_angle(tria), 20.);
    EXPECT_NEAR(volume(tria), area, 1e-10);
    const auto measures = boundary_measures(tria);
    ASSERT_EQ(measures.size(), lengths.size());
    for (unsigned int id = 0; id < lengths.size(); ++id)
      EXPECT_NEAR(measures.at(id), lengths[id], 1e-11);
  }

  struct MeshFile : public TemporaryFile
  {
    explicit MeshFile(const std::string &text)
      : TemporaryFile(text, ".msh")
    {}
  };

  /// The unit square as two triangles in format 2.2, the second one clockwise.
  const std::string square_msh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                                 "$Elements\n6\n"
                                 "1 1 2 7 1 1 2\n2 1 2 8 2 2 3\n3 1 2 9 3 3 4\n4 1 2 10 4 4 1\n"
                                 "5 2 2 5 1 1 2 3\n6 2 2 6 1 1 4 3\n$EndElements\n";
} // namespace


TEST(QuarterAnnulus, MeshA)
{
  Triangulation<2> tria;
  GridGenerator::quarter_annulus(tria, 1., 1.384, 5, 18);
  EXPECT_EQ(tria.n_active_cells(), 180U);
  EXPECT_EQ(tria.n_active_faces(), 293U);
  expect_positive_simplices(tria);
  EXPECT_GT(min_angle(tria), 20.);

  const double sine = std::sin(numbers::PI / 36.);
  EXPECT_NEAR(volume(tria), 0.5 * 18 * sine * (1.384 * 1.384 - 1.), 1e-13);
  const auto measures = boundary_measures(tria);
  ASSERT_EQ(measures.size(), 4U);
  const double half_sine = 18 * 2 * std::sin(numbers::PI / 72.);
  EXPECT_NEAR(measures.at(0), half_sine, 1e-13);
  EXPECT_NEAR(measures.at(1), 1.384 * half_sine, 1e-13);
  EXPECT_NEAR(measures.at(2), 0.384, 1e-13);
  EXPECT_NEAR(measures.at(3), 0.384, 1e-13);
  for (const auto &face : tria.active_face_iterators())
    if (face->at_boundary() && face->boundary_id() >= 2)
      {
        EXPECT_EQ(face->center()[face->boundary_id() - 2], 0.);
      }
}


TEST(QuarterAnnulus, CoarseMeshHasItsIds)
{
  Triangulation<2> tria;
  GridGenerator::quarter_annulus(tria, 1., 1.384, 1, 1);
  const auto measures = boundary_measures(tria);
  EXPECT_NEAR(measures.at(0), std::sqrt(2.), 1e-13);
  EXPECT_NEAR(measures.at(1), 1.384 * std::sqrt(2.), 1e-13);
}


TEST(QuarterAnnulus, RefinementFollowsTheCircles)
{
  Triangulation<2> tria;
  GridGenerator::quarter_annulus(tria, 1., 1.384, 5, 18);
  tria.refine_global(2);
  EXPECT_EQ(tria.n_active_cells(), 2880U);
  expect_positive_simplices(tria);
  EXPECT_GT(min_angle(tria), 20.);
  EXPECT_NEAR(volume(tria), 0.5 * 72 * std::sin(numbers::PI / 144.) * (1.384 * 1.384 - 1.), 1e-12);
  for (const auto &face : tria.active_face_iterators())
    if (face->at_boundary())
      for (const unsigned int v : {0, 1})
        {
          const Point<2> &vertex = face->vertex(v);
          if (face->boundary_id() < 2)
            EXPECT_NEAR(vertex.norm(), face->boundary_id() == 0 ? 1. : 1.384, 1e-13);
          else
            EXPECT_NEAR(vertex[face->boundary_id() - 2], 0., 1e-13);
        }
}


TEST(QuarterAnnulus, WallsKnowTheirNormals)
{
  Triangulation<2> tria;
  GridGenerator::quarter_annulus(tria, 1., 1.384, 2, 4);
  for (unsigned int level = 0; level < 2; ++level, tria.refine_global(1))
    for (const auto &face : tria.active_face_iterators())
      if (face->at_boundary() && face->boundary_id() < 2)
        for (const double t : {0., 0.1, 0.5, 0.9, 1.})
          {
            const Point<2>     x(face->vertex(0) + t * (face->vertex(1) - face->vertex(0)));
            const Tensor<1, 2> normal = face->get_manifold().normal_vector(face, x);
            EXPECT_NEAR(normal.norm(), 1., 1e-13);
            EXPECT_NEAR(std::abs(normal * x), x.norm(), 1e-13);
          }
}


TEST(QuarterAnnulus, Errors)
{
  Triangulation<2> tria;
  EXPECT_MESSAGE(GridGenerator::quarter_annulus(tria, 2., 1., 1, 1), "radii");
  EXPECT_MESSAGE(GridGenerator::quarter_annulus(tria, 1., 2., 0, 1), "0 by 1");
}


TEST(DoubleMachReflection, CountsIdsAndAngles)
{
  for (const auto &[wanted, made] : {std::pair<unsigned int, unsigned int>(500, 496),
                                     std::pair<unsigned int, unsigned int>(2000, 2006),
                                     std::pair<unsigned int, unsigned int>(68622, 68620),
                                     std::pair<unsigned int, unsigned int>(236964, 236964)})
    {
      Triangulation<2> tria;
      GridGenerator::double_mach_reflection(tria, wanted);
      // the whole length of id 2 is 1/6 only if the wedge begins at a vertex
      check_triangles(tria, made, 4., {1., 1., 1. / 6., 4. - 1. / 6., 4.});
      for (const auto &face : tria.active_face_iterators())
        if (face->at_boundary())
          {
            const Point<2> x  = face->center();
            const auto     id = face->boundary_id();
            EXPECT_TRUE((id == 0 && x[0] == 0.) || (id == 1 && x[0] == 4.) ||
                        (id == 2 && x[1] == 0. && x[0] < 1. / 6.) ||
                        (id == 3 && x[1] == 0. && x[0] > 1. / 6.) || (id == 4 && x[1] == 1.));
          }
    }
}


TEST(DoubleMachReflection, IsUnstructuredInEffect)
{
  Triangulation<2> tria;
  GridGenerator::double_mach_reflection(tria, 2000);
  std::vector<unsigned int> n_cells(tria.n_vertices(), 0);
  for (const auto &cell : tria.active_cell_iterators())
    for (const unsigned int v : cell->vertex_indices())
      ++n_cells[cell->vertex_index(v)];
  std::set<unsigned int> valences(n_cells.begin(), n_cells.end());
  for (const unsigned int valence : {4, 5, 6, 7, 8})
    EXPECT_EQ(valences.count(valence), 1U);
}


TEST(DoubleMachReflection, Errors)
{
  Triangulation<2> tria;
  EXPECT_MESSAGE(GridGenerator::double_mach_reflection(tria, 499), "499");
  EXPECT_MESSAGE(GridGenerator::double_mach_reflection(tria, 2000, 0.3), "distortion");
  EXPECT_MESSAGE(GridGenerator::double_mach_reflection(tria, 2000, -0.1), "distortion");
}


TEST(ForwardStep, CountsIdsAndAngles)
{
  for (const auto &[wanted, made] : {std::pair<unsigned int, unsigned int>(500, 504),
                                     std::pair<unsigned int, unsigned int>(2000, 2016),
                                     std::pair<unsigned int, unsigned int>(32000, 32256)})
    {
      Triangulation<2> tria;
      GridGenerator::forward_step(tria, wanted);
      check_triangles(tria, made, 3. - 2.4 * 0.2, {1., 0.8, 0.6 + 3., 0.2 + 2.4});
    }
  Triangulation<2> tria;
  EXPECT_MESSAGE(GridGenerator::forward_step(tria, 499), "499");
  EXPECT_MESSAGE(GridGenerator::forward_step(tria, 2000, 0.3), "distortion");
}


template <int dim>
void
test_box(const double distortion)
{
  const Point<dim>          p1 = dim == 2 ? Point<dim>(-1., 2.) : Point<dim>();
  Point<dim>                p2;
  std::vector<unsigned int> subdivisions;
  double                    total = 1.;
  unsigned int              n     = dim == 2 ? 2 : 6;
  for (unsigned int d = 0; d < dim; ++d)
    {
      subdivisions.push_back(3 + d);
      p2[d] = p1[d] + 1. + 0.2 * d;
      total *= p2[d] - p1[d];
      n *= 3 + d;
    }

  Triangulation<dim> tria;
  GridGenerator::box(tria, p1, p2, subdivisions, distortion);
  EXPECT_EQ(tria.n_active_cells(), n);
  expect_positive_simplices(tria);
  EXPECT_NEAR(volume(tria), total, 1e-12);

  const auto measures = boundary_measures(tria);
  ASSERT_EQ(measures.size(), 2U * dim);
  for (unsigned int d = 0; d < dim; ++d)
    for (const unsigned int side : {0, 1})
      EXPECT_NEAR(measures.at(2 * d + side), total / (p2[d] - p1[d]), 1e-12);
  for (const auto &face : tria.active_face_iterators())
    if (face->at_boundary())
      {
        const unsigned int d = face->boundary_id() / 2;
        EXPECT_NEAR(face->center()[d], (face->boundary_id() % 2 == 0 ? p1 : p2)[d], 1e-13);
      }

  // every direction periodic
  std::vector<PeriodicFaces<dim>> periodic(dim);
  for (unsigned int d = 0; d < dim; ++d)
    {
      periodic[d].first          = 2 * d;
      periodic[d].second         = 2 * d + 1;
      periodic[d].translation[d] = p2[d] - p1[d];
    }
  std::vector<typename Triangulation<dim>::active_cell_iterator> cells;
  for (const auto &cell : tria.active_cell_iterators())
    cells.push_back(cell);
  const auto pairs = match_periodic_faces(tria, periodic);

  unsigned int n_boundary_faces = 0;
  for (const auto &face : tria.active_face_iterators())
    n_boundary_faces += face->at_boundary();
  EXPECT_EQ(2 * pairs.size(), n_boundary_faces);

  std::set<std::pair<unsigned int, unsigned int>> seen;
  for (const auto &pair : pairs)
    {
      const auto &first = cells[pair.first.cell], &second = cells[pair.second.cell];
      EXPECT_TRUE(seen.emplace(pair.first.cell, pair.first.face).second);
      EXPECT_TRUE(seen.emplace(pair.second.cell, pair.second.face).second);
      const unsigned int id = first->face(pair.first.face)->boundary_id();
      EXPECT_EQ(id % 2, 0U);
      EXPECT_EQ(second->face(pair.second.face)->boundary_id(), id + 1);

      const auto vertex = [](const auto &cell, const unsigned int f, const unsigned int j) {
        return cell->vertex(cell->reference_cell().face_to_cell_vertices(f, j, 1));
      };
      for (unsigned int j = 0; j < dim; ++j)
        EXPECT_NEAR(vertex(second, pair.second.face, pair.vertex_permutation[j])
                      .distance(vertex(first, pair.first.face, j) + periodic[id / 2].translation),
                    0.,
                    1e-12);
    }
}

TEST(Box, PeriodicIn2D)
{
  test_box<2>(0.);
  test_box<2>(0.2);
}

TEST(Box, PeriodicIn3D)
{
  test_box<3>(0.);
  test_box<3>(0.2);
}

TEST(Box, DistortionKeepsTheBoundaryAndIsReproducible)
{
  Triangulation<2> plain, distorted, again;
  for (auto *tria : {&distorted, &again})
    GridGenerator::box<2>(*tria, Point<2>(), Point<2>(1., 1.), {4, 4}, 0.2);
  GridGenerator::box<2>(plain, Point<2>(), Point<2>(1., 1.), {4, 4});
  EXPECT_GT(min_angle(distorted), 20.);
  for (unsigned int v = 0; v < plain.n_vertices(); ++v)
    {
      const Point<2> &x      = plain.get_vertices()[v];
      const bool      inside = x[0] > 0. && x[0] < 1. && x[1] > 0. && x[1] < 1.;
      EXPECT_EQ(distorted.get_vertices()[v] != x, inside);
      EXPECT_EQ(distorted.get_vertices()[v], again.get_vertices()[v]);
    }
}

TEST(Box, LargestDistortionKeepsCellsPositive)
{
  Triangulation<2> plane;
  GridGenerator::box<2>(plane, Point<2>(), Point<2>(1., 1.), {60, 60}, 0.25);
  expect_positive_simplices(plane);
  Triangulation<3> space;
  GridGenerator::box<3>(space, Point<3>(), Point<3>(1., 1., 1.), {14, 14, 14}, 0.25);
  expect_positive_simplices(space);
}

TEST(Box, SidesFarFromTheOrigin)
{
  Triangulation<2> tria;
  Saltus::GridGenerator::box<2>(tria, {1e5, 1e5}, {1e5 + 0.01, 1e5 + 0.01}, {4, 4});
  EXPECT_EQ(tria.get_boundary_ids().size(), 4U);
  std::map<types::boundary_id, unsigned int> n_faces;
  for (const auto &face : tria.active_face_iterators())
    if (face->at_boundary())
      ++n_faces[face->boundary_id()];
  for (const auto &[id, n] : n_faces)
    EXPECT_EQ(n, 4U);
}

TEST(Box, Refines)
{
  Triangulation<3> tria;
  GridGenerator::box<3>(tria, Point<3>(), Point<3>(1., 1., 1.), {2, 2, 2}, 0.2);
  tria.refine_global(1);
  EXPECT_EQ(tria.n_active_cells(), 384U);
  EXPECT_NEAR(volume(tria), 1., 1e-13);
  EXPECT_EQ(match_periodic_faces<3>(tria, {{0, 1, Point<3>(1., 0., 0.)}}).size(), 32U);
}

TEST(Box, Errors)
{
  Triangulation<2> tria;
  const Point<2>   p1, p2(1., 1.);
  EXPECT_MESSAGE(GridGenerator::box<2>(tria, p1, p2, {2}), "one in each direction");
  EXPECT_MESSAGE(GridGenerator::box<2>(tria, p1, p2, {2, 0}), "direction 1");
  EXPECT_MESSAGE(GridGenerator::box<2>(tria, p2, p1, {2, 2}), "positive length");
  EXPECT_MESSAGE(GridGenerator::box<2>(tria, p1, p2, {2, 2}, 0.5), "distortion");
}


/// Before they take memory, and before products of the numbers overflow.
TEST(GridGenerators, RefuseWhatCannotBeNumbered)
{
  const std::string remedy = " elements cannot be numbered: at most 536870912 are possible. Use a "
                             "coarser mesh or fewer refinements.";
  Triangulation<2>  triangles;
  Triangulation<3>  tetrahedra;
  const auto        box = [&](const std::vector<unsigned int> &subdivisions) {
    return message_of([&]() {
      GridGenerator::box<2>(triangles, {0., 0.}, {1., 1.}, subdivisions);
    });
  };
  EXPECT_EQ(box({65536, 65537}), "A mesh of 8590065664" + remedy);
  EXPECT_EQ(box({1000000000, 1000000000}), "A mesh of 2e+18" + remedy);
  EXPECT_EQ(message_of([&]() {
              GridGenerator::box<3>(tetrahedra, {0., 0., 0.}, {1., 1., 1.}, {2048, 2048, 1024});
            }),
            "A mesh of 25769803776" + remedy);
  EXPECT_EQ(message_of([&]() { GridGenerator::annulus(triangles, 1., 2., 65536, 65536); }),
            "A mesh of 8589934592" + remedy);
  EXPECT_EQ(message_of([&]() { GridGenerator::quarter_annulus(triangles, 1., 2., 65536, 65536); }),
            "A mesh of 8589934592" + remedy);
  EXPECT_EQ(message_of([&]() { GridGenerator::disc(triangles, 1., 65536); }),
            "A mesh of 25769803776" + remedy);
  EXPECT_EQ(message_of([&]() { GridGenerator::double_mach_reflection(triangles, 4000000000); }),
            "A mesh of 4000000000" + remedy);
  EXPECT_EQ(message_of([&]() { GridGenerator::forward_step(triangles, 4000000000); }),
            "A mesh of 4000000000" + remedy);
}

TEST(PeriodicFaces, Errors)
{
  Triangulation<2> tria;
  GridGenerator::box<2>(tria, Point<2>(), Point<2>(1., 1.), {2, 3});
  const auto match = [&](const unsigned int first, const unsigned int second, const Point<2> &t) {
    match_periodic_faces<2>(tria, {{first, second, t}});
  };
  EXPECT_MESSAGE(match(0, 0, Point<2>(1., 0.)), "appears twice");
  EXPECT_MESSAGE(match(0, 9, Point<2>(1., 0.)), "id 9");
  EXPECT_MESSAGE(match(0, 1, Point<2>(0.9, 0.)), "id 0 and centre (0");
  EXPECT_MESSAGE(match(0, 3, Point<2>(1., 0.)), "finds no partner");

  // one face of the upper side with another id: the lower side's partner is missing, and, the other
  // way round, a face is left over on the upper side
  for (const auto &face : tria.active_face_iterators())
    if (face->at_boundary() && face->boundary_id() == 1 && face->center()[1] > 0.7)
      face->set_boundary_id(5);
  EXPECT_MESSAGE(match(0, 1, Point<2>(1., 0.)), "id 0 and centre (0 0.83");
  EXPECT_MESSAGE(match(1, 0, Point<2>(-1., 0.)), "id 0 and centre (0 0.83");
}


TEST(Disc, CountsAreaAndCircle)
{
  Triangulation<2> tria;
  GridGenerator::disc(tria, 2., 5);
  EXPECT_EQ(tria.n_active_cells(), 150U);
  expect_positive_simplices(tria);
  EXPECT_GT(min_angle(tria), 30.);
  EXPECT_NEAR(volume(tria), 0.5 * 30 * 4. * std::sin(numbers::PI / 15.), 1e-12);

  tria.refine_global(1);
  EXPECT_NEAR(volume(tria), 0.5 * 60 * 4. * std::sin(numbers::PI / 30.), 1e-12);
  for (const auto &face : tria.active_face_iterators())
    if (face->at_boundary())
      {
        EXPECT_EQ(face->boundary_id(), 0U);
        EXPECT_NEAR(face->vertex(0).norm(), 2., 1e-13);
        EXPECT_NEAR(face->get_manifold().normal_vector(face, face->center()) * face->center() /
                      face->center().norm(),
                    1.,
                    1e-13);
      }

  EXPECT_MESSAGE(GridGenerator::disc(tria, -1., 5), "radius");
  EXPECT_MESSAGE(GridGenerator::disc(tria, 1., 0), "rings");
}


TEST(Annulus, CountsAreaAndCircles)
{
  Triangulation<2> tria;
  GridGenerator::annulus(tria, 1., 8., 3, 16);
  EXPECT_EQ(tria.n_active_cells(), 96U);
  expect_positive_simplices(tria);
  EXPECT_NEAR(volume(tria), 0.5 * 16 * std::sin(numbers::PI / 8.) * 63., 1e-12);
  const auto measures = boundary_measures(tria);
  EXPECT_NEAR(measures.at(0), 32. * std::sin(numbers::PI / 16.), 1e-13);
  EXPECT_NEAR(measures.at(1), 8. * measures.at(0), 1e-12);

  // the mirror image of each cell is a cell
  std::set<std::pair<long, long>> centers;
  const auto                      key = [](const Point<2> &p, const double factor) {
    return std::make_pair(std::lround(1e9 * p[0]), std::lround(1e9 * factor * p[1]));
  };
  for (const auto &cell : tria.active_cell_iterators())
    centers.insert(key(cell->center(), 1.));
  for (const auto &cell : tria.active_cell_iterators())
    EXPECT_EQ(centers.count(key(cell->center(), -1.)), 1U);

  tria.refine_global(1);
  expect_positive_simplices(tria);
  for (const auto &face : tria.active_face_iterators())
    if (face->at_boundary())
      {
        EXPECT_NEAR(face->vertex(0).norm(), face->boundary_id() == 0 ? 1. : 8., 1e-13);
      }
  EXPECT_MESSAGE(GridGenerator::annulus(tria, 2., 1., 1, 8), "radii");
  EXPECT_MESSAGE(GridGenerator::annulus(tria, 1., 2., 1, 2), "1 by 2");
}


TEST(ReadMesh, KeepsIdsAndInvertsCells)
{
  const MeshFile   file(square_msh);
  Triangulation<2> tria;
  GridGenerator::read_mesh(tria, file.path);
  EXPECT_EQ(tria.n_active_cells(), 2U);
  expect_positive_simplices(tria);
  EXPECT_NEAR(volume(tria), 1., 1e-15);
  const std::map<types::boundary_id, Point<2>> centers = {{7, {0.5, 0.}},
                                                          {8, {1., 0.5}},
                                                          {9, {0.5, 1.}},
                                                          {10, {0., 0.5}}};
  for (const auto &face : tria.active_face_iterators())
    if (face->at_boundary())
      {
        EXPECT_LT(face->center().distance(centers.at(face->boundary_id())), 1e-15);
      }
  for (const auto &cell : tria.active_cell_iterators())
    EXPECT_EQ(cell->material_id(), cell->center()[0] > cell->center()[1] ? 5U : 6U);
}

TEST(ReadMesh, InvertsTetrahedra)
{
  const MeshFile   file("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                        "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
                        "$Elements\n2\n1 2 2 3 1 1 2 3\n2 4 2 0 1 2 1 3 4\n$EndElements\n");
  Triangulation<3> tria;
  GridGenerator::read_mesh(tria, file.path);
  expect_positive_simplices(tria);
  EXPECT_NEAR(volume(tria), 1. / 6., 1e-15);
  const auto measures = boundary_measures(tria);
  EXPECT_NEAR(measures.at(3), 0.5, 1e-15);
}

TEST(ReadMesh, Errors)
{
  Triangulation<2> tria;
  const auto       read = [&](const std::string &content) {
    const MeshFile file(content);
    GridGenerator::read_mesh(tria, file.path);
  };
  const auto replaced = [](const std::string &from, const std::string &to) {
    std::string result = square_msh;
    return result.replace(result.find(from), from.size(), to);
  };

  EXPECT_MESSAGE(GridGenerator::read_mesh(tria, "/nowhere/mesh.msh"),
                 "The mesh file '/nowhere/mesh.msh' cannot be read: No such file or directory.");
  EXPECT_MESSAGE(GridGenerator::read_mesh(tria, testing::TempDir()), "it is a directory.");
  EXPECT_MESSAGE(read(""), "it is empty.");
  for (const std::string &content : {std::string("not a mesh"),
                                     square_msh.substr(0, square_msh.size() / 2),
                                     replaced("5 2 2 5 1 1 2 3", "5 2 2 5 1 1 2 9"),
                                     replaced("5 2 2 5 1 1 2 3", "5 9 2 5 1 1 2 3")})
    EXPECT_MESSAGE(read(content), "Accepted are Gmsh meshes of triangles");
  EXPECT_MESSAGE(read("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                      "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
                      "$Elements\n1\n1 3 2 5 1 1 2 3 4\n$EndElements\n"),
                 "line 13 ('1 3 2 5 1 1 2 3 4'): element type 3 is not accepted: a quadrilateral");
  EXPECT_MESSAGE(read(replaced("3 1 1 0", "3 2 0 0")), "no volume");
  EXPECT_EQ(tria.n_active_cells(), 0U);
  read(square_msh); // an error leaves the triangulation usable
  EXPECT_EQ(tria.n_active_cells(), 2U);
}

/// The diagonal, which is no boundary.
TEST(ReadMesh, IdsInsideTheDomainAreIgnored)
{
  std::string content = square_msh;
  content.replace(content.find("1 1 2 7 1 1 2"), 13, "1 1 2 30 1 1 3");
  const MeshFile   file(content);
  Triangulation<2> tria;
  testing::internal::CaptureStderr();
  GridGenerator::read_mesh(tria, file.path);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "Note: the mesh file '" + file.path +
              "' has faces between cells with the physical ids 30. These faces are ignored: they "
              "are no boundaries, and no entry takes their ids.\n");
  EXPECT_EQ(tria.n_active_cells(), 2U);
  EXPECT_EQ(boundary_measures(tria).count(30), 0U);
}

/// The same square in format 4.1, at z = 3, with a curve that is oriented the other way round.
const std::string square_msh_4 =
  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
  "$PhysicalNames\n1\n1 7 \"the wall\"\n$EndPhysicalNames\n"
  "$Entities\n1 1 1 0\n1 0 0 3 0\n4 0 0 3 1 1 3 1 -7 2 1 1\n2 0 0 3 1 1 3 1 5 1 4\n$EndEntities\n"
  "$Nodes\n2 4 1 40\n1 4 0 3\n1\n20\n30\n0 0 3\n1 0 3\n1 1 3\n2 2 0 1\n40\n0 1 3\n$EndNodes\n"
  "$Elements\n3 5 1 5\n0 1 15 1\n1 1\n1 4 1 2\n2 1 20\n3 20 30\n2 2 2 2\n4 1 20 30\n5 1 40 30\n"
  "$EndElements\n";

TEST(ReadMesh, Format4)
{
  // with a byte order mark, ends of lines with carriage returns and empty lines as well
  std::string windows = "\xEF\xBB\xBF\n";
  for (const char c : square_msh_4)
    windows += c == '\n' ? std::string("\r\n\r\n") : std::string(1, c);
  for (const std::string &content : {square_msh_4, windows})
    {
      const MeshFile   file(content);
      Triangulation<2> tria;
      GridGenerator::read_mesh(tria, file.path);
      expect_positive_simplices(tria);
      EXPECT_NEAR(volume(tria), 1., 1e-15);
      const auto measures = boundary_measures(tria);
      EXPECT_NEAR(measures.at(7), 2., 1e-15);
      EXPECT_NEAR(measures.at(0), 2., 1e-15);
      for (const auto &cell : tria.active_cell_iterators())
        EXPECT_EQ(cell->material_id(), 5U);
    }
}

TEST(ReadMesh, NamesTheDamagedLine)
{
  struct Damage
  {
    std::string from, to, message;
  };
  const auto expect_messages = [](const std::string &mesh, const std::vector<Damage> &damages) {
    for (const Damage &damage : damages)
      {
        ASSERT_TRUE(contains(mesh, damage.from)) << damage.from;
        std::string content = mesh;
        content.replace(mesh.find(damage.from), damage.from.size(), damage.to);
        const MeshFile   file(content);
        Triangulation<2> tria;
        EXPECT_MESSAGE(GridGenerator::read_mesh(tria, file.path), damage.message);
      }
  };
  expect_messages(
    square_msh,
    {{"2.2 0 8", "4 0 8", "line 2 ('4 0 8'): the format is neither 2.2 nor 4.1"},
     {"2.2 0 8", "2.2 1 8", "line 2 ('2.2 1 8'): the file is binary"},
     {"$Nodes\n4", "$Nodes\n999999999999", "line 10 ('$EndNodes'): this should be"},
     {"$Nodes\n4", "$Nodes\n-4", "'-4' is no number of nodes"},
     {"2 1 0 0", "2 1 0", "line 7 ('2 1 0'): this should be a node"},
     {"2 1 0 0", "2 nan 0 0", "'nan' is no coordinate"},
     {"2 1 0 0", "2 1e999 0 0", "'1e999' is no coordinate"},
     {"2 1 0 0", "1 1 0 0", "line 7 ('1 1 0 0'): node 1 is there a second time"},
     {"2 1 0 0", "2 1 0 1e-3", "line 7: z is 0.001 at this node"},
     {"$EndNodes", "$EndNode", "this should be '$EndNodes'"},
     {"$EndNodes\n", "$EndNodes\n$Nodes\n", "the section is there a second time"},
     {"$Elements\n6", "$Elements\n5", "this should be '$EndElements'"},
     {"1 1 2 7 1 1 2", "1 1 2 -9999999999 1 1 2", "physical id -9999999999 is too large"},
     {"1 1 2 7 1 1 2", "1 1 2 -9223372036854775808 1 1 2", "is too large"},
     {"1 1 2 7 1 1 2", "1 1 2 7 1 4 2", "the face has the physical id 7, but is no"},
     {"1 1 2 7 1 1 2", "1 1 2 7 1 2 3", "the physical ids 7 and 8"},
     {"5 2 2 5 1 1 2 3", "5 2 2 5 1 1 1 3", "the element has node 1 twice"},
     {"5 2 2 5 1 1 2 3", "5 2 2 5 1 -1 2 3", "there is no node -1"},
     {"5 2 2 5 1 1 2 3", "5 4 2 5 1 1 2 3 4", "not accepted: a tetrahedron"},
     {"5 2 2 5 1 1 2 3", "5 2 2 5 1 1 3 4", "line 18: the cell of line 17 is there"},
     {"5 2 2 5 1 1 2 3\n", "", "line 18 ('$EndElements'): this should be an element"},
     {"$EndElements", "$Comments", "this should be '$EndElements'"},
     {"$EndElements\n", "$EndElements\n$Comments\n", "ends in the section '$Comments'"}});
  expect_messages(
    square_msh_4,
    {{"1 -7 2 1 1", "2 7 8 2 1 1", "the entity has 2 physical ids"},
     {"1 -7 2 1 1", "9 -7", "this should be an entity"},
     {"$Entities\n1 1", "$Entities\n1 2", "line 13 ('$EndEntities'): this should"},
     {"2 4 1 40", "2 5 1 40", "the section ends after 4 nodes, but 5 are announced"},
     {"1 4 0 3", "4 4 0 3", "the dimension of an entity is 0, 1, 2 or 3"},
     {"1 4 1 2\n", "1 9 1 2\n", "there is no entity 9 of dimension 1"},
     {"1 4 1 2\n", "2 2 1 2\n", "elements of type 1 do not fill an entity of dimension 2"},
     {"3 5 1 5", "3 6 1 6", "the section ends after 5 elements, but 6 are announced"},
     {"$Entities", "$PartitionedEntities", "the mesh is partitioned"}});
}

TEST(ReadMesh, FarFromTheOrigin)
{
  for (const std::string x : {"0", "1000000", "1000000000"})
    {
      // a rectangle with the middle of its diagonal
      const auto mesh = [&](const std::string &triangles) {
        return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 " + x + ".1 .1 0\n2 " + x +
               ".4 .1 0\n3 " + x + ".4 .3 0\n4 " + x + ".1 .3 0\n5 " + x +
               ".25 .2 0\n$EndNodes\n$Elements\n" + triangles + "$EndElements\n";
      };
      const MeshFile   apart(mesh("3\n1 2 0 1 2 3\n2 2 0 1 5 4\n3 2 0 5 3 4\n"));
      Triangulation<2> tria;
      EXPECT_MESSAGE(GridGenerator::read_mesh(tria, apart.path), "lies on a face");
      const MeshFile joined(mesh("2\n1 2 0 1 2 3\n2 2 0 1 3 4\n"));
      GridGenerator::read_mesh(tria, joined.path);
      EXPECT_EQ(tria.n_active_cells(), 2U);
    }
}

TEST(ReadMesh, FromGmsh)
{
  if (std::system("gmsh --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "gmsh is not installed";
  const std::string geometry = SALTUS_SOURCE_DIR "parameter_files/double_mach_reflection.geo";
  for (const std::string format : {"msh2", "msh41"})
    {
      const MeshFile    file("");
      const std::string command = "gmsh -v 1 -2 -format " + format + " -setnumber h 0.07 '" +
                                  geometry + "' -o '" + file.path + "'";
      ASSERT_EQ(std::system(command.c_str()), 0);

      Triangulation<2> tria;
      GridGenerator::read_mesh(tria, file.path);
      EXPECT_NEAR(tria.n_active_cells(), 2000., 200.);
      expect_positive_simplices(tria);
      EXPECT_NEAR(volume(tria), 4., 1e-12);
      const auto measures = boundary_measures(tria);
      EXPECT_NEAR(measures.at(0), 1., 1e-12);
      EXPECT_NEAR(measures.at(1), 1., 1e-12);
      EXPECT_NEAR(measures.at(2), 1. / 6., 1e-12);
      EXPECT_NEAR(measures.at(3), 4. - 1. / 6., 1e-12);
      EXPECT_NEAR(measures.at(4), 4., 1e-12);
    }
}
