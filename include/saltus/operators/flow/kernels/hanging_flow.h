// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_hanging_flow_h
#define saltus_operators_flow_kernels_hanging_flow_h

#include <saltus/operators/flow/kernels/flow_launcher.h>
#include <saltus/operators/flow/kernels/stabilization_launcher.h>
#include <saltus/operators/spaces/hanging_steps.h>

/// Fluxes of flows through hanging faces, see run_hanging_steps(): they are projected to the larger
/// side. A rule may have other points than the basis.
///
/// The fluxes are those of a class `Flux` with
/// - `n_in` numbers of a state and `n_out` of a flux,
/// - `tables` and `hanging`,
/// - `mode(element, m)`: the coefficients m of the state,
/// - `flux(part, inside, outside, n)`: out of the smaller element of a FacePart with the unit
/// normal
///   n.
namespace Saltus
{
  /// The state of an element at point @p q of face @p f.
  template <typename Flux>
  SALTUS_HOST_DEVICE
  typename Flux::State
  trace_of_modes(const Flux &flux, const int element, const int f, const int q)
  {
    const auto &tables = flux.tables;
    const auto *values = tables.face_values + (f * tables.n_face_points + q) * tables.n_modes;
    typename Flux::State result{};
    for (int m = 0; m < tables.n_modes; ++m)
      {
        const auto mode = flux.mode(element, m);
        for (int i = 0; i < Flux::n_in; ++i)
          result[i] += values[m] * mode[i];
      }
    return result;
  }

  /// The states of larger elements at the points of their hanging faces.
  template <typename Flux>
  struct LargerStates
  {
    Flux         flux;
    HangingRange range; ///< of hanging faces

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      const int        nf = flux.tables.n_face_points, h = range.first + i / nf, q = i % nf;
      const LargerFace face = flux.hanging.faces[h];
      if (!range.has(face.element))
        return;
      const auto state = trace_of_modes(flux, face.element, face.face, q);
      for (int c = 0; c < Flux::n_in; ++c)
        flux.hanging.traces[(static_cast<std::size_t>(h) * nf + q) * Flux::n_in + c] = state[c];
    }
  };

  /// The fluxes out of the smaller elements.
  template <typename Flux>
  struct SmallerFluxes
  {
    Flux         flux;
    HangingRange range; ///< of parts

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      using Number     = typename Flux::value_type;
      constexpr int  n = Flux::n_in, dim = Flux::dimension;
      const auto    &hanging = flux.hanging;
      const int      nf = flux.tables.n_face_points, i = range.first + index / nf, q = index % nf;
      const FacePart part = hanging.parts[i];
      if (!range.has(part.element, hanging.faces[part.larger].element))
        return;
      const int            there  = flux.tables.face_permutations[part.orientation * nf + q];
      const auto           inside = trace_of_modes(flux, part.element, part.face, there);
      typename Flux::State outside{};
      for (int a = 0; a < nf; ++a)
        {
          const Number  weight = hanging.interpolation[(part.sub_face * nf + q) * nf + a];
          const Number *state =
            hanging.traces + (static_cast<std::size_t>(part.larger) * nf + a) * n;
          for (int c = 0; c < n; ++c)
            outside[c] += weight * state[c];
        }
      const std::size_t  point = static_cast<std::size_t>(i) * nf + there;
      Array<Number, dim> normal;
      for (int d = 0; d < dim; ++d)
        normal[d] = hanging.normals[point * dim + d];
      const Number length = make_unit(normal);
      const auto   result = flux.flux(part, inside, outside, normal);
      for (int c = 0; c < Flux::n_out; ++c)
        hanging.fluxes[(hanging.n_faces * static_cast<std::size_t>(nf) + point) * Flux::n_out + c] =
          length * result[c];
    }
  };

  /// The fluxes out of the larger elements.
  template <typename Flux>
  struct ProjectedFluxes
  {
    Flux         flux;
    HangingRange range; ///< of hanging faces

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      using Number             = typename Flux::value_type;
      constexpr int    n       = Flux::n_out;
      const auto      &hanging = flux.hanging;
      const int        nf = flux.tables.n_face_points, h = range.first + index / nf, a = index % nf;
      const LargerFace face = hanging.faces[h];
      Array<Number, n> sum{};
      for (int i = face.first_part; i < face.first_part + face.n_parts; ++i)
        {
          const FacePart part = hanging.parts[i];
          for (int q = 0; q < nf; ++q)
            {
              const Number weight =
                hanging.volume_ratios[i] * hanging.projection[(part.sub_face * nf + a) * nf + q];
              const int         there = flux.tables.face_permutations[part.orientation * nf + q];
              const std::size_t from = (static_cast<std::size_t>(hanging.n_faces) + i) * nf + there;
              for (int c = 0; c < n; ++c)
                sum[c] -= weight * hanging.fluxes[from * n + c];
            }
        }
      for (int c = 0; c < n; ++c)
        hanging.fluxes[(static_cast<std::size_t>(h) * nf + a) * n + c] = sum[c];
    }
  };

  /// All three steps, of the hanging faces without ghosts or of those with ghosts.
  template <typename Flux>
  void
  set_hanging_flow(const Device device,
                   const Flux  &flux,
                   const int    n_elements,
                   const bool   with_ghosts)
  {
    run_hanging_steps(
      device,
      flux.hanging,
      flux.tables.n_face_points,
      n_elements,
      with_ghosts,
      false,
      [&](const HangingRange range) {
        return LargerStates<Flux>{flux, range};
      },
      [&](const std::size_t n, const HangingRange range) {
        launch(device, n, SmallerFluxes<Flux>{flux, range});
      },
      [&](const HangingRange range) {
        return ProjectedFluxes<Flux>{flux, range};
      });
  }

  /// The fluxes of a FlowDerivative.
  template <typename Form, typename Number>
  struct DerivativeFlux
  {
    using value_type = Number;

    static constexpr int dimension = Form::dimension, n_in = Form::n_in, n_out = Form::n_out;

    using State = Array<Number, n_in>;

    Form                                       form;
    ElementTables<Number>                      tables;
    HangingArrays<Number>                      hanging;
    Array<Combination<Number>, Form::n_inputs> inputs;

    explicit DerivativeFlux(const FlowArguments<Form, Number> &arg)
      : form(arg.form)
      , tables(arg.tables)
      , hanging(arg.hanging)
    {
      for (int i = 0; i < Form::n_inputs; ++i)
        inputs[i] = arg.inputs[i];
    }

    SALTUS_HOST_DEVICE
    State
    mode(const int element, const int m) const
    {
      const std::size_t place =
        CoefficientLayout{tables.n_modes, Form::n_components}.index(element, m);
      State result;
      for (int i = 0; i < n_in; ++i)
        result[i] = inputs[i / Form::n_components].at(place + i % Form::n_components);
      return result;
    }

    SALTUS_HOST_DEVICE
    Array<Number, n_out>
    flux(const FacePart &,
         const State                    &inside,
         const State                    &outside,
         const Array<Number, dimension> &normal) const
    {
      return form.numerical_flux(inside, outside, normal);
    }
  };

  /// What the penalty on jumps of the normal component is on a face, as a flux of velocities.
  template <int dim, typename Number>
  struct JumpFlux
  {
    using value_type = Number;

    static constexpr int dimension = dim, n_in = dim, n_out = dim;

    using State = Array<Number, dim>;

    ElementTables<Number> tables;
    HangingArrays<Number> hanging;
    const Number         *u, *speeds;
    Number                jump_factor;

    explicit JumpFlux(const StabilizationArguments<dim, Number> &arg)
      : tables(arg.tables)
      , hanging(arg.hanging)
      , u(arg.u)
      , speeds(arg.speeds)
      , jump_factor(arg.jump_factor)
    {}

    SALTUS_HOST_DEVICE
    State
    mode(const int element, const int m) const
    {
      const std::size_t place = CoefficientLayout{tables.n_modes, dim}.index(element, m);
      State             result;
      for (int d = 0; d < dim; ++d)
        result[d] = u[place + d];
      return result;
    }

    SALTUS_HOST_DEVICE
    State
    flux(const FacePart &part, const State &inside, const State &outside, const State &normal) const
    {
      const Number here   = speeds[point_index(part.element, 0, 1, 1)];
      const Number beyond = speeds[point_index(hanging.faces[part.larger].element, 0, 1, 1)];
      const Number jump =
        jump_factor * (here + beyond) / 2 * (dot<dim>(inside, normal) - dot<dim>(outside, normal));
      State result;
      for (int d = 0; d < dim; ++d)
        result[d] = jump * normal[d];
      return result;
    }
  };
} // namespace Saltus

#endif
