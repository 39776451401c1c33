// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_cell_shape_h
#define saltus_fe_cell_shape_h

#include <deal.II/grid/reference_cell.h>

#include <saltus/fe/vertex_permutation.h>

#include <array>
#include <vector>

namespace Saltus
{
  /// Faces and vertices of a reference cell, and how two faces may meet: everything about a cell
  /// that depends neither on the mesh nor on polynomials.
  template <int dim>
  class CellShape
  {
  public:
    /// Of the triangle or the tetrahedron.
    CellShape();

    dealii::ReferenceCell reference_cell;
    unsigned int          n_faces;
    unsigned int          n_face_vertices;
    unsigned int          n_orientations; ///< permutations of a face's vertices
    std::vector<double>   face_normals;   ///< `[f][r]`, outward, length: the face's area

    /// Numbers of the vertices of a face.
    using FaceVertices = std::array<unsigned int, dim>;

    /// Number of the cell's vertex that is vertex @p j of face @p face.
    unsigned int
    face_vertex(const unsigned int face, const unsigned int j) const
    {
      return face_vertices[face][j];
    }

    /// Number among the vertices of face @p face of the cell's vertex @p vertex, which is on it.
    unsigned int
    vertex_in_face(const unsigned int face, const unsigned int vertex) const
    {
      unsigned int j = 0;
      while (face_vertices[face][j] != vertex)
        ++j;
      return j;
    }

    /// Number of the vertex that is not on face @p face.
    unsigned int
    opposite_vertex(const unsigned int face) const
    {
      return opposite_vertices[face];
    }

    /// Number of the face that vertex @p vertex is not on.
    unsigned int
    opposite_face(const unsigned int vertex) const
    {
      return opposite_faces[vertex];
    }

    /// Number in the cell of face @p face of an element with its vertices in another order.
    unsigned int
    face_in_cell(const unsigned int face, const VertexPermutation<dim> &vertices) const
    {
      return opposite_face(vertices[opposite_vertex(face)]);
    }

    /// 1 if the normal that goes with the order of the face's vertices points out of the cell, -1
    /// if it points into it.
    int
    face_sign(const unsigned int face) const
    {
      return face_signs[face];
    }

    /// Orientation number of a permutation: vertex j of a face is vertex `permutation[j]` of the
    /// neighbour's face. The identity has number 0.
    unsigned int
    orientation(const FaceVertices &permutation) const;

    const FaceVertices &
    permutation(const unsigned int orientation) const
    {
      return permutations[orientation];
    }

    /// 1 if the permutation with this number is even, -1 if it is odd.
    int
    permutation_sign(const unsigned int orientation) const
    {
      return permutation_signs[orientation];
    }

  private:
    void
    set_up_face(const unsigned int face);

    std::vector<FaceVertices>         permutations; ///< `[o]`, in lexicographic order
    std::vector<int>                  permutation_signs;
    std::vector<int>                  face_signs;
    std::array<FaceVertices, dim + 1> face_vertices;     ///< `[f][j]`
    std::array<unsigned int, dim + 1> opposite_vertices; ///< `[f]`
    std::array<unsigned int, dim + 1> opposite_faces;    ///< `[v]`
  };
} // namespace Saltus

#endif
