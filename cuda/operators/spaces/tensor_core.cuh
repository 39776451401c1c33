// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_spaces_tensor_core_cuh
#define saltus_cuda_operators_spaces_tensor_core_cuh

// What stages with tensor cores in double precision have in common. Numbers in memory may be in
// single precision: for many products, that is still faster than to compute with it.
//
// A warp works on 8 elements at a time: lane 4 g + t on element g. Sums over modes and points are
// products of matrices whose rows are elements, one matrix a component, with tables: D += A B with
// A of 16 x 4 (rows g: a component, rows g + 8: the next one) and B of 4 x 8, in registers as
//
//   A   lane 4 g + t   a[component]      row g, column t
//   B   lane 4 n + k   b                 row k, column n
//   D   lane 4 g + t   d[i][component]   row g, column 2 t + i
//
// Columns of the tables are in an order that makes results of one product operands of the next in
// the same lane:
//
//   coefficients  u[k][c]       mode 4 k + t of the lane's element
//   four points   state[c]      point t with all components: here are the fluxes
//   residual      r[j][i][c]    mode 8 j + 4 i + t, so that the update is the lane's own
//
// Blocks stay, and their warps take one group of elements after the other.

#include <saltus/mesh/mesh_arrays.h>

#include <cuda/base/device/early_begin.cuh>

namespace Saltus::CudaKernels
{
  /// Two components of the rows of A or D.
  using Pair = double[2];

  /// D += A B for two steps of four columns of A.
  __device__ __forceinline__ void
  multiply_add(Pair (&d)[2], const Pair &a0, const Pair &a1, const double b0, const double b1)
  {
#if __CUDA_ARCH__ >= 900
    asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},"
      "{%0,%1,%2,%3};"
      : "+d"(d[0][0]), "+d"(d[1][0]), "+d"(d[0][1]), "+d"(d[1][1])
      : "d"(a0[0]), "d"(a0[1]), "d"(a1[0]), "d"(a1[1]), "d"(b0), "d"(b1));
#elif __CUDA_ARCH__ >= 800
    for (int c = 0; c < 2; ++c)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};\n"
                   "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%4},{%5},{%0,%1};"
                   : "+d"(d[0][c]), "+d"(d[1][c])
                   : "d"(a0[c]), "d"(b0), "d"(a1[c]), "d"(b1));
#endif
  }

  /// The same for one step.
  __device__ __forceinline__ void
  multiply_add(Pair (&d)[2], const Pair &a, const double b)
  {
#if __CUDA_ARCH__ >= 900
    asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+d"(d[0][0]), "+d"(d[1][0]), "+d"(d[0][1]), "+d"(d[1][1])
      : "d"(a[0]), "d"(a[1]), "d"(b));
#elif __CUDA_ARCH__ >= 800
    for (int c = 0; c < 2; ++c)
      asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                   : "+d"(d[0][c]), "+d"(d[1][c])
                   : "d"(a[c]), "d"(b));
#endif
  }

  /// The same for a component that has no other beside it, in rows g alone.
  __device__ __forceinline__ void
  multiply_add(double (&d)[2], const double a, const double b)
  {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a), "d"(b));
#endif
  }

  /// D += A B for @p n steps, with the rows `a(k, 0)` and `a(k, 1)` of A.
  template <int n, typename A>
  __device__ __forceinline__ void
  multiply_add(Pair (&d)[2], const double (&b)[n], const A &a)
  {
#pragma unroll
    for (int k = 0; k + 1 < n; k += 2)
      {
        const Pair a0 = {a(k, 0), a(k, 1)}, a1 = {a(k + 1, 0), a(k + 1, 1)};
        multiply_add(d, a0, a1, b[k], b[k + 1]);
      }
    if constexpr (n % 2 == 1)
      {
        const Pair last = {a(n - 1, 0), a(n - 1, 1)};
        multiply_add(d, last, b[n - 1]);
      }
  }

  /// The transposed of operands that interpolate to two groups of four points, for a product that
  /// takes one group back to tile j of modes: column n of the result is mode 4 (n % 2) + n / 2 of
  /// eight.
  /// @param table of the block
  /// @param first the first operand of two steps of modes, those of the tile
  /// @param group 0 or 1
  __device__ __forceinline__ double
  transposed(const double *table, const int first, const int group, const int lane)
  {
    const int n = lane / 4, k = lane % 4;
    return table[32 * (first + n % 2) + 8 * k + 4 * group + n / 2];
  }

  constexpr int
  divide_up(const int a, const int b)
  {
    return (a + b - 1) / b;
  }

  // Copies that do not pass through registers, as from compute capability 8.0 on. Before that, they
  // are there when the thread goes on.

  /// Let @p bytes (4, 8 or 16) come into shared memory, see arrive().
  template <int bytes, typename Number>
  __device__ __forceinline__ void
  copy_async(const Number *from, Number *to)
  {
    static_assert(bytes % sizeof(Number) == 0, "Numbers are copied as a whole.");
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(
                   static_cast<unsigned int>(__cvta_generic_to_shared(to))),
                 "l"(from),
                 "n"(bytes)
                 : "memory");
#else
    for (int i = 0; i < bytes / static_cast<int>(sizeof(Number)); ++i)
      to[i] = from[i];
#endif
  }

  /// What copy_async() asked for in this thread since the last call is one group, see arrive_but().
  __device__ __forceinline__ void
  end_group()
  {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
  }

  /// Until all but the last @p n groups are there.
  template <int n>
  __device__ __forceinline__ void
  arrive_but()
  {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
#endif
  }

  /// Until all that copy_async() asked for in this thread is there.
  __device__ __forceinline__ void
  arrive()
  {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }

  /// A number of shared memory, read again at each call: compilers would keep all that is read in
  /// registers, and then spill these.
  __device__ __forceinline__ void
  read_again(const double *from, double &to)
  {
    asm volatile("ld.volatile.shared.f64 %0,[%1];"
                 : "=d"(to)
                 : "r"(static_cast<unsigned int>(__cvta_generic_to_shared(from))));
  }

  __device__ __forceinline__ void
  read_again(const float *from, double &to)
  {
    float number;
    asm volatile("ld.volatile.shared.f32 %0,[%1];"
                 : "=f"(number)
                 : "r"(static_cast<unsigned int>(__cvta_generic_to_shared(from))));
    to = number;
  }

  /// The same for two that follow each other.
  __device__ __forceinline__ void
  read_again(const double *from, Pair &to)
  {
    asm volatile("ld.volatile.shared.v2.f64 {%0,%1},[%2];"
                 : "=d"(to[0]), "=d"(to[1])
                 : "r"(static_cast<unsigned int>(__cvta_generic_to_shared(from))));
  }

  __device__ __forceinline__ void
  read_again(const float *from, Pair &to)
  {
    float numbers[2];
    asm volatile("ld.volatile.shared.v2.f32 {%0,%1},[%2];"
                 : "=f"(numbers[0]), "=f"(numbers[1])
                 : "r"(static_cast<unsigned int>(__cvta_generic_to_shared(from))));
    to[0] = numbers[0];
    to[1] = numbers[1];
  }

  /// Copy @p n numbers, an even one, with all threads of a block, and let all see them.
  __device__ __forceinline__ void
  copy_to_block(const double *from, double *to, const int n)
  {
    for (int i = 2 * threadIdx.x; i < n; i += 2 * blockDim.x)
      copy_async<2 * sizeof(double)>(from + i, to + i);
    arrive();
    __syncthreads();
  }

  /// Let the line of memory at @p from come into the second-level cache.
  template <typename Number>
  __device__ __forceinline__ void
  prefetch(const Number *from)
  {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
  }

  /// Numbers of a line of memory.
  template <typename Number>
  constexpr int in_line = 128 / sizeof(Number);

  /// Let @p n numbers, which have an address and a size in units of 16 bytes, come into the
  /// second-level cache; for all lanes of a warp.
  template <typename Number>
  __device__ __forceinline__ void
  prefetch(const Number *from, const int n, const int lane)
  {
#if __CUDA_ARCH__ >= 900
    if (lane == 0)
      asm volatile("cp.async.bulk.prefetch.L2.global [%0],%1;" ::"l"(
                     __cvta_generic_to_global(from)),
                   "r"(n * static_cast<int>(sizeof(Number))));
#else
    for (int i = lane * in_line<Number>; i < n; i += 32 * in_line<Number>)
      prefetch(from + i);
#endif
  }

  /// Outward normals of the reference cell's faces, their lengths being the faces' areas.
  template <int dim>
  struct TensorNormals
  {
    double normals[dim + 1][dim];

    TensorNormals() = default;

    /// @param from `[face][direction]`
    template <typename Number>
    explicit TensorNormals(const Number *from)
    {
      for (int i = 0; i < (dim + 1) * dim; ++i)
        normals[i / dim][i % dim] = from[i];
    }
  };

  /// A face as one of its elements sees it, in one register: up to 2^28 elements.
  class PackedFace
  {
  public:
    PackedFace() = default;

    __device__ __forceinline__
    PackedFace(const FaceRecord &record)
      : word(record.neighbor << 3 | (record.at_boundary() ? outside : record.orientation))
    {}

    /// That of another lane.
    __device__ __forceinline__
    PackedFace(const PackedFace &face, const int lane)
      : word(__shfl_sync(~0U, face.word, lane))
    {}

    __device__ __forceinline__ bool
    at_boundary() const
    {
      return (word & 7) == outside;
    }

    /// Permutation of the face's points, 0 at the boundary.
    __device__ __forceinline__ int
    orientation() const
    {
      return at_boundary() ? 0 : word & 7;
    }

    __device__ __forceinline__ int
    element_across(const int element) const
    {
      return at_boundary() ? element : word >> 3;
    }

    /// The number of the boundary face, -1 inside.
    __device__ __forceinline__ int
    boundary_face() const
    {
      return at_boundary() ? word >> 3 : -1;
    }

  private:
    static constexpr int outside = 7; ///< no permutation of a face has this number

    int word;
  };
} // namespace Saltus::CudaKernels

#endif
