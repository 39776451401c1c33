// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_cell_shape_h
#define saltus_fe_cell_shape_h

#include <deal.II/grid/reference_cell.h>

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

    /// Number of the cell's vertex that is vertex @p j of face @p face.
    unsigned int
    face_vertex(const unsigned int face, const unsigned int j) const
    {
      return reference_cell.face_to_cell_vertices(face, j, 1);
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
    orientation(const std::vector<unsigned int> &permutation) const;

    const std::vector<unsigned int> &
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

    std::vector<std::vector<unsigned int>> permutations; ///< `[o]`, in lexicographic order
    std::vector<int>                       permutation_signs;
    std::vector<int>                       face_signs;
  };
} // namespace Saltus

#endif
