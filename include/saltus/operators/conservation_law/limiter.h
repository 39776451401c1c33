// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_limiter_h
#define saltus_operators_conservation_law_limiter_h

namespace Saltus
{
  /// What may be done to a state after every stage.
  enum class Limiter
  {
    none,
    /// For degree 1 and affine elements: see ElementLimiter. Quantities that must be positive
    /// (density, pressure) are so then.
    barth_jespersen,
    /// These quantities are made positive where they are not, and nothing else is done: see
    /// PositiveElement. For any degree, beside artificial viscosity.
    positivity
  };
} // namespace Saltus

#endif
