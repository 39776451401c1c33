// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_poisson_h
#define saltus_tests_helpers_poisson_h

#include <helpers/elliptic_setting.h>

/// A Poisson problem for tests of solvers.
namespace Saltus::Tests
{
  /// -laplace(u) = f on a distorted unit square, with Dirichlet conditions.
  struct Poisson : public EllipticSetting<2>
  {
    Poisson(const unsigned int degree, const unsigned int n_refinements, const Device device)
      : EllipticSetting<2>(degree, n_refinements)
    {
      reinit(matrix, device);
    }

    template <typename Number>
    void
    reinit(LaplaceOperator<2, Number> &A, const Device device) const
    {
      A.reinit(mapping, dof_handler, dirichlet_conditions<2>(), device);
    }

    /// For the source @p text.
    Vector<double>
    right_hand_side(const std::string &text) const
    {
      Vector<double> b;
      matrix.right_hand_side(b, FieldFunction<2>(Expression(2, text, 1), false));
      return b;
    }

    Vector<double>
    zero() const
    {
      auto x = zeros(matrix);
      return x;
    }

    dealii::Vector<double>
    on_host(const Vector<double> &x) const
    {
      return to_dealii(matrix, x);
    }

    /// |b - A x| / |b|
    double
    residual(const Vector<double> &x, const Vector<double> &b) const
    {
      Vector<double> r(b);
      matrix.vmult(r, x);
      r.sadd(-1., b);
      return r.l2_norm() / b.l2_norm();
    }

    LaplaceOperator<2> matrix;
  };
} // namespace Saltus::Tests

#endif
