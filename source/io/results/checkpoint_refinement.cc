// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/utilities.h>
#include <deal.II/grid/cell_id.h>

#include <saltus/base/ranks/all_to_all.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/gather.h>
#include <saltus/io/results/checkpoint_parts.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace Saltus
{
  namespace
  {
    /// A cell of a refined mesh as numbers: that of its coarse cell, its level, and which child of
    /// which it is, in as many digits as a cell has children.
    using CellName = std::array<double, 3>;

    template <typename Cell>
    CellName
    name_of(const Cell &cell)
    {
      const dealii::CellId id = cell->id();
      CellName             name{double(id.get_coarse_cell_id()), 0., 0.};
      for (const std::uint8_t child : id.get_child_indices())
        {
          name[1] += 1.;
          name[2] = name[2] * (1 << Cell::AccessorType::dimension) + child;
        }
      return name;
    }


    template <int dim>
    bool
    is_name(const CellName &name)
    {
      constexpr double highest_level = dim == 2 ? 29 : 18; // of p4est
      return 0. <= name[0] && name[0] < std::ldexp(1., 32) && 0. <= name[1] &&
             name[1] <= highest_level && 0. <= name[2] &&
             name[2] < std::ldexp(1., dim * static_cast<int>(name[1]));
    }


    /// A place on the curve of p4est: the tree, and the cell there that is as small as a cell can
    /// be.
    using CurvePlace = std::array<std::uint64_t, 2>;

    /// The part of the curve that one or several cells cover.
    struct CurvePart
    {
      CurvePlace    first, last;
      std::uint64_t level; ///< of the cell
    };

    bool
    is_before(const CurvePart &a, const CurvePart &b)
    {
      return a.last < b.first;
    }


    template <int dim>
    CurvePart
    curve_part(const CellName &name)
    {
      const auto tree = static_cast<std::uint64_t>(name[0]), level =
                                                               static_cast<std::uint64_t>(name[1]);
      if (level == 0)
        return {{tree, 0}, {tree, ~std::uint64_t(0)}, 0};
      const std::uint64_t n_bits = 64 - dim * level; // that lower levels have
      const std::uint64_t first  = static_cast<std::uint64_t>(name[2]) << n_bits;
      return {{tree, first}, {tree, first + ((std::uint64_t(1) << n_bits) - 1)}, level};
    }


    /// Sends parts of the curve to the ranks whose cells cover some of them.
    /// @param range what this rank's cells cover; of a rank without cells it ends before it begins
    std::vector<CurvePart>
    to_owners(const std::vector<CurvePart> &parts,
              const CurvePart              &range,
              const MPI_Comm                communicator)
    {
      const std::vector<CurvePart> ranges = all_gather(communicator, range);
      std::vector<CurvePart>       sent;
      std::vector<std::size_t>     starts = {0};
      for (const CurvePart &of_rank : ranges)
        {
          if (of_rank.first <= of_rank.last)
            {
              const auto [first, last] =
                std::equal_range(parts.begin(), parts.end(), of_rank, is_before);
              sent.insert(sent.end(), first, last);
            }
          starts.push_back(sent.size());
        }
      return all_to_all(communicator, sent, starts, starts_from_ranks(communicator, starts));
    }


    /// Flag cells by `flag(cell, there)`, which returns whether it did, and adapt, until it flags
    /// none.
    /// @param block this rank's block of the cells that are to be there
    /// @param flag @p there are those of them that overlap with this rank's cells
    template <int dim, typename Flag>
    void
    adapt_while(dealii::Triangulation<dim>   &triangulation,
                const std::vector<CurvePart> &block,
                const Flag                   &flag)
    {
      const MPI_Comm communicator = triangulation.get_communicator();
      for (int is_flagged = 1; is_flagged == 1;)
        {
          const auto             cells = cells_in_order(triangulation);
          std::vector<CurvePart> own;
          for (const auto &cell : cells)
            own.push_back(curve_part<dim>(name_of(cell)));
          const CurvePart nothing{{1, 0}, {0, 0}, 0};
          const auto      there =
            to_owners(block,
                      own.empty() ? nothing : CurvePart{own.front().first, own.back().last, 0},
                      communicator);
          is_flagged = 0;
          for (std::size_t i = 0; i < cells.size(); ++i)
            {
              const auto [first, last] =
                std::equal_range(there.begin(), there.end(), own[i], is_before);
              if (first != last && flag(cells[i], first->level))
                is_flagged = 1;
            }
          is_flagged         = dealii::Utilities::MPI::max(is_flagged, communicator);
          const auto n_cells = triangulation.n_global_active_cells();
          if (is_flagged == 1)
            triangulation.execute_coarsening_and_refinement();
          if (triangulation.n_global_active_cells() == n_cells)
            return; // cells that the checkpoint does not name keep the others
        }
    }
  } // namespace


  template <int dim>
  void
  set_refinement(
    Checkpoint                                                                   &checkpoint,
    const std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> &cells,
    const ElementBlocks                                                          &elements)
  {
    std::vector<double> names;
    for (const auto &cell : cells)
      {
        const CellName name = name_of(cell);
        names.insert(names.end(), name.begin(), name.end());
      }
    checkpoint.set_by_element("refinement", elements, names, CellName().size());
  }


  template <int dim>
  void
  restore_refinement(const Checkpoint           &checkpoint,
                     const std::string          &file,
                     dealii::Triangulation<dim> &triangulation)
  {
    const std::vector<double> numbers = checkpoint.get_block("refinement", CellName().size());
    std::vector<CurvePart>    block;
    on_all_ranks(triangulation.get_communicator(), [&]() {
      for (std::size_t i = 0; i < numbers.size(); i += 3)
        {
          const CellName name{numbers[i], numbers[i + 1], numbers[i + 2]};
          checkpoint.require(is_name<dim>(name), "refinement", "names a cell that cannot be");
          block.push_back(curve_part<dim>(name));
        }
    });
    adapt_while(triangulation, block, [](const auto &cell, const std::uint64_t level) {
      const bool is_smaller = static_cast<std::uint64_t>(cell->level()) > level;
      if (is_smaller)
        cell->set_coarsen_flag();
      return is_smaller;
    });
    adapt_while(triangulation, block, [](const auto &cell, const std::uint64_t level) {
      const bool is_larger = static_cast<std::uint64_t>(cell->level()) < level;
      if (is_larger)
        cell->set_refine_flag();
      return is_larger;
    });
    const std::uint64_t n_noted = checkpoint.place_of("refinement").n_elements,
                        n_cells = triangulation.n_global_active_cells();
    AssertThrow(n_noted == n_cells,
                dealii::ExcMessage("The checkpoint file '" + file +
                                   "' does not fit this run: its "
                                   "number of cells is '" +
                                   std::to_string(n_noted) + "', but this run has '" +
                                   std::to_string(n_cells) + "'."));
  }


#define SALTUS_CHECKPOINT_REFINEMENT(dim)                                           \
  template void set_refinement<dim>(                                                \
    Checkpoint &,                                                                   \
    const std::vector<typename dealii::Triangulation<dim>::active_cell_iterator> &, \
    const ElementBlocks &);                                                         \
  template void restore_refinement(const Checkpoint &,                              \
                                   const std::string &,                             \
                                   dealii::Triangulation<dim> &);
  SALTUS_CHECKPOINT_REFINEMENT(2)
  SALTUS_CHECKPOINT_REFINEMENT(3)
#undef SALTUS_CHECKPOINT_REFINEMENT
} // namespace Saltus
