// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_boundary_states_h
#define saltus_io_results_boundary_states_h

#include <saltus/base/ranks/collective.h>
#include <saltus/io/functions/finite_values.h>
#include <saltus/operators/conservation_law/boundary_conditions.h>
#include <saltus/operators/conservation_law/inadmissible_state.h>

#include <vector>

namespace Saltus
{
  /// Look at the states that are given on the boundary (`prescribed`, `far field`), at the centres
  /// of the faces. Collective.
  /// @throws dealii::ExcMessage with id, position and state if one is not admissible at @p time
  template <int dim, typename Law>
  void
  check_boundary_states(const Law                        &law,
                        const BoundaryConditions<dim>    &conditions,
                        const dealii::Mapping<dim>       &mapping,
                        const dealii::Triangulation<dim> &triangulation,
                        const TimeState                  &time)
  {
    constexpr int n     = Law::n_components;
    const auto    check = [&](const dealii::types::boundary_id id, const FieldFunction<dim> &data) {
      const auto          points = face_centers(mapping, triangulation, id);
      std::vector<double> values(points.size() * n);
      PointValues<dim, double>(data, points, Device::cpu()).evaluate(&time, 0., values.data());
      for (std::size_t i = 0; i < points.size(); ++i)
        {
          Array<double, n> state;
          for (int c = 0; c < n; ++c)
            state[c] = values[i * n + c];
          if (data.primitive)
            state = law.conserved(state);
          std::ostringstream text;
          text << "Functions/Boundary conditions, id " << id << ": inadmissible state of "
               << Law::name << " at time " << time.time << " at (" << points[i]
               << "):" << state_text(law, state) << '.';
          AssertThrow(law.admissible(state), dealii::ExcMessage(text.str()));
        }
    };
    on_all_ranks(triangulation.get_communicator(), [&]() {
      for (const auto &[id, condition] : conditions.conditions())
        if (condition.kind == BoundaryKind::prescribed || condition.kind == BoundaryKind::far_field)
          check(id, condition.data);
    });
  }
} // namespace Saltus

#endif
