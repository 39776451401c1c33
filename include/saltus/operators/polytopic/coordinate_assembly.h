// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_coordinate_assembly_h
#define saltus_operators_polytopic_coordinate_assembly_h

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/operators/polytopic/kernels/polytopic_rows.h>

namespace Saltus
{
  /// How the values of a matrix are found.
  enum class PolytopicAssembly
  {
    /// Every row of blocks computes its own, where they stay.
    in_place,
    /// Cells and facets compute entries in coordinate form, which are sorted, and added where they
    /// have the same place: the first approach of Dong, Georgoulis and Kappas. For comparison: it
    /// takes several times the time, and 32 bytes for each of these entries.
    coordinates
  };


  /// The values of a matrix by PolytopicAssembly::coordinates.
  /// @param rows as they would be for the other way
  /// @param volume_owners,face_owners `[point]`, see PointSet
  /// @throws dealii::ExcMessage for 2^31 entries and more; OutOfMemory
  template <int dim>
  void
  assemble_coordinates(const AssembleRows<dim> &rows,
                       const BlockSparsity     &sparsity,
                       const unsigned int       n_known_elements,
                       const Memory<int>       &volume_owners,
                       const Memory<int>       &face_owners);
} // namespace Saltus

#endif
