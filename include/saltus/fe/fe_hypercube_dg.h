// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_fe_hypercube_dg_h
#define saltus_fe_fe_hypercube_dg_h

#include <saltus/fe/fe_orthonormal_dg.h>

#include <memory>
#include <string>

namespace Saltus
{
  /// Discontinuous element on quadrilaterals and hexahedra of the tensor polynomials of any degree,
  /// with the basis HypercubeCollocationPolynomials.
  template <int dim>
  class FE_HypercubeDG : public FE_OrthonormalDG<dim>
  {
  public:
    explicit FE_HypercubeDG(const unsigned int degree);

    std::unique_ptr<dealii::FiniteElement<dim>>
    clone() const override;

    /// `FE_HypercubeDG<dim>(degree)`
    std::string
    get_name() const override;
  };
} // namespace Saltus

#endif
