// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_chebyshev_h
#define saltus_solvers_chebyshev_h

#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <saltus/base/vector.h>

#include <random>
#include <vector>

namespace Saltus
{
  /// The coefficients of one step \f$ x_{k+1} = x_k + a_k (x_k - x_{k-1}) + g_k B (b - A x_k) \f$
  /// of the Chebyshev iteration with a preconditioner B.
  template <typename Number>
  struct ChebyshevStep
  {
    Number momentum; ///< a
    Number gradient; ///< g
  };

  /// The steps of the polynomial of degree @p degree that is smallest on `[upper/range, upper]`
  /// (Y. Saad, Iterative methods for sparse linear systems, 2nd ed., algorithm 12.1). The first has
  /// no momentum.
  template <typename Number>
  std::vector<ChebyshevStep<Number>>
  chebyshev_steps(const double upper, const double range, const unsigned int degree)
  {
    const double lower  = upper / range;
    const double center = 0.5 * (upper + lower), radius = 0.5 * (upper - lower);
    double       rho = radius / center;

    std::vector<ChebyshevStep<Number>> steps = {{Number(0), Number(1. / center)}};
    while (steps.size() < degree)
      {
        const double next = 1. / (2. * center / radius - rho);
        steps.push_back({Number(next * rho), Number(2. * next / radius)});
        rho = next;
      }
    return steps;
  }

  /// A bound for the largest eigenvalue of \f$ B A \f$: the largest Ritz value of a few steps of
  /// preconditioned CG, and a little more, because Ritz values are below the eigenvalues.
  /// @param shape a vector to take the shape from
  template <typename Number, typename Matrix, typename Preconditioner>
  double
  largest_eigenvalue(const Matrix         &matrix,
                     const Preconditioner &preconditioner,
                     const Vector<Number> &shape)
  {
    Vector<Number> x, b;
    x.reinit(shape);
    b.reinit(shape);
    std::mt19937                           generator(1);
    std::uniform_real_distribution<Number> random(-1, 1);
    std::vector<Number>                    values(b.data_size());
    for (Number &value : values)
      value = random(generator);
    b.copy_from_host(values.data());
    matrix.vmult(x, b); // zero in the padding, and free of the kernel of the matrix
    b.swap(x);
    x = Number(0);

    double                           largest = 0;
    dealii::IterationNumberControl   control(15, 1e-6 * b.l2_norm());
    dealii::SolverCG<Vector<Number>> cg(control);
    cg.connect_eigenvalues_slot(
      [&](const std::vector<double> &eigenvalues) { largest = eigenvalues.back(); });
    cg.solve(matrix, x, b, preconditioner);
    return 1.1 * largest;
  }
} // namespace Saltus

#endif
