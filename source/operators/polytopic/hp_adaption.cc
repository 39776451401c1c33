// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature_lib.h>

#include <saltus/base/device/threads.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/operators/polytopic/hp_adaption.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace Saltus
{
  using namespace dealii;

  std::vector<bool>
  mark_largest(const std::vector<double> &estimates,
               const double               share,
               const bool                 by_bulk,
               const MPI_Comm             communicator)
  {
    std::vector<double> all =
      n_ranks(communicator) > 1 ? all_gather(communicator, estimates).values : estimates;
    std::sort(all.begin(), all.end(), std::greater<double>());
    const auto weight = [&](const double estimate) { return by_bulk ? estimate * estimate : 1.; };
    double     sum    = 0;
    for (const double estimate : all)
      sum += weight(estimate);
    // Rounding shall not mark one more.
    double reached = 1e-12 * sum, least = std::numeric_limits<double>::infinity();
    for (auto estimate = all.begin(); estimate != all.end() && reached < share * sum; ++estimate)
      {
        least = *estimate;
        reached += weight(least);
      }
    std::vector<bool> marked;
    for (const double estimate : estimates)
      marked.push_back(estimate >= (1. - 1e-6) * least);
    return marked;
  }


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
    const MPI_Comm communicator = space.mesh().triangulation().get_communicator();
    if (n_ranks(communicator) > 1)
      for (unsigned int *number : {&plan.n_divided, &plan.n_raised, &plan.n_left})
        *number = Utilities::MPI::sum(*number, communicator);
    return plan;
  }


  template <int dim>
  PolytopicSpace<dim>
  adapt(const PolytopicSpace<dim> &space, const HpPlan &plan, const HpRules &rules)
  {
    const PolytopicMesh<dim> &old = space.mesh();
    if (plan.n_divided == 0)
      return {space.shared_mesh(), plan.degrees};
    const Agglomeration<dim> elements =
      split(old.cells_of_elements(), plan.divided, rules.grouping, rules.n_parts);
    std::vector<unsigned int> degrees = parents(elements, old.cells_of_elements());
    for (unsigned int &degree : degrees)
      degree = plan.degrees[degree];
    return {std::make_shared<const PolytopicMesh<dim>>(old.mapping(), elements, old.axes()),
            degrees};
  }


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
      for (std::size_t e = begin; e < end; ++e)
        {
          const ElementBox<dim> &box      = mesh.box(e);
          const Tensor<2, dim>   from_box = invert(box.to_reference);
          const QGauss<dim>      rule(std::max(to.degree(e), from.degree(larger[e])) + 1);
          for (unsigned int q = 0; q < rule.size(); ++q)
            {
              Tensor<1, dim> xi;
              for (unsigned int d = 0; d < dim; ++d)
                xi[d] = 2. * rule.point(q)[d] - 1.;
              const Point<dim>          x      = box.center + from_box * xi;
              const std::vector<double> values = to.mode_values(e, x);
              const double              weighted =
                box.volume() * rule.weight(q) * from.value(coefficients, larger[e], x);
              for (unsigned int m = 0; m < values.size(); ++m)
                result[to.first_dof(e) + m] += weighted * values[m];
            }
        }
    });
    return result;
  }


#define SALTUS_INSTANTIATE(dim)                                           \
  template HpPlan              plan_adaption(const PolytopicSpace<dim> &, \
                                             const std::vector<bool> &,   \
                                             const std::vector<double> &, \
                                             const HpRules &);            \
  template PolytopicSpace<dim> adapt(const PolytopicSpace<dim> &,         \
                                     const HpPlan &,                      \
                                     const HpRules &);                    \
  template std::vector<double> transfer(const PolytopicSpace<dim> &,      \
                                        const std::vector<double> &,      \
                                        const PolytopicSpace<dim> &);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
