// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_hanging_arrays_h
#define saltus_operators_spaces_hanging_arrays_h

#include <saltus/mesh/mesh_arrays.h>

#include <cstddef>

namespace Saltus
{
  /// The larger side of a hanging face.
  struct LargerFace
  {
    int element    = 0;
    int face       = 0; ///< its number of the face
    int first_part = 0, n_parts = 0;
  };

  /// The side of one of the smaller elements.
  struct FacePart
  {
    int           element     = 0;
    int           larger      = 0; ///< number of the LargerFace
    unsigned char face        = 0; ///< the smaller element's number of the face
    unsigned char sub_face    = 0; ///< which part of the larger face it is
    unsigned char orientation = 0; ///< of the part, as seen from the larger element
  };

  /// How the fluxes of a conservation law through hanging faces are stored, by the numbers that
  /// HangingArrays gives to sides. Five and more components are further from each other than
  /// points, as coefficients are: GPUs write and read the points of a face side by side.
  struct SideFluxLayout
  {
    int n_points     = 0; ///< of a face
    int n_components = 0; ///< of a flux

    SALTUS_HOST_DEVICE
    constexpr bool
    component_by_component() const
    {
      return n_components > 4;
    }

    SALTUS_HOST_DEVICE
    constexpr std::size_t
    index(const int side, const int q, const int c) const
    {
      return static_cast<std::size_t>(side) * n_points * n_components +
             (component_by_component() ? c * n_points + q : q * n_components + c);
    }
  };

  /// Hanging faces, `h`, and their parts, `i`, as kernels see them. The flux through a part is
  /// computed once, at the points of the smaller element's face, before the stages run. These find
  /// the fluxes under the numbers that the records of such faces have as their neighbours: h of
  /// larger sides, `n_faces + i` of smaller ones.
  template <typename Number>
  struct HangingArrays
  {
    int n_faces = 0, n_parts = 0;
    int n_faces_here = 0, n_parts_here = 0; ///< the first ones, which need no ghosts

    const LargerFace *faces = nullptr; ///< `[h]`
    const FacePart   *parts = nullptr; ///< `[i]`
    /// `[s][q][a]`: values at the points of part s from those at the points a of the face
    const Number *interpolation = nullptr;
    /// `[s][a][q]`: to the values of the projection onto the polynomials of the face
    const Number *projection = nullptr;
    /// The factors of these: `[half][q][a]` and `[half][a][q]` on lines. Bit d of s is the half in
    /// direction d of the face.
    const Number *line_interpolation = nullptr, *line_projection = nullptr;
    /// `[i][q][d]`: normals out of the smaller element at its points, as long as its area over
    /// \f$ |\det J| \f$
    const Number *normals = nullptr;
    /// `[i]`: \f$ |\det J| \f$ of the smaller element over that of the larger one
    const Number *volume_ratios = nullptr;

    Number *traces = nullptr; ///< `[h][q][c]`: room for states of the larger elements
    /// `[number][q][c]`, those of conservation laws as SideFluxLayout says: room for fluxes out of
    /// both sides, times the area over \f$ |\det J| \f$
    Number *fluxes = nullptr;

    /// Whether a face is the larger side of a hanging one.
    SALTUS_HOST_DEVICE
    bool
    is_larger(const FaceRecord &face) const
    {
      return face.kind == FaceKind::hanging && face.neighbor < n_faces;
    }
  };
} // namespace Saltus

#endif
