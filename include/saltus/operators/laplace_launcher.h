// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_laplace_launcher_h
#define saltus_operators_laplace_launcher_h

#include <saltus/operators/launcher.h>
#include <saltus/physics/interior_penalty.h>

/// The interface between the Laplace operator and its back ends; see operators/launcher.h.
namespace Saltus
{
  /// `out = A u`, or `out += A u`, for the bilinear form of LaplaceOperator.
  template <typename Number>
  struct LaplaceArguments
  {
    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;

    const EllipticBoundary *kinds = nullptr; ///< `[b]`
    const Number           *robin = nullptr; ///< `[b]`: coefficients of Robin conditions
    const Number           *data  = nullptr; ///< `[b][q]`: boundary data; nullptr: zeros

    Number diffusion = 1;
    Number reaction  = 0;
    Number penalty   = 0; ///< times the larger |F| / |K| of the two sides

    const Number *u   = nullptr; ///< `[block][m][l]`
    Number       *out = nullptr; ///< must differ from @p u
    bool          add = false;
  };

  template <typename Number>
  class LaplaceKernels
  {
  public:
    virtual ~LaplaceKernels() = default;

    virtual void
    apply(const LaplaceArguments<Number> &arguments) const = 0;
  };

  /// Where compiled kernels register, as in KernelRegistry.
  template <int dim, typename Number>
  struct LaplaceRegistry
  {
    using Factory = LaplaceKernels<Number> *(*)(const ElementTables<Number> &host_tables,
                                                const int                    degree);

    static inline Factory cuda   = nullptr;
    static inline Factory cpu[5] = {};
  };
} // namespace Saltus

#endif
