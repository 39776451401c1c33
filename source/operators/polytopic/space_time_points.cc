// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/base/device/launch.h>
#include <saltus/operators/polytopic/space_time_points.h>

#include <algorithm>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    template <typename T>
    Memory<T>
    copy_of(const Memory<T> &values)
    {
      auto result = Memory<T>::uninitialized(values.device(), values.size());
      result.copy_from(values);
      return result;
    }
  } // namespace


  /// The cells of elements, ghosts included, as slabs count them.
  template <int dim>
  struct CellsOfElements
  {
    CellsOfElements(const PolytopicMesh<dim> &mesh, const Device device)
    {
      std::vector<int> all_starts = {0}, all_places(mesh.triangulation().n_active_cells());
      for (unsigned int e = 0; e < mesh.n_known_elements(); ++e)
        {
          int place = 0;
          for (const unsigned int c : mesh.cells(e))
            all_places[c] = place++;
          all_starts.push_back(all_starts.back() + place);
        }
      starts = Memory<int>(device, all_starts);
      places = Memory<int>(device, all_places);
    }

    Memory<int> starts; ///< `[element]`: cells of those before, and of all
    Memory<int> places; ///< `[active cell]`: in its element
  };


  template <int dim>
  SpaceTimePoints<dim>::SpaceTimePoints(const SpaceTimeSlab<dim>  &slab,
                                        const PolytopicSpace<dim> &space,
                                        const LegendreFamily       family,
                                        const unsigned int         extra_degree,
                                        const Device               device)
    : in_space(quadrature_points(space, extra_degree, device))
    , slab(&slab)
    , device(device)
    , degrees_of_elements(space.degrees())
  {
    // Points in time integrate products of two polynomials of a degree with one more than that.
    const int extra_times = extra_degree / 2, max_times = space.max_degree() + 1 + extra_times;
    make_cells(family);
    make_volume(extra_times, max_times);
    make_faces(family, space.common_degree(), extra_times, max_times);
  }


  template <int dim>
  template <typename T>
  Memory<T>
  SpaceTimePoints<dim>::room(const std::size_t n) const
  {
    return Memory<T>::uninitialized(device, n);
  }


  template <int dim>
  SlabArrays
  SpaceTimePoints<dim>::slab_arrays() const
  {
    const auto blocks = in_space.sparsity->template arrays<double>(device);
    return {static_cast<int>(slab->n_prisms()),
            slab->n_known_prisms() == slab->mesh().n_known_elements(),
            slab->first_prisms_of_elements().on(device).data(),
            slab->elements_of_prisms().on(device).data(),
            degrees_of_elements.on(device).data(),
            blocks.row_starts,
            blocks.columns,
            cells_of_elements->starts.data()};
  }


  template <int dim>
  SpacePointArrays
  SpaceTimePoints<dim>::space_arrays() const
  {
    return {in_space.volume.starts.data(),
            in_space.faces.starts.data(),
            in_space.faces.owners.data()};
  }


  template <int dim>
  void
  SpaceTimePoints<dim>::make_cells(const LegendreFamily family)
  {
    const PolytopicMesh<dim> &mesh = slab->mesh();
    const int                 n    = slab->n_known_prisms();
    cells_of_elements = mesh.cache.template get<CellsOfElements<dim>>(device, {}, mesh, device);

    auto degrees = room<int>(n), n_rows = room<int>(n);
    launch(device, n, CountPrismRows<dim>{slab_arrays(), family, degrees.data(), n_rows.data()});
    degrees_of_prisms = std::move(degrees);
    first_rows        = prefix_sums<int>(n_rows);

    auto counts = room<int>(n);
    launch(device, n, CountPrismCells{slab_arrays(), counts.data()});
    first_cells     = prefix_sums<int>(counts);
    middles         = PrismPieces(room<PrismPiece>(n), counts, 0);
    prisms_of_cells = room<int>(middles.size());
    launch(
      device,
      n,
      MakePrismCells{slab_arrays(), first_cells.data(), prisms_of_cells.data(), middles.data()});
  }


  template <int dim>
  void
  SpaceTimePoints<dim>::make_volume(const int extra_times, const int max_times)
  {
    const int n      = slab->n_prisms();
    auto      pieces = room<PrismPiece>(n);
    auto      sizes  = room<int>(n);
    launch(device,
           n,
           MakePrismVolumes{slab_arrays(),
                            space_arrays(),
                            extra_times,
                            first_cells.data(),
                            pieces.data(),
                            sizes.data()});
    volume = PrismPieces(std::move(pieces), sizes, max_times);
    check_number_of_points(volume.size(), slab->ghosts());
  }


  template <int dim>
  void
  SpaceTimePoints<dim>::make_faces(const LegendreFamily family,
                                   const int            common_degree,
                                   const int            extra_times,
                                   const int            max_times)
  {
    const int n      = slab->n_prisms();
    auto      counts = room<int>(n);
    launch(device, n, CountPrismBlocks{slab_arrays(), counts.data()});
    Memory<int>     row_starts = prefix_sums<int>(counts);
    const int       n_blocks = last_of(row_starts), n_pieces = n_blocks + n;
    const PrismRows rows{n, row_starts.data()};
    auto            columns = room<int>(n_blocks), rooms = room<int>(n_blocks);
    auto            sizes = room<int>(n_pieces), n_facets = room<int>(n_pieces);
    auto            pieces = room<PrismPiece>(n_pieces);
    launch(device,
           n_pieces,
           MakePrismBlocks<dim>{slab_arrays(),
                                space_arrays(),
                                rows,
                                family,
                                extra_times,
                                columns.data(),
                                rooms.data(),
                                pieces.data(),
                                sizes.data(),
                                n_facets.data()});
    faces = PrismPieces(std::move(pieces), sizes, max_times);
    check_number_of_points(faces.size(), slab->ghosts());

    const Memory<int> facet_starts = prefix_sums<int>(n_facets);
    auto              n_fours      = room<int>(n_blocks);
    facets                         = room<PrismFacet>(last_of(facet_starts));
    face_starts                    = Memory<std::size_t>(device, n_blocks + 1);
    launch(device,
           n_pieces,
           MakePrismFacets{slab_arrays(),
                           space_arrays(),
                           rows,
                           in_space.facets.data(),
                           faces.starts().data(),
                           facet_starts.data(),
                           first_cells.data(),
                           cells_of_elements->places.data(),
                           faces.data(),
                           facets.data(),
                           face_starts.data(),
                           n_fours.data()});
    steps = prefix_sums<int>(n_fours);

    Memory<std::size_t> block_starts = prefix_sums<std::size_t>(rooms);
    const int           n_modes      = n_legendre_modes<dim + 1>(common_degree, family);
    const std::size_t   n_values     = common_degree > 0 // nobody has to wait
                                         ? n_blocks * room_for_block(n_modes, n_modes)
                                         : last_of(block_starts);
    pattern                          = std::make_shared<const BlockSparsity>(first_rows,
                                                    std::move(row_starts),
                                                    std::move(columns),
                                                    std::move(block_starts),
                                                    n_values,
                                                    slab->ghosts());
  }


  template <int dim>
  PolytopicPoints<dim + 1>
  SpaceTimePoints<dim>::numbering() const
  {
    PolytopicPoints<dim + 1> result;
    result.sparsity      = pattern;
    result.elements      = copy_of(prisms_of_cells);
    result.steps         = copy_of(steps);
    result.volume.starts = copy_of(volume.starts());
    result.volume.owners = room<int>(volume.size());
    result.weights       = room<double>(volume.size());
    result.faces.starts  = copy_of(face_starts);
    result.faces.owners  = room<int>(faces.size());
    return result;
  }


  template <int dim>
  PrismPoints<dim>
  SpaceTimePoints<dim>::points_of(const PrismPieces &pieces, const double length) const
  {
    return {pieces.arrays(),
            length,
            in_space.volume.places.data(),
            in_space.faces.places.data(),
            in_space.volume.owners.data(),
            in_space.faces.owners.data(),
            in_space.weights.data(),
            in_space.normals.data(),
            cells_of_elements->places.data()};
  }


  template <int dim>
  PrismCellPoints<dim>
  SpaceTimePoints<dim>::in_cells(const double length, PolytopicPoints<dim + 1> &numbers) const
  {
    return {points_of(volume, length), numbers.volume.owners.data(), numbers.weights.data()};
  }


  template <int dim>
  PrismFacetPoints<dim>
  SpaceTimePoints<dim>::on_facets(const double               length,
                                  const Memory<FacetRecord> &of_space,
                                  PolytopicPoints<dim + 1>  &numbers) const
  {
    return {points_of(faces, length), facets.data(), of_space.data(), numbers.faces.owners.data()};
  }


  template <int dim>
  MirroredArray<double>
  SpaceTimePoints<dim>::boxes(const double length) const
  {
    constexpr int n_numbers = (dim + 1) * (dim + 2);
    const int     n         = slab->n_known_prisms();
    auto          numbers   = room<double>(static_cast<std::size_t>(n) * n_numbers);
    launch(device,
           n,
           MakePrismBoxes<dim>{slab_arrays(),
                               {slab->mesh().box_numbers().on(device).data()},
                               length,
                               numbers.data()});
    return numbers;
  }


  template <int dim>
  unsigned int
  SpaceTimePoints<dim>::cell_in_space(const unsigned int cell) const
  {
    const int prism = prisms_of_cells.to_host()[cell];
    return slab->mesh().cells(slab->element(prism)).begin()[cell - first_cells.to_host()[prism]];
  }


  template <int dim>
  unsigned int
  SpaceTimePoints<dim>::facet_in_space(const unsigned int facet) const
  {
    return facets.to_host()[facet].of_space;
  }


  template class SpaceTimePoints<2>;
} // namespace Saltus
