// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_algebraic_multigrid_h
#define saltus_solvers_multigrid_algebraic_multigrid_h

#include <deal.II/base/subscriptor.h>

#include <saltus/solvers/multigrid/aggregation_hierarchy.h>
#include <saltus/solvers/multigrid/algebraic_level.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// How often a coarse problem is treated: once, twice, or by a Krylov method.
  enum class MultigridCycle
  {
    V,
    W,
    K
  };

  /// One cycle of algebraic multigrid for a symmetric positive definite matrix, as a preconditioner
  /// for deal.II's solvers. Trilinos ML aggregates on the host, once; after that everything is on
  /// the device.
  ///
  /// Every level's matrix is scaled symmetrically to a unit diagonal, see
  /// AggregationHierarchy::scale(), so that Jacobi's method inside the Chebyshev smoother (see
  /// chebyshev_weights()) costs nothing. The largest eigenvalues are estimated at set-up. The
  /// coarsest matrix is inverted.
  ///
  /// The V cycle is a fixed symmetric operator, with which SolverCG works; on a GPU it is replayed
  /// as a graph and nothing goes to or comes from the host. So is the W cycle, which treats the
  /// residual of every coarse problem twice. The K cycle solves the next finer
  /// levels' coarse problems with up to two steps of flexible CG (Y. Notay, An aggregation-based
  /// algebraic multigrid method, Electron. Trans. Numer. Anal. 37, 2010, algorithm 3.2); a few
  /// scalars a level go to the host, and since it is not linear, SolverFlexibleCG is called for.
  template <typename Number>
  class AlgebraicMultigrid : public dealii::Subscriptor
  {
  public:
    using Cycle = MultigridCycle;

    struct AdditionalData
    {
      AggregationHierarchy::Parameters aggregation;
      /// The near-null vector is the kernel of the matrix (pure Neumann problems). The cycle then
      /// ignores the part of the right-hand side in its direction, and the result is orthogonal to
      /// it, both in the unknowns of the matrix.
      bool         singular        = false;
      Cycle        cycle           = Cycle::V;
      unsigned int n_k_levels      = 2; ///< of a K cycle; levels below have V cycles
      unsigned int n_cycles        = 1; ///< one after the other, each for the residual
      unsigned int smoother_degree = 3; ///< products with the matrix a smoothing step
      /// Number of the finest level in a hierarchy whose finer levels somebody else treats: it may
      /// have a K cycle, the kernel of a singular matrix is left to others, and `n_cycles` is 1.
      unsigned int first_level = 0;
    };

    struct LevelSize
    {
      std::size_t n_rows;
      std::size_t n_nonzeros;
    };

    /// @param A symmetric, all rows on this process; not needed afterwards
    /// @param embedding matrix E from the unknowns of @p A to the *array* of the vectors that
    /// vmult() is given, see SparseMatrix; the preconditioner is then \f$ E B E^T \f$ with the
    /// cycle B. For unknowns that are numbered in another way this is
    /// CompressedRows::placement(), for a coarse space its prolongation. By default the unknowns
    /// number the entries of the vectors.
    /// @throws dealii::ExcMessage if sizes do not match, a diagonal entry is not positive, or the
    /// coarsest matrix is not positive definite (semidefinite where it may be singular)
    void
    initialize(const Epetra_CrsMatrix &A,
               const AdditionalData   &additional_data,
               const Device            device,
               const CompressedRows   &embedding);

    void
    initialize(const Epetra_CrsMatrix &A,
               const AdditionalData   &additional_data,
               const Device            device);

    /// The same for a hierarchy that was made before.
    void
    initialize(AggregationHierarchy  hierarchy,
               const AdditionalData &additional_data,
               const Device          device,
               const CompressedRows &embedding);

    /// One cycle for the right-hand side @p src, from zero.
    void
    vmult(Vector<Number> &dst, const Vector<Number> &src) const;

    /// `dst += ` one cycle for @p src: the correction of a coarse space.
    void
    vmult_add(Vector<Number> &dst, const Vector<Number> &src) const;

    unsigned int
    n_levels() const
    {
      return sizes.size();
    }

    /// The finest first.
    const std::vector<LevelSize> &
    level_sizes() const
    {
      return sizes;
    }

    /// Entries of all levels' matrices over those of the finest.
    double
    operator_complexity() const;

    /// Seconds of all that a vmult() does on the coarsest level.
    double
    time_coarsest() const;

    /// Bytes on the device: matrices and vectors.
    std::size_t
    memory_consumption() const;

  private:
    struct Level : AlgebraicLevel<Number>
    {
      /// First direction of the K cycle and its image; the first solution of the W cycle.
      Vector<Number> direction, image;
    };

    /// `x -= removed (measured^T x)`, without a scalar on the host. The product is that of a matrix
    /// of one row in two steps, since few threads sum a row: the rows of @p parts have
    /// consecutive pieces of @p measured, and that of @p total subtracts their sums.
    struct Projection
    {
      Projection(const std::vector<double> &removed,
                 const std::vector<double> &measured,
                 const Device               device);

      void
      apply(Vector<Number> &x) const;

      std::size_t
      memory_consumption() const;

      SparseMatrix<Number>   parts, total, column;
      mutable Vector<Number> sums, component; ///< of the parts; minus all of it, 1 entry
    };

    void
    make_level(const CompressedRows &matrix, const Device device);

    void
    make_projections(const std::vector<double> &scaling, const Device device);

    /// The solution in levels[0].x.
    void
    solve(const Vector<Number> &src) const;

    /// `x = B b` on a level and those below, with the cycle of each.
    void
    solve(const unsigned int level) const;

    /// More cycles after the first, each for the residual of those before.
    void
    repeat() const;

    void
    flexible_cg(const unsigned int level) const;

    /// One cycle whose coarse problem solve() treats; on a GPU as a graph if it is recorded, unless
    /// it becomes a part of a larger one.
    void
    cycle(const unsigned int level) const;

    void
    enqueue_cycle(const unsigned int level) const;

    void
    record_graph();

    /// Whether a level is coarse, but not the coarsest.
    bool
    is_between(const unsigned int level) const;

    bool
    has_k_cycle(const unsigned int level) const;

    /// `x = B b` by two cycles, the second for the residual of the first.
    void
    two_cycles(const unsigned int level) const;

    AdditionalData         data;
    std::vector<LevelSize> sizes;
    SparseMatrix<Number>   embedding, embedding_transposed;
    /// Of a singular matrix: of the scaled right-hand side and of the scaled solution.
    std::vector<Projection> projections;
    SparseMatrix<Number>    coarse_inverse;

    mutable Vector<Number> total; ///< result of the cycles so far, if there are several

    /// Scratch, not state: what a cycle works on.
    mutable std::vector<Level>          levels;
    std::unique_ptr<CudaRuntime::Graph> graph; ///< of the finest cycle without K cycles below
    unsigned int                        graph_level = 0;
  };
} // namespace Saltus

#endif
