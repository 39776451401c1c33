// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/mpi_noncontiguous_partitioner.h>
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/grid/tria_description.h>

#include <saltus/base/device/error_message.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/make/spread_mesh.h>
#include <saltus/mesh/make/spread_triangulation.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// The cells of a rank and its ghosts, which are those that have a vertex in common with them.
    template <int dim>
    struct MeshPart
    {
      FlatMesh<dim>                      mesh;
      std::vector<types::coarse_cell_id> numbers; ///< `[cell]`: in the whole mesh, ascending
      std::vector<types::subdomain_id>   owners;  ///< `[cell]`

      /// Calls `visit(array)` for all arrays.
      template <typename Visit>
      void
      for_arrays(const Visit &visit)
      {
        visit(mesh.vertices);
        visit(mesh.starts);
        visit(mesh.corners);
        visit(mesh.material_ids);
        visit(mesh.manifold_ids);
        visit(mesh.ids);
        visit(numbers);
        visit(owners);
      }
    };


    /// Takes parts from a whole mesh.
    template <int dim>
    class MeshParts
    {
    public:
      /// @param owners `[cell]`: its rank
      /// @param begin, end the ranks that get parts
      MeshParts(const FlatMesh<dim>             &whole,
                const std::vector<unsigned int> &owners,
                const unsigned int               begin,
                const unsigned int               end)
        : whole(whole)
        , owners(owners)
        , begin(begin)
        , cells(end - begin)
        , numbers(whole.vertices.size(), none)
      {
        constexpr unsigned int several         = none - 1;
        auto                  &owner_of_vertex = numbers;
        for (unsigned int c = 0; c < whole.n_cells(); ++c)
          for_corners(c, [&](const unsigned int v) {
            unsigned int &owner = owner_of_vertex[v];
            owner               = owner == none || owner == owners[c] ? owners[c] : several;
          });

        std::vector<std::pair<unsigned int, unsigned int>> owners_at_borders; // vertex, rank
        for (unsigned int c = 0; c < whole.n_cells(); ++c)
          for_corners(c, [&](const unsigned int v) {
            if (owner_of_vertex[v] == several)
              owners_at_borders.emplace_back(v, owners[c]);
          });
        sort_out(owners_at_borders);

        std::vector<unsigned int> ranks; // that have a cell
        for (unsigned int c = 0; c < whole.n_cells(); ++c)
          {
            ranks = {owners[c]};
            for_corners(c, [&](const unsigned int v) {
              if (owner_of_vertex[v] == several)
                for (auto i = std::lower_bound(owners_at_borders.begin(),
                                               owners_at_borders.end(),
                                               std::make_pair(v, 0U));
                     i != owners_at_borders.end() && i->first == v;
                     ++i)
                  ranks.push_back(i->second);
            });
            sort_out(ranks);
            for (const unsigned int rank : ranks)
              if (rank >= begin && rank < end)
                cells[rank - begin].push_back(c);
          }
        std::fill(numbers.begin(), numbers.end(), none);
      }

      MeshPart<dim>
      operator()(const unsigned int rank)
      {
        MeshPart<dim>             part;
        std::vector<unsigned int> vertices; // in the whole mesh
        for (const unsigned int c : cells[rank - begin])
          {
            part.numbers.push_back(c);
            part.owners.push_back(owners[c]);
            part.mesh.material_ids.push_back(whole.material_ids[c]);
            part.mesh.manifold_ids.push_back(whole.manifold_ids[c]);
            for_corners(c, [&](const unsigned int v) {
              part.mesh.corners.push_back(v);
              if (numbers[v] == none)
                vertices.push_back(v);
              numbers[v] = 0;
            });
            part.mesh.starts.push_back(part.mesh.corners.size());
          }
        std::sort(vertices.begin(), vertices.end());
        for (const unsigned int v : vertices)
          {
            numbers[v] = part.mesh.vertices.size();
            part.mesh.vertices.push_back(whole.vertices[v]);
          }
        for (unsigned int &v : part.mesh.corners)
          v = numbers[v];
        for (const unsigned int v : vertices)
          numbers[v] = none;

        auto id = whole.ids.begin();
        for (unsigned int c = 0; c < part.numbers.size(); ++c)
          {
            for (; id != whole.ids.end() && id->cell < part.numbers[c]; ++id)
              ;
            for (; id != whole.ids.end() && id->cell == part.numbers[c]; ++id)
              {
                part.mesh.ids.push_back(*id);
                part.mesh.ids.back().cell = c;
              }
          }
        return part;
      }

    private:
      static constexpr unsigned int none = numbers::invalid_unsigned_int;

      template <typename Body>
      void
      for_corners(const unsigned int c, const Body &body) const
      {
        for (unsigned int i = whole.starts[c]; i < whole.starts[c + 1]; ++i)
          body(whole.corners[i]);
      }

      template <typename T>
      static void
      sort_out(std::vector<T> &values)
      {
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
      }

      const FlatMesh<dim>                   &whole;
      const std::vector<unsigned int>       &owners;
      const unsigned int                     begin;
      std::vector<std::vector<unsigned int>> cells;   ///< `[rank - begin]`: ascending
      std::vector<unsigned int>              numbers; ///< `[vertex of the whole mesh]`
    };


    template <int dim>
    void
    send(MeshPart<dim> part, const unsigned int rank, const MPI_Comm communicator)
    {
      part.for_arrays([&](const auto &array) {
        const auto type   = Utilities::MPI::create_mpi_data_type_n_bytes(sizeof(array[0]));
        const int  status = MPI_Send(array.data(), array.size(), *type, rank, 0, communicator);
        AssertThrowMPI(status);
      });
    }


    template <int dim>
    MeshPart<dim>
    receive(const unsigned int rank, const MPI_Comm communicator)
    {
      MeshPart<dim> part;
      part.for_arrays([&](auto &array) {
        const auto type = Utilities::MPI::create_mpi_data_type_n_bytes(sizeof(array[0]));
        MPI_Status envelope;
        int        status = MPI_Probe(rank, 0, communicator, &envelope), n = 0;
        AssertThrowMPI(status);
        status = MPI_Get_count(&envelope, *type, &n);
        AssertThrowMPI(status);
        array.resize(n);
        status = MPI_Recv(array.data(), n, *type, rank, 0, communicator, MPI_STATUS_IGNORE);
        AssertThrowMPI(status);
      });
      return part;
    }


    template <int dim>
    class PartTriangulation : public parallel::fullydistributed::Triangulation<dim>
    {
    public:
      using parallel::fullydistributed::Triangulation<dim>::Triangulation;

      void
      create(MeshPart<dim> part)
      {
        TriangulationDescription::Description<dim, dim> description;
        description.comm         = this->get_communicator();
        description.smoothing    = Triangulation<dim>::none;
        description.settings     = TriangulationDescription::default_setting;
        description.coarse_cells = take_cells(part.mesh);
        // deal.II would sort the cells by their numbers, twice, if it knew the owners of more than
        // one. It makes the others artificial.
        const auto own = std::find(part.owners.begin(), part.owners.end(), this->my_subdomain);
        if (own != part.owners.end())
          {
            const unsigned int                      c = own - part.owners.begin();
            TriangulationDescription::CellData<dim> cell;
            cell.id                 = CellId(part.numbers[c], {}).template to_binary<dim>();
            cell.subdomain_id       = *own;
            cell.level_subdomain_id = numbers::invalid_subdomain_id;
            cell.manifold_id        = description.coarse_cells[c].manifold_id;
            cell.manifold_line_ids.fill(numbers::flat_manifold_id);
            cell.manifold_quad_ids.fill(numbers::flat_manifold_id);
            description.cell_infos = {{cell}};
          }
        description.coarse_cell_vertices                = std::move(part.mesh.vertices);
        description.coarse_cell_index_to_coarse_cell_id = std::move(part.numbers);
        this->create_triangulation(description);
        for (unsigned int c = 0; c < part.owners.size(); ++c)
          typename Triangulation<dim>::active_cell_iterator(this, 0, c)
            ->set_subdomain_id(part.owners[c]);
        set_ids(part.mesh.ids, *this);
        update_number_cache();
        update_cell_relations();
      }

    private:
      // Private in the class itself.
      using parallel::TriangulationBase<dim>::update_number_cache;
      using parallel::DistributedTriangulationBase<dim>::update_cell_relations;
    };


    template <int dim>
    FlatMesh<dim>
    refine(FlatMesh<dim> mesh, const unsigned int n)
    {
      Triangulation<dim> triangulation;
      create_triangulation(std::move(mesh), triangulation);
      triangulation.refine_global(n);
      return flatten(triangulation);
    }


    /// The part of the same rank in the refined mesh.
    template <int dim>
    MeshPart<dim>
    refine(MeshPart<dim> part, const unsigned int n, const unsigned int rank)
    {
      if (n == 0 || part.owners.empty())
        return part;
      part.mesh                            = refine(std::move(part.mesh), n);
      const unsigned int        n_children = 1U << dim * n; // which follow each other
      std::vector<unsigned int> owners(part.mesh.n_cells());
      for (unsigned int c = 0; c < owners.size(); ++c)
        owners[c] = part.owners[c / n_children];
      MeshPart<dim> result = MeshParts<dim>(part.mesh, owners, rank, rank + 1)(rank);
      for (auto &number : result.numbers)
        number = part.numbers[number / n_children] * n_children + number % n_children;
      return result;
    }


    /// Ranks get at least so many cells, of which they refine each. With fewer, parts would differ
    /// in size and have many ghosts.
    constexpr unsigned int min_cells_of_rank = 1000;


    /// @param make the mesh and the owners of its cells
    /// @param n_refinements after this; read after the call of @p make, on the same ranks
    template <int dim>
    std::unique_ptr<Triangulation<dim>>
    spread(const std::function<std::pair<FlatMesh<dim>, std::vector<unsigned int>>()> &make,
           const MPI_Comm                                                              communicator,
           const unsigned int &n_refinements)
    {
      // Groups are ranks that follow each other: as many as every node has.
      const unsigned int ranks_of_a_node =
        Utilities::MPI::min(NodeRanks(communicator).n, communicator);
      const unsigned int rank  = this_rank(communicator);
      const unsigned int first = rank - rank % ranks_of_a_node; // of the group: it makes the mesh
      const unsigned int end   = std::min(first + ranks_of_a_node, n_ranks(communicator));
      std::string        error;
      std::pair<FlatMesh<dim>, std::vector<unsigned int>> whole;
      if (rank == first)
        try
          {
            whole = make();
          }
        catch (const std::exception &exception)
          {
            error = error_message(exception);
          }
      error = first_of_ranks(communicator, error); // the others have waited here
      AssertThrow(error.empty(), ExcMessage(error));

      MeshPart<dim> part;
      if (rank == first)
        {
          MeshParts<dim> parts(whole.first, whole.second, first, end);
          for (unsigned int other = first + 1; other < end; ++other)
            send(parts(other), other, communicator);
          part = parts(rank);
        }
      else
        part = receive<dim>(first, communicator);
      whole                = {};
      const unsigned int n = Utilities::MPI::max(rank == first ? n_refinements : 0, communicator);
      auto               result = std::make_unique<PartTriangulation<dim>>(communicator);
      result->create(refine(std::move(part), n, rank));
      return result;
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
                       const MeshCut<dim>                              &cut_mesh)
  {
    const unsigned int n_ranks = Saltus::n_ranks(communicator);
    if (n_ranks == 1)
      {
        auto result = std::make_unique<Triangulation<dim>>();
        make(*result);
        return result;
      }
    unsigned int n_refinements = 0; // left for the ranks
    return spread<dim>(
      [&]() -> std::pair<FlatMesh<dim>, std::vector<unsigned int>> {
        Triangulation<dim> made;
        make(made);
        FlatMesh<dim> mesh = flatten(made);
        if (cut_mesh)
          return {std::move(mesh), cut_mesh(made, n_ranks)};
        made.clear();
        std::vector<unsigned int> owners = cut(face_graph(mesh), n_ranks);
        return {std::move(mesh), std::move(owners)};
      },
      communicator,
      n_refinements);
  }


  template <int dim>
  std::unique_ptr<Triangulation<dim>>
  spread_mesh(const std::function<FlatMesh<dim>()> &make,
              const MPI_Comm                        communicator,
              const unsigned int                   &n_refinements)
  {
    unsigned int n_left = 0;
    return spread<dim>(
      [&]() -> std::pair<FlatMesh<dim>, std::vector<unsigned int>> {
        const unsigned int n_ranks = Saltus::n_ranks(communicator);
        FlatMesh<dim>      mesh    = make();
        for (n_left = n_refinements; n_left > 0 && mesh.n_cells() < min_cells_of_rank * n_ranks;
             --n_left)
          mesh = refine(std::move(mesh), 1);
        std::vector<unsigned int> owners = cut(face_graph(mesh), n_ranks);
        return {std::move(mesh), std::move(owners)};
      },
      communicator,
      n_left);
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
  template std::unique_ptr<Triangulation<2>>
  spread_mesh(const std::function<FlatMesh<2>()> &, const MPI_Comm, const unsigned int &);
  template std::unique_ptr<Triangulation<3>>
  spread_mesh(const std::function<FlatMesh<3>()> &, const MPI_Comm, const unsigned int &);
  template std::unique_ptr<Triangulation<3>>
  spread_triangulation(const std::function<void(Triangulation<3> &)> &,
                       const MPI_Comm,
                       const MeshCut<3> &);
} // namespace Saltus
