// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_component_sums_h
#define saltus_operators_flow_component_sums_h

#include <deal.II/base/tensor.h>

#include <saltus/operators/spaces/element_space.h>

namespace Saltus
{
  /// The components of a velocity, integrated over the domain.
  template <int dim>
  class ComponentSums
  {
  public:
    /// @param space of velocities
    explicit ComponentSums(const ElementSpace<dim, double> &space);

    /// \f$ \int u \f$. Collective.
    dealii::Tensor<1, dim>
    integrals(const Vector<double> &u) const
    {
      return products(u, moments_of_one);
    }

    /// The sums of \f$ \int r_c v \f$ over test functions v whose sum is 1: \f$ \int r \f$.
    /// Collective.
    /// @param moments integrals of r with the test functions of the space
    dealii::Tensor<1, dim>
    sums(const Vector<double> &moments) const
    {
      return products(moments, one);
    }

  private:
    /// The products of all components with @p scalar.
    dealii::Tensor<1, dim>
    products(const Vector<double> &velocity, const Vector<double> &scalar) const;

    Vector<double>         one, moments_of_one; ///< of one component
    mutable Vector<double> component;
  };
} // namespace Saltus

#endif
