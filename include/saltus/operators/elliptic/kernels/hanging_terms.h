// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_hanging_terms_h
#define saltus_operators_elliptic_kernels_hanging_terms_h

#include <saltus/base/device/launch.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>

/// The form of LaplaceOperator on hanging faces, as work for one point at a time, in three steps.
/// Its integrals are sums over the points of the smaller elements; there the larger one has what
/// its functions have at the points of its own rule, interpolated: exactly, as they are
/// polynomials. With the interpolation transposed it is given its terms, so that the form is
/// symmetric.
///
/// As HangingWork does for fluxes, what needs no ghosts is done before messages have come.
namespace Saltus
{
  /// Which sides' terms are asked for: parts of the matrix differ between them.
  enum class HangingSide
  {
    both,
    smaller,
    larger
  };

  /// Value and reference derivatives of elements at their own points of hanging faces.
  template <int dim, typename Number>
  struct HangingTraces
  {
    LaplaceArguments<Number> arg;
    int                      first; ///< number of a side, see HangingArrays
    int                      first_ghost;
    bool                     with_ghosts; ///< of ghosts, or of elements of this rank

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const HangingArrays<Number> &faces  = arg.hanging.faces;
      const ElementTables<Number> &tables = arg.tables;
      const int n = faces.n_on_line, nf = tables.n_face_points, number = first + index / nf,
                q          = index % nf;
      const bool is_larger = number < faces.n_faces;
      const int  element =
        is_larger ? faces.faces[number].element : faces.parts[number - faces.n_faces].element;
      const int f = is_larger ? faces.faces[number].face : faces.parts[number - faces.n_faces].face;
      if ((element >= first_ghost) != with_ghosts)
        return;
      const int d = f / 2, stride = Hypercube<dim>::stride(d, n);
      Number   *to = arg.hanging.traces + (static_cast<std::size_t>(number) * nf + q) * (1 + dim);
      const Number *values    = tables.face_values + (f * nf + q) * tables.n_modes;
      const Number *gradients = tables.face_gradients + (f * nf + q) * dim * tables.n_modes;
      for (int k = 0; k <= dim; ++k)
        to[k] = 0;
      // Modes of lines behind points that have an index in common with q in all directions but one
      // of the face.
      for (int t = 0; t + 1 < dim; ++t)
        {
          const int along = Hypercube<dim>::stride(t, n), row = q - q / along % n * along;
          for (int i = 0; i < n; ++i)
            for (int k = 0; k < n; ++k)
              {
                const int    m = Hypercube<dim>::line(d, row + i * along, n) + k * stride;
                const Number u = coefficient(element, m);
                const int    r = (d + 1 + t) % dim;
                to[1 + r] += gradients[r * tables.n_modes + m] * u;
                if (t == 0 && i == q % n)
                  {
                    to[0] += values[m] * u;
                    to[1 + d] += gradients[d * tables.n_modes + m] * u;
                  }
              }
        }
    }

  private:
    SALTUS_HOST_DEVICE
    Number
    coefficient(const int element, const int m) const
    {
      return arg.column >= 0 ? Number(m == arg.column)
                             : arg.u[CoefficientLayout{arg.tables.n_modes, 1}.index(element, m)];
    }
  };

  /// At the points of the smaller elements what both sides are given.
  template <int dim, typename Number>
  struct HangingPointTerms
  {
    LaplaceArguments<Number> arg;
    HangingSide              side;
    int                      first; ///< part
    int                      first_ghost;
    bool                     with_ghosts; ///< with a ghost on one side, or without

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      constexpr int                n_numbers = HangingForm<Number>::template n_numbers<dim>();
      const HangingArrays<Number> &faces     = arg.hanging.faces;
      const int      nf = arg.tables.n_face_points, i = first + index / nf, q = index % nf;
      const FacePart part = faces.parts[i];
      const auto     face = faces.faces[part.larger];
      if ((part.element >= first_ghost || face.element >= first_ghost) != with_ghosts)
        return;
      const int         there   = arg.tables.face_permutations[part.orientation * nf + q];
      const std::size_t point   = static_cast<std::size_t>(i) * nf + there;
      const std::size_t given   = static_cast<std::size_t>(faces.n_faces) * nf + point;
      const Number     *numbers = arg.hanging.points + point * n_numbers;
      const Number      weight = numbers[0], penalty = numbers[1];
      const Number     *along = numbers + 2, *along_across = along + dim;

      // Values and derivatives that count: those of the side itself, and those across.
      const bool own = arg.own, across_smaller = sees(part.face),
                 across_larger = sees(part.sub_face * arg.tables.n_faces + face.face);
      Number u[1 + dim] = {}, u_out[1 + dim] = {};
      if (side == HangingSide::larger ? across_larger : own)
        for (int k = 0; k <= dim; ++k)
          u[k] = arg.hanging.traces[given * (1 + dim) + k];
      if (side == HangingSide::larger ? own : across_smaller)
        for (int a = 0; a < nf; ++a)
          {
            const Number entry = faces.interpolation[(part.sub_face * nf + q) * nf + a];
            for (int k = 0; k <= dim; ++k)
              u_out[k] +=
                entry * arg.hanging
                          .traces[(static_cast<std::size_t>(part.larger) * nf + a) * (1 + dim) + k];
          }
      Number flux = 0, flux_out = 0;
      for (int k = 0; k < dim; ++k)
        {
          flux += along[k] * u[1 + k];
          flux_out += along_across[k] * u_out[1 + k];
        }
      const auto terms = interior_penalty(u[0], u_out[0], flux, flux_out, penalty);
      if (side != HangingSide::larger)
        set(faces.fluxes + given * (1 + dim), weight, terms, along);
      if (side != HangingSide::smaller)
        set(arg.hanging.terms + (static_cast<std::size_t>(i) * nf + q) * (1 + dim),
            weight,
            {-terms.value, terms.flux},
            along_across);
    }

  private:
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
      for (int k = 0; k < dim; ++k)
        to[1 + k] = weight * terms.flux * along[k];
    }
  };

  /// What the larger elements are given.
  template <int dim, typename Number>
  struct LargerTerms
  {
    LaplaceArguments<Number> arg;
    int                      first; ///< hanging face

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const HangingArrays<Number> &faces = arg.hanging.faces;
      const int  nf = arg.tables.n_face_points, h = first + index / nf, a = index % nf;
      const auto face         = faces.faces[h];
      Number     sum[1 + dim] = {};
      for (int i = face.first_part; i < face.first_part + face.n_parts; ++i)
        for (int q = 0; q < nf; ++q)
          {
            const Number entry = faces.interpolation[(faces.parts[i].sub_face * nf + q) * nf + a];
            for (int k = 0; k <= dim; ++k)
              sum[k] +=
                entry * arg.hanging.terms[(static_cast<std::size_t>(i) * nf + q) * (1 + dim) + k];
          }
      for (int k = 0; k <= dim; ++k)
        faces.fluxes[(static_cast<std::size_t>(h) * nf + a) * (1 + dim) + k] = sum[k];
    }
  };

  template <int dim, typename Number>
  using HangingTermsWork =
    WorkList<HangingTraces<dim, Number>, HangingPointTerms<dim, Number>, LargerTerms<dim, Number>>;

  /// All three steps, of the hanging faces without ghosts or of those with ghosts.
  template <int dim, typename Number>
  void
  set_hanging_terms(const Device                    device,
                    const LaplaceArguments<Number> &arg,
                    const bool                      with_ghosts)
  {
    const HangingArrays<Number> &faces = arg.hanging.faces;
    if (faces.n_parts == 0)
      return;
    const int nf          = arg.tables.n_face_points;
    const int first_ghost = n_blocks(arg.mesh.n_elements) * block_size;
    // Those with ghosts behind some parts are looked at both times.
    const int first_face = with_ghosts ? faces.n_faces_here : 0;
    const int first_part = with_ghosts ? faces.n_parts_here : 0;
    const int last_face  = with_ghosts ? faces.n_faces : faces.n_faces_here;
    const int n_sides    = faces.n_faces + faces.n_parts;
    launch(device, n_sides * nf, HangingTraces<dim, Number>{arg, 0, first_ghost, with_ghosts});
    const auto set = [&](const HangingSide side) {
      launch(device,
             (faces.n_parts - first_part) * nf,
             HangingPointTerms<dim, Number>{arg, side, first_part, first_ghost, with_ghosts});
    };
    if (arg.is_whole())
      set(HangingSide::both);
    else
      {
        set(HangingSide::smaller);
        set(HangingSide::larger);
      }
    launch(device, (last_face - first_face) * nf, LargerTerms<dim, Number>{arg, first_face});
  }
} // namespace Saltus

#endif
