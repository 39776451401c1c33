// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_gas_transport_h
#define saltus_physics_gas_transport_h

#include <saltus/base/algebra/array.h>

namespace Saltus
{
  /// How the viscosity of a gas depends on its temperature.
  enum class ViscosityLaw : unsigned char
  {
    constant,
    power,     ///< \f$ \mu = \mu_r (T/T_r)^\omega \f$
    sutherland ///< \f$ \mu = \mu_r (T/T_r)^{3/2} (T_r + S)/(T + S) \f$
  };

  /// Viscosity and heat conduction of an ideal gas whose specific gas constant is 1, so that
  /// temperatures are \f$ T = p / \rho \f$.
  struct GasTransport
  {
    double       viscosity = 0.;   ///< \f$ \mu_r \f$; 0: the gas has neither
    double       prandtl   = 0.72; ///< the number \f$ \mu c_p / k \f$ with the conductivity k
    ViscosityLaw law       = ViscosityLaw::constant;

    double reference_temperature  = 1.;          ///< \f$ T_r \f$
    double exponent               = 0.76;        ///< \f$ \omega \f$
    double sutherland_temperature = 110.4 / 288; ///< S: that of air, if \f$ T_r = 1 \f$ is 288 K

    /// \f$ \mu \f$
    template <typename T>
    SALTUS_HOST_DEVICE
    T
    viscosity_at(const T &temperature) const
    {
      switch (law)
        {
          case ViscosityLaw::power:
            return T(viscosity) * power(temperature / T(reference_temperature), exponent);
          case ViscosityLaw::sutherland:
            {
              const T ratio = temperature / T(reference_temperature);
              return T(viscosity * (reference_temperature + sutherland_temperature)) * ratio *
                     sqrt(ratio) / (temperature + T(sutherland_temperature));
            }
          default:
            return T(viscosity);
        }
    }
  };
} // namespace Saltus

#endif
