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
    CoefficientLayout     layout{}; ///< of vectors with one component

    const int    *elements  = nullptr; ///< `[i]`
    const int    *faces     = nullptr; ///< `[i]`: the number of the face in the element
    const Number *penalties = nullptr; ///< `[i]`
    const Number *weights   = nullptr; ///< `[i][q]`: what a point counts for in the integral
    /// `[i][q][r]`: the flux n.k grad v is this combination of reference derivatives
    const Number *along = nullptr;
    /// `[i][q]`: value, and flux with the normal out of that one, of the element across
    const Number *across = nullptr;
    Number       *terms  = nullptr; ///< `[i][q]`: what values and fluxes are multiplied with

    const int *starts = nullptr; ///< `[j]`: the first face of the j-th element that has some
  };

  template <int dim, typename Number>
  struct MixedFacePoints
  {
    MixedFaceArrays<Number> faces;
    const Number           *u = nullptr;
    /// If it is not negative, the function is that mode in every element, and zero across.
    int column = -1;

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const ElementTables<Number> &tables = faces.tables;
      const int                    nf = tables.n_face_points, n = tables.n_modes, i = index / nf;
      const int                    point = faces.faces[i] * nf + index % nf;
      const Number *values               = tables.face_values + static_cast<std::size_t>(point) * n,
                   *slopes = tables.face_gradients + static_cast<std::size_t>(point) * dim * n;
      const Number *along  = faces.along + static_cast<std::size_t>(index) * dim;
      Number        value = 0, flux = 0;
      for (int m = 0; m < n; ++m)
        {
          Number slope = 0;
          for (int r = 0; r < dim; ++r)
            slope += along[r] * slopes[r * n + m];
          const Number mode =
            column >= 0 ? Number(m == column) : u[faces.layout.index(faces.elements[i], m)];
          value += values[m] * mode;
          flux += slope * mode;
        }
      const Number *const there = faces.across + static_cast<std::size_t>(index) * 2;
      const bool          alone = column >= 0;
      const auto          terms = interior_penalty<Number>(value,
                                                  alone ? Number(0) : there[0],
                                                  flux,
                                                  alone ? Number(0) : -there[1],
                                                  faces.penalties[i]);
      Number *const       to    = faces.terms + static_cast<std::size_t>(index) * 2;
      to[0]                     = faces.weights[index] * terms.value;
      to[1]                     = faces.weights[index] * terms.flux;
    }
  };

  /// For one mode of an element, with all of its faces to other shapes: `out += scale` times the
  /// terms.
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
      const int nf = tables.n_face_points, n = tables.n_modes, j = index / n, m = index % n;
      Number    sum = 0;
      for (int i = faces.starts[j]; i < faces.starts[j + 1]; ++i)
        for (int q = 0; q < nf; ++q)
          {
            const std::size_t point = faces.faces[i] * nf + q,
                              at    = static_cast<std::size_t>(i) * nf + q;
            Number slope            = 0;
            for (int r = 0; r < dim; ++r)
              slope += faces.along[at * dim + r] * tables.face_gradients[(point * dim + r) * n + m];
            sum += faces.terms[2 * at] * tables.face_values[point * n + m] +
                   faces.terms[2 * at + 1] * slope;
          }
      out[faces.layout.index(faces.elements[faces.starts[j]], m)] += scale * sum;
    }
  };

  template <int dim, typename Number>
  using MixedFaceWork = WorkList<MixedFacePoints<dim, Number>, MixedFaceSums<dim, Number>>;
} // namespace Saltus

#endif
