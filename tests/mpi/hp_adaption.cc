// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Estimates, and elements and degrees that follow a solution, on several ranks are those of one.
#include <saltus/operators/polytopic/hp_adaption.h>
#include <saltus/operators/polytopic/legendre_decay.h>
#include <saltus/operators/polytopic/residual_estimator.h>

#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/polytopes_on_ranks.h>
#include <helpers/polytopic_setting.h>
#include <helpers/vectors.h>

using namespace dealii;
using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  using Tests::n_ranks;
  using Tests::this_rank;

  class HpAdaptionOnRanks : public OnDevice
  {};

  /// What becomes of elements with a function that all ranks have.
  template <int dim>
  struct Adaption
  {
    Adaption(const Device                                     device,
             const std::shared_ptr<const PolytopicMesh<dim>> &mesh,
             const Triangulation<dim>                        &whole,
             const bool                                       by_cell,
             const HpRules                                   &rules)
      : communicator(mesh->triangulation().get_communicator())
    {
      std::vector<unsigned int> degrees;
      for (unsigned int e = 0; e < mesh->n_elements(); ++e)
        degrees.push_back(1 + ((mesh->first_element() + e) * 7 + 1) % 3);
      const PolytopicSpace<dim> space(mesh, degrees);
      auto                      problem = PolytopicSetting<dim>::problem();
      problem.by_cell                   = by_cell;
      PolytopicOperator<dim> op;
      op.reinit(space,
                PolytopicSetting<dim>::conditions(),
                device,
                PolytopicSetting<dim>::data(problem));
      Saltus::Vector<double> x;
      op.initialize_vector(x);
      set_part(x, random_vector<std::vector<double>>(space.n_dofs(), 4));
      const std::vector<double>    coefficients = x.entries();
      const ResidualEstimator<dim> estimator(op, Expression(dim, "1+x^2", 1));
      const ResidualEstimate       estimate  = estimator.estimate(coefficients);
      const std::vector<double>    estimates = estimate.of_elements();
      numbers.push_back(of_all(estimates));
      numbers.push_back(
        {estimate.sum(),
         estimator.energy_error(coefficients,
                                Expression(dim, "x", 1),
                                Expression(dim, dim == 2 ? "1; 0" : "1; 0; 0", dim))});
      const std::vector<double> decay = legendre_decay(space, coefficients);
      numbers.push_back(of_all(decay));
      const std::vector<bool> marked =
        mark_largest(estimates, rules.refined_share, rules.by_bulk, communicator);
      numbers.push_back(of_all(std::vector<double>(marked.begin(), marked.end())));
      const HpPlan plan = plan_adaption(space, marked, decay, rules);
      numbers.push_back({double(plan.n_divided), double(plan.n_raised), double(plan.n_left)});
      ElementFamilies           families(mesh->n_elements());
      const PolytopicSpace<dim> adapted = adapt(space, plan, rules, families);
      numbers.push_back({double(adapted.mesh().n_global_elements()), double(adapted.n_dofs())});
      const auto moved = transfer(space, coefficients, adapted);
      add_cells(whole, adapted, moved);
      coarsen(whole, adapted, moved, rules, families);
    }

    /// With estimates that are small in half of the domain, where parts become one again.
    void
    coarsen(const Triangulation<dim>  &whole,
            const PolytopicSpace<dim> &space,
            const std::vector<double> &coefficients,
            HpRules                    rules,
            ElementFamilies           &families)
    {
      const unsigned int  n = space.mesh().n_elements();
      std::vector<double> estimates;
      for (unsigned int e = 0; e < n; ++e)
        estimates.push_back(space.mesh().box(e).center[0]);
      rules.coarsened_share = .6;
      const std::vector<double> decay(n, .5); // smooth
      const std::vector<bool>   marked = mark_largest(estimates, .1, false, communicator);
      HpPlan                    plan   = plan_adaption(space, marked, decay, rules);
      for (unsigned int e = 0; e < n; ++e)
        estimates[e] *= marked[e] ? 1. : 1e-3;
      plan_coarsening(plan, space, families, estimates, decay, rules);
      numbers.push_back({double(plan.n_merged), double(plan.n_lowered)});
      const PolytopicSpace<dim> adapted = adapt(space, plan, rules, families);
      add_cells(whole, adapted, transfer(space, coefficients, adapted));
    }

    /// In the order of the cells of the whole mesh: the first one of the same element, its degree,
    /// and the value in the middle.
    void
    add_cells(const Triangulation<dim>  &whole,
              const PolytopicSpace<dim> &space,
              const std::vector<double> &coefficients)
    {
      std::vector<double> of_cells(3 * whole.n_active_cells(), 0.);
      const auto          number = [&](const unsigned int c) {
        return whole.create_cell_iterator(space.mesh().cell(c)->id())->active_cell_index();
      };
      for (unsigned int e = 0; e < space.mesh().n_elements(); ++e)
        {
          unsigned int first = whole.n_active_cells();
          for (const unsigned int c : space.mesh().cells(e))
            first = std::min(first, number(c));
          for (const unsigned int c : space.mesh().cells(e))
            {
              double *of_cell = of_cells.data() + 3 * number(c);
              of_cell[0]      = first;
              of_cell[1]      = space.degree(e);
              of_cell[2]      = space.value(coefficients, e, space.mesh().cell_center(c));
            }
        }
      if (space.mesh().ghosts())
        Utilities::MPI::sum(of_cells, MPI_COMM_WORLD, of_cells);
      for (unsigned int i = 0; i < 3; ++i)
        {
          numbers.emplace_back();
          for (unsigned int c = 0; c < whole.n_active_cells(); ++c)
            numbers.back().push_back(of_cells[3 * c + i]);
        }
    }

    std::vector<double>
    of_all(const std::vector<double> &values) const
    {
      return all_gather(communicator, values).values;
    }

    MPI_Comm                         communicator;
    std::vector<std::vector<double>> numbers;
  };

  template <int dim>
  void
  check(const Device          device,
        const Simplices<dim> &elements,
        const bool            by_cell,
        const HpRules        &rules)
  {
    const auto whole = std::make_shared<const PolytopicMesh<dim>>(
      *elements.mapping,
      Agglomeration<dim>(*elements.whole, all_elements(*elements.mesh, *elements.whole)));
    const Adaption<dim> of_one(device, whole, *elements.whole, by_cell, rules),
      of_all(device, elements.mesh, *elements.whole, by_cell, rules);
    EXPECT_GT(of_one.numbers[4][0], 0.);
    EXPECT_GT(of_one.numbers[4][1], 0.);
    EXPECT_GT(of_one.numbers[9][0], 0.); // merged
    EXPECT_GT(of_one.numbers[9][1], 0.); // lowered
    for (unsigned int i = 0; i < of_one.numbers.size(); ++i)
      {
        const std::vector<double> &one = of_one.numbers[i];
        ASSERT_EQ(one.size(), of_all.numbers[i].size()) << i;
        const dealii::Vector<double> expected(one.begin(), one.end());
        EXPECT_LE(largest_difference(of_all.numbers[i], expected), 1e-11 * expected.linfty_norm())
          << i;
      }
  }

  TEST_P(HpAdaptionOnRanks, SameElementsAndDegrees)
  {
    HpRules rules;
    rules.refined_share  = .9;
    rules.smooth_decay   = .9; // so that some of these functions are smooth
    rules.highest_degree = 3;
    for (const Cut cut : {Cut::metis, Cut::scattered, Cut::crowded})
      for (const bool by_cell : {false, true})
        {
          rules.grouping = by_cell ? Grouping::boxes : Grouping::metis;
          rules.by_bulk  = by_cell;
          check(device(), Simplices<2>(8, 14, cut), by_cell, rules);
        }
    check(device(), Simplices<3>(2, 8, Cut::scattered), true, rules);
  }

  // Nothing to be divided but on one rank.
  TEST(HpAdaption, DividesOnOneRank)
  {
    const Simplices<2>      elements(8, 14, Cut::scattered);
    const PolytopicSpace<2> space(elements.mesh, 2);
    std::vector<bool>       marked(elements.mesh->n_elements(), this_rank() == 0);
    HpRules                 rules;
    rules.method      = HpMethod::h;
    const HpPlan plan = plan_adaption(space, marked, {}, rules);
    EXPECT_EQ(plan.n_divided,
              sum_of_ranks({this_rank() == 0 ? elements.mesh->n_elements() : 0})[0]);
    ElementFamilies families(elements.mesh->n_elements());
    const auto      adapted = adapt(space, plan, rules, families);
    EXPECT_EQ(adapted.mesh().n_elements() > elements.mesh->n_elements(), this_rank() == 0);
    EXPECT_GT(adapted.mesh().n_global_elements(), elements.mesh->n_global_elements());
  }

  SALTUS_INSTANTIATE_ON_DEVICES(HpAdaptionOnRanks)
} // namespace
