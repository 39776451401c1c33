// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/threads.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/mesh_memory.h>

namespace Saltus
{
  namespace
  {
    /// `[block][i][l]` from `value(element, i)` for `n` values an element; padding repeats the last
    /// element. Then the same for @p n_ghosts elements, which have numbers from the next block on.
    template <typename T, typename Value>
    std::vector<T>
    in_blocks(const unsigned int n_elements,
              const unsigned int n_ghosts,
              const unsigned int n,
              const Value       &value)
    {
      const unsigned int owned = n_blocks(n_elements), all = owned + n_blocks(n_ghosts);
      std::vector<T>     result(static_cast<std::size_t>(all) * block_size * n);
      parallel_for(all, [&](const unsigned int begin, const unsigned int end) {
        for (unsigned int e = begin * block_size; e < end * block_size; ++e)
          {
            const unsigned int last =
              e < owned * block_size ? n_elements - 1 : owned * block_size + n_ghosts - 1;
            for (unsigned int i = 0; i < n; ++i)
              result[point_index(e, i, n, 1)] = value(std::min(e, last), i);
          }
      });
      return result;
    }
  } // namespace

  template <typename Number>
  template <int dim>
  MeshMemory<Number>::MeshMemory(const ElementMesh<dim> &mesh, const Device device)
    : inverse_jacobians(
        device,
        in_blocks<Number>(mesh.n_elements(),
                          mesh.connectivity.ghosts.size(),
                          dim * dim,
                          [&](const unsigned int e, const unsigned int i) {
                            return mesh.geometry.inverse_jacobians[e][i / dim][i % dim];
                          }))
    , faces(device,
            in_blocks<FaceRecord>(mesh.n_elements(),
                                  0,
                                  mesh.shape.n_faces,
                                  [&](const unsigned int e, const unsigned int f) {
                                    return mesh.connectivity.face(e, f);
                                  }))
  {
    all.n_elements        = mesh.n_elements();
    all.end               = mesh.n_elements();
    all.inverse_jacobians = inverse_jacobians.data();
    all.faces             = faces.data();
    all.matched           = mesh.connectivity.unmatched_elements.empty();

    for (const ElementRange &range : mesh.order.ranges)
      {
        MeshArrays<Number> arrays = all;
        arrays.begin              = range.begin;
        arrays.end                = range.end;
        arrays.shape              = range.shape;
        arrays.kind               = range.kind;
        of_ranges.push_back(arrays);
        if (of_joined_ranges.empty() || of_joined_ranges.back().shape != range.shape ||
            of_joined_ranges.back().kind != range.kind)
          of_joined_ranges.push_back(arrays);
        else
          of_joined_ranges.back().end = arrays.end;
      }
  }

  template class MeshMemory<double>;
  template class MeshMemory<float>;
  template MeshMemory<double>::MeshMemory(const ElementMesh<2> &, const Device);
  template MeshMemory<double>::MeshMemory(const ElementMesh<3> &, const Device);
  template MeshMemory<float>::MeshMemory(const ElementMesh<2> &, const Device);
  template MeshMemory<float>::MeshMemory(const ElementMesh<3> &, const Device);
} // namespace Saltus
