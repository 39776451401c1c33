// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_simplex_points_h
#define saltus_operators_polytopic_simplex_points_h

#include <saltus/operators/polytopic/kernels/simplex_points.h>
#include <saltus/operators/polytopic/polytopic_points.h>

namespace Saltus
{
  /// Whether all cells are triangles or tetrahedra with affine maps.
  template <int dim>
  bool
  is_affine_simplices(const PolytopicMesh<dim> &mesh);


  /// The cells of a mesh of affine simplices element by element, in arrays on a device.
  template <int dim>
  struct SimplexCells
  {
    SimplexCells(const PolytopicMesh<dim> &mesh, const Device device);

    SimplexArrays<dim>
    arrays() const;

    Device
    device() const
    {
      return vertices.device();
    }

    /// Without those of ghosts.
    int
    size() const
    {
      return n_cells;
    }

    int                                     n_elements, n_known, n_cells;
    int                                     n_active;      ///< that the mesh has on this rank
    int                                     n_largest = 0; ///< cells of the largest element
    Memory<double>                          vertices;      // see SimplexArrays
    Memory<int>                             across, numbers, ranking, elements, first_cells;
    std::vector<dealii::types::boundary_id> boundary_ids;
  };


  /// quadrature_points() in affine simplices, which are made on the device, and so is the sparsity.
  template <int dim>
  PolytopicPoints<dim>
  simplex_points(const PolytopicSpace<dim> &space,
                 const SimplexCells<dim>   &cells,
                 const unsigned int         extra_degree);
} // namespace Saltus

#endif
