// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/curve/mapping_degree.h>
#include <saltus/mesh/mixed_mesh.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  template <int dim>
  const std::vector<ReferenceCell> &
  mixed_shapes()
  {
    static const std::vector<ReferenceCell> shapes = {ReferenceCells::get_simplex<dim>(),
                                                      ReferenceCells::get_hypercube<dim>()};
    return shapes;
  }

  namespace
  {
    /// `make(shape, degree of the maps)` for each shape.
    template <int dim, typename Make>
    MixedMesh<dim>
    make_parts(const Mapping<dim>       &mapping,
               const Triangulation<dim> &triangulation,
               const Make               &make)
    {
      AssertThrow(dim == 2 || !triangulation.is_mixed_mesh(),
                  ExcMessage("Meshes that mix shapes are of triangles and quadrilaterals: in 3D "
                             "use tetrahedra only, or hexahedra only."));
      MixedMesh<dim> meshes;
      for (const ReferenceCell &shape : mixed_shapes<dim>())
        meshes.push_back(make(shape, mapping_degree(mapping_of(mapping, shape))));
      return meshes;
    }
  } // namespace

  template <int dim>
  MixedMesh<dim>
  make_mixed_mesh(const Mapping<dim>                  &mapping,
                  const Triangulation<dim>            &triangulation,
                  const std::vector<PeriodicBoundary> &periodic_boundaries)
  {
    return make_parts(
      mapping, triangulation, [&](const ReferenceCell &shape, const unsigned int map_degree) {
        return std::make_shared<const ElementMesh<dim>>(mapping,
                                                        triangulation,
                                                        periodic_boundaries,
                                                        max_matching_rounds,
                                                        typename ElementOrder<dim>::Kinds(),
                                                        map_degree,
                                                        shape);
      });
  }

  template <int dim>
  MixedMesh<dim>
  make_mixed_mesh(const Mapping<dim>                        &mapping,
                  const Triangulation<dim>                  &triangulation,
                  const std::vector<PeriodicBoundary>       &periodic_boundaries,
                  const std::vector<VertexPermutation<dim>> &vertices)
  {
    return make_parts(mapping,
                      triangulation,
                      [&](const ReferenceCell &shape, const unsigned int map_degree) {
                        return std::make_shared<const ElementMesh<dim>>(
                          mapping, triangulation, periodic_boundaries, vertices, map_degree, shape);
                      });
  }

  namespace
  {
    /// A face by the numbers of its cells among those of all ranks, the smaller one first.
    using GlobalFace = std::pair<types::global_cell_index, types::global_cell_index>;

    template <int dim>
    bool
    comes_before(const Point<dim> &a, const Point<dim> &b)
    {
      return std::lexicographical_compare(a.begin_raw(), a.end_raw(), b.begin_raw(), b.end_raw());
    }
  } // namespace

  template <int dim>
  std::vector<MixedFace>
  find_mixed_faces(const MixedMesh<dim> &meshes)
  {
    std::vector<std::pair<MixedFace, GlobalFace>> faces;
    for (unsigned int m = 0; m < meshes.size(); ++m)
      {
        const ElementOrder<dim> &order = meshes[m]->order;
        const CellShape<dim>    &shape = meshes[m]->shape;
        const unsigned int       here  = this_rank(order.triangulation.get_communicator());
        const auto              &list  = meshes[m]->connectivity.boundary_faces;
        for (unsigned int b = 0; b < list.size(); ++b)
          if (list[b].is_inside())
            {
              const auto        &cell     = order.cells[list[b].element];
              const auto         neighbor = cell->neighbor(list[b].cell_face);
              const unsigned int rank =
                neighbor->is_locally_owned() ? here : neighbor->subdomain_id();
              const auto vertex = [&](const unsigned int j) {
                return order.triangulation.get_vertices()[order.vertex_index(
                  list[b].element, shape.face_vertex(list[b].face, j))];
              };
              const auto sides = std::minmax(
                {cell->global_active_cell_index(), neighbor->global_active_cell_index()});
              // Two cells of different shapes share no second face.
              faces.push_back({{m,
                                b,
                                comes_before<dim>(vertex(1), vertex(0)),
                                rank,
                                numbers::invalid_unsigned_int},
                               {sides.first, sides.second}});
            }
      }
    const unsigned int here =
      meshes.empty() ? 0 : this_rank(meshes[0]->order.triangulation.get_communicator());
    std::sort(faces.begin(), faces.end(), [&](const auto &a, const auto &b) {
      const auto key = [&](const auto &face) {
        return std::make_tuple(face.first.rank != here,
                               face.first.rank,
                               face.second,
                               face.first.mesh);
      };
      return key(a) < key(b);
    });
    std::vector<MixedFace> result;
    for (unsigned int i = 0; i < faces.size(); ++i)
      {
        result.push_back(faces[i].first);
        // The two sides of a face follow each other.
        if (result[i].rank == here)
          result[i].across = i ^ 1U;
      }
    return result;
  }

#define SALTUS_MIXED_MESH(dim)                                                                             \
  template const std::vector<ReferenceCell> &mixed_shapes<dim>();                                          \
  template MixedMesh<dim>                    make_mixed_mesh(const Mapping<dim> &,                         \
                                                             const Triangulation<dim> &,                   \
                                                             const std::vector<PeriodicBoundary> &);       \
  template MixedMesh<dim>                    make_mixed_mesh(const Mapping<dim> &,                         \
                                                             const Triangulation<dim> &,                   \
                                                             const std::vector<PeriodicBoundary> &,        \
                                                             const std::vector<VertexPermutation<dim>> &); \
  template std::vector<MixedFace>            find_mixed_faces(const MixedMesh<dim> &);
  SALTUS_MIXED_MESH(2)
  SALTUS_MIXED_MESH(3)
#undef SALTUS_MIXED_MESH
} // namespace Saltus
