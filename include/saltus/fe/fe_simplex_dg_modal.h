// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_fe_simplex_dg_modal_h
#define saltus_fe_fe_simplex_dg_modal_h

#include <saltus/fe/fe_orthonormal_dg.h>

#include <memory>
#include <string>

namespace Saltus
{
  /// Discontinuous element on triangles and tetrahedra of the complete polynomials of any degree,
  /// with the basis SimplexModalPolynomials: a lower degree is a prefix of a higher one. Third
  /// derivatives are not available.
  template <int dim>
  class FE_SimplexDGModal : public FE_OrthonormalDG<dim>
  {
  public:
    explicit FE_SimplexDGModal(const unsigned int degree);

    std::unique_ptr<dealii::FiniteElement<dim>>
    clone() const override;

    /// `FE_SimplexDGModal<dim>(degree)`
    std::string
    get_name() const override;
  };
} // namespace Saltus

#endif
