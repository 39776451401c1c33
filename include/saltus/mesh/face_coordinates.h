// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_face_coordinates_h
#define saltus_mesh_face_coordinates_h

#include <saltus/base/algebra/array.h>

namespace Saltus
{
  /// Coordinates s of the reference cell of which the last one is constant on a face: \f$ s_{dim-1}
  /// = \hat n \cdot \hat x \f$ with the reference normal, the others are all of \f$ \hat x \f$ but
  /// one. Gradients have few parts that way: those of the others along the face, and one along the
  /// normal.
  template <int dim>
  class FaceCoordinates
  {
  public:
    /// @param normal `(r)`, of any length
    template <typename Normal>
    SALTUS_HOST_DEVICE
    explicit FaceCoordinates(const Normal &normal)
    {
      for (int r = 0; r < dim; ++r)
        {
          of_reference[r] = normal(r);
          if (of_reference[r] != 0)
            replaced = r;
        }
    }

    /// Which of \f$ \hat x \f$ number @p k is, below dim - 1.
    SALTUS_HOST_DEVICE
    int
    reference_coordinate(const int k) const
    {
      return k < replaced ? k : k + 1;
    }

    /// A function's derivative by number @p k.
    /// @param derivative `(r)`, by \f$ \hat x_r \f$
    template <typename Derivative>
    double
    derivative(const int k, const Derivative &derivative) const
    {
      const double by_last = derivative(replaced) / of_reference[replaced];
      if (k == dim - 1)
        return by_last;
      const int r = reference_coordinate(k);
      return derivative(r) - of_reference[r] * by_last;
    }

  private:
    double of_reference[dim];
    int    replaced = 0; ///< which of \f$ \hat x \f$ the last one takes the place of
  };

  /// The geometry of an element at a point of a face, as FaceCoordinates see it: their gradients
  /// are \f$ t_k + \alpha_k n \f$ and, the last one, \f$ \alpha_{dim-1} n \f$.
  template <int dim, typename T>
  struct FaceGeometry
  {
    using Direction = Array<T, dim>;

    Direction                 normal;   ///< n, see AffineGeometry::area_normal(); maybe that across
    Array<Direction, dim - 1> tangents; ///< t, perpendicular to n
    Direction                 parts;    ///< \f$ \alpha \f$

    static constexpr int size = dim + dim * dim; ///< its numbers: these, one after the other

    FaceGeometry() = default;

    /// @param numbers `(i)`
    template <typename Numbers>
    SALTUS_HOST_DEVICE
    explicit FaceGeometry(const Numbers &numbers)
    {
      SALTUS_UNROLL
      for (int i = 0; i < size; ++i)
        number(*this, i) = numbers(i);
    }

    /// @param gradients `(r)` of \f$ \hat x \f$
    /// @param last their sum with the reference normal's numbers
    template <typename Gradients>
    SALTUS_HOST_DEVICE
    FaceGeometry(const FaceCoordinates<dim> &coordinates,
                 const Direction            &normal,
                 const Gradients            &gradients,
                 const Direction            &last)
      : normal(normal)
    {
      const T inverse = T(1) / dot<dim>(normal, normal);
      parts[dim - 1]  = dot<dim>(last, normal) * inverse;
      SALTUS_UNROLL
      for (int k = 0; k < dim - 1; ++k)
        {
          tangents[k] = gradients(coordinates.reference_coordinate(k));
          parts[k]    = dot<dim>(tangents[k], normal) * inverse;
          SALTUS_UNROLL
          for (int d = 0; d < dim; ++d)
            tangents[k][d] = tangents[k][d] - parts[k] * normal[d];
        }
    }

    /// Number @p i of @p geometry, which may be constant.
    template <typename Geometry>
    SALTUS_HOST_DEVICE
    static auto &
    number(Geometry &geometry, const int i)
    {
      return i < dim         ? geometry.normal[i]
             : i < dim * dim ? geometry.tangents[i / dim - 1][i % dim]
                             : geometry.parts[i - dim * dim];
    }
  };
} // namespace Saltus

#endif
