// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_boundary_fluxes_h
#define saltus_operators_conservation_law_boundary_fluxes_h

#include <deal.II/grid/tria.h>

#include <saltus/base/algebra/array.h>
#include <saltus/physics/boundary_kind.h>

#include <vector>

namespace Saltus
{
  /// The numerical fluxes of a conservation law through a boundary face, at the points of one
  /// quadrature rule.
  template <typename Law>
  struct BoundaryFaceFluxes
  {
    static constexpr int dim = Law::dimension;

    using State = Array<double, Law::n_components>;

    struct Point
    {
      dealii::Point<dim>     position;
      dealii::Tensor<1, dim> normal;      ///< unit, out of the domain
      double                 weight;      ///< of the quadrature, times the area element
      State                  inside;      ///< state of the element
      State                  data;        ///< what the boundary condition gives, see BoundaryArrays
      State                  first_order; ///< \f$ F^*\cdot n \f$
      State                  second_order; ///< \f$ F_v^*\cdot n \f$ with penalty; 0 without such
    };

    typename dealii::Triangulation<dim>::active_cell_iterator cell;
    unsigned int                                              face; ///< of the cell
    BoundaryKind                                              kind;
    std::vector<Point>                                        points;
  };

  /// The quadrature rules on faces with which an operator integrates first-order and second-order
  /// fluxes.
  enum class FluxRule
  {
    first_order,
    second_order
  };
} // namespace Saltus

#endif
