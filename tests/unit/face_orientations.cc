// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Elements that meet at faces of any number and in any rotation.
#include <saltus/mesh/element_mesh.h>
#include <saltus/physics/advection.h>
#include <saltus/physics/euler.h>

#include <helpers/assembly.h>
#include <helpers/on_device.h>
#include <set>
#include <tuple>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  constexpr unsigned int n_subdivisions = 3; // enough for all orientations to occur

  /// The different triples (face, neighbour's face, orientation) of the mesh.
  template <int dim>
  std::set<std::tuple<unsigned int, unsigned int, unsigned int>>
  orientations(const Triangulation<dim> &triangulation)
  {
    const ElementOrder<dim>     order(triangulation);
    const CellShape<dim>        shape;
    const FaceConnectivity<dim> connectivity(order, shape, {});

    std::set<std::tuple<unsigned int, unsigned int, unsigned int>> result;
    for (unsigned int e = 0; e < order.n_elements(); ++e)
      for (unsigned int f = 0; f < shape.n_faces; ++f)
        if (const FaceRecord &across = connectivity.face(e, f); !across.at_boundary())
          result.emplace(f, across.face, across.orientation);
    return result;
  }

  /// Of the dim! permutations of a face's vertices, half can occur between two given faces of
  /// elements that both have positive orientation: in 3D the rotations.
  template <int dim>
  void
  expect_all_orientations(const Triangulation<dim> &triangulation)
  {
    const unsigned int n_faces = dim + 1, n_rotations = dim == 2 ? 1 : 3;
    EXPECT_EQ(orientations(triangulation).size(), n_faces * n_faces * n_rotations);
  }

  template <int dim, typename Law>
  void
  compare_shuffled(const unsigned int degree, const Device device)
  {
    const Setting<dim, Law> setting(degree, Law(), n_subdivisions, Vertices::shuffled);
    expect_all_orientations(setting.triangulation);
    compare_with_assembly(setting, device);
  }

  using FaceOrientations = OnDevice;
} // namespace

SALTUS_INSTANTIATE_ON_DEVICES(FaceOrientations)

TEST_P(FaceOrientations, Triangles)
{
  compare_shuffled<2, Advection<2>>(5, device());
  compare_shuffled<2, Euler<2>>(5, device());
}

TEST_P(FaceOrientations, Tetrahedra)
{
  compare_shuffled<3, Advection<3>>(4, device());
  compare_shuffled<3, Euler<3>>(2, device());
}
