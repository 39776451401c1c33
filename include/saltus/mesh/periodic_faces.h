// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_periodic_faces_h
#define saltus_mesh_periodic_faces_h

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/tensor.h>
#include <deal.II/base/types.h>
#include <deal.II/grid/tria.h>

#include <array>
#include <vector>

namespace Saltus
{
  /// Two boundary parts that are one: faces with id `first` meet those with id `second`.
  struct PeriodicBoundary
  {
    dealii::types::boundary_id first;
    dealii::types::boundary_id second;
  };

  /// Two parts of the boundary that are one and the same: the part with id `second` is the part
  /// with id `first`, moved by `translation`.
  template <int dim>
  struct PeriodicFaces
  {
    dealii::types::boundary_id first  = dealii::numbers::invalid_boundary_id;
    dealii::types::boundary_id second = dealii::numbers::invalid_boundary_id;
    dealii::Tensor<1, dim>     translation;
  };

  /// A face, seen from its cell.
  struct CellFace
  {
    unsigned int cell = dealii::numbers::invalid_unsigned_int; ///< active cell index on its rank
    unsigned int face = dealii::numbers::invalid_unsigned_int; ///< number of the face in the cell
    unsigned int rank = 0;                                     ///< that owns the cell
    dealii::types::global_cell_index global_cell =
      0;                      ///< number of the cell among those of all ranks
    unsigned int n_faces = 0; ///< of the cell: they tell triangles from quadrilaterals
  };

  /// Two faces that periodicity makes one.
  template <int dim>
  struct PeriodicFacePair
  {
    CellFace first;
    CellFace second;

    /// Vertex `j` of the first face, moved by the translation, is vertex `vertex_permutation[j]` of
    /// the second. Vertices are numbered as each cell sees its face in the standard orientation:
    /// `cell->vertex(cell->reference_cell().face_to_cell_vertices(face, j, 1))`. Entries beyond the
    /// number of the face's vertices are not used.
    std::array<unsigned int, dealii::GeometryInfo<dim>::vertices_per_face> vertex_permutation{};
  };

  /// Pairs of active cells' boundary faces that the translations in @p periodic_faces map onto each
  /// other to within 1e-6 of the face's diameter; each pair once, with its first face on the first
  /// id. Takes \f$O(n\log n)\f$ operations for \f$n\f$ faces. Collective: all ranks of the
  /// triangulation get the pairs of all of them.
  ///
  /// Throws ExcMessage if the two ids of an entry are equal, if an id does not exist on the
  /// boundary or appears twice, or if a face on either side finds no partner (naming its id and
  /// centre).
  template <int dim>
  std::vector<PeriodicFacePair<dim>>
  match_periodic_faces(const dealii::Triangulation<dim>      &tria,
                       const std::vector<PeriodicFaces<dim>> &periodic_faces);

  /// Parts of the boundary whose distance is that of their centres. Collective.
  template <int dim>
  std::vector<PeriodicFaces<dim>>
  periodic_faces_of(const dealii::Triangulation<dim>    &tria,
                    const std::vector<PeriodicBoundary> &periodic_boundaries);

  /// The same as match_periodic_faces() for these.
  template <int dim>
  std::vector<PeriodicFacePair<dim>>
  match_periodic_boundaries(const dealii::Triangulation<dim>    &tria,
                            const std::vector<PeriodicBoundary> &periodic_boundaries);
} // namespace Saltus

#endif
