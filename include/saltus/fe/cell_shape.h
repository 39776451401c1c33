// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_fe_cell_shape_h
#define saltus_fe_cell_shape_h

#include <deal.II/base/exceptions.h>
#include <deal.II/base/geometry_info.h>
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
    /// @param reference_cell a simplex or a hypercube
    explicit CellShape(
      const dealii::ReferenceCell &reference_cell = dealii::ReferenceCells::get_simplex<dim>());

    dealii::ReferenceCell reference_cell;
    dealii::ReferenceCell face_cell; ///< of all faces
    unsigned int          n_faces;
    unsigned int          n_face_vertices;
    /// Ways in which a face's vertices may be turned: 2 of a line, 6 of a triangle, 8 of a
    /// quadrilateral.
    unsigned int n_orientations;
    /// Parts in which a hanging face meets smaller ones, at vertex s of the face part s, which has
    /// the order of its vertices. Those of triangles, which would have one in the middle, are not
    /// known: 0.
    unsigned int        n_sub_faces;
    std::vector<double> face_normals; ///< `[f][r]`, outward, length: the face's area

    /// Numbers of the vertices of a face. Entries beyond their number are not used.
    using FaceVertices = std::array<unsigned int, dealii::GeometryInfo<dim>::vertices_per_face>;

    bool
    is_simplex() const
    {
      return reference_cell.is_simplex();
    }

    /// Number of the cell's vertex that is vertex @p j of face @p face, in deal.II's standard
    /// orientation.
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

    /// Number of the vertex of a simplex that is not on face @p face.
    unsigned int
    opposite_vertex(const unsigned int face) const
    {
      Assert(is_simplex(), ExcOnlySimplices());
      return opposite_vertices[face];
    }

    /// Number of the face of a simplex that vertex @p vertex is not on.
    unsigned int
    opposite_face(const unsigned int vertex) const
    {
      Assert(is_simplex(), ExcOnlySimplices());
      return opposite_faces[vertex];
    }

    /// Number in the cell of face @p face of a simplex with its vertices in another order.
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
    /// @throws dealii::ExcMessage for a permutation that does not occur
    unsigned int
    orientation(const FaceVertices &permutation) const;

    const FaceVertices &
    permutation(const unsigned int orientation) const
    {
      return permutations[orientation];
    }

    /// The orientation as the neighbour sees it.
    unsigned int
    inverse(const unsigned int orientation) const;

    /// 1 if the permutation with this number turns the face, -1 if it makes it a mirror image.
    int
    permutation_sign(const unsigned int orientation) const
    {
      return permutation_signs[orientation];
    }

    DeclExceptionMsg(ExcOnlySimplices,
                     "Only in simplices has each face one vertex opposite, and can vertices have "
                     "any order.");

  private:
    void
    set_up_orientations();

    void
    set_up_face(const unsigned int face);

    std::vector<FaceVertices> permutations; ///< `[o]`, in lexicographic order
    std::vector<int>          permutation_signs;
    std::vector<int>          face_signs;
    std::vector<FaceVertices> face_vertices;     ///< `[f][j]`
    std::vector<unsigned int> opposite_vertices; ///< `[f]`, of simplices
    std::vector<unsigned int> opposite_faces;    ///< `[v]`, of simplices
  };
} // namespace Saltus

#endif
