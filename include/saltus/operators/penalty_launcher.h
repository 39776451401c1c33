// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_penalty_launcher_h
#define saltus_operators_penalty_launcher_h

#include <saltus/operators/flow_launcher.h>

/// The interface between the penalty operator and its back ends; see operators/launcher.h.
namespace Saltus
{
  /// `out = (M + divergence_factor D + jump_factor J) u` with the mass matrix M and the matrices of
  /// PenaltyOperator, without what is in front of |mean velocity| there. A factor that is 0 saves
  /// the work.
  template <typename Number>
  struct PenaltyArguments
  {
    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;

    const Number *speeds  = nullptr; ///< `[block][l]`, with ghosts: |mean velocity|
    const Number *lengths = nullptr; ///< `[block][l]`: h / (p + 1)

    Number        divergence_factor = 0;
    Number        jump_factor       = 0;
    const Number *u                 = nullptr;
    Number       *out               = nullptr; ///< must differ from u
  };

  /// On elements of one degree.
  template <int dim, typename Number>
  class PenaltyKernels : public KernelSet
  {
  public:
    using value_type = Number;

    /// For the mesh's range of elements.
    virtual void
    apply(const PenaltyArguments<Number> &arguments) const = 0;
  };
} // namespace Saltus

#endif
