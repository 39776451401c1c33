// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_column_points_cuh
#define saltus_cuda_operators_conservation_law_column_points_cuh

#include <saltus/operators/spaces/line_tables.h>

#include <cuda/operators/conservation_law/stage_points.cuh>

namespace Saltus::CudaKernels
{
  /// A line of points of a quadrilateral or hexahedron behind a point of one of its faces.
  /// @tparam n points
  template <int dim, int n>
  struct LineAcross
  {
    /// That behind the point at which another element has the indices @p a and @p b on its side of
    /// the face; orientations are as CellShape numbers them.
    /// @param of_layers distance between layers of points, which differ in the last direction
    __device__ __forceinline__
    LineAcross(const FaceRecord &across, const int a, const int b, const int of_layers)
    {
      const int  o = across.orientation, d = across.face / 2;
      const bool swaps = dim == 3 && (0x5A >> o & 1);
      int        i = swaps ? b : a, j = swaps ? a : b;
      if (dim == 2 ? o == 1 : (0xCC >> o & 1))
        i = n - 1 - i;
      if (dim == 3 && o >= 4)
        j = n - 1 - j;
      const auto stride = [&](const int direction) {
        return direction == dim - 1 ? of_layers : (direction == 0 ? 1 : n);
      };
      step  = stride(d);
      first = dim == 2 ? i * stride(1 - d)
                       : i * stride(d == 2 ? 0 : d + 1) + j * stride(d == 0 ? 2 : d - 1);
      point = dim == 2 ? i : i + n * j;
      if (across.face % 2 == 1)
        {
          first += (n - 1) * step;
          step = -step;
        }
    }

    int first, step; ///< places of its points, that on the face first
    int point;       ///< number of that among those of its element's face
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
    using Line  = LineAcross<dim, n>;

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
          const auto piece = Piece::read(from + c * layout().component_stride());
#pragma unroll
          for (int i = 0; i < together; ++i)
            mode.values[c + i] = piece.values[i];
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

    /// The neighbour's state at the point where this side has the indices @p a and @p b. As points
    /// of lines are symmetric, the face at the end of a line has the weights of that at its
    /// beginning, in the opposite direction.
    static __device__ __forceinline__ State
    state_across(const Number                *u,
                 const LineTables<Number, n> &lines,
                 const FaceRecord            &across,
                 const int                    a,
                 const int                    b)
    {
      const Line    line(across, a, b, of_layer);
      const Number *from = u + layout().index(across.neighbor, line.first);
      const int     step = line.step * layout().mode_stride();
      State         state =
        sum_on_line(lines.edge_of_modes, [&](const int m) { return read_mode(from + m * step); });
      const T others = T(lines.inverse_root[a]) * T(dim == 3 ? lines.inverse_root[b] : Number(1));
#pragma unroll
      for (int c = 0; c < nc; ++c)
        state[c] = others * state[c];
      return state;
    }
  };
} // namespace Saltus::CudaKernels

#endif
