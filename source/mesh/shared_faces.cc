// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/ranks/rank_messages.h>
#include <saltus/base/ranks/ranks.h>
#include <saltus/mesh/cells_across.h>
#include <saltus/mesh/shared_faces.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace Saltus
{
  using namespace dealii;

  namespace
  {
    /// A face of a cell by numbers that mean the same on all ranks.
    using GlobalFace = std::pair<types::global_cell_index, unsigned int>;

    /// Both sides of a shared face, whichever of them asks.
    using GlobalSides = std::pair<GlobalFace, GlobalFace>;

    GlobalSides
    global_sides(const GlobalFace &one, const GlobalFace &other)
    {
      return {std::min(one, other), std::max(one, other)};
    }
  } // namespace

  template <int dim>
  std::vector<SharedFace<dim>>
  find_shared_faces(const Triangulation<dim>                 &triangulation,
                    const CellShape<dim>                     &shape,
                    const std::vector<PeriodicFacePair<dim>> &periodic_pairs)
  {
    std::vector<std::pair<SharedFace<dim>, GlobalSides>> faces;
    if (n_ranks(triangulation.get_communicator()) == 1)
      return {};

    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned() && cell->reference_cell() == shape.reference_cell)
        for (unsigned int f = 0; f < shape.n_faces; ++f)
          if (meets_own_shape(cell, f))
            visit_cells_across<dim>(cell, shape, f, [&](const CellAcross<dim> &across) {
              if (!across.cell->is_locally_owned())
                faces.push_back(
                  {{cell->active_cell_index(),
                    f,
                    across.cell->subdomain_id(),
                    across.face,
                    across.permutation,
                    across.sub_face,
                    across.part},
                   global_sides({cell->global_active_cell_index(), f},
                                {across.cell->global_active_cell_index(), across.face})});
            });

    const unsigned int here = this_rank(triangulation.get_communicator());
    for (const PeriodicFacePair<dim> &pair : periodic_pairs)
      if (pair.first.rank != pair.second.rank)
        {
          const GlobalSides sides = global_sides({pair.first.global_cell, pair.first.face},
                                                 {pair.second.global_cell, pair.second.face});
          const auto        add =
            [&](const CellFace &one, const CellFace &other, const unsigned int orientation) {
              if (one.rank == here)
                faces.push_back(
                  {{one.cell, one.face, other.rank, other.face, shape.permutation(orientation)},
                   sides});
            };
          const unsigned int orientation = shape.orientation(pair.vertex_permutation);
          add(pair.first, pair.second, orientation);
          add(pair.second, pair.first, shape.inverse(orientation));
        }

    std::sort(faces.begin(), faces.end(), [](const auto &a, const auto &b) {
      return std::tie(a.first.rank, a.second) < std::tie(b.first.rank, b.second);
    });
    std::vector<SharedFace<dim>> result;
    for (const auto &face : faces)
      result.push_back(face.first);
    return result;
  }

  template <int dim>
  VertexPermutation<dim>
  vertices_across(const SharedFace<dim>        &face,
                  const CellShape<dim>         &shape,
                  const unsigned int            number,
                  const VertexPermutation<dim> &vertices)
  {
    VertexPermutation<dim> across;
    for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
      {
        const unsigned int v = shape.face_vertex(number, j);
        const unsigned int k = face.permutation[shape.vertex_in_face(face.face, vertices[v])];
        across[v]            = shape.face_vertex(face.face_across, k);
      }
    across[shape.opposite_vertex(number)] = shape.opposite_vertex(face.face_across);
    return across;
  }

  void
  internal::exchange_across(const MPI_Comm                   communicator,
                            const std::vector<unsigned int> &ranks,
                            const std::size_t                size,
                            const void                      *sent,
                            void                            *received)
  {
    const auto               of_face = Utilities::MPI::create_mpi_data_type_n_bytes(size);
    std::vector<MPI_Request> requests;
    constexpr int            tag   = 0;
    std::size_t              first = 0;
    for (const auto &[rank, n] : rank_parts(ranks, 1))
      {
        requests.resize(requests.size() + 2);
        int status = MPI_Irecv(static_cast<char *>(received) + first * size,
                               n,
                               *of_face,
                               rank,
                               tag,
                               communicator,
                               &requests[requests.size() - 2]);
        AssertThrowMPI(status);
        status = MPI_Isend(static_cast<const char *>(sent) + first * size,
                           n,
                           *of_face,
                           rank,
                           tag,
                           communicator,
                           &requests.back());
        AssertThrowMPI(status);
        first += n;
      }
    if (requests.empty())
      return; // Open MPI takes no null pointer
    const int status = MPI_Waitall(requests.size(), requests.data(), MPI_STATUSES_IGNORE);
    AssertThrowMPI(status);
  }

#define SALTUS_SHARED_FACES(dim)                                           \
  template std::vector<SharedFace<dim>> find_shared_faces(                 \
    const Triangulation<dim> &,                                            \
    const CellShape<dim> &,                                                \
    const std::vector<PeriodicFacePair<dim>> &);                           \
  template VertexPermutation<dim> vertices_across(const SharedFace<dim> &, \
                                                  const CellShape<dim> &,  \
                                                  const unsigned int,      \
                                                  const VertexPermutation<dim> &);
  SALTUS_SHARED_FACES(2)
  SALTUS_SHARED_FACES(3)
#undef SALTUS_SHARED_FACES
} // namespace Saltus
