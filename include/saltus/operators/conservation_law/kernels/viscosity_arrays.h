// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_viscosity_arrays_h
#define saltus_operators_conservation_law_kernels_viscosity_arrays_h

#include <saltus/base/algebra/block_layout.h>

namespace Saltus
{
  /// Artificial viscosities as kernels see them: of each element one number, `[e]`, or those of a
  /// continuous function, see VertexMaxima::n_values(), as a vector with as many modes.
  template <typename Number>
  struct ViscosityArrays
  {
    const Number *values = nullptr; ///< nullptr: none
    int           n      = 1;       ///< numbers of an element

    SALTUS_HOST_DEVICE
    bool
    exist() const
    {
      return values != nullptr;
    }

    /// Whether elements have the same at their common face.
    SALTUS_HOST_DEVICE
    bool
    are_continuous() const
    {
      return n > 1;
    }

    /// Those of an element at its points: the volume's, then the faces', `[f][q]`.
    class AtPoints
    {
    public:
      SALTUS_HOST_DEVICE
      AtPoints(const Number *first, const int stride)
        : first(first)
        , stride(stride)
      {}

      SALTUS_HOST_DEVICE
      Number
      operator[](const int point) const
      {
        return first == nullptr ? Number(0) : first[point * stride];
      }

    private:
      const Number *first;
      int           stride; ///< 0: it is the same everywhere
    };

    SALTUS_HOST_DEVICE
    AtPoints
    of(const int element) const
    {
      return {values == nullptr ? nullptr : values + point_index(element, 0, n, 1),
              are_continuous() ? block_size : 0};
    }

    /// Those of the element across a face, by the points of the one on this side.
    SALTUS_HOST_DEVICE
    AtPoints
    across(const int element, const int neighbor) const
    {
      return of(are_continuous() ? element : neighbor);
    }

    /// In an element.
    SALTUS_HOST_DEVICE
    Number
    largest(const int element) const
    {
      return of(element)[n - 1];
    }
  };
} // namespace Saltus

#endif
