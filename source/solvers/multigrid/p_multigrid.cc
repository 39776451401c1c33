// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/operators/elliptic/laplace_operator.h>
#include <saltus/operators/elliptic/mixed_laplace_operator.h>
#include <saltus/solvers/multigrid/p_multigrid.templates.h>

namespace Saltus
{
#define SALTUS_P_MULTIGRID_FOR(Operator, VectorType, dim, Number, OuterNumber)                    \
  template void PMultigrid<Operator<dim, Number>>::initialize(const Operator<dim, OuterNumber> &, \
                                                              const AdditionalData &);            \
  template void PMultigrid<Operator<dim, Number>>::vmult(VectorType<OuterNumber> &,               \
                                                         const VectorType<OuterNumber> &) const;
#define SALTUS_P_MULTIGRID(Operator, VectorType, dim)               \
  template class PMultigrid<Operator<dim, double>>;                 \
  template class PMultigrid<Operator<dim, float>>;                  \
  SALTUS_P_MULTIGRID_FOR(Operator, VectorType, dim, double, double) \
  SALTUS_P_MULTIGRID_FOR(Operator, VectorType, dim, float, float)   \
  SALTUS_P_MULTIGRID_FOR(Operator, VectorType, dim, float, double)
  SALTUS_P_MULTIGRID(LaplaceOperator, Vector, 2)
  SALTUS_P_MULTIGRID(LaplaceOperator, Vector, 3)
  SALTUS_P_MULTIGRID(MixedLaplaceOperator, BlockVector, 2)
#undef SALTUS_P_MULTIGRID
#undef SALTUS_P_MULTIGRID_FOR
} // namespace Saltus
