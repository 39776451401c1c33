// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_robin_terms_h
#define saltus_operators_elliptic_kernels_robin_terms_h

#include <saltus/mesh/affine_geometry.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>

namespace Saltus
{
  /// Add \f$ a \int_F u v \f$ over the faces of an element with a Robin condition to the result of
  /// an application.
  template <int dim, typename Number>
  SALTUS_HOST_DEVICE
  void
  add_robin_terms(const LaplaceArguments<Number> &arg, const int element)
  {
    const ElementTables<Number> &tables = arg.tables;
    const std::size_t            start  = CoefficientLayout{tables.n_modes, 1}.index(element, 0);
    for (int face = 0; face < tables.n_faces; ++face)
      {
        const int b =
          read_face(arg.mesh.faces + point_index(element, face, tables.n_faces, 1)).boundary_face();
        if (b < 0 || arg.kinds[b] != EllipticBoundary::robin)
          continue;
        const auto         geometry = affine_geometry<dim>(arg.mesh.inverse_jacobians, element);
        Array<Number, dim> normal;
        const Number       area =
          geometry.set_normal([&](const int r) { return tables.face_normals[face * dim + r]; },
                              normal) *
          geometry.volume_factor();
        for (int q = 0; q < tables.n_face_points; ++q)
          {
            const Number *values =
              tables.face_values + (face * tables.n_face_points + q) * tables.n_modes;
            Number u = 0;
            for (int m = 0; m < tables.n_modes; ++m)
              u += values[m] * arg.u[start + m * block_size];
            u *= arg.scale * arg.robin[b] * area * tables.face_weights[q];
            for (int m = 0; m < tables.n_modes; ++m)
              arg.out[start + m * block_size] += u * values[m];
          }
      }
  }
} // namespace Saltus

#endif
