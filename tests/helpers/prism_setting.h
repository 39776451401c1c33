// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_prism_setting_h
#define saltus_tests_helpers_prism_setting_h

#include <saltus/operators/polytopic/space_time_operator.h>

#include <helpers/prisms.h>

namespace Saltus::Tests
{
  /// All kinds of boundaries; all coefficients vary in space and time.
  inline ParabolicProblem
  varying_problem()
  {
    ParabolicProblem result;
    result.diffusion = [](const Point<2> &x, const double t) {
      SymmetricTensor<2, 2> A;
      A[0][0] = 2 + x[0] * x[1] + t;
      A[0][1] = 0.3 * x[0];
      A[1][1] = 1 + x[1] * t;
      return A;
    };
    // Outwards at the boundaries 1 and 3, which are Neumann and Robin.
    result.velocity = [](const Point<2> &x, const double t) {
      Tensor<1, 2> b;
      b[0] = 3 + x[1] + t;
      b[1] = 2 - 0.1 * x[0];
      return b;
    };
    result.reaction = [](const Point<2> &x, const double t) { return 3 + x[0] * t; };
    result.source   = [](const Point<2> &x, const double t) { return 1 + t * x[0] * x[0]; };
    result.value    = [](const Point<2> &x, const double t) { return 2 - x[1] + t; };
    result.before   = [](const Point<2> &x, const double) { return 1 + 2 * x[0] - x[1]; };
    result.kind     = [](const types::boundary_id id) { return id == 1 ? 1 : id == 3 ? 2 : 0; };
    result.robin    = 0.7;
    result.penalty_factor = 8.;
    result.penalty        = 0;
    return result;
  }

  inline EllipticBoundaryConditions<2>
  conditions_of_all_kinds()
  {
    const FieldFunction<2>        value(Expression(2, "2-y+t", 1));
    EllipticBoundaryConditions<2> result;
    result.set_dirichlet(0, value);
    result.set_neumann(1, value);
    result.set_dirichlet(2, value);
    result.set_robin(3, 0.7, value);
    return result;
  }

  inline SpaceTimeOperator<2>::AdditionalData
  varying_data(const ParabolicProblem &problem, const LegendreFamily family)
  {
    SpaceTimeOperator<2>::AdditionalData result;
    result.in_space.diffusion = {Expression(2, "2+x*y+t; 0.3*x; 1+y*t", 3), Sampling::by_point};
    result.in_space.reaction  = {Expression(2, "3+x*t", 1), Sampling::by_point};
    result.in_space.velocity  = Expression(2, "3+y+t; 2-0.1*x", 2);
    result.in_space.penalty_factor          = problem.penalty_factor;
    result.in_space.penalty                 = static_cast<PolytopicPenalty>(problem.penalty);
    result.in_space.extra_quadrature_degree = 2;
    result.source                           = Expression(2, "1+t*x^2", 1);
    result.family                           = family;
    return result;
  }
} // namespace Saltus::Tests

#endif
