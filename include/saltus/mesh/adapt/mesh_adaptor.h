// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_adapt_mesh_adaptor_h
#define saltus_mesh_adapt_mesh_adaptor_h

#include <deal.II/distributed/tria.h>
#include <deal.II/fe/fe.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/la_parallel_vector.h>

#include <saltus/mesh/adapt/adaption_indicator.h>

#include <optional>

namespace Saltus
{
  /// Which cells are refined and coarsened.
  struct AdaptionRules
  {
    AdaptionIndicator indicator = AdaptionIndicator::kelly;
    /// Whether cells are chosen by the values of their indicators, or as shares of all.
    bool         by_threshold    = false;
    double       refined_share   = 0.1; ///< of the cells, those with the largest indicators
    double       coarsened_share = 0.3; ///< those with the smallest ones
    double       refine_above    = 0.1; ///< indicators, where these count
    double       coarsen_below   = 0.;
    unsigned int highest_level   = 2; ///< that cells may have
    unsigned int first_velocity  = 0; ///< component, see adaption_indicators()
  };

  /// Refines and coarsens a mesh of quadrilaterals or hexahedra, and takes solutions over: as they
  /// are to children, by \f$ L^2 \f$ projection to parents. On parallelepipeds no integral changes.
  /// Across periodic boundaries that the triangulation knows, see join_periodic_boundaries(), cells
  /// stay of one level.
  /// Collective.
  template <int dim>
  class MeshAdaptor
  {
  public:
    /// In the numbering of deal.II, without ghosts.
    using HostVector = dealii::LinearAlgebra::distributed::Vector<double>;

    /// @param triangulation,mapping,fe are not copied
    MeshAdaptor(dealii::parallel::distributed::Triangulation<dim> &triangulation,
                const dealii::Mapping<dim>                        &mapping,
                const dealii::FiniteElement<dim>                  &fe,
                const AdaptionRules                               &rules);

    /// Adapt the mesh to @p solution. Notes on standard error if nothing has changed ten times in a
    /// row.
    /// @return the solution on the new mesh, or nothing if it is the old one
    std::optional<HostVector>
    adapt(const HostVector &solution);

  private:
    dealii::parallel::distributed::Triangulation<dim> &triangulation;
    const dealii::Mapping<dim>                        &mapping;
    const dealii::FiniteElement<dim>                  &fe;
    const AdaptionRules                                rules;
    unsigned int                                       n_in_vain = 0;
  };
} // namespace Saltus

#endif
