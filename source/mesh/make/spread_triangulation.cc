// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi_noncontiguous_partitioner.h>
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria_description.h>

#include <saltus/base/device/error_message.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/make/spread_triangulation.h>

#include <numeric>
#include <set>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The active cells as coarse ones. (GridGenerator::flatten_triangulation() is for hypercubes.)
    template <int dim>
    void
    flatten(const Triangulation<dim> &from, Triangulation<dim> &to)
    {
      std::vector<CellData<dim>> cells;
      SubCellData                faces;
      const auto                 add = [](auto &to, const auto &object) {
        to.emplace_back(object->n_vertices());
        for (const unsigned int v : object->vertex_indices())
          to.back().vertices[v] = object->vertex_index(v);
        to.back().boundary_id = object->boundary_id();
        to.back().manifold_id = object->manifold_id();
      };
      for (const auto &cell : from.active_cell_iterators())
        {
          cells.emplace_back(cell->n_vertices());
          for (const unsigned int v : cell->vertex_indices())
            cells.back().vertices[v] = cell->vertex_index(v);
          cells.back().material_id = cell->material_id();
          cells.back().manifold_id = cell->manifold_id();
        }
      for (const auto &face : from.active_face_iterators())
        if (face->at_boundary() || face->manifold_id() != numbers::flat_manifold_id)
          {
            if constexpr (dim == 2)
              add(faces.boundary_lines, face);
            else
              add(faces.boundary_quads, face);
          }
      if constexpr (dim == 3)
        {
          std::set<unsigned int> added;
          for (const auto &cell : from.active_cell_iterators())
            for (const unsigned int l : cell->line_indices())
              if (const auto line = cell->line(l);
                  line->manifold_id() != numbers::flat_manifold_id &&
                  added.insert(line->index()).second)
                add(faces.boundary_lines, line);
        }
      to.create_triangulation(from.get_vertices(), cells, faces);
    }

    /// From the first rank, which has what the active cells of a serial triangulation have, to the
    /// ranks of those of the triangulation that spread_triangulation() has made of it.
    class SpreadCells
    {
    public:
      /// Collective.
      /// @param with_ghosts whether to those of their ghost cells, too
      template <int dim>
      SpreadCells(const Triangulation<dim> &triangulation, const bool with_ghosts)
        : n_all(this_rank(triangulation.get_communicator()) == 0
                  ? triangulation.n_global_active_cells()
                  : 0)
      {
        std::vector<types::global_dof_index> own, all(n_all);
        for (const auto &cell : triangulation.active_cell_iterators())
          if (cell->is_locally_owned() || (with_ghosts && cell->is_ghost()))
            own.push_back(cell->id().get_coarse_cell_id());
        std::iota(all.begin(), all.end(), 0);
        n_own = own.size();
        partitioner.reinit(all, own, triangulation.get_communicator());
      }

      /// Collective.
      std::vector<double>
      operator()(const std::vector<double> &values) const
      {
        std::vector<double> own(n_own);
        partitioner.export_to_ghosted_array(ArrayView<const double>(values.data(), values.size()),
                                            ArrayView<double>(own.data(), own.size()));
        return own;
      }

      const std::size_t n_all; ///< on the first rank
      std::size_t       n_own;

    private:
      Utilities::MPI::NoncontiguousPartitioner partitioner;
    };
  } // namespace

  template <int dim>
  std::unique_ptr<Triangulation<dim>>
  spread_triangulation(const std::function<void(Triangulation<dim> &)> &make,
                       const MPI_Comm                                   communicator,
                       const MeshCut<dim>                              &cut)
  {
    const unsigned int n_ranks = Saltus::n_ranks(communicator);
    if (n_ranks == 1)
      {
        auto result = std::make_unique<Triangulation<dim>>();
        make(*result);
        return result;
      }
    // Groups are ranks that follow each other: as many as every node has.
    const unsigned int ranks_of_a_node =
      Utilities::MPI::min(NodeRanks(communicator).n, communicator);
    std::string error; // on the ranks that make the mesh, while the others wait for theirs
    std::vector<unsigned int> ranks;
    const auto                make_flat = [&](Triangulation<dim> &whole) {
      try
        {
          Triangulation<dim> refined;
          make(refined);
          flatten(refined, whole);
          if (cut)
            ranks = cut(refined, n_ranks);
        }
      catch (const std::exception &exception)
        {
          error = error_message(exception);
          whole.clear();
          dealii::GridGenerator::reference_cell(whole, ReferenceCells::get_simplex<dim>()); // any
        }
    };
    const auto description =
      TriangulationDescription::Utilities::create_description_from_triangulation_in_groups<dim,
                                                                                           dim>(
        make_flat,
        [&](Triangulation<dim> &whole, const MPI_Comm &, const unsigned int) {
          if (error.empty() && !cut)
            GridTools::partition_triangulation(n_ranks, whole);
          else if (error.empty())
            for (const auto &cell : whole.active_cell_iterators())
              cell->set_subdomain_id(ranks[cell->active_cell_index()]);
        },
        communicator,
        ranks_of_a_node);
    error = first_of_ranks(communicator, error);
    AssertThrow(error.empty(), ExcMessage(error));
    auto result = std::make_unique<parallel::fullydistributed::Triangulation<dim>>(communicator);
    result->create_triangulation(description);
    return result;
  }

  template <int dim>
  CurvedNodes<dim>
  spread_nodes(const CurvedNodes<dim> &nodes, const Triangulation<dim> &triangulation)
  {
    const MPI_Comm communicator = triangulation.get_communicator();
    if (n_ranks(communicator) == 1)
      return nodes;

    const SpreadCells spread(triangulation, true);
    CurvedNodes<dim>  result;
    result.degree = Utilities::MPI::broadcast(communicator, nodes.degree);
    result.positions.reinit(spread.n_own,
                            Utilities::MPI::broadcast(communicator, nodes.positions.size(1)));
    std::vector<double> from(spread.n_all);
    for (unsigned int n = 0; n < result.positions.size(1); ++n)
      for (unsigned int d = 0; d < dim; ++d)
        {
          for (std::size_t c = 0; c < from.size(); ++c)
            from[c] = nodes.positions[c][n][d];
          const std::vector<double> to = spread(from);
          for (std::size_t c = 0; c < to.size(); ++c)
            result.positions[c][n][d] = to[c];
        }
    return in_order_of(triangulation, result);
  }

  template <int dim>
  std::vector<double>
  spread_values(const std::vector<double> &values, const Triangulation<dim> &triangulation)
  {
    const SpreadCells spread(triangulation, false);
    return spread(this_rank(triangulation.get_communicator()) == 0 ? values
                                                                   : std::vector<double>());
  }

  template std::vector<double>
  spread_values(const std::vector<double> &, const Triangulation<2> &);
  template std::vector<double>
  spread_values(const std::vector<double> &, const Triangulation<3> &);
  template CurvedNodes<2>
  spread_nodes(const CurvedNodes<2> &, const Triangulation<2> &);
  template CurvedNodes<3>
  spread_nodes(const CurvedNodes<3> &, const Triangulation<3> &);
  template std::unique_ptr<Triangulation<2>>
  spread_triangulation(const std::function<void(Triangulation<2> &)> &,
                       const MPI_Comm,
                       const MeshCut<2> &);
  template std::unique_ptr<Triangulation<3>>
  spread_triangulation(const std::function<void(Triangulation<3> &)> &,
                       const MPI_Comm,
                       const MeshCut<3> &);
} // namespace Saltus
