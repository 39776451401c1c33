// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_modal_derivatives_cuh
#define saltus_cuda_operators_elliptic_modal_derivatives_cuh

// Polynomials in a thread by their modes, of which the first is kept times its value, and their
// derivatives in the directions of DerivativeMatrix, as polynomials of one degree less.

#include <saltus/base/device/static_for.h>
#include <saltus/fe/sparse_modal_tables.h>

namespace Saltus::CudaKernels
{
  /// Of the first mode, everywhere.
  template <int dim, typename T>
  constexpr T first_mode_value = dim == 2 ? T(1.41421356237309504880) : T(2.44948974278317809820);

  /// Call `body(row, column, entry)` for all entries of the matrix of direction @p a for functions
  /// of degree @p degree.
  template <int dim, int degree, int a, typename T, typename Body>
  __device__ __forceinline__ void
  for_derivative_entries(const Body &body)
  {
    using Matrix = DerivativeMatrix<dim, a>;
    static_for<Matrix::n_rows(degree)>([&](const auto row) {
      constexpr int r     = decltype(row)::value;
      constexpr int begin = first_entry<Matrix, dim, degree>(r),
                    end   = first_entry<Matrix, dim, degree>(r + 1);
      static_for<end - begin>([&](const auto i) {
        constexpr int at       = begin + decltype(i)::value;
        constexpr int column   = column_of_entry<Matrix, dim, degree>(at);
        constexpr int position = SparseModalLayout<dim>(degree).derivative[a] + at;
        constexpr T   entry    = compiled_modal_tables<dim, degree>.entries[position];
        body(r, column, entry);
      });
    });
  }

  /// The derivative in direction @p a of a function of degree @p degree.
  /// @param modes the first one as it is
  /// @param derivative the first one times its value
  template <int dim, int degree, int a, typename T, int n, int n_derivative>
  __device__ __forceinline__ void
  differentiate(const T (&modes)[n], T (&derivative)[n_derivative])
  {
#pragma unroll
    for (int m = 0; m < n_derivative; ++m)
      derivative[m] = T(0);
    for_derivative_entries<dim, degree, a, T>([&](const int row, const int column, const T entry) {
      derivative[row] += entry * modes[column];
    });
    derivative[0] *= first_mode_value<dim, T>;
  }

  /// The sum of modes times their @p values at a point.
  /// @param modes the first one times its value
  template <typename T, int n>
  __device__ __forceinline__ T
  sum_of_modes(const T *values, const T (&modes)[n])
  {
    T result = modes[0];
#pragma unroll
    for (int m = 1; m < n; ++m)
      result += values[m] * modes[m];
    return result;
  }
} // namespace Saltus::CudaKernels

#endif
