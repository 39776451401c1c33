// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_polytopic_adaptivity_parameters_h
#define applications_polytopic_adaptivity_parameters_h

#include <deal.II/base/parameter_handler.h>

#include <saltus/operators/polytopic/hp_adaption.h>

#include <optional>

namespace Saltus::Polytopic
{
  /// The section `Adaptivity`: whether and how elements and degrees follow the solution from cycle
  /// to cycle.
  struct AdaptivityParameters
  {
    void
    add_parameters(dealii::ParameterHandler &prm);

    /// @throws dealii::ExcMessage for shares of more than all elements
    void
    check() const;

    bool
    is_used() const
    {
      return method.has_value();
    }

    std::optional<HpMethod> method;
    HpRules                 rules;
  };
} // namespace Saltus::Polytopic

#endif
