// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_polytopic_polytopic_multigrid_h
#define saltus_solvers_polytopic_polytopic_multigrid_h

#include <deal.II/base/subscriptor.h>

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/base/algebra/sparse_matrix.h>
#include <saltus/solvers/multigrid/residual_minimization.h>
#include <saltus/solvers/multigrid/spread_multigrid.h>
#include <saltus/solvers/polytopic/element_hierarchy.h>

#include <memory>
#include <ostream>
#include <vector>

namespace Saltus
{
  template <int dim>
  struct CoarseOperator;


  /// One cycle for a matrix on polytopic elements, as a preconditioner for deal.II's solvers: in
  /// the degrees p, p/2, ..., 1 on the elements, then in linear functions on larger and larger
  /// agglomerates of them; or in functions of the degree p on these, and then in lower degrees on
  /// the largest ones, see AdditionalData::elements_first. The matrix of every level is assembled
  /// for itself, with the penalty of its degree and its elements, see element_hierarchy(). The
  /// functions of a lower degree are the first ones of a higher one.
  ///
  /// On every level the matrix is in coordinates in which its diagonal blocks are the identity, see
  /// BlockRoots. For symmetric positive matrices the smoothers are Chebyshev's, the cycle is
  /// symmetric, and on several ranks the levels of agglomerates, which are made of each rank's
  /// elements, are cycled through on the first one, see SpreadMultigrid.
  ///
  /// With advection all levels have it, upwind, and all ranks work on all of them. The smoother is
  /// ResidualMinimization, which Chebyshev's polynomials are not good enough for: where advection
  /// decides, eigenvalues are in a disc about 1. The cycle is then for flexible GMRES.
  ///
  /// All ranks call the functions together.
  /// @tparam Number of all levels; results do not depend on it
  template <int dim, typename Number>
  class PolytopicMultigrid : public dealii::Subscriptor
  {
  public:
    struct AdditionalData
    {
      unsigned int smoother_degree = 4; ///< products with the matrix a smoothing step
      Grouping     grouping        = Grouping::boxes;
      unsigned int ratio           = 1 << dim; ///< elements of an agglomerate
      /// Larger elements before lower degrees. That is more work, and fewer iterations where
      /// elements are thin: what is of degree p along them, and smooth across, is neither what
      /// smoothers reduce nor a function of a lower degree.
      bool elements_first = false;
      /// Of the levels of agglomerates, see AlgebraicMultigrid; a K cycle is for flexible CG. With
      /// advection there are V cycles only.
      typename AlgebraicMultigrid<Number>::Cycle cycle = AlgebraicMultigrid<Number>::Cycle::V;
      /// The level of linear functions is spread if there are so many, see SpreadMultigrid.
      unsigned int min_unknowns_per_rank =
        typename SpreadMultigrid<Number>::AdditionalData().min_unknowns_per_rank;
    };

    /// @param matrix that @p op has assembled; neither is needed afterwards
    void
    initialize(const PolytopicOperator<dim> &op,
               const BlockCSRMatrix<double> &matrix,
               const AdditionalData         &additional_data = {});

    void
    vmult(Vector<double> &dst, const Vector<double> &src) const;

    /// A line for every level: how large it is. The first rank knows all of them.
    void
    print(std::ostream &stream) const;

    /// Bytes on the device.
    std::size_t
    memory_consumption() const;

  private:
    /// A degree on some elements. Vectors are in the coordinates of its roots. Without advection
    /// that of linear functions has no roots and no matrix, and is the finest level of the
    /// agglomerates.
    struct Level
    {
      bool
      is_linear() const
      {
        return roots == nullptr;
      }

      /// Make @p right_hand_side, in the coordinates of the functions, that of this level.
      void
      take(const Vector<double> &right_hand_side);

      /// The solution in the coordinates of the functions.
      const Vector<double> &
      solution();

      /// Smooth from zero, and compute the residual.
      void
      descend();

      /// Correct, and smooth.
      void
      ascend();

      unsigned int                      degree = 0;
      std::unique_ptr<const BlockRoots> roots;
      BlockCSRMatrix<Number>            matrix;
      MirroredArray<int>                first_rows;
      Vector<Number>                    b, x, residual, correction;
      Vector<double>                    work, scratch;
      std::vector<Number>               weights; ///< of Chebyshev's steps; none with advection

      ResidualMinimization<Number> minimization;              ///< with advection
      SparseMatrix<double>         prolongation, restriction; ///< if the next has larger elements

    private:
      void
      smooth(const bool from_zero);
    };

    void
    add_level(const PolytopicOperator<dim> &op,
              const BlockCSRMatrix<double> &matrix,
              const unsigned int            smoother_degree);

    /// Without a matrix.
    Level
    make_level(const PolytopicOperator<dim> &op) const;

    /// The levels of larger and larger elements below those of @p op, with their degrees.
    /// @return the coarsest one; none if there is no new one
    std::unique_ptr<const CoarseOperator<dim>>
    add_larger_elements(const PolytopicOperator<dim> &op, const AdditionalData &additional_data);

    /// Below the linear functions of @p op, without advection.
    void
    add_symmetric_agglomerates(const PolytopicOperator<dim> &op,
                               const AdditionalData         &additional_data);

    /// The solution in levels[number].x.
    void
    cycle(const unsigned int number) const;

    enum class Direction
    {
      to_coarse,
      to_fine
    };

    /// From a level's `scratch` to the next one's `work` or back, in the coordinates of the
    /// functions.
    void
    transfer(Level &fine, Level &coarse, const Direction direction) const;

    mutable std::vector<Level> levels; ///< scratch, not state; the highest degree first
    SpreadMultigrid<Number>    agglomerates;
  };
} // namespace Saltus

#endif
