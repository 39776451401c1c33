// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/collective.h>
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/spaces/element_mass.h>
#include <saltus/operators/spaces/function_moments.h>
#include <saltus/operators/spaces/inverse_mass.h>

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
    , relative_volumes(*rule,
                       rule->n_components,
                       [](const ElementMetrics<dim> &metrics, const unsigned int e) {
                         return metrics.determinants(e);
                       })
    , values(space.device, this->function.n_points() * space.n_components)
  {
    AssertThrow(function.n_components() == space.n_components,
                ExcMessage("The " + name + " has " + std::to_string(function.n_components()) +
                           " components, but " + std::to_string(space.n_components) +
                           (space.n_components == 1 ? " is needed." : " are needed.")));
  }

  template <int dim, typename Number>
  void
  FunctionMoments<dim, Number>::add(Vector<Number>             &b,
                                    const std::optional<double> time,
                                    const double                scale) const
  {
    check_layout(b.layout(), rule->layout(), name.c_str());
    on_all_ranks(rule->mesh->order.triangulation.get_communicator(), [&]() {
      function.evaluate(time, values.data());
      function.check_finite(values.data(), name);
    });
    relative_volumes.multiply(rule->device, values.data());
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

  template <int dim, typename Number>
  void
  FunctionMoments<dim, Number>::project(Vector<Number> &u, const std::optional<double> time) const
  {
    Vector<Number> moments = rule->make_vector();
    add(moments, time);
    const InverseMass<dim, Number> inverse_mass(*rule);
    ElementScaling<Number>(ElementMass<dim, Number>(*rule).inverse()).vmult(u, moments);
    inverse_mass.solve(u);
  }

  template class FunctionMoments<2, double>;
  template class FunctionMoments<2, float>;
  template class FunctionMoments<3, double>;
  template class FunctionMoments<3, float>;
} // namespace Saltus
