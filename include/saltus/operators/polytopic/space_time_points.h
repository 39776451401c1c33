// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_space_time_points_h
#define saltus_operators_polytopic_space_time_points_h

#include <saltus/fe/legendre.h>
#include <saltus/mesh/agglomerate/space_time_slab.h>
#include <saltus/operators/polytopic/polytopic_points.h>
#include <saltus/operators/polytopic/prism_pieces.h>

#include <vector>

namespace Saltus
{
  /// Quadrature points of the prisms of a slab, made of those of elements and those of Gauss' rules
  /// in time. They integrate products of two polynomials of the prisms exactly in affine cells, and
  /// on their faces those of the two neighbours.
  ///
  /// A prism meets the neighbours of its element where they have a time in common, and the prism
  /// before it, or the slab's bottom. Where it ends is no facet of it: nothing comes from there.
  template <int dim>
  class SpaceTimePoints
  {
  public:
    static constexpr unsigned int none     = static_cast<unsigned int>(-1);
    static constexpr std::size_t  no_facet = static_cast<std::size_t>(-1);

    /// A cell of an element times a step of it.
    struct Cell
    {
      unsigned int prism, of_space; ///< the latter the active cell
    };

    /// What prisms have in common; where they meet in time, one a cell.
    struct Facet
    {
      unsigned int prism, neighbor; ///< the latter none at the boundary
      unsigned int inside, outside; ///< numbers of cells
      std::size_t  of_space;        ///< facet in space; or no_facet
    };

    SpaceTimePoints() = default;

    /// Collective.
    /// @param extra_degree of all rules
    SpaceTimePoints(const SpaceTimeSlab<dim>  &slab,
                    const PolytopicSpace<dim> &space,
                    const LegendreFamily       family,
                    const unsigned int         extra_degree,
                    const Device               device);

    /// Those of a slab that begins at time 0; owners are cells and facets.
    /// @param length of the slab
    PolytopicPoints<dim + 1>
    make(const double length) const;

    /// A block column for each prism from which one gets something.
    const std::shared_ptr<const BlockSparsity> &
    sparsity() const
    {
      return pattern;
    }

    std::size_t n_points = 0, n_face_points = 0;

    std::vector<Cell>  cells;  ///< ordered by prisms, those of ghosts included
    std::vector<Facet> facets; ///< ordered by the blocks of the sparsity

    PolytopicPoints<dim> in_space; ///< those of elements

    PrismPieces volume;               ///< of points in elements
    PrismPieces interfaces, boundary; ///< of points on their faces
    PrismPieces ends, bottom;         ///< of points in elements, where prisms and slabs begin
    /// Of the middles of cells, ordered by elements, in the middle of steps; points are owners.
    PrismPieces middles;

  private:
    /// What the faces of prisms are made from.
    struct FacesInSpace
    {
      std::vector<std::size_t>   starts; ///< `[block]`
      std::vector<int>           owners; ///< `[point]`
      std::vector<FacetGeometry> facets;
    };

    void
    make_cells(const SpaceTimeSlab<dim> &slab);

    void
    make_volume(const SpaceTimeSlab<dim>       &slab,
                const PolytopicSpace<dim>      &space,
                const std::vector<std::size_t> &starts,
                const unsigned int              extra_degree);

    void
    make_faces(const SpaceTimeSlab<dim>       &slab,
               const PolytopicSpace<dim>      &space,
               const LegendreFamily            family,
               const std::vector<std::size_t> &starts_of_elements,
               const unsigned int              extra_degree);

    /// The facets of a prism with one neighbour, or none: the boundary.
    /// @param block in space
    void
    add_sides(const FacesInSpace                         &in_space,
              const int                                   block,
              const unsigned int                          prism,
              const typename SpaceTimeSlab<dim>::Contact &contact,
              const unsigned int                          n_times);

    /// Those with the prism before it, or with the slab's bottom.
    void
    add_bottom(const SpaceTimeSlab<dim>       &slab,
               const unsigned int              prism,
               const std::vector<std::size_t> &starts_of_elements);

    /// The number of a cell of an element times a step.
    unsigned int
    cell(const unsigned int prism, const unsigned int of_space) const
    {
      return first_cells[prism] + places_of_cells[of_space];
    }

    std::vector<unsigned int> first_cells;     ///< `[prism]`
    std::vector<int>          places_of_cells; ///< `[active cell]`: its place in its element

    std::shared_ptr<const BlockSparsity> pattern;
    std::vector<std::size_t>             volume_starts, face_starts;
    Memory<int>                          places_of_cells_there;
  };
} // namespace Saltus

#endif
