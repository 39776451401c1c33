// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_jacobi_h
#define saltus_tests_helpers_jacobi_h

#include <saltus/operators/elliptic/laplace_operator.h>

#include <vector>

namespace Saltus::Tests
{
  /// Division by the diagonal, as a preconditioner.
  struct Jacobi
  {
    Jacobi() = default;

    template <int dim>
    explicit Jacobi(const LaplaceOperator<dim> &matrix)
    {
      matrix.compute_diagonal(inverse_diagonal);
      std::vector<double> values = inverse_diagonal.to_host();
      for (double &value : values)
        value = value == 0. ? 0. : 1. / value; // padding
      inverse_diagonal.copy_from_host(values.data());
    }

    void
    vmult(Vector<double> &dst, const Vector<double> &src) const
    {
      dst = src;
      dst.scale(inverse_diagonal);
    }

    Vector<double> inverse_diagonal;
  };
} // namespace Saltus::Tests

#endif
