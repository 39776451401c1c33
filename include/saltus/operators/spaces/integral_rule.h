// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_integral_rule_h
#define saltus_operators_spaces_integral_rule_h

#include <saltus/operators/spaces/point_factors.h>

#include <memory>

namespace Saltus
{
  /// The quadrature of integrals that are results, of degree 2p+4 in curved elements, whatever the
  /// quadrature of the scheme, on the device of a space. In other elements integrals of polynomials
  /// are exact without points.
  template <int dim, typename Number>
  class IntegralRule
  {
  public:
    explicit IntegralRule(const ElementSpace<dim, Number> &space)
      : on_points(ElementSpace<dim, Number>::shared(space.mesh,
                                                    space.reference.degree,
                                                    space.n_components,
                                                    2 * space.reference.degree + 4,
                                                    0,
                                                    space.device,
                                                    StoredMetrics::none))
      , determinants(*on_points, 1, [](const ElementMetrics<dim> &metrics, const unsigned int e) {
        return metrics.determinants(e);
      })
    {}

    /// With the modes at the points.
    const ElementTables<Number> &
    tables() const
    {
      return on_points->element_tables();
    }

    /// With the determinants at the points, `factors`, and no other geometry.
    StoredArrays<Number>
    stored_arrays() const
    {
      StoredArrays<Number> result;
      result.first_block     = determinants.first_block();
      result.n_blocks        = n_blocks(determinants.n_elements());
      result.n_volume_points = on_points->reference.n_volume_points();
      result.factors         = determinants.data();
      return result;
    }

  private:
    const std::shared_ptr<const ElementSpace<dim, Number>> on_points;
    const PointFactors<Number>                             determinants;
  };
} // namespace Saltus

#endif
