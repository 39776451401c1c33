// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/collective.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/cells_across.h>
#include <saltus/mesh/element_mesh.h>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// @return @p triangulation, if operators work on its cells at present
    template <int dim>
    const Triangulation<dim> &
    with_good_cells(const Triangulation<dim> &triangulation)
    {
      if (!triangulation.all_reference_cells_are_hyper_cube())
        check_conforming(triangulation);
      return triangulation;
    }

    /// @p cell, or that of all cells.
    template <int dim>
    ReferenceCell
    shape_of(const ReferenceCell &cell, const Triangulation<dim> &triangulation)
    {
      return cell == ReferenceCells::Invalid ? common_reference_cell(triangulation) : cell;
    }

    /// The pairs of faces of cells of a shape.
    template <int dim>
    std::vector<PeriodicFacePair<dim>>
    periodic_pairs_of(const CellShape<dim>                &shape,
                      const Triangulation<dim>            &triangulation,
                      const std::vector<PeriodicBoundary> &periodic_boundaries)
    {
      auto pairs = match_periodic_boundaries(triangulation, periodic_boundaries);
      if (triangulation.is_mixed_mesh())
        {
          const auto end =
            std::remove_if(pairs.begin(), pairs.end(), [&](const PeriodicFacePair<dim> &pair) {
              AssertThrow(pair.first.n_faces == pair.second.n_faces,
                          ExcMessage(
                            "A periodic boundary of a mesh that mixes shapes has cells of "
                            "different shapes on its two sides: of global numbers " +
                            std::to_string(pair.first.global_cell) + " and " +
                            std::to_string(pair.second.global_cell) +
                            ". Mesh both sides alike; of generated meshes (Mesh/Cells = mixed) try "
                            "other Subdivisions."));
              return pair.first.n_faces != shape.n_faces;
            });
          pairs.erase(end, pairs.end());
        }
      return pairs;
    }

    /// Whether cells, by active cell index, are curved or meet a curved one at a face.
    /// @param order,connectivity of all cells, whatever their kinds
    template <int dim>
    std::vector<bool>
    beside_curved(const ElementMapping<dim>   &mapping,
                  const ElementOrder<dim>     &order,
                  const FaceConnectivity<dim> &connectivity,
                  const CellShape<dim>        &shape)
    {
      const auto is_curved = [&](const unsigned int e) {
        return mapping.is_curved(order.cells[e]);
      };
      std::vector<bool> result(order.triangulation.n_active_cells(), false);
      const auto        set = [&](const unsigned int e) {
        result[order.cells[e]->active_cell_index()] = true;
      };
      for (unsigned int e = 0; e < order.n_elements(); ++e)
        for (unsigned int f = 0; f < shape.n_faces; ++f)
          if (const FaceRecord &across = connectivity.face(e, f);
              is_curved(e) || (across.kind == FaceKind::interior && is_curved(across.neighbor)))
            set(e);
      std::vector<unsigned int>  ranks;
      std::vector<unsigned char> curved; // across shared faces
      for (const auto &ghost : connectivity.ghosts)
        {
          ranks.push_back(ghost.rank);
          curved.push_back(is_curved(ghost.element));
        }
      curved = exchange_across(order.triangulation.get_communicator(), ranks, 1, curved);
      for (std::size_t i = 0; i < curved.size(); ++i)
        if (curved[i] != 0)
          set(connectivity.ghosts[i].element);
      return result;
    }

    /// Curved cells are of the kind stored, and those beside them: integrals of gradients over a
    /// face need those of both sides. Others are of what is said of them.
    /// @param number_vertices called as (order, connectivity, shape)
    template <int dim, typename NumberVertices>
    std::pair<ElementOrder<dim>, FaceConnectivity<dim>>
    number_elements(const ElementMapping<dim>               &mapping,
                    const Triangulation<dim>                &triangulation,
                    const std::vector<PeriodicBoundary>     &periodic_boundaries,
                    const typename ElementOrder<dim>::Kinds &of_affine_cells,
                    const NumberVertices                    &number_vertices)
    {
      const CellShape<dim> shape(mapping.cell);
      const auto           pairs  = periodic_pairs_of(shape, triangulation, periodic_boundaries);
      const auto           shared = find_shared_faces(triangulation, shape, pairs);

      typename ElementOrder<dim>::Kinds kinds = of_affine_cells;
      if (mapping.has_curved_cells())
        {
          const ElementOrder<dim>     order(triangulation, mapping.cell, shared);
          const FaceConnectivity<dim> connectivity(order, shape, pairs, shared);
          kinds = [stored = beside_curved(mapping, order, connectivity, shape),
                   of_affine_cells](const typename ElementOrder<dim>::Cell &cell) {
            if (stored[cell->active_cell_index()])
              return GeometryKind::stored;
            return of_affine_cells ? of_affine_cells(cell) : GeometryKind::affine;
          };
        }
      ElementOrder<dim>     order(triangulation, mapping.cell, shared, kinds);
      FaceConnectivity<dim> connectivity(order, shape, pairs, shared);
      if (shape.is_simplex())
        number_vertices(order, connectivity, shape);
      return {std::move(order), std::move(connectivity)};
    }

    template <int dim>
    std::shared_ptr<const ElementPartition>
    make_partition(const ElementOrder<dim> &order, const FaceConnectivity<dim> &connectivity)
    {
      const MPI_Comm communicator = order.triangulation.get_communicator();
      if (n_ranks(communicator) == 1)
        return nullptr;
      return std::make_shared<const ElementPartition>(communicator,
                                                      order.n_elements(),
                                                      connectivity.ghosts.size());
    }
  } // namespace

  template <int dim>
  ReferenceCell
  common_reference_cell(const Triangulation<dim> &triangulation)
  {
    const bool          simplices = triangulation.all_reference_cells_are_simplex();
    const ReferenceCell common =
      simplices ? ReferenceCells::get_simplex<dim>() : ReferenceCells::get_hypercube<dim>();
    on_all_ranks(triangulation.get_communicator(), [&]() {
      if (!simplices)
        for (const auto &cell : triangulation.active_cell_iterators())
          AssertThrow(!cell->is_locally_owned() || cell->reference_cell() == common,
                      ExcMessage(std::string("Meshes are of simplices only, or of ") +
                                 (dim == 2 ? "quadrilaterals" : "hexahedra") + " only, but " +
                                 cell_text(cell) + " is a " + cell->reference_cell().to_string() +
                                 " among others."));
    });
    return common;
  }

  template <int dim>
  ElementMesh<dim>::ElementMesh(const Mapping<dim>                      &mapping,
                                const Triangulation<dim>                &triangulation,
                                const std::vector<PeriodicBoundary>     &periodic_boundaries,
                                const unsigned int                       matching_rounds,
                                const typename ElementOrder<dim>::Kinds &kinds,
                                const unsigned int                       map_degree,
                                const ReferenceCell                     &cell)
    : ElementMesh(ElementMapping<dim>(mapping,
                                      with_good_cells(triangulation),
                                      shape_of(cell, triangulation),
                                      map_degree),
                  triangulation,
                  periodic_boundaries,
                  kinds,
                  [&](auto &order, auto &connectivity, const auto &shape) {
                    connectivity.match(order, shape, matching_rounds);
                  })
  {}

  template <int dim>
  ElementMesh<dim>::ElementMesh(const Mapping<dim>                        &mapping,
                                const Triangulation<dim>                  &triangulation,
                                const std::vector<PeriodicBoundary>       &periodic_boundaries,
                                const std::vector<VertexPermutation<dim>> &vertices,
                                const unsigned int                         map_degree,
                                const ReferenceCell                       &cell)
    : ElementMesh(ElementMapping<dim>(mapping,
                                      with_good_cells(triangulation),
                                      shape_of(cell, triangulation),
                                      map_degree),
                  triangulation,
                  periodic_boundaries,
                  {},
                  [&](auto &order, auto &connectivity, const auto &shape) {
                    connectivity.set_vertices(order, shape, vertices);
                  })
  {}

  template <int dim>
  template <typename NumberVertices>
  ElementMesh<dim>::ElementMesh(const ElementMapping<dim>               &mapping,
                                const Triangulation<dim>                &triangulation,
                                const std::vector<PeriodicBoundary>     &periodic_boundaries,
                                const typename ElementOrder<dim>::Kinds &kinds,
                                const NumberVertices                    &number_vertices)
    : ElementMesh(
        mapping,
        periodic_boundaries,
        number_elements(mapping, triangulation, periodic_boundaries, kinds, number_vertices))
  {}

  template <int dim>
  ElementMesh<dim>::ElementMesh(const ElementMapping<dim>           &mapping,
                                const std::vector<PeriodicBoundary> &periodic_boundaries,
                                Numbering                          &&numbering)
    : shape(mapping.cell)
    , periodic_boundaries(periodic_boundaries)
    , order(std::move(numbering.first))
    , connectivity(std::move(numbering.second))
    , partition(make_partition(order, connectivity))
    , geometry(order, connectivity, partition, shape, mapping)
    , listener(order.triangulation.signals.any_change.connect([this]() { up_to_date = false; }))
  {}

  template <int dim>
  std::vector<unsigned int>
  ElementMesh<dim>::ghost_ranks() const
  {
    std::vector<unsigned int> ranks;
    for (const auto &ghost : connectivity.ghosts)
      ranks.push_back(ghost.rank);
    return ranks;
  }

  template <int dim>
  std::vector<VertexPermutation<dim>>
  ElementMesh<dim>::vertices_in_owners() const
  {
    std::vector<VertexPermutation<dim>> result;
    if (partition == nullptr)
      return result;
    // The vertices of their elements that the vertices of cells are.
    std::vector<unsigned char> of_cells;
    for (const auto &ghost : connectivity.ghosts)
      {
        VertexPermutation<dim> inverse;
        for (unsigned int v = 0; v <= dim; ++v)
          inverse[order.vertices_of(ghost.element)[v]] = v;
        of_cells.insert(of_cells.end(), inverse.begin(), inverse.end());
      }
    of_cells = exchange_across(partition->communicator, ghost_ranks(), dim + 1, of_cells);
    for (std::size_t i = 0; i < connectivity.ghosts.size(); ++i)
      {
        result.emplace_back();
        for (unsigned int v = 0; v <= dim; ++v)
          result[i][v] = of_cells[i * (dim + 1) + connectivity.ghosts[i].vertices[v]];
      }
    return result;
  }

  template <int dim>
  void
  ElementMesh<dim>::check_up_to_date() const
  {
    AssertThrow(up_to_date,
                ExcMessage("The triangulation of the element mesh has been refined, moved or "
                           "destroyed since the mesh was made. Make the mesh anew, and what was "
                           "set up on it."));
  }

  template <int dim>
  void
  ElementMesh<dim>::check_triangulation(const Triangulation<dim> &triangulation) const
  {
    AssertThrow(&order.triangulation == &triangulation,
                ExcMessage("The element mesh was made for another triangulation than that of the "
                           "degrees of freedom. Make it anew."));
    check_up_to_date();
  }

  template <int dim>
  template <typename Number>
  std::shared_ptr<const MeshMemory<Number>>
  ElementMesh<dim>::on_device(const Device device) const
  {
    return cache.get<MeshMemory<Number>>(device, {}, *this, device);
  }

#define SALTUS_ELEMENT_MESH(dim)                                                          \
  template ReferenceCell common_reference_cell(const Triangulation<dim> &);               \
  template class ElementMesh<dim>;                                                        \
  template std::shared_ptr<const MeshMemory<double>> ElementMesh<dim>::on_device<double>( \
    const Device) const;                                                                  \
  template std::shared_ptr<const MeshMemory<float>> ElementMesh<dim>::on_device<float>(   \
    const Device) const;
  SALTUS_ELEMENT_MESH(2)
  SALTUS_ELEMENT_MESH(3)
#undef SALTUS_ELEMENT_MESH
} // namespace Saltus
