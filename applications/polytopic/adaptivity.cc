// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "adaptivity.h"

#include <saltus/operators/polytopic/legendre_decay.h>
#include <saltus/operators/polytopic/residual_estimator.h>

#include <string>

namespace Saltus::Polytopic
{
  using namespace dealii;

  template <int dim>
  Adaptivity<dim>::Adaptivity(const AdaptivityParameters   &parameters,
                              const EllipticFunctions<dim> &functions,
                              const MPI_Comm                communicator)
    : parameters(parameters)
    , functions(functions)
    , communicator(communicator)
  {}


  template <int dim>
  void
  Adaptivity<dim>::check_first(const PolytopicSpace<dim> &space) const
  {
    const unsigned int highest = parameters.rules.highest_degree;
    AssertThrow(!is_used() || space.max_degree() <= highest,
                ExcMessage("Adaptivity/Highest degree = " + std::to_string(highest) +
                           " is not accepted: the degrees of the first elements, see "
                           "Discretization/Degree, are up to " +
                           std::to_string(space.max_degree()) + "."));
  }


  template <int dim>
  void
  Adaptivity<dim>::estimate(const PolytopicOperator<dim> &op,
                            const std::vector<double>    &coefficients)
  {
    const PolytopicSpace<dim>   &space = op.space();
    const ResidualEstimator<dim> estimator(op, functions.source());
    const ResidualEstimate       result = estimator.estimate(coefficients);
    of_elements                         = result.of_elements();

    unsigned int lowest = space.max_degree();
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      lowest = std::min(lowest, space.degree(e));
    EstimateTable::Row row{static_cast<unsigned int>(space.mesh().n_global_elements()),
                           Utilities::MPI::min(lowest, communicator),
                           space.max_degree(),
                           static_cast<unsigned int>(space.n_dofs()),
                           result.sum(),
                           {}};
    if (functions.has_exact_solution() && functions.has_exact_gradient())
      row.error = estimator.energy_error(coefficients,
                                         functions.exact_solution(),
                                         functions.exact_gradient());
    table.add(row);
  }


  template <int dim>
  bool
  Adaptivity<dim>::adapt(const PolytopicSpace<dim> &space,
                         const std::vector<double> &coefficients,
                         std::ostream              &stream)
  {
    HpRules rules = parameters.rules;
    rules.method  = *parameters.method;
    const std::vector<bool> marked =
      mark_largest(of_elements, rules.refined_share, rules.by_bulk, communicator);
    std::vector<double> decay(of_elements.size(), 0.);
    if (rules.method == HpMethod::hp || rules.coarsened_share > 0.)
      decay = legendre_decay(space, coefficients);
    if (!families)
      families.emplace(space.mesh().n_elements());
    HpPlan plan = plan_adaption(space, marked, decay, rules);
    stream << "  estimate: " << table.last().estimate << "; divided: " << plan.n_divided
           << ", raised in degree: " << plan.n_raised;
    if (rules.coarsened_share > 0.)
      {
        plan_coarsening(plan, space, *families, of_elements, decay, rules);
        stream << ", merged: " << plan.n_merged << ", lowered in degree: " << plan.n_lowered;
      }
    if (plan.n_left > 0)
      stream << ", left, as they cannot be refined: " << plan.n_left;
    stream << std::endl;
    if (plan.n_divided + plan.n_raised == 0)
      return false;
    PolytopicSpace<dim> adapted = Saltus::adapt(space, plan, rules, *families);
    guess                       = transfer(space, coefficients, adapted);
    next                        = std::move(adapted);
    return true;
  }


  template class Adaptivity<2>;
  template class Adaptivity<3>;
} // namespace Saltus::Polytopic
