// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_make_bodies_h
#define saltus_mesh_make_bodies_h

#include <saltus/mesh/curve/surface.h>
#include <saltus/mesh/make/round_surface.h>

#include <string>

namespace Saltus
{
  /// A circle, a sphere or, with an axis, a cylinder.
  template <int dim>
  class RoundBody : public Surface<dim>
  {
  public:
    /// @param radius > 0
    RoundBody(const RoundSurface<dim> &round, const double radius);

    /// @throws dealii::ExcMessage for a point on the axis
    dealii::Point<dim>
    closest_point(const dealii::Point<dim>              &point,
                  const std::vector<dealii::Point<dim>> &corners = {}) const override;

  private:
    const RoundSurface<dim> round;
    const double            radius;
  };

  /// The profile with four digits of the NACA: with the largest camber m, at p, and the thickness
  /// t, in chords,
  /// \f[ y_t = 5 t (0.2969 \sqrt x - 0.1260 x - 0.3516 x^2 + 0.2843 x^3 - 0.1036 x^4), \quad
  ///   y_c = m x (2 p - x) / p^2 \f] and, behind p, \f$ y_c = m (1 - 2 p + 2 p x - x^2) /
  /// (1-p)^2 \f$; the thickness is taken normal to the line \f$ y_c \f$. The last coefficient,
  /// instead of 0.1015, makes the trailing edge sharp. In 3D the profile is extruded along z.
  ///
  /// Source: E. N. Jacobs, K. E. Ward, R. M. Pinkerton, NACA Report 460 (1933).
  template <int dim>
  class NacaProfile : public Surface<dim>
  {
  public:
    /// @param digits four of them, as `0012`
    /// @param leading_edge of which z does not matter
    /// @param chord > 0, along x
    /// @throws dealii::ExcMessage if these are no four digits, or have no thickness
    NacaProfile(const std::string        &digits,
                const dealii::Point<dim> &leading_edge,
                const double              chord);

    dealii::Point<dim>
    closest_point(const dealii::Point<dim>              &point,
                  const std::vector<dealii::Point<dim>> &corners = {}) const override;

    /// The point with the parameter s, whose square is x in chords: from -1, the trailing edge,
    /// below the chord to 0, the leading edge, and on the upper side to 1.
    dealii::Point<2>
    at(const double s) const;

  private:
    double                 camber, place, thickness;
    const dealii::Point<2> leading_edge;
    const double           chord;
  };
} // namespace Saltus

#endif
