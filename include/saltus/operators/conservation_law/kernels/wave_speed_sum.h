// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_wave_speed_sum_h
#define saltus_operators_conservation_law_kernels_wave_speed_sum_h

#include <saltus/base/algebra/array.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/spaces/step_size.h>
#include <saltus/physics/second_order_flux.h>

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

  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  Array<Number, Law::n_components>
  mean_state(const StepSizeArguments<Law, Number> &arg, const int element)
  {
    constexpr int                n_components = Law::n_components;
    const ElementTables<Number> &t            = arg.tables;
    Array<Number, n_components>  mean;
    for (int c = 0; c < n_components; ++c)
      mean[c] =
        t.mean_weights[0] * arg.u[CoefficientLayout{t.n_modes, n_components}.index(element, 0, c)];
    for (int m = 1; m < t.n_mean_modes; ++m)
      for (int c = 0; c < n_components; ++c)
        mean[c] += t.mean_weights[m] *
                   arg.u[CoefficientLayout{t.n_modes, n_components}.index(element, m, c)];
    return mean;
  }

  /// \f$ \sum_F |F| \lambda_F / |\det J| \f$ of an element (see StepSizeArguments), from its mean
  /// state.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  wave_speed_sum(const StepSizeArguments<Law, Number>   &arg,
                 const Array<Number, Law::n_components> &mean,
                 const int                               element)
  {
    constexpr int dim    = Law::dimension;
    const auto    affine = affine_geometry<dim>(arg.mesh.inverse_jacobians, element);
    return arg.stored.holds(element)
             ? sum_over_faces(arg,
                              StoredGeometry<dim, Number, Number>(arg.stored, element, affine),
                              mean,
                              element)
             : sum_over_faces(arg, affine, mean, element);
  }

  /// \f$ \sum_F |F| / |\det J| \f$ of an element, as if it were affine.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  surface_over_determinant(const StepSizeArguments<Law, Number> &arg, const int element)
  {
    constexpr int dim      = Law::dimension;
    const auto    geometry = affine_geometry<dim>(arg.mesh.inverse_jacobians, element);
    double        sum      = 0;
    for (int f = 0; f < arg.tables.n_faces; ++f)
      {
        Array<Number, dim> n;
        sum +=
          geometry.set_normal([&](const int r) { return arg.tables.face_normals[f * dim + r]; }, n);
      }
    return sum;
  }

  /// What a second-order flux adds to the wave speed sum of an element: with the wave speeds
  /// \f$ \lambda + c_p \nu / ((2p+1) h) \f$ instead of \f$ \lambda \f$, where \f$ \nu \f$ is the
  /// diffusivity of the mean state, h the diameter of StepSizeArguments' ball, and \f$ c_p \f$,
  /// which the square of what bounds traces suggests, \f$ (p+1)^2 (p+d)^2 \f$ on simplices and \f$
  /// d^2 (p+1)^2 (p+2)^2 / 3 \f$ on hypercubes. With it the largest eigenvalue times the step at
  /// the CFL number 1 lies between 1.9 and 2.6 (boxes of triangles, p = 1 to 5, and tetrahedra, p =
  /// 1 to 4, straight and distorted) and between 2.0 and 2.7 (cubes in 2D and 3D, p = 1 to 6).
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  diffusion_rate(const StepSizeArguments<Law, Number>   &arg,
                 const Array<Number, Law::n_components> &mean,
                 const int                               element)
  {
    double nu = 0;
    if constexpr (HasSecondOrderFlux<Law>::value)
      nu = arg.law.diffusivity(mean);
    nu += arg.viscosities.largest(element);
    if (nu == 0)
      return 0;
    constexpr int dim     = Law::dimension;
    const int     p       = arg.degree;
    const double  surface = surface_over_determinant(arg, element);
    const double  h       = 2 * dim * arg.tables.reference_volume / surface;
    const double  c       = p + 1;
    const double  c_p     = arg.tables.n_faces == dim + 1 ? c * c * (p + dim) * (p + dim)
                                                          : dim * dim * c * c * (p + 2) * (p + 2) / 3;
    return surface * nu * c_p / ((2 * p + 1) * h);
  }

  /// What the step size is the reciprocal of: both together. If it is not finite, that is noted as
  /// a failure. Sets the element's own step where it is wanted.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  step_rate(const StepSizeArguments<Law, Number> &arg, const int element)
  {
    const auto   mean = mean_state(arg, element);
    const double sum  = wave_speed_sum(arg, mean, element) + diffusion_rate(arg, mean, element);
    if (!(sum - sum == 0.))
      record_failure(arg.failure,
                     arg.law.admissible(mean) ? FailureKind::wave_speed : FailureKind::state,
                     element,
                     arg.time->time,
                     mean);
    if (arg.steps != nullptr)
      arg.steps[CoefficientLayout{1, 1}.index(element, 0)] =
        step_from_rate(*arg.time, sum, arg.degree, Law::dimension, arg.tables.reference_volume);
    return sum;
  }

  /// \f$ \|u - \hat u\|^2 / \|u\|^2 \f$ of the first component, see ArtificialViscosity: modes are
  /// orthonormal.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  share_of_highest_degree(const StepSizeArguments<Law, Number> &arg, const int element)
  {
    const ElementTables<Number> &t    = arg.tables;
    const auto                   mode = [&](const int m) -> double {
      return arg.u[CoefficientLayout{t.n_modes, Law::n_components}.index(element, m)];
    };
    double highest = 0, all = 0;
    for (int m = 0; m < t.n_modes; ++m)
      {
        all += mode(m) * mode(m);
        highest += t.lower_modes == nullptr && m < t.n_lower_modes ? 0 : mode(m) * mode(m);
      }
    if (t.lower_modes != nullptr)
      for (int k = 0; k < t.n_lower_modes; ++k)
        {
          double lower = 0;
          for (int m = 0; m < t.n_modes; ++m)
            lower += t.lower_modes[k * t.n_modes + m] * mode(m);
          highest -= lower * lower;
        }
    return all > 0 && highest > 0 ? highest / all : 0;
  }

  /// The artificial viscosity of an element.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  void
  set_viscosity(const ViscosityArguments<Law, Number> &arg, const int element)
  {
    constexpr int dim          = Law::dimension;
    const double  ratio        = share_of_highest_degree(arg, element);
    const double  part         = ratio > 0 ? arg.artificial.part(ratio, arg.degree) : 0;
    const double  h_of_surface = 2 * dim * arg.tables.reference_volume;
    double        epsilon      = 0;
    if (part > 0)
      {
        const double surface = surface_over_determinant(arg, element);
        epsilon = arg.artificial.strength * part * h_of_surface / (arg.degree * surface * surface) *
                  wave_speed_sum(arg, mean_state(arg, element), element);
      }
    arg.chosen[CoefficientLayout{1, 1}.index(element, 0)] = epsilon;
  }
} // namespace Saltus

#endif
