// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_mixed_mesh_h
#define saltus_mesh_mixed_mesh_h

#include <saltus/mesh/element_mesh.h>

#include <memory>
#include <vector>

/// Meshes that mix triangles and quadrilaterals: an ElementMesh a shape, and where they meet.
namespace Saltus
{
  /// The shapes that meshes of simplices and hypercubes mix, in the order of what has one part a
  /// shape: meshes, blocks of vectors, operators.
  template <int dim>
  const std::vector<dealii::ReferenceCell> &
  mixed_shapes();

  /// One of them, or the only one.
  template <int dim>
  using MixedMesh = std::vector<std::shared_ptr<const ElementMesh<dim>>>;

  /// Of all parts, one after the other.
  template <int dim>
  std::vector<typename ElementOrder<dim>::Cell>
  cells_of(const MixedMesh<dim> &meshes)
  {
    std::vector<typename ElementOrder<dim>::Cell> result;
    for (const auto &mesh : meshes)
      result.insert(result.end(), mesh->order.cells.begin(), mesh->order.cells.end());
    return result;
  }

  /// The cells of each shape of a triangulation, which need not have any of one. Maps have the
  /// degree of the mapping.
  /// @param mapping as MappingByShape
  /// @throws dealii::ExcMessage what ElementMesh throws; in 3D, where no deal.II element of the
  /// operators' joins hexahedra with tetrahedra
  template <int dim>
  MixedMesh<dim>
  make_mixed_mesh(const dealii::Mapping<dim>          &mapping,
                  const dealii::Triangulation<dim>    &triangulation,
                  const std::vector<PeriodicBoundary> &periodic_boundaries = {});

  /// The same with a given order of the vertices of simplices.
  /// @param vertices `[active cell]`, see ElementMesh
  template <int dim>
  MixedMesh<dim>
  make_mixed_mesh(const dealii::Mapping<dim>                &mapping,
                  const dealii::Triangulation<dim>          &triangulation,
                  const std::vector<PeriodicBoundary>       &periodic_boundaries,
                  const std::vector<VertexPermutation<dim>> &vertices);

  /// A face to an element of another shape, as the element on this rank sees it. Its points are
  /// counted from the end that comes first, by x, then by y, so that both sides count alike.
  struct MixedFace
  {
    unsigned int mesh;          ///< number in the MixedMesh
    unsigned int boundary_face; ///< its number there
    bool         turned;        ///< whether the element counts its points the other way
    unsigned int rank;          ///< that has the element across
    /// Number in the list of the same face as that element sees it, if that is of this rank too.
    unsigned int across;
  };

  /// Those of this rank: first those with both sides here, then by rank across, for each rank in an
  /// order that this rank and that one agree on.
  template <int dim>
  std::vector<MixedFace>
  find_mixed_faces(const MixedMesh<dim> &meshes);
} // namespace Saltus

#endif
