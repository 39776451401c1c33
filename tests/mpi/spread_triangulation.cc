// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A mesh that is spread over the ranks against the serial one.
#include <deal.II/distributed/tria_base.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/base/ranks/gather.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/mesh/make/spread_mesh.h>
#include <saltus/mesh/make/spread_triangulation.h>

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <helpers/meshes.h>
#include <helpers/message_of.h>
#include <helpers/on_ranks.h>
#include <set>
#include <vector>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  template <int dim>
  using Make = std::function<void(Triangulation<dim> &)>;

  template <int dim>
  using Cell = typename Triangulation<dim>::active_cell_iterator;

  /// Expects the same vertices, ids and, of the rank's own cells, neighbors.
  template <int dim>
  void
  expect_same_cell(const Cell<dim> &cell, const Cell<dim> &expected)
  {
    ASSERT_EQ(cell->reference_cell(), expected->reference_cell());
    EXPECT_EQ(cell->material_id(), expected->material_id());
    EXPECT_EQ(cell->manifold_id(), expected->manifold_id());
    for (const unsigned int v : cell->vertex_indices())
      EXPECT_LT(cell->vertex(v).distance(expected->vertex(v)), 1e-14);
    for (const unsigned int f : cell->face_indices())
      {
        EXPECT_EQ(cell->face(f)->manifold_id(), expected->face(f)->manifold_id());
        // The outer faces of ghosts are at a boundary here alone.
        if (expected->at_boundary(f))
          {
            EXPECT_EQ(cell->face(f)->boundary_id(), expected->face(f)->boundary_id());
          }
        if (!cell->is_locally_owned())
          continue;
        ASSERT_EQ(cell->at_boundary(f), expected->at_boundary(f));
        if (!cell->at_boundary(f))
          {
            EXPECT_EQ(cell->neighbor(f)->id().get_coarse_cell_id(),
                      expected->neighbor(f)->active_cell_index());
          }
      }
    if constexpr (dim == 3)
      for (const unsigned int l : cell->line_indices())
        {
          EXPECT_EQ(cell->line(l)->manifold_id(), expected->line(l)->manifold_id());
        }
  }


  /// Cells that have a vertex in common with those of @p rank, which are none of them.
  template <int dim>
  std::set<unsigned int>
  ghosts_of(const unsigned int               rank,
            const std::vector<unsigned int> &owners,
            const std::vector<Cell<dim>>    &cells)
  {
    std::set<unsigned int> vertices, ghosts;
    for (const auto &cell : cells)
      if (owners[cell->active_cell_index()] == rank)
        for (const unsigned int v : cell->vertex_indices())
          vertices.insert(cell->vertex_index(v));
    for (const auto &cell : cells)
      if (owners[cell->active_cell_index()] != rank)
        for (const unsigned int v : cell->vertex_indices())
          if (vertices.count(cell->vertex_index(v)) > 0)
            ghosts.insert(cell->active_cell_index());
    return ghosts;
  }


  /// @param owners `[cell of the serial mesh]`; empty: any
  template <int dim>
  void
  expect_same_mesh(const Triangulation<dim>        &serial,
                   const Triangulation<dim>        &spread,
                   const std::vector<unsigned int> &expected_owners = {})
  {
    std::vector<Cell<dim>> cells;
    for (const auto &cell : serial.active_cell_iterators())
      cells.push_back(cell);
    ASSERT_EQ(spread.n_global_active_cells(), cells.size());
    ASSERT_EQ(spread.n_levels(), n_ranks() == 1 ? serial.n_levels() : 1);
    if (n_ranks() == 1)
      return;

    std::vector<unsigned int> own;
    for (const auto &cell : spread.active_cell_iterators())
      if (cell->is_locally_owned())
        own.push_back(cell->id().get_coarse_cell_id());
    EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
    std::vector<unsigned int> owners(cells.size(), numbers::invalid_unsigned_int);
    const auto                all = all_gather(MPI_COMM_WORLD, own);
    ASSERT_EQ(all.values.size(), cells.size());
    for (unsigned int rank = 0; rank < n_ranks(); ++rank)
      for (std::size_t i = all.starts[rank]; i < all.starts[rank + 1]; ++i)
        owners[all.values[i]] = rank;
    EXPECT_EQ(std::count(owners.begin(), owners.end(), numbers::invalid_unsigned_int), 0);
    if (!expected_owners.empty())
      {
        EXPECT_EQ(owners, expected_owners);
      }

    std::set<unsigned int>        ghosts;
    std::set<types::subdomain_id> ghost_owners;
    for (const auto &cell : spread.active_cell_iterators())
      if (!cell->is_artificial())
        {
          const unsigned int number = cell->id().get_coarse_cell_id();
          EXPECT_EQ(cell->subdomain_id(), owners[number]);
          expect_same_cell<dim>(cell, cells[number]);
          if (cell->is_ghost())
            {
              ghosts.insert(number);
              ghost_owners.insert(cell->subdomain_id());
            }
        }
    EXPECT_EQ(ghosts, ghosts_of<dim>(this_rank(), owners, cells));
    const auto &parallel = dynamic_cast<const parallel::TriangulationBase<dim> &>(spread);
    EXPECT_EQ(parallel.ghost_owners(), ghost_owners);
    EXPECT_EQ(parallel.n_locally_owned_active_cells(), own.size());
    EXPECT_EQ(parallel.n_global_coarse_cells(), cells.size());
  }


  template <int dim>
  void
  expect_same(const Make<dim> &make, const MeshCut<dim> &cut = {})
  {
    Triangulation<dim> serial;
    make(serial);
    expect_same_mesh<dim>(serial,
                          *spread_triangulation<dim>(make, MPI_COMM_WORLD, cut),
                          cut ? cut(serial, n_ranks()) : std::vector<unsigned int>());
  }


  /// Expects the same as on one rank of a mesh that the ranks refine.
  template <int dim>
  void
  expect_same_mesh(const Make<dim> &make, const unsigned int max_refinements)
  {
    if (n_ranks() == 1)
      return;
    Triangulation<dim> serial;
    make(serial);
    const FlatMesh<dim> coarse = flatten(serial);
    for (unsigned int n = 0; n <= max_refinements; ++n)
      {
        SCOPED_TRACE(std::to_string(n) + " refinements");
        unsigned int n_after = 0;
        const auto   spread  = spread_mesh<dim>(
          [&]() {
            n_after = n;
            return coarse;
          },
          MPI_COMM_WORLD,
          n_after);
        expect_same_mesh(serial, *spread);
        if (n < max_refinements)
          serial.refine_global(1);
      }
  }


  /// By turns, and to the last rank no cell.
  template <int dim>
  std::vector<unsigned int>
  scatter(const Triangulation<dim> &triangulation, const unsigned int n_ranks)
  {
    std::vector<unsigned int> owners;
    for (unsigned int c = 0; c < triangulation.n_active_cells(); ++c)
      owners.push_back(c / 3 % std::max(1U, n_ranks - 1));
    return owners;
  }


  /// @param make a mesh without refinements
  template <int dim>
  void
  expect_same_when_refined(const Make<dim> &make)
  {
    for (const unsigned int n : {0, 1})
      {
        SCOPED_TRACE(std::to_string(n) + " refinements");
        const Make<dim> refined = [&](Triangulation<dim> &triangulation) {
          make(triangulation);
          for (const auto &cell : triangulation.active_cell_iterators())
            cell->set_material_id(cell->active_cell_index() % 3);
          triangulation.refine_global(n);
        };
        expect_same<dim>(refined);
        expect_same<dim>(refined, scatter<dim>);
      }
  }
} // namespace

TEST(SpreadTriangulation, Simplices)
{
  expect_same_when_refined<2>([](auto &triangulation) { make_box<2>(triangulation, 5, 0.2); });
  expect_same_when_refined<3>([](auto &triangulation) { make_box<3>(triangulation, 3, 0.1); });
}

TEST(SpreadTriangulation, Hypercubes)
{
  expect_same_when_refined<2>([](auto &triangulation) {
    Saltus::GridGenerator::annulus_quadrilaterals(triangulation, 1., 4., 4, 12);
  });
  expect_same_when_refined<3>([](auto &triangulation) {
    dealii::GridGenerator::cylinder_shell(triangulation, 3., 1., 2., 8, 4);
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary())
        face->set_boundary_id(face->index() % 5);
  });
}

TEST(SpreadTriangulation, Mixed)
{
  expect_same_when_refined<2>([](auto &triangulation) {
    dealii::GridGenerator::subdivided_hyper_rectangle(
      triangulation, {6, 5}, Point<2>(), Point<2>(1., 1.), true);
    Saltus::GridGenerator::cut_quadrilaterals(triangulation);
  });
}

// The ranks refine the larger of the meshes.
TEST(SpreadTriangulation, RanksRefine)
{
  const auto mark = [](auto &triangulation) {
    for (const auto &cell : triangulation.active_cell_iterators())
      cell->set_material_id(cell->active_cell_index() % 3);
  };
  for (const unsigned int n : {10, 32})
    expect_same_mesh<2>(
      [&](auto &triangulation) {
        make_box<2>(triangulation, n, 0.2);
        mark(triangulation);
      },
      2);
  expect_same_mesh<2>(
    [&](auto &triangulation) {
      dealii::GridGenerator::subdivided_hyper_rectangle(
        triangulation, {50, 51}, Point<2>(), Point<2>(1., 1.), true);
      Saltus::GridGenerator::cut_quadrilaterals(triangulation);
      mark(triangulation);
    },
    1);
  expect_same_mesh<3>(
    [&](auto &triangulation) {
      make_box<3>(triangulation, 8, 0.1);
      mark(triangulation);
    },
    1);
  expect_same_mesh<3>(
    [&](auto &triangulation) {
      dealii::GridGenerator::subdivided_hyper_rectangle(
        triangulation, {15, 15, 14}, Point<3>(), Point<3>(1., 1., 1.), true);
      mark(triangulation);
    },
    1);
}

// Ranks without cells.
TEST(SpreadTriangulation, FewCells)
{
  expect_same<2>([](auto &triangulation) { make_box<2>(triangulation, 1, 0.); });
  expect_same<3>([](auto &triangulation) { dealii::GridGenerator::hyper_cube(triangulation); });
}

TEST(SpreadTriangulation, ErrorsReachAllRanks)
{
  EXPECT_MESSAGE(spread_triangulation<2>([](auto &) { AssertThrow(false, ExcMessage("no mesh")); },
                                         MPI_COMM_WORLD),
                 "no mesh");
}
