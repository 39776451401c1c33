// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_wave_speed_sum_h
#define saltus_operators_conservation_law_kernels_wave_speed_sum_h

#include <saltus/base/algebra/array.h>
#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/spaces/hypercube_tables.h>
#include <saltus/operators/spaces/step_size.h>
#include <saltus/physics/second_order_flux.h>

namespace Saltus
{
  /// \f$ \sum_F |F| \lambda_F \f$ of an element over its mean of \f$ |\det J| \f$, with the largest
  /// products at the points of curved faces.
  /// @param speed `(f, q, n)`: \f$ \lambda_F \f$ at point q of face f with the unit normal n
  /// @tparam varies whether that depends on the point even if the geometry does not
  template <int dim, bool varies, typename Number, typename Geometry, typename Speed>
  SALTUS_HOST_DEVICE
  double
  sum_over_faces(const ElementTables<Number> &t, const Geometry &geometry, const Speed &speed)
  {
    constexpr bool constant = Geometry::is_constant;
    double         sum      = 0;
    for (int f = 0; f < t.n_faces; ++f)
      {
        Array<Number, dim> n;
        Number             area = 0, largest = 0;
        for (int q = 0; q < (varies || !constant ? t.n_face_points : 1); ++q)
          {
            if (!constant || q == 0)
              area = geometry.set_normal(
                f, q, [&](const int r) { return t.face_normals[f * dim + r]; }, n);
            largest = larger_or_nan(largest, area * speed(f, q, n));
          }
        sum += largest;
      }
    return sum;
  }

  /// The largest inverse of \f$ |\det J| \f$ over its mean.
  template <typename Number, typename Geometry>
  SALTUS_HOST_DEVICE
  double
  largest_inverse_mass(const ElementTables<Number> &t, const Geometry &geometry)
  {
    Number largest = 1;
    if constexpr (!Geometry::is_constant)
      for (int q = 0; q < t.n_volume_points; ++q)
        largest = larger_or_nan(largest, geometry.inverse_mass(q));
    return largest;
  }

  /// `body(geometry)` with the geometry of an element.
  template <typename Law, typename Number, typename Body>
  SALTUS_HOST_DEVICE
  double
  with_geometry(const StepSizeArguments<Law, Number> &arg, const int element, const Body &body)
  {
    constexpr int dim    = Law::dimension;
    const auto    affine = affine_geometry<dim>(arg.mesh.inverse_jacobians, element);
    return arg.stored.holds(element)
             ? body(StoredGeometry<dim, Number, Number>(arg.stored, element, affine))
             : body(affine);
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

  /// \f$ \sum_F |F| \lambda_F / |\det J| \f$ (see StepSizeArguments) for the wave speeds of a
  /// state.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  wave_speed_sum(const StepSizeArguments<Law, Number>   &arg,
                 const Array<Number, Law::n_components> &state,
                 const int                               element)
  {
    constexpr int                dim = Law::dimension, n_fields = Law::n_fields;
    const ElementTables<Number> &t = arg.tables;
    const auto speed               = [&](const int f, const int q, const Array<Number, dim> &n) {
      const std::size_t i =
        point_index(element, f * t.n_face_points + q, t.n_faces * t.n_face_points, n_fields);
      Array<Number, n_fields> field;
      for (int k = 0; k < n_fields; ++k)
        field[k] = arg.fields.face[i + k];
      return arg.law.wave_speed(state, field, n);
    };
    return with_geometry(arg, element, [&](const auto &geometry) {
      return sum_over_faces<dim, (n_fields > 0)>(t, geometry, speed) *
             largest_inverse_mass(t, geometry);
    });
  }

  /// The sum of areas over the mean of \f$ |\det J| \f$.
  template <int dim, typename Number, typename Geometry>
  SALTUS_HOST_DEVICE
  double
  surface_over_determinant(const ElementTables<Number> &t, const Geometry &geometry)
  {
    return sum_over_faces<dim, false>(
      t, geometry, [](const int, const int, const Array<Number, dim> &) { return Number(1); });
  }

  /// The artificial viscosity that bounds the step of an element. Fluxes through a face take half
  /// of the viscosity of each side: so the mean of its own and the largest one across its faces
  /// counts, and at least its own. The data of a face to another shape contain that shape's
  /// viscosity, see BoundaryFaceData.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  viscosity_of_step(const StepSizeArguments<Law, Number> &arg, const int element)
  {
    const auto  &viscosities = arg.viscosities;
    const double own         = viscosities.largest(element);
    if (!viscosities.exist() || viscosities.are_continuous())
      return own;
    double     largest = own;
    const auto look_at = [&](const double value) { largest = larger_or_nan(largest, value); };
    const auto look    = [&](const int across) { look_at(viscosities.largest(across)); };
    for (int f = 0; f < arg.tables.n_faces; ++f)
      {
        const FaceRecord face =
          read_face(arg.mesh.faces + point_index(element, f, arg.tables.n_faces, 1));
        if (arg.hanging.is_larger(face))
          {
            const LargerFace &larger = arg.hanging.faces[face.neighbor];
            for (int i = 0; i < larger.n_parts; ++i)
              look(arg.hanging.parts[larger.first_part + i].element);
          }
        else if (face.kind == FaceKind::hanging)
          look(arg.hanging.faces[arg.hanging.parts[face.neighbor - arg.hanging.n_faces].larger]
                 .element);
        else if (const int b = face.boundary_face(); b < 0)
          look(face.element_across(element));
        else if (arg.boundary.faces[b].is_inside)
          look_at(arg.boundary.numbers_at(b, 0)[(1 + Law::dimension) * Law::n_components]);
      }
    return 0.5 * (own + largest);
  }

  /// What a second-order flux adds to the wave speed sum of an element: with the wave speeds
  /// \f$ \lambda + c_p \nu / ((2p+1) h) \f$ instead of \f$ \lambda \f$, where \f$ \nu \f$ is the
  /// diffusivity of the mean state, h the diameter of StepSizeArguments' ball, and \f$ c_p \f$,
  /// which the square of what bounds traces suggests, \f$ (p+1)^2 (p+d)^2 \f$ on simplices and \f$
  /// d^2 (p+1)^2 (p+2)^2 / 3 \f$ on hypercubes. With it the largest eigenvalue times the step at
  /// the CFL number 1 lies between 1.9 and 2.6 (boxes of triangles, p = 1 to 5, and tetrahedra, p =
  /// 1 to 4, straight and distorted) and between 2.0 and 2.7 (cubes in 2D and 3D, p = 1 to 6).
  ///
  /// On curved elements the penalty has the areas at points and the mean of \f$ |\det J| \f$, and
  /// the inverse mass matrix multiplies it once more. So the square of the largest areas counts
  /// here, and the largest inverse of \f$ |\det J| \f$ once.
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
    nu += viscosity_of_step(arg, element);
    if (nu == 0)
      return 0;
    constexpr int dim = Law::dimension;
    const int     p   = arg.degree;
    const double  c   = p + 1;
    const double  c_p = arg.tables.n_faces == dim + 1 ? c * c * (p + dim) * (p + dim)
                                                      : dim * dim * c * c * (p + 2) * (p + 2) / 3;
    return nu * c_p / ((2 * p + 1) * 2 * dim * arg.tables.reference_volume) *
           with_geometry(arg, element, [&](const auto &geometry) {
             const double surface = surface_over_determinant<dim>(arg.tables, geometry);
             return surface * surface * largest_inverse_mass(arg.tables, geometry);
           });
  }

  /// `body(state)` with the states of an element at the points of its integrals: inside, on its
  /// faces and on the smaller faces that these meet.
  /// @param tables see QuadratureTables
  template <typename Law, typename Number, typename Tables, typename Body>
  SALTUS_HOST_DEVICE
  void
  for_states_at_points(const StepSizeArguments<Law, Number> &arg,
                       const Tables                         &tables,
                       const int                             element,
                       const Body                           &body)
  {
    constexpr int           n_components = Law::n_components;
    const CoefficientLayout layout{tables.n_modes(), n_components};
    const int               nf = tables.n_face_points();
    using State                = Array<Number, n_components>;
    const auto add             = [&](const int m, const Number value, State &state) {
      const Number *const mode = arg.u + layout.index(element, m);
      for (int c = 0; c < n_components; ++c)
        state[c] += value * mode[c * layout.component_stride()];
    };
    const auto add_face_point = [&](const int point, const Number factor, State &state) {
      tables.for_face_values(point, [&](const int m, const Number value) {
        add(m, factor * value, state);
      });
    };
    for (int q = 0; q < tables.n_volume_points(); ++q)
      {
        State state{};
        tables.for_volume_values(q, [&](const int m, const Number value) { add(m, value, state); });
        body(state);
      }
    for (int f = 0; f < tables.n_faces(); ++f)
      {
        for (int a = 0; a < nf; ++a)
          {
            State state{};
            add_face_point(f * nf + a, 1, state);
            body(state);
          }
        if constexpr (Tables::may_hang)
          if (arg.hanging.n_parts > 0 &&
              arg.hanging.is_larger(
                read_face(arg.mesh.faces + point_index(element, f, tables.n_faces(), 1))))
            for (int point = 0; point < (1 << (Law::dimension - 1)) * nf; ++point)
              {
                State state{};
                for (int a = 0; a < nf; ++a)
                  add_face_point(f * nf + a, arg.hanging.interpolation[point * nf + a], state);
                body(state);
              }
      }
  }

  /// The sum of both for the state at a point of an element.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE_CALL double
  rate_of_state(const StepSizeArguments<Law, Number>   &arg,
                const Array<Number, Law::n_components> &state,
                const int                               element)
  {
    return wave_speed_sum(arg, state, element) + diffusion_rate(arg, state, element);
  }

  /// The largest sum of the states at the points, if StepSizeArguments asks for it, and at least
  /// @p of_mean. Rounding may leave states there that are not admissible: these do not count.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  largest_at_points(const StepSizeArguments<Law, Number>   &arg,
                    const Array<Number, Law::n_components> &mean,
                    const int                               element,
                    const double                            of_mean)
  {
    constexpr int dim      = Law::dimension;
    constexpr int degree   = 20; // above all that are compiled
    const auto    at_mean  = arg.law.positive(mean);
    double        largest  = of_mean;
    bool          some_low = false;
    const auto    look     = [&](const Array<Number, Law::n_components> &state) {
      const auto here = arg.law.positive(state);
      for (int i = 0; i < Law::n_positive; ++i)
        some_low |= here[i] < Number(arg.low) * at_mean[i];
      if (arg.law.admissible(state))
        largest = larger_or_nan(largest, rate_of_state(arg, state, element));
    };
    if (arg.tables.n_faces == Simplex<dim>::n_faces)
      for_states_at_points(arg, QuadratureTables<dim, Number>(arg.tables), element, look);
    else
      for_states_at_points(arg,
                           HypercubeTables<dim, Number, degree, true>(arg.tables),
                           element,
                           look);
    return some_low ? largest : of_mean;
  }

  /// What the step size is the reciprocal of: both together. If it is not finite, that is noted as
  /// a failure. Sets the element's own step where it is wanted.
  template <typename Law, typename Number>
  SALTUS_HOST_DEVICE
  double
  step_rate(const StepSizeArguments<Law, Number> &arg, const int element)
  {
    const auto mean = mean_state(arg, element);
    double     sum  = wave_speed_sum(arg, mean, element) + diffusion_rate(arg, mean, element);
    if (!(sum - sum == 0.))
      record_failure(arg.failure,
                     arg.law.admissible(mean) ? FailureKind::wave_speed : FailureKind::state,
                     element,
                     arg.time->time,
                     mean);
    else if constexpr (Law::n_positive > 0)
      if (arg.at_points != nullptr && arg.at_points[element] != 0)
        sum = largest_at_points(arg, mean, element, sum);
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
        // As if the element were affine.
        const double surface =
          surface_over_determinant<dim>(arg.tables,
                                        affine_geometry<dim>(arg.mesh.inverse_jacobians, element));
        epsilon = arg.artificial.strength * part * h_of_surface / (arg.degree * surface * surface) *
                  wave_speed_sum(arg, mean_state(arg, element), element);
      }
    arg.chosen[CoefficientLayout{1, 1}.index(element, 0)] = epsilon;
  }
} // namespace Saltus

#endif
