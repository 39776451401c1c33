// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/quadrature.h>
#include <deal.II/fe/fe_nothing.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/fe/mapping_q1.h>

#include <saltus/base/algebra/first_index.h>
#include <saltus/base/ranks/collective.h>
#include <saltus/fe/reference_element.h>
#include <saltus/mesh/affine_geometry.h>
#include <saltus/mesh/curve/mapping_by_shape.h>
#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/position_text.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <type_traits>
#include <typeinfo>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    bool
    is_cube(const ReferenceCell &cell)
    {
      return cell.is_hyper_cube();
    }

    /// What rounding may add up to in a position of the magnitude of @p point that a mapping
    /// computes.
    template <int dim>
    double
    rounding(const Point<dim> &point)
    {
      return 16. * std::numeric_limits<double>::epsilon() * point.norm();
    }

    /// Whether the cell with these vertices leaves its affine place at one of the points.
    /// @param images those of the vertices, then those of @p unit_points
    template <int dim>
    bool
    is_curved(const std::vector<Point<dim>> &images, const std::vector<Point<dim>> &unit_points)
    {
      Tensor<2, dim> edges; // [r]
      for (unsigned int r = 0; r < dim; ++r)
        edges[r] = images[r + 1] - images[0];
      const double tolerance = 1e-10 * edges.norm() + rounding(images[0]);
      for (unsigned int i = 0; i < unit_points.size(); ++i)
        if (!((images[dim + 1 + i] - images[0] - unit_points[i] * edges).norm() < tolerance))
          return true;
      return false;
    }

    template <int dim>
    std::vector<Point<dim>>
    vertices_of(const ReferenceCell &cell)
    {
      std::vector<Point<dim>> vertices;
      for (const unsigned int v : cell.vertex_indices())
        vertices.push_back(cell.template vertex<dim>(v));
      return vertices;
    }

    /// Whether it maps all cells, which are hypercubes, by the products of linear functions that
    /// take the vertices to theirs.
    template <int dim>
    bool
    is_multilinear(const Mapping<dim> &mapping)
    {
      // A class derived from it may move the vertices.
      const auto *of_degree = dynamic_cast<const MappingQ<dim> *>(&mapping);
      return of_degree != nullptr && of_degree->get_degree() == 1 &&
             (typeid(mapping) == typeid(MappingQ<dim>) ||
              typeid(mapping) == typeid(MappingQ1<dim>));
    }

    /// The images of points in one cell after another: where a mapping is_multilinear(), without
    /// all that FEValues does.
    template <int dim>
    class Images
    {
    public:
      using Cell = typename ElementOrder<dim>::Cell;

      Images(const Mapping<dim>            &mapping,
             const ReferenceCell           &cell,
             const std::vector<Point<dim>> &unit_points)
        : nothing(cell)
      {
        if (!is_multilinear(mapping))
          values.emplace(mapping, nothing, Quadrature<dim>(unit_points), update_quadrature_points);
        else
          for (const Point<dim> &point : unit_points)
            for (const unsigned int v : cell.vertex_indices())
              vertex_functions.push_back(cell.d_linear_shape_function(point, v));
        images.resize(unit_points.size());
      }

      const std::vector<Point<dim>> &
      in(const Cell &cell)
      {
        if (values)
          {
            values->reinit(cell);
            return values->get_quadrature_points();
          }
        std::array<Point<dim>, GeometryInfo<dim>::vertices_per_cell> vertices;
        for (unsigned int v = 0; v < vertices.size(); ++v)
          vertices[v] = cell->vertex(v);
        const double *function = vertex_functions.data();
        for (Point<dim> &image : images)
          {
            image = Point<dim>();
            for (const Point<dim> &vertex : vertices)
              image += *function++ * vertex;
          }
        return images;
      }

    private:
      const FE_Nothing<dim>        nothing;
      std::optional<FEValues<dim>> values;
      std::vector<double>          vertex_functions; ///< `[i][v]`, if there are no values
      std::vector<Point<dim>>      images;
    };

    /// `[i]`: the numbers in its cell of the @p nodes of an element whose vertices are these of the
    /// cell. They are the same points, see map_nodes().
    template <int dim>
    std::vector<unsigned int>
    numbers_in_cell(const std::vector<Point<dim>> &nodes, const VertexPermutation<dim> &vertices)
    {
      std::vector<unsigned int> result;
      for (const Point<dim> &node : nodes)
        {
          const Point<dim> in_cell = to_cell<dim>(vertices, node);
          unsigned int     number  = 0;
          while (nodes.at(number).distance(in_cell) > 1e-10)
            ++number;
          result.push_back(number);
        }
      return result;
    }

    /// What belongs to the nodes of a cell in the order of an element's, see numbers_in_cell().
    template <int dim>
    std::vector<Point<dim>>
    in_order(const std::vector<Point<dim>> &of_cell, const std::vector<unsigned int> &numbers)
    {
      std::vector<Point<dim>> result;
      for (const unsigned int number : numbers)
        result.push_back(of_cell[number]);
      return result;
    }

    /// The Jacobian of the affine map that is closest to that of the cell with these vertices: on
    /// hypercubes its columns are the differences between the means of opposite faces.
    /// @param column_of `[r]`: of a simplex, which of its vertices is vertex r + 1
    template <int dim>
    Tensor<2, dim>
    jacobian_of(const std::vector<Point<dim>> &vertices, const VertexPermutation<dim> &permutation)
    {
      const bool     simplex = vertices.size() == dim + 1;
      Tensor<2, dim> columns; // [r][d]
      for (unsigned int r = 0; r < dim; ++r)
        if (simplex)
          columns[r] = vertices[permutation[r + 1]] - vertices[permutation[0]];
        else
          for (unsigned int v = 0; v < vertices.size(); ++v)
            columns[r] += (v >> r & 1 ? 2. : -2.) / vertices.size() * vertices[v];
      return transpose(columns);
    }

    /// Means of determinants in elements with maps of a degree.
    template <int dim>
    class MeanDeterminant
    {
    public:
      MeanDeterminant(const unsigned int map_degree, const ReferenceCell &cell)
        : rule(cell_quadrature<dim>(cell, determinant_degree(dim, map_degree, is_cube(cell))))
        , at_points(map_degree, rule.get_points(), cell)
      {}

      double
      operator()(const ElementMap<dim> &map) const
      {
        const std::vector<double> determinants = map.determinants(at_points);
        double                    volume = 0., volume_of_cell = 0.;
        for (unsigned int q = 0; q < determinants.size(); ++q)
          {
            volume += rule.weight(q) * determinants[q];
            volume_of_cell += rule.weight(q);
          }
        return volume / volume_of_cell;
      }

    private:
      const Quadrature<dim> rule;
      const ModeTable<dim>  at_points;
    };

    /// Whether it is so on all cells.
    template <int dim>
    bool
    is_affine(const Mapping<dim> &mapping, const ReferenceCell &cell)
    {
      if (is_cube(cell))
        return false;
      const auto *of_fe = dynamic_cast<const MappingFE<dim> *>(&mapping);
      return of_fe != nullptr && of_fe->get_degree() == 1;
    }
  } // namespace

  template <int dim>
  ElementMapping<dim>::ElementMapping(const Mapping<dim>       &mapping,
                                      const Triangulation<dim> &triangulation,
                                      const ReferenceCell      &cell,
                                      const unsigned int        degree)
    : mapping(mapping_of(mapping, cell))
    , degree(degree)
    , cell(cell)
    , curved(triangulation.n_active_cells())
  {
    check_mapping(mapping, triangulation, cell);
    AssertThrow(degree >= 1 && degree <= max_degree,
                ExcMessage("Curved elements have maps of degrees from 1 to " +
                           std::to_string(max_degree) + ", not " + std::to_string(degree) + "."));
    if (Saltus::is_affine(this->mapping, cell))
      return;
    std::vector<typename ElementOrder<dim>::Cell> cells;
    for (const auto &of_any : triangulation.active_cell_iterators())
      if (of_any->is_locally_owned() && of_any->reference_cell() == cell)
        cells.push_back(of_any);
    // The vertices of a simplex are among those of a hypercube, too.
    auto       points = vertices_of<dim>(ReferenceCells::get_simplex<dim>());
    const auto nodes  = map_nodes<dim>(std::max(degree, 3U), cell);
    points.insert(points.end(), nodes.begin(), nodes.end());
    parallel_for(cells.size(), [&](const unsigned int begin, const unsigned int end) {
      Images<dim> images(this->mapping, cell, points);
      for (unsigned int i = begin; i < end; ++i)
        curved[cells[i]->active_cell_index()] = Saltus::is_curved(images.in(cells[i]), nodes);
    });
    const MPI_Comm communicator = triangulation.get_communicator();
    const int here = std::count(curved.begin(), curved.end(), 0) < static_cast<long>(curved.size());
    has_curved     = Utilities::MPI::max(here, communicator) > 0;
    on_all_ranks(communicator, [&]() {
      if (degree == 1 && !is_cube(cell))
        for (const auto &of_rank : cells)
          AssertThrow(!is_curved(of_rank),
                      ExcMessage("The mapping curves " + cell_text(of_rank) +
                                 ", but the element mesh takes affine cells only. For operators "
                                 "that work on curved elements, make it with maps of the degree "
                                 "of the mapping."));
    });
  }

  template <int dim>
  ElementGeometry<dim>::ElementGeometry(const ElementOrder<dim>                       &order,
                                        const FaceConnectivity<dim>                   &connectivity,
                                        const std::shared_ptr<const ElementPartition> &partition,
                                        const CellShape<dim>                          &shape,
                                        const ElementMapping<dim>                     &mapping)
    : cell(mapping.cell)
    , origins(order.n_elements())
    , jacobians(order.n_elements())
    , inverse_jacobians(order.n_elements())
    , volume_factors(order.n_elements())
    , map_degree(mapping.degree)
    , has_curved_elements(mapping.has_curved_cells())
  {
    const auto unit_vertices = vertices_of<dim>(shape.reference_cell);
    parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
      Images<dim> images(mapping.mapping, shape.reference_cell, unit_vertices);
      for (unsigned int e = begin; e < end; ++e)
        {
          const std::vector<Point<dim>> &of_cell  = images.in(order.cells[e]);
          const VertexPermutation<dim>   vertices = order.vertices_of(e);
          origins[e]                              = of_cell[vertices[0]];
          jacobians[e]                            = jacobian_of<dim>(of_cell, vertices);
          // Positive where the cell itself is not inverted.
          volume_factors[e] = permutation_sign<dim>(vertices) * determinant(jacobians[e]);
        }
    });

    const unsigned int degenerate = first_index(order.n_elements(), [&](const unsigned int e) {
      return !(volume_factors[e] > 1e-14 * std::pow(jacobians[e].norm(), dim));
    });
    if (degenerate < order.n_elements())
      {
        std::ostringstream text;
        text << "The element of " << cell_text(order.cells[degenerate])
             << " is degenerate or inverted: its Jacobian's determinant is "
             << volume_factors[degenerate]
             << ". Move its vertices, or use smaller cells at curved boundaries.";
        AssertThrow(false, ExcMessage(text.str()));
      }
    if (has_curved_elements)
      set_up_curved(order, mapping);

    parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
      for (unsigned int e = begin; e < end; ++e)
        inverse_jacobians[e] = invert(jacobians[e]);
    });
    if (partition != nullptr)
      set_up_ghosts(order, connectivity, *partition);
    if (partition != nullptr && has_curved_elements)
      set_up_curved_ghosts(order, connectivity, *partition);
  }

  template <int dim>
  void
  ElementGeometry<dim>::set_up_curved(const ElementOrder<dim>   &order,
                                      const ElementMapping<dim> &mapping)
  {
    // What determines the determinant.
    const ModeTable<dim> at_nodes(
      map_degree,
      map_nodes<dim>(std::max(determinant_degree(dim, map_degree, is_cube(cell)), 1U), cell),
      cell);
    const MeanDeterminant<dim>    mean(map_degree, cell);
    const auto                    nodes = std::make_shared<const MapNodes<dim>>(map_degree, cell);
    std::vector<DeterminantRange> ranges(order.n_elements(), {1., 1.});
    maps.resize(order.n_elements());
    parallel_for(order.n_elements(), [&](const unsigned int begin, const unsigned int end) {
      Images<dim> images(mapping.mapping, cell, nodes->points);
      for (unsigned int e = begin; e < end; ++e)
        if (mapping.is_curved(order.cells[e]))
          {
            const auto vertices = order.vertices_of(e);
            const auto numbers  = numbers_in_cell(nodes->points, vertices);
            auto       map =
              std::make_unique<const ElementMap<dim>>(nodes,
                                                      in_order(images.in(order.cells[e]), numbers),
                                                      permutation_sign<dim>(vertices));
            ranges[e]            = map->determinant_range(at_nodes);
            const double of_cell = mean(*map);
            set_curved_map(e, std::move(map), of_cell);
          }
    });
    on_all_ranks(order.triangulation.get_communicator(), [&]() {
      for (unsigned int e = 0; e < order.n_elements(); ++e)
        if (!(ranges[e].scaled() > 0.))
          {
            std::ostringstream text;
            text << "The curved element of " << cell_text(order.cells[e])
                 << " is folded: the determinant of its map of degree " << map_degree
                 << " goes from " << ranges[e].minimum << " to " << ranges[e].maximum
                 << "; it must be positive everywhere. Use smaller cells at curved boundaries.";
            AssertThrow(false, ExcMessage(text.str()));
          }
    });
  }

  template <int dim>
  void
  ElementGeometry<dim>::set_curved_map(const unsigned int                     element,
                                       std::unique_ptr<const ElementMap<dim>> map,
                                       const double                           mean)
  {
    maps[element] = std::move(map);
    jacobians[element] *= std::pow(std::abs(mean) / volume_factors[element], 1. / dim);
    volume_factors[element] = mean;
  }

  template <int dim>
  void
  ElementGeometry<dim>::set_up_ghosts(const ElementOrder<dim>     &order,
                                      const FaceConnectivity<dim> &connectivity,
                                      const ElementPartition      &partition)
  {
    // What travels are the vertices of the owner's cell, in its order; of hypercubes the first ones
    // of the affine map.
    constexpr unsigned int    n_values = (dim + 1) * dim;
    const auto               &ghosts   = connectivity.ghosts;
    std::vector<unsigned int> ranks;
    std::vector<double>       own(ghosts.size() * n_values); // `[i][v][d]`
    for (unsigned int i = 0; i < ghosts.size(); ++i)
      {
        ranks.push_back(ghosts[i].rank);
        const unsigned int e = ghosts[i].element;
        for (unsigned int v = 0; v <= dim; ++v)
          {
            Point<dim> unit_vertex;
            if (v > 0)
              unit_vertex[v - 1] = 1.;
            const Point<dim> vertex =
              is_cube(cell) ? origins[e] + jacobians[e] * unit_vertex : map(e, unit_vertex);
            for (unsigned int d = 0; d < dim; ++d)
              own[i * n_values + order.vertices_of(e)[v] * dim + d] = vertex[d];
          }
      }
    const std::vector<double> received =
      exchange_across(partition.communicator, ranks, n_values, own);

    const auto resize = [&](auto &values) {
      using Value = typename std::remove_reference_t<decltype(values)>::value_type;
      values.resize(order.first_ghost(), values.empty() ? Value() : values.back());
      values.resize(order.first_ghost() + ghosts.size());
    };
    resize(origins);
    resize(jacobians);
    resize(inverse_jacobians);
    resize(volume_factors);
    for (unsigned int i = 0; i < ghosts.size(); ++i)
      {
        const auto vertex = [&](const unsigned int v) {
          Point<dim> result;
          for (unsigned int d = 0; d < dim; ++d)
            result[d] = received[i * n_values + ghosts[i].vertices[v] * dim + d];
          return result;
        };
        const unsigned int e = order.first_ghost() + i;
        origins[e]           = vertex(0);
        for (unsigned int r = 0; r < dim; ++r)
          for (unsigned int d = 0; d < dim; ++d)
            jacobians[e][d][r] = vertex(r + 1)[d] - origins[e][d];
        volume_factors[e]    = std::abs(determinant(jacobians[e]));
        inverse_jacobians[e] = invert(jacobians[e]);
      }
  }

  template <int dim>
  void
  ElementGeometry<dim>::set_up_curved_ghosts(const ElementOrder<dim>     &order,
                                             const FaceConnectivity<dim> &connectivity,
                                             const ElementPartition      &partition)
  {
    // What travels are the nodes of the owner's cell, in its order, and whether it is curved.
    const auto                nodes    = std::make_shared<const MapNodes<dim>>(map_degree, cell);
    const unsigned int        n_values = nodes->points.size() * dim + 1;
    const auto               &ghosts   = connectivity.ghosts;
    std::vector<unsigned int> ranks;
    std::vector<double>       own(ghosts.size() * n_values);
    for (unsigned int i = 0; i < ghosts.size(); ++i)
      {
        ranks.push_back(ghosts[i].rank);
        const unsigned int e       = ghosts[i].element;
        double *const      to      = own.data() + i * n_values;
        const auto         numbers = numbers_in_cell(nodes->points, order.vertices_of(e));
        for (unsigned int node = 0; node < numbers.size(); ++node)
          {
            const Point<dim> position = map(e, nodes->points[node]);
            std::copy_n(position.begin_raw(), dim, to + numbers[node] * dim);
          }
        to[n_values - 1] = curved_map(e) != nullptr;
      }
    const std::vector<double> received =
      exchange_across(partition.communicator, ranks, n_values, own);

    const MeanDeterminant<dim> mean(map_degree, cell);
    maps.resize(volume_factors.size());
    for (unsigned int i = 0; i < ghosts.size(); ++i)
      {
        const double *const from = received.data() + i * n_values;
        if (from[n_values - 1] == 0.)
          continue;
        std::vector<Point<dim>> positions(nodes->points.size());
        for (unsigned int node = 0; node < positions.size(); ++node)
          std::copy_n(from + node * dim, dim, positions[node].begin_raw());
        const auto &vertices = ghosts[i].vertices;
        auto        map      = std::make_unique<const ElementMap<dim>>(
          nodes,
          in_order(positions, numbers_in_cell(nodes->points, vertices)),
          permutation_sign<dim>(vertices));
        const double       of_ghost = mean(*map);
        const unsigned int e        = order.first_ghost() + i;
        set_curved_map(e, std::move(map), of_ghost);
        inverse_jacobians[e] = invert(jacobians[e]);
      }
  }

  template <int dim>
  typename ElementGeometry<dim>::Face
  ElementGeometry<dim>::face(const unsigned int element, const double *reference_normal) const
  {
    Array<double, dim> normal;
    Face               result;
    result.area =
      tangent(element).set_normal([&](const int r) { return reference_normal[r]; }, normal);
    for (unsigned int d = 0; d < dim; ++d)
      result.normal[d] = normal[d];
    return result;
  }

  template class ElementMapping<2>;
  template class ElementMapping<3>;
  template class ElementGeometry<2>;
  template class ElementGeometry<3>;
} // namespace Saltus
