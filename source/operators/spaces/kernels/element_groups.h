// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_spaces_kernels_element_groups_h
#define saltus_source_operators_spaces_kernels_element_groups_h

#include <saltus/base/algebra/pack.h>
#include <saltus/base/device/threads.h>
#include <saltus/mesh/mesh_arrays.h>

#include <algorithm>

namespace
{
  using namespace Saltus;

  /// Call @p work for the first of every so many elements of the range of @p mesh.
  template <typename Number, typename Work>
  void
  for_element_groups(const MeshArrays<Number> &mesh, const int width, const Work &work)
  {
    parallel_for(n_blocks(mesh.end - mesh.begin), [&](const int begin, const int end) {
      const int last = std::min(mesh.begin + end * block_size, mesh.end);
      for (int first = mesh.begin + begin * block_size; first < last; first += width)
        work(first);
    });
  }
} // namespace

#endif
