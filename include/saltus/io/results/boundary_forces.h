// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_boundary_forces_h
#define saltus_io_results_boundary_forces_h

#include <saltus/io/results/boundary_quantities.h>

#include <optional>

namespace Saltus
{
  /// What coefficients are referred to.
  template <int dim>
  struct ReferenceState
  {
    double density = 1., velocity = 1., pressure = 0.;
    double area   = 1.; ///< in 2D a length
    double length = 1.; ///< of moments

    dealii::Tensor<1, dim> drag_direction, lift_direction; ///< unit vectors

    std::optional<dealii::Point<dim>> moment_point; ///< none: no moments are wanted

    /// \f$ \frac12\rho v^2 \f$
    double
    dynamic_pressure() const
    {
      return 0.5 * density * velocity * velocity;
    }

    /// \f$ c_p = (p - p_\text{ref}) / (\frac12\rho v^2) \f$
    double
    pressure_coefficient(const double p) const
    {
      return (p - pressure) / dynamic_pressure();
    }
  };


  /// Parts of the boundary and what pressure coefficients refer to, for ResultTable::definition().
  template <int dim>
  std::string
  pressure_definition(const std::set<dealii::types::boundary_id> &ids,
                      const ReferenceState<dim>                  &reference)
  {
    return numbers_text({ids.begin(), ids.end()}) +
           numbers_text({reference.pressure, reference.dynamic_pressure()});
  }


  /// Force of the fluid on parts of the boundary, \f$ \int (p - p_\text{ref}) n - \tau n \f$ with
  /// the normal out of the fluid, and its coefficients \f$ c = F\cdot e / (\frac12 \rho v^2 A) \f$.
  /// Pressure and friction are the momentum that passes the boundary by FluxesThroughFaces: through
  /// walls, the momentum that the domain loses there. One row: force, drag and lift coefficient of
  /// all chosen ids together, and in a viscous fluid what friction contributes to these
  /// coefficients; where there is a moment point \f$ x_0 \f$, the coefficients \f$ c_m = M /
  /// (\frac12 \rho v^2 A \ell) \f$ of the moment \f$ M = \int (x - x_0) \times \mathrm{d}F \f$, in
  /// 2D the one about the z axis, counter-clockwise; then, if there are several ids, the same of
  /// each.
  template <int dim>
  class BoundaryForces : public ResultTable<dim>
  {
  public:
    /// @throws dealii::ExcMessage naming @p entry for ids that the mesh does not have, and for an
    /// equation without pressure
    BoundaryForces(const SolutionSpace<dim>                   &space,
                   const std::set<dealii::types::boundary_id> &ids,
                   const ReferenceState<dim>                  &reference,
                   const std::string                          &entry);

    std::vector<std::string>
    columns() const override;

    std::string
    definition() const override;

    std::vector<std::vector<double>>
    rows(const double time, const SolutionVector &solution) const override;

  private:
    /// In 2D its z component alone.
    using Moment = dealii::Tensor<1, dim == 2 ? 1 : 3>;

    /// Of the force @p force at @p arm from the moment point.
    static Moment
    moment(const dealii::Tensor<1, dim> &arm, const dealii::Tensor<1, dim> &force);

    struct Force
    {
      dealii::Tensor<1, dim> pressure, friction;
      Moment                 moment;

      Force &
      operator+=(const Force &other);
    };

    /// `[id]`, on all ranks.
    std::vector<Force>
    forces(const double time) const;

    /// Add the numbers of one part of the boundary.
    void
    append(std::vector<double> &row, const Force &force) const;

    bool
    is_viscous() const
    {
      return space.quantities.has_friction;
    }

    const SolutionSpace<dim>                  &space;
    const std::set<dealii::types::boundary_id> ids;
    const ReferenceState<dim>                  reference;
    const std::vector<SurfaceFace<dim>>        faces;
    const FluxesThroughFaces<dim>              fluxes;
  };


  /// Volume that flows out through parts of the boundary, \f$ \int u\cdot n \f$, and where heat is
  /// conducted \f$ \int -k \nabla T \cdot n \f$, by FluxesThroughFaces: nothing through walls, no
  /// heat through adiabatic ones. Elliptic problems have \f$ \int -k \nabla u\cdot n \f$. One row
  /// with a column for each id, and another one of the heat.
  template <int dim>
  class BoundaryFluxes : public ResultTable<dim>
  {
  public:
    /// @throws dealii::ExcMessage naming @p entry for ids that the mesh does not have, and for an
    /// equation without velocity
    BoundaryFluxes(const SolutionSpace<dim>                   &space,
                   const std::set<dealii::types::boundary_id> &ids,
                   const std::string                          &entry);

    std::vector<std::string>
    columns() const override;

    std::vector<std::vector<double>>
    rows(const double time, const SolutionVector &solution) const override;

  private:
    const SolutionSpace<dim>                  &space;
    const std::set<dealii::types::boundary_id> ids;
    const std::vector<SurfaceFace<dim>>        faces;
    const FluxesThroughFaces<dim>              fluxes;
  };


  /// Pressure and its coefficient along parts of the boundary, at the quadrature points of the
  /// faces, by FluxesThroughFaces; in a viscous fluid the components of the friction coefficient
  /// \f$ -\tau n / (\frac12\rho v^2) \f$, the friction on the wall with its sign; where heat is
  /// conducted, the heat that leaves the fluid per area, \f$ -k \nabla T \cdot n \f$. In 2D the
  /// rows follow each connected curve with the fluid on the left and give its number and the arc
  /// length from its beginning, which is on a closed curve the vertex with the smallest x; in 3D
  /// they follow cell_numbers(). Their order does not depend on the ranks.
  template <int dim>
  class WallPressure : public ResultTable<dim>
  {
  public:
    /// @throws dealii::ExcMessage as BoundaryForces does
    WallPressure(const SolutionSpace<dim>                   &space,
                 const std::set<dealii::types::boundary_id> &ids,
                 const ReferenceState<dim>                  &reference,
                 const std::string                          &entry);

    std::vector<std::string>
    columns() const override;

    std::string
    definition() const override;

    std::vector<std::vector<double>>
    rows(const double time, const SolutionVector &solution) const override;

  private:
    const SolutionSpace<dim>                  &space;
    const std::set<dealii::types::boundary_id> ids;
    const ReferenceState<dim>                  reference;
    const std::vector<SurfaceFace<dim>>        faces;
    const FluxesThroughFaces<dim>              fluxes;

    /// In 2D, of each face: the number of its curve, the vertex at which it begins, the arc length
    /// there.
    struct Arc
    {
      unsigned int       curve;
      dealii::Point<dim> begin;
      double             length;
    };
    std::vector<Arc>         arcs;
    std::vector<std::size_t> face_order; ///< on the first rank: in which the faces of all ranks,
                                         ///< counted through the ranks, follow each other
  };
} // namespace Saltus

#endif
