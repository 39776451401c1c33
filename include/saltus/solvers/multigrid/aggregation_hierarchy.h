// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_multigrid_aggregation_hierarchy_h
#define saltus_solvers_multigrid_aggregation_hierarchy_h

#include <saltus/solvers/krylov/epetra_matrix.h>

#include <vector>

namespace Saltus
{
  /// The matrices of an algebraic multigrid hierarchy in host memory, the finest first.
  struct AggregationHierarchy
  {
    struct Parameters
    {
      bool         smoothed    = true; ///< smoothed aggregation; else plain
      unsigned int max_levels  = 20;
      unsigned int coarse_size = 200; ///< no coarser level below so many unknowns
      /// Unknowns i and j with \f$ a_{ij}^2 \le \theta^2 a_{ii} a_{jj} \f$ are not aggregated for
      /// each other's sake.
      double       drop_threshold = 0.04;
      unsigned int block_size     = 1; ///< consecutive unknowns that are aggregated together
      /// A vector that A maps to nearly zero, which every level represents exactly; empty: ones.
      std::vector<double> near_null_vector;
    };

    /// By aggregation with Trilinos ML. Its own objects are gone when this returns, and two
    /// hierarchies of one matrix are the same.
    /// @throws dealii::ExcMessage if sizes do not match or ML fails
    AggregationHierarchy(const Epetra_CrsMatrix &A, const Parameters &parameters);

    /// One that somebody else made.
    AggregationHierarchy(std::vector<CompressedRows> matrices,
                         std::vector<CompressedRows> prolongations);

    /// Scale every level symmetrically to a unit diagonal,
    /// \f$ \hat A_l = D_l^{-1/2} A_l D_l^{-1/2} \f$,
    /// \f$ \hat P_l = D_l^{1/2} P_l D_{l+1}^{-1/2} \f$.
    /// @param singular whether a level of one row is the kernel, which stays as it is
    /// @return the diagonal of \f$ D_0^{-1/2} \f$
    /// @throws dealii::ExcMessage if a diagonal entry is not positive
    std::vector<double>
    scale(const bool singular);

    unsigned int
    n_levels() const
    {
      return matrices.size();
    }

    std::vector<CompressedRows> matrices;      ///< \f$A_l\f$
    std::vector<CompressedRows> prolongations; ///< \f$P_l\f$ from level l + 1 to level l
  };
} // namespace Saltus

#endif
