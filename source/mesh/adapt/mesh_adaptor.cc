// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/distributed/grid_refinement.h>

#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/check_memory.h>
#include <saltus/mesh/adapt/mesh_adaptor.h>
#include <saltus/mesh/adapt/periodic_levels.h>

#include <algorithm>
#include <boost/signals2/connection.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Of few cells a small share is none, and of cells with the same indicator deal.II takes all
    /// or none: then the share is raised until there is one.
    template <int dim>
    void
    mark_shares(parallel::distributed::Triangulation<dim> &triangulation,
                const dealii::Vector<float>               &indicators,
                const AdaptionRules                       &rules)
    {
      const double largest = 1. - rules.coarsened_share;
      for (double share = rules.refined_share;; share = std::min(2. * share, largest))
        {
          parallel::distributed::GridRefinement::refine_and_coarsen_fixed_number(
            triangulation, indicators, share, rules.coarsened_share);
          int is_marked = share == 0. || share >= largest;
          for (const auto &cell : triangulation.active_cell_iterators())
            if (cell->is_locally_owned() && cell->refine_flag_set())
              is_marked = 1;
          if (Utilities::MPI::max(is_marked, triangulation.get_communicator()) == 1)
            return;
        }
    }

    template <int dim>
    void
    mark_by_threshold(Triangulation<dim>          &triangulation,
                      const dealii::Vector<float> &indicators,
                      const AdaptionRules         &rules)
    {
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned())
          {
            const double indicator = indicators[cell->active_cell_index()];
            if (indicator > rules.refine_above)
              cell->set_refine_flag();
            else if (indicator < rules.coarsen_below)
              cell->set_coarsen_flag();
          }
    }

    /// Whether all cells are flagged for refinement. Collective.
    template <int dim>
    bool
    is_all_flagged(const parallel::distributed::Triangulation<dim> &triangulation)
    {
      int all = 1;
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->is_locally_owned() && !cell->refine_flag_set())
          all = 0;
      return Utilities::MPI::min(all, triangulation.get_communicator()) == 1;
    }

    /// Count adaptions in a row for which something holds, and say it of ten.
    void
    note_ten_in_a_row(const bool holds, unsigned int &n, const char *message)
    {
      n = holds ? n + 1 : 0;
      if (n == 10)
        say_once(message);
    }

    /// The cell of the coarse mesh that a cell is part of.
    template <int dim>
    unsigned int
    coarse_index(typename Triangulation<dim>::cell_iterator cell)
    {
      while (cell->level() > 0)
        cell = cell->parent();
      return cell->index();
    }

    /// What cells weigh as p4est shares them out among ranks: where elements are not
    /// parallelepipeds, as much more as a stage of Euler's equations takes there. They are known by
    /// the coarse cells that they are part of, as cells to come are.
    template <int dim>
    class CellWeights
    {
    public:
      CellWeights(Triangulation<dim> &triangulation, const ElementMesh<dim> &mesh)
        : is_curved(triangulation.n_cells(0))
      {
        if (!mesh.geometry.has_curved_elements)
          return;
        for (const auto &cell : triangulation.active_cell_iterators())
          if (cell->is_locally_owned() &&
              mesh.geometry.curved_map(mesh.order.element_of_cell[cell->active_cell_index()]))
            is_curved[coarse_index<dim>(cell)] = true;
        connection = triangulation.signals.weight.connect(
          [this](const typename Triangulation<dim>::cell_iterator &cell, const auto /*status*/) {
            return is_curved[coarse_index<dim>(cell)] ? of_curved : of_affine;
          });
      }

    private:
      static constexpr unsigned int of_affine = 10, of_curved = dim == 2 ? 14 : 18;

      std::vector<bool>                  is_curved; ///< by index of the coarse cell
      boost::signals2::scoped_connection connection;
    };
  } // namespace

  template <int dim>
  MeshAdaptor<dim>::MeshAdaptor(parallel::distributed::Triangulation<dim> &triangulation,
                                const Mapping<dim>                        &mapping,
                                const AdaptionRules                       &rules)
    : triangulation(triangulation)
    , mapping(mapping)
    , rules(rules)
    , memory_at_start(host_memory_in_use())
  {}

  template <int dim>
  bool
  MeshAdaptor<dim>::mark(const dealii::Vector<float> &indicators)
  {
    if (rules.by_threshold)
      mark_by_threshold(triangulation, indicators, rules);
    else
      mark_shares(triangulation, indicators, rules);
    wants_everything = is_all_flagged(triangulation);
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->level() >= static_cast<int>(rules.highest_level))
        cell->clear_refine_flag();
    prepare_equal_levels(triangulation);
    int is_changed = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned() && (cell->refine_flag_set() || cell->coarsen_flag_set()))
        is_changed = 1;
    return Utilities::MPI::max(is_changed, triangulation.get_communicator()) == 1;
  }

  template <int dim>
  void
  MeshAdaptor<dim>::check_memory_of_flagged() const
  {
    constexpr double n_children = 1 << dim;
    double           n_cells = 0., n_after = 0.;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        {
          n_cells += 1.;
          n_after += cell->refine_flag_set()    ? n_children
                     : cell->coarsen_flag_set() ? 1. / n_children
                                                : 1.;
        }
    const MPI_Comm communicator = triangulation.get_communicator();
    const double   of_all       = Utilities::MPI::sum(n_after, communicator);
    if (of_all <= triangulation.n_global_active_cells())
      return;
    // The old mesh is there until the solution has been taken over.
    const double taken = std::max(host_memory_in_use() - memory_at_start, 0.);
    check_memory(Device::cpu(),
                 communicator,
                 "By what cells have taken so far, the mesh of " +
                   std::to_string(std::llround(of_all)) + " cells that is to follow",
                 n_cells > 0. ? n_after / n_cells * taken : 0.,
                 "Lower the highest level of cells or the share of them that is refined (in "
                 "parameter files Adaptivity/Highest level and Adaptivity/Refined share), or take "
                 "more nodes.");
  }

  template <int dim>
  template <typename Number>
  std::optional<AdaptedCells<dim>>
  MeshAdaptor<dim>::adapt(const ElementMesh<dim> &mesh,
                          const Vector<Number>   &solution,
                          const Note             &note)
  {
    mesh.check_triangulation(triangulation);
    const auto indicators =
      adaption_indicators(rules.indicator, mapping, mesh, solution, rules.first_velocity);
    note("indicators");
    const bool is_changed = mark(indicators);
    note("marking");
    note_ten_in_a_row(wants_everything,
                      n_of_everything,
                      "every cell was to be refined in ten adaptions in a row: take a smaller "
                      "share of cells or a higher threshold, or a finer mesh that is not adapted");
    note_ten_in_a_row(!is_changed && !wants_everything,
                      n_in_vain,
                      "the mesh has not changed in ten adaptions, for which no cell was to be "
                      "refined or coarsened: take other shares of cells, other thresholds or "
                      "another highest level, or adapt it less often");
    if (!is_changed)
      return {};
    check_memory_of_flagged();

    const CellWeights<dim>    weights(triangulation, mesh);
    AdaptedCells<dim>         result{ElementDeterminants<dim>(mesh), {}};
    std::vector<unsigned int> numbers = mesh.order.element_of_cell;
    for (;;)
      {
        result.rounds.push_back(refine_and_note(triangulation, numbers));
        if (!flag_larger_cells(triangulation))
          break;
        // What other ranks have refined, or could not coarsen, was not known before.
        triangulation.prepare_coarsening_and_refinement();
        numbers = numbers_in_order<dim>(result.rounds.back());
      }
    note("refinement");
    return result;
  }

#define SALTUS_MESH_ADAPTOR(dim, Number)                                                      \
  template std::optional<AdaptedCells<dim>> MeshAdaptor<dim>::adapt(const ElementMesh<dim> &, \
                                                                    const Vector<Number> &,   \
                                                                    const Note &);
  SALTUS_MESH_ADAPTOR(2, double)
  SALTUS_MESH_ADAPTOR(2, float)
  SALTUS_MESH_ADAPTOR(3, double)
  SALTUS_MESH_ADAPTOR(3, float)
#undef SALTUS_MESH_ADAPTOR
  template class MeshAdaptor<2>;
  template class MeshAdaptor<3>;
} // namespace Saltus
