// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_laplace_launcher_h
#define saltus_operators_elliptic_kernels_laplace_launcher_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>
#include <saltus/mesh/mesh_arrays.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/blocks/rounded_block.h>
#include <saltus/operators/spaces/element_tables.h>
#include <saltus/operators/spaces/hanging_gradients.h>
#include <saltus/operators/spaces/kernel_registry.h>
#include <saltus/physics/interior_penalty.h>

/// The interface between the Laplace operator and its back ends; see
/// operators/conservation_law/kernels/launcher.h.
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

  /// The bilinear form on elements whose geometry is stored, at the points of the quadrature: what
  /// weights, geometry and diffusion make together. The blocks are those of StoredArrays.
  template <typename Number>
  struct PointwiseForm
  {
    /// `[block][q][i][l]`: \f$ w_q |\det J| \nabla \hat x_r \cdot k \nabla \hat x_s \f$, i
    /// counting r <= s as CoefficientArrays does
    const Number *volume = nullptr;
    /// `[block][f][q][l]`: what a point counts for in the integral over a face
    const Number *areas = nullptr;
    /// The flux n.k grad v is this combination of the reference derivatives; see AlongLayout.
    const Number *along = nullptr;
    /// The same of the elements across, with the same normals, at the same points in space.
    const Number *along_across = nullptr;
    /// On GPUs where kernels make the form of the elements' maps rather than read it, else nullptr:
    /// see threads_make_form(). `[block][m][l][d]`: the modes of the maps up to the degree
    /// mapped_laplace_degree(), all but the constant.
    const Number *map_modes = nullptr;

    bool along_in_groups = false; ///< see AlongLayout
  };

  /// The form on hanging faces, whose terms are found before the elements are worked on: see
  /// set_hanging_terms().
  template <typename Number>
  struct HangingForm : public HangingGradients<Number>
  {
    const FaceRecord *records = nullptr; ///< see HangingFaces
    /// `[i][q][k]`, at the points of the smaller elements: what a point counts for in the integral,
    /// the penalty, and of which combinations of reference derivatives the fluxes are, here and in
    /// the larger element, both with the normal out of the smaller one.
    const Number *points = nullptr;

    /// Numbers of a point.
    template <int dim>
    static constexpr int
    n_numbers()
    {
      return 2 + 2 * dim;
    }
  };

  /// `out = base + scale A u` for the bilinear form of LaplaceOperator or, with `blocks` B,
  /// `out = u + weight B (base + scale A u)`. Parts of A can be had as well, to assemble it.
  template <typename Number>
  struct LaplaceArguments
  {
    static constexpr int all_faces = -1, no_face = -2;

    ElementTables<Number> tables;
    MeshArrays<Number>    mesh;
    StoredArrays<Number>  stored; ///< with metrics on faces
    PointwiseForm<Number> pointwise;

    const EllipticBoundary *kinds = nullptr; ///< `[b]`
    const Number           *robin = nullptr; ///< `[b]`: coefficients of Robin conditions

    CoefficientArrays<Number> diffusion, reaction;
    const Number             *penalties = nullptr; ///< `[block][f][l]`

    /// For exact integrals with coefficients that are constant in every element; else nullptr. With
    /// ghosts. On simplices, see SparseLaplaceElement, `[block][k, l][l]`: the entries
    /// \f$K_{kl}\f$, by vertex_pair(). On hypercubes `[block][i][l]`:
    /// \f$ |\det J| \nabla \hat x_r \cdot k \nabla \hat x_s \f$ in the order of CoefficientArrays,
    /// and what the penalty has as a factor, see LaplaceOperator.
    const Number *stiffness = nullptr;
    /// `[block][f][l]`: on simplices FaceCode of the face opposite vertex f, on hypercubes
    /// HypercubeFaceCode of face f.
    const unsigned int *face_codes = nullptr;
    /// `[block][l]`: \f$ \lambda |\det J| \f$; nullptr: zeros.
    const Number *reaction_mass = nullptr;
    /// \f$ \tau |F| \f$ over the larger \f$K_{ff}\f$ of both sides, which on hypercubes have their
    /// factors.
    Number penalty   = 0;
    bool   has_robin = false; ///< whether there is a Robin condition
    bool   matched   = false; ///< whether every face has the same number on both sides

    int map_degree = 1; ///< of the elements whose geometry is stored

    HangingForm<Number> hanging;

    const Number *u     = nullptr; ///< `[block][m][l]`
    const Number *base  = nullptr; ///< nullptr: zeros; may be `out`
    Number        scale = 1;
    Number       *out   = nullptr; ///< must differ from @p u

    RoundedBlockArrays<Number> blocks; ///< of LaplaceKernels that say that they smooth
    Number                     weight = 1;

    int  column = -1;   ///< not negative: u is this mode in every element instead
    bool own    = true; ///< whether the values of an element act on itself
    /// The faces through which its neighbours' values do: all, none, or one: face f, or of a
    /// hanging one the part s, which is `s n_faces + f`.
    int across = all_faces;

    /// Whether a coefficient differs between the points of an element.
    bool
    is_by_point() const
    {
      return diffusion.face != nullptr || reaction.face != nullptr;
    }

    /// Whether this is a product with all of A.
    bool
    is_whole() const
    {
      return column < 0 && own && across == all_faces;
    }

    /// The same, and the arrays for exact integrals are there.
    bool
    is_sparse() const
    {
      return stiffness != nullptr && is_whole();
    }
  };

  /// @tparam n_components of the vectors; the same operator works on all of them
  template <int dim, typename Number, int n_components = 1>
  class LaplaceKernels : public KernelSet
  {
  public:
    using value_type = Number;

    /// Begin to compile the kernels for such arguments, and those of the smoother, where a run
    /// compiles kernels.
    virtual void
    prepare(const LaplaceArguments<Number> & /*arguments*/) const
    {}

    virtual void
    apply(const LaplaceArguments<Number> &arguments) const = 0;

    /// Whether apply() takes these arguments with `blocks`. (Never for several components.)
    virtual bool
    smooths(const LaplaceArguments<Number> & /*arguments*/) const
    {
      return false;
    }
  };

  /// Up to which degree rules in curved simplices are exact, where there is no reaction: for
  /// products of gradients, as on affine elements, which keeps the rates of convergence (P. G.
  /// Ciarlet and P.-A. Raviart, The combined effect of curved boundaries and numerical integration
  /// in isoparametric finite element methods, 1972). In 2D one more where maps have a higher degree
  /// than functions: then the form is exact for linear functions on all maps up to degree p + 1.
  constexpr int
  curved_form_degree(const int dim, const int degree, const int map_degree)
  {
    return 2 * degree - (dim == 2 && map_degree > degree ? 1 : 2);
  }

  /// Whether kernels on GPUs read the form of curved simplices with one thread an element.
  constexpr bool
  threads_read_form(const int dim, const int degree)
  {
    return dim == 3 && degree == 1;
  }

  /// The degree of maps that kernels have which make the form of them, for polynomials of degree
  /// @p degree on maps of degree @p map_degree.
  constexpr int
  mapped_laplace_degree(const int degree, const int map_degree)
  {
    return degree == 1 || map_degree > degree ? degree + 1 : degree;
  }

  /// Whether kernels on GPUs with one thread an element take PointwiseForm::map_modes of curved
  /// simplices, where the diffusion is one number in an element: maps must have few modes.
  constexpr bool
  threads_make_form(const int dim, const int degree, const int map_degree)
  {
    const int kept = mapped_laplace_degree(degree, map_degree);
    return dim == 2 && map_degree <= kept && kept <= 3;
  }

  /// How kernels on GPUs take PointwiseForm::along of simplices, see AlongLayout.
  constexpr bool
  along_in_groups(const int dim, const int degree)
  {
    return !threads_read_form(dim, degree);
  }

  /// Degrees from 1 to this one are compiled.
  constexpr int
  max_laplace_degree(const int dim, const ElementShape shape = ElementShape::simplex)
  {
    return shape == ElementShape::simplex ? (dim == 2 ? 8 : 6) : (dim == 2 ? 7 : 5);
  }
} // namespace Saltus

#endif
