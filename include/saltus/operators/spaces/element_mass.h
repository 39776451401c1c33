// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_element_mass_h
#define saltus_operators_spaces_element_mass_h

#include <saltus/operators/blocks/block_diagonal.h>
#include <saltus/operators/spaces/element_space.h>

#include <vector>

namespace Saltus
{
  /// The mass matrices \f$ M_{mn} = \int_K \phi_m \phi_n \f$ of a space, whose modes are
  /// orthonormal on the reference cell. How they follow from the kind of geometry is known here
  /// alone: on an affine element M is |det J| times the identity, for every degree; of curved ones
  /// this is M with the mean of |det J| instead.
  template <int dim, typename Number>
  class ElementMass
  {
  public:
    explicit ElementMass(const ElementSpace<dim, Number> &space)
      : space(space)
    {}

    /// What the sum of the squares of the coefficients of u is multiplied with to give
    /// \f$ \int_K u^2 \f$, and the mean of u times the volume of the reference cell to give
    /// \f$ \int_K u \f$, `[e]`.
    std::vector<double>
    element_factors() const
    {
      std::vector<double> factors(space.n_elements());
      for (unsigned int e = 0; e < factors.size(); ++e)
        factors[e] = factor(e);
      return factors;
    }

    /// \f$ M^{-1} \f$ on the device, for vectors of the space.
    ElementScaling<Number>
    inverse() const
    {
      std::vector<Number> factors(space.n_elements());
      for (unsigned int e = 0; e < space.n_elements(); ++e)
        factors[e] = 1. / factor(e);
      ElementScaling<Number> result;
      result.reinit(space.device, factors, space.n_components);
      return result;
    }

    /// What sums over quadrature points of the reference cell are multiplied with, for each
    /// component of an element the same, on the device: `[block][l][c]`.
    Vector<Number>
    factors() const
    {
      const unsigned int  n_components = space.n_components;
      Vector<Number>      result(space.layout(1, n_components));
      std::vector<Number> values(result.data_size());
      for (unsigned int e = 0; e < space.n_elements(); ++e)
        std::fill_n(values.begin() + point_index(e, 0, 1, n_components), n_components, factor(e));
      result.copy_from_host(values.data());
      return result;
    }

  private:
    double
    factor(const unsigned int element) const
    {
      return space.geometry.volume_factors[element];
    }

    const ElementSpace<dim, Number> &space;
  };
} // namespace Saltus

#endif
