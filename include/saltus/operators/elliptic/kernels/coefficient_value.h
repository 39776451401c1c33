// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_coefficient_value_h
#define saltus_operators_elliptic_kernels_coefficient_value_h

#include <saltus/mesh/affine_geometry.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>

namespace Saltus
{
  /// A value of a coefficient at a point: a number, or a symmetric tensor (see CoefficientArrays).
  template <int dim, typename T>
  using CoefficientValue = Array<T, dim *(dim + 1) / 2>;

  /// The values @p values of a coefficient in the elements @p of, one a lane, at one of their
  /// @p n_points points each. Without values: the constant.
  template <int dim, typename T, typename Number, int width>
  SALTUS_HOST_DEVICE
  void
  load_coefficient(const CoefficientArrays<Number> &coefficient,
                   const Number                    *values,
                   const int (&of)[width],
                   const int (&points)[width],
                   const int                 n_points,
                   CoefficientValue<dim, T> &to)
  {
    const int n = coefficient.n_components;
    if (values == nullptr)
      to[0] = T(coefficient.constant);
    else
      for (int i = 0; i < n; ++i)
        for (int l = 0; l < width; ++l)
          set_lane(to[i], l, values[point_index(of[l], points[l], n_points, n) + i]);
  }

  /// Number of an entry of a symmetric tensor, see CoefficientArrays.
  template <int dim>
  SALTUS_HOST_DEVICE
  constexpr int
  symmetric_entry(const int i, const int j)
  {
    const int row = i < j ? i : j, column = i < j ? j : i;
    return row * dim - row * (row + 1) / 2 + column;
  }

  /// The product of a symmetric tensor and a vector.
  template <int dim, typename T>
  SALTUS_HOST_DEVICE
  Array<T, dim>
  symmetric_product(const CoefficientValue<dim, T> &k, const Array<T, dim> &g)
  {
    Array<T, dim> result;
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < dim; ++j)
        {
          const T term = k[symmetric_entry<dim>(i, j)] * g[j];
          result[i]    = j == 0 ? term : result[i] + term;
        }
    return result;
  }

  /// \f$ k\, g \f$
  template <int dim, typename T, typename Number>
  SALTUS_HOST_DEVICE
  Array<T, dim>
  flux(const CoefficientArrays<Number> &coefficient,
       const CoefficientValue<dim, T>  &k,
       const Array<T, dim>             &g)
  {
    Array<T, dim> result;
    for (int i = 0; i < dim; ++i)
      result[i] = k[0] * g[i];
    return coefficient.n_components > 1 ? symmetric_product<dim>(k, g) : result;
  }

  /// What the flux of the reference gradient in the direction @p normal is multiplied with: n.k
  /// grad v is this combination of the reference derivatives.
  template <int dim, typename T, typename Number>
  SALTUS_HOST_DEVICE
  Array<T, dim>
  along_flux(const CoefficientArrays<Number> &coefficient,
             const CoefficientValue<dim, T>  &k,
             const AffineGeometry<dim, T>    &geometry,
             const Array<T, dim>             &normal)
  {
    const Array<T, dim> kn = flux<dim>(coefficient, k, normal);
    Array<T, dim>       along;
    for (int i = 0; i < dim; ++i)
      along[i] = dot<dim>(geometry.metric(i), kn);
    return along;
  }
} // namespace Saltus

#endif
