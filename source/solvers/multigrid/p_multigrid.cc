// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/solvers/multigrid/p_multigrid.templates.h>

namespace Saltus
{
#define SALTUS_P_MULTIGRID(dim, Number)                    \
  template class PMultigrid<LaplaceOperator<dim, Number>>; \
  SALTUS_P_MULTIGRID_FOR(dim, Number, Number)
#define SALTUS_P_MULTIGRID_FOR(dim, Number, OuterNumber)                                     \
  template void PMultigrid<LaplaceOperator<dim, Number>>::initialize(                        \
    const LaplaceOperator<dim, OuterNumber> &, const AdditionalData &);                      \
  template void PMultigrid<LaplaceOperator<dim, Number>>::vmult(Vector<OuterNumber> &,       \
                                                                const Vector<OuterNumber> &) \
    const;
  SALTUS_P_MULTIGRID(2, double)
  SALTUS_P_MULTIGRID(2, float)
  SALTUS_P_MULTIGRID(3, double)
  SALTUS_P_MULTIGRID(3, float)
  SALTUS_P_MULTIGRID_FOR(2, float, double)
  SALTUS_P_MULTIGRID_FOR(3, float, double)
#undef SALTUS_P_MULTIGRID_FOR
#undef SALTUS_P_MULTIGRID
} // namespace Saltus
