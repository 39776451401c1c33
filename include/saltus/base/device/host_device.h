// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_device_host_device_h
#define saltus_base_device_host_device_h

/// Marks a function that both back ends compile. On the host it is always inlined: the CPU kernels
/// are compiled once for each instruction set, and no out-of-line copy of a shared function may
/// be picked up by code for another one.
#ifdef __CUDACC__
#  define SALTUS_HOST_DEVICE __host__ __device__ __forceinline__
#else
#  define SALTUS_HOST_DEVICE inline __attribute__((always_inline))
#endif

/// The same for a large function that device code calls in several places: it is compiled there
/// once.
#ifdef __CUDACC__
#  define SALTUS_HOST_DEVICE_CALL __host__ __device__ __noinline__
#else
#  define SALTUS_HOST_DEVICE_CALL inline __attribute__((always_inline))
#endif

/// Unroll the loop that follows, whose number of repetitions is small and constant.
#ifdef __CUDACC__
#  define SALTUS_UNROLL _Pragma("unroll")
#else
#  define SALTUS_UNROLL _Pragma("GCC unroll 8")
#endif

/// Unroll the loop that follows @p n times on GPUs; n is a constant expression.
#ifdef __CUDACC__
#  define SALTUS_PRAGMA(text) _Pragma(#  text)
#  define SALTUS_UNROLL_ON_DEVICE(n) SALTUS_PRAGMA(unroll(n))
#else
#  define SALTUS_UNROLL_ON_DEVICE(n)
#endif

#endif
