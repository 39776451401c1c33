// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_tests_helpers_stabilization_assembly_h
#define saltus_tests_helpers_stabilization_assembly_h

#include <helpers/flow_setting.h>

namespace Saltus::Tests
{
  /// What is in front of |mean velocity|: of divergence and jumps, times the time step; and of the
  /// mass matrix.
  struct StabilizationWeights
  {
    double divergence, jumps, mass = 1.;
  };

  /// The oracle of StabilizationOperator: the matrix times u, with the penalties of w.
  /// @tparam Setting see FlowAssembly
  template <typename Setting>
  dealii::Vector<double>
  assembled_stabilization(const Setting                       &setting,
                          const std::vector<PeriodicBoundary> &periodic,
                          const StabilizationWeights          &weights,
                          const dealii::Vector<double>        &u_vector,
                          const dealii::Vector<double>        &w_vector)
  {
    constexpr int dim = Setting::dimension;
    using Value       = Tensor<1, dim>;
    const auto u      = modes_of_cells(setting.velocity, u_vector),
               w      = modes_of_cells(setting.velocity, w_vector);
    const typename Setting::InverseMap unit_points(setting.mapping);
    std::vector<double>                speeds(u.size()), measures(u.size());
    for (const auto &fe : setting.pressure.get_fe_collection())
      {
        const dealii::ReferenceCell shape = fe.reference_cell();
        dealii::FEValues<dim>       volume(setting.mapping,
                                     fe,
                                     cell_quadrature<dim>(shape, std::max(3U, 2 * fe.degree)),
                                     dealii::update_values | dealii::update_JxW_values);
        for_cells_of_shape(setting.triangulation, shape, [&](const auto &cell, const auto e) {
          Value integral; // over the reference cell
          volume.reinit(cell);
          for (const unsigned int q : volume.quadrature_point_indices())
            {
              measures[e] += volume.JxW(q);
              for (unsigned int m = 0; m < u[e].size(); ++m)
                integral += volume.get_quadrature().weight(q) * volume.shape_value(m, q) * w[e][m];
            }
          speeds[e] = integral.norm() / shape.volume();
        });
      }
    std::vector<std::vector<Value>> result(u.size());
    for (const auto &fe : setting.pressure.get_fe_collection())
      {
        const dealii::ReferenceCell shape = fe.reference_cell();
        const unsigned int          n     = fe.n_dofs_per_cell();
        dealii::FEValues<dim>       volume(setting.mapping,
                                     fe,
                                     cell_quadrature<dim>(shape, 2 * fe.degree),
                                     dealii::update_values | dealii::update_gradients |
                                       dealii::update_JxW_values);
        PartsOfFaces<dim>           faces(setting.mapping,
                                fe,
                                cell_quadrature<dim - 1>(shape.face_reference_cell(0),
                                                         2 * fe.degree));
        for_cells_of_shape(setting.triangulation, shape, [&](const auto &cell, const auto e) {
          result[e].resize(n);
          volume.reinit(cell);
          for (const unsigned int q : volume.quadrature_point_indices())
            {
              Value  here;
              double divergence = 0.;
              for (unsigned int m = 0; m < n; ++m)
                {
                  here += volume.shape_value(m, q) * u[e][m];
                  divergence += volume.shape_grad(m, q) * u[e][m];
                }
              divergence *=
                weights.divergence * speeds[e] * std::pow(measures[e], 1. / dim) / (fe.degree + 1.);
              for (unsigned int m = 0; m < n; ++m)
                result[e][m] += volume.JxW(q) * (weights.mass * volume.shape_value(m, q) * here +
                                                 divergence * volume.shape_grad(m, q));
            }
          const auto add_face = [&](const auto &values, const auto &other) {
            if (!other)
              return;
            const unsigned int beyond = other->cell->active_cell_index();
            const auto        &there  = element_on(setting.pressure, other->cell->reference_cell());
            for (const unsigned int q : values.quadrature_point_indices())
              {
                const Point<dim> unit =
                  unit_points(other->cell, values.quadrature_point(q) + other->shift);
                Value jump;
                for (unsigned int m = 0; m < n; ++m)
                  jump += values.shape_value(m, q) * u[e][m];
                for (unsigned int m = 0; m < u[beyond].size(); ++m)
                  jump -= there.shape_value(m, unit) * u[beyond][m];
                const Value  normal = values.normal_vector(q);
                const double flux =
                  weights.jumps * (speeds[e] + speeds[beyond]) / 2. * (jump * normal);
                for (unsigned int m = 0; m < n; ++m)
                  result[e][m] += values.JxW(q) * values.shape_value(m, q) * flux * normal;
              }
          };
          for (const unsigned int f : cell->face_indices())
            faces.for_parts(setting.triangulation, periodic, cell, f, add_face);
        });
      }
    return vector_of_modes(setting.velocity, result);
  }
} // namespace Saltus::Tests

#endif
