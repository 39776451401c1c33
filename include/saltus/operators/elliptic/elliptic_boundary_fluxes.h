// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_elliptic_boundary_fluxes_h
#define saltus_operators_elliptic_elliptic_boundary_fluxes_h

#include <saltus/operators/elliptic/laplace_operator.h>

#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace Saltus
{
  /// The traces of a function with several components at a boundary face, as the interior penalty
  /// form takes them.
  template <int dim>
  struct BoundaryFaceTraces
  {
    struct Point
    {
      dealii::Point<dim>     position;
      dealii::Tensor<1, dim> normal;      ///< unit, out of the domain
      double                 weight;      ///< of the quadrature, times the area element
      std::vector<double>    values;      ///< `[c]`
      std::vector<double>    derivatives; ///< `[c]`: \f$ n\cdot k\,\nabla u_c \f$
    };

    typename dealii::Triangulation<dim>::active_cell_iterator cell;
    unsigned int                                              face; ///< of the cell
    dealii::types::boundary_id                                id;
    double                                                    penalty;
    std::vector<Point>                                        points;
  };

  /// The traces at this rank's boundary faces with @p ids, on the host.
  /// @param op whose points and penalties they have
  /// @param diffusion with which it was set up
  /// @param u on the elements of @p op with its degree, of any number of components
  template <int dim, typename Number>
  std::vector<BoundaryFaceTraces<dim>>
  boundary_traces(const LaplaceOperator<dim, Number>         &op,
                  const EllipticCoefficient<dim>             &diffusion,
                  const Vector<Number>                       &u,
                  const std::set<dealii::types::boundary_id> &ids);

  /// `[face][point][c]`: the values of functions at the points of @p faces, of @p n_components or
  /// empty: then zeros.
  /// @param function of a boundary id
  /// @param time see FieldFunction::time_at()
  template <int dim>
  std::vector<double>
  values_at_points(const std::vector<BoundaryFaceTraces<dim>> &faces,
                   const unsigned int                          n_components,
                   const std::function<FieldFunction<dim>(dealii::types::boundary_id id)> &function,
                   const std::optional<double>                                             time);

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
