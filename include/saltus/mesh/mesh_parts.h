// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_mesh_parts_h
#define saltus_mesh_mesh_parts_h

#include <saltus/mesh/element_mesh.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// The parts of a mesh that no face joins, numbered alike on all ranks.
  template <int dim>
  class MeshParts
  {
  public:
    /// Collective.
    explicit MeshParts(const ElementMesh<dim> &mesh);

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

  private:
    const ElementMesh<dim>   &mesh;
    unsigned int              n_parts = 0;
    std::vector<unsigned int> parts; ///< `[e]`
  };
} // namespace Saltus

#endif
