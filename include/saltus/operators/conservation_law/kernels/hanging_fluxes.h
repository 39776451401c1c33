// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_hanging_fluxes_h
#define saltus_operators_conservation_law_kernels_hanging_fluxes_h

#include <saltus/base/device/launch.h>
#include <saltus/operators/conservation_law/kernels/launcher.h>

/// Fluxes through hanging faces, as work for one point at a time, in three steps. What leaves the
/// smaller elements is what enters the larger one, to rounding:
/// \f[ \hat F_a = -\sum_i \sum_q \frac{w_q \ell_a(x_q)}{w_a} \hat F_{iq}, \f]
/// the projection of the flux onto the polynomials of the larger face.
///
/// What needs no ghosts is done before messages have come, as the stages of elements that need none
/// begin then, and read the fluxes: also of parts of faces that have ghosts behind other parts.
namespace Saltus
{
  /// The states of larger elements at the points of their hanging faces.
  template <typename Law, typename Number>
  struct LargerTraces
  {
    ElementTables<Number> tables;
    HangingArrays<Number> hanging;
    const Number         *u;
    int                   first; ///< hanging face
    int                   first_ghost;
    bool                  with_ghosts; ///< of ghosts, or of elements of this rank

    SALTUS_HOST_DEVICE
    void
    operator()(const int i) const
    {
      constexpr int    n  = Law::n_components;
      const int        nf = tables.n_face_points, h = first + i / nf, q = i % nf;
      const LargerFace face = hanging.faces[h];
      if ((face.element >= first_ghost) != with_ghosts)
        return;
      const auto state = trace_on_hypercube<Law::dimension, n>(
        tables, hanging.n_on_line, u, face.element, face.face, q);
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
    int                   first; ///< part
    int                   first_ghost;
    bool                  with_ghosts; ///< with a ghost on one side, or without

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      constexpr int  n = Law::n_components, dim = Law::dimension, n_fields = Law::n_fields;
      const int      nf = tables.n_face_points, i = first + index / nf, q = index % nf;
      const FacePart part = hanging.parts[i];
      if ((part.element >= first_ghost || hanging.faces[part.larger].element >= first_ghost) !=
          with_ghosts)
        return;
      const int  there = tables.face_permutations[part.orientation * nf + q];
      const auto inside =
        trace_on_hypercube<dim, n>(tables, hanging.n_on_line, u, part.element, part.face, there);
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
      const auto flux = law.numerical_flux(inside, outside, field, normal);
      for (int c = 0; c < n; ++c)
        hanging.fluxes[(hanging.n_faces * static_cast<std::size_t>(nf) + point) * n + c] =
          square * inverse * flux[c];
    }
  };

  /// The fluxes out of the larger elements.
  template <typename Law, typename Number>
  struct LargerFluxes
  {
    ElementTables<Number> tables;
    HangingArrays<Number> hanging;
    int                   first; ///< hanging face

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      constexpr int    n  = Law::n_components;
      const int        nf = tables.n_face_points, h = first + index / nf, a = index % nf;
      const LargerFace face = hanging.faces[h];
      Array<Number, n> sum{};
      for (int i = face.first_part; i < face.first_part + face.n_parts; ++i)
        {
          const FacePart part = hanging.parts[i];
          for (int q = 0; q < nf; ++q)
            {
              const Number weight =
                hanging.volume_ratios[i] * hanging.projection[(part.sub_face * nf + a) * nf + q];
              const int         there = tables.face_permutations[part.orientation * nf + q];
              const std::size_t from = (static_cast<std::size_t>(hanging.n_faces) + i) * nf + there;
              for (int c = 0; c < n; ++c)
                sum[c] -= weight * hanging.fluxes[from * n + c];
            }
        }
      for (int c = 0; c < n; ++c)
        hanging.fluxes[(static_cast<std::size_t>(h) * nf + a) * n + c] = sum[c];
    }
  };

  template <typename Law, typename Number>
  using HangingWork =
    WorkList<LargerTraces<Law, Number>, PartFluxes<Law, Number>, LargerFluxes<Law, Number>>;

  /// All three steps, of the hanging faces without ghosts or of those with ghosts.
  template <typename Law, typename Number>
  void
  set_hanging_fluxes(const Device                       device,
                     const StageArguments<Law, Number> &arg,
                     const bool                         with_ghosts)
  {
    const HangingArrays<Number> &hanging = arg.hanging;
    if (hanging.n_parts == 0)
      return;
    const int nf          = arg.tables.n_face_points;
    const int first_ghost = n_blocks(arg.mesh.n_elements) * block_size;
    // Those with ghosts behind some parts are looked at both times.
    const int first_face = with_ghosts ? hanging.n_faces_here : 0;
    const int first_part = with_ghosts ? hanging.n_parts_here : 0;
    const int last_face  = with_ghosts ? hanging.n_faces : hanging.n_faces_here;
    launch(
      device,
      (hanging.n_faces - first_face) * nf,
      LargerTraces<Law, Number>{arg.tables, hanging, arg.u, first_face, first_ghost, with_ghosts});
    launch(
      device,
      (hanging.n_parts - first_part) * nf,
      PartFluxes<Law, Number>{
        arg.law, arg.tables, hanging, arg.fields, arg.u, first_part, first_ghost, with_ghosts});
    launch(device,
           (last_face - first_face) * nf,
           LargerFluxes<Law, Number>{arg.tables, hanging, first_face});
  }
} // namespace Saltus

#endif
