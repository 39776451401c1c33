// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_elliptic_kernels_mirrored_points_h
#define saltus_source_operators_elliptic_kernels_mirrored_points_h

#include <saltus/fe/modal_structure.h>

#include <cmath>
#include <limits>
#include <vector>

// Swapping the first two vertices of a simplex changes the sign of the modes whose first index is
// odd, and quadrature rules are symmetric. So where a function is the sum of its even and odd
// modes, at the mirror image of that point it is their difference: two points for the products of
// one.

namespace
{
  using namespace Saltus;

  /// Whether swapping the first two vertices changes the sign of a mode.
  template <int dim>
  constexpr bool
  is_odd(const int mode)
  {
    return mode_indices<dim>(mode).n[0] % 2 == 1;
  }

  /// The modes from @p begin to @p end that swapping the first two vertices leaves as they are, for
  /// parity 0, or whose sign it changes, for parity 1.
  template <int dim, int parity>
  constexpr int
  n_modes_of_parity(const int begin, const int end)
  {
    int n = 0;
    for (int m = begin; m < end; ++m)
      n += is_odd<dim>(m) == (parity == 1);
    return n;
  }

  /// Number @p i of these.
  template <int dim, int parity>
  constexpr int
  mode_of_parity(const int begin, const int i)
  {
    int m = begin;
    for (int n = n_modes_of_parity<dim, parity>(begin, m + 1); n <= i;
         n += is_odd<dim>(m) == (parity == 1))
      ++m;
    return m;
  }

  /// The pairs of mirror images among the points of simplex_quadrature() in 1D and 2D.
  template <int dim>
  constexpr int
  n_mirrored_pairs(const int degree)
  {
    static_assert(dim < 3, "not known");
    // Points of triangles that are their own images, for the degrees from 0 on, as far as kernels
    // are compiled.
    constexpr int on_axis[] = {1, 1, 1, 2, 2, 3, 2, 3, 4};
    const int     n         = Simplex<dim>::n_quadrature_points(degree);
    return (n - (dim == 1 ? n % 2 : on_axis[degree])) / 2;
  }

  /// The points of a quadrature: first one of each pair of mirror images, then those that have no
  /// other image.
  struct MirroredPoints
  {
    MirroredPoints() = default;

    /// @param value `(q, m)` at the points, for as many modes as are of interest
    template <int dim, typename Number, typename Value>
    static MirroredPoints
    find(const int n_points, const int n_modes, const Value &value)
    {
      const Number tolerance  = 1000 * std::numeric_limits<Number>::epsilon();
      const auto   are_images = [&](const int q, const int r) {
        for (int m = 0; m < n_modes; ++m)
          if (std::abs(value(q, m) - (is_odd<dim>(m) ? -value(r, m) : value(r, m))) > tolerance)
            return false;
        return true;
      };
      MirroredPoints    result;
      std::vector<int>  alone;
      std::vector<bool> taken(n_points);
      for (int q = 0; q < n_points; ++q)
        if (!taken[q])
          {
            int r = q + 1;
            while (r < n_points && (taken[r] || !are_images(q, r)))
              ++r;
            if (r == n_points)
              alone.push_back(q);
            else
              {
                taken[r] = true;
                result.points.push_back(q);
                result.images.push_back(r);
              }
          }
      result.points.insert(result.points.end(), alone.begin(), alone.end());
      return result;
    }

    int
    n_pairs() const
    {
      return images.size();
    }

    int
    size() const
    {
      return points.size();
    }

    std::vector<int> points, images; ///< the latter of the first ones
  };
} // namespace

#endif
