// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// The shape of generated meshes does not depend on the ranks.
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe_dgq.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/manifold_lib.h>

#include <saltus/io/parameters/mesh_parameters.h>
#include <saltus/mesh/make/grid_generator.h>
#include <saltus/mesh/make/round_surface.h>
#include <saltus/mesh/make/spread_triangulation.h>

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace dealii;
using namespace Saltus;

namespace
{
  /// `[active cell index]`, of curved cells; 0 for artificial ones.
  template <int dim>
  std::vector<double>
  cell_volumes(const Triangulation<dim> &triangulation)
  {
    const MappingQ<dim> mapping(2);
    const FE_DGQ<dim>   fe(0);
    FEValues<dim>       values(mapping, fe, QGauss<dim>(5), update_JxW_values);
    std::vector<double> volumes(triangulation.n_active_cells());
    for (const auto &cell : triangulation.active_cell_iterators())
      if (!cell->is_artificial())
        {
          values.reinit(cell);
          for (const double JxW : values.get_JxW_values())
            volumes[cell->active_cell_index()] += JxW;
        }
    return volumes;
  }

  /// Expects cells and ghosts to have the volumes that they have in the serial mesh.
  /// @param set_manifolds again, on the mesh that has been spread
  template <int dim, typename Make, typename SetManifolds>
  void
  expect_same_volumes(const Make &make, const SetManifolds &set_manifolds)
  {
    Triangulation<dim> serial;
    make(serial);
    const std::vector<double> expected = cell_volumes(serial);
    const auto                spread   = spread_triangulation<dim>(make, MPI_COMM_WORLD);
    if (Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD) == 1)
      return;
    set_manifolds(*spread);
    const std::vector<double> volumes = cell_volumes(*spread);
    for (const auto &cell : spread->active_cell_iterators())
      if (!cell->is_artificial())
        {
          EXPECT_NEAR(volumes[cell->active_cell_index()],
                      expected[cell->id().get_coarse_cell_id()],
                      1e-14);
        }
  }

  constexpr double inner_radius = 1., outer_radius = 2.;

  /// A cylinder shell whose round boundaries alone are curved: 0 the inner, 1 the outer one.
  void
  make_shell(Triangulation<3> &triangulation)
  {
    dealii::GridGenerator::cylinder_shell(triangulation, 3., inner_radius, outer_radius, 8, 4);
    triangulation.reset_all_manifolds();
    triangulation.set_all_manifold_ids(numbers::flat_manifold_id);
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary())
        {
          const auto is_on = [&](const double radius) {
            for (const unsigned int v : face->vertex_indices())
              if (std::abs(std::hypot(face->vertex(v)[0], face->vertex(v)[1]) - radius) > 1e-10)
                return false;
            return true;
          };
          face->set_boundary_id(is_on(inner_radius) ? 0 : is_on(outer_radius) ? 1 : 2);
        }
  }
} // namespace

// Edges between cells are curved as well.
TEST(GeneratedMeshes, AnnulusIsSpread)
{
  expect_same_volumes<2>(
    [](Triangulation<2> &triangulation) {
      Saltus::GridGenerator::annulus_quadrilaterals(triangulation, 1., 4., 4, 12);
    },
    [](Triangulation<2> &triangulation) { triangulation.set_manifold(0, SphericalManifold<2>()); });
}

// A cell may have an edge on a curved boundary and no face.
TEST(GeneratedMeshes, ShellIsSpread)
{
  const RoundSurface<3> cylinder{Point<3>(), Tensor<1, 3>({0., 0., 1.})};
  expect_same_volumes<3>(
    [&](Triangulation<3> &triangulation) {
      make_shell(triangulation);
      for (const types::boundary_id id : {0, 1})
        attach_manifold(triangulation, id, cylinder);
      triangulation.refine_global(1);
    },
    [&](Triangulation<3> &triangulation) {
      for (const types::boundary_id id : {0, 1})
        reattach_manifold(triangulation, id, cylinder);
    });
}

// Cells that change ranks stay between curved boundaries and in their place.
TEST(GeneratedMeshes, CellsChangeRanks)
{
  parallel::distributed::Triangulation<3> shell(MPI_COMM_WORLD);
  make_shell(shell);
  for (const types::boundary_id id : {0, 1})
    attach_manifold(shell, id, RoundSurface<3>{Point<3>(), Tensor<1, 3>({0., 0., 1.})});
  MeshParameters parameters;
  parameters.cells         = "hypercubes";
  parameters.subdivisions  = {8, 8};
  parameters.distortion    = 0.2;
  const MappedMesh<2> mesh = parameters.make<2>(
    0, "", MPI_COMM_WORLD, [](const double) {}, true);
  Triangulation<2> &square        = *mesh.triangulation;
  const auto        refine_corner = [](auto &triangulation) {
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned() && cell->center()[0] > 0.6 && cell->center()[1] > 0.6)
        cell->set_refine_flag();
    triangulation.execute_coarsening_and_refinement();
  };
  for (unsigned int round = 0; round < 2; ++round)
    refine_corner(shell);
  for (unsigned int round = 0; round < 3; ++round)
    refine_corner(square);

  double area = 0.;
  for (const auto &cell : square.active_cell_iterators())
    if (cell->is_locally_owned())
      area += cell->measure();
  EXPECT_NEAR(Utilities::MPI::sum(area, MPI_COMM_WORLD), 1., 1e-13);
  for (const auto &cell : shell.active_cell_iterators())
    if (!cell->is_artificial())
      for (const auto &face : cell->face_iterators())
        if (face->at_boundary() && face->boundary_id() < 2)
          {
            for (const unsigned int v : face->vertex_indices())
              EXPECT_NEAR(std::hypot(face->vertex(v)[0], face->vertex(v)[1]),
                          face->boundary_id() == 0 ? inner_radius : outer_radius,
                          1e-12);
          }
}
