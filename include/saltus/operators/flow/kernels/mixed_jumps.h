// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_mixed_jumps_h
#define saltus_operators_flow_kernels_mixed_jumps_h

#include <saltus/operators/elliptic/kernels/mixed_face_work.h>

namespace Saltus
{
  /// The penalty of StabilizationOperator on jumps, at one point of a face to an element of another
  /// shape, of which the velocity, `[c]`, and then |mean velocity| are told; for MixedFaceSums.
  template <int dim, typename Number>
  struct MixedJumpPoints
  {
    MixedFaceArrays<Number> faces;
    const Number           *normals = nullptr; ///< `[i][q][d]`, of unit length
    const Number           *speeds  = nullptr; ///< see StabilizationArguments
    Number                  factor  = 0;       ///< `jump_factor` there
    const Number           *u       = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const ElementTables<Number> &tables = faces.tables;
      const int                    nf = tables.n_face_points, n = tables.n_modes, i = index / nf;
      const int                    e = faces.elements[i], point = faces.faces[i] * nf + index % nf;
      const Number *across = faces.across + static_cast<std::size_t>(index) * (dim + 1),
                   *normal = normals + static_cast<std::size_t>(index) * dim;
      Number jump          = 0;
      for (int d = 0; d < dim; ++d)
        jump -= across[d] * normal[d];
      for (int m = 0; m < n; ++m)
        for (int d = 0; d < dim; ++d)
          jump += tables.face_values[static_cast<std::size_t>(point) * n + m] *
                  u[faces.layout.index(e, m, d)] * normal[d];
      const Number penalty = factor * (speeds[point_index(e, 0, 1, 1)] + across[dim]) / 2;
      for (int d = 0; d < dim; ++d)
        faces.terms[static_cast<std::size_t>(index) * dim + d] =
          faces.weights[index] * penalty * jump * normal[d];
    }
  };
} // namespace Saltus

#endif
