// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_default_cfl_h
#define saltus_operators_conservation_law_default_cfl_h

#include <deal.II/grid/reference_cell.h>

#include <string>

namespace Saltus
{
  /// A CFL number (see StepSizeArguments) for small perturbations of a gas: \f$ 0.8\, R / E \f$.
  /// With the scheme, \f$ [-R, 0] \f$ is stable: R is 2 for SSP2, 2.5 for SSP3, 2.75 for RK4 and
  /// 4.65 for LSRK45. With the CFL number 1, the largest eigenvalue times the step is at most about
  /// E: 3.75 on triangles, from degree 6 on \f$ 0.5 + 0.6 p \f$; 6 on tetrahedra, for flat ones of
  /// viscous gas; \f$ 0.92\, d\, (p+1)(p+2)/(2p+1) \f$ on hypercubes. The test `stable_steps.cc`
  /// shows for several flows that 1.15 times the result is stable, and that 1.9 times is not.
  /// @param scheme see RungeKutta
  /// @param shape of the elements
  /// @throws dealii::ExcMessage for another scheme
  double
  default_cfl(const std::string           &scheme,
              const dealii::ReferenceCell &shape,
              const unsigned int           degree);
} // namespace Saltus

#endif
