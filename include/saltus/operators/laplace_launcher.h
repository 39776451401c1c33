// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_laplace_launcher_h
#define saltus_operators_laplace_launcher_h

#include <saltus/operators/launcher.h>
#include <saltus/physics/interior_penalty.h>

/// The interface between the Laplace operator and its back ends; see operators/launcher.h.
namespace Saltus
{
  /// A coefficient field: the same everywhere, one value an element, or one a quadrature point.
  /// A value is a number, or a symmetric tensor `[i]`: xx, xy, yy in 2D, xx, xy, xz, yy, yz, zz in
  /// 3D.
  template <typename Number>
  struct CoefficientArrays
  {
    Number        constant     = 0;       ///< used if `volume` is nullptr
    int           n_components = 1;       ///< of a value
    const Number *volume       = nullptr; ///< `[block][l][i]`, or by point `[block][q][l][i]`
    const Number *face         = nullptr; ///< by point: `[block][f][q][l][i]`; else nullptr
  };

  /// `out = base + scale A u` for the bilinear form of LaplaceOperator. Parts of A can be had as
  /// well, to assemble it.
  template <typename Number>
  struct LaplaceArguments
  {
    static constexpr int all_faces = -1, no_face = -2;

    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;

    const EllipticBoundary *kinds = nullptr; ///< `[b]`
    const Number           *robin = nullptr; ///< `[b]`: coefficients of Robin conditions
    const Number           *data  = nullptr; ///< `[b][q]`: boundary data; nullptr: zeros

    CoefficientArrays<Number> diffusion, reaction;
    const Number             *penalties = nullptr; ///< `[block][f][l]`
    /// `[block][f][r][l]`: \f$ \hat\nabla u \f$ of the neighbour times this is its flux
    /// \f$ n \cdot k \nabla u \f$, with this side's normal. nullptr if a coefficient is by point.
    const Number *fluxes_across = nullptr;

    const Number *u     = nullptr; ///< `[block][m][l]`
    const Number *base  = nullptr; ///< nullptr: zeros; may be `out`
    Number        scale = 1;
    Number       *out   = nullptr; ///< must differ from @p u

    int  column = -1;        ///< not negative: u is this mode in every element instead
    bool own    = true;      ///< whether the values of an element act on itself
    int  across = all_faces; ///< the faces through which its neighbours' values do: all, none, one

    /// Whether a coefficient differs between the points of an element.
    bool
    is_by_point() const
    {
      return diffusion.face != nullptr || reaction.face != nullptr;
    }
  };

  template <int dim, typename Number>
  class LaplaceKernels : public KernelSet
  {
  public:
    using value_type = Number;

    virtual void
    apply(const LaplaceArguments<Number> &arguments) const = 0;
  };

  /// Degrees from 1 to this one are compiled.
  constexpr int
  max_laplace_degree(const int dim)
  {
    return dim == 2 ? 8 : 6;
  }
} // namespace Saltus

#endif
