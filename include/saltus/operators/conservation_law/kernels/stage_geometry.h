// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_stage_geometry_h
#define saltus_operators_conservation_law_kernels_stage_geometry_h

namespace Saltus
{
  /// The arrays of a range from which the stage of simplices on GPUs takes its geometry.
  enum class StageGeometry
  {
    modes,    ///< of affine elements, or StoredArrays with modes of the metric terms
    tangents, ///< StoredArrays with modes of the derivatives of the map
    points    ///< StoredArrays at quadrature points only
  };
} // namespace Saltus

#endif
