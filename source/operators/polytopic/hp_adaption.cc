// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/householder.h>
#include <deal.II/lac/vector.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/operators/polytopic/hp_adaption.h>
#include <saltus/operators/polytopic/values_by_rule.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Those of all ranks, ascending.
    std::vector<double>
    sorted(const std::vector<double> &estimates, const MPI_Comm communicator)
    {
      std::vector<double> all =
        n_ranks(communicator) > 1 ? all_gather(communicator, estimates).values : estimates;
      std::sort(all.begin(), all.end());
      return all;
    }

    /// Estimates that differ by less, relative to them, are equal.
    constexpr double rounding = 1e-6;
  } // namespace


  std::vector<bool>
  mark_largest(const std::vector<double> &estimates,
               const double               share,
               const bool                 by_bulk,
               const MPI_Comm             communicator)
  {
    const std::vector<double> all = sorted(estimates, communicator);
    const auto weight = [&](const double estimate) { return by_bulk ? estimate * estimate : 1.; };
    double     sum    = 0;
    for (auto estimate = all.rbegin(); estimate != all.rend(); ++estimate)
      sum += weight(*estimate);
    // Rounding shall not mark one more.
    double reached = 1e-12 * sum, least = std::numeric_limits<double>::infinity();
    for (auto estimate = all.rbegin(); estimate != all.rend() && reached < share * sum; ++estimate)
      {
        least = *estimate;
        reached += weight(least);
      }
    std::vector<bool> marked;
    for (const double estimate : estimates)
      marked.push_back(estimate >= (1. - rounding) * least);
    return marked;
  }


  std::vector<bool>
  mark_smallest(const std::vector<double> &estimates,
                const double               share,
                const MPI_Comm             communicator)
  {
    const std::vector<double> all = sorted(estimates, communicator);
    const std::size_t         n   = share * all.size() * (1. + 1e-12);
    std::vector<bool>         marked;
    for (const double estimate : estimates)
      marked.push_back(n >= all.size() || estimate < (1. - rounding) * all[n]);
    return marked;
  }


  namespace
  {
    template <int dim>
    void
    sum_over_ranks(const PolytopicSpace<dim> &space, const std::vector<unsigned int *> &numbers)
    {
      const MPI_Comm communicator = space.mesh().triangulation().get_communicator();
      if (n_ranks(communicator) > 1)
        for (unsigned int *number : numbers)
          *number = Utilities::MPI::sum(*number, communicator);
    }
  } // namespace


  template <int dim>
  HpPlan
  plan_adaption(const PolytopicSpace<dim> &space,
                const std::vector<bool>   &marked,
                const std::vector<double> &decay,
                const HpRules             &rules)
  {
    const unsigned int n = space.mesh().n_elements();
    HpPlan             plan;
    plan.divided.assign(n, false);
    plan.merged.assign(n, false);
    for (unsigned int e = 0; e < n; ++e)
      {
        plan.degrees.push_back(space.degree(e));
        if (!marked[e])
          continue;
        const bool can_divide = rules.method != HpMethod::p && space.mesh().cells(e).size() > 1;
        const bool can_raise =
          rules.method != HpMethod::h && space.degree(e) < rules.highest_degree;
        if (can_raise && !(can_divide && decay[e] >= rules.smooth_decay))
          {
            ++plan.degrees[e];
            ++plan.n_raised;
          }
        else if (can_divide)
          {
            plan.divided[e] = true;
            ++plan.n_divided;
          }
        else
          ++plan.n_left;
      }
    sum_over_ranks(space, {&plan.n_divided, &plan.n_raised, &plan.n_left});
    return plan;
  }


  namespace
  {
    /// Whether elements may become fewer or lose degrees, see plan_coarsening().
    template <int dim>
    class Coarsening
    {
    public:
      Coarsening(const HpPlan              &plan,
                 const PolytopicSpace<dim> &space,
                 const std::vector<double> &estimates,
                 const std::vector<double> &decay,
                 const HpRules             &rules)
        : space(space)
        , estimates(estimates)
        , decay(decay)
        , rules(rules)
      {
        const MPI_Comm communicator = space.mesh().triangulation().get_communicator();
        is_free                     = mark_smallest(estimates, rules.coarsened_share, communicator);
        for (unsigned int e = 0; e < is_free.size(); ++e)
          if (plan.divided[e] || plan.degrees[e] > space.degree(e))
            {
              is_free[e]    = false;
              least_refined = std::min(least_refined, estimates[e]);
            }
        if (n_ranks(communicator) > 1)
          least_refined = Utilities::MPI::min(least_refined, communicator);
      }

      bool
      lowers(const unsigned int e) const
      {
        return is_free[e] && has_lower_degree(e) && estimates[e] < decay[e] * least_refined;
      }

      /// @param family all parts of what was one element
      bool
      merges(const std::vector<unsigned int> &family) const
      {
        double       squares = 0, volume = 0, largest = 0;
        unsigned int highest = 1;
        bool         merge   = rules.method != HpMethod::p;
        for (const unsigned int e : family)
          {
            merge = merge && is_free[e] && (decay[e] < rules.smooth_decay || !has_lower_degree(e));
            squares += estimates[e] * estimates[e];
            volume += space.mesh().volume(e);
            largest = std::max(largest, space.mesh().volume(e));
            highest = std::max(highest, space.degree(e));
          }
        const double growth = std::pow(volume / largest, static_cast<double>(highest) / dim);
        return merge && growth * std::sqrt(squares) < least_refined;
      }

    private:
      bool
      has_lower_degree(const unsigned int e) const
      {
        return rules.method != HpMethod::h && space.degree(e) > 1;
      }

      const PolytopicSpace<dim> &space;
      const std::vector<double> &estimates, &decay;
      const HpRules             &rules;
      std::vector<bool>          is_free; ///< `[element]`
      double                     least_refined = std::numeric_limits<double>::infinity();
    };
  } // namespace


  template <int dim>
  void
  plan_coarsening(HpPlan                    &plan,
                  const PolytopicSpace<dim> &space,
                  const ElementFamilies     &families,
                  const std::vector<double> &estimates,
                  const std::vector<double> &decay,
                  const HpRules             &rules)
  {
    const Coarsening<dim>                             may(plan, space, estimates, decay, rules);
    const std::vector<unsigned int>                   family_of = families.whole_families();
    std::map<unsigned int, std::vector<unsigned int>> members;
    for (unsigned int e = 0; e < family_of.size(); ++e)
      if (family_of[e] != ElementFamilies::none)
        members[family_of[e]].push_back(e);
    for (const auto &[number, family] : members)
      if (may.merges(family))
        {
          unsigned int highest = 1;
          for (const unsigned int e : family)
            highest = std::max(highest, space.degree(e));
          for (const unsigned int e : family)
            {
              plan.merged[e]  = true;
              plan.degrees[e] = highest;
            }
          plan.n_merged += family.size();
        }
    for (unsigned int e = 0; e < family_of.size(); ++e)
      if (!plan.merged[e] && may.lowers(e))
        {
          --plan.degrees[e];
          ++plan.n_lowered;
        }
    sum_over_ranks(space, {&plan.n_merged, &plan.n_lowered});
  }


  template <int dim>
  PolytopicSpace<dim>
  adapt(const PolytopicSpace<dim> &space,
        const HpPlan              &plan,
        const HpRules             &rules,
        ElementFamilies           &families)
  {
    const PolytopicMesh<dim> &old = space.mesh();
    if (plan.n_divided + plan.n_merged == 0)
      return {space.shared_mesh(), plan.degrees};
    Agglomeration<dim> elements =
      split(old.cells_of_elements(), plan.divided, rules.grouping, rules.n_parts);
    if (plan.n_merged > 0)
      {
        const std::vector<unsigned int> family_of = families.whole_families();
        std::vector<unsigned int>       labels    = parents(elements, old.cells_of_elements());
        for (unsigned int e = 0; e < labels.size(); ++e)
          {
            const unsigned int larger = labels[e];
            labels[e]                 = plan.merged[larger] ? labels.size() + family_of[larger] : e;
          }
        elements = unite(elements, labels);
      }
    const std::vector<unsigned int> larger = parents(elements, old.cells_of_elements());
    families.adapt(larger, plan.divided, plan.merged);
    std::vector<unsigned int> degrees;
    for (const unsigned int element : larger)
      degrees.push_back(plan.degrees[element]);
    return {std::make_shared<const PolytopicMesh<dim>>(old, elements), degrees};
  }


  namespace
  {
    /// Of a polynomial of one element, or its projection in the box.
    template <int dim>
    void
    transfer_in_box(const PolytopicSpace<dim> &from,
                    const std::vector<double> &coefficients,
                    const unsigned int         larger,
                    const PolytopicSpace<dim> &to,
                    const unsigned int         e,
                    std::vector<double>       &result)
    {
      const ElementBox<dim> &box      = to.mesh().box(e);
      const Tensor<2, dim>   from_box = invert(box.to_reference);
      const QGauss<dim>      rule(std::max(to.degree(e), from.degree(larger)) + 1);
      for (unsigned int q = 0; q < rule.size(); ++q)
        {
          Tensor<1, dim> xi;
          for (unsigned int d = 0; d < dim; ++d)
            xi[d] = 2. * rule.point(q)[d] - 1.;
          const Point<dim>          x      = box.center + from_box * xi;
          const std::vector<double> values = to.mode_values(e, x);
          const double              weighted =
            box.volume() * rule.weight(q) * from.value(coefficients, larger, x);
          for (unsigned int m = 0; m < values.size(); ++m)
            result[to.first_dof(e) + m] += weighted * values[m];
        }
    }

    template <int dim>
    using CellValues = ValuesByRule<dim, FEValues<dim>, dim>;

    /// The projection of a function of several elements in the one that consists of them: least
    /// squares at points of its cells.
    template <int dim>
    void
    project_in_element(const PolytopicSpace<dim> &from,
                       const std::vector<double> &coefficients,
                       const PolytopicSpace<dim> &to,
                       const unsigned int         e,
                       CellValues<dim>           &all_values,
                       std::vector<double>       &result)
    {
      const PolytopicMesh<dim>        &mesh = to.mesh();
      std::vector<std::vector<double>> rows;
      std::vector<double>              wanted;
      for (const unsigned int c : mesh.cells(e))
        {
          const unsigned int  smaller = from.mesh().element_of(c);
          const ReferenceCell shape   = mesh.cell(c)->reference_cell();
          FEValues<dim>      &values  = all_values.get(
            shape,
            shape,
            rule_degree(mesh.mapping(), shape, std::max(to.degree(e), from.degree(smaller)), 0));
          values.reinit(mesh.cell(c));
          for (unsigned int q = 0; q < values.n_quadrature_points; ++q)
            {
              const Point<dim> &x    = values.quadrature_point(q);
              const double      root = std::sqrt(values.JxW(q));
              rows.push_back(to.mode_values(e, x));
              for (double &value : rows.back())
                value *= root;
              wanted.push_back(root * from.value(coefficients, smaller, x));
            }
        }
      FullMatrix<double> matrix(rows.size(), to.n_dofs(e));
      for (unsigned int q = 0; q < rows.size(); ++q)
        std::copy(rows[q].begin(), rows[q].end(), matrix.begin(q));
      const Householder<double> factors(matrix);
      Vector<double>            solution(to.n_dofs(e));
      factors.least_squares(solution, Vector<double>(wanted.begin(), wanted.end()));
      std::copy(solution.begin(), solution.end(), result.begin() + to.first_dof(e));
    }
  } // namespace


  template <int dim>
  std::vector<double>
  transfer(const PolytopicSpace<dim> &from,
           const std::vector<double> &coefficients,
           const PolytopicSpace<dim> &to)
  {
    const PolytopicMesh<dim>       &mesh = to.mesh();
    const std::vector<unsigned int> larger =
      parents(mesh.cells_of_elements(), from.mesh().cells_of_elements());
    std::vector<double> result(to.n_owned_dofs(), 0.);
    parallel_for(mesh.n_elements(), [&](const std::size_t begin, const std::size_t end) {
      CellValues<dim> values(mesh.mapping(), update_quadrature_points | update_JxW_values);
      for (std::size_t e = begin; e < end; ++e)
        {
          const auto cells = mesh.cells(e);
          if (std::all_of(cells.begin(), cells.end(), [&](const unsigned int c) {
                return from.mesh().element_of(c) == larger[e];
              }))
            transfer_in_box(from, coefficients, larger[e], to, e, result);
          else
            project_in_element(from, coefficients, to, e, values, result);
        }
    });
    return result;
  }


#define SALTUS_INSTANTIATE(dim)                                             \
  template HpPlan              plan_adaption(const PolytopicSpace<dim> &,   \
                                             const std::vector<bool> &,     \
                                             const std::vector<double> &,   \
                                             const HpRules &);              \
  template void                plan_coarsening(HpPlan &,                    \
                                               const PolytopicSpace<dim> &, \
                                               const ElementFamilies &,     \
                                               const std::vector<double> &, \
                                               const std::vector<double> &, \
                                               const HpRules &);            \
  template PolytopicSpace<dim> adapt(const PolytopicSpace<dim> &,           \
                                     const HpPlan &,                        \
                                     const HpRules &,                       \
                                     ElementFamilies &);                    \
  template std::vector<double> transfer(const PolytopicSpace<dim> &,        \
                                        const std::vector<double> &,        \
                                        const PolytopicSpace<dim> &);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
