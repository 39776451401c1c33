// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_polytopic_polytopic_form_h
#define saltus_operators_polytopic_polytopic_form_h

#include <saltus/base/algebra/block_csr_matrix.h>
#include <saltus/operators/polytopic/coordinate_assembly.h>
#include <saltus/operators/polytopic/kernels/polytopic_records.h>
#include <saltus/operators/polytopic/polytopic_points.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// A coefficient of a form on a device: one value, one for each owner of points, or one for each
  /// point.
  struct PolytopicCoefficient
  {
    PointCoefficient
    arrays() const
    {
      return {n_components, place, values.data(), outside};
    }

    int                     n_components = 0; ///< 0: it is zero
    PointCoefficient::Place place        = PointCoefficient::Place::everywhere;
    Memory<double>          values;      ///< `[place][component]`
    std::size_t             outside = 0; ///< see PointCoefficient
  };


  /// Those at the points of one set.
  struct PolytopicCoefficients
  {
    PolytopicCoefficient diffusion, velocity, reaction;
    bool                 evolves = false; ///< see AssembleRows
  };


  /// The form of PolytopicOperator on elements with boxes, at points that somebody has made: what
  /// assembles matrices and right-hand sides, without a mesh and functions behind it.
  template <int dim>
  class PolytopicForm
  {
  public:
    /// Give back memory, before points for other elements take their own.
    void
    release();

    /// @param boxes of elements and ghosts, see box_numbers()
    /// @param degrees `[element or ghost]`
    /// @param common_degree of all of them; 0: they have several
    /// @param points how they are numbered; of their places, weights and normals nothing is read
    /// @param in_cells,on_facets where they are, see StoredCellPoints and StoredFacetPoints
    /// @param in_elements,on_faces coefficients at the two sets of points; of the latter those of
    /// owners are found by FacetRecord::inside and `outside`
    /// @param family of the elements' polynomials, for which the points are
    /// @return what is wrong with the coefficients
    template <typename CellPoints, typename FacetPoints>
    PolytopicFailureRecord
    reinit(const MirroredArray<double> &boxes,
           const MirroredArray<int>    &degrees,
           const int                    common_degree,
           PolytopicPoints<dim>       &&points,
           const CellPoints            &in_cells,
           const FacetPoints           &on_facets,
           const PolytopicCoefficients &in_elements,
           const PolytopicCoefficients &on_faces,
           const LegendreFamily         family = LegendreFamily::total);

    Device
    device() const
    {
      return weights.device();
    }

    const std::shared_ptr<const BlockSparsity> &
    sparsity() const
    {
      return pattern;
    }

    /// Where load() wants values of the source term.
    const PointSet<dim> &
    volume_points() const
    {
      return volume;
    }

    std::size_t
    n_face_points() const
    {
      return face_records.size() / FacetPoint<dim, double>::n_numbers;
    }

    /// All blocks of a matrix with sparsity().
    void
    assemble(BlockCSRMatrix<double> &matrix,
             const PolytopicAssembly assembly = PolytopicAssembly::in_place) const;

    /// The right-hand side.
    /// @param source `[point]` of volume_points(); none: 0
    /// @param data `[point]` of all points on faces: what boundary conditions give, 0 elsewhere;
    /// none: 0
    void
    load(Vector<double> &b, const Memory<double> &source, const Memory<double> &data) const;

  private:
    void
    make_elements();

    void
    sort_by_degree(const int common_degree);

    void
    prepare_kernels() const;

    BoxArrays<dim>
    box_arrays() const;

    PolytopicElements<dim>
    elements() const;

    std::shared_ptr<const BlockSparsity> pattern;
    std::shared_ptr<const void>          origin; ///< see PolytopicPoints

    // Elements.
    MirroredArray<double> boxes;
    MirroredArray<int>    degrees;
    Memory<int>           sorted_elements;
    ElementsByDegree      by_degree;
    LegendreFamily        family  = LegendreFamily::total;
    bool                  evolves = false; ///< see AssembleRows
    Memory<double>        scales;
    Memory<unsigned char> powers;

    // Points.
    PointSet<dim>       volume; ///< places where load() wants to know of them
    Memory<double>      weights;
    Memory<std::size_t> face_starts;
    Memory<int>         face_steps, face_owners;
    Memory<double>      volume_records, face_records, boundary_factors;
  };
} // namespace Saltus

#endif
