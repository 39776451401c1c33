// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_second_order_hanging_h
#define saltus_operators_conservation_law_kernels_second_order_hanging_h

#include <saltus/operators/conservation_law/kernels/second_order_terms.h>
#include <saltus/operators/spaces/hanging_steps.h>

/// What SecondOrderElement adds on hanging faces, see run_hanging_steps(): the integrals are sums
/// over the points of the smaller elements.
namespace Saltus
{
  /// Coefficients of a solution.
  template <int n_components, typename Number>
  struct SolutionModes
  {
    int           n_modes;
    const Number *u;

    SALTUS_HOST_DEVICE
    ElementModes<Number>
    of(const int element) const
    {
      return {u, {n_modes, n_components}, element};
    }
  };

  template <typename Law, typename Number>
  using SecondOrderTraces =
    SideTraces<Law::dimension, Law::n_components, Number, SolutionModes<Law::n_components, Number>>;

  /// Second step.
  template <typename Law, typename Number>
  struct SecondOrderOnParts
  {
    SecondOrderArguments<Law, Number> arg;
    HangingRange                      range; ///< of parts

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const HangingArrays<Number> &faces = arg.gradients.faces;
      const int      nf = arg.tables.n_face_points, i = range.first + index / nf, q = index % nf;
      const FacePart part   = faces.parts[i];
      const int      larger = faces.faces[part.larger].element;
      if (!range.has(part.element, larger))
        return;
      const int         there   = arg.tables.face_permutations[part.orientation * nf + q];
      const std::size_t point   = static_cast<std::size_t>(i) * nf + there;
      const std::size_t given   = (static_cast<std::size_t>(faces.n_faces) * nf + point) * n;
      const Number     *metrics = arg.gradients.metrics + point * 2 * dim * dim;

      const Terms      terms(arg);
      Array<Number, n> own;
      for (int k = 0; k < n; ++k)
        own[k] = arg.gradients.traces[given + k];
      const Trace inside = trace(own, metrics);
      const Trace outside =
        trace(interpolated_trace<n>(arg.gradients, part, nf, q), metrics + dim * dim);
      Direction normal; // as long as the face's area over |det J| of the smaller element
      for (int d = 0; d < dim; ++d)
        normal[d] = faces.normals[point * dim + d];
      const Number ratio = faces.volume_ratios[i];
      // The larger face is as large as all of its parts.
      const Number factor = terms.penalty_factor(ratio * (1 << (dim - 1)));

      State jump;
      for (int c = 0; c < n_components; ++c)
        jump[c] = inside.value[c] - outside.value[c];
      const auto  of_jump    = Terms::outer(jump, normal);
      const auto  spread     = viscosities(terms, part, q, there);
      const auto  medium     = terms.medium(inside.value, spread[0]);
      const auto  medium_out = terms.medium(outside.value, spread[1]);
      const State flux       = terms.mean_flux(
        medium, inside.gradient, medium_out, outside.gradient, of_jump, factor, normal);
      const Number weight = arg.tables.face_weights[there];
      const auto   set    = [&](Number      *to,
                           const Number of_flux,
                           const Number scale,
                           const auto  &of_side,
                           const Trace &side) {
        for (int c = 0; c < n_components; ++c)
          to[c] = of_flux * flux[c];
        for (int r = 0; r < dim; ++r)
          {
            const State tested = terms.flux(of_side, of_jump, side.gradient.directions[r]);
            for (int c = 0; c < n_components; ++c)
              to[(1 + r) * n_components + c] = scale * tested[c];
          }
      };
      set(faces.fluxes + given, weight, Number(0.5) * weight, medium, inside);
      set(arg.gradients.terms + (static_cast<std::size_t>(i) * nf + q) * n,
          -weight * ratio,
          Number(0.5) * weight * ratio,
          medium_out,
          outside);
    }

  private:
    static constexpr int dim = Law::dimension, n_components = Law::n_components,
                         n = (1 + dim) * n_components;

    using Terms     = SecondOrderTerms<Law, Number, Number>;
    using State     = typename Terms::State;
    using Trace     = typename Terms::Trace;
    using Direction = typename Terms::Direction;

    /// Artificial viscosities of the smaller and of the larger element.
    /// @param q,there point of the part as they number it
    SALTUS_HOST_DEVICE
    Array<Number, 2>
    viscosities(const Terms &terms, const FacePart &part, const int q, const int there) const
    {
      const HangingArrays<Number> &faces  = arg.gradients.faces;
      const LargerFace             larger = faces.faces[part.larger];
      const int                    nf     = arg.tables.n_face_points;
      Number                       common = 0;
      if (!arg.viscosities.are_continuous())
        return {{terms.viscosity_at(part.element, 0), terms.viscosity_at(larger.element, 0)}};
      // Those of ghosts are not known.
      if (part.element < range.first_ghost)
        common = terms.viscosities_on_faces(part.element)(part.face, there);
      else
        for (int a = 0; a < nf; ++a)
          common += faces.interpolation[(part.sub_face * nf + q) * nf + a] *
                    terms.viscosities_on_faces(larger.element)(larger.face, a);
      return {{common, common}};
    }

    /// @param numbers `[k][c]`
    /// @param metrics `[r][d]`
    static SALTUS_HOST_DEVICE
    Trace
    trace(const Array<Number, n> &numbers, const Number *metrics)
    {
      Trace result;
      for (int c = 0; c < n_components; ++c)
        result.value[c] = numbers[c];
      for (int r = 0; r < dim; ++r)
        {
          for (int c = 0; c < n_components; ++c)
            result.gradient.derivatives[r][c] = numbers[(1 + r) * n_components + c];
          for (int d = 0; d < dim; ++d)
            result.gradient.directions[r][d] = metrics[r * dim + d];
        }
      return result;
    }
  };

  template <typename Law, typename Number>
  using SecondOrderSums = LargerSums<(1 + Law::dimension) * Law::n_components, Number>;

  /// All three steps, of the hanging faces without ghosts or of those with ghosts.
  template <typename Law, typename Number>
  void
  set_hanging_gradients(const Device                             device,
                        const SecondOrderArguments<Law, Number> &arg,
                        const bool                               with_ghosts)
  {
    run_hanging_steps(
      device,
      arg.gradients.faces,
      arg.tables.n_face_points,
      arg.mesh.n_elements,
      with_ghosts,
      true,
      [&](const HangingRange range) {
        return SecondOrderTraces<Law, Number>{arg.tables,
                                              arg.gradients,
                                              {arg.tables.n_modes, arg.u},
                                              range};
      },
      [&](const std::size_t n, const HangingRange range) {
        launch(device, n, SecondOrderOnParts<Law, Number>{arg, range});
      },
      [&](const HangingRange range) {
        return SecondOrderSums<Law, Number>{arg.gradients, arg.tables.n_face_points, range};
      });
  }
} // namespace Saltus

#endif
