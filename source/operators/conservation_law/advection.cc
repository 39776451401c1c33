// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/conservation_law/conservation_law_operator.templates.h>
#include <saltus/physics/advection.h>

namespace Saltus
{
  template class ConservationLawOperator<2, Advection<2>, double>;
  template class ConservationLawOperator<2, Advection<2>, float>;
  template class ConservationLawOperator<3, Advection<3>, double>;
  template class ConservationLawOperator<3, Advection<3>, float>;
} // namespace Saltus
