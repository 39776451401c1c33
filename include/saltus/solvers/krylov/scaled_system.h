// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_krylov_scaled_system_h
#define saltus_solvers_krylov_scaled_system_h

#include <deal.II/lac/vector_memory.h>

#include <saltus/solvers/krylov/linear_map.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace Saltus
{
  /// A factor that is far from the limits of single precision: residuals become smaller.
  constexpr double wide_range = 1 << 20;

  /// The power of two by which to divide a linear system before it is solved: 1 where the norm of
  /// the right-hand side is not very small or large, else nearly its largest entry. Preconditioners
  /// in single precision would take entries below 1e-38 for zero and those above 1e38 for infinite,
  /// and so would products of vectors in double precision with squares below 1e-308 or above 1e308.
  /// A power of two changes no rounding: iterations and solution are the same, up to the unit.
  ///
  /// @tparam Number of the vectors
  /// @param rhs_norm Euclidean norm of the right-hand side, which may have lost or exceeded the
  /// range of numbers
  /// @param largest_entry is called for the largest magnitude only where it is needed
  template <typename Number, typename LargestEntry>
  double
  unit_of_system(const double rhs_norm, const LargestEntry &largest_entry)
  {
    if (rhs_norm >= 1. / wide_range && rhs_norm <= wide_range)
      return 1.;
    const double largest = largest_entry();
    if (largest == 0. || !std::isfinite(largest))
      return 1.;
    constexpr int limit = std::numeric_limits<Number>::max_exponent - 24; // for the inverse, too
    return std::exp2(std::clamp(std::ilogb(largest), -limit, limit));
  }

  /// A linear system \f$ A x = b \f$ over unit_of_system().
  template <typename Number, typename VectorType = Vector<Number>>
  class ScaledSystem
  {
  public:
    /// Copies vectors where the unit is not 1. A guess that is much worse than zero is then
    /// replaced by zero: its residual may be as far out of the range of numbers as @p b was.
    /// @param matrix,x,b must live as long; @p x is the initial guess
    ScaledSystem(const LinearMap<Number, VectorType> &matrix, VectorType &x, const VectorType &b)
      : matrix(matrix)
      , given_x(x)
      , given_b(b)
      , norm(b.l2_norm())
      , unit_(unit_of_system<Number>(norm, [&]() { return b.linfty_norm(); }))
    {
      if (!is_copy())
        return;
      own_x = x;
      own_b = b;
      own_x /= unit_;
      own_b /= unit_;
      norm = own_b.l2_norm();
      if (!(residual_norm() <= wide_range * norm))
        own_x = Number(0);
    }

    double
    unit() const
    {
      return unit_;
    }

    VectorType &
    x()
    {
      return is_copy() ? own_x : given_x;
    }

    const VectorType &
    b() const
    {
      return is_copy() ? own_b : given_b;
    }

    /// |b|
    double
    rhs_norm() const
    {
      return norm;
    }

    /// |b - A x|
    double
    residual_norm() const
    {
      dealii::GrowingVectorMemory<VectorType>            pool; // that of deal.II's solvers
      typename dealii::VectorMemory<VectorType>::Pointer residual(pool);
      residual->reinit(b(), true);
      matrix.vmult(*residual, is_copy() ? own_x : given_x);
      residual->sadd(-1, b());
      return residual->l2_norm();
    }

    /// Give the caller's vector the solution.
    void
    finish()
    {
      if (is_copy())
        given_x.equ(unit_, own_x);
    }

  private:
    bool
    is_copy() const
    {
      return unit_ != 1.;
    }

    const LinearMap<Number, VectorType> &matrix;
    VectorType                          &given_x;
    const VectorType                    &given_b;
    double                               norm;
    const double                         unit_;
    VectorType                           own_x, own_b;
  };
} // namespace Saltus

#endif
