// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_hypercube_tables_h
#define saltus_operators_elliptic_kernels_hypercube_tables_h

#include <saltus/operators/spaces/line_tables.h>
#include <saltus/operators/spaces/quadrature_tables.h>

namespace Saltus
{
  /// QuadratureTables of quadrilaterals or hexahedra of one degree.
  template <int dim, typename Number, int degree>
  class HypercubeTables : public QuadratureTables<dim, Number>
  {
  public:
    static constexpr int max_modes = power(degree + 1, dim);

    using QuadratureTables<dim, Number>::QuadratureTables;
  };
} // namespace Saltus

#endif
