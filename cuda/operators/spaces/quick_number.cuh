// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_quick_number_cuh
#define saltus_cuda_operators_spaces_quick_number_cuh

// A number of the physics functions that divides and takes roots with few instructions.

#include <saltus/base/algebra/array.h>

/// The hardware's approximation, by the name of the compiler's own function: of that it knows that
/// it depends on its argument only, so that quotients by the same number share one.
extern "C" __device__ double
__nvvm_rcp_approx_ftz_d(double);

namespace Saltus::CudaKernels
{
  /// \f$ 1/x \f$ to the last bit or two: the hardware's approximation, improved by one cubic step.
  /// Not for what is smaller than normal numbers are; the inverse of 0 is not a number.
  __device__ __forceinline__ double
  quick_inverse(const double x)
  {
    const double y = __nvvm_rcp_approx_ftz_d(x), e = fma(-x, y, 1.);
    return fma(y, fma(e, e, e), y);
  }

  __device__ __forceinline__ float
  quick_inverse(const float x)
  {
    return __fdividef(1.f, x);
  }

  /// \f$ \sqrt x \f$ and, as @p inverse, \f$ 1/\sqrt x \f$ in the same way.
  __device__ __forceinline__ double
  quick_root(const double x, double &inverse)
  {
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
    const double g = x * y, e = fma(-g, y, 1.);
    const double step = e * fma(e, 0.375, 0.5);
    inverse           = fma(y, step, y);
    return x == 0. ? 0. : fma(g, step, g);
  }

  __device__ __forceinline__ float
  quick_root(const float x, float &inverse)
  {
    inverse = ::rsqrtf(x);
    return ::sqrtf(x);
  }

  /// What laws compute with in kernels: a double or a float, see base/algebra/pack.h for the
  /// interface.
  template <typename Number>
  struct Quick
  {
    Number v;

    Quick() = default;

    __device__ __forceinline__
    Quick(const Number v)
      : v(v)
    {}

#define SALTUS_ARITHMETIC(op)                                                       \
  friend __device__ __forceinline__ Quick operator op(const Quick a, const Quick b) \
  {                                                                                 \
    return a.v op b.v;                                                              \
  }
    SALTUS_ARITHMETIC(+)
    SALTUS_ARITHMETIC(-)
    SALTUS_ARITHMETIC(*)
#undef SALTUS_ARITHMETIC

    friend __device__ __forceinline__ Quick
    operator/(const Quick a, const Quick b)
    {
      return a.v * quick_inverse(b.v);
    }

    friend __device__ __forceinline__ Quick
    operator-(const Quick a)
    {
      return -a.v;
    }

#define SALTUS_COMPARISON(op)                                                      \
  friend __device__ __forceinline__ bool operator op(const Quick a, const Quick b) \
  {                                                                                \
    return a.v op b.v;                                                             \
  }
    SALTUS_COMPARISON(<)
    SALTUS_COMPARISON(>)
    SALTUS_COMPARISON(<=)
    SALTUS_COMPARISON(>=)
    SALTUS_COMPARISON(==)
#undef SALTUS_COMPARISON

    friend __device__ __forceinline__ Quick
    sqrt(const Quick a)
    {
      Number inverse;
      return quick_root(a.v, inverse);
    }

    friend __device__ __forceinline__ Quick
    rsqrt(const Quick a)
    {
      Number inverse;
      quick_root(a.v, inverse);
      return inverse;
    }

    friend __device__ __forceinline__ Quick
    power(const Quick a, const double exponent)
    {
      return Saltus::power(a.v, exponent);
    }

    friend __device__ __forceinline__ Quick
    abs(const Quick a)
    {
      return ::fabs(a.v); // a sign of the operand, where a comparison is an operation
    }

    friend __device__ __forceinline__ Quick
    max(const Quick a, const Quick b)
    {
      return Saltus::max(a.v, b.v);
    }

    friend __device__ __forceinline__ Quick
    min(const Quick a, const Quick b)
    {
      return Saltus::min(a.v, b.v);
    }

    /// From memory that does not change, of any precision.
    template <typename Stored>
    friend __device__ __forceinline__ void
    load(Quick &a, const Stored *from)
    {
      a = Number(__ldg(from));
    }

    /// @p a where @p condition holds, else @p b.
    friend __device__ __forceinline__ Quick
    select(const bool condition, const Quick a, const Quick b)
    {
      return condition ? a : b;
    }
  };
} // namespace Saltus::CudaKernels

#endif
