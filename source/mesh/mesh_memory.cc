// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/block_layout.h>
#include <saltus/base/threads.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/mesh_memory.h>

#include <algorithm>

namespace Saltus
{
  namespace
  {
    /// `[block][i][l]` from `value(element, i)` for `n` values an element; padding repeats the last
    /// element.
    template <typename T, typename Value>
    std::vector<T>
    in_blocks(const unsigned int n_elements, const unsigned int n, const Value &value)
    {
      std::vector<T> result(static_cast<std::size_t>(n_blocks(n_elements)) * block_size * n);
      parallel_for(n_blocks(n_elements), [&](const int begin, const int end) {
        for (int e = begin * block_size; e < end * block_size; ++e)
          for (unsigned int i = 0; i < n; ++i)
            result[point_index(e, i, n, 1)] = value(std::min<unsigned int>(e, n_elements - 1), i);
      });
      return result;
    }
  } // namespace

  template <typename Number>
  template <int dim>
  MeshMemory<Number>::MeshMemory(const ElementMesh<dim> &mesh, const Device device)
    : n_elements(mesh.n_elements())
    , inverse_jacobians(
        device,
        in_blocks<Number>(mesh.n_elements(),
                          dim * dim,
                          [&](const unsigned int e, const unsigned int i) {
                            return mesh.geometry.inverse_jacobians[e][i / dim][i % dim];
                          }))
    , faces(device,
            in_blocks<FaceRecord>(mesh.n_elements(),
                                  mesh.shape.n_faces,
                                  [&](const unsigned int e, const unsigned int f) {
                                    return mesh.connectivity.face(e, f);
                                  }))
    , unmatched_elements(device, mesh.connectivity.unmatched_elements)
  {}

  template <typename Number>
  MeshArrays<Number>
  MeshMemory<Number>::arrays() const
  {
    MeshArrays<Number> result;
    result.n_elements           = n_elements;
    result.inverse_jacobians    = inverse_jacobians.data();
    result.faces                = faces.data();
    result.unmatched_elements   = unmatched_elements.data();
    result.n_unmatched_elements = unmatched_elements.size();
    return result;
  }

  template class MeshMemory<double>;
  template class MeshMemory<float>;
  template MeshMemory<double>::MeshMemory(const ElementMesh<2> &, const Device);
  template MeshMemory<double>::MeshMemory(const ElementMesh<3> &, const Device);
  template MeshMemory<float>::MeshMemory(const ElementMesh<2> &, const Device);
  template MeshMemory<float>::MeshMemory(const ElementMesh<3> &, const Device);
} // namespace Saltus
