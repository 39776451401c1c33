// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_meshes_h
#define saltus_tests_helpers_meshes_h

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/grid_tools.h>

#include <saltus/mesh/element_mesh.h>
#include <saltus/mesh/make/grid_generator.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

/// Boxes of simplices, and what oracles ask a mesh for.
namespace Saltus::Tests
{
  using dealii::DoFHandler;
  using dealii::FE_SimplexP;
  using dealii::MappingFE;
  using dealii::Point;
  using dealii::Tensor;
  using dealii::Triangulation;

  /// The same mesh with the vertices of every cell in a random one of the orders that keep its
  /// orientation positive.
  template <int dim>
  void
  shuffle_vertices(Triangulation<dim> &triangulation)
  {
    auto [vertices, cells, boundary] =
      dealii::GridTools::get_coarse_mesh_description(triangulation);
    std::mt19937 generator(42);
    for (dealii::CellData<dim> &cell : cells)
      {
        Tensor<2, dim> edges;
        do
          {
            std::shuffle(cell.vertices.begin(), cell.vertices.end(), generator);
            for (unsigned int d = 0; d < dim; ++d)
              edges[d] = vertices[cell.vertices[d + 1]] - vertices[cell.vertices[0]];
          }
        while (determinant(edges) < 0.);
      }
    triangulation.clear();
    triangulation.create_triangulation(vertices, cells, boundary);
  }

  /// The same domain with some edges between two triangles, here and there, replaced by the other
  /// diagonal of the quadrilateral that both are: then there are no rows of triangles.
  inline void
  turn_some_edges(Triangulation<2> &triangulation)
  {
    auto [vertices, cells, boundary] =
      dealii::GridTools::get_coarse_mesh_description(triangulation);
    std::map<std::set<unsigned int>, unsigned int> first_cells; // by edge
    std::vector<bool>                              is_done(cells.size(), false);
    std::mt19937                                   generator(42);
    const auto vertex_off = [&](const unsigned int cell, const std::set<unsigned int> &edge) {
      unsigned int v = 0;
      while (edge.count(cells[cell].vertices[v]) > 0)
        ++v;
      return cells[cell].vertices[v];
    };
    const auto area = [&](const unsigned int a, const unsigned int b, const unsigned int c) {
      return dealii::cross_product_2d(vertices[b] - vertices[a]) * (vertices[a] - vertices[c]);
    };
    for (unsigned int second = 0; second < cells.size(); ++second)
      for (unsigned int v = 0; v < 3 && !is_done[second]; ++v)
        {
          const unsigned int a = cells[second].vertices[v], b = cells[second].vertices[(v + 1) % 3];
          const auto [entry, is_new] = first_cells.try_emplace({a, b}, second);
          const unsigned int first   = entry->second;
          if (is_new || is_done[first] || generator() % 2 == 0)
            continue;
          const unsigned int c = vertex_off(second, {a, b}), d = vertex_off(first, {a, b});
          const double       least = 0.2 * area(a, b, c);
          if (area(a, d, c) < least || area(d, b, c) < least)
            continue;
          cells[first].vertices  = {a, d, c};
          cells[second].vertices = {d, b, c};
          is_done[first] = is_done[second] = true;
        }
    triangulation.clear();
    triangulation.create_triangulation(vertices, cells, boundary);
  }

  enum class Vertices
  {
    ordered,
    shuffled ///< and of triangles, some edges are others
  };

  /// The point (1, 1 + @p growth, 1 + 2 @p growth).
  template <int dim>
  Point<dim>
  far_corner(const double growth = 0.)
  {
    Point<dim> corner;
    for (unsigned int d = 0; d < dim; ++d)
      corner[d] = 1. + growth * d;
    return corner;
  }

  /// A box between the origin and @p corner with @p n subdivisions in each direction.
  template <int dim>
  void
  make_box(Triangulation<dim> &triangulation,
           const unsigned int  n,
           const double        distortion,
           const Point<dim>   &corner = far_corner<dim>())
  {
    Saltus::GridGenerator::box<dim>(
      triangulation, Point<dim>(), corner, std::vector<unsigned int>(dim, n), distortion);
  }

  /// Declares about every third cell, here and there, to be of a geometry that is not affine.
  template <int dim>
  GeometryKind
  some_are_stored(const typename ElementOrder<dim>::Cell &cell)
  {
    const Point<dim> center = cell->center();
    return std::fmod(17. * center[0] + 31. * center[1], 1.) < 0.3 ? GeometryKind::stored
                                                                  : GeometryKind::affine;
  }

  /// All of them.
  template <int dim>
  GeometryKind
  all_are_stored(const typename ElementOrder<dim>::Cell &)
  {
    return GeometryKind::stored;
  }

  template <int dim>
  std::shared_ptr<const ElementMesh<dim>>
  make_mesh(const dealii::Mapping<dim>              &mapping,
            const Triangulation<dim>                &triangulation,
            const std::vector<PeriodicBoundary>     &periodic        = {},
            const unsigned int                       matching_rounds = max_matching_rounds,
            const typename ElementOrder<dim>::Kinds &kinds           = {})
  {
    return std::make_shared<const ElementMesh<dim>>(
      mapping, triangulation, periodic, matching_rounds, kinds);
  }

  /// A box with straight cells.
  template <int dim>
  struct Box
  {
    explicit Box(const unsigned int n,
                 const double       distortion = 0.2,
                 const Point<dim>  &corner     = far_corner<dim>(),
                 const Vertices     vertices   = Vertices::ordered)
      : mapping(FE_SimplexP<dim>(1))
    {
      make_box(triangulation, n, distortion, corner);
      if (vertices == Vertices::ordered)
        return;
      if constexpr (dim == 2)
        turn_some_edges(triangulation);
      shuffle_vertices(triangulation);
    }

    std::shared_ptr<const ElementMesh<dim>>
    mesh(const std::vector<PeriodicBoundary>     &periodic        = {},
         const unsigned int                       matching_rounds = max_matching_rounds,
         const typename ElementOrder<dim>::Kinds &kinds           = {}) const
    {
      return make_mesh(mapping, triangulation, periodic, matching_rounds, kinds);
    }

    Triangulation<dim> triangulation;
    MappingFE<dim>     mapping;
  };

  /// That are compared with an assembly: of the highest ones it takes minutes with deal.II's
  /// assertions.
  template <int dim>
#ifdef DEBUG
  constexpr unsigned int max_assembled_degree = dim == 2 ? 4 : 2;
#else
  constexpr unsigned int max_assembled_degree = dim == 2 ? 8 : 6;
#endif

  /// Each side of a box and the one across are one.
  template <template <int> class Conditions, int dim>
  Conditions<dim>
  periodic_conditions()
  {
    Conditions<dim> conditions;
    for (unsigned int d = 0; d < dim; ++d)
      conditions.set_periodic(2 * d, 2 * d + 1);
    return conditions;
  }

  template <int dim, typename Cell>
  struct Neighbor
  {
    Cell           cell;
    unsigned int   face;
    Tensor<1, dim> shift; ///< from this side of a periodic boundary to that one
  };

  /// What lies across face @p f of a cell of a triangulation or of a DoFHandler on it; the box has
  /// the length 1 in its periodic directions.
  template <int dim, template <int, int> class MeshType>
  std::optional<Neighbor<dim, typename MeshType<dim, dim>::active_cell_iterator>>
  neighbor(const MeshType<dim, dim>                                &mesh,
           const std::vector<PeriodicBoundary>                     &periodic,
           const typename MeshType<dim, dim>::active_cell_iterator &cell,
           const unsigned int                                       f)
  {
    using Result = Neighbor<dim, typename MeshType<dim, dim>::active_cell_iterator>;
    if (!cell->at_boundary(f))
      return Result{cell->neighbor(f),
                    cell->neighbor_is_coarser(f) ? cell->neighbor_of_coarser_neighbor(f).first
                                                 : cell->neighbor_of_neighbor(f),
                    {}};
    const auto id = cell->face(f)->boundary_id();
    for (const PeriodicBoundary &pair : periodic)
      if (id == pair.first || id == pair.second)
        {
          Tensor<1, dim> shift;
          shift[pair.first / 2] = id == pair.first ? 1. : -1.;
          for (const auto &other : mesh.active_cell_iterators())
            for (const unsigned int g : other->face_indices())
              if (other->face(g)->center().distance(cell->face(f)->center() + shift) < 1e-10)
                return Result{other, g, shift};
        }
    return {};
  }
} // namespace Saltus::Tests

#endif
