// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_mixed_traces_h
#define saltus_operators_spaces_mixed_traces_h

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/algebra/combination.h>
#include <saltus/base/device/launch.h>
#include <saltus/operators/spaces/element_tables.h>

/// States at faces between elements of different shapes, as work for one point at a time.
namespace Saltus
{
  /// A side of such a face, and where its numbers stand in an array.
  struct MixedSide
  {
    int           element = 0; ///< or the number of the face among those received
    unsigned char face    = 0;
    bool          turned  = false; ///< whether points are counted the other way in the array
    std::size_t   first   = 0;
    double        penalty = 0.; ///< for who reads there, see NumbersAcross
  };

  /// What stands at a point: a state `[c]`, perhaps derivatives, `[d][c]`, which are its gradient
  /// or a flux, perhaps a number of the element, and the factor of a penalty.
  struct NumbersAcross
  {
    int n_components = 0, n_derivatives = 0, n_of_element = 0;
    int n = 0; ///< distance between points

    SALTUS_HOST_DEVICE
    int
    n_of_traces() const
    {
      return (1 + n_derivatives) * n_components + n_of_element;
    }

    template <typename Number>
    SALTUS_HOST_DEVICE
    Number *
    at(Number *array, const MixedSide &side, const int q, const int n_face_points) const
    {
      return array + side.first + (side.turned ? n_face_points - 1 - q : q) * n;
    }

    template <typename Number>
    SALTUS_HOST_DEVICE
    void
    set_penalty(Number *at_point, const MixedSide &side) const
    {
      if (n > n_of_traces())
        at_point[n_of_traces()] = side.penalty;
    }
  };

  /// The values of functions, and perhaps derivatives, at the points of sides, for those across.
  template <typename Number>
  struct MixedTraces
  {
    ElementTables<Number> tables;
    CoefficientLayout     layout{};
    NumbersAcross         numbers;
    int                   dim   = 0;
    const MixedSide      *sides = nullptr;
    /// `[side][q][r][d]`: how much the reference derivative r adds to the derivative d. To
    /// gradients \f$ \partial \hat x_r / \partial x_d \f$.
    const Number       *maps = nullptr;
    Combination<Number> u;
    const Number       *of_element = nullptr; ///< `[e]`, as a vector with one mode; where wanted
    Number             *out        = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const int       nf = tables.n_face_points, q = index % nf, n = layout.n_components;
      const int       nd    = numbers.n_derivatives;
      const MixedSide side  = sides[index / nf];
      const int       point = side.face * nf + q;
      Number *const   to    = numbers.at(out, side, q, nf);
      for (int first = 0; first < n; first += n_together)
        {
          const int last = first + n_together < n ? first + n_together : n;
          set(tables.face_values, point, side.element, first, last, to + first);
          for (int d = 0; d < nd; ++d)
            for (int c = first; c < last; ++c)
              to[(1 + d) * n + c] = 0;
          for (int r = 0; r < dim && nd > 0; ++r)
            {
              Number        derivatives[n_together];
              const Number *map = maps + (static_cast<std::size_t>(index) * dim + r) * nd;
              set(tables.face_gradients, point * dim + r, side.element, first, last, derivatives);
              for (int d = 0; d < nd; ++d)
                for (int c = first; c < last; ++c)
                  to[(1 + d) * n + c] += map[d] * derivatives[c - first];
            }
        }
      if (numbers.n_of_element > 0)
        to[(1 + nd) * n] = of_element[CoefficientLayout{1, 1}.index(side.element, 0)];
      numbers.set_penalty(to, side);
    }

  private:
    static constexpr int n_together = 4; ///< components

    /// Set @p to of some components to the sum of the modes times row @p row of a table, most of
    /// which is zero on hypercubes.
    SALTUS_HOST_DEVICE
    void
    set(const Number *table,
        const int     row,
        const int     element,
        const int     first,
        const int     last,
        Number       *to) const
    {
      const Number *factors         = table + static_cast<std::size_t>(row) * tables.n_modes;
      Number        sum[n_together] = {};
      for (int m = 0; m < tables.n_modes; ++m)
        if (const Number factor = factors[m]; factor != 0)
          {
            const std::size_t mode = layout.index(element, m, first);
            for (int c = 0; c < n_together; ++c)
              if (first + c < last)
                sum[c] += factor * u.at(mode + c * layout.component_stride());
          }
      for (int c = 0; c < last - first; ++c)
        to[c] = sum[c];
    }
  };

  /// What has come from another rank, to where a side reads it.
  template <typename Number>
  struct ReceivedTraces
  {
    int              n_face_points = 0;
    NumbersAcross    numbers;
    const MixedSide *sides    = nullptr;
    const Number    *received = nullptr; ///< `[i][q]`: state and derivatives
    Number          *out      = nullptr;

    SALTUS_HOST_DEVICE
    void
    operator()(const int index) const
    {
      const int       nf = n_face_points, q = index % nf, n = numbers.n_of_traces();
      const MixedSide side = sides[index / nf];
      const Number   *from = received + (static_cast<std::size_t>(side.element) * nf + q) * n;
      Number *const   to   = numbers.at(out, side, q, nf);
      for (int k = 0; k < n; ++k)
        to[k] = from[k];
      numbers.set_penalty(to, side);
    }
  };
} // namespace Saltus

#endif
