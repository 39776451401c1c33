// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_elliptic_elliptic_function_parameters_h
#define saltus_io_elliptic_elliptic_function_parameters_h

#include <saltus/io/functions/common_functions.h>
#include <saltus/operators/elliptic/laplace_operator.h>

#include <map>
#include <string>
#include <vector>

namespace Saltus
{
  /// The section `Functions` of an elliptic problem, or of a parabolic one: source term, exact
  /// solution, boundary conditions.
  struct EllipticFunctionParameters : public CommonFunctionParameters
  {
    /// @param variables of expressions, for the documentation
    /// @param of_polytopes that there are no periodic boundaries, and no problems that leave the
    /// mean value open, for the documentation
    void
    add_parameters(dealii::ParameterHandler &prm,
                   const std::string        &variables    = "x, y, z",
                   const bool                of_polytopes = false);

    /// @throws dealii::ExcMessage for a gradient of a solution that is not given
    void
    check() const;

    std::string source_term, gradient, by_material;
  };


  /// What this section says.
  template <int dim>
  class EllipticFunctions : public CommonFunctions<dim>
  {
  public:
    /// @param has_time whether the problem is a parabolic one
    /// @throws dealii::ExcMessage for anything that cannot be read or evaluated, data of the wrong
    /// length, time in an expression of a problem without it, and Robin coefficients that are
    /// negative or no constants
    explicit EllipticFunctions(const EllipticFunctionParameters &parameters,
                               const bool                        has_time = false);

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

    /// Expressions of a coefficient, `diffusion` or `reaction`, by material; empty if it does not
    /// depend on that.
    std::map<dealii::types::material_id, std::string>
    by_material(const std::string &coefficient) const;

    /// The checks of CommonFunctions, and whether the materials of coefficients are those of the
    /// mesh. Collective.
    /// @throws dealii::ExcMessage for a material without a coefficient, or one that does not exist
    void
    check_on(const dealii::Mapping<dim>       &mapping,
             const dealii::Triangulation<dim> &triangulation) const;

  private:
    void
    set_condition(const BoundaryEntry &item);

    const FieldFunction<dim>        source_term;
    const std::vector<BoundaryItem> material_items;
    std::optional<Expression>       gradient;
    EllipticBoundaryConditions<dim> conditions;
  };
} // namespace Saltus

#endif
