// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_polytopic_polytopic_multigrid_h
#define saltus_solvers_polytopic_polytopic_multigrid_h

#include <deal.II/base/subscriptor.h>

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/solvers/multigrid/spread_multigrid.h>
#include <saltus/solvers/polytopic/element_hierarchy.h>

#include <memory>
#include <ostream>
#include <vector>

namespace Saltus
{
  /// One V cycle for a matrix on polytopic elements, as a preconditioner for deal.II's solvers: in
  /// the degrees p, p/2, ..., 1 on the elements, then in linear functions on larger and larger
  /// agglomerates of them. The matrix of every level is assembled for itself, with the penalty of
  /// its degree and its elements, see element_hierarchy(). The functions of a lower degree are the
  /// first ones of a higher one.
  ///
  /// On several ranks agglomerates are made of each rank's elements, and their levels are cycled
  /// through on the first one, see SpreadMultigrid. All ranks call the functions together.
  ///
  /// The smoothers are Chebyshev's for the matrix in coordinates in which its diagonal blocks are
  /// the identity, see BlockRoots. For symmetric positive matrices the cycle is symmetric, too.
  /// With advection it is for GMRES, and its levels of linear functions know the symmetric part of
  /// the operator alone: where advection decides everything, the inverse diagonal blocks alone are
  /// quicker.
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
      /// Of the levels of agglomerates, see AlgebraicMultigrid; a K cycle is for flexible CG.
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
    /// A degree. Vectors are in the coordinates of its roots; that of linear functions has no roots
    /// and no matrix, and is the finest level of the agglomerates.
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

      void
      smooth(const bool from_zero);

      unsigned int                      degree = 0;
      std::unique_ptr<const BlockRoots> roots;
      BlockCSRMatrix<Number>            matrix;
      Memory<int>                       first_rows;
      std::vector<Number>               smoother; ///< weights of its steps
      Vector<Number>                    b, x, residual;
      Vector<double>                    work, scratch;
    };

    void
    add_level(const PolytopicOperator<dim> &op,
              const BlockCSRMatrix<double> *matrix,
              const unsigned int            smoother_degree);

    /// The solution in levels[number].x.
    void
    cycle(const unsigned int number) const;

    mutable std::vector<Level> levels; ///< scratch, not state; the highest degree first
    SpreadMultigrid<Number>    agglomerates;
  };
} // namespace Saltus

#endif
