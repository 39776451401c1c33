// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_inverse_mass_h
#define saltus_operators_spaces_inverse_mass_h

#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/spaces/point_factors.h>

namespace Saltus
{
  /// The inverse of the mass matrix of a space, in curved elements the weight-adjusted one, see
  /// inverse_projected_determinants().
  template <int dim, typename Number>
  class InverseMass
  {
  public:
    /// @param space is referred to; its quadrature, of degree 2p or more, is that of the
    /// weight-adjusted inverse
    /// @throws dealii::ExcMessage for elements that are too strongly curved for the degree
    explicit InverseMass(const ElementSpace<dim, Number> &space);

    /// @param dst must not be @p src
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const;

    /// Multiply by the inverse over that of the affine elements of the same volumes, which is
    /// something else than the identity in curved elements alone. Only launches work.
    void
    adjust(Vector<Number> &u) const;

    /// The same with the inverse of the mass matrix itself, up to rounding: conjugate gradients
    /// with adjust() as preconditioner. Collective.
    void
    solve(Vector<Number> &u) const;

  private:
    /// Multiply by the mass matrix with these factors at points, over that of affine elements.
    void
    multiply(const PointFactors<Number> &factors, Vector<Number> &u) const;

    const ElementSpace<dim, Number> &space;
    const ElementScaling<Number>     of_means;
    const PointFactors<Number>       factors;
    mutable Vector<Number>           before; ///< room for multiply(); empty without factors
  };
} // namespace Saltus

#endif
