// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_function_moments_h
#define saltus_operators_spaces_function_moments_h

#include <saltus/operators/spaces/element_space.h>
#include <saltus/operators/spaces/field_function.h>
#include <saltus/operators/spaces/point_factors.h>

#include <memory>
#include <optional>
#include <string>

namespace Saltus
{
  /// The integrals \f$ \int f \cdot v \f$ of a function with the test functions of a space, by a
  /// rule that is exact for f of degree p + 2: sources, and projections.
  template <int dim, typename Number>
  class FunctionMoments
  {
  public:
    /// @param function with as many components as the space
    /// @param name of the function, for messages
    /// @throws dealii::ExcMessage for another number of components
    FunctionMoments(const ElementSpace<dim, Number> &space,
                    const FieldFunction<dim>        &function,
                    const std::string               &name);

    /// `b += scale` times the integrals at a time, see FieldFunction::time_at().
    /// Collective.
    /// @throws dealii::ExcMessage on all ranks that names a point where the function is not finite
    void
    add(Vector<Number> &b, const std::optional<double> time, const double scale = 1.) const;

    /// Set @p u to the L2 projection of the function at a time, by the same rule: functions in the
    /// space are reproduced up to rounding. Collective.
    void
    project(Vector<Number> &u, const std::optional<double> time) const;

  private:
    const std::string name;
    /// The space with another quadrature.
    const std::shared_ptr<const ElementSpace<dim, Number>> rule;

    const PointValues<dim, Number> function;
    const Vector<Number>           factors;
    const PointFactors<Number>     relative_volumes; ///< \f$ |\det J| \f$ over its mean
    mutable Memory<Number>         values;
  };
} // namespace Saltus

#endif
