// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_polytopic_points_h
#define saltus_operators_polytopic_polytopic_points_h

#include <deal.II/base/types.h>

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/base/device/memory.h>
#include <saltus/operators/polytopic/kernels/polytopic_records.h>
#include <saltus/operators/polytopic/polytopic_space.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Points of cells or facets on a device, so many at a time.
  template <int dim>
  struct PointSet
  {
    std::size_t
    size() const
    {
      return owners.size();
    }

    Memory<std::size_t> starts; ///< `[part]`, and the number of points
    Memory<double>      places; ///< `[point][d]`
    Memory<int>         owners; ///< `[point]`: number of the cell or facet
  };


  /// Quadrature points of polytopic elements, and which elements meet.
  template <int dim>
  struct PolytopicPoints
  {
    std::shared_ptr<const BlockSparsity> sparsity; ///< a block column for each neighbour

    PointSet<dim>  volume;   ///< parts are elements
    Memory<int>    elements; ///< `[owner]`: element in which it is
    Memory<double> weights;  ///< `[point]`

    /// Parts are the blocks of `sparsity`: the interface with the element of the column, and for
    /// the diagonal block the boundary. Owners are facets, counted through all elements.
    PointSet<dim>  faces;
    Memory<double> normals; ///< `[point][d]`: outward, with the weight as length
    Memory<int>    steps;   ///< `[block]`: steps of four points before it; and of all

    Memory<FacetGeometry> facets;
    Memory<double>        volumes, perimeters; ///< `[element or ghost]`

    std::vector<dealii::types::boundary_id> boundary_ids; ///< of the parts of the boundary

    /// What they were made from and the next ones on the mesh will be, see PolytopicMesh::cache.
    std::shared_ptr<const void> origin;
  };


  /// Those made of points of the cells and of the cells' faces. The rules integrate products of two
  /// polynomials of the elements exactly in affine cells, and on their faces those of the two
  /// neighbours. Collective.
  /// @param extra_degree of all rules
  template <int dim>
  PolytopicPoints<dim>
  quadrature_points(const PolytopicSpace<dim> &space,
                    const unsigned int         extra_degree,
                    const Device               device);


  /// The same by mappings of deal.II, for cells of any shape.
  template <int dim>
  PolytopicPoints<dim>
  mapped_points(const PolytopicSpace<dim> &space,
                const unsigned int         extra_degree,
                const Device               device);


  /// Kernels number a rank's points with 32 bits. Collective.
  /// @param ghosts none on one rank
  /// @throws dealii::ExcMessage on all ranks if there are more on one
  void
  check_number_of_points(const std::size_t n, const std::shared_ptr<const GhostElements> &ghosts);


  /// Numbers of the points on the boundary.
  template <int dim>
  Memory<int>
  points_on_boundary(const PolytopicPoints<dim> &points);


  /// Numbers of those of them that are on a part of it.
  /// @param part see PolytopicPoints::boundary_ids
  template <int dim>
  Memory<int>
  points_on_boundary(const PolytopicPoints<dim> &points,
                     const Memory<int>          &on_boundary,
                     const int                   part);


  /// Places of some points, `[i][d]`.
  template <int dim>
  Memory<double>
  places_of_points(const PointSet<dim> &points, const Memory<int> &list);


  /// Where to evaluate what may jump at facets, on either side of the points there:
  /// `[inside, outside][point][d]`.
  template <int dim>
  Memory<double>
  places_beside(const PolytopicPoints<dim> &points);


  /// `[block]` numbers of fours of points before each part of a set.
  std::vector<int>
  steps_of_four(const std::vector<std::size_t> &starts);
} // namespace Saltus

#endif
