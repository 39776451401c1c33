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

  /// Number of different triples (face, neighbour's face, orientation) of the mesh.
  template <int dim>
  unsigned int
  n_orientations(const ElementMesh<dim> &mesh)
  {
    std::set<std::tuple<unsigned int, unsigned int, unsigned int>> orientations;
    for (unsigned int e = 0; e < mesh.n_elements(); ++e)
      for (unsigned int f = 0; f < mesh.shape.n_faces; ++f)
        if (const FaceRecord &across = mesh.connectivity.face(e, f); !across.at_boundary())
          orientations.emplace(f, across.face, across.orientation);
    return orientations.size();
  }

  /// All ways in which elements can meet. With the numbers of deal.II's cells, which have positive
  /// orientation, half of the dim! permutations of a face's vertices can occur between two given
  /// faces: in 3D the rotations. With matched numbers the faces are the same, and all can occur.
  template <int dim, typename Law>
  void
  expect_all_orientations(const Setting<dim, Law> &setting)
  {
    const unsigned int n_faces = dim + 1, n_permutations = dim == 2 ? 2 : 6;
    EXPECT_EQ(n_orientations(*setting.mesh({}, 0)), n_faces * n_faces * n_permutations / 2);
    EXPECT_EQ(n_orientations(*setting.mesh()), n_faces * n_permutations);
  }

  template <int dim, typename Law>
  void
  compare_shuffled(const unsigned int degree, const Device device)
  {
    const Setting<dim, Law> setting(degree, Law(), n_subdivisions, Vertices::shuffled);
    expect_all_orientations(setting);
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
