// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_elliptic_function_parameters_h
#define saltus_io_elliptic_function_parameters_h

#include <saltus/io/common_functions.h>
#include <saltus/operators/laplace_operator.h>

#include <string>

namespace Saltus
{
  /// Declare the section `Functions` of an elliptic problem: source term, exact solution, boundary
  /// conditions.
  void
  declare_elliptic_function_parameters(dealii::ParameterHandler &prm);


  /// What the section `Functions` of an elliptic problem says.
  template <int dim>
  class EllipticFunctionParameters : public CommonFunctions<dim>
  {
  public:
    /// @throws dealii::ExcMessage for constants that cannot be read, and a gradient of a solution
    /// that is not given
    explicit EllipticFunctionParameters(dealii::ParameterHandler &prm);

    /// Empty if none is given.
    StateFunction<dim>
    source() const;

    Expression
    exact_solution() const;

    bool
    has_exact_gradient() const
    {
      return !gradient.empty();
    }

    Expression
    exact_gradient() const;

    /// An expression in which there is no time.
    /// @throws dealii::ExcMessage if there is, and as CommonFunctions::expression()
    Expression
    stationary(const std::string &text,
               const unsigned int n_components,
               const std::string &entry) const;

    /// @throws dealii::ExcMessage for conditions that cannot be read, boundary ids of the mesh
    /// without a condition, conditions for ids that the mesh does not have, data of the wrong
    /// length, and Robin coefficients that are negative or no constants
    EllipticBoundaryConditions<dim>
    boundary_conditions(const dealii::Triangulation<dim> &triangulation) const;

  private:
    void
    set(EllipticBoundaryConditions<dim> &conditions, const BoundaryEntry &item) const;

    /// Boundary data; without any, zero.
    StateFunction<dim>
    data(const std::string &text, const std::string &entry) const;

    std::string source_term, gradient;
  };
} // namespace Saltus

#endif
