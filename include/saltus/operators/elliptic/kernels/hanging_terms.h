// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_hanging_terms_h
#define saltus_operators_elliptic_kernels_hanging_terms_h

#include <saltus/operators/elliptic/kernels/laplace_launcher.h>
#include <saltus/operators/spaces/hanging_steps.h>

/// The form of LaplaceOperator on hanging faces, see run_hanging_steps(). Its integrals are sums
/// over the points of the smaller elements. With the interpolation transposed the larger one is
/// given its terms, so that the form is symmetric.
namespace Saltus
{
  /// Which sides' terms are asked for: parts of the matrix differ between them.
  enum class HangingSide
  {
    both,
    smaller,
    larger
  };

  /// Coefficients of the function that the form is applied to.
  template <int n_components, typename Number>
  struct LaplaceModes
  {
    int           n_modes;
    int           column; ///< if not negative, it is that mode of all elements
    const Number *u;

    struct OfElement
    {
      ElementModes<Number> modes;
      int                  column;

      SALTUS_HOST_DEVICE
      Number
      operator()(const int m, const int c) const
      {
        return column >= 0 ? Number(m == column) : modes(m, c);
      }
    };

    SALTUS_HOST_DEVICE
    OfElement
    of(const int element) const
    {
      return {{u, {n_modes, n_components}, column >= 0 ? 0 : element}, column};
    }
  };

  template <int dim, int n_components, typename Number>
  using HangingTraces = SideTraces<dim, n_components, Number, LaplaceModes<n_components, Number>>;

  /// At the points of the smaller elements what both sides are given, of each component.
  template <int dim, int n_components, typename Number>
  struct HangingPointTerms
  {
    LaplaceArguments<Number> arg;
    HangingSide              side;
    HangingRange             range; ///< of parts

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      constexpr int                n_numbers = HangingForm<Number>::template n_numbers<dim>();
      const HangingArrays<Number> &faces     = arg.hanging.faces;
      const int      nf = arg.tables.n_face_points, i = range.first + index / nf, q = index % nf;
      const FacePart part = faces.parts[i];
      const auto     face = faces.faces[part.larger];
      if (!range.has(part.element, face.element))
        return;
      const int         there   = arg.tables.face_permutations[part.orientation * nf + q];
      const std::size_t point   = static_cast<std::size_t>(i) * nf + there;
      const std::size_t given   = (static_cast<std::size_t>(faces.n_faces) * nf + point) * n;
      const Number     *numbers = arg.hanging.points + point * n_numbers;
      const Number      weight = numbers[0], penalty = numbers[1];
      const Number     *along = numbers + 2, *along_across = along + dim;

      // Values and derivatives that count: those of the side itself, and those across.
      const bool own = arg.own, across_smaller = sees(part.face),
                 across_larger = sees(part.sub_face * arg.tables.n_faces + face.face);
      Array<Number, n> u{}, u_out{};
      if (side == HangingSide::larger ? across_larger : own)
        for (int k = 0; k < n; ++k)
          u[k] = arg.hanging.traces[given + k];
      if (side == HangingSide::larger ? own : across_smaller)
        u_out = interpolated_trace<n>(arg.hanging, part, nf, q);
      for (int c = 0; c < n_components; ++c)
        {
          Number flux = 0, flux_out = 0;
          for (int r = 0; r < dim; ++r)
            {
              flux += along[r] * u[(1 + r) * n_components + c];
              flux_out += along_across[r] * u_out[(1 + r) * n_components + c];
            }
          const auto terms = interior_penalty(u[c], u_out[c], flux, flux_out, penalty);
          if (side != HangingSide::larger)
            set(faces.fluxes + given + c, weight, terms, along);
          if (side != HangingSide::smaller)
            set(arg.hanging.terms + (static_cast<std::size_t>(i) * nf + q) * n + c,
                weight,
                {-terms.value, terms.flux},
                along_across);
        }
    }

  private:
    static constexpr int n = (1 + dim) * n_components; ///< numbers of a point

    SALTUS_HOST_DEVICE
    bool
    sees(const int part) const
    {
      return arg.across == LaplaceArguments<Number>::all_faces || arg.across == part;
    }

    static SALTUS_HOST_DEVICE
    void
    set(Number                             *to,
        const Number                        weight,
        const InteriorPenaltyTerms<Number> &terms,
        const Number                       *along)
    {
      to[0] = weight * terms.value;
      for (int r = 0; r < dim; ++r)
        to[(1 + r) * n_components] = weight * terms.flux * along[r];
    }
  };

  /// All three steps, of the hanging faces without ghosts or of those with ghosts.
  template <int dim, int n_components = 1, typename Number>
  void
  set_hanging_terms(const Device                    device,
                    const LaplaceArguments<Number> &arg,
                    const bool                      with_ghosts)
  {
    run_hanging_steps(
      device,
      arg.hanging.faces,
      arg.tables.n_face_points,
      arg.mesh.n_elements,
      with_ghosts,
      true,
      [&](const HangingRange range) {
        return HangingTraces<dim, n_components, Number>{arg.tables,
                                                        arg.hanging,
                                                        {arg.tables.n_modes, arg.column, arg.u},
                                                        range};
      },
      [&](const std::size_t n, const HangingRange range) {
        const auto set = [&](const HangingSide side) {
          launch(device, n, HangingPointTerms<dim, n_components, Number>{arg, side, range});
        };
        if (arg.is_whole())
          set(HangingSide::both);
        else
          {
            set(HangingSide::smaller);
            set(HangingSide::larger);
          }
      },
      [&](const HangingRange range) {
        return LargerSums<(1 + dim) * n_components, Number>{arg.hanging,
                                                            arg.tables.n_face_points,
                                                            range};
      });
  }
} // namespace Saltus

#endif
