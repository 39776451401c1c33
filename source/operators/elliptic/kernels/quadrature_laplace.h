// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_quadrature_laplace_h
#define saltus_source_operators_elliptic_kernels_quadrature_laplace_h

#include <saltus/operators/elliptic/kernels/laplace_element.h>

#include "../../spaces/kernels/range_kernels.h"

namespace
{
  using namespace Saltus;

  /// LaplaceElement, of every shape and quadrature, and parts of the matrix.
  /// @tparam Tables see QuadratureTables
  template <GeometryKind kind, int dim, typename Tables, int n_components, typename Number>
  void
  apply_by_quadrature(const LaplaceArguments<Number> &arg)
  {
    constexpr int width = vector_bytes / sizeof(Number);
    using Element =
      LaplaceElement<kind, dim, Pack<Number, width>, Number, width, Tables, n_components>;
    for_element_groups(arg.mesh, width, [&](const int first) {
      const Tables tables(arg.tables);
      for (int c = 0; c < n_components; ++c)
        Element(arg, tables, first, c).run();
    });
  }
} // namespace

#endif
