// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_mesh_memory_h
#define saltus_mesh_mesh_memory_h

#include <saltus/base/device/memory.h>
#include <saltus/mesh/mesh_arrays.h>

namespace Saltus
{
  template <int dim>
  class ElementMesh;

  /// The arrays of a mesh on a device in one precision.
  template <typename Number>
  class MeshMemory
  {
  public:
    template <int dim>
    MeshMemory(const ElementMesh<dim> &mesh, const Device device);

    /// All elements.
    MeshArrays<Number>
    arrays() const;

    /// Whole blocks of elements that need no ghosts.
    MeshArrays<Number>
    interior() const;

    /// All other elements.
    MeshArrays<Number>
    border() const;

    std::size_t
    memory_consumption() const
    {
      return inverse_jacobians.size() * sizeof(Number) + faces.size() * sizeof(FaceRecord) +
             unmatched_elements.size() * sizeof(int);
    }

  private:
    const unsigned int n_elements, n_interior;
    Memory<Number>     inverse_jacobians;
    Memory<FaceRecord> faces;
    Memory<int>        unmatched_elements;
    const unsigned int n_unmatched_interior;
  };
} // namespace Saltus

#endif
