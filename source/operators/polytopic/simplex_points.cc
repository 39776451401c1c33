// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/algebra/prefix_sums.h>
#include <saltus/base/algebra/sort_pairs.h>
#include <saltus/base/device/launch.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/operators/polytopic/simplex_points.h>

#include <algorithm>
#include <limits>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  bool
  is_affine_simplices(const PolytopicMesh<dim> &mesh)
  {
    const auto shapes = mesh.triangulation().get_reference_cells();
    return shapes.size() == 1 && shapes[0].is_simplex() && mapping_degree(mesh.mapping()) == 1;
  }


  namespace
  {
    /// `[i]`: which of some cells are before cell i in an order that all ranks have.
    template <int dim>
    std::vector<int>
    ranking_of(const PolytopicMesh<dim> &mesh, const std::vector<int> &cells)
    {
      std::vector<std::pair<CellId, int>> order;
      for (const int cell : cells)
        order.emplace_back(mesh.cell(cell)->id(), order.size());
      std::sort(order.begin(), order.end());
      std::vector<int> result(cells.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        result[order[i].second] = i;
      return result;
    }
  } // namespace


  template <int dim>
  SimplexCells<dim>::SimplexCells(const PolytopicMesh<dim> &mesh, const Device device)
    : n_elements(mesh.n_elements())
    , n_known(mesh.n_known_elements())
    , n_active(mesh.triangulation().n_active_cells())
    , boundary_ids(mesh.triangulation().get_boundary_ids())
  {
    std::sort(boundary_ids.begin(), boundary_ids.end());
    std::vector<int> firsts, all_numbers, all_elements, places(n_active, -1);
    firsts.reserve(n_elements + 1);
    all_numbers.reserve(n_active);
    all_elements.reserve(n_active);
    const auto add = [&](const unsigned int c) {
      places[c] = all_numbers.size();
      all_numbers.push_back(c);
      all_elements.push_back(mesh.element_of(c));
    };
    for (int e = 0; e < n_elements; ++e)
      {
        firsts.push_back(all_numbers.size());
        for (const unsigned int c : mesh.cells(e))
          add(c);
        n_largest = std::max<int>(n_largest, all_numbers.size() - firsts.back());
      }
    n_cells = all_numbers.size();
    firsts.push_back(n_cells);
    for (int c = 0; c < n_active; ++c)
      if (mesh.is_known(c) && places[c] < 0)
        add(c); // of a ghost
    const std::size_t   n = all_numbers.size();
    std::vector<double> all_vertices(n * (dim + 1UL) * dim);
    std::vector<int>    all_across(n * (dim + 1UL));
    parallel_for(n, [&](const std::size_t begin, const std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        {
          const auto &cell     = mesh.cell(all_numbers[i]);
          const auto  vertices = mesh.mapping().get_vertices(cell);
          for (int v = 0; v <= dim; ++v)
            for (int d = 0; d < dim; ++d)
              all_vertices[(i * (dim + 1) + v) * dim + d] = vertices[v][d];
          for (int f = 0; f <= dim; ++f)
            all_across[i * (dim + 1) + f] = cell->at_boundary(f)
                                              ? boundary_ids.begin() - 1 -
                                                  std::lower_bound(boundary_ids.begin(),
                                                                   boundary_ids.end(),
                                                                   cell->face(f)->boundary_id())
                                              : places[cell->neighbor(f)->active_cell_index()];
        }
    });
    vertices    = Memory<double>(device, all_vertices);
    across      = Memory<int>(device, all_across);
    numbers     = Memory<int>(device, all_numbers);
    elements    = Memory<int>(device, all_elements);
    first_cells = Memory<int>(device, firsts);
    if (mesh.ghosts())
      ranking = Memory<int>(device, ranking_of(mesh, all_numbers));
  }


  template <int dim>
  SimplexArrays<dim>
  SimplexCells<dim>::arrays() const
  {
    return {n_elements,
            n_known,
            vertices.data(),
            across.data(),
            numbers.data(),
            ranking.size() > 0 ? ranking.data() : numbers.data(),
            elements.data(),
            first_cells.data()};
  }


  namespace
  {
    /// Rules for the degrees of elements, on a device.
    template <int dim>
    class Rules
    {
    public:
      template <typename Space>
      Rules(const Space &space, const unsigned int extra_degree, const Device device)
      {
        std::vector<double> all_points, all_weights;
        double              simplices = 1; // in a cube
        for (int d = 2; d <= dim; ++d)
          simplices *= d;
        for (int degree = 0; degree <= max_legendre_degree; ++degree)
          {
            arrays.starts[degree] = all_weights.size();
            if (!space.has_degree(degree))
              continue;
            const Quadrature<dim> rule = simplex_quadrature<dim>(2 * degree + extra_degree);
            for (unsigned int q = 0; q < rule.size(); ++q)
              {
                double first = 1;
                for (int d = 0; d < dim; ++d)
                  first -= rule.point(q)[d];
                all_points.push_back(first);
                for (int d = 0; d < dim; ++d)
                  all_points.push_back(rule.point(q)[d]);
                all_weights.push_back(simplices * rule.weight(q));
              }
          }
        arrays.starts[max_legendre_degree + 1] = all_weights.size();
        const std::size_t n                    = all_points.size();
        all_points.insert(all_points.end(), all_weights.begin(), all_weights.end());
        numbers        = Memory<double>(device, all_points);
        arrays.points  = numbers.data();
        arrays.weights = numbers.data() + n;
      }

      int
      size(const int degree) const
      {
        return arrays.starts[degree + 1] - arrays.starts[degree];
      }

      SimplexRules<dim> arrays;

    private:
      Memory<double> numbers; ///< of points, then weights
    };

    /// Makes them, step by step.
    template <int dim>
    class Maker
    {
    public:
      Maker(const PolytopicSpace<dim> &space,
            const SimplexCells<dim>   &cells,
            const unsigned int         extra_degree)
        : device(cells.device())
        , n_elements(cells.n_elements)
        , cells(cells)
        , arrays(cells.arrays())
        , degrees(space.degrees().on(device))
        , common_degree(space.common_degree())
        , in_cells(space, extra_degree, device)
        , on_faces(space, extra_degree, device)
      {
        while (cells.n_known >> n_bits != 0)
          ++n_bits;
        for (int degree = 0; degree <= max_legendre_degree; ++degree)
          {
            sizes.of_cell[degree] = in_cells.size(degree);
            sizes.of_face[degree] = on_faces.size(degree);
          }
      }

      PolytopicPoints<dim>
      make(const PolytopicSpace<dim> &space)
      {
        result.boundary_ids = cells.boundary_ids;
        sort_facets();
        make_blocks(space.first_dofs(), space.mesh().ghosts());
        measure();
        make_volume();
        make_faces();
        return std::move(result);
      }

    private:
      FacetOrder
      order() const
      {
        return {n_elements, cells.n_known, n_bits, keys.data(), faces.data()};
      }

      /// For what is written as a whole.
      template <typename T>
      Memory<T>
      room(const std::size_t n) const
      {
        return Memory<T>::uninitialized(device, n);
      }

      /// The last one of @p starts of @p n things. Where all have the same size, nobody waits for
      /// the device.
      std::size_t
      total(const std::size_t n, const std::size_t size, const Memory<std::size_t> &starts) const
      {
        return common_degree > 0 ? n * size : last_of(starts);
      }

      /// Find the facets, in their order.
      void
      sort_facets()
      {
        auto counts = room<int>(cells.size());
        launch(device, cells.size(), CountFacets<dim>{arrays, counts.data()});
        const Memory<int> starts = prefix_sums<int>(counts);
        n_facets                 = last_of(starts);
        keys                     = room<std::uint64_t>(n_facets);
        faces                    = room<int>(n_facets);
        launch(device,
               cells.size(),
               ListFacets<dim>{arrays, order(), starts.data(), keys.data(), faces.data()});
        first_facets = room<int>(n_elements + 1);
        launch(device,
               n_elements + 1,
               FirstOfElements<dim, int>{arrays, starts.data(), first_facets.data()});
        constexpr int few = 256; // of which each can be compared with each
        if (cells.n_largest * (dim + 1) <= few)
          rank_facets();
        else
          {
            int n_key_bits = n_bits;
            while (order().key(n_elements, 0) >> n_key_bits != 0)
              ++n_key_bits;
            sort_pairs(device, n_facets, keys.data(), faces.data(), n_key_bits);
          }
      }

      void
      rank_facets()
      {
        auto ranked_keys  = room<std::uint64_t>(n_facets);
        auto ranked_faces = room<int>(n_facets);
        launch(device,
               n_facets,
               RankFacets{order(), first_facets.data(), ranked_keys.data(), ranked_faces.data()});
        keys.swap(ranked_keys);
        faces.swap(ranked_faces);
      }

      void
      make_blocks(const MirroredArray<int>                   &first_rows,
                  const std::shared_ptr<const GhostElements> &ghosts)
      {
        auto of_facets = room<int>(n_facets), of_rows = room<int>(n_elements);
        launch(device,
               n_facets,
               CountFacetPoints{order(), degrees.data(), sizes, of_facets.data()});
        first_points = prefix_sums<std::size_t>(of_facets);
        launch(device, n_elements, CountBlocks{order(), first_facets.data(), of_rows.data()});
        Memory<int> row_starts = prefix_sums<int>(of_rows);
        const int   n          = last_of(row_starts);
        auto        columns = room<int>(n), sizes_of_blocks = room<int>(n), n_steps = room<int>(n);
        result.faces.starts = Memory<std::size_t>(device, n + 1);
        launch(device,
               n_elements,
               MakeBlocks<dim>{order(),
                               first_facets.data(),
                               row_starts.data(),
                               degrees.data(),
                               first_points.data(),
                               columns.data(),
                               sizes_of_blocks.data(),
                               result.faces.starts.data(),
                               n_steps.data()});
        result.steps                     = prefix_sums<int>(n_steps);
        Memory<std::size_t> block_starts = prefix_sums<std::size_t>(sizes_of_blocks);
        const int           n_modes      = n_legendre_modes<dim>(common_degree);
        const std::size_t   n_values     = total(n, room_for_block(n_modes, n_modes), block_starts);
        result.sparsity                  = std::make_shared<const BlockSparsity>(first_rows,
                                                                std::move(row_starts),
                                                                std::move(columns),
                                                                std::move(block_starts),
                                                                n_values,
                                                                ghosts);
      }

      void
      measure()
      {
        const int n_known_cells = cells.numbers.size();
        cell_volumes            = room<double>(n_known_cells);
        normals                 = room<double>(n_facets * static_cast<std::size_t>(dim));
        faces_of_points         = room<int>(n_facets);
        result.elements         = room<int>(cells.n_active);
        result.facets           = room<FacetGeometry>(n_facets);
        result.volumes          = room<double>(n_elements);
        result.perimeters       = room<double>(n_elements);
        launch(
          device,
          n_known_cells,
          MeasureCells<dim>{arrays, cells.size(), cell_volumes.data(), result.elements.data()});
        launch(device,
               n_facets,
               MeasureFacets<dim>{arrays,
                                  order(),
                                  cell_volumes.data(),
                                  result.facets.data(),
                                  normals.data(),
                                  faces_of_points.data()});
        launch(device,
               n_elements,
               MeasureElements<dim>{arrays,
                                    first_facets.data(),
                                    cell_volumes.data(),
                                    result.facets.data(),
                                    result.volumes.data(),
                                    result.perimeters.data()});
      }

      void
      make_volume()
      {
        auto counts = room<int>(cells.size());
        launch(device,
               cells.size(),
               CountCellPoints<dim>{arrays, degrees.data(), sizes, counts.data()});
        const Memory<std::size_t> starts = prefix_sums<std::size_t>(counts);
        const std::size_t         n = total(cells.size(), sizes.of_cell[common_degree], starts);
        check_number_of_points(n, result.sparsity->ghosts);
        result.volume  = {room<std::size_t>(n_elements + 1), room<double>(n * dim), room<int>(n)};
        result.weights = room<double>(n);
        launch(device,
               n_elements + 1,
               FirstOfElements<dim, std::size_t>{arrays,
                                                 starts.data(),
                                                 result.volume.starts.data()});
        launch(device,
               n,
               MakeCellPoints<dim>{arrays,
                                   cells.size(),
                                   degrees.data(),
                                   in_cells.arrays,
                                   starts.data(),
                                   cell_volumes.data(),
                                   result.volume.places.data(),
                                   result.volume.owners.data(),
                                   result.weights.data()});
      }

      void
      make_faces()
      {
        const std::size_t n = total(n_facets, sizes.of_face[common_degree], first_points);
        check_number_of_points(n, result.sparsity->ghosts);
        result.faces.places = room<double>(n * dim);
        result.faces.owners = room<int>(n);
        result.normals      = room<double>(n * dim);
        launch(device,
               n,
               MakeFacetPoints<dim>{arrays,
                                    order(),
                                    n_facets,
                                    degrees.data(),
                                    on_faces.arrays,
                                    first_points.data(),
                                    normals.data(),
                                    faces_of_points.data(),
                                    result.faces.places.data(),
                                    result.faces.owners.data(),
                                    result.normals.data()});
      }

      const Device             device;
      const int                n_elements;
      const SimplexCells<dim> &cells;
      const SimplexArrays<dim> arrays;
      const Memory<int>       &degrees;
      const int                common_degree; ///< see PolytopicSpace
      const Rules<dim>         in_cells;
      const Rules<dim - 1>     on_faces;
      RuleSizesOfDegrees       sizes;

      int                   n_bits   = 0; ///< see FacetOrder
      int                   n_facets = 0;
      Memory<std::uint64_t> keys;
      Memory<int>           faces, first_facets, faces_of_points;
      Memory<std::size_t>   first_points; ///< `[facet]`
      Memory<double>        cell_volumes, normals;
      PolytopicPoints<dim>  result;
    };
  } // namespace


  template <int dim>
  PolytopicPoints<dim>
  simplex_points(const PolytopicSpace<dim> &space,
                 const SimplexCells<dim>   &cells,
                 const unsigned int         extra_degree)
  {
    return Maker<dim>(space, cells, extra_degree).make(space);
  }


#define SALTUS_INSTANTIATE(dim)                                             \
  template bool is_affine_simplices(const PolytopicMesh<dim> &);            \
  template struct SimplexCells<dim>;                                        \
  template PolytopicPoints<dim> simplex_points(const PolytopicSpace<dim> &, \
                                               const SimplexCells<dim> &,   \
                                               const unsigned int);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
