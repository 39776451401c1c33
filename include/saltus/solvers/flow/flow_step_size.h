// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_flow_flow_step_size_h
#define saltus_solvers_flow_flow_step_size_h

namespace Saltus
{
  /// Lengths of the time steps of an incompressible flow: fixed ones, or those that a CFL number
  /// asks for. A flow that begins with one state, and so with first order, begins with shorter
  /// steps. Fixed ones are halved until the first order does no harm; these steps sum up to a whole
  /// one with order 2, to two with order 3.
  struct FlowStepSize
  {
    double       max_dt                = 1.; ///< or the fixed length
    double       cfl                   = 0.; ///< see FlowOperators::convection_rate(); 0: fixed
    unsigned int order                 = 2;  ///< of the time steps
    bool         begins_with_order_one = true;

    /// The length of step number @p n, counted from 0: one of as many equal ones as fit, of at most
    /// the right length but for a hundredth of it, into what is left. No step is much longer than
    /// the one before it.
    /// @param last length of the step before
    /// @param rate CFL number of a step of length 1, or of its subcycles
    /// @param left until the step at which there is something to do
    double
    next(const long long n, const double last, const double rate, const double left) const;

  private:
    /// How often the first step is halved.
    int
    n_halvings() const
    {
      return begins_with_order_one ? 3 * (int(order) - 1) : 0;
    }
  };
} // namespace Saltus

#endif
