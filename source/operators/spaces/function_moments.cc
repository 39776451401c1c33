// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/vector_kernels.h>
#include <saltus/base/device/threads.h>
#include <saltus/mesh/element_metrics.h>
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/operators/spaces/function_moments.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  template <int dim, typename Number>
  FunctionMoments<dim, Number>::FunctionMoments(const ElementSpace<dim, Number> &space,
                                                const FieldFunction<dim>        &function,
                                                const std::string               &name)
    : name(name)
    , rule(ElementSpace<dim, Number>::shared(space.mesh,
                                             space.reference.degree,
                                             space.n_components,
                                             2 * space.reference.degree + 2,
                                             2 * space.reference.degree,
                                             space.device,
                                             StoredMetrics::none))
    , function(function, rule->volume_points(), space.device)
    , factors(ElementMass<dim, Number>(*rule).factors())
    , values(space.device, this->function.n_points() * space.n_components)
    , state(space.device, 1)
  {
    AssertThrow(function.n_components() == space.n_components,
                ExcMessage("The " + name + " has " + std::to_string(function.n_components()) +
                           " components, but " + std::to_string(space.n_components) +
                           (space.n_components == 1 ? " is needed." : " are needed.")));
    set_up_relative_volumes();
  }

  template <int dim, typename Number>
  void
  FunctionMoments<dim, Number>::set_up_relative_volumes()
  {
    const auto  &geometry = rule->geometry;
    unsigned int first = rule->n_elements(), end = 0; // those that are curved are in between
    for (unsigned int e = 0; e < rule->n_elements(); ++e)
      if (geometry.curved_map(e) != nullptr)
        {
          first = std::min(first, e);
          end   = e + 1;
        }
    if (first >= end)
      return;
    first_block                            = first / block_size;
    const unsigned int        n_components = rule->n_components;
    const unsigned int        n_points     = rule->reference.n_volume_points();
    const ElementMetrics<dim> metrics(rule->reference, geometry, MetricForm::cross_product);
    std::vector<Number>       volumes((n_blocks(end) - first_block) * block_size * n_points *
                                  n_components,
                                Number(1));
    parallel_for(end - first, [&](const unsigned int from, const unsigned int to) {
      for (unsigned int i = from; i < to; ++i)
        {
          const auto determinants = metrics.determinants(first + i);
          for (unsigned int q = 0; q < n_points; ++q)
            std::fill_n(volumes.begin() +
                          point_index(first % block_size + i, q, n_points, n_components),
                        n_components,
                        determinants[q]);
        }
    });
    relative_volumes = Memory<Number>(rule->device, volumes);
  }

  template <int dim, typename Number>
  void
  FunctionMoments<dim, Number>::add(Vector<Number> &b, const double time, const double scale) const
  {
    check_layout(b.layout(), rule->layout(), name.c_str());
    TimeState now;
    now.time = time;
    state.copy_from_host(&now);
    function.evaluate(state.data(), 0., values.data());
    function.check_finite(values.data(), name);
    if (relative_volumes.size() > 0)
      vector_kernels<Number>(rule->device)
        .scale(relative_volumes.size(),
               relative_volumes.data(),
               values.data() +
                 first_block * block_size * rule->reference.n_volume_points() * rule->n_components);
    const ElementTables<Number> &tables = rule->element_tables();
    const CoefficientLayout      layout = b.layout().coefficients();
    with_rows(!layout.element_by_element(), [&](auto rows) {
      launch(rule->device,
             rule->n_elements(),
             ElementOperation::Integrate<Number, decltype(rows)>{rows.of(layout),
                                                                 rows.of({1, layout.n_components}),
                                                                 tables.n_modes,
                                                                 tables.n_volume_points,
                                                                 tables.volume_values,
                                                                 tables.volume_weights,
                                                                 factors.data(),
                                                                 values.data(),
                                                                 static_cast<Number>(scale),
                                                                 b.data()});
    });
  }

  template class FunctionMoments<2, double>;
  template class FunctionMoments<2, float>;
  template class FunctionMoments<3, double>;
  template class FunctionMoments<3, float>;
} // namespace Saltus
