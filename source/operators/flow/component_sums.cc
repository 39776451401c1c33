// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/blocks/component_transfer.h>
#include <saltus/operators/flow/component_sums.h>
#include <saltus/operators/spaces/function_moments.h>

#include <vector>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  ComponentSums<dim>::ComponentSums(const ElementSpace<dim, double> &space)
    : one(space.layout(space.reference.n_modes, 1))
    , moments_of_one(one)
    , component(one)
  {
    std::vector<double> ones;
    const auto          of_one = space.reference.basis.constant(1.);
    for (unsigned int e = 0; e < space.n_elements(); ++e)
      ones.insert(ones.end(), of_one.begin(), of_one.end());
    one.set_entries(ones);

    Vector<double> moments = space.make_vector();
    moments                = 0.;
    const FieldFunction<dim> function(std::make_shared<Functions::ConstantFunction<dim>>(1., dim));
    FunctionMoments<dim, double>(space, function, "constant").add(moments, 0.);
    extract_component(moments_of_one, moments, 0);
  }

  template <int dim>
  Tensor<1, dim>
  ComponentSums<dim>::products(const Vector<double> &velocity, const Vector<double> &scalar) const
  {
    Tensor<1, dim> result;
    for (unsigned int c = 0; c < dim; ++c)
      {
        extract_component(component, velocity, c);
        result[c] = component * scalar;
      }
    return result;
  }

  template class ComponentSums<2>;
  template class ComponentSums<3>;
} // namespace Saltus
