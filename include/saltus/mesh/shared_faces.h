// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_shared_faces_h
#define saltus_mesh_shared_faces_h

#include <deal.II/base/mpi.h>

#include <saltus/fe/cell_shape.h>
#include <saltus/mesh/periodic_faces.h>

#include <type_traits>
#include <vector>

namespace Saltus
{
  /// A face between a cell of this rank and one of another; of a larger face that meets several
  /// cells of other ranks, the part that meets one of them.
  template <int dim>
  struct SharedFace
  {
    unsigned int cell;        ///< active cell index
    unsigned int face;        ///< its number of the face
    unsigned int rank;        ///< that owns the cell across
    unsigned int face_across; ///< that cell's number of the face
    /// Vertex j of the face is vertex `permutation[j]` of the face of the cell across, see
    /// CellAcross, also for the following.
    typename CellShape<dim>::FaceVertices permutation;
    unsigned int                          sub_face = 0;
    unsigned int                          part     = 0;
  };

  /// All of them between cells of a shape: by rank across, and for each rank in an order that this
  /// rank and that one agree on.
  /// @param periodic_pairs of all ranks, of cells of this shape, see match_periodic_boundaries()
  template <int dim>
  std::vector<SharedFace<dim>>
  find_shared_faces(const dealii::Triangulation<dim>         &triangulation,
                    const CellShape<dim>                     &shape,
                    const std::vector<PeriodicFacePair<dim>> &periodic_pairs);

  /// An order of the vertices of the cell across, a simplex, with which the face has the same
  /// number and the same order of its vertices on both sides.
  /// @param number of the face in the element of this rank
  /// @param vertices of this element, as its cell numbers them
  template <int dim>
  VertexPermutation<dim>
  vertices_across(const SharedFace<dim>        &face,
                  const CellShape<dim>         &shape,
                  const unsigned int            number,
                  const VertexPermutation<dim> &vertices);

  namespace internal
  {
    /// @param size in bytes of what is sent for a face
    void
    exchange_across(const MPI_Comm                   communicator,
                    const std::vector<unsigned int> &ranks,
                    const std::size_t                size,
                    const void                      *sent,
                    void                            *received);
  } // namespace internal

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
    static_assert(std::is_trivially_copyable_v<T>, "Values are sent as their bytes.");
    AssertDimension(values.size(), ranks.size() * n);
    std::vector<T> received(values.size());
    internal::exchange_across(communicator, ranks, n * sizeof(T), values.data(), received.data());
    return received;
  }
} // namespace Saltus

#endif
