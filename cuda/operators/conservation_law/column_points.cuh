// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_column_points_cuh
#define saltus_cuda_operators_conservation_law_column_points_cuh

#include <saltus/operators/spaces/line_tables.h>

#include <cuda/base/device/limits.cuh>
#include <cuda/operators/conservation_law/stage_points.cuh>

namespace Saltus::CudaKernels
{
  /// Where points lie whose two indices on one side of a face are a and b: `first + a along_a +
  /// b along_b`.
  struct FacePlaces
  {
    short first, along_a, along_b;

    __device__ __forceinline__ int
    at(const int a, const int b) const
    {
      return first + a * along_a + b * along_b;
    }
  };

  /// The points of another quadrilateral or hexahedron behind a face, as this side sees it.
  /// @tparam n points of a line
  template <int dim, int n>
  struct LinesAcross
  {
    LinesAcross() = default;

    /// @param of_layers distance between layers of points, which differ in the last direction
    __device__ __forceinline__
    LinesAcross(const FaceRecord &across, const int of_layers)
    {
      const int  d      = across.face / 2;
      const auto stride = [&](const int direction) {
        return direction == dim - 1 ? of_layers : (direction == 0 ? 1 : n);
      };
      beginnings = dim == 2
                     ? places(across, stride(1 - d), 0)
                     : places(across, stride(d == 2 ? 0 : d + 1), stride(d == 0 ? 2 : d - 1));
      step       = stride(d);
      if (across.face % 2 == 1)
        {
          beginnings.first += (n - 1) * step;
          step = -step;
        }
    }

    /// Numbers of points among those of the other element's face.
    static __device__ __forceinline__ FacePlaces
    face_points(const FaceRecord &across)
    {
      return places(across, 1, n);
    }

    FacePlaces beginnings; ///< of lines: their points on the face
    short      step;       ///< from there along a line

  private:
    /// @param first,second distances between points in the directions of the other side's face.
    /// Orientations are as CellShape numbers them.
    static __device__ __forceinline__ FacePlaces
    places(const FaceRecord &across, int first, int second)
    {
      const int o     = across.orientation;
      int       place = 0;
      if (dim == 2 ? o == 1 : (0xCC >> o & 1))
        {
          place = (n - 1) * first;
          first = -first;
        }
      if (dim == 3 && o >= 4)
        {
          place += (n - 1) * second;
          second = -second;
        }
      const bool swaps = dim == 3 && (0x5A >> o & 1);
      FacePlaces result;
      result.first   = place;
      result.along_a = swaps ? second : first;
      result.along_b = dim == 2 ? 0 : (swaps ? first : second);
      return result;
    }
  };

  /// The lanes that work on quadrilaterals or hexahedra by columns of points, which differ in the
  /// last direction: a lane has a column, those of a team exchange numbers. With up to 32 columns,
  /// elements do not cross warps; else a block of threads is a team. A block has as many threads as
  /// the kernel is launched with, see threads_of_columns().
  /// @tparam n points of a line
  /// @tparam large_team most threads of such a block
  template <int dim, int n, int large_team = 256>
  class ColumnTeam
  {
  public:
    static constexpr int  n_columns   = power(n, dim - 1); ///< of an element; points of a face, too
    static constexpr bool in_blocks   = n_columns > 32;
    static constexpr int  max_threads = in_blocks ? large_team : 128; ///< of a block

    /// Elements of a block of @p n_threads.
    static constexpr int
    elements_of(const int n_threads)
    {
      return in_blocks ? n_threads / n_columns : n_threads / 32 * (32 / n_columns);
    }

    /// @param begin,end elements to work on
    __device__ __forceinline__
    ColumnTeam(const int begin, const int end)
      : lane(in_blocks ? threadIdx.x : threadIdx.x % 32)
      , column(lane % n_columns)
      , i(column % n)
      , j(dim == 3 ? column / n : 0)
      , in_block(threadIdx.x / 32 * (32 / n_columns) + ::min(lane / n_columns, per_team() - 1))
    {
      const int wanted = begin + blockIdx.x * elements_of(blockDim.x) + in_block;
      is_own           = has_column() && wanted < end;
      element          = ::min(wanted, end - 1);
    }

    /// Whether the lane has a column of its own among those of the team's elements. Others repeat
    /// one, and write nothing: what they have read may have been overwritten by the lane whose
    /// column it is.
    __device__ __forceinline__ bool
    has_column() const
    {
      return (!in_blocks && 32 % n_columns == 0) || lane < per_team() * n_columns;
    }

    /// Elements of the lanes that exchange numbers.
    static __device__ __forceinline__ int
    per_team()
    {
      return elements_of(in_blocks ? blockDim.x : 32);
    }

    static __device__ __forceinline__ void
    sync()
    {
      if constexpr (in_blocks)
        __syncthreads();
      else
        __syncwarp();
    }

    const int lane, column, i, j; ///< in its team; the column's indices
    const int in_block;           ///< number of the element in the block of threads
    int       element;
    bool      is_own; ///< whether no other lane has the column of the element
  };

  /// What kernels on quadrilaterals and hexahedra read of the coefficients of a law's states.
  /// @tparam n points of a line
  template <typename Law, typename Number, int n>
  struct ColumnPoints
  {
    static constexpr int dim      = Law::dimension;
    static constexpr int nc       = Law::n_components;
    static constexpr int of_layer = power(n, dim - 1);

    using T     = Quick<Number>;
    using State = Array<T, nc>;
    using Lines = LinesAcross<dim, n>;

    static constexpr __device__ __forceinline__ CoefficientLayout
    layout()
    {
      return {n * of_layer, nc};
    }

    /// Components that follow each other in vectors.
    static constexpr int together = layout().component_by_component() ? 1 : nc;
    using Piece                   = Row<together, Number>;
    using Pieces                  = Row<nc, Number>;

    /// The components of a mode.
    static __device__ __forceinline__ Pieces
    read_mode(const Number *from)
    {
      Pieces mode;
#pragma unroll
      for (int c = 0; c < nc; c += together)
        {
          const Number *of_piece = from + c * layout().component_stride();
          if constexpr (together == 1)
            load(mode.values[c], of_piece);
          else
            {
              const auto piece = Piece::read(of_piece);
#pragma unroll
              for (int i = 0; i < together; ++i)
                mode.values[c + i] = piece.values[i];
            }
        }
      return mode;
    }

    /// \f$ \sum_m \text{factor}_m \text{point}(m) \f$
    template <typename Point>
    static __device__ __forceinline__ State
    sum_on_line(const Number (&factors)[n], const Point &point)
    {
      State state;
#pragma unroll
      for (int c = 0; c < nc; ++c)
        state[c] = T(Number(0));
#pragma unroll
      for (int m = 0; m < n; ++m)
        {
          const Pieces of_point = point(m);
#pragma unroll
          for (int c = 0; c < nc; ++c)
            state[c] = state[c] + T(factors[m]) * of_point.values[c];
        }
      return state;
    }

    /// The order in which a lane goes along lines across faces. Where points of neighbouring lines
    /// lie as far from each other as memory has banks, lanes begin at different ones.
    struct Order
    {
      static constexpr bool varies = dim == 3 && n == 4;

      __device__ __forceinline__
      Order(const LineTables<Number, n> &lines, const int a, const int b)
        : first(varies ? (a + b) % n : 0)
      {
#pragma unroll
        for (int k = 0; k < n; ++k)
          factors[k] = lines.edge_of_modes[varies ? (first + k) % n : k];
      }

      int    first;      ///< point
      Number factors[n]; ///< of the points in this order
    };

    /// The neighbour's state at the point where this side has the indices @p a and @p b. As points
    /// of lines are symmetric, the face at the end of a line has the weights of that at its
    /// beginning, in the opposite direction.
    static __device__ __forceinline__ State
    state_across(const Number                *u,
                 const LineTables<Number, n> &lines,
                 const Order                 &order,
                 const int                    neighbor,
                 const Lines                 &across,
                 const int                    a,
                 const int                    b)
    {
      const Number *from  = u + layout().index(neighbor, across.beginnings.at(a, b));
      const int     step  = across.step * layout().mode_stride();
      State         state = sum_on_line(order.factors, [&](const int k) {
        return read_mode(from + (Order::varies ? (order.first + k) % n : k) * step);
      });
      const T others = T(lines.inverse_root[a]) * T(dim == 3 ? lines.inverse_root[b] : Number(1));
#pragma unroll
      for (int c = 0; c < nc; ++c)
        state[c] = others * state[c];
      return state;
    }
  };

  /// Threads of a block of kernels by columns. With little shared memory, blocks have fewer threads
  /// and elements.
  template <typename Columns>
  constexpr int
  threads_of_columns()
  {
    int n_threads = Columns::max_threads;
    while (Columns::shared_bytes(n_threads) > shared_memory_of_block &&
           Columns::elements_of(n_threads / 2) > 0)
      n_threads /= 2;
    return n_threads;
  }
} // namespace Saltus::CudaKernels

#endif
