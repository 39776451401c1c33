// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_mixed_face_work_h
#define saltus_operators_elliptic_kernels_mixed_face_work_h

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/launch.h>
#include <saltus/operators/spaces/element_tables.h>
#include <saltus/physics/interior_penalty.h>

/// The form of LaplaceOperator on the faces of elements of one shape to those of another, in two
/// steps: what test functions are multiplied with at the points, then sums over the points. For
/// the other terms of these elements the faces are at the boundary, without a flux.
namespace Saltus
{
  /// The faces, in the order of their elements, and the numbers at their points.
  template <typename Number>
  struct MixedFaceArrays
  {
    ElementTables<Number> tables;
    CoefficientLayout     layout{}; ///< of vectors

    const int    *elements = nullptr; ///< `[i]`
    const int    *faces    = nullptr; ///< `[i]`: the number of the face in the element
    const Number *weights  = nullptr; ///< `[i][q]`: what a point counts for in the integral
    /// `[i][q][r]`: the flux n.k grad v is this combination of reference derivatives; nullptr:
    /// there are no terms with fluxes of test functions
    const Number *along = nullptr;
    /// `[i][q]`: what is told of the element across
    const Number *across = nullptr;
    /// `[i][q]`: what values are multiplied with, `[c]`, then what fluxes are, `[c]`
    Number *terms = nullptr;

    const int *starts = nullptr; ///< `[j]`: the first face of the j-th element that has some

    SALTUS_HOST_DEVICE
    int
    terms_per_point() const
    {
      return (along == nullptr ? 1 : 2) * layout.n_components;
    }
  };

  /// For one component at one point. Of the element across there are `[c]` values, then `[c]`
  /// fluxes with the normal out of that one.
  template <int dim, typename Number>
  struct MixedFacePoints
  {
    MixedFaceArrays<Number> faces;
    const Number           *penalties = nullptr; ///< `[i]`
    const Number           *u         = nullptr;
    /// If it is not negative, the function is that mode in every element, and zero across.
    int column = -1;

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const ElementTables<Number> &tables = faces.tables;
      const int     nf = tables.n_face_points, n = tables.n_modes, nc = faces.layout.n_components;
      const int     c = index % nc, at = index / nc, i = at / nf;
      const int     point  = faces.faces[i] * nf + at % nf;
      const Number *values = tables.face_values + static_cast<std::size_t>(point) * n,
                   *slopes = tables.face_gradients + static_cast<std::size_t>(point) * dim * n;
      const Number *along  = faces.along + static_cast<std::size_t>(at) * dim;
      Number        value = 0, flux = 0;
      for (int m = 0; m < n; ++m)
        {
          Number slope = 0;
          for (int r = 0; r < dim; ++r)
            slope += along[r] * slopes[r * n + m];
          const Number mode =
            column >= 0 ? Number(m == column) : u[faces.layout.index(faces.elements[i], m, c)];
          value += values[m] * mode;
          flux += slope * mode;
        }
      const std::size_t   first = static_cast<std::size_t>(at) * 2 * nc + c;
      const Number *const there = faces.across + first;
      const bool          alone = column >= 0;
      const auto          terms = interior_penalty<Number>(
        value, alone ? Number(0) : there[0], flux, alone ? Number(0) : -there[nc], penalties[i]);
      faces.terms[first]      = faces.weights[at] * terms.value;
      faces.terms[first + nc] = faces.weights[at] * terms.flux;
    }
  };

  /// For one component of one mode of an element, with all of its faces to other shapes:
  /// `out += scale` times the terms.
  template <int dim, typename Number>
  struct MixedFaceSums
  {
    MixedFaceArrays<Number> faces;
    Number                  scale = 1;
    Number                 *out   = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const ElementTables<Number> &tables = faces.tables;
      const int  nf = tables.n_face_points, n = tables.n_modes, nc = faces.layout.n_components;
      const int  c = index % nc, m = index / nc % n, j = index / nc / n;
      const bool with_fluxes = faces.along != nullptr;
      Number     sum         = 0;
      for (int i = faces.starts[j]; i < faces.starts[j + 1]; ++i)
        for (int q = 0; q < nf; ++q)
          {
            const std::size_t point   = faces.faces[i] * nf + q,
                              at      = static_cast<std::size_t>(i) * nf + q;
            const Number *const terms = faces.terms + at * faces.terms_per_point() + c;
            sum += terms[0] * tables.face_values[point * n + m];
            for (int r = 0; r < dim && with_fluxes; ++r)
              sum += terms[nc] * faces.along[at * dim + r] *
                     tables.face_gradients[(point * dim + r) * n + m];
          }
      out[faces.layout.index(faces.elements[faces.starts[j]], m, c)] += scale * sum;
    }
  };
} // namespace Saltus

#endif
