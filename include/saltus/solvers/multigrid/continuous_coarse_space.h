// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_continuous_coarse_space_h
#define saltus_solvers_multigrid_continuous_coarse_space_h

#include <saltus/base/algebra/gathered_matrix.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/vertex_numbers.h>
#include <saltus/operators/blocks/mixed_couplings.h>

#include <array>
#include <memory>
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
  /// On a mesh that mixes shapes functions are linear or bilinear, as the shape says.
  ///
  /// Unknowns have VertexNumbers. On several ranks each has the vertices of its elements, and those
  /// at its border are unknowns of others as well.
  template <int dim>
  class ContinuousCoarseSpace
  {
  public:
    /// Collective.
    /// @param reference of degree 1
    /// @throws dealii::ExcMessage for another degree
    ContinuousCoarseSpace(const ElementMesh<dim> &mesh, const ReferenceElement<dim> &reference);

    /// The same on a mesh that mixes shapes.
    /// @param references one a shape
    ContinuousCoarseSpace(const MixedMesh<dim>                             &meshes,
                          const std::vector<const ReferenceElement<dim> *> &references);

    /// P of this rank, of the elements of one shape; row `e * n_modes + m` belongs to mode m of
    /// element e.
    CompressedRows
    prolongation(const unsigned int shape = 0) const;

    /// \f$P^TAP\f$, but for couplings that are rounding (below 1e-5 of the diagonal): they are
    /// added to the diagonal. The rows are computed independently of each other, on all threads;
    /// the result does not depend on their number. Collective.
    /// @param A of degree 1 on the mesh
    template <typename Number>
    GatheredMatrix
    galerkin_product(const ElementCouplings<Number> &A) const;

    template <typename Number>
    GatheredMatrix
    galerkin_product(const MixedCouplings<Number> &A) const;

  private:
    static constexpr unsigned int max_n = dealii::GeometryInfo<dim>::vertices_per_cell;

    using Meshes = std::vector<const ElementMesh<dim> *>;

    /// The elements of one shape.
    struct Part
    {
      unsigned int              n            = 0; ///< modes, and vertices, of an element
      std::size_t               n_elements   = 0;
      std::size_t               first_corner = 0; ///< of all parts' corners, see Corners
      std::vector<unsigned int> vertices;         ///< `[e][v]`, then of ghosts
      /// `[m][v]`: of the function that is 1 at v
      std::array<std::array<double, max_n>, max_n> modes{};
    };

    /// A face between shapes, as an element of this rank sees it.
    struct Link
    {
      unsigned int                    part, element;
      unsigned int                    part_across;
      std::array<unsigned int, max_n> vertices; ///< of the element across
    };

    /// Corners of elements, counted through the parts, their elements and vertices: which are at
    /// the vertices, and of each element the links.
    struct Corners
    {
      std::vector<unsigned int> starts, corners; ///< those of vertex i begin at `starts[i]`
      std::vector<std::vector<unsigned int>> first_links; ///< `[part][e]`, and one beyond
      std::vector<unsigned int>              links;       ///< in the order of elements
    };

    void
    reinit(const Meshes                                     &meshes,
           const std::vector<const ReferenceElement<dim> *> &references,
           const std::vector<MixedFace>                     &mixed);

    /// A matrix's parts, which need not be in one object.
    template <typename Number>
    struct MatrixView
    {
      std::vector<const ElementCouplings<Number> *> of_shapes;
      const std::vector<std::vector<Number>>       *across = nullptr; ///< see MixedCouplings
    };

    template <typename Number>
    GatheredMatrix
    galerkin_product(const MatrixView<Number> &A) const;

    Corners
    find_corners() const;

    /// Rows @p first to @p last - 1 of the product.
    /// @param places scratch of the size n_columns, -1 everywhere
    template <typename Number>
    CompressedRows
    galerkin_rows(const MatrixView<Number> &A,
                  const Corners            &corners,
                  const unsigned int        first,
                  const unsigned int        last,
                  std::vector<int>         &places) const;

    /// Set the vertices across the links.
    void
    connect_links(const std::vector<MixedFace> &mixed, VertexNumbers<dim> &numbers);

    std::shared_ptr<const ElementPartition> partition;

    std::vector<Part>        parts;
    std::vector<Link>        links;          ///< in the order of find_mixed_faces()
    unsigned int             n_vertices = 0; ///< of this rank's elements
    unsigned int             n_columns  = 0; ///< with those that only ghosts have
    std::vector<std::size_t> names;          ///< `[vertex]` on several ranks
  };
} // namespace Saltus

#endif
