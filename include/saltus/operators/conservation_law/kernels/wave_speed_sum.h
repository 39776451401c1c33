// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_wave_speed_sum_h
#define saltus_operators_conservation_law_kernels_wave_speed_sum_h

#include <saltus/base/algebra/array.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/spaces/step_size.h>

namespace Saltus
{
  /// The sum for a mean state.
  template <typename Law, typename Number, typename Geometry>
  SALTUS_HOST_DEVICE
  double
  sum_over_faces(const StepSizeArguments<Law, Number>   &arg,
                 const Geometry                         &geometry,
                 const Array<Number, Law::n_components> &mean,
                 const int                               element)
  {
    constexpr int                dim = Law::dimension, n_fields = Law::n_fields;
    const ElementTables<Number> &t        = arg.tables;
    constexpr bool               constant = Geometry::is_constant;
    double                       sum      = 0;
    for (int f = 0; f < t.n_faces; ++f)
      {
        Array<Number, dim> n;
        Number             area = 0, speed = 0;
        for (int q = 0; q < (n_fields > 0 || !constant ? t.n_face_points : 1); ++q)
          {
            if (!constant || q == 0)
              area = geometry.set_normal(
                f, q, [&](const int r) { return t.face_normals[f * dim + r]; }, n);
            const std::size_t i =
              point_index(element, f * t.n_face_points + q, t.n_faces * t.n_face_points, n_fields);
            Array<Number, n_fields> field;
            for (int k = 0; k < n_fields; ++k)
              field[k] = arg.fields.face[i + k];
            speed = larger_or_nan(speed, area * arg.law.wave_speed(mean, field, n));
          }
        sum += speed;
      }
    if constexpr (!constant)
      {
        Number largest = 0;
        for (int q = 0; q < t.n_volume_points; ++q)
          largest = larger_or_nan(largest, geometry.inverse_mass(q));
        sum *= largest;
      }
    return sum;
  }

  /// \f$ \sum_F |F| \lambda_F / |\det J| \f$ of an element (see StepSizeArguments), from its mean
  /// state. If it is not finite, that is noted as a failure.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  wave_speed_sum(const StepSizeArguments<Law, Number> &arg, const int element)
  {
    constexpr int                dim = Law::dimension, n_components = Law::n_components;
    const ElementTables<Number> &t = arg.tables;
    Array<Number, n_components>  mean;
    for (int c = 0; c < n_components; ++c)
      mean[c] =
        t.mean_weights[0] * arg.u[CoefficientLayout{t.n_modes, n_components}.index(element, 0) + c];
    for (int m = 1; m < t.n_mean_modes; ++m)
      for (int c = 0; c < n_components; ++c)
        mean[c] += t.mean_weights[m] *
                   arg.u[CoefficientLayout{t.n_modes, n_components}.index(element, m) + c];

    const auto   affine = affine_geometry<dim>(arg.mesh.inverse_jacobians, element);
    const double sum =
      arg.stored.holds(element)
        ? sum_over_faces(arg,
                         StoredGeometry<dim, Number, Number>(arg.stored, element, affine),
                         mean,
                         element)
        : sum_over_faces(arg, affine, mean, element);
    if (!(sum - sum == 0.))
      record_failure(arg.failure,
                     arg.law.admissible(mean) ? FailureKind::wave_speed : FailureKind::state,
                     element,
                     arg.time->time,
                     mean);
    return sum;
  }
} // namespace Saltus

#endif
