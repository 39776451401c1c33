// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/mesh/make/flat_mesh.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// `[number of vertices of a cell][face]`: numbers of its vertices
    template <int dim>
    std::vector<std::vector<std::vector<unsigned int>>>
    vertices_of_faces()
    {
      std::vector<std::vector<std::vector<unsigned int>>> result(
        GeometryInfo<dim>::vertices_per_cell + 1);
      for (const ReferenceCell &shape :
           {ReferenceCells::get_simplex<dim>(), ReferenceCells::get_hypercube<dim>()})
        for (const unsigned int f : shape.face_indices())
          {
            auto &faces = result[shape.n_vertices()];
            faces.emplace_back();
            for (unsigned int v = 0; v < shape.face_reference_cell(f).n_vertices(); ++v)
              faces.back().push_back(shape.face_to_cell_vertices(f, v, 1));
          }
      return result;
    }


    /// Calls `visit(c, d)` for cells that have a face in common, c < d.
    template <int dim, typename Visit>
    void
    for_neighbors(const FlatMesh<dim> &mesh, const Visit &visit)
    {
      // Faces stand by their smallest vertices; two more of the others tell them apart.
      struct Face
      {
        std::uint64_t others;
        unsigned int  cell;
      };
      const auto vertices_of   = vertices_of_faces<dim>();
      const auto for_all_faces = [&](const auto &body) {
        for (unsigned int c = 0; c < mesh.n_cells(); ++c)
          for (const auto &face : vertices_of[mesh.starts[c + 1] - mesh.starts[c]])
            {
              std::array<unsigned int, GeometryInfo<dim>::vertices_per_face> v;
              for (unsigned int i = 0; i < face.size(); ++i)
                {
                  v[i] = mesh.corners[mesh.starts[c] + face[i]];
                  for (unsigned int j = i; j > 0 && v[j] < v[j - 1]; --j)
                    std::swap(v[j], v[j - 1]);
                }
              body(c, v);
            }
      };
      std::vector<std::size_t> ends(mesh.vertices.size() + 1, 0);
      for_all_faces([&](const unsigned int, const auto &v) { ++ends[v[0] + 1]; });
      std::partial_sum(ends.begin(), ends.end(), ends.begin());
      std::vector<Face>        faces(ends.back());
      std::vector<std::size_t> next(ends.begin(), ends.end() - 1);
      for_all_faces([&](const unsigned int c, const auto &v) {
        std::uint64_t others = 0;
        for (unsigned int i = 1; i < dim; ++i)
          others = others << 32 | v[i];
        const std::size_t end = next[v[0]]++;
        for (std::size_t f = ends[v[0]]; f < end; ++f)
          if (faces[f].others == others)
            visit(faces[f].cell, c);
        faces[end] = {others, c};
      });
    }
  } // namespace


  template <int dim>
  FlatMesh<dim>
  flatten(const Triangulation<dim> &triangulation)
  {
    using Kind = typename FlatMesh<dim>::Kind;
    FlatMesh<dim> mesh;
    mesh.vertices        = triangulation.get_vertices();
    const unsigned int n = triangulation.n_active_cells();
    mesh.starts.reserve(n + 1);
    mesh.corners.reserve(n * (dim + 1));
    mesh.material_ids.reserve(n);
    mesh.manifold_ids.reserve(n);
    for (const auto &cell : triangulation.active_cell_iterators())
      {
        const unsigned int c = mesh.n_cells();
        const auto add = [&](const Kind kind, const unsigned int number, const unsigned int id) {
          mesh.ids.push_back({c, id, kind, static_cast<unsigned char>(number)});
        };
        for (const unsigned int v : cell->vertex_indices())
          mesh.corners.push_back(cell->vertex_index(v));
        mesh.starts.push_back(mesh.corners.size());
        mesh.material_ids.push_back(cell->material_id());
        mesh.manifold_ids.push_back(cell->manifold_id());
        for (const unsigned int f : cell->face_indices())
          {
            const auto face = cell->face(f);
            if (face->at_boundary() && face->boundary_id() != 0)
              add(Kind::boundary, f, face->boundary_id());
            if (face->manifold_id() != numbers::flat_manifold_id)
              add(Kind::face, f, face->manifold_id());
          }
        if constexpr (dim == 3)
          for (const unsigned int l : cell->line_indices())
            if (const auto id = cell->line(l)->manifold_id(); id != numbers::flat_manifold_id)
              add(Kind::line, l, id);
      }
    return mesh;
  }


  template <int dim>
  std::vector<CellData<dim>>
  take_cells(FlatMesh<dim> &mesh)
  {
    std::vector<CellData<dim>> cells;
    cells.reserve(mesh.n_cells());
    for (unsigned int c = 0; c < mesh.n_cells(); ++c)
      {
        cells.emplace_back(0);
        CellData<dim> &cell = cells.back();
        cell.vertices.assign(mesh.corners.begin() + mesh.starts[c],
                             mesh.corners.begin() + mesh.starts[c + 1]);
        cell.material_id = mesh.material_ids[c];
        cell.manifold_id = mesh.manifold_ids[c];
      }
    mesh.starts       = {0};
    mesh.corners      = std::vector<unsigned int>();
    mesh.material_ids = std::vector<types::material_id>();
    mesh.manifold_ids = std::vector<types::manifold_id>();
    return cells;
  }


  template <int dim>
  void
  set_ids(const std::vector<typename FlatMesh<dim>::Id> &ids, Triangulation<dim> &triangulation)
  {
    using Kind = typename FlatMesh<dim>::Kind;
    for (const auto &id : ids)
      {
        const typename Triangulation<dim>::cell_iterator cell(&triangulation, 0, id.cell);
        if (id.kind == Kind::boundary)
          cell->face(id.number)->set_all_boundary_ids(id.id);
        else if (id.kind == Kind::face)
          cell->face(id.number)->set_manifold_id(id.id);
        else if constexpr (dim == 3)
          cell->line(id.number)->set_manifold_id(id.id);
      }
  }


  template <int dim>
  void
  create_triangulation(FlatMesh<dim> mesh, Triangulation<dim> &triangulation)
  {
    const std::vector<CellData<dim>> cells = take_cells(mesh);
    triangulation.create_triangulation(mesh.vertices, cells, SubCellData());
    set_ids(mesh.ids, triangulation);
  }


  template <int dim>
  WeightedGraph
  face_graph(const FlatMesh<dim> &mesh)
  {
    std::vector<std::pair<unsigned int, unsigned int>> pairs;
    WeightedGraph                                      graph;
    graph.weights.assign(mesh.n_cells(), 1);
    graph.starts.assign(mesh.n_cells() + 1, 0);
    pairs.reserve(mesh.corners.size() / dim * 2);
    for_neighbors(mesh, [&](const unsigned int c, const unsigned int d) {
      pairs.emplace_back(c, d);
      ++graph.starts[c + 1];
      ++graph.starts[d + 1];
    });
    std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
    graph.edges.resize(graph.starts.back());
    std::vector<std::size_t> next(graph.starts.begin(), graph.starts.end() - 1);
    for (const auto &[c, d] : pairs)
      {
        graph.edges[next[c]++] = {d, 1};
        graph.edges[next[d]++] = {c, 1};
      }
    return graph;
  }


#define SALTUS_INSTANTIATE(dim)                                                                 \
  template FlatMesh<dim>              flatten(const Triangulation<dim> &);                      \
  template std::vector<CellData<dim>> take_cells(FlatMesh<dim> &);                              \
  template void set_ids(const std::vector<typename FlatMesh<dim>::Id> &, Triangulation<dim> &); \
  template void create_triangulation(FlatMesh<dim>, Triangulation<dim> &);                      \
  template WeightedGraph face_graph(const FlatMesh<dim> &);
  SALTUS_INSTANTIATE(2)
  SALTUS_INSTANTIATE(3)
#undef SALTUS_INSTANTIATE
} // namespace Saltus
