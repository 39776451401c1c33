// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_boundary_states_h
#define saltus_io_results_boundary_states_h

#include <saltus/base/ranks/collective.h>
#include <saltus/io/functions/finite_values.h>
#include <saltus/operators/conservation_law/boundary_conditions.h>
#include <saltus/operators/conservation_law/inadmissible_state.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace Saltus
{
  /// Names of those data of a boundary condition that must be positive, the first ones.
  inline std::vector<std::string>
  positive_boundary_data(const BoundaryKind kind)
  {
    switch (kind)
      {
        case BoundaryKind::isothermal_wall:
          return {"temperature"};
        case BoundaryKind::pressure_outlet:
          return {"pressure"};
        case BoundaryKind::total_pressure_inlet:
          return {"total pressure", "total temperature"};
        default:
          return {};
      }
  }


  /// What is wrong with the data of a boundary condition at one point; empty: nothing.
  /// @param primitive whether states are of primitive variables
  /// @param values as many as BoundaryCondition::n_data() says
  template <typename Law>
  std::string
  fault_of_boundary_data(const Law                 &law,
                         const BoundaryKind         kind,
                         const bool                 primitive,
                         const std::vector<double> &values)
  {
    std::ostringstream fault;
    if (kind == BoundaryKind::prescribed || kind == BoundaryKind::far_field)
      {
        Array<double, Law::n_components> state;
        std::copy(values.begin(), values.end(), &state[0]);
        if (primitive)
          state = law.conserved(state);
        if (!law.admissible(state))
          fault << "inadmissible state of " << Law::name << ':' << state_text(law, state);
        return fault.str();
      }
    const std::vector<std::string> positive = positive_boundary_data(kind);
    for (std::size_t i = 0; i < positive.size(); ++i)
      if (!(values[i] > 0.))
        {
          fault << positive[i] << " = " << values[i] << "; it must be positive";
          return fault.str();
        }
    if (kind == BoundaryKind::total_pressure_inlet &&
        std::all_of(values.begin() + positive.size(), values.end(), [](const double v) {
          return v == 0.;
        }))
      return "the direction is 0; it must be a vector that points into the domain";
    return "";
  }


  /// Look at the data that are given on the boundary, at the centres of the faces. Collective.
  /// @throws dealii::ExcMessage with id, position and values if fault_of_boundary_data() finds one
  /// at @p time
  template <int dim, typename Law>
  void
  check_boundary_states(const Law                        &law,
                        const BoundaryConditions<dim>    &conditions,
                        const dealii::Mapping<dim>       &mapping,
                        const dealii::Triangulation<dim> &triangulation,
                        const TimeState                  &time)
  {
    const auto check = [&](const dealii::types::boundary_id id,
                           const BoundaryCondition<dim>    &condition) {
      const unsigned int n = condition.n_data(Law::n_components);
      if (n == 0)
        return;
      const auto          points = face_centers(mapping, triangulation, id);
      std::vector<double> values(points.size() * n);
      PointValues<dim, double>(condition.data, points, Device::cpu())
        .evaluate(&time, 0., values.data());
      for (std::size_t i = 0; i < points.size(); ++i)
        {
          const std::string fault =
            fault_of_boundary_data(law,
                                   condition.kind,
                                   condition.data.primitive,
                                   {values.begin() + i * n, values.begin() + (i + 1) * n});
          std::ostringstream where;
          where << "Functions/Boundary conditions, id " << id << " at time " << time.time << " at ("
                << points[i] << "): ";
          AssertThrow(fault.empty(), dealii::ExcMessage(where.str() + fault + '.'));
        }
    };
    on_all_ranks(triangulation.get_communicator(), [&]() {
      for (const auto &[id, condition] : conditions.conditions())
        check(id, condition);
    });
  }
} // namespace Saltus

#endif
