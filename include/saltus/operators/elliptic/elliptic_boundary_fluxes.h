// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_elliptic_boundary_fluxes_h
#define saltus_operators_elliptic_elliptic_boundary_fluxes_h

#include <saltus/operators/elliptic/laplace_operator.h>

#include <optional>
#include <set>
#include <vector>

namespace Saltus
{
  /// The numerical flux of an elliptic problem through a boundary face.
  template <int dim>
  struct EllipticFaceFluxes
  {
    struct Point
    {
      dealii::Point<dim>     position;
      dealii::Tensor<1, dim> normal; ///< unit, out of the domain
      double                 weight; ///< of the quadrature, times the area element
      double flux; ///< out of the domain: \f$ -k\,\partial_n u \f$ with the penalty, or as given
    };

    typename dealii::Triangulation<dim>::active_cell_iterator cell;
    unsigned int                                              face; ///< of the cell
    std::vector<Point>                                        points;
  };

  /// The fluxes that LaplaceOperator tests at this rank's boundary faces, see
  /// interior_penalty_boundary(). For a solution, the integrals of these fluxes over the whole
  /// boundary and of the reaction sum up to that of the source, to rounding and the solver's
  /// tolerance. Computed on the host.
  /// @param conditions,diffusion with which @p op was set up
  /// @param ids of the faces wanted
  /// @param time of the boundary data, see FieldFunction::time_at()
  template <int dim, typename Number>
  std::vector<EllipticFaceFluxes<dim>>
  boundary_fluxes(const LaplaceOperator<dim, Number>         &op,
                  const EllipticBoundaryConditions<dim>      &conditions,
                  const EllipticCoefficient<dim>             &diffusion,
                  const Vector<Number>                       &u,
                  const std::set<dealii::types::boundary_id> &ids,
                  const std::optional<double>                 time = {});
} // namespace Saltus

#endif
