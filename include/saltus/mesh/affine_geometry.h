// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_mesh_affine_geometry_h
#define saltus_mesh_affine_geometry_h

#include <saltus/base/algebra/array.h>
#include <saltus/base/algebra/block_layout.h>
#include <saltus/mesh/mesh_arrays.h>

namespace Saltus
{
  /// Make @p normal a unit vector.
  /// @return the length that it had
  template <int dim, typename T>
  SALTUS_HOST_DEVICE
  T
  make_unit(Array<T, dim> &normal)
  {
    const T square = dot<dim>(normal, normal), inverse = rsqrt(square);
    SALTUS_UNROLL
    for (int d = 0; d < dim; ++d)
      normal[d] = normal[d] * inverse;
    return square * inverse;
  }

  /// The geometry of an affine element as integrals on it see it, of one a lane of @p T: nothing
  /// else forms a metric, a normal or an area from the map of an element. Integrals are taken over
  /// \f$ |\det J| \f$, so that on a modal basis they are multiplied with the inverse mass matrix
  /// already.
  template <int dim, typename T>
  class AffineGeometry
  {
  public:
    using Direction = Array<T, dim>;

    static constexpr bool is_constant = true; ///< the same at all points

    AffineGeometry() = default;

    /// @param entry `(i)`: number `i = r dim + d` of the inverse Jacobian
    template <typename Entry>
    SALTUS_HOST_DEVICE
    explicit AffineGeometry(const Entry &entry)
    {
      SALTUS_UNROLL
      for (int i = 0; i < dim * dim; ++i)
        rows[i / dim][i % dim] = entry(i);
    }

    /// The gradient of reference coordinate @p r, \f$ \partial \hat x_r / \partial x_d \f$: what
    /// volume integrals multiply the derivative of a mode in its direction with.
    SALTUS_HOST_DEVICE
    const Direction &
    metric(const int r) const
    {
      return rows[r];
    }

    /// The same at volume point @p q.
    SALTUS_HOST_DEVICE
    const Direction &
    metric(const int /*q*/, const int r) const
    {
      return rows[r];
    }

    /// What metric() has at volume point @p q, as a map of its own.
    SALTUS_HOST_DEVICE
    const AffineGeometry &
    at_volume_point(const int /*q*/) const
    {
      return *this;
    }

    /// The tangent map at point @p q of face @p f.
    SALTUS_HOST_DEVICE
    const AffineGeometry &
    at_face_point(const int /*f*/, const int /*q*/) const
    {
      return *this;
    }

    /// The gradient of a function from its derivatives on the reference cell.
    /// @param reference `(r)`
    template <typename Reference>
    SALTUS_HOST_DEVICE
    Direction
    gradient(const Reference &reference) const
    {
      T of[dim];
      SALTUS_UNROLL
      for (int r = 0; r < dim; ++r)
        of[r] = T(reference(r));
      return transform([&](const int r) { return of[r]; });
    }

    /// \f$ |\det J| \f$
    SALTUS_HOST_DEVICE
    T
    volume_factor() const
    {
      return T(1) / inverse_volume_factor();
    }

    SALTUS_HOST_DEVICE
    T
    inverse_volume_factor() const
    {
      return abs(determinant<dim>(rows));
    }

    /// \f$ |\det J| \f$ at volume point @p q over volume_factor()
    SALTUS_HOST_DEVICE
    T
    relative_volume(const int /*q*/) const
    {
      return T(1);
    }

    /// What the inverse mass matrix is the integral over the reference cell of, with two modes at a
    /// time: volume_factor() over the projection of \f$ |\det J| \f$ onto the polynomials of the
    /// space, at volume point @p q.
    SALTUS_HOST_DEVICE
    T
    inverse_mass(const int /*q*/) const
    {
      return T(1);
    }

    /// Set @p normal to the unit normal of a face.
    /// @param reference `(r)`: the face's outward normal on the reference cell, as long as its area
    /// @return the face's area over \f$ |\det J| \f$
    template <typename Reference>
    SALTUS_HOST_DEVICE
    T
    set_normal(const Reference &reference, Direction &normal) const
    {
      normal = transform(reference);
      return make_unit(normal);
    }

    /// The same at point @p q of face @p f.
    template <typename Reference>
    SALTUS_HOST_DEVICE
    T
    set_normal(const int /*f*/,
               const int /*q*/,
               const Reference &reference,
               Direction       &normal) const
    {
      return set_normal(reference, normal);
    }

    /// The normal of point @p q of face @p f that is as long as the face's area over \f$ |\det J|
    /// \f$.
    template <typename Reference>
    SALTUS_HOST_DEVICE
    Direction
    area_normal(const int /*f*/, const int /*q*/, const Reference &reference) const
    {
      return transform(reference);
    }

  private:
    /// \f$ \sum_r \text{reference}(r) \, \partial \hat x_r / \partial x_d \f$. What is read for it
    /// may be read again for every direction: operands of constant memory cost GPUs nothing.
    template <typename Reference>
    SALTUS_HOST_DEVICE
    Direction
    transform(const Reference &reference) const
    {
      Direction result;
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        {
          result[d] = T(reference(0)) * rows[0][d];
          SALTUS_UNROLL
          for (int r = 1; r < dim; ++r)
            result[d] = result[d] + T(reference(r)) * rows[r][d];
        }
      return result;
    }

    Direction rows[dim]; ///< `[r][d]`
  };

  /// Of one element, read by one thread.
  /// @tparam T what is computed with, where that is not what is stored
  template <int dim, typename Number, typename T = Number>
  SALTUS_HOST_DEVICE
  AffineGeometry<dim, T>
  affine_geometry(const Number *inverse_jacobians, const int element)
  {
    return AffineGeometry<dim, T>([&](const int i) {
      const Number *from = inverse_jacobians + point_index(element, i, dim * dim, 1);
#ifdef __CUDA_ARCH__
      return T(__ldg(from));
#else
      return T(*from);
#endif
    });
  }

  /// Of the elements @p elements, one a lane.
  template <int dim, typename T, typename Number, int width>
  SALTUS_HOST_DEVICE
  AffineGeometry<dim, T>
  affine_geometry(const Number *inverse_jacobians, const int (&elements)[width])
  {
    return AffineGeometry<dim, T>([&](const int i) {
      T entry;
      for (int l = 0; l < width; ++l)
        set_lane(entry, l, inverse_jacobians[point_index(elements[l], i, dim * dim, 1)]);
      return entry;
    });
  }
} // namespace Saltus

#endif
