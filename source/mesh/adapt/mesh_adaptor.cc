// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/device/available_memory.h>
#include <saltus/base/device/say_once.h>
#include <saltus/base/ranks/check_memory.h>
#include <saltus/mesh/adapt/cell_numbers.h>
#include <saltus/mesh/adapt/mesh_adaptor.h>
#include <saltus/mesh/adapt/periodic_levels.h>

#include <algorithm>
#include <boost/signals2/connection.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Values of cells, whose ranks go by value and, where values are equal up to rounding, by the
    /// number of the cell. All functions are collective.
    class RankedCells
    {
    public:
      /// @param values not negative, those of this rank's cells by ascending @p numbers
      RankedCells(const std::vector<float>                   &values,
                  const std::vector<types::global_dof_index> &numbers,
                  const MPI_Comm                              communicator)
        : values(values)
        , numbers(numbers)
        , communicator(communicator)
        , sorted(values)
      {
        std::sort(sorted.begin(), sorted.end());
      }

      /// The largest x such that @p n values or more are at least x.
      float
      largest(const types::global_dof_index n) const
      {
        // Floating point numbers that are not negative have the order of their bits.
        const auto number = [](const std::uint32_t bits) {
          float result;
          std::memcpy(&result, &bits, sizeof(result));
          return result;
        };
        std::uint32_t bits = 0;
        for (std::uint32_t bit = 1U << 30; bit > 0; bit >>= 1)
          if (n_of_all(sorted.end() -
                       std::lower_bound(sorted.begin(), sorted.end(), number(bits | bit))) >= n)
            bits |= bit;
        return number(bits);
      }

      bool
      is_equal(const float a, const float b) const
      {
        constexpr float rounding = 1e-5F;
        return std::abs(a - b) <= rounding * std::max(a, b);
      }

      /// `[cell]`: whether it is one of @p n, those whose values are beyond @p threshold by
      /// `beyond(value, threshold)` and then those with equal ones.
      template <typename Beyond>
      std::vector<bool>
      first(const types::global_dof_index n, const float threshold, const Beyond &beyond) const
      {
        std::vector<bool>                    result(values.size());
        std::vector<types::global_dof_index> equal; // numbers of cells
        std::size_t                          n_beyond = 0;
        for (std::size_t i = 0; i < values.size(); ++i)
          if (is_equal(values[i], threshold))
            equal.push_back(numbers[i]);
          else if (beyond(values[i], threshold))
            {
              result[i] = true;
              ++n_beyond;
            }
        // Equal ones are taken up to this number of them, those whose cells have numbers below
        // `end`.
        const types::global_dof_index n_equal = n - std::min(n, n_of_all(n_beyond));
        types::global_dof_index       end     = 0;
        for (types::global_dof_index bit = types::global_dof_index(1) << 31; bit > 0; bit >>= 1)
          if (n_of_all(std::lower_bound(equal.begin(), equal.end(), end | bit) - equal.begin()) <=
              n_equal)
            end |= bit;
        for (std::size_t i = 0; i < values.size(); ++i)
          if (is_equal(values[i], threshold) && numbers[i] < end)
            result[i] = true;
        return result;
      }

    private:
      types::global_dof_index
      n_of_all(const types::global_dof_index n) const
      {
        return Utilities::MPI::sum(n, communicator);
      }

      const std::vector<float>                   &values;
      const std::vector<types::global_dof_index> &numbers;
      const MPI_Comm                              communicator;
      std::vector<float>                          sorted;
    };


    /// Flag the shares of the cells with the largest and the smallest indicators. A share that is
    /// not zero refines at least one cell, none with an indicator of zero, and coarsens none whose
    /// indicator equals that of a refined cell.
    template <int dim>
    void
    mark_shares(parallel::distributed::Triangulation<dim> &triangulation,
                const dealii::Vector<float>               &indicators,
                const AdaptionRules                       &rules)
    {
      const auto         cells   = cells_in_order(triangulation);
      const auto         numbers = cell_numbers(cells);
      std::vector<float> values;
      for (const auto &cell : cells)
        values.push_back(indicators[cell->active_cell_index()]);
      const RankedCells ranked(values, numbers, triangulation.get_communicator());
      const double      n_cells = triangulation.n_global_active_cells();
      const auto        n_of    = [&](const double share) {
        return static_cast<types::global_dof_index>(share * n_cells * (1. + 1e-12));
      };
      const auto n_refined   = std::max<types::global_dof_index>(n_of(rules.refined_share),
                                                               rules.refined_share > 0. ? 1 : 0),
                 n_coarsened = n_of(rules.coarsened_share);
      float least_refined    = 0.F;
      if (n_refined > 0)
        {
          least_refined     = ranked.largest(n_refined);
          const auto chosen = ranked.first(n_refined, least_refined, std::greater<>());
          for (std::size_t i = 0; i < cells.size(); ++i)
            if (chosen[i] && values[i] > 0.F)
              cells[i]->set_refine_flag();
        }
      if (n_coarsened > 0)
        {
          const float largest =
            ranked.largest(triangulation.n_global_active_cells() - n_coarsened + 1);
          const auto chosen = ranked.first(n_coarsened, largest, std::less<>());
          for (std::size_t i = 0; i < cells.size(); ++i)
            if (chosen[i] && !cells[i]->refine_flag_set() &&
                (least_refined == 0.F || !ranked.is_equal(values[i], least_refined)))
              cells[i]->set_coarsen_flag();
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
