// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_polytopic_functions_h
#define applications_polytopic_functions_h

#include <saltus/base/expressions/parsed_function.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/fe/legendre.h>
#include <saltus/mesh/position_text.h>
#include <saltus/operators/polytopic/polytopic_operator.h>

#include "../common/elliptic_problem.h"
#include "parameters.h"
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

/// What the expressions of a parameter file say of elements, coefficients and data.
namespace Saltus::Polytopic
{
  /// Integers of the elements: an expression at the centres of their boxes, rounded.
  /// @param entry path of the parameter, for messages
  /// @param what they are, for messages: `degrees are`
  /// @throws dealii::ExcMessage for one that is not in `[1, largest]`
  template <int dim>
  std::vector<unsigned int>
  numbers_of_elements(const CommonFunctions<dim> &functions,
                      const std::string          &text,
                      const std::string          &entry,
                      const std::string          &what,
                      const unsigned int          largest,
                      const PolytopicMesh<dim>   &polytopes)
  {
    const Expression expression = functions.expression(text, 1, entry);
    AssertThrow(!expression.depends_on_time(),
                dealii::ExcMessage(entry + " = '" + text + "' must not depend on t."));
    const auto                function = parsed_function<dim>(expression);
    std::vector<unsigned int> result(polytopes.n_elements());
    on_all_ranks(polytopes.triangulation().get_communicator(), [&]() {
      for (unsigned int e = 0; e < result.size(); ++e)
        {
          const dealii::Point<dim> &center = polytopes.box(e).center;
          const double              number = std::round(function->value(center));
          AssertThrow(number >= 1 && number <= largest,
                      dealii::ExcMessage(entry + " is " + std::to_string(number) + " at " +
                                         position_text(center) + ": " + what + " 1 to " +
                                         std::to_string(largest) + "."));
          result[e] = number;
        }
    });
    return result;
  }

  /// The degrees of the elements.
  template <int dim>
  std::vector<unsigned int>
  degrees_of_elements(const CommonFunctions<dim>     &functions,
                      const DiscretizationParameters &parameters,
                      const PolytopicMesh<dim>       &polytopes)
  {
    if (parameters.degrees.empty())
      return std::vector<unsigned int>(polytopes.n_elements(), parameters.degree);
    return numbers_of_elements(functions,
                               parameters.degrees,
                               "Discretization/Degrees",
                               "degrees are",
                               max_legendre_degree,
                               polytopes);
  }

  /// Collective.
  template <int dim>
  unsigned int
  lowest_degree(const PolytopicSpace<dim> &space)
  {
    unsigned int lowest = space.max_degree();
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      lowest = std::min(lowest, space.degree(e));
    return dealii::Utilities::MPI::min(lowest, space.mesh().triangulation().get_communicator());
  }

  /// Elements and degrees. Collective.
  template <int dim>
  void
  add_elements(RunSummary &summary, const PolytopicSpace<dim> &space)
  {
    add_polytopes(summary, space.mesh().n_global_elements(), space.mesh().triangulation());
    add_degrees(summary, lowest_degree(space), space.max_degree());
  }

  /// The coefficients and how the operator is to be made.
  template <int dim>
  typename PolytopicOperator<dim>::AdditionalData
  polytopic_data(const EllipticFunctions<dim> &functions, const Parameters &parameters)
  {
    const auto &equation = parameters.equation;

    typename PolytopicOperator<dim>::AdditionalData data;
    data.diffusion = elliptic_coefficient(
      functions, equation.diffusion, dim * (dim + 1) / 2, equation.sampling, "Equation/Diffusion");
    data.reaction =
      elliptic_coefficient(functions, equation.reaction, 1, equation.sampling, "Equation/Reaction");
    if (!equation.velocity.empty())
      data.velocity = functions.expression(equation.velocity, dim, "Equation/Velocity");
    data.penalty_factor          = parameters.discretization.penalty_factor;
    data.penalty                 = parameters.discretization.penalty;
    data.extra_quadrature_degree = parameters.discretization.quadrature_degree;
    data.assembly                = parameters.discretization.assembly;
    return data;
  }

  /// The section `Functions` where there is a time.
  template <int dim>
  class ParabolicFunctions : public EllipticFunctions<dim>
  {
  public:
    /// @throws dealii::ExcMessage also without an initial condition and an exact solution, and for
    /// an initial condition that depends on time
    explicit ParabolicFunctions(const FunctionParameters &parameters)
      : EllipticFunctions<dim>(parameters, true)
      , initial(this->data(parameters.initial_condition, 1, entry))
    {
      if (!initial.empty())
        this->check_stationary(*initial.expression, entry, "it is of time 0");
      else
        {
          AssertThrow(this->has_exact_solution(),
                      dealii::ExcMessage(entry +
                                         std::string(" is empty, and there is no Functions/Exact "
                                                     "solution to take it from. Give one of "
                                                     "them.")));
          initial = this->exact_solution();
        }
    }

    /// To be taken at time 0.
    const FieldFunction<dim> &
    initial_condition() const
    {
      return initial;
    }

  private:
    static constexpr const char *entry = "Functions/Initial condition";

    FieldFunction<dim> initial;
  };
} // namespace Saltus::Polytopic

#endif
