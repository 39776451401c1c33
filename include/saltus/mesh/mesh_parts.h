// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_mesh_parts_h
#define saltus_mesh_mesh_parts_h

#include <saltus/mesh/mixed_mesh.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// The parts of a mesh that no face joins, numbered alike on all ranks. Of a mesh that mixes
  /// shapes the elements are counted through its meshes, one after the other.
  template <int dim>
  class MeshParts
  {
  public:
    /// Collective.
    /// @param mesh must live as long
    explicit MeshParts(const ElementMesh<dim> &mesh);

    /// Collective.
    explicit MeshParts(const MixedMesh<dim> &meshes);

    /// How many there are on all ranks.
    unsigned int
    n() const
    {
      return n_parts;
    }

    unsigned int
    of_element(const unsigned int element) const
    {
      return parts[element];
    }

    /// Extent and boundary ids of a part, for messages. Collective.
    std::string
    description(const unsigned int part) const;

    double
    max_over_ranks(const double value) const
    {
      return Saltus::max_over_ranks(meshes[0]->partition, value);
    }

  private:
    using Meshes = std::vector<const ElementMesh<dim> *>;

    /// @param mixed faces between elements of different meshes
    MeshParts(const Meshes &meshes, const std::vector<MixedFace> &mixed);

    /// `[e]`: a number that elements have in common if faces of this rank join them.
    std::vector<unsigned int>
    joined_here(const std::vector<MixedFace> &mixed) const;

    /// `[root]`: the smallest number of those that elements joined with it have, also by faces
    /// between ranks.
    std::vector<std::size_t>
    joined_on_all(const std::vector<MixedFace>    &mixed,
                  const std::vector<unsigned int> &roots) const;

    unsigned int
    element_at(const MixedFace &face) const
    {
      return starts[face.mesh] +
             meshes[face.mesh]->connectivity.boundary_faces[face.boundary_face].element;
    }

    Meshes                    meshes;
    std::vector<unsigned int> starts; ///< `[mesh]`: the first element
    unsigned int              n_parts = 0;
    std::vector<unsigned int> parts; ///< `[e]`
  };
} // namespace Saltus

#endif
