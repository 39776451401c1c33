// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_chebyshev_h
#define saltus_solvers_multigrid_chebyshev_h

#include <deal.II/base/numbers.h>
#include <deal.II/lac/solver_cg.h>
#include <deal.II/lac/solver_control.h>

#include <saltus/base/algebra/vector.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace Saltus
{
  /// The weights \f$w_k\f$ of the steps \f$ x \leftarrow x + w_k B (b - A x) \f$ of a smoother with
  /// a preconditioner B, for eigenvalues of \f$BA\f$ up to @p largest: the inverse roots of the
  /// Chebyshev polynomial of the fourth kind of degree @p degree, which needs no lower end of an
  /// interval (J. Lottes, Optimal polynomial smoothers for multigrid V-cycles, Numer. Linear
  /// Algebra Appl. 30, 2023, section 3). They ascend: then no step enlarges much what those before
  /// left.
  template <typename Number>
  std::vector<Number>
  chebyshev_weights(const double largest, const unsigned int degree)
  {
    std::vector<Number> weights;
    for (unsigned int k = degree; k > 0; --k)
      {
        const double root = std::sin(k * dealii::numbers::PI / (2 * degree + 1));
        weights.push_back(1. / (largest * root * root));
      }
    return weights;
  }

  /// A bound for the largest eigenvalue of \f$ B A \f$: the largest Ritz value of a few steps of
  /// preconditioned CG, and a little more, because Ritz values are below the eigenvalues.
  /// @param shape a vector to take the shape from
  /// @throws dealii::ExcMessage if there is no positive eigenvalue, on all ranks
  template <typename VectorType, typename Matrix, typename Preconditioner>
  double
  largest_eigenvalue(const Matrix         &matrix,
                     const Preconditioner &preconditioner,
                     const VectorType     &shape)
  {
    using Number                             = typename VectorType::value_type;
    VectorType                             x = shape, b = shape, z = shape;
    std::mt19937                           generator(1);
    std::uniform_real_distribution<Number> random(-1, 1);
    std::vector<Number>                    values(b.data_size());
    for (Number &value : values)
      value = random(generator);
    x.copy_from_host(values.data());
    matrix.vmult(b, x); // zero in the padding, and free of the kernel of the matrix
    // A Rayleigh quotient: there are no Ritz values after a single step, which finds the solution
    // if all eigenvalues are the same.
    preconditioner.vmult(z, b);
    matrix.vmult(x, z);
    double largest = (z * x) / (z * b);
    x              = Number(0);

    dealii::IterationNumberControl control(15, 1e-12 * b.l2_norm(), false, false);
    dealii::SolverCG<VectorType>   cg(control);
    cg.connect_eigenvalues_slot([&](const std::vector<double> &eigenvalues) {
      if (!eigenvalues.empty() && std::isfinite(eigenvalues.back()))
        largest = std::max(largest, eigenvalues.back());
    });
    try
      {
        cg.solve(matrix, x, b, preconditioner);
      }
    catch (const dealii::SolverControl::NoConvergence &)
      {} // CG divides by 0 where it has found the solution, as on a mesh of one cell
    AssertThrow(
      std::isfinite(largest) && largest > 0.,
      dealii::ExcMessage(
        "Multigrid has no smoother: the matrix of an element is singular, as on a mesh of "
        "one element without Dirichlet conditions. Use more elements, by "
        "Mesh/Subdivisions or Mesh/Refinements."));
    return 1.1 * largest;
  }
} // namespace Saltus

#endif
