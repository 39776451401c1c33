// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_exact_riemann_h
#define saltus_tests_helpers_exact_riemann_h

#include <algorithm>
#include <cmath>

namespace Saltus::Tests
{
  /// A gas in one dimension; the tangential velocity is carried along.
  struct Gas
  {
    double density, velocity, pressure, tangential = 0.;
  };

  /// The exact solution of the Riemann problem of the Euler equations for an ideal gas without
  /// vacuum (Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, 3rd edition, chapter
  /// 4). Shares nothing with the library.
  class ExactRiemann
  {
  public:
    ExactRiemann(const Gas &left, const Gas &right, const double gamma = 1.4)
      : left(left)
      , right(right)
      , gamma(gamma)
    {
      // The change of velocity across the two outer waves grows with the pressure between them.
      double low = 0., high = std::max(left.pressure, right.pressure);
      while (too_little(high))
        high *= 2.;
      for (unsigned int i = 0; i < 200; ++i)
        (too_little(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
      star_pressure = 0.5 * (low + high);
      star_velocity = 0.5 * (left.velocity - velocity_change(left, star_pressure) + right.velocity +
                             velocity_change(right, star_pressure));
    }

    /// The gas that moves along with x/t = @p speed.
    Gas
    at(const double speed) const
    {
      if (speed < star_velocity)
        return beside_contact(left, speed);
      // The mirror image.
      Gas mirrored = right;
      mirrored.velocity *= -1.;
      ExactRiemann image = *this;
      image.star_velocity *= -1.;
      Gas result = image.beside_contact(mirrored, -speed);
      result.velocity *= -1.;
      return result;
    }

    double star_pressure, star_velocity;

  private:
    double
    sound_speed(const Gas &gas) const
    {
      return std::sqrt(gamma * gas.pressure / gas.density);
    }

    /// Change of velocity across the wave that takes @p gas to the pressure @p p (equations 4.6 and
    /// 4.7).
    double
    velocity_change(const Gas &gas, const double p) const
    {
      if (p > gas.pressure)
        return (p - gas.pressure) *
               std::sqrt(2. / (gas.density * ((gamma + 1.) * p + (gamma - 1.) * gas.pressure)));
      return 2. * sound_speed(gas) / (gamma - 1.) *
             (std::pow(p / gas.pressure, (gamma - 1.) / (2. * gamma)) - 1.);
    }

    bool
    too_little(const double p) const
    {
      return velocity_change(left, p) + velocity_change(right, p) + right.velocity - left.velocity <
             0.;
    }

    /// The solution left of the contact, where @p gas is the left state.
    Gas
    beside_contact(const Gas &gas, const double speed) const
    {
      const double c = sound_speed(gas);
      Gas          star{gas.density, star_velocity, star_pressure, gas.tangential};
      if (star_pressure > gas.pressure)
        {
          const double ratio = star_pressure / gas.pressure, g = (gamma - 1.) / (gamma + 1.);
          const double shock = gas.velocity - c * std::sqrt((gamma + 1.) / (2. * gamma) * ratio +
                                                            (gamma - 1.) / (2. * gamma));
          star.density *= (ratio + g) / (g * ratio + 1.);
          return speed < shock ? gas : star;
        }
      star.density *= std::pow(star_pressure / gas.pressure, 1. / gamma);
      if (speed < gas.velocity - c)
        return gas;
      if (speed > star.velocity - sound_speed(star))
        return star;
      // Inside the rarefaction (4.56).
      const double factor =
        2. / (gamma + 1.) + (gamma - 1.) / ((gamma + 1.) * c) * (gas.velocity - speed);
      return {gas.density * std::pow(factor, 2. / (gamma - 1.)),
              2. / (gamma + 1.) * (c + 0.5 * (gamma - 1.) * gas.velocity + speed),
              gas.pressure * std::pow(factor, 2. * gamma / (gamma - 1.)),
              gas.tangential};
    }

    Gas    left, right;
    double gamma;
  };
} // namespace Saltus::Tests

#endif
