// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_hanging_fluxes_h
#define saltus_operators_conservation_law_kernels_hanging_fluxes_h

#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/operators/spaces/hanging_steps.h>

/// Fluxes through hanging faces, see run_hanging_steps(). What leaves the smaller elements is what
/// enters the larger one, to rounding:
/// \f[ \hat F_a = -\sum_i \sum_q \frac{w_q \ell_a(x_q)}{w_a} \hat F_{iq}, \f]
/// the projection of the flux onto the polynomials of the larger face.
namespace Saltus
{
  /// The states of larger elements at the points of their hanging faces.
  template <typename Law, typename Number>
  struct LargerTraces
  {
    ElementTables<Number> tables;
    HangingArrays<Number> hanging;
    const Number         *u;
    HangingRange          range; ///< of hanging faces

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      constexpr int    n  = Law::n_components;
      const int        nf = tables.n_face_points, h = range.first + i / nf, q = i % nf;
      const LargerFace face = hanging.faces[h];
      if (!range.has(face.element))
        return;
      const auto state =
        trace_on_hypercube<Law::dimension, n>(tables, u, face.element, face.face, q);
      for (int c = 0; c < n; ++c)
        hanging.traces[(static_cast<std::size_t>(h) * nf + q) * n + c] = state[c];
    }
  };

  /// The fluxes out of the smaller elements.
  template <typename Law, typename Number>
  struct PartFluxes
  {
    Law                   law;
    ElementTables<Number> tables;
    HangingArrays<Number> hanging;
    FieldArrays<Number>   fields;
    const Number         *u;
    HangingRange          range; ///< of parts

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      constexpr int  n = Law::n_components, dim = Law::dimension, n_fields = Law::n_fields;
      const int      nf = tables.n_face_points, i = range.first + index / nf, q = index % nf;
      const FacePart part = hanging.parts[i];
      if (!range.has(part.element, hanging.faces[part.larger].element))
        return;
      const int  there  = tables.face_permutations[part.orientation * nf + q];
      const auto inside = trace_on_hypercube<dim, n>(tables, u, part.element, part.face, there);
      Array<Number, n> outside{};
      for (int a = 0; a < nf; ++a)
        {
          const Number weight = hanging.interpolation[(part.sub_face * nf + q) * nf + a];
          for (int c = 0; c < n; ++c)
            outside[c] +=
              weight * hanging.traces[(static_cast<std::size_t>(part.larger) * nf + a) * n + c];
        }
      const std::size_t  point = static_cast<std::size_t>(i) * nf + there;
      Array<Number, dim> normal;
      for (int d = 0; d < dim; ++d)
        normal[d] = hanging.normals[point * dim + d];
      const Number square = dot<dim>(normal, normal), inverse = rsqrt(square);
      for (int d = 0; d < dim; ++d)
        normal[d] *= inverse;
      Array<Number, n_fields> field;
      for (int k = 0; k < n_fields; ++k)
        field[k] =
          fields
            .face[point_index(part.element, part.face * nf + there, tables.n_faces * nf, n_fields) +
                  k];
      const auto           flux = law.numerical_flux(inside, outside, field, normal);
      const SideFluxLayout layout{nf, n};
      for (int c = 0; c < n; ++c)
        hanging.fluxes[layout.index(hanging.n_faces + i, there, c)] = square * inverse * flux[c];
    }
  };

  /// The fluxes out of the larger elements.
  template <typename Law, typename Number>
  struct LargerFluxes
  {
    ElementTables<Number> tables;
    HangingArrays<Number> hanging;
    HangingRange          range; ///< of hanging faces

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      constexpr int        n  = Law::n_components;
      const int            nf = tables.n_face_points, h = range.first + index / nf, a = index % nf;
      const LargerFace     face = hanging.faces[h];
      const SideFluxLayout layout{nf, n};
      Array<Number, n>     sum{};
      for (int i = face.first_part; i < face.first_part + face.n_parts; ++i)
        {
          const FacePart part = hanging.parts[i];
          for (int q = 0; q < nf; ++q)
            {
              const Number weight =
                hanging.volume_ratios[i] * hanging.projection[(part.sub_face * nf + a) * nf + q];
              const int there = tables.face_permutations[part.orientation * nf + q];
              for (int c = 0; c < n; ++c)
                sum[c] -= weight * hanging.fluxes[layout.index(hanging.n_faces + i, there, c)];
            }
        }
      for (int c = 0; c < n; ++c)
        hanging.fluxes[layout.index(h, a, c)] = sum[c];
    }
  };

  /// All three steps, of the hanging faces without ghosts or of those with ghosts.
  template <typename Law, typename Number>
  void
  set_hanging_fluxes(const Device                       device,
                     const StageArguments<Law, Number> &arg,
                     const bool                         with_ghosts)
  {
    const auto &hanging = arg.hanging;
    run_hanging_steps(
      device,
      hanging,
      arg.tables.n_face_points,
      arg.mesh.n_elements,
      with_ghosts,
      false,
      [&](const HangingRange range) {
        return LargerTraces<Law, Number>{arg.tables, hanging, arg.u, range};
      },
      [&](const std::size_t n, const HangingRange range) {
        launch(device,
               n,
               PartFluxes<Law, Number>{arg.law, arg.tables, hanging, arg.fields, arg.u, range});
      },
      [&](const HangingRange range) {
        return LargerFluxes<Law, Number>{arg.tables, hanging, range};
      });
  }
} // namespace Saltus

#endif
