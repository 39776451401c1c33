// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_adaption_work_h
#define saltus_operators_spaces_adaption_work_h

#include <saltus/base/algebra/block_layout.h>
#include <saltus/base/device/launch.h>

/// What takes coefficients over from a mesh to what it is adapted to, as work for launch().
namespace Saltus
{
  /// Where the coefficients of an element stand: what CoefficientLayout knows of sizes that are not
  /// known at compile time, so that it is asked once.
  struct ElementPlaces
  {
    ElementPlaces() = default;

    explicit ElementPlaces(const CoefficientLayout &layout)
      : block(static_cast<std::size_t>(block_size) * layout.n_modes * layout.n_components)
      , element(layout.element_stride())
      , mode(layout.mode_stride())
      , component(layout.component_stride())
    {}

    SALTUS_HOST_DEVICE
    std::size_t
    of(const int e) const
    {
      return e / block_size * block + e % block_size * static_cast<std::size_t>(element);
    }

    std::size_t block   = 0; ///< distance between blocks of elements
    int         element = 0, mode = 0, component = 0;
  };

  /// Coefficients that go to other ranks, for each number `(i n_modes + m) n_components + c`.
  template <typename Number>
  struct PackElements
  {
    int           n_modes, n_components;
    ElementPlaces places;
    const int    *elements; ///< `[i]`
    const Number *u;
    Number       *packed; ///< `[i][m][c]`

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t number) const
    {
      const int c = number % n_components, m = number / n_components % n_modes,
                i    = number / n_components / n_modes;
      packed[number] = u[places.of(elements[i]) + m * places.mode + c * places.component];
    }
  };

  /// Mode m of element e of the adapted mesh, for each number `e n_modes + m`: what it was, or the
  /// polynomial of a larger element in this part of it, or the \f$ L^2 \f$ projection of those of
  /// smaller ones on the reference cell, but for factors. In the orthonormal basis of that the
  /// second is a matrix, and the third the sum of the transposed ones, over their number.
  template <typename Number>
  struct AdaptElements
  {
    static constexpr int same = -1, parent = -2; ///< else the number of a child

    int           n_modes, n_components, n_children;
    ElementPlaces places;
    const int    *kinds;    ///< `[e]`
    const int    *sources;  ///< `[e][c]`: elements before, from n_before on those of other ranks
    const Number *matrices; ///< `[c][m][k]`: values on child c
    Number        of_child, of_parent; ///< factors of the polynomials of these
    int           n_before;
    const Number *before;
    const Number *received; ///< `[i][m][c]`
    Number       *after;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t number) const
    {
      const int     e = number / n_modes, m = number % n_modes, kind = kinds[e];
      const int    *source = sources + e * static_cast<std::size_t>(n_children);
      Number *const to     = after + places.of(e) + m * places.mode;
      const int     n      = n_modes * n_modes;
      for (int c = 0; c < n_components; ++c)
        {
          Number sum = 0;
          if (kind == same)
            sum = *coefficient(source[0], m, c);
          else if (kind == parent)
            {
              for (int s = 0; s < n_children; ++s)
                sum += product(matrices + s * n + m, n_modes, source[s], c);
              sum *= of_parent / Number(n_children);
            }
          else
            sum = of_child * product(matrices + kind * n + m * n_modes, 1, source[0], c);
          to[c * places.component] = sum;
        }
    }

  private:
    SALTUS_HOST_DEVICE
    const Number *
    coefficient(const int element, const int mode, const int component) const
    {
      return element < n_before
               ? before + places.of(element) + mode * places.mode + component * places.component
               : received +
                   (static_cast<std::size_t>(element - n_before) * n_modes + mode) * n_components +
                   component;
    }

    SALTUS_HOST_DEVICE
    Number
    product(const Number *row, const int stride, const int element, const int component) const
    {
      const Number *u      = coefficient(element, 0, component);
      const int     step   = element < n_before ? places.mode : n_components;
      Number        result = 0;
      for (int k = 0; k < n_modes; ++k)
        result += row[k * stride] * u[k * static_cast<std::size_t>(step)];
      return result;
    }
  };

  /// Mode m of element e times \f$ |\det J| \f$ at its point, for each number `e n_modes + m`: what
  /// is per volume becomes a density in the reference cell.
  template <typename Number>
  struct MultiplyByDeterminants
  {
    int           n_modes, n_components;
    ElementPlaces places;
    const Number *determinants; ///< `[e][m]`
    Number       *u;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t number) const
    {
      Number *const at = u + places.of(number / n_modes) + number % n_modes * places.mode;
      for (int c = 0; c < n_components; ++c)
        at[c * places.component] *= determinants[number];
    }
  };

  /// Component c of the elements of group g, for each number `g n_components + c`, gets the
  /// integral that it had before: its values at points are multiplied by 1 + s where they are
  /// positive and by 1 - s where they are negative. So signs stay, and constants are constants
  /// afterwards.
  template <typename Number>
  struct KeepIntegrals
  {
    int           n_modes, n_components;
    ElementPlaces places;
    const int    *starts, *elements; ///< `[g]`; `[i]`, from starts[g] to before starts[g + 1]
    const Number *weights;           ///< `[m]`: roots of those of the points
    const Number *determinants;      ///< `[e][m]`
    const Number *densities;         ///< in the reference cell: what has become of those before
    Number       *u;

    SALTUS_HOST_DEVICE
    void
    operator()(const std::size_t number) const
    {
      const int g = number / n_components, c = number % n_components;
      Number    missing = 0, size = 0;
      for (int i = starts[g]; i < starts[g + 1]; ++i)
        for (int m = 0; m < n_modes; ++m)
          {
            const std::size_t at = place(elements[i], m, c);
            const Number      own =
              determinants[elements[i] * static_cast<std::size_t>(n_modes) + m] * u[at];
            missing += weights[m] * (densities[at] - own);
            size += weights[m] * absolute(own);
          }
      if (missing == 0 || size == 0)
        return;
      for (int i = starts[g]; i < starts[g + 1]; ++i)
        for (int m = 0; m < n_modes; ++m)
          {
            Number &value = u[place(elements[i], m, c)];
            value += missing / size * absolute(value);
          }
    }

  private:
    SALTUS_HOST_DEVICE
    static Number
    absolute(const Number value)
    {
      return value < 0 ? -value : value;
    }

    SALTUS_HOST_DEVICE
    std::size_t
    place(const int element, const int mode, const int component) const
    {
      return places.of(element) + mode * places.mode + component * places.component;
    }
  };
} // namespace Saltus

#endif
