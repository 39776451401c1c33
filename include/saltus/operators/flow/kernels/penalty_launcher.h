// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_penalty_launcher_h
#define saltus_operators_flow_kernels_penalty_launcher_h

#include <saltus/operators/flow/kernels/flow_launcher.h>

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

    /// In front of the divergences in element @p e.
    SALTUS_HOST_DEVICE
    Number
    divergence_penalty(const int e) const
    {
      const std::size_t place = point_index(e, 0, 1, 1);
      return divergence_factor * speeds[place] * lengths[place];
    }

    /// In front of the jumps on a face of element @p e. Boundary faces have none.
    SALTUS_HOST_DEVICE
    Number
    jump_penalty(const int e, const FaceRecord &across) const
    {
      const Number here   = speeds[point_index(e, 0, 1, 1)];
      const Number beyond = speeds[point_index(across.element_across(e), 0, 1, 1)];
      return across.at_boundary() ? Number(0) : jump_factor * (here + beyond) / 2;
    }
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
