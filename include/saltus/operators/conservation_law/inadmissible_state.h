// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_inadmissible_state_h
#define saltus_operators_conservation_law_inadmissible_state_h

#include <deal.II/base/exceptions.h>

#include <saltus/base/algebra/array.h>
#include <saltus/base/expressions/component_names.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace Saltus
{
  /// A state with which a conservation law cannot be computed.
  class InadmissibleState : public dealii::ExcMessage
  {
  public:
    /// @param time at which there is such a state
    InadmissibleState(const std::string &message, const double time)
      : dealii::ExcMessage(message)
      , time(time)
    {}

    double time;
  };


  /// ` density = 1 momentum_x = 0 ...`: the conserved variables of a state and those of the
  /// primitive ones that have other names.
  template <typename Law>
  std::string
  state_text(const Law &law, const Array<double, Law::n_components> &state)
  {
    const std::vector<std::string> conserved(Law::conserved_names,
                                             Law::conserved_names + Law::n_components),
      primitive(Law::primitive_names, Law::primitive_names + Law::n_components);
    const auto         names = component_names(conserved), other_names = component_names(primitive);
    const auto         values = law.primitive(state);
    std::ostringstream text;
    for (int c = 0; c < Law::n_components; ++c)
      text << ' ' << names[c] << " = " << state[c];
    for (int c = 0; c < Law::n_components; ++c)
      if (std::find(conserved.begin(), conserved.end(), primitive[c]) == conserved.end())
        text << ' ' << other_names[c] << " = " << values[c];
    return text.str();
  }
} // namespace Saltus

#endif
