// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_polytopic_setting_h
#define saltus_tests_helpers_polytopic_setting_h

#include <saltus/operators/polytopic/polytopic_operator.h>

#include <helpers/polytopes.h>
#include <string>

namespace Saltus::Tests
{
  /// All kinds of boundaries, all coefficients full and varying.
  template <int dim>
  struct PolytopicSetting
  {
    static std::string
    tensor()
    {
      return dim == 2 ? "2+x*y; 0.3*x; 1+y" : "2+x*y; 0.3*x; 0.1*z; 1+y; 0.2; 1.5+x*z";
    }

    static PolytopicProblem<dim>
    problem()
    {
      PolytopicProblem<dim> result;
      result.diffusion = [](const Point<dim> &x) {
        SymmetricTensor<2, dim> A;
        A[0][0] = 2 + x[0] * x[1];
        A[0][1] = 0.3 * x[0];
        A[1][1] = 1 + x[1];
        if constexpr (dim == 3)
          {
            A[0][2] = 0.1 * x[2];
            A[1][2] = 0.2;
            A[2][2] = 1.5 + x[0] * x[2];
          }
        return A;
      };
      // Outwards at the boundaries 1 and 3, which are Neumann and Robin; of one direction, so that
      // it does not turn on a straight face, which no rule would integrate exactly.
      result.velocity = [](const Point<dim> &x) {
        Tensor<1, dim> b;
        b[0] = 3;
        b[1] = 2;
        if constexpr (dim == 3)
          b[2] = -1;
        return (1 + 0.1 * x[0] + 0.2 * x[1]) * b;
      };
      result.reaction = [](const Point<dim> &x) { return 3 + x[0] * x[1]; };
      result.source   = [](const Point<dim> &x) { return 1 + x[0] * x[0]; };
      result.value    = [](const Point<dim> &x) { return 2 - x[1]; };
      result.kind     = [](const types::boundary_id id) { return id == 1 ? 1 : id == 3 ? 2 : 0; };
      result.robin    = 0.7;
      result.penalty_factor = 8.;
      result.penalty        = 0;
      result.by_cell        = false;
      return result;
    }

    static EllipticBoundaryConditions<dim>
    conditions()
    {
      const FieldFunction<dim>        value(Expression(dim, "2-y", 1));
      EllipticBoundaryConditions<dim> result;
      for (unsigned int id = 0; id < 2 * dim; ++id)
        if (id == 1)
          result.set_neumann(id, value);
        else if (id == 3)
          result.set_robin(id, 0.7, value);
        else
          result.set_dirichlet(id, value);
      return result;
    }

    static typename PolytopicOperator<dim>::AdditionalData
    data(const PolytopicProblem<dim> &problem)
    {
      typename PolytopicOperator<dim>::AdditionalData result;
      const Sampling sampling = problem.by_cell ? Sampling::by_element : Sampling::by_point;
      result.diffusion        = {Expression(dim, tensor(), dim * (dim + 1) / 2), sampling};
      result.reaction         = {Expression(dim, "3+x*y", 1), Sampling::by_point};
      const std::string size  = "*(1+0.1*x+0.2*y)";
      result.velocity =
        Expression(dim, "3" + size + "; 2" + size + (dim == 3 ? "; -1" + size : ""), dim);
      result.penalty_factor          = problem.penalty_factor;
      result.penalty                 = static_cast<PolytopicPenalty>(problem.penalty);
      result.extra_quadrature_degree = 2;
      return result;
    }
  };
} // namespace Saltus::Tests

#endif
