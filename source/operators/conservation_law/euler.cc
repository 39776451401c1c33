// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/conservation_law/conservation_law_operator.templates.h>
#include <saltus/physics/euler.h>

namespace Saltus
{
  template class ConservationLawOperator<2, Euler<2>, double>;
  template class ConservationLawOperator<2, Euler<2>, float>;
  template class ConservationLawOperator<3, Euler<3>, double>;
  template class ConservationLawOperator<3, Euler<3>, float>;
} // namespace Saltus
