// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The graph of a mesh and its cut into parts.
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/mesh/make/flat_mesh.h>
#include <saltus/mesh/make/grid_generator.h>

#include <algorithm>
#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <set>
#include <vector>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  std::size_t
  cut_weight(const WeightedGraph &graph, const std::vector<unsigned int> &parts)
  {
    std::size_t sum = 0;
    for (unsigned int node = 0; node < graph.size(); ++node)
      graph.for_edges(node, [&](const auto &edge) {
        if (edge.to < node && parts[edge.to] != parts[node])
          sum += edge.weight;
      });
    return sum;
  }


  template <int dim>
  void
  expect_neighbors(const Triangulation<dim> &triangulation)
  {
    const WeightedGraph graph = face_graph(flatten(triangulation));
    ASSERT_EQ(graph.size(), triangulation.n_active_cells());
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        std::multiset<unsigned int> neighbors, expected;
        graph.for_edges(cell->active_cell_index(), [&](const auto &edge) {
          EXPECT_EQ(edge.weight, 1U);
          neighbors.insert(edge.to);
        });
        for (const unsigned int f : cell->face_indices())
          if (!cell->at_boundary(f))
            expected.insert(cell->neighbor(f)->active_cell_index());
        EXPECT_EQ(neighbors, expected);
      }
  }


  /// Expects parts of equal size. In the mean of several numbers of parts, no more faces lie
  /// between them than METIS cuts on the whole mesh.
  template <int dim>
  void
  expect_good_cuts(Triangulation<dim> &triangulation)
  {
    const WeightedGraph graph = face_graph(flatten(triangulation));
    double              ratio = 0.;
    const auto          all   = {2, 3, 5};
    for (const unsigned int n_parts : all)
      {
        const std::vector<unsigned int> parts = cut(graph, n_parts);
        ASSERT_EQ(parts.size(), graph.size());
        for (unsigned int part = 0; part < n_parts; ++part)
          EXPECT_NEAR(std::count(parts.begin(), parts.end(), part) * n_parts,
                      graph.size(),
                      0.03 * graph.size());
        GridTools::partition_triangulation(n_parts, triangulation);
        std::vector<unsigned int> by_metis;
        for (const auto &cell : triangulation.active_cell_iterators())
          by_metis.push_back(cell->subdomain_id());
        ratio += static_cast<double>(cut_weight(graph, parts)) / cut_weight(graph, by_metis);
      }

    EXPECT_LE(ratio, all.size());
  }
} // namespace

TEST(CutGraph, NeighborsAreThoseOfTheTriangulation)
{
  Triangulation<2> triangles, mixed;
  make_box<2>(triangles, 4, 0.2);
  expect_neighbors(triangles);
  dealii::GridGenerator::subdivided_hyper_cube(mixed, 5);
  Saltus::GridGenerator::cut_quadrilaterals(mixed);
  expect_neighbors(mixed);
  Triangulation<3> tetrahedra, hexahedra;
  make_box<3>(tetrahedra, 3, 0.1);
  tetrahedra.refine_global(1);
  expect_neighbors(tetrahedra);
  dealii::GridGenerator::hyper_ball(hexahedra);
  hexahedra.refine_global(1);
  expect_neighbors(hexahedra);
}

TEST(CutGraph, IsNoWorseThanMetis)
{
  Triangulation<2> triangles, quadrilaterals;
  make_box<2>(triangles, 260, 0.2);
  expect_good_cuts(triangles);
  dealii::GridGenerator::subdivided_hyper_cube(quadrilaterals, 350);
  expect_good_cuts(quadrilaterals);
  Triangulation<3> tetrahedra, hexahedra;
  make_box<3>(tetrahedra, 28, 0.1);
  expect_good_cuts(tetrahedra);
  dealii::GridGenerator::hyper_ball(hexahedra);
  hexahedra.refine_global(5);
  expect_good_cuts(hexahedra);
}

TEST(CutGraph, FewNodes)
{
  Triangulation<2> triangulation;
  dealii::GridGenerator::subdivided_hyper_cube(triangulation, 2);
  const WeightedGraph             graph = face_graph(flatten(triangulation));
  const std::vector<unsigned int> parts = cut(graph, 2);
  EXPECT_EQ(std::count(parts.begin(), parts.end(), 0), 2);
  EXPECT_EQ(std::count(parts.begin(), parts.end(), 1), 2);
  EXPECT_EQ(cut(graph, 1), std::vector<unsigned int>(4, 0));
  for (const unsigned int part : cut(graph, 9))
    EXPECT_LT(part, 9U);
}
