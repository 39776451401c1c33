// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_shared_faces_h
#define saltus_mesh_shared_faces_h

#include <deal.II/base/mpi.h>

#include <saltus/fe/cell_shape.h>
#include <saltus/mesh/periodic_faces.h>

#include <map>
#include <vector>

namespace Saltus
{
  /// A face between a cell of this rank and one of another.
  template <int dim>
  struct SharedFace
  {
    unsigned int cell;        ///< active cell index
    unsigned int face;        ///< its number of the face
    unsigned int rank;        ///< that owns the cell across
    unsigned int face_across; ///< that cell's number of the face
    /// Vertex j of the face is vertex `permutation[j]` of the face of the cell across.
    typename CellShape<dim>::FaceVertices permutation;
  };

  /// All of them: by rank across, and for each rank in an order that this rank and that one agree
  /// on.
  /// @param periodic_pairs of all ranks, see match_periodic_boundaries()
  template <int dim>
  std::vector<SharedFace<dim>>
  find_shared_faces(const dealii::Triangulation<dim>         &triangulation,
                    const CellShape<dim>                     &shape,
                    const std::vector<PeriodicFacePair<dim>> &periodic_pairs);

  /// An order of the vertices of the cell across, with which the face has the same number and the
  /// same order of its vertices on both sides.
  /// @param number of the face in the element of this rank
  /// @param vertices of this element, as its cell numbers them
  template <int dim>
  VertexPermutation<dim>
  vertices_across(const SharedFace<dim>        &face,
                  const CellShape<dim>         &shape,
                  const unsigned int            number,
                  const VertexPermutation<dim> &vertices);

  /// Send the ranks across shared faces something for each of them. Collective.
  /// @param ranks `[i]`: across the shared faces, in ascending order
  /// @param n how many numbers there are for a face
  /// @param values `[i][n]`
  /// @return `[i][n]`: what the other ranks have sent
  template <typename T>
  std::vector<T>
  exchange_across(const MPI_Comm                   communicator,
                  const std::vector<unsigned int> &ranks,
                  const unsigned int               n,
                  const std::vector<T>            &values)
  {
    std::map<unsigned int, std::vector<T>> to_send;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      to_send[ranks[i]].insert(to_send[ranks[i]].end(),
                               values.begin() + i * n,
                               values.begin() + (i + 1) * n);
    std::vector<T> result;
    for (const auto &[rank, received] : dealii::Utilities::MPI::some_to_some(communicator, to_send))
      result.insert(result.end(), received.begin(), received.end());
    AssertDimension(result.size(), values.size());
    return result;
  }
} // namespace Saltus

#endif
