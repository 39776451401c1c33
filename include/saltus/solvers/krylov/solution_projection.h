// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_solution_projection_h
#define saltus_solvers_krylov_solution_projection_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/solvers/krylov/linear_map.h>
#include <saltus/solvers/krylov/multi_vector.h>

namespace Saltus
{
  /// Initial guesses for one symmetric positive matrix and right-hand sides that follow each other
  /// in time: the best that the last solutions span, in the norm of the matrix (P. F. Fischer,
  /// Projection techniques for iterative solution of Ax = b with successive right-hand sides,
  /// Comput. Methods Appl. Mech. Engrg. 163, 1998). Costs one product with the matrix a solution
  /// for which the guess was asked, else two.
  /// @tparam VectorType Vector, or BlockVector
  template <typename Number, typename VectorType = Vector<Number>>
  class SolutionProjection
  {
  public:
    /// @param max_solutions that are kept; when there are so many it begins anew with the last one
    /// @param shape of the vectors
    SolutionProjection(const unsigned int max_solutions, const VectorType &shape);

    /// The guess for the right-hand side @p b: zero if no solution is known.
    void
    guess(VectorType &x, const VectorType &b);

    /// Keep a solution: if guess() was called since the last one, best that of its right-hand side.
    void
    add(const VectorType &x, const LinearMap<Number, VectorType> &matrix);

    unsigned int
    n_solutions() const
    {
      return n;
    }

    /// What it knows: an orthonormal basis in the inner product of the matrix.
    std::vector<VectorType>
    solutions() const
    {
      return {basis.begin(), basis.begin() + n};
    }

    /// @param solutions from solutions(), not more of them than fit
    void
    set_solutions(const std::vector<VectorType> &solutions);

  private:
    /// The blocks number @p block of those that are known.
    MultiVector<Number>
    known(const unsigned int block) const;

    /// The products of these with a vector.
    std::vector<Number>
    products(const VectorType &x) const;

    /// `x = s x + a` times their sum with these components.
    void
    combine(VectorType &x, const Number s, const Number a, std::vector<Number> components) const;

    std::vector<VectorType> basis;   ///< see solutions()
    unsigned int            n = 0;   ///< of it that are set
    std::vector<Number>     guessed; ///< components of the last guess, until a solution is added
    VectorType              image;
  };
} // namespace Saltus

#endif
