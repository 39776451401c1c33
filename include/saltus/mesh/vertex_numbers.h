// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_vertex_numbers_h
#define saltus_mesh_vertex_numbers_h

#include <saltus/mesh/mixed_mesh.h>

#include <array>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace Saltus
{
  /// Numbers of the vertices of elements, as continuous functions of degree 1 need them: those that
  /// cells use, in the order in which the elements meet them; vertices that periodic boundaries
  /// make one are one. On several ranks each has the vertices of its elements, and those at its
  /// border have the same name on all ranks.
  template <int dim>
  class VertexNumbers
  {
  public:
    /// Collective.
    /// @param meshes of one mesh, or the parts of one that mixes shapes
    /// @param mixed find_mixed_faces() of these
    explicit VertexNumbers(const std::vector<const ElementMesh<dim> *> &meshes,
                           const std::vector<MixedFace>                &mixed = {});

    unsigned int n_vertices = 0; ///< of this rank's elements

    /// `[mesh][e][v]`, then of ghosts, whose vertices are counted as in face records
    std::vector<std::vector<unsigned int>> of_elements;

    /// @name On several ranks
    /// @{
    std::vector<std::size_t>   names;       ///< `[vertex]`, then of those that only ghosts have
    std::vector<std::size_t>   first_names; ///< `[rank]`: of names that belong to ranks; the end
    std::vector<unsigned char> at_border;   ///< `[vertex]`: whether it is on a face to another rank

    /// The number of the vertex with a name, which may be new.
    unsigned int
    number_of(const std::size_t name);
    /// @}

    /// A vertex in the middle of a larger element's face or edge, and the ends.
    struct Hanging
    {
      unsigned int vertex    = 0;
      unsigned int n_masters = 0;
      /// Vertices of the larger element, which hang themselves where sizes grow twice at a point.
      std::array<unsigned int, dealii::GeometryInfo<dim>::vertices_per_face> masters{};
    };

    /// Those that this rank's elements know as the larger ones, each once.
    std::vector<Hanging>
    find_hanging(const std::vector<const ElementMesh<dim> *> &meshes) const;

  private:
    using Meshes = std::vector<const ElementMesh<dim> *>;

    void
    number_vertices(const Meshes &meshes);

    void
    name_vertices(const Meshes &meshes, const std::vector<MixedFace> &mixed);

    std::unordered_map<std::size_t, unsigned int> known; ///< numbers by names
  };
} // namespace Saltus

#endif
