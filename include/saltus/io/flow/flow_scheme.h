// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_flow_flow_scheme_h
#define saltus_io_flow_flow_scheme_h

#include <saltus/io/functions/quantities.h>
#include <saltus/operators/elliptic/elliptic_boundary_fluxes.h>
#include <saltus/operators/flow/flow_boundary_conditions.h>

#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace Saltus
{
  /// The fluxes of an incompressible flow through its boundary. Momentum passes by the pressure, by
  /// the numerical flux of the viscous operator, and where the velocity differs from the given one
  /// by convection. The transposed gradient \f$ -\nu (\nabla u)^T n \f$ makes the stress symmetric.
  /// Over a closed boundary its integral is that of the divergence's gradient.
  template <int dim>
  class FlowScheme : public BoundaryScheme<dim>
  {
  public:
    using typename BoundaryScheme<dim>::Face;

    /// A shape's ViscousOperator::of_component(), and its vector of FlowFields. The scheme keeps
    /// references to both.
    struct Part
    {
      const LaplaceOperator<dim> &component;
      const Vector<double>       &fields;
    };

    FlowScheme(const std::vector<Part>           &parts,
               const FlowBoundaryConditions<dim> &conditions,
               const double                       viscosity)
      : parts(parts)
      , conditions(conditions)
      , viscosity(viscosity)
    {}

    bool
    has_one_rule() const override
    {
      return true;
    }

    unsigned int
    degree() const override
    {
      return parts[0].component.element_space().reference.face_degree;
    }

    std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>>
    fluxes(const double                                time,
           const std::set<dealii::types::boundary_id> &ids,
           const bool /*for_second_order_fluxes*/) const override
    {
      using Id = dealii::types::boundary_id;
      std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>> result;
      for (const Part &part : parts)
        {
          const auto faces   = boundary_traces(part.component, {1.}, part.fields, ids);
          const auto viscous = values_at_points<dim>(
            faces, dim, [&](const Id id) { return conditions.viscous_data(id); }, time);
          const auto pressure = values_at_points<dim>(
            faces,
            1,
            [&](const Id id) {
              const auto &condition = conditions.at(id);
              return condition.kind == FlowBoundary::outflow ? condition.data
                                                             : FieldFunction<dim>();
            },
            time);
          std::size_t n = 0;
          for (const auto &face : faces)
            {
              result.push_back({{face.cell, face.face}, {}});
              for (const auto &point : face.points)
                {
                  result.back().second.push_back(flux(conditions.at(face.id).kind,
                                                      point,
                                                      face.penalty,
                                                      &viscous[n * dim],
                                                      pressure[n]));
                  ++n;
                }
            }
        }
      return result;
    }

  private:
    /// @param given,given_pressure data of the boundary conditions
    SurfaceFlux<dim>
    flux(const FlowBoundary                             kind,
         const typename BoundaryFaceTraces<dim>::Point &point,
         const double                                   penalty,
         const double                                  *given,
         const double                                   given_pressure) const
    {
      SurfaceFlux<dim> result;
      result.point  = point.position;
      result.normal = point.normal;
      result.weight = point.weight;
      dealii::Tensor<1, dim> u, g, derivative;
      Array<double, dim>     inside, data, n;
      for (unsigned int d = 0; d < dim; ++d)
        {
          u[d] = inside[d] = point.values[d];
          g[d] = data[d] = given[d];
          derivative[d]  = point.derivatives[d];
          n[d]           = point.normal[d];
        }
      const auto viscous = [&](const EllipticBoundary of_kind,
                               const double           value,
                               const double           slope,
                               const double           datum) {
        return interior_penalty_boundary(of_kind, value, slope, penalty, datum, 0.).value;
      };
      const auto convected = Convection<dim, true>{}.boundary_flux(kind, inside, data, n);
      switch (kind)
        {
          case FlowBoundary::velocity:
            result.pressure = point.values[dim];
            result.volume   = g * point.normal;
            for (unsigned int d = 0; d < dim; ++d)
              {
                result.friction[d] =
                  viscous(EllipticBoundary::dirichlet, u[d], derivative[d], g[d]);
                result.convected[d] = convected[d] - result.volume * g[d];
              }
            break;
          case FlowBoundary::slip:
            result.pressure = point.values[dim];
            result.friction = viscous(EllipticBoundary::dirichlet,
                                      u * point.normal,
                                      derivative * point.normal,
                                      0.) *
                              point.normal;
            for (unsigned int d = 0; d < dim; ++d)
              result.convected[d] = convected[d];
            break;
          default: // outflow
            result.pressure = given_pressure;
            result.volume   = u * point.normal;
            for (unsigned int d = 0; d < dim; ++d)
              result.friction[d] = viscous(EllipticBoundary::neumann, u[d], derivative[d], g[d]);
        }
      const double *slopes = &point.values[dim + 1]; // [c][d]
      for (unsigned int c = 0; c < dim; ++c)
        {
          for (unsigned int d = 0; d < dim; ++d)
            result.friction[c] -= slopes[d * dim + c] * point.normal[d];
          result.friction[c] *= viscosity;
        }
      return result;
    }

    const std::vector<Part>            parts;
    const FlowBoundaryConditions<dim> &conditions;
    const double                       viscosity;
  };
} // namespace Saltus

#endif
