// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_cells_across_h
#define saltus_mesh_cells_across_h

#include <deal.II/grid/tria.h>

#include <saltus/base/ranks/collective.h>
#include <saltus/fe/cell_shape.h>
#include <saltus/mesh/position_text.h>

/// How the active cells of a triangulation meet, all numbers being those of deal.II's cells.
namespace Saltus
{
  template <int dim>
  struct CellAcross
  {
    typename dealii::Triangulation<dim>::cell_iterator cell; ///< active

    unsigned int face; ///< its number of the face
    /// Vertex j of the face on this side is vertex `permutation[j]` of the face across; where one
    /// is a part of the other, this is so for the part, see CellShape::n_sub_faces.
    typename CellShape<dim>::FaceVertices permutation;
    unsigned int sub_face = 0; ///< which part of the face across this side's is; 0: all of it
    unsigned int part     = 0; ///< which part of this side's face that one is; 0: all of it
  };

  /// Whether there is a cell of the same shape behind a face, or several smaller ones.
  template <typename Cell>
  bool
  meets_own_shape(const Cell &cell, const unsigned int f)
  {
    return !cell->at_boundary(f) && cell->neighbor(f)->reference_cell() == cell->reference_cell();
  }

  /// Whether a face, which is not at the boundary, meets smaller ones or is part of a larger one.
  template <typename Cell>
  bool
  is_hanging(const Cell &cell, const unsigned int f)
  {
    const auto neighbor = cell->neighbor(f);
    return neighbor->has_children() || neighbor->level() < cell->level();
  }

  template <typename Cell>
  bool
  has_hanging_face(const Cell &cell)
  {
    for (const unsigned int f : cell->face_indices())
      if (!cell->at_boundary(f) && is_hanging(cell, f))
        return true;
    return false;
  }

  /// Collective.
  /// @throws dealii::ExcMessage on all ranks if a cell of one of them has a hanging face
  template <int dim>
  void
  check_conforming(const dealii::Triangulation<dim> &triangulation)
  {
    if (triangulation.has_hanging_nodes()) // active cells of several levels, at least
      on_all_ranks(triangulation.get_communicator(), [&]() {
        for (const auto &cell : triangulation.active_cell_iterators())
          AssertThrow(!cell->is_locally_owned() || !has_hanging_face(cell),
                      dealii::ExcMessage("The mesh has hanging nodes at " + cell_text(cell) +
                                         "; only conforming meshes are supported: refine "
                                         "all cells, or take quadrilaterals or hexahedra, whose "
                                         "faces may hang."));
      });
  }

  /// Whether two cells whose maps have positive determinants lie on different sides of their common
  /// face: the normals that go with the two orders of the face's vertices point out of one cell and
  /// into the other.
  /// @param orientation see CellShape::orientation()
  template <int dim>
  bool
  on_both_sides(const CellShape<dim> &shape,
                const unsigned int    face,
                const CellShape<dim> &shape_across,
                const unsigned int    face_across,
                const unsigned int    orientation)
  {
    return shape.face_sign(face) * shape_across.face_sign(face_across) *
             shape.permutation_sign(orientation) ==
           -1;
  }

  /// The message for cells that are not on_both_sides() of a face.
  /// @param here,across the places of the cells
  template <int dim>
  std::string
  overlap_text(const dealii::Point<dim> &face_center,
               const std::string        &here,
               const std::string        &across)
  {
    return "The cells at " + here + " and " + across + " overlap: both lie on the same side of " +
           "their face with center " + position_text(face_center) + ". Move the vertices.";
  }

  namespace internal
  {
    template <typename Cell>
    void
    check_levels(const bool differ_by_one, const Cell &cell)
    {
      AssertThrow(differ_by_one,
                  dealii::ExcMessage(
                    "The mesh is refined by more than one level across a face of " +
                    cell_text(cell) + "."));
    }

    /// How face @p f of a cell meets its neighbour of the same level, active or not.
    template <int dim, typename Cell>
    CellAcross<dim>
    meet(const Cell           &cell,
         const CellShape<dim> &shape,
         const unsigned int    f,
         const Cell           &neighbor,
         const CellShape<dim> &shape_across)
    {
      CellAcross<dim> across{neighbor, 0, {}};
      while (across.face < shape_across.n_faces &&
             neighbor->face_index(across.face) != cell->face_index(f))
        ++across.face;
      check_levels(across.face < shape_across.n_faces, cell);
      for (unsigned int j = 0; j < shape.n_face_vertices; ++j)
        for (unsigned int k = 0; k < shape.n_face_vertices; ++k)
          if (cell->vertex_index(shape.face_vertex(f, j)) ==
              neighbor->vertex_index(shape_across.face_vertex(across.face, k)))
            across.permutation[j] = k;
      return across;
    }
  } // namespace internal

  /// Call @p visit with the CellAcross of each cell that an active one meets at face @p f, behind
  /// which there are cells of its own shape: of one, or of several smaller ones.
  ///
  /// Cells are refined isotropically: then child c is at vertex c of its parent, and has the order
  /// of its vertices. That is so for the children of triangles, quadrilaterals and hexahedra at
  /// the faces of their parents; hanging faces of tetrahedra must not be asked for.
  /// @throws dealii::ExcMessage if the cells' levels differ by more than one, as deal.II lets them
  /// do where squares meet at an edge of opposite directions
  template <int dim, typename Visit>
  void
  visit_cells_across(const typename dealii::Triangulation<dim>::active_cell_iterator &active,
                     const CellShape<dim>                                            &shape,
                     const unsigned int                                               f,
                     const Visit                                                     &visit)
  {
    using Cell          = typename dealii::Triangulation<dim>::cell_iterator;
    const Cell cell     = active;
    const Cell neighbor = cell->neighbor(f);
    Assert(shape.n_sub_faces > 0 || !is_hanging(cell, f), dealii::ExcNotImplemented());
    if (neighbor->has_children())
      {
        CellAcross<dim> across = internal::meet(cell, shape, f, neighbor, shape);
        for (unsigned int s = 0; s < shape.n_sub_faces; ++s)
          {
            across.part = s + 1;
            across.cell = neighbor->child(shape.face_vertex(across.face, across.permutation[s]));
            internal::check_levels(across.cell->is_active(), cell);
            visit(across);
          }
      }
    else if (neighbor->level() < cell->level())
      {
        const Cell   parent = cell->parent();
        unsigned int child  = 0;
        while (parent->child(child) != cell)
          ++child;
        CellAcross<dim> across = internal::meet(parent, shape, f, neighbor, shape);
        across.sub_face        = across.permutation[shape.vertex_in_face(f, child)] + 1;
        visit(across);
      }
    else
      visit(internal::meet(cell, shape, f, neighbor, shape));
  }
} // namespace Saltus

#endif
