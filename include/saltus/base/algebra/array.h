// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_algebra_array_h
#define saltus_base_algebra_array_h

#include <saltus/base/device/host_device.h>

#include <cmath>

/// Point-wise arithmetic shared by the physics functions. A number `T` is a `double` or a
/// `float`, or a pack of them on the CPU (base/algebra/pack.h overloads the functions below for
/// it).
namespace Saltus
{
  /// A fixed number of values at one point: a state, a flux, a direction. @p n may be 0.
  template <typename T, int n>
  struct Array
  {
    T values[n > 0 ? n : 1];

    SALTUS_HOST_DEVICE
    T &
    operator[](const int i)
    {
      return values[i];
    }

    SALTUS_HOST_DEVICE
    const T &
    operator[](const int i) const
    {
      return values[i];
    }
  };

  /// Scalar product of the first @p dim entries.
  template <int dim, typename T, int n, int m>
  SALTUS_HOST_DEVICE
  T
  dot(const Array<T, n> &a, const Array<T, m> &b)
  {
    T sum = a[0] * b[0];
    for (int d = 1; d < dim; ++d)
      sum = sum + a[d] * b[d];
    return sum;
  }

  /// Whether one of the answers to a comparison is yes.
  SALTUS_HOST_DEVICE
  bool
  any(const bool condition)
  {
    return condition;
  }

#ifdef __CUDA_ARCH__
#  define SALTUS_RECIPROCAL_ROOT(a) ::rsqrt(a)
#else
#  define SALTUS_RECIPROCAL_ROOT(a) (1 / ::sqrt(a))
#endif
  /// Determinant of a matrix `[row][column]`.
  template <int dim, typename T>
  SALTUS_HOST_DEVICE
  T
  determinant(const Array<T, dim> *j)
  {
    if constexpr (dim == 2)
      return j[0][0] * j[1][1] - j[0][1] * j[1][0];
    else
      return j[0][0] * (j[1][1] * j[2][2] - j[1][2] * j[2][1]) -
             j[0][1] * (j[1][0] * j[2][2] - j[1][2] * j[2][0]) +
             j[0][2] * (j[1][0] * j[2][1] - j[1][1] * j[2][0]);
  }

#define SALTUS_SCALAR_FUNCTIONS(T)                 \
  SALTUS_HOST_DEVICE                               \
  T max(const T a, const T b)                      \
  {                                                \
    return a > b ? a : b;                          \
  }                                                \
  SALTUS_HOST_DEVICE                               \
  T min(const T a, const T b)                      \
  {                                                \
    return a < b ? a : b;                          \
  }                                                \
  SALTUS_HOST_DEVICE                               \
  T abs(const T a)                                 \
  {                                                \
    return a < T(0) ? -a : a;                      \
  }                                                \
  SALTUS_HOST_DEVICE                               \
  T sqrt(const T a)                                \
  {                                                \
    return ::sqrt(a);                              \
  }                                                \
  SALTUS_HOST_DEVICE                               \
  T power(const T a, const double exponent)        \
  {                                                \
    return ::pow(a, T(exponent));                  \
  }                                                \
  SALTUS_HOST_DEVICE                               \
  T rsqrt(const T a)                               \
  {                                                \
    return SALTUS_RECIPROCAL_ROOT(a);              \
  }                                                \
  /** A scalar is a pack with one lane. */         \
  SALTUS_HOST_DEVICE                               \
  void set_lane(T &a, const int, const T value)    \
  {                                                \
    a = value;                                     \
  }                                                \
  SALTUS_HOST_DEVICE                               \
  T get_lane(const T a, const int)                 \
  {                                                \
    return a;                                      \
  }                                                \
  SALTUS_HOST_DEVICE                               \
  void load(T &a, const T *from)                   \
  {                                                \
    a = *from;                                     \
  }                                                \
  SALTUS_HOST_DEVICE                               \
  void store(const T a, T *to)                     \
  {                                                \
    *to = a;                                       \
  }                                                \
  /** @p a where @p condition holds, else @p b. */ \
  SALTUS_HOST_DEVICE                               \
  T select(const bool condition, T a, T b)         \
  {                                                \
    return condition ? a : b;                      \
  }

  SALTUS_SCALAR_FUNCTIONS(float)
  SALTUS_SCALAR_FUNCTIONS(double)

  /// 1 / a, to the last bit but one.
  SALTUS_HOST_DEVICE
  float
  reciprocal(const float a)
  {
    return 1.f / a;
  }

  /// GPUs have no division of doubles: the hardware's approximation and one cubic step.
  SALTUS_HOST_DEVICE
  double
  reciprocal(const double a)
  {
#ifdef __CUDA_ARCH__
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    double error = ::fma(-a, y, 1.);
    error        = ::fma(error, error, error);
    return ::fma(y, error, y);
#else
    return 1. / a;
#endif
  }
#undef SALTUS_SCALAR_FUNCTIONS
#undef SALTUS_RECIPROCAL_ROOT
} // namespace Saltus

#endif
