// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_nearest_on_profile_h
#define saltus_mesh_make_nearest_on_profile_h

#include <deal.II/base/point.h>

#include <algorithm>
#include <cmath>
#include <vector>

/// Profiles are curves with a parameter s: from -1, the trailing edge, along the lower side to 0,
/// the leading edge, and on the upper side back to 1.
namespace Saltus
{
  /// The parameter between two others at which the point `profile(s)` is nearest to @p point.
  template <typename Profile>
  double
  nearest_parameter(const Profile          &profile,
                    const dealii::Point<2> &point,
                    const double            begin,
                    const double            end)
  {
    const auto         distance = [&](const double s) { return profile(s).distance_square(point); };
    const unsigned int n_samples = 1 + static_cast<unsigned int>(200. * (end - begin));
    const double       width     = (end - begin) / n_samples;
    double             best      = begin;
    for (unsigned int i = 1; i <= n_samples; ++i)
      if (const double s = begin + i * width; distance(s) < distance(best))
        best = s;
    // There the derivative of the distance has a change of sign, or the interval ends.
    const auto slope = [&](const double s) {
      const double step = 1e-6;
      return (profile(s) - point) * (profile(s + step) - profile(s - step));
    };
    double low = std::max(begin, best - width), high = std::min(end, best + width);
    for (unsigned int i = 0; i < 60; ++i)
      {
        const double middle               = 0.5 * (low + high);
        (slope(middle) > 0. ? high : low) = middle;
      }
    const double inside = 0.5 * (low + high);
    return distance(inside) < distance(best) ? inside : best;
  }

  /// The nearest point of the profile in the plane of @p point, at the same z in 3D: see
  /// Surface::closest_point().
  /// @param profile_at `(z)(s)`: the profile in a plane; in 2D z is 0
  template <int dim, typename Profiles>
  dealii::Point<dim>
  nearest_on_profile(const Profiles                        &profile_at,
                     const dealii::Point<dim>              &point,
                     const std::vector<dealii::Point<dim>> &corners)
  {
    const auto z_of      = [](const dealii::Point<dim> &p) { return dim == 3 ? p[dim - 1] : 0.; };
    const auto parameter = [&](const dealii::Point<dim> &p, const double begin, const double end) {
      return nearest_parameter(profile_at(z_of(p)), dealii::Point<2>(p[0], p[1]), begin, end);
    };
    double begin = 1., end = -1.;
    bool   at_trailing_edge = false; // a corner, which may be of both sides
    for (const dealii::Point<dim> &corner : corners)
      if (const double s = parameter(corner, -1., 1.); std::abs(s) > 1. - 1e-8)
        at_trailing_edge = true;
      else
        {
          begin = std::min(begin, s);
          end   = std::max(end, s);
        }
    if (begin > end) // no other corner
      {
        begin = -1.;
        end   = 1.;
      }
    else if (at_trailing_edge)
      (begin + end > 0. ? end : begin) = begin + end > 0. ? 1. : -1.;
    const dealii::Point<2> nearest = profile_at(z_of(point))(parameter(point, begin, end));
    dealii::Point<dim>     result  = point;
    result[0]                      = nearest[0];
    result[1]                      = nearest[1];
    return result;
  }
} // namespace Saltus

#endif
