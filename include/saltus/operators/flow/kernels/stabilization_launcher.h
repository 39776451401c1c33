// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_stabilization_launcher_h
#define saltus_operators_flow_kernels_stabilization_launcher_h

#include <saltus/operators/flow/kernels/flow_launcher.h>

/// The interface between the stabilization operator and its back ends.
namespace Saltus
{
  /// `out = (M + divergence_factor D + jump_factor J) u` with the mass matrix M and the matrices of
  /// StabilizationOperator, without what is in front of |mean velocity| there. A factor that is 0
  /// saves the work.
  template <int dim, typename Number>
  struct StabilizationArguments
  {
    using value_type = Number;

    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;
    StoredArrays<Number>  stored;

    const Number *speeds  = nullptr; ///< `[block][l]`, with ghosts: |mean velocity|
    const Number *lengths = nullptr; ///< `[block][l]`: h / (p + 1)

    Number        divergence_factor = 0;
    Number        jump_factor       = 0;
    const Number *u                 = nullptr;
    Number       *out               = nullptr; ///< must differ from u

    HangingArrays<Number> hanging; ///< with the fluxes of JumpFlux

    RangeLaunch launch; ///< of the mesh's range

    /// In front of the divergences in element @p e.
    SALTUS_HOST_DEVICE
    Number
    divergence_penalty(const int e) const
    {
      const std::size_t place = point_index(e, 0, 1, 1);
      return divergence_factor * speeds[place] * lengths[place];
    }

    /// In front of the jumps on a face of element @p e. Boundary faces have none, and hanging ones
    /// fluxes that are known.
    SALTUS_HOST_DEVICE
    Number
    jump_penalty(const int e, const FaceRecord &across) const
    {
      if (across.at_boundary() || across.kind == FaceKind::hanging)
        return 0;
      const Number here   = speeds[point_index(e, 0, 1, 1)];
      const Number beyond = speeds[point_index(across.neighbor, 0, 1, 1)];
      return jump_factor * (here + beyond) / 2;
    }
  };
} // namespace Saltus

#endif
