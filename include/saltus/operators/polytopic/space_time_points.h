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
  template <int dim>
  struct CellsOfElements;


  /// Quadrature points of the prisms of a slab, made of those of elements and those of Gauss' rules
  /// in time. They integrate products of two polynomials of the prisms exactly in affine cells, and
  /// on their faces those of the two neighbours.
  ///
  /// A prism meets the neighbours of its element where they have a time in common, and the prism
  /// before it, or the slab's bottom. Where it ends is no facet of it: nothing comes from there.
  ///
  /// A cell of a prism is one of its element times the prism's step. Those of all prisms are
  /// counted, prism by prism, with those of ghosts behind them.
  template <int dim>
  class SpaceTimePoints
  {
  public:
    SpaceTimePoints() = default;

    /// @param slab must live as long
    /// @param extra_degree of all rules
    SpaceTimePoints(const SpaceTimeSlab<dim>  &slab,
                    const PolytopicSpace<dim> &space,
                    const LegendreFamily       family,
                    const unsigned int         extra_degree,
                    const Device               device);

    /// How they are numbered, with room for what the following two write.
    PolytopicPoints<dim + 1>
    numbering() const;

    /// Those in the prisms of a slab that begins at time 0.
    /// @param length of the slab
    /// @param numbers get their owners and weights
    PrismCellPoints<dim>
    in_cells(const double length, PolytopicPoints<dim + 1> &numbers) const;

    /// Those on facets.
    /// @param of_space facets in space
    PrismFacetPoints<dim>
    on_facets(const double               length,
              const Memory<FacetRecord> &of_space,
              PolytopicPoints<dim + 1>  &numbers) const;

    /// A block column for each prism from which one gets something.
    const std::shared_ptr<const BlockSparsity> &
    sparsity() const
    {
      return pattern;
    }

    /// Boxes of the prisms of such a slab and of ghosts, see box_numbers().
    MirroredArray<double>
    boxes(const double length) const;

    /// `[prism or ghost's]`
    const MirroredArray<int> &
    degrees() const
    {
      return degrees_of_prisms;
    }

    std::size_t
    n_cells() const
    {
      return prisms_of_cells.size();
    }

    /// The active cell of one of these.
    unsigned int
    cell_in_space(const unsigned int cell) const;

    /// The facet in space of an owner of points.
    unsigned int
    facet_in_space(const unsigned int facet) const;

    PolytopicPoints<dim> in_space; ///< those of elements

    PrismPieces volume, faces;
    PrismPieces middles; ///< of cells in their order, which are owners

  private:
    /// For what is written as a whole.
    template <typename T>
    Memory<T>
    room(const std::size_t n) const;

    SlabArrays
    slab_arrays() const;

    SpacePointArrays
    space_arrays() const;

    PrismPoints<dim>
    points_of(const PrismPieces &pieces, const double length) const;

    void
    make_cells(const LegendreFamily family);

    /// @param max_times of Gauss' rules
    void
    make_volume(const int extra_times, const int max_times);

    void
    make_faces(const LegendreFamily family,
               const int            common_degree,
               const int            extra_times,
               const int            max_times);

    std::shared_ptr<const CellsOfElements<dim>> cells_of_elements;

    const SpaceTimeSlab<dim> *slab   = nullptr;
    Device                    device = Device::cpu();
    MirroredArray<int>        degrees_of_elements, degrees_of_prisms;
    MirroredArray<int>        first_rows;                   ///< `[prism]`, with ghosts
    Memory<int>               first_cells, prisms_of_cells; ///< `[prism]`, `[cell]`; with ghosts

    std::shared_ptr<const BlockSparsity> pattern;
    Memory<PrismFacet>                   facets; ///< ordered by the blocks of the sparsity
    Memory<std::size_t>                  face_starts;
    Memory<int>                          steps; ///< see PolytopicPoints
  };
} // namespace Saltus

#endif
