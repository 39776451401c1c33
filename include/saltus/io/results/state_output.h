// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_state_output_h
#define saltus_io_results_state_output_h

#include <saltus/io/functions/quantities.h>
#include <saltus/io/results/inadmissible_results.h>
#include <saltus/operators/conservation_law/conservation_law_operator.h>
#include <saltus/physics/euler.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Output of the states of a conservation law (see Advection for what a law offers).
namespace Saltus
{
  /// Fluxes of a gas through its boundary, from the numerical ones. The heat is the energy of the
  /// second-order flux without the work of its stress on what is behind the boundary.
  template <int dim>
  SurfaceFlux<dim>
  surface_flux(const Euler<dim>                                     &gas,
               const BoundaryKind                                    kind,
               const typename BoundaryFaceFluxes<Euler<dim>>::Point &point)
  {
    const auto       behind = gas.diffusive_boundary_state(kind, point.inside, point.data);
    SurfaceFlux<dim> result;
    result.point  = point.position;
    result.normal = point.normal;
    result.weight = point.weight;
    dealii::Tensor<1, dim> traction, velocity;
    for (unsigned int d = 0; d < dim; ++d)
      {
        const double convected = point.first_order[0] * point.inside[1 + d] / point.inside[0];
        traction[d]            = point.first_order[1 + d] - convected;
        if (kind == BoundaryKind::wall)
          result.convected[d] = convected;
        velocity[d]        = behind[1 + d] / behind[0];
        result.friction[d] = -point.second_order[1 + d];
      }
    if (kind == BoundaryKind::wall)
      velocity -= (velocity * point.normal) * point.normal;
    result.pressure = traction * point.normal;
    result.shear    = traction - result.pressure * point.normal;
    result.volume   = point.first_order[0] / point.inside[0];
    result.heat     = -point.second_order[dim + 1] - velocity * result.friction;
    return result;
  }

  /// See SolutionSpace::scheme.
  /// @tparam Operator ConservationLawOperator or MixedConservationLawOperator of a gas
  template <int dim, typename Operator>
  class GasBoundary : public BoundaryScheme<dim>
  {
  public:
    using typename BoundaryScheme<dim>::Face;

    /// Keeps references to all.
    GasBoundary(const Euler<dim> &gas, const Operator &op, const typename Operator::VectorType &u)
      : gas(gas)
      , op(op)
      , u(u)
    {}

    bool
    has_one_rule() const override
    {
      return op.has_one_flux_rule();
    }

    unsigned int
    degree() const override
    {
      return op.face_degree(FluxRule::second_order);
    }

    std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>>
    fluxes(const double                                time,
           const std::set<dealii::types::boundary_id> &ids,
           const bool                                  for_second_order_fluxes) const override
    {
      std::vector<std::pair<Face, std::vector<SurfaceFlux<dim>>>> result;
      for (const auto &face : op.boundary_fluxes(u,
                                                 time,
                                                 ids,
                                                 for_second_order_fluxes ? FluxRule::second_order
                                                                         : FluxRule::first_order))
        {
          result.push_back({{face.cell, face.face}, {}});
          for (const auto &point : face.points)
            result.back().second.push_back(surface_flux(gas, face.kind, point));
        }
      return result;
    }

  private:
    const Euler<dim>                    &gas;
    const Operator                      &op;
    const typename Operator::VectorType &u;
  };

  /// nullptr for laws without pressure.
  template <int dim, typename Law, typename Operator>
  std::shared_ptr<const BoundaryScheme<dim>>
  boundary_scheme(const Law &law, const Operator &op, const typename Operator::VectorType &u)
  {
    if constexpr (std::is_same_v<Law, Euler<dim>>)
      return std::make_shared<const GasBoundary<dim, Operator>>(law, op, u);
    return nullptr;
  }

  /// The conserved and then the derived quantities of @p law.
  /// @param inadmissible notes states; nullptr: nothing does
  template <typename Law>
  Quantities
  state_quantities(const Law                                       &law,
                   const std::shared_ptr<InadmissibleResults<Law>> &inadmissible = nullptr)
  {
    Quantities quantities;
    quantities.names.assign(Law::conserved_names, Law::conserved_names + Law::n_components);
    quantities.names.insert(quantities.names.end(),
                            Law::derived_names,
                            Law::derived_names + Law::n_derived);
    quantities.n_components = Law::n_components;
    quantities.compute      = [law, inadmissible](const double *solution, double *values) {
      Array<double, Law::n_components> state;
      for (int c = 0; c < Law::n_components; ++c)
        values[c] = state[c] = solution[c];
      if (inadmissible)
        inadmissible->look_at(law, state);
      const auto derived = law.derived(state);
      for (int c = 0; c < Law::n_derived; ++c)
        values[Law::n_components + c] = derived[c];
    };
    if constexpr (std::is_same_v<Law, Euler<Law::dimension>>)
      {
        quantities.optional_names   = {"temperature"};
        quantities.compute_optional = [law](const double *solution, double *values) {
          Array<double, Law::n_components> state;
          std::copy_n(solution, Law::n_components, &state[0]);
          *values = law.pressure(state) / state[0];
        };
      }
    if constexpr (HasSecondOrderFlux<Law>::value)
      quantities.has_friction = quantities.has_heat = law.has_second_order_flux();
    return quantities;
  }


  /// Names of the columns of a time series: time, step size, step; then five for each conserved
  /// variable. The first three are its integral, the integral of its flux out of the domain over
  /// time, and its L2 norm. The other two are the smallest and the largest mean of an element.
  /// @param conserved identifiers, see Quantities
  /// @param has_outflow false: without the columns of fluxes
  std::vector<std::string>
  series_columns(const std::vector<std::string> &conserved, const bool has_outflow = true);

  /// @param outflow empty: without them
  std::vector<double>
  series_row(const TimeState           &time,
             const StateStatistics     &statistics,
             const std::vector<double> &outflow);
} // namespace Saltus

#endif
