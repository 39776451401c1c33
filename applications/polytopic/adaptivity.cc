// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include "adaptivity.h"

#include <saltus/operators/polytopic/legendre_decay.h>
#include <saltus/operators/polytopic/residual_estimator.h>

#include "functions.h"
#include "spread_elements.h"
#include <algorithm>
#include <cmath>
#include <map>
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

    EstimateTable::Row row{space.mesh().n_global_elements(),
                           lowest_degree(space),
                           space.max_degree(),
                           space.n_dofs(),
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
      families.emplace(space.mesh().n_elements(), communicator);
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


  template <int dim>
  std::vector<double>
  Adaptivity<dim>::work(const PolytopicSpace<dim> &space)
  {
    // Blocks of the matrix are as large as the smallest ones times this.
    const double        smallest = n_legendre_modes<dim>(1);
    std::vector<double> result;
    for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
      result.push_back(std::ceil(std::pow(space.n_dofs(e) / smallest, 2)));
    return result;
  }


  template <int dim>
  std::vector<unsigned int>
  Adaptivity<dim>::groups(const std::vector<unsigned int> &roots) const
  {
    std::map<unsigned int, unsigned int> of_roots;
    std::vector<unsigned int>            result;
    unsigned int                         n = 0;
    for (const unsigned int root : roots)
      if (parameters.rules.coarsened_share > 0. && root != ElementFamilies::none)
        {
          const auto [group, is_new] = of_roots.insert({root, n});
          n += is_new;
          result.push_back(group->second);
        }
      else
        result.push_back(n++);
    return result;
  }


  template <int dim>
  typename Adaptivity<dim>::Imbalance
  Adaptivity<dim>::imbalance() const
  {
    const std::vector<double>       of_elements = work(*next);
    const std::vector<unsigned int> group_of    = groups(families->roots());
    std::vector<double>             of_groups(of_elements.size());
    double                          sum = 0, largest = 0;
    for (std::size_t e = 0; e < of_elements.size(); ++e)
      {
        sum += of_elements[e];
        of_groups[group_of[e]] += of_elements[e];
        largest = std::max(largest, of_groups[group_of[e]]);
      }
    const double mean = Utilities::MPI::sum(sum, communicator) / n_ranks(communicator);
    const double most = Utilities::MPI::max(sum, communicator);
    return {most / mean, most / std::max(mean, 2. * Utilities::MPI::max(largest, communicator))};
  }


  template <int dim>
  void
  Adaptivity<dim>::balance(const Remake &remake, std::ostream &stream)
  {
    if (n_ranks(communicator) == 1)
      return;
    const Imbalance imbalance_before = imbalance();
    if (imbalance_before.over_best < 1.5)
      return;
    const auto sent_by_all = [&](const ElementBlocks &blocks, const std::vector<double> &values) {
      const std::vector<double> all = all_gather(communicator, blocks.to_block(values, 1)).values;
      return std::vector<unsigned int>(all.begin(), all.end());
    };
    const BoxAxes                                  axes    = next->mesh().axes();
    const auto                                     numbers = numbers_by_cells(next->mesh());
    const ElementBlocks                            before(numbers, communicator);
    std::vector<double>                            of_own_cells;
    std::vector<typename PolytopicMesh<dim>::Cell> own_cells;
    for (unsigned int e = 0; e < next->mesh().n_elements(); ++e)
      for (const unsigned int c : next->mesh().cells(e))
        {
          own_cells.push_back(next->mesh().cell(c));
          of_own_cells.push_back(numbers[e]);
        }
    const auto elements =
      sent_by_all(ElementBlocks(cell_numbers(own_cells), communicator), of_own_cells);
    const auto          weights  = sent_by_all(before, work(*next));
    const auto          roots    = families->roots();
    const auto          group_of = groups(sent_by_all(before, {roots.begin(), roots.end()}));
    const unsigned int  depth    = Utilities::MPI::max(families->depth(), communicator);
    const std::size_t   n_modes  = n_legendre_modes<dim>(next->max_degree());
    std::vector<double> degrees;
    for (unsigned int e = 0; e < next->mesh().n_elements(); ++e)
      degrees.push_back(next->degree(e));
    const auto degrees_of_block      = before.to_block(degrees, 1);
    const auto coefficients_of_block = before.to_block(padded(*next, guess), n_modes);
    const auto families_of_block     = before.to_block(families->numbers(depth), 2 * depth);
    next.reset();

    const MappedMesh<dim> &mesh =
      remake([&](const Triangulation<dim> &whole, const unsigned int n_ranks) {
        std::vector<unsigned int> of_cells, work_of_groups(group_of.size());
        for (const unsigned int element : elements)
          of_cells.push_back(group_of[element]);
        for (std::size_t e = 0; e < weights.size(); ++e)
          work_of_groups[group_of[e]] += weights[e];
        const Agglomeration<dim> together(whole, of_cells);
        work_of_groups.resize(together.n_elements());
        return ranks_of_cells(together, work_of_groups, n_ranks);
      });
    const auto polytopes = std::make_shared<const PolytopicMesh<dim>>(
      *mesh.mapping, spread_agglomeration(elements, *mesh.triangulation), axes);
    const ElementBlocks after(numbers_by_cells(*polytopes), communicator);
    degrees = after.from_block(degrees_of_block, 1);
    next.emplace(polytopes, std::vector<unsigned int>(degrees.begin(), degrees.end()));
    guess = without_padding(*next, after.from_block(coefficients_of_block, n_modes));
    families->set_numbers(polytopes->n_elements(),
                          after.from_block(families_of_block, 2 * depth),
                          depth);
    stream << "  elements are spread anew: the fullest rank had " << imbalance_before.over_mean
           << " times the mean, now " << imbalance().over_mean << std::endl;
  }


  template class Adaptivity<2>;
  template class Adaptivity<3>;
} // namespace Saltus::Polytopic
