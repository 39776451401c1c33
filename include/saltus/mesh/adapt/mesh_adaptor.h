// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_adapt_mesh_adaptor_h
#define saltus_mesh_adapt_mesh_adaptor_h

#include <deal.II/distributed/tria.h>
#include <deal.II/fe/mapping.h>

#include <saltus/mesh/adapt/adaption_indicator.h>
#include <saltus/mesh/adapt/cell_origins.h>

#include <functional>
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

  /// Refines and coarsens a mesh of quadrilaterals or hexahedra, and says what its cells were
  /// before, so that an AdaptionTransfer takes solutions over. Across periodic boundaries that the
  /// triangulation knows, see join_periodic_boundaries(), cells stay of one level. Ranks get cells
  /// of the same weight together, curved ones weighing more as they take longer.
  /// Collective.
  template <int dim>
  class MeshAdaptor
  {
  public:
    /// Called after each part of the work, with its name.
    using Note = std::function<void(const char *part)>;

    /// @param triangulation,mapping are not copied
    MeshAdaptor(dealii::parallel::distributed::Triangulation<dim> &triangulation,
                const dealii::Mapping<dim>                        &mapping,
                const AdaptionRules                               &rules);

    /// Adapt the mesh to a solution. Notes on standard error if nothing has changed ten times in a
    /// row, or if every cell was to be refined.
    /// @param mesh of the triangulation as it is
    /// @param solution on @p mesh
    /// @return nothing if the mesh is the old one
    /// @throws dealii::ExcMessage if the host has no memory for the new one, by what the cells of
    /// the old one and what was made on them have taken since this object was made
    template <typename Number>
    std::optional<AdaptedCells<dim>>
    adapt(
      const ElementMesh<dim> &mesh,
      const Vector<Number>   &solution,
      const Note             &note = [](const char *) {});

  private:
    /// Flag cells, as the rules say and the triangulation permits.
    /// @return whether anything is to be done
    bool
    mark(const dealii::Vector<float> &indicators);

    /// Of the cells that are flagged.
    /// @throws dealii::ExcMessage see adapt()
    void
    check_memory_of_flagged() const;

    dealii::parallel::distributed::Triangulation<dim> &triangulation;
    const dealii::Mapping<dim>                        &mapping;
    const AdaptionRules                                rules;
    const double                                       memory_at_start; ///< bytes in use
    bool         wants_everything = false; ///< whether all cells were to be refined the last time
    unsigned int n_in_vain = 0, n_of_everything = 0; ///< adaptions in a row
  };
} // namespace Saltus

#endif
