// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_functions_common_functions_h
#define saltus_io_functions_common_functions_h

#include <deal.II/base/parameter_handler.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <saltus/base/expressions/expression.h>
#include <saltus/io/parameters/parameter_lists.h>
#include <saltus/operators/spaces/field_function.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace Saltus
{
  /// Those entries of the section `Functions` that all equations have.
  struct CommonFunctionParameters
  {
    /// @param exact what the expressions of the exact solution give, for the documentation
    /// @param kinds of boundary conditions with their data, for the documentation
    /// @param may_be_periodic whether there are periodic boundaries besides
    void
    add_parameters(dealii::ParameterHandler &prm,
                   const std::string        &exact,
                   const std::string        &kinds,
                   const bool                may_be_periodic = true);

    std::string constants, exact_solution, boundary_conditions, reference_errors;
  };


  /// What these entries say. All expressions are parsed, and evaluated once, when this is made.
  template <int dim>
  class CommonFunctions
  {
  public:
    /// @param n_components of the solution
    /// @param kinds of boundary conditions that are accepted besides `periodic with ID`
    /// @param no_time why no expression may depend on time, as the rest of a sentence; empty: they
    /// may
    /// @throws dealii::ExcMessage for constants, an exact solution and boundary conditions that
    /// cannot be read
    CommonFunctions(const CommonFunctionParameters &parameters,
                    const unsigned int              n_components,
                    const std::vector<std::string> &kinds,
                    const std::string              &no_time = "");

    bool
    has_exact_solution() const
    {
      return exact.has_value();
    }

    const Expression &
    exact_solution() const
    {
      return *exact;
    }

    /// Returns whether a boundary condition takes its data from the exact solution.
    bool
    has_exact_boundary() const;

    /// Errors to print beside the computed ones of a degree, by the number of elements.
    std::map<std::uint64_t, double>
    reference_errors(const unsigned int degree) const
    {
      const auto found = references.find(degree);
      return found == references.end() ? std::map<std::uint64_t, double>() : found->second;
    }

    /// @throws dealii::ExcMessage for boundary ids of the mesh without a condition, conditions for
    /// ids that the mesh does not have, and expressions that are not finite at the centre of a cell
    /// or boundary face (at time 0; an exact solution that depends on time is not asked)
    void
    check_on(const dealii::Mapping<dim>       &mapping,
             const dealii::Triangulation<dim> &triangulation) const;

    /// @throws dealii::ExcMessage if the exact solution is not finite at the centre of a cell at
    /// @p time
    void
    check_exact_solution(const dealii::Mapping<dim>       &mapping,
                         const dealii::Triangulation<dim> &triangulation,
                         const double                      time) const;

    /// The named numbers of this section.
    const std::map<std::string, double> &
    constant_values() const
    {
      return constants;
    }

    /// An expression with the constants of this section.
    /// @param entry path of the parameter, for messages
    /// @throws dealii::ExcMessage if it is empty, depends on time and must not, is constant and not
    /// finite, or cannot be used
    Expression
    expression(const std::string &text,
               const unsigned int n_components,
               const std::string &entry) const;

  protected:
    /// @throws dealii::ExcMessage if an expression depends on time
    /// @param reason why it must not, as the rest of a sentence
    static void
    check_stationary(const Expression  &expression,
                     const std::string &entry,
                     const std::string &reason);

    /// What expression() gives, which check_on() is to look at.
    /// @param id of the boundary on which it is needed; none: everywhere
    Expression
    checked_expression(const std::string                              &text,
                       const unsigned int                              n_components,
                       const std::string                              &entry,
                       const std::optional<dealii::types::boundary_id> id = {});

    /// The same as a function; none if @p text is empty.
    FieldFunction<dim>
    data(const std::string                              &text,
         const unsigned int                              n_components,
         const std::string                              &entry,
         const std::optional<dealii::types::boundary_id> id = {});

    /// Path of the parameter and the boundary id, for messages.
    static std::string
    entry_of(const BoundaryEntry &item);

    /// What a condition gives for the first components of the solution: its data, or the
    /// expressions of the exact solution where these are `as exact solution`.
    /// @throws dealii::ExcMessage if there is no exact solution
    std::string
    boundary_values(const BoundaryEntry &item, const unsigned int n_components) const;

    /// @throws dealii::ExcMessage if data are given for a kind that takes none
    static void
    check_no_data(const BoundaryEntry &item);

    const unsigned int               n_components;
    const std::vector<BoundaryEntry> boundary_entries;

  private:
    /// An expression that check_on() looks at.
    struct Given
    {
      Expression                                expression;
      std::string                               entry; ///< path of the parameter
      std::optional<dealii::types::boundary_id> id;
    };

    static bool
    is_exact(const BoundaryEntry &item)
    {
      return item.data == "as exact solution";
    }

    void
    check_ids(const dealii::Triangulation<dim> &triangulation) const;

    const std::string                   no_time;
    std::vector<Given>                  given;
    const std::map<std::string, double> constants;
    const ReferenceErrors               references;
    std::optional<Expression>           exact;
  };
} // namespace Saltus

#endif
