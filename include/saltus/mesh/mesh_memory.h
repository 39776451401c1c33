// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_mesh_memory_h
#define saltus_mesh_mesh_memory_h

#include <saltus/base/device/memory.h>
#include <saltus/mesh/mesh_arrays.h>

#include <vector>

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

    /// All elements, as if they were one range.
    MeshArrays<Number>
    arrays() const
    {
      return all;
    }

    /// The ranges of the mesh, in their order.
    const std::vector<MeshArrays<Number>> &
    ranges() const
    {
      return of_ranges;
    }

    /// The same, those that follow each other and are of one kind as one.
    const std::vector<MeshArrays<Number>> &
    joined_ranges() const
    {
      return of_joined_ranges;
    }

    std::size_t
    memory_consumption() const
    {
      return inverse_jacobians.size() * sizeof(Number) + faces.size() * sizeof(FaceRecord);
    }

  private:
    Memory<Number>                  inverse_jacobians;
    Memory<FaceRecord>              faces;
    MeshArrays<Number>              all;
    std::vector<MeshArrays<Number>> of_ranges, of_joined_ranges;
  };
} // namespace Saltus

#endif
