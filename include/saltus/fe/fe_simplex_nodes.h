// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_fe_simplex_nodes_h
#define saltus_fe_fe_simplex_nodes_h

#include <deal.II/fe/fe_poly.h>

#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// Discontinuous element of the complete polynomials of any degree on triangles and tetrahedra
  /// whose degrees of freedom are the values at given points: what a dealii::MappingFE needs of an
  /// element, where dealii::FE_SimplexP ends at degree 2.
  template <int dim>
  class FE_SimplexNodes : public dealii::FE_Poly<dim>
  {
  public:
    /// @param points of the unit simplex, as many as polynomials; the condition of the element is
    /// that of their interpolation
    /// @throws dealii::ExcMessage for another number of points
    FE_SimplexNodes(const unsigned int degree, const std::vector<dealii::Point<dim>> &points);

    std::unique_ptr<dealii::FiniteElement<dim>>
    clone() const override;

    /// `FE_SimplexNodes<dim>(degree)`
    std::string
    get_name() const override;
  };
} // namespace Saltus

#endif
