// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_weight_adjusted_mass_h
#define saltus_tests_helpers_weight_adjusted_mass_h

// The inverse mass matrix of curved elements, with deal.II's FEValues.

#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/vector.h>

#include <vector>

namespace Saltus::Tests
{
  /// \f$ M^{-1} \f$ times a right-hand side in the cell of @p volume: the mass matrix of 1 / J,
  /// with J projected, where that of the reference cell is the identity.
  template <int dim>
  dealii::Vector<double>
  inverse_mass_times(const dealii::FEValues<dim> &volume, const dealii::Vector<double> &rhs)
  {
    const dealii::FiniteElement<dim> &fe   = volume.get_fe();
    const dealii::Quadrature<dim>    &rule = volume.get_quadrature();
    std::vector<double>               modes_of_j(fe.base_element(0).n_dofs_per_cell());
    dealii::Vector<double>            result(rhs.size());
    const auto                        mode = [&](const unsigned int m, const unsigned int q) {
      return fe.base_element(0).shape_value(m, rule.point(q));
    };
    for (unsigned int q = 0; q < rule.size(); ++q)
      for (unsigned int m = 0; m < modes_of_j.size(); ++m)
        modes_of_j[m] += volume.JxW(q) * mode(m, q);
    for (unsigned int q = 0; q < rule.size(); ++q)
      {
        double j = 0.;
        for (unsigned int m = 0; m < modes_of_j.size(); ++m)
          j += modes_of_j[m] * mode(m, q);
        std::vector<double> value(fe.n_components());
        for (unsigned int i = 0; i < rhs.size(); ++i)
          {
            const auto [c, m] = fe.system_to_component_index(i);
            value[c] += mode(m, q) * rhs(i);
          }
        for (unsigned int i = 0; i < rhs.size(); ++i)
          {
            const auto [c, m] = fe.system_to_component_index(i);
            result(i) += rule.weight(q) / j * mode(m, q) * value[c];
          }
      }
    return result;
  }
} // namespace Saltus::Tests

#endif
