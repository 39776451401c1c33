// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Numbers of faces that are the same on both sides: on graphs, and on meshes.
#include <saltus/fe/reference_element.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/meshes.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  /// Faces of elements that meet as the pairs in @p edges say, in this order; all others are at the
  /// boundary.
  std::vector<FaceRecord>
  graph(const unsigned int                                n_elements,
        const unsigned int                                n_faces,
        const std::vector<std::pair<unsigned, unsigned>> &edges)
  {
    std::vector<FaceRecord> faces(n_elements * n_faces);
    for (FaceRecord &face : faces)
      face.kind = FaceKind::boundary;
    const auto free_face = [&](const unsigned int element) {
      unsigned int f = 0;
      while (!faces[element * n_faces + f].at_boundary())
        ++f;
      faces[element * n_faces + f].kind = FaceKind::interior;
      return f;
    };
    for (const auto &[a, b] : edges)
      {
        const unsigned int f = free_face(a), g = free_face(b);
        FaceRecord        &one = faces[a * n_faces + f], &other = faces[b * n_faces + g];
        one.neighbor   = b;
        one.face       = g;
        other.neighbor = a;
        other.face     = f;
      }
    return faces;
  }

  /// Number of interior faces with different numbers on their sides, counted by the result alone.
  unsigned int
  n_left_over(const unsigned int                n_faces,
              const std::vector<FaceRecord>    &faces,
              const std::vector<unsigned char> &numbers)
  {
    EXPECT_EQ(numbers.size(), faces.size());
    unsigned int n_sides = 0;
    for (std::size_t i = 0; i < faces.size(); ++i)
      {
        if (i % n_faces == 0)
          {
            std::vector<unsigned char> of_element(&numbers[i], &numbers[i] + n_faces);
            std::sort(of_element.begin(), of_element.end());
            for (unsigned int f = 0; f < n_faces; ++f)
              EXPECT_EQ(of_element[f], f);
          }
        if (!faces[i].at_boundary())
          n_sides += numbers[i] != numbers[faces[i].neighbor * n_faces + faces[i].face];
      }
    return n_sides / 2;
  }

  unsigned int
  n_left_over(const unsigned int             n_faces,
              const std::vector<FaceRecord> &faces,
              const unsigned int             n_rounds = max_matching_rounds)
  {
    const auto numbers = match_faces(n_faces, faces, n_rounds);
    EXPECT_EQ(numbers, match_faces(n_faces, faces, n_rounds)); // always the same
    return n_left_over(n_faces, faces, numbers);
  }

  /// As deal.II numbers the faces.
  template <int dim>
  std::vector<FaceRecord>
  faces_of(const Triangulation<dim>            &triangulation,
           const std::vector<PeriodicBoundary> &periodic = {})
  {
    const ElementOrder<dim>     order(triangulation, ReferenceCells::get_simplex<dim>());
    const FaceConnectivity<dim> connectivity(order,
                                             CellShape<dim>(),
                                             match_periodic_boundaries(triangulation, periodic));
    std::vector<FaceRecord>     faces;
    for (unsigned int e = 0; e < order.n_elements(); ++e)
      for (unsigned int f = 0; f <= dim; ++f)
        faces.push_back(connectivity.face(e, f));
    return faces;
  }

  template <int dim>
  void
  make_shuffled(Triangulation<dim> &triangulation, const unsigned int n)
  {
    make_box(triangulation, n, 0.2);
    if constexpr (dim == 2)
      turn_some_edges(triangulation);
    shuffle_vertices(triangulation);
  }

  template <int dim>
  std::vector<PeriodicBoundary>
  all_periodic()
  {
    std::vector<PeriodicBoundary> periodic;
    for (unsigned int d = 0; d < dim; ++d)
      periodic.push_back({2 * d, 2 * d + 1});
    return periodic;
  }

  /// One tetrahedron in four: then the number of cells is odd, and in a mesh without boundary no
  /// number can be that of a face of every cell.
  void
  split_one(Triangulation<3> &triangulation)
  {
    auto [vertices, cells, boundary] = GridTools::get_coarse_mesh_description(triangulation);
    const CellData<3> whole          = cells[0];
    Point<3>          center;
    for (const unsigned int v : whole.vertices)
      center += vertices[v] / 4.;
    for (unsigned int v = 0; v < 4; ++v)
      {
        CellData<3> part = whole;
        part.vertices[v] = vertices.size();
        if (v == 0)
          cells[0] = part;
        else
          cells.push_back(part);
      }
    vertices.push_back(center);
    triangulation.clear();
    triangulation.create_triangulation(vertices, cells, boundary);
  }
} // namespace

TEST(FaceMatching, Graphs)
{
  EXPECT_EQ(n_left_over(3, graph(2, 3, {{0, 1}, {0, 1}, {0, 1}})), 0u); // three common faces
  EXPECT_EQ(n_left_over(3, graph(4, 3, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})), 0u);
  EXPECT_EQ(n_left_over(3, graph(1, 3, {})), 0u);
  // The smallest graph without bridges that needs a fourth colour (Petersen's): two edges at least
  // are left over.
  std::vector<std::pair<unsigned, unsigned>> petersen;
  for (unsigned int i = 0; i < 5; ++i)
    {
      petersen.emplace_back(i, (i + 1) % 5);
      petersen.emplace_back(i, 5 + i);
      petersen.emplace_back(5 + i, 5 + (i + 2) % 5);
    }
  EXPECT_EQ(n_left_over(3, graph(10, 3, petersen)), 2u);
}

TEST(FaceMatching, AnElementThatMeetsItself)
{
  const auto faces   = graph(2, 3, {{0, 0}, {0, 1}, {1, 1}});
  const auto numbers = match_faces(3, faces);
  EXPECT_EQ(n_left_over(3, faces, numbers), 2u); // its own faces, which cannot be matched
  EXPECT_EQ(numbers[2], numbers[faces[2].neighbor * 3 + faces[2].face]);
}

TEST(FaceMatching, Meshes)
{
  for (const unsigned int n : {1u, 2u, 7u, 30u})
    {
      Triangulation<2> triangles;
      make_shuffled(triangles, n);
      EXPECT_EQ(n_left_over(3, faces_of(triangles)), 0u);
      EXPECT_EQ(n_left_over(3, faces_of(triangles, all_periodic<2>())), 0u);
    }
  for (const unsigned int n : {1u, 2u, 3u, 6u})
    {
      Triangulation<3> tetrahedra;
      make_shuffled(tetrahedra, n);
      EXPECT_EQ(n_left_over(4, faces_of(tetrahedra)), 0u);
      EXPECT_EQ(n_left_over(4, faces_of(tetrahedra, all_periodic<3>())), 0u);
    }
  Triangulation<2> disc;
  Saltus::GridGenerator::disc(disc, 1., 12);
  EXPECT_EQ(n_left_over(3, faces_of(disc)), 0u);
  disc.refine_global(2);
  EXPECT_EQ(n_left_over(3, faces_of(disc)), 0u);
}

/// No round: the numbers stay. Each round leaves fewer over.
TEST(FaceMatching, StopsEarly)
{
  Triangulation<2> triangles;
  make_shuffled(triangles, 60);
  Triangulation<3> tetrahedra;
  make_shuffled(tetrahedra, 8);
  const auto check = [](const unsigned int n_faces, const std::vector<FaceRecord> &faces) {
    const auto unchanged = match_faces(n_faces, faces, 0);
    for (std::size_t i = 0; i < unchanged.size(); ++i)
      EXPECT_EQ(unchanged[i], i % n_faces);
    EXPECT_GT(n_left_over(n_faces, faces, 0), faces.size() / 10);
    unsigned int before = n_left_over(n_faces, faces, 1);
    EXPECT_GT(before, 0u);
    EXPECT_LT(before, faces.size() / 30);
    for (unsigned int n_rounds = 2; n_rounds <= max_matching_rounds; ++n_rounds)
      {
        const unsigned int left = n_left_over(n_faces, faces, n_rounds);
        EXPECT_LE(left, before);
        before = left;
      }
    EXPECT_EQ(before, 0u);
  };
  check(3, faces_of(triangles, all_periodic<2>()));
  check(4, faces_of(tetrahedra));
}

TEST(FaceMatching, WhereNoneExists)
{
  Triangulation<3> tetrahedra;
  make_shuffled(tetrahedra, 3);
  split_one(tetrahedra);
  // Of 4 * 165 / 2 faces, each number can have at most (165 - 1) / 2.
  const auto faces = faces_of(tetrahedra, all_periodic<3>());
  ASSERT_EQ(faces.size(), 4u * 165u);
  EXPECT_GE(n_left_over(4, faces), 2u);
  EXPECT_LE(n_left_over(4, faces), 4u);
}

namespace
{
  /// That @p mesh is made again from the order of its vertices.
  template <int dim>
  void
  check_given_vertices(const ElementMesh<dim> &mesh)
  {
    std::vector<VertexPermutation<dim>> vertices(mesh.n_elements());
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      vertices[mesh.order.cells[e]->active_cell_index()] = mesh.order.vertices[e];
    const MappingFE<dim>   mapping(FE_SimplexP<dim>(1));
    const ElementMesh<dim> again(mapping, mesh.order.triangulation, {}, vertices);
    EXPECT_EQ(again.order.vertices, mesh.order.vertices);
    EXPECT_EQ(again.connectivity.unmatched_elements, mesh.connectivity.unmatched_elements);
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      for (unsigned int f = 0; f <= dim; ++f)
        {
          const FaceRecord &face = mesh.connectivity.face(e, f), &same =
                                                                   again.connectivity.face(e, f);
          EXPECT_EQ(same.kind, face.kind);
          EXPECT_EQ(same.neighbor, face.neighbor);
          EXPECT_EQ(same.face, face.face);
          EXPECT_EQ(same.orientation, face.orientation);
        }
  }

  /// That an element's vertices, faces and neighbours go together, by positions alone.
  template <int dim>
  void
  check_mesh(const Triangulation<dim> &triangulation, const unsigned int n_rounds)
  {
    const MappingFE<dim>        mapping(FE_SimplexP<dim>(1));
    const ElementMesh<dim>      mesh(mapping, triangulation, {}, n_rounds);
    const ReferenceElement<dim> reference(1, 2, 3);
    const unsigned int          n_points   = reference.n_face_points();
    unsigned int                n_mirrored = 0, n_different = 0, n_boundary = 0;
    std::vector<int>            unmatched;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      {
        const auto &cell = mesh.order.cells[e];
        for (unsigned int v = 0; v <= dim; ++v)
          {
            const Point<dim> vertex =
              mesh.geometry.map(e, mesh.shape.reference_cell.template vertex<dim>(v));
            EXPECT_LT(vertex.distance(cell->vertex(mesh.order.vertices[e][v])), 1e-14);
            EXPECT_EQ(mesh.order.vertex_index(e, v), cell->vertex_index(mesh.order.vertices[e][v]));
          }
        const double volume = mesh.geometry.volume_factors[e] * reference.reference_cell.volume();
        EXPECT_NEAR(volume, cell->measure(), 1e-12 * cell->measure());
        n_mirrored += determinant(mesh.geometry.jacobians[e]) < 0;
        for (unsigned int f = 0; f <= dim; ++f)
          {
            const auto point =
              [&](const unsigned int element, const unsigned int face, const unsigned int q) {
                return mesh.geometry.map(element, reference.face_points[face * n_points + q]);
              };
            const auto normal =
              mesh.geometry.face(e, reference.face_normals.data() + f * dim).normal;
            EXPECT_GT(normal * (point(e, f, 0) - cell->center()), 0.); // it points out
            const FaceRecord &across = mesh.connectivity.face(e, f);
            if (across.at_boundary())
              {
                const auto &face = mesh.connectivity.boundary_faces[across.boundary_face()];
                EXPECT_EQ(face.element, e);
                EXPECT_EQ(face.face, f);
                EXPECT_LT(std::abs(normal *
                                   (cell->face(face.cell_face)->center() - point(e, f, 0))),
                          1e-13);
                EXPECT_EQ(face.id, cell->face(face.cell_face)->boundary_id());
                ++n_boundary;
                continue;
              }
            n_different += across.face != f;
            if (across.face != f && (unmatched.empty() || unmatched.back() != int(e)))
              unmatched.push_back(e);
            for (unsigned int q = 0; q < n_points; ++q)
              {
                const unsigned int there =
                  reference.face_permutations[across.orientation * n_points + q];
                EXPECT_LT(point(e, f, q).distance(point(across.neighbor, across.face, there)),
                          1e-13);
              }
          }
      }
    EXPECT_EQ(n_boundary, mesh.connectivity.boundary_faces.size());
    EXPECT_EQ(mesh.connectivity.unmatched_elements, unmatched);
    const auto on_cpu = mesh.template on_device<double>(Device::cpu());
    EXPECT_EQ(on_cpu->arrays().matched, unmatched.empty());
    check_given_vertices(mesh);
    if (n_rounds == 0)
      {
        EXPECT_EQ(n_mirrored, 0u);
      }
    else
      EXPECT_NEAR(n_mirrored, 0.5 * mesh.n_elements(), 0.05 * mesh.n_elements());
    if (n_rounds == max_matching_rounds)
      {
        EXPECT_EQ(n_different, 0u);
      }
    else
      EXPECT_GT(n_different, 0u);
  }
} // namespace

TEST(MatchedMesh, VerticesFacesAndNeighbours)
{
  Triangulation<2> triangles;
  make_shuffled(triangles, 30);
  Triangulation<3> tetrahedra;
  make_shuffled(tetrahedra, 6);
  for (const unsigned int n_rounds : {0u, 1u, max_matching_rounds})
    {
      SCOPED_TRACE(std::to_string(n_rounds) + " rounds");
      check_mesh(triangles, n_rounds);
      check_mesh(tetrahedra, n_rounds);
    }
}
