// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_continuous_coarse_space_h
#define saltus_solvers_continuous_coarse_space_h

#include <saltus/base/compressed_rows.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/element_couplings.h>

#include <array>
#include <vector>

namespace Saltus
{
  /// The embedding of the continuous piecewise linear functions in the discontinuous ones of degree
  /// 1: the matrix P from values at the vertices to coefficients of FE_SimplexDGModal(1). With an
  /// interior penalty matrix A of degree 1, \f$P^TAP\f$ is the matrix of linear finite elements
  /// (jumps and the penalty vanish inside; Dirichlet conditions are imposed weakly as in A), which
  /// algebraic multigrid treats far better than A itself.
  ///
  /// Unknowns are the vertices that cells use, numbered in the order in which the elements meet
  /// them; vertices that periodic boundaries make one are one unknown.
  template <int dim>
  class ContinuousCoarseSpace
  {
  public:
    /// @param reference of degree 1
    /// @throws dealii::ExcMessage for another degree
    ContinuousCoarseSpace(const ElementMesh<dim> &mesh, const ReferenceElement<dim> &reference);

    /// P; row `e * n_modes + m` belongs to mode m of element e.
    CompressedRows
    prolongation() const;

    /// \f$P^TAP\f$, but for couplings that are rounding (below 1e-5 of the diagonal): they are
    /// added to the diagonal. The rows are computed independently of each other, on all threads;
    /// the result does not depend on their number.
    /// @param A of degree 1 on the mesh
    template <typename Number>
    CompressedRows
    galerkin_product(const ElementCouplings<Number> &A) const;

  private:
    static constexpr unsigned int n =
      Simplex<dim>::n_vertices; ///< modes, and vertices, of an element

    /// Rows @p first to @p last - 1 of the product.
    /// @param starts,corners vertex i is that of the elements' corners `corners[starts[i]]` to
    /// `corners[starts[i + 1] - 1]`, `e * n + v`
    /// @param places scratch of the size n_vertices, -1 everywhere
    template <typename Number>
    CompressedRows
    galerkin_rows(const ElementCouplings<Number>  &A,
                  const std::vector<unsigned int> &starts,
                  const std::vector<unsigned int> &corners,
                  const unsigned int               first,
                  const unsigned int               last,
                  std::vector<int>                &places) const;

    unsigned int                         n_vertices = 0;
    std::vector<unsigned int>            vertices; ///< `[e][v]`
    std::array<std::array<double, n>, n> modes;    ///< `[m][v]`: of the function that is 1 at v
  };
} // namespace Saltus

#endif
