// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/make/bodies.h>
#include <saltus/mesh/make/nearest_on_profile.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  RoundBody<dim>::RoundBody(const RoundSurface<dim> &round, const double radius)
    : round(round)
    , radius(radius)
  {
    AssertThrow(radius > 0., ExcMessage("a radius must be positive."));
  }

  template <int dim>
  Point<dim>
  RoundBody<dim>::closest_point(const Point<dim> &point, const std::vector<Point<dim>> &) const
  {
    const Tensor<1, dim> from_axis = round.radius(point);
    const double         distance  = from_axis.norm();
    AssertThrow(distance > 0.,
                ExcMessage("every point of the surface is nearest to its centre or axis."));
    return point + (radius / distance - 1.) * from_axis;
  }

  template <int dim>
  NacaProfile<dim>::NacaProfile(const std::string &digits,
                                const Point<dim>  &leading_edge,
                                const double       chord)
    : leading_edge(leading_edge[0], leading_edge[1])
    , chord(chord)
  {
    const auto is_digit = [](const unsigned char c) { return std::isdigit(c) != 0; };
    AssertThrow(digits.size() == 4 && std::all_of(digits.begin(), digits.end(), is_digit) &&
                  digits.substr(2) != "00",
                ExcMessage("'" + digits +
                           "' is no profile: four digits are expected, of which the "
                           "last two, the thickness, are not 00, as 0012."));
    AssertThrow(chord > 0., ExcMessage("a chord must be positive."));
    camber    = (digits[0] - '0') / 100.;
    place     = (digits[1] - '0') / 10.;
    thickness = std::stoi(digits.substr(2)) / 100.;
    AssertThrow(camber == 0. || place > 0.,
                ExcMessage("'" + digits +
                           "' is no profile: with a camber, the first digit, the "
                           "second one is its place and not 0."));
  }

  template <int dim>
  dealii::Point<2>
  NacaProfile<dim>::at(const double s) const
  {
    const double x    = s * s;
    const double half = std::copysign(5. * thickness *
                                        (0.2969 * std::abs(s) +
                                         x * (-0.1260 + x * (-0.3516 + x * (0.2843 - x * 0.1036)))),
                                      s);
    double       line = 0., slope = 0.; // of the camber
    if (camber > 0.)
      {
        const double scale = camber / (x < place ? place * place : (1. - place) * (1. - place));
        line  = scale * (x < place ? x * (2. * place - x) : 1. - 2. * place + x * (2. * place - x));
        slope = 2. * scale * (place - x);
      }
    const double length = std::sqrt(1. + slope * slope);
    return leading_edge + chord * dealii::Point<2>(x - half * slope / length, line + half / length);
  }

  template <int dim>
  Point<dim>
  NacaProfile<dim>::closest_point(const Point<dim>              &point,
                                  const std::vector<Point<dim>> &corners) const
  {
    const auto same_everywhere = [this](const double) {
      return [this](const double s) { return at(s); };
    };
    return nearest_on_profile<dim>(same_everywhere, point, corners);
  }

  template class RoundBody<2>;
  template class RoundBody<3>;
  template class NacaProfile<2>;
  template class NacaProfile<3>;
} // namespace Saltus
