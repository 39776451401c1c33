// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_element_tables_h
#define saltus_operators_spaces_element_tables_h

#include <saltus/base/algebra/block_layout.h>
#include <saltus/fe/simplex.h>

namespace Saltus
{
  /// Reference element: basis functions at quadrature points.
  template <typename Number>
  struct ElementTables
  {
    int n_modes         = 0;
    int n_volume_points = 0;
    int n_face_points   = 0;
    int n_faces         = 0;
    int n_orientations  = 0;
    int n_mean_modes    = 0; ///< 1 where the first mode alone has a mean

    const Number *volume_values    = nullptr; ///< `[q][m]`
    const Number *volume_gradients = nullptr; ///< `[q][r][m]`
    const Number *volume_weights   = nullptr; ///< `[q]`, sum: volume of the reference cell
    const Number *face_values      = nullptr; ///< `[f][q][m]`
    const Number *face_gradients   = nullptr; ///< `[f][q][r][m]`
    const Number *face_weights     = nullptr; ///< `[q]`, sum 1
    const Number *face_normals  = nullptr; ///< `[f][r]`, outward, length: the reference face's area
    const Number *vertex_values = nullptr; ///< `[v][m]`
    const Number *mean_weights  = nullptr; ///< `[m]` of these modes, see Basis

    int n_lower_modes = 0; ///< of one degree less
    /// `[k][m]`: these from the modes, see Basis::embedding(); nullptr: they are the first ones
    const Number *lower_modes = nullptr;

    /// `[o][q]`: the neighbour's number of the point that is number `q` seen from this side.
    const FacePoint *face_permutations = nullptr;

    Number reference_volume = 0;
  };
} // namespace Saltus

#endif
