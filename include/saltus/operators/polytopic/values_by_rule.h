// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_values_by_rule_h
#define saltus_operators_polytopic_values_by_rule_h

#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>

#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/mapping_degree.h>

#include <map>
#include <memory>
#include <utility>

/// Points of cells and their faces by mappings of deal.II.
namespace Saltus
{
  /// What a rule on cells of a shape must integrate for polynomials of degree @p degree in
  /// physical coordinates: in cells whose maps are no affine ones these have a higher degree.
  template <int dim>
  unsigned int
  rule_degree(const dealii::Mapping<dim>  &mapping,
              const dealii::ReferenceCell &shape,
              const unsigned int           degree,
              const unsigned int           extra_degree)
  {
    const unsigned int of_map = mapping_degree(mapping);
    const bool         affine = of_map == 1 && shape.is_simplex();
    return 2 * degree + extra_degree + (affine ? 0 : 2 * of_map);
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
