// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_continuous_coarse_space_h
#define saltus_solvers_multigrid_continuous_coarse_space_h

#include <saltus/base/algebra/gathered_matrix.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/operators/blocks/element_couplings.h>

#include <array>
#include <vector>

namespace Saltus
{
  /// The embedding of the continuous piecewise (multi)linear functions in the discontinuous ones of
  /// degree 1: the matrix P from values at the vertices to coefficients of FE_SimplexDGModal(1) or
  /// FE_HypercubeDG(1). A vertex that hangs is an unknown as any other: functions need not be
  /// continuous there, which the penalty sees to. With an
  /// interior penalty matrix A of degree 1, \f$P^TAP\f$ is the matrix of linear finite elements
  /// (jumps and the penalty vanish inside; Dirichlet conditions are imposed weakly as in A), which
  /// algebraic multigrid treats far better than A itself.
  ///
  /// Unknowns are the vertices that cells use, numbered in the order in which the elements meet
  /// them; vertices that periodic boundaries make one are one unknown. On several ranks each has
  /// the vertices of its elements, and those at its border are unknowns of others as well.
  template <int dim>
  class ContinuousCoarseSpace
  {
  public:
    /// Collective.
    /// @param reference of degree 1
    /// @throws dealii::ExcMessage for another degree
    ContinuousCoarseSpace(const ElementMesh<dim> &mesh, const ReferenceElement<dim> &reference);

    /// P of this rank; row `e * n_modes + m` belongs to mode m of element e.
    CompressedRows
    prolongation() const;

    /// \f$P^TAP\f$, but for couplings that are rounding (below 1e-5 of the diagonal): they are
    /// added to the diagonal. The rows are computed independently of each other, on all threads;
    /// the result does not depend on their number. Collective.
    /// @param A of degree 1 on the mesh
    template <typename Number>
    GatheredMatrix
    galerkin_product(const ElementCouplings<Number> &A) const;

  private:
    static constexpr unsigned int max_n = dealii::GeometryInfo<dim>::vertices_per_cell;

    /// Rows @p first to @p last - 1 of the product.
    /// @param starts,corners vertex i is that of the elements' corners `corners[starts[i]]` to
    /// `corners[starts[i + 1] - 1]`, `e * n + v`
    /// @param places scratch of the size n_columns, -1 everywhere
    template <typename Number>
    CompressedRows
    galerkin_rows(const ElementCouplings<Number>  &A,
                  const std::vector<unsigned int> &starts,
                  const std::vector<unsigned int> &corners,
                  const unsigned int               first,
                  const unsigned int               last,
                  std::vector<int>                &places) const;

    /// Find the names of vertices, the same for all that shared faces make one, and the vertices of
    /// ghosts.
    void
    connect_ranks(const ElementMesh<dim> &mesh);

    std::shared_ptr<const ElementPartition> partition;

    std::size_t               n_elements = 0;
    unsigned int              n_vertices = 0; ///< of this rank's elements
    unsigned int              n_columns  = 0; ///< with those that only ghosts have
    std::vector<unsigned int> vertices;       ///< `[e][v]`, then of ghosts
    std::vector<std::size_t>  names;          ///< `[vertex]` on several ranks
    unsigned int              n = 0;          ///< modes, and vertices, of an element
    /// `[m][v]`: of the function that is 1 at v
    std::array<std::array<double, max_n>, max_n> modes{};
  };
} // namespace Saltus

#endif
