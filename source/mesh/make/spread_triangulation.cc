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
      auto                      &face_data = [&]() -> auto &
      {
        if constexpr (dim == 2)
          return faces.boundary_lines;
        else
          return faces.boundary_quads;
      }
      ();
      for (const auto &cell : from.active_cell_iterators())
        {
          cells.emplace_back(cell->n_vertices());
          for (const unsigned int v : cell->vertex_indices())
            cells.back().vertices[v] = cell->vertex_index(v);
          cells.back().material_id = cell->material_id();
          cells.back().manifold_id = cell->manifold_id();
          for (const auto &face : cell->face_iterators())
            if (face->at_boundary())
              {
                CellData<dim - 1> data(face->n_vertices());
                for (const unsigned int v : face->vertex_indices())
                  data.vertices[v] = face->vertex_index(v);
                data.boundary_id = face->boundary_id();
                data.manifold_id = face->manifold_id();
                face_data.push_back(data);
              }
        }
      to.create_triangulation(from.get_vertices(), cells, faces);
    }
  } // namespace

  template <int dim>
  std::unique_ptr<Triangulation<dim>>
  spread_triangulation(const std::function<void(Triangulation<dim> &)> &make,
                       const MPI_Comm                                   communicator)
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
    const auto  make_flat = [&](Triangulation<dim> &whole) {
      try
        {
          Triangulation<dim> refined;
          make(refined);
          flatten(refined, whole);
        }
      catch (const std::exception &exception)
        {
          error = error_message(exception);
          whole.clear();
          GridGenerator::reference_cell(whole, ReferenceCells::get_simplex<dim>()); // any
        }
    };
    const auto description =
      TriangulationDescription::Utilities::create_description_from_triangulation_in_groups<dim,
                                                                                           dim>(
        make_flat,
        [&](Triangulation<dim> &whole, const MPI_Comm &, const unsigned int) {
          if (error.empty())
            GridTools::partition_triangulation(n_ranks, whole);
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

    std::vector<types::global_dof_index> own, all;
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned())
        own.push_back(cell->id().get_coarse_cell_id());
    if (this_rank(communicator) == 0)
      {
        all.resize(nodes.positions.size(0));
        std::iota(all.begin(), all.end(), 0);
      }
    const Utilities::MPI::NoncontiguousPartitioner partitioner(all, own, communicator);

    CurvedNodes<dim> result;
    result.degree = Utilities::MPI::broadcast(communicator, nodes.degree);
    result.positions.reinit(own.size(),
                            Utilities::MPI::broadcast(communicator, nodes.positions.size(1)));
    std::vector<double> from(all.size()), to(own.size());
    for (unsigned int n = 0; n < result.positions.size(1); ++n)
      for (unsigned int d = 0; d < dim; ++d)
        {
          for (std::size_t c = 0; c < from.size(); ++c)
            from[c] = nodes.positions[c][n][d];
          partitioner.export_to_ghosted_array(ArrayView<const double>(from.data(), from.size()),
                                              ArrayView<double>(to.data(), to.size()));
          for (std::size_t c = 0; c < to.size(); ++c)
            result.positions[c][n][d] = to[c];
        }
    return in_order_of(triangulation, result);
  }

  template CurvedNodes<2>
  spread_nodes(const CurvedNodes<2> &, const Triangulation<2> &);
  template CurvedNodes<3>
  spread_nodes(const CurvedNodes<3> &, const Triangulation<3> &);
  template std::unique_ptr<Triangulation<2>>
  spread_triangulation(const std::function<void(Triangulation<2> &)> &, const MPI_Comm);
  template std::unique_ptr<Triangulation<3>>
  spread_triangulation(const std::function<void(Triangulation<3> &)> &, const MPI_Comm);
} // namespace Saltus
