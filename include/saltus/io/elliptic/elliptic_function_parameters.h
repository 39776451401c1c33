// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_elliptic_elliptic_function_parameters_h
#define saltus_io_elliptic_elliptic_function_parameters_h

#include <saltus/io/functions/common_functions.h>
#include <saltus/operators/elliptic/laplace_operator.h>

#include <string>

namespace Saltus
{
  /// The section `Functions` of an elliptic problem: source term, exact solution, boundary
  /// conditions.
  struct EllipticFunctionParameters : public CommonFunctionParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for a gradient of a solution that is not given
    void
    check() const;

    std::string source_term, gradient;
  };


  /// What this section says.
  template <int dim>
  class EllipticFunctions : public CommonFunctions<dim>
  {
  public:
    /// @throws dealii::ExcMessage for anything that cannot be read or evaluated, data of the wrong
    /// length, time in an expression, and Robin coefficients that are negative or no constants
    explicit EllipticFunctions(const EllipticFunctionParameters &parameters);

    /// Empty if none is given.
    const FieldFunction<dim> &
    source() const
    {
      return source_term;
    }

    bool
    has_exact_gradient() const
    {
      return gradient.has_value();
    }

    const Expression &
    exact_gradient() const
    {
      return *gradient;
    }

    const EllipticBoundaryConditions<dim> &
    boundary_conditions() const
    {
      return conditions;
    }

  private:
    void
    set_condition(const BoundaryEntry &item);

    const FieldFunction<dim>        source_term;
    std::optional<Expression>       gradient;
    EllipticBoundaryConditions<dim> conditions;
  };
} // namespace Saltus

#endif
