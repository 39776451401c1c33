// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_hanging_arrays_h
#define saltus_operators_spaces_hanging_arrays_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>
#include <saltus/mesh/mesh_arrays.h>
#include <saltus/operators/spaces/line_tables.h>

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

  /// Hanging faces, `h`, and their parts, `i`, as kernels see them. The flux through a part is
  /// computed once, at the points of the smaller element's face, before the stages run. These find
  /// the fluxes under the numbers that the records of such faces have as their neighbours: h of
  /// larger sides, `n_faces + i` of smaller ones.
  template <typename Number>
  struct HangingArrays
  {
    int n_faces = 0, n_parts = 0;
    int n_faces_here = 0, n_parts_here = 0; ///< the first ones, which need no ghosts

    int n_on_line = 0; ///< points of the basis in each direction

    const LargerFace *faces = nullptr; ///< `[h]`
    const FacePart   *parts = nullptr; ///< `[i]`
    /// `[s][q][a]`: values at the points of part s from those at the points a of the face
    const Number *interpolation = nullptr;
    /// `[s][a][q]`: to the values of the projection onto the polynomials of the face
    const Number *projection = nullptr;
    /// `[i][q][d]`: normals out of the smaller element at its points, as long as its area over
    /// \f$ |\det J| \f$
    const Number *normals = nullptr;
    /// `[i]`: \f$ |\det J| \f$ of the smaller element over that of the larger one
    const Number *volume_ratios = nullptr;

    Number *traces = nullptr; ///< `[h][q][c]`: room for states of the larger elements
    /// `[number][q][c]`: room for fluxes out of both sides, times the area over \f$ |\det J| \f$
    Number *fluxes = nullptr;
  };

  /// The value of a function on a hypercube at point @p q of face @p f: of `n` points in each
  /// direction the basis has, those of the line behind q see it.
  template <int dim, int n_components, typename Tables, typename Number>
  SALTUS_HOST_DEVICE
  Array<Number, n_components>
  trace_on_hypercube(const Tables &tables,
                     const int     n,
                     const Number *u,
                     const int     element,
                     const int     f,
                     const int     q)
  {
    const int     d = f / 2, stride = Hypercube<dim>::stride(d, n);
    const int     line = Hypercube<dim>::line(d, q, n);
    const Number *row  = tables.face_values + (f * tables.n_face_points + q) * tables.n_modes;
    Array<Number, n_components> state{};
    for (int k = 0; k < n; ++k)
      {
        const int     m    = line + k * stride;
        const Number *mode = u + CoefficientLayout{tables.n_modes, n_components}.index(element, m);
        for (int c = 0; c < n_components; ++c)
          state[c] += row[m] * mode[c];
      }
    return state;
  }
} // namespace Saltus

#endif
