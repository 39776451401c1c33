// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_solvers_polytopic_element_hierarchy_h
#define saltus_solvers_polytopic_element_hierarchy_h

#include <saltus/base/algebra/gathered_matrix.h>
#include <saltus/operators/polytopic/polytopic_operator.h>
#include <saltus/solvers/multigrid/aggregation_hierarchy.h>

namespace Saltus
{
  /// What an operator is to be on coarser levels: there elements have more and more facets, for
  /// which the penalty of elements that are covered by simplices is too small.
  template <int dim>
  typename PolytopicOperator<dim>::AdditionalData
  data_of_coarse_levels(const PolytopicOperator<dim> &op)
  {
    auto data = op.data();
    if (data.penalty == PolytopicPenalty::covering)
      {
        data.penalty        = PolytopicPenalty::perimeter;
        data.penalty_factor = typename PolytopicOperator<dim>::AdditionalData().penalty_factor;
      }
    return data;
  }


  /// Larger elements, each of about @p ratio of a mesh's on the same rank. Collective.
  /// @param ratio at least 2
  /// @return none if there is nothing to put together
  template <int dim>
  std::shared_ptr<const PolytopicMesh<dim>>
  coarser_mesh(const PolytopicMesh<dim> &mesh, const Grouping grouping, const unsigned int ratio);


  /// The functions of a space on larger elements in terms of those on their parts, of this rank:
  /// the same polynomials in the boxes of the parts if their degrees are as high, else projections
  /// there.
  template <int dim>
  CompressedRows
  prolongation(const PolytopicSpace<dim> &fine, const PolytopicSpace<dim> &coarse);


  /// Matrices on elements and agglomerates, on the first rank.
  struct ElementHierarchy
  {
    AggregationHierarchy levels;
    GatheredMatrix       finest; ///< without rows: where it has the unknowns of all ranks
  };


  /// The matrices of an operator for linear functions on its elements, and on larger and larger
  /// agglomerates of them, each assembled for itself: Galerkin products would punish jumps as on
  /// the smallest elements, and what such coarse spaces correct would be too little (J.
  /// Gopalakrishnan and G. Kanschat, A multilevel discontinuous Galerkin method, Numer. Math. 95,
  /// 2003). The linear functions of an agglomerate are those of its elements. On several ranks the
  /// elements of an agglomerate are of one. Collective.
  /// @param op for linear functions, without advection
  /// @param ratio elements of an agglomerate
  /// @param coarse_size no coarser level below so many unknowns
  template <int dim>
  ElementHierarchy
  element_hierarchy(const PolytopicOperator<dim> &op,
                    const Grouping                grouping,
                    const unsigned int            ratio,
                    const unsigned int            coarse_size);
} // namespace Saltus

#endif
