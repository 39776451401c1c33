// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_modal_integrals_h
#define saltus_fe_modal_integrals_h

#include <saltus/fe/modal_structure.h>

/// Integrals of products of SimplexModalPolynomials, evaluated by the compiler. In collapsed
/// coordinates \f$ x_0, \dots, x_{dim-1} \in [-1, 1] \f$ a mode is a product of one factor in each,
/// \f[
///   f^d_{m,n}(x) = \sqrt\frac{2n + 2m + d + 1}{d + 1}\, \Bigl(\frac{1-x}2\Bigr)^m
///                  P_n^{(2m+d,0)}(x)
/// \f]
/// for the index \f$ n = n_d \f$ and the sum m of the indices before it, so that the mean square of
/// the mode is 1. The mean over the simplex is one in each direction, with a weight proportional to
/// \f$ (1-x)^d \f$: integrals become products of integrals in one direction, which Gauss's rule
/// finds exactly.
namespace Saltus
{
  /// Square root of @p x >= 1, by Newton's method: from above, until it no longer decreases.
  constexpr double
  square_root(const double x)
  {
    double root = x, next = 0.5 * (x + 1.);
    while (next < root)
      {
        root = next;
        next = 0.5 * (root + x / root);
      }
    return root;
  }

  struct ValueAndSlope
  {
    double value = 0., slope = 0.;
  };

  /// The Jacobi polynomial \f$ P_n^{(\alpha,0)} \f$.
  constexpr ValueAndSlope
  jacobi_polynomial(const int alpha, const int n, const double x)
  {
    const double  a = alpha;
    ValueAndSlope before, p{1., 0.};
    for (int k = 0; k < n; ++k)
      {
        // The next one is (slope x + constant) p - decrease before.
        const double  c = 2. * k + a, scale = k == 0 ? 0. : 1. / (2. * (k + 1.) * (k + a + 1.) * c);
        const double  slope    = k == 0 ? 0.5 * (a + 2.) : scale * (c + 1.) * c * (c + 2.);
        const double  constant = k == 0 ? 0.5 * a : scale * (c + 1.) * a * a;
        const double  decrease = scale * 2. * k * (k + a) * (c + 2.);
        const double  factor   = slope * x + constant;
        ValueAndSlope next;
        next.value = factor * p.value - decrease * before.value;
        next.slope = factor * p.slope + slope * p.value - decrease * before.slope;
        before     = p;
        p          = next;
      }
    return p;
  }

  /// \f$ f^d_{m,n} \f$ as above.
  constexpr ValueAndSlope
  modal_factor(const int d, const int m, const int n, const double x)
  {
    const double norm  = square_root((2. * n + 2. * m + d + 1.) / (d + 1.));
    double       power = norm, power_slope = 0.; // of (1 - x) / 2
    for (int k = 0; k < m; ++k)
      {
        power_slope = 0.5 * (1. - x) * power_slope - 0.5 * power;
        power *= 0.5 * (1. - x);
      }
    const ValueAndSlope p = jacobi_polynomial(2 * m + d, n, x);
    return {power * p.value, power_slope * p.value + power * p.slope};
  }

  /// Gauss's rule for the mean over [-1, 1], exact up to degree 2 n - 1.
  template <int n>
  struct GaussRule
  {
    constexpr GaussRule()
    {
      // Newton's method finds the largest root from above; divided by the roots so far, the
      // Legendre polynomial has the next one there.
      double x = 1.;
      for (int k = 0; k < n; ++k)
        {
          for (int iteration = 0; iteration < 50; ++iteration)
            {
              const ValueAndSlope p   = jacobi_polynomial(0, n, x);
              double              sum = 0.;
              for (int root = 0; root < k; ++root)
                sum += 1. / (x - points[root]);
              x -= p.value / (p.slope - sum * p.value);
            }
          const double slope = jacobi_polynomial(0, n, x).slope;
          points[k]          = x;
          weights[k]         = 1. / ((1. - x * x) * slope * slope);
          x -= 1e-3; // the next root is farther
        }
    }

    double points[n] = {}, weights[n] = {};
  };

  /// Means in one direction of products of two factors, the second of which may change.
  struct FactorMeans
  {
    double value  = 0.; ///< f g
    double over   = 0.; ///< f g 2 / (1 - x)
    double slope  = 0.; ///< f g'
    double moment = 0.; ///< f g' x
  };

  /// Integrals over the simplex, of modes up to a degree and their derivatives.
  template <int dim, int degree>
  class ModalIntegrals
  {
    static constexpr int n_points = degree + 2;

  public:
    constexpr ModalIntegrals()
    {
      const GaussRule<n_points> rule;
      for (int d = 0; d < dim; ++d)
        {
          ValueAndSlope factors[n_factors][n_points] = {};
          for (int m = 0; m <= (d == 0 ? 0 : degree); ++m)
            for (int n = 0; n <= degree - m; ++n)
              for (int q = 0; q < n_points; ++q)
                factors[number(m, n)][q] = modal_factor(d, m, n, rule.points[q]);
          const int n = d == 0 ? degree + 1 : n_factors; // without indices before, m is 0
          for (int q = 0; q < n_points; ++q)
            {
              const double x      = rule.points[q];
              const double over   = 2. / (1. - x);
              double       weight = (d + 1) * rule.weights[q];
              for (int k = 0; k < d; ++k)
                weight /= over;
              for (int i = 0; i < n; ++i)
                {
                  const double f = weight * factors[i][q].value;
                  for (int j = 0; j < n; ++j)
                    {
                      const double value = f * factors[j][q].value, slope = f * factors[j][q].slope;
                      FactorMeans &mean = means[d][i][j];
                      mean.value += value;
                      mean.over += over * value;
                      mean.slope += slope;
                      mean.moment += x * slope;
                    }
                }
            }
        }
    }

    /// \f$ \int \varphi_\text{row}\, D \varphi_\text{column} \f$ for the derivative of
    /// DerivativeMatrix.
    constexpr double
    derivative(const int               direction,
               const ModeIndices<dim> &row,
               const ModeIndices<dim> &column) const
    {
      // All coordinates up to `direction` change, the faster the closer to the apex.
      double sum = 0.;
      for (int changing = 0; changing <= direction; ++changing)
        {
          const FactorMeans &mean = at(changing, row, column);
          double             term =
            changing == direction
                          ? 2. * mean.slope
                          : (changing * mean.slope + (changing + 2) * mean.moment) / (direction + 1);
          for (int d = 0; d < changing; ++d)
            term *= at(d, row, column).value;
          for (int d = changing + 1; d < dim; ++d)
            term *= at(d, row, column).over;
          sum += term;
        }
      return sum;
    }

    /// The same for RadialMatrix, in modes of which only the last index differs.
    constexpr double
    radial(const ModeIndices<dim> &row, const ModeIndices<dim> &column) const
    {
      const FactorMeans &mean = at(dim - 1, row, column);
      return dim == 1 ? mean.moment : mean.moment - mean.slope;
    }

  private:
    static constexpr int n_factors = (degree + 1) * (degree + 2) / 2;

    static constexpr int
    number(const int m, const int n)
    {
      return m * (degree + 1) - m * (m - 1) / 2 + n;
    }

    constexpr const FactorMeans &
    at(const int d, const ModeIndices<dim> &row, const ModeIndices<dim> &column) const
    {
      return means[d][number(row.sum(d), row.n[d])][number(column.sum(d), column.n[d])];
    }

    FactorMeans means[dim][n_factors][n_factors] = {};
  };

  /// The matrix of a swap of the vertices `level + 1` and `level + 2`, see
  /// SparseModalLayout::swap_block().
  template <int degree>
  class SwapIntegrals
  {
  public:
    static constexpr int n_points = degree + 2;

    constexpr double
    operator()(const int level, const int m, const int n, const int row, const int column) const
    {
      // Where the last coordinate is -1, modes are orthogonal by their factors in the one before,
      // with which the swap exchanges it.
      double mean = 0.;
      for (int q = 0; q < n_points; ++q)
        {
          const double x = rule.points[q];
          mean += (level == 0 ? 1. : 1. - x) * rule.weights[q] *
                  modal_factor(level, m, row, x).value *
                  modal_factor(level + 1, m + column, n - column, x).value;
        }
      return mean * modal_factor(level, m, column, -1.).value /
             modal_factor(level + 1, m + row, n - row, -1.).value;
    }

  private:
    GaussRule<n_points> rule;
  };
} // namespace Saltus

#endif
