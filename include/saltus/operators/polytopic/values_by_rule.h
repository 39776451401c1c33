// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_values_by_rule_h
#define saltus_operators_polytopic_values_by_rule_h

#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/mapping_degree.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

/// Points of cells and their faces by mappings of deal.II.
namespace Saltus
{
  /// Degree of the rules in cells of a shape and on their faces, for polynomials of degree p in
  /// physical coordinates. In affine cells the rules integrate products of two polynomials exactly.
  /// With maps of degree k they satisfy the divergence theorem for each polynomial exactly, so that
  /// the discretization is exact for linear functions: on faces the integrand has the degree
  /// \f$pk + (d-1)(k-1)\f$ on simplices, \f$pk + (d-1)k - 1\f$ in each direction on hypercubes.
  /// @param degree p
  template <int dim>
  unsigned int
  rule_degree(const dealii::Mapping<dim>  &mapping,
              const dealii::ReferenceCell &shape,
              const unsigned int           degree,
              const unsigned int           extra_degree)
  {
    const unsigned int of_map = mapping_degree(mapping);
    const bool         affine = of_map == 1 && shape.is_simplex();
    const unsigned int divergence =
      degree * of_map + (shape.is_simplex() ? (dim - 1) * (of_map - 1) : (dim - 1) * of_map - 1);
    return extra_degree + std::max(2 * degree + (affine ? 0 : 2 * of_map), divergence);
  }

  /// FEValues or FEFaceValues of one thread, by shape and degree of the rule.
  template <int dim, typename Values, int rule_dim>
  class ValuesByRule
  {
  public:
    ValuesByRule(const dealii::Mapping<dim> &mapping, const dealii::UpdateFlags flags)
      : mapping(mapping)
      , flags(flags)
    {}

    Values &
    get(const dealii::ReferenceCell &shape,
        const dealii::ReferenceCell &part,
        const unsigned int           degree)
    {
      std::unique_ptr<OfRule> &of_rule = by_rule[{shape.is_simplex(), degree}];
      if (!of_rule)
        of_rule = std::make_unique<OfRule>(mapping, shape, part, degree, flags);
      return of_rule->values;
    }

  private:
    struct OfRule
    {
      OfRule(const dealii::Mapping<dim>  &mapping,
             const dealii::ReferenceCell &shape,
             const dealii::ReferenceCell &part,
             const unsigned int           degree,
             const dealii::UpdateFlags    flags)
        : fe(shape)
        , values(mapping, fe, cell_quadrature<rule_dim>(part, degree), flags)
      {}

      const dealii::FE_Nothing<dim> fe; // which the values point to
      Values                        values;
    };

    const dealii::Mapping<dim>                                      &mapping;
    const dealii::UpdateFlags                                        flags;
    std::map<std::pair<bool, unsigned int>, std::unique_ptr<OfRule>> by_rule;
  };
} // namespace Saltus

#endif
