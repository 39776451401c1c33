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

  /// The steps of the smoother of degree @p degree for eigenvalues up to @p largest: Chebyshev
  /// polynomials of the fourth kind, which need no lower end of an interval (J. Lottes, Optimal
  /// polynomial smoothers for multigrid V-cycles, Numer. Linear Algebra Appl. 30, 2023, algorithm
  /// 2). The first step has no momentum.
  template <typename Number>
  std::vector<ChebyshevStep<Number>>
  chebyshev_steps(const double largest, const unsigned int degree)
  {
    std::vector<ChebyshevStep<Number>> steps;
    for (unsigned int k = 1; k <= degree; ++k)
      steps.push_back({k == 1 ? Number(0) : Number((2. * k - 3.) / (2. * k + 1.)),
                       Number((8. * k - 4.) / ((2. * k + 1.) * largest))});
    return steps;
  }

  /// Improve @p x by @p steps, or start from zero whatever it contains.
  /// @param previous,residual scratch; @p x and @p previous change their arrays with every step, so
  /// that an even number of steps leaves the solution where it was
  /// @param compute_residual `compute_residual(r, x, b)` is r = b - A x
  /// @param update `update(y, g, r, a, x, c)` is y = g B r + a x + c y, and does not read what has
  /// the factor 0
  template <typename Number, typename Residual, typename Update>
  void
  chebyshev_iteration(const std::vector<ChebyshevStep<Number>> &steps,
                      Vector<Number>                           &x,
                      const Vector<Number>                     &b,
                      const bool                                from_zero,
                      Vector<Number>                           &previous,
                      Vector<Number>                           &residual,
                      const Residual                           &compute_residual,
                      const Update                             &update)
  {
    for (std::size_t k = 0; k < steps.size(); ++k)
      {
        const bool zero = from_zero && k == 0, one_before_zero = from_zero && k == 1;
        if (!zero)
          compute_residual(residual, x, b);
        update(previous,
               steps[k].gradient,
               zero ? b : residual,
               zero ? Number(0) : 1 + steps[k].momentum,
               x,
               one_before_zero ? Number(0) : -steps[k].momentum);
        x.swap(previous);
      }
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
    x.copy_from_host(values.data());
    matrix.vmult(b, x); // zero in the padding, and free of the kernel of the matrix
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
