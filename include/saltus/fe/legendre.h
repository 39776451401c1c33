// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_legendre_h
#define saltus_fe_legendre_h

#include <saltus/base/algebra/array.h>

/// Products of Legendre polynomials in a box, ordered by their degrees, so that those of a lower
/// degree are the first ones of a higher degree.
namespace Saltus
{
  /// The highest degree of polytopic elements.
  constexpr int max_legendre_degree = 8;

  /// What is meant by the degree p of products.
  enum class LegendreFamily : int
  {
    total, ///< the sum of the degrees in all variables is at most p
    tensor ///< the sum of those in all variables but the last is, and so is that in the last
  };

  /// Number of products with a total degree of at most @p degree.
  template <int dim>
  SALTUS_HOST_DEVICE
  constexpr int
  n_legendre_modes(const int degree)
  {
    int n = 1;
    for (int d = 1; d <= dim; ++d)
      n = n * (degree + d) / d;
    return n;
  }

  /// The same of a family.
  template <int dim>
  SALTUS_HOST_DEVICE
  constexpr int
  n_legendre_modes(const int degree, const LegendreFamily family)
  {
    return family == LegendreFamily::total ? n_legendre_modes<dim>(degree)
                                           : n_legendre_modes<dim - 1>(degree) * (degree + 1);
  }

  /// \f$\sqrt{2k+1}\f$: times the Legendre polynomial of degree k it has the mean square 1.
  SALTUS_HOST_DEVICE
  double
  legendre_factor(const int k)
  {
    // No array: on GPUs each thread would have one of its own in memory.
    switch (k)
      {
        case 0:
          return 1.;
        case 1:
          return 1.7320508075688772935;
        case 2:
          return 2.2360679774997896964;
        case 3:
          return 2.6457513110645905905;
        case 4:
          return 3.;
        case 5:
          return 3.3166247903553998491;
        case 6:
          return 3.6055512754639892931;
        case 7:
          return 3.8729833462074168852;
        default:
          static_assert(max_legendre_degree == 8);
          return 4.1231056256176605498;
      }
  }

  /// Legendre polynomials at a place, one after the other.
  template <typename T>
  struct LegendreRecurrence
  {
    /// At @p xi, of degree 1.
    SALTUS_HOST_DEVICE
    explicit LegendreRecurrence(const T xi)
      : xi(xi)
      , value(xi)
    {}

    /// From degree @p k to the next one.
    SALTUS_HOST_DEVICE
    void
    advance(const int k)
    {
      const double inverse = 1. / (k + 1.);
      const T      next = T((2. * k + 1.) * inverse) * xi * value - T(k * inverse) * value_before;
      const T      next_derivative = T(2. * k + 1.) * value + derivative_before;
      value_before                 = value;
      value                        = next;
      derivative_before            = derivative;
      derivative                   = next_derivative;
    }

    /// Call `take(k, value, derivative)` for the one of degree @p k, where it is, with mean square
    /// 1 in [-1, 1].
    template <typename Take>
    SALTUS_HOST_DEVICE
    void
    give(const int k, const Take &take) const
    {
      const T factor = T(legendre_factor(k));
      take(k, factor * value, factor * derivative);
    }

    T xi, value, value_before = T(1.), derivative = T(1.), derivative_before = T(0.);
  };

  /// Call `take(k, value, derivative)` for the polynomials of degrees 0 to @p degree at @p xi with
  /// mean square 1 in [-1, 1].
  template <typename T, typename Take>
  SALTUS_HOST_DEVICE
  void
  legendre(const int degree, const T xi, const Take &take)
  {
    LegendreRecurrence<T> p(xi);
    take(0, p.value_before, p.derivative_before);
    for (int k = 1; k <= degree; ++k)
      {
        p.give(k, take);
        p.advance(k);
      }
  }

  /// Call `take(m, powers)` for all products up to a total degree, with the degrees `[direction]`
  /// of the factors of product m.
  template <int dim, typename Take>
  SALTUS_HOST_DEVICE
  void
  for_legendre_modes(const int degree, const Take &take)
  {
    int m = 0;
    for (int total = 0; total <= degree; ++total)
      for (int i = total; i >= 0; --i)
        if constexpr (dim == 2)
          take(m++, Array<int, 2>{{i, total - i}});
        else
          for (int j = total - i; j >= 0; --j)
            take(m++, Array<int, 3>{{i, j, total - i - j}});
  }

  /// The same for all products of a family. Those of a tensor family are ordered by the larger one
  /// of their two degrees.
  template <int dim, typename Take>
  SALTUS_HOST_DEVICE
  void
  for_legendre_modes(const int degree, const LegendreFamily family, const Take &take)
  {
    if (family == LegendreFamily::total)
      {
        for_legendre_modes<dim>(degree, take);
        return;
      }
    int m = 0;
    for (int larger = 0; larger <= degree; ++larger)
      for (int total = 0; total <= larger; ++total)
        for (int last = total == larger ? 0 : larger; last <= larger; ++last)
          if constexpr (dim == 2)
            take(m++, Array<int, 2>{{total, last}});
          else
            for (int i = total; i >= 0; --i)
              take(m++, Array<int, 3>{{i, total - i, last}});
  }
} // namespace Saltus

#endif
