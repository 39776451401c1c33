// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/gather.h>
#include <saltus/mesh/disjoint_sets.h>
#include <saltus/mesh/vertex_numbers.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// Call `body(v, w)` for the vertices v of an element that are the vertices w of the one behind
    /// its face @p f.
    /// @param part of a face that meets smaller ones: its number; below 0: the face is not larger
    template <int dim, typename Body>
    void
    for_common_vertices(const CellShape<dim> &shape,
                        const unsigned int    f,
                        const FaceRecord     &across,
                        const int             part,
                        const Body           &body)
    {
      // Where sizes differ, part s of a face has vertex s of it.
      const auto &permutation = shape.permutation(across.orientation);
      for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
        if ((part < 0 || static_cast<int>(j) == part) &&
            (across.sub_face == 0 || permutation[j] + 1u == across.sub_face))
          body(shape.face_vertex(f, j), shape.face_vertex(across.face, permutation[j]));
    }

    /// Call `body(e, f, across, part)` for all faces to ghosts, with a part as above.
    template <int dim, typename Body>
    void
    for_ghost_faces(const ElementMesh<dim> &mesh, const Body &body)
    {
      const auto visit =
        [&](const unsigned int e, const unsigned int f, const FaceRecord &across, const int part) {
          if (across.kind == FaceKind::ghost)
            body(e, f, across, part);
        };
      for (unsigned int e = 0; e < mesh.n_elements(); ++e)
        for (unsigned int f = 0; f < mesh.shape.n_faces; ++f)
          visit(e, f, mesh.connectivity.face(e, f), -1);
      for (const auto &hanging : mesh.connectivity.hanging_faces)
        for (unsigned int s = 0; s < mesh.shape.n_sub_faces; ++s)
          visit(hanging.element, hanging.face, hanging.parts[s], s);
    }

    /// The two vertices of a face between shapes, of an element and in it, in an order that both
    /// sides have.
    template <int dim>
    std::array<std::pair<unsigned int, unsigned int>, 2>
    vertices_of(const ElementMesh<dim> &mesh, const MixedFace &face)
    {
      const auto &there = mesh.connectivity.boundary_faces[face.boundary_face];
      const auto  of    = [&](const unsigned int j) {
        return std::make_pair(there.element, mesh.shape.face_vertex(there.face, j));
      };
      return {of(face.turned), of(!face.turned)};
    }

    template <int dim>
    unsigned int
    n_corners(const ElementMesh<dim> &mesh)
    {
      return mesh.shape.reference_cell.n_vertices();
    }
  } // namespace

  template <int dim>
  VertexNumbers<dim>::VertexNumbers(const Meshes &meshes, const std::vector<MixedFace> &mixed)
  {
    number_vertices(meshes);
    if (meshes[0]->partition)
      name_vertices(meshes, mixed);
  }

  template <int dim>
  void
  VertexNumbers<dim>::number_vertices(const Meshes &meshes)
  {
    // Vertices that meet at faces are one. Inside they have one number already, but not across
    // periodic boundaries.
    const unsigned int n_all = meshes[0]->order.triangulation.n_vertices();
    DisjointSets       vertices(n_all);
    for (const auto *mesh : meshes)
      for (unsigned int e = 0; e < mesh->n_elements(); ++e)
        for (unsigned int f = 0; f < mesh->shape.n_faces; ++f)
          if (const FaceRecord &across = mesh->connectivity.face(e, f);
              across.kind == FaceKind::interior)
            for_common_vertices(
              mesh->shape, f, across, -1, [&](const unsigned int v, const unsigned int w) {
                vertices.unite(mesh->order.vertex_index(e, v),
                               mesh->order.vertex_index(across.neighbor, w));
              });

    constexpr unsigned int    unset = numbers::invalid_unsigned_int;
    std::vector<unsigned int> number(n_all, unset);
    for (const auto *mesh : meshes)
      {
        of_elements.emplace_back();
        for (unsigned int e = 0; e < mesh->n_elements(); ++e)
          for (unsigned int v = 0; v < n_corners(*mesh); ++v)
            {
              unsigned int &of_root = number[vertices.root(mesh->order.vertex_index(e, v))];
              if (of_root == unset)
                of_root = n_vertices++;
              of_elements.back().push_back(of_root);
            }
      }
  }

  template <int dim>
  void
  VertexNumbers<dim>::name_vertices(const Meshes &meshes, const std::vector<MixedFace> &mixed)
  {
    const auto        &partition = meshes[0]->partition;
    const unsigned int rank      = this_rank(partition->communicator);
    first_names.push_back(0);
    for (const unsigned int n : all_gather(partition->communicator, n_vertices))
      first_names.push_back(first_names.back() + n);
    names.resize(n_vertices);
    std::iota(names.begin(), names.end(), first_names[rank]);
    at_border.resize(n_vertices);

    double     changes = 1.;
    const auto take    = [&](const unsigned int vertex, const std::size_t name) {
      if (name < names[vertex])
        {
          names[vertex] = name;
          changes       = 1.;
        }
    };
    // Names at the vertices of cells across, `[mesh][i][v]`.
    std::vector<std::vector<std::size_t>> of_cells(meshes.size());
    const auto in_cell = [&](const unsigned int p, const std::size_t i, const unsigned int v) {
      const bool ordered = !meshes[p]->order.vertices.empty();
      return i * n_corners(*meshes[p]) +
             (ordered ? meshes[p]->connectivity.ghosts[i].vertices[v] : v);
    };
    const auto exchange_ghosts = [&](const unsigned int p) {
      const unsigned int n       = n_corners(*meshes[p]);
      const auto        &ghosts  = meshes[p]->connectivity.ghosts;
      const auto        &order   = meshes[p]->order;
      const bool         ordered = !order.vertices.empty();
      of_cells[p].resize(ghosts.size() * n);
      for (std::size_t i = 0; i < ghosts.size(); ++i)
        for (unsigned int v = 0; v < n; ++v)
          {
            const std::size_t e = ghosts[i].element;
            of_cells[p][i * n + (ordered ? order.vertices[e][v] : v)] =
              names[of_elements[p][e * n + v]];
          }
      of_cells[p] =
        exchange_across(partition->communicator, meshes[p]->ghost_ranks(), n, of_cells[p]);
    };
    std::vector<unsigned int> mixed_ranks, mixed_vertices;
    for (const MixedFace &face : mixed)
      if (face.across == numbers::invalid_unsigned_int)
        {
          mixed_ranks.push_back(face.rank);
          for (const auto &[e, v] : vertices_of(*meshes[face.mesh], face))
            {
              mixed_vertices.push_back(
                of_elements[face.mesh][std::size_t(e) * n_corners(*meshes[face.mesh]) + v]);
              at_border[mixed_vertices.back()] = 1;
            }
        }

    // What is common with ghosts: this rank's vertex, and the one in the cell across.
    std::vector<std::vector<std::pair<unsigned int, std::size_t>>> shared(meshes.size());
    for (unsigned int p = 0; p < meshes.size(); ++p)
      {
        const ElementMesh<dim> &mesh = *meshes[p];
        for_ghost_faces(
          mesh,
          [&](
            const unsigned int e, const unsigned int f, const FaceRecord &across, const int part) {
            const auto first = of_elements[p].begin() + std::size_t(e) * n_corners(mesh);
            for (unsigned int j = 0; j < mesh.shape.n_face_vertices; ++j)
              at_border[first[mesh.shape.face_vertex(f, j)]] = 1;
            for_common_vertices(
              mesh.shape, f, across, part, [&](const unsigned int v, const unsigned int w) {
                shared[p].emplace_back(first[v],
                                       in_cell(p, across.neighbor - mesh.order.first_ghost(), w));
              });
          });
      }

    // The smallest name wanders from rank to rank around each vertex.
    while (changes > 0.)
      {
        changes = 0.;
        for (unsigned int p = 0; p < meshes.size(); ++p)
          {
            exchange_ghosts(p);
            for (const auto &[vertex, place] : shared[p])
              take(vertex, of_cells[p][place]);
          }
        if (meshes.size() > 1)
          {
            std::vector<std::size_t> at_faces;
            for (const unsigned int vertex : mixed_vertices)
              at_faces.push_back(names[vertex]);
            at_faces = exchange_across(partition->communicator, mixed_ranks, 2, at_faces);
            for (std::size_t i = 0; i < at_faces.size(); ++i)
              take(mixed_vertices[i], at_faces[i]);
          }
        changes = max_over_ranks(partition, changes);
      }

    // Without the face in between, a vertex at two sides of a periodic boundary was met as two.
    const std::vector<std::size_t>   of_all = std::exchange(names, {});
    const std::vector<unsigned char> border = std::exchange(at_border, {});
    std::vector<unsigned int>        number;
    for (unsigned int i = 0; i < n_vertices; ++i)
      {
        number.push_back(number_of(of_all[i]));
        at_border.resize(names.size());
        at_border[number[i]] |= border[i];
      }
    n_vertices = names.size();
    for (auto &of_mesh : of_elements)
      for (unsigned int &vertex : of_mesh)
        vertex = number[vertex];
    for (unsigned int p = 0; p < meshes.size(); ++p)
      for (std::size_t i = 0; i < meshes[p]->connectivity.ghosts.size(); ++i)
        for (unsigned int v = 0; v < n_corners(*meshes[p]); ++v)
          of_elements[p].push_back(number_of(of_cells[p][in_cell(p, i, v)]));
  }

  template <int dim>
  unsigned int
  VertexNumbers<dim>::number_of(const std::size_t name)
  {
    const auto [vertex, is_new] = known.emplace(name, names.size());
    if (is_new)
      names.push_back(name);
    return vertex->second;
  }

  template <int dim>
  std::vector<typename VertexNumbers<dim>::Hanging>
  VertexNumbers<dim>::find_hanging(const Meshes &meshes) const
  {
    std::unordered_map<unsigned int, Hanging> found;
    for (unsigned int p = 0; p < meshes.size(); ++p)
      {
        const ElementMesh<dim> &mesh   = *meshes[p];
        const CellShape<dim>   &shape  = mesh.shape;
        const unsigned int      n      = n_corners(mesh);
        const auto              number = [&](const unsigned int element, const unsigned int v) {
          const unsigned int ghost = mesh.order.first_ghost();
          const std::size_t  place =
            element < ghost ? element : std::size_t(mesh.n_elements()) + (element - ghost);
          return of_elements[p][place * n + v];
        };
        for (const auto &face : mesh.connectivity.hanging_faces)
          for (unsigned int s = 0; s < shape.n_sub_faces; ++s)
            {
              const FaceRecord &across      = face.parts[s];
              const auto       &permutation = shape.permutation(across.orientation);
              for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
                {
                  if (j == s)
                    continue;
                  // Vertex j of part s is in the middle between s and j: of an edge where these
                  // differ in one bit, which says on which side in a direction they are.
                  Hanging hanging;
                  hanging.vertex =
                    number(across.neighbor, shape.face_vertex(across.face, permutation[j]));
                  for (unsigned int k = 0; k < shape.n_face_vertices; ++k)
                    if (((k ^ s) & ~(s ^ j)) == 0)
                      hanging.masters[hanging.n_masters++] =
                        number(face.element, shape.face_vertex(face.face, k));
                  found.emplace(hanging.vertex, hanging);
                }
            }
      }
    std::vector<Hanging> result;
    for (const auto &[vertex, hanging] : found)
      result.push_back(hanging);
    std::sort(result.begin(), result.end(), [](const Hanging &a, const Hanging &b) {
      return a.vertex < b.vertex;
    });
    return result;
  }

  template class VertexNumbers<2>;
  template class VertexNumbers<3>;
} // namespace Saltus
