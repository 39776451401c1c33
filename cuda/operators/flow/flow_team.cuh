// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_flow_flow_team_cuh
#define saltus_cuda_operators_flow_flow_team_cuh

// Weak derivatives on quadrilaterals and hexahedra by sums along lines, with a team of threads an
// element: each of them takes lines, of which it has a whole one in registers, so that tables are
// operands known at compile time. A block of threads has some neighbouring elements, whose numbers
// follow each other in shared memory and in warps. An element has there
//
//   volume   [field][k][qy][qx]    with nodes k in the last direction; in 3D, before y has had its
//                                  turn, [j] in place of [qy]
//   inside   [f][c][b][a]          of faces across all directions but the last: first traces, then
//                                  what their test functions are multiplied with
//   outside  [f][c][b][a]          traces of the neighbours
//
// where a and b are the directions along a face in ascending order. Fields of the volume are first
// the values; then `[r][c]`, what is multiplied with the derivatives of test functions in all
// directions r, but for the last one: that has been tested.
//
// One direction after the other functions go from nodes to points, the last one in registers, where
// fluxes are, and back. Faces go with the volume: the ends of lines are further points of theirs.
#include <saltus/operators/flow/kernels/rule_lines.h>
#include <saltus/operators/spaces/lines_across.h>

#include <cuda/operators/spaces/row.cuh>

namespace Saltus::CudaKernels
{
  /// @tparam Points see FlowPoints
  /// @tparam n points on a line of the basis
  /// @tparam n_q of the rule: not fewer
  /// @tparam n_elements of a block of threads
  template <typename Points, int n, int n_q, int n_elements>
  class FlowTeam : Points
  {
    using Group  = typename Points::Group;
    using Number = typename Points::Number;
    using Group::elements;
    using Group::geometry;
    using Points::arg;
    using Points::dim;
    using Points::n_components;
    using Points::n_in;
    using Points::n_inputs;
    using Points::n_out;
    using typename Points::Face;
    using typename Points::Input;
    using typename Points::Output;

    using Cube = Hypercube<dim>;

    static_assert(n_q >= n);
    static constexpr bool collocated = n_q == n;
    static constexpr bool is_affine  = Group::Geometry::is_constant;

    static constexpr int last = dim - 1, n_faces = Cube::n_faces, n_nodes = power(n, dim);
    /// Lines in the last direction, of nodes and of points.
    static constexpr int n_rows = power(n, last), n_columns = power(n_q, last);
    /// Those of a face, of points, and of faces that have lines in the last direction.
    static constexpr int on_face = power(n_q, dim - 2), n_sides = 2 * last;

    // Rows of odd length: neighbouring lines across them are in different banks.
    static constexpr int row = n_q | 1, plane = dim == 3 ? n_q * row : row;
    static constexpr int of_face = dim == 3 ? n_q * row : row;

    static constexpr int n_values  = Points::has_divergence ? n_in + 1 : n_in;
    static constexpr int n_results = n_out * dim, n_fields =
                                                    n_values > n_results ? n_values : n_results;
    static constexpr int n_inside = n_in > n_out ? n_in : n_out;

    static constexpr int of_volume = n_fields * n * plane, of_inside = n_sides * n_inside * of_face,
                         of_outside = n_faces * n_in * of_face;

  public:
    using typename Points::Arguments;
    using typename Points::Tables;
    using Lines = RuleLines<Number, n, n_q>;

    static constexpr int n_threads = n_columns + n_sides * on_face; ///< of an element
    static constexpr int per_block = n_elements;
    static constexpr int shared_bytes =
      (of_volume + of_inside + of_outside) * n_elements * static_cast<int>(sizeof(Number));

    /// @param element the first one of a block is that of the thread block
    __device__ __forceinline__
    FlowTeam(const Arguments &arg,
             const Tables    &tables,
             const Lines     &lines,
             const int        element,
             Number *const    shared)
      : Points(arg, tables, ::min(element, arg.mesh.end - 1))
      , lines(lines)
      , thread(threadIdx.x / n_elements)
      , is_own(element < arg.mesh.end)
      , shared(shared + threadIdx.x % n_elements)
    {}

    __device__ __forceinline__ void
    run()
    {
      read();
      __syncthreads();
      if (!collocated && this->has_faces())
        {
          interpolate_outside<0>();
          __syncthreads();
        }
      if constexpr (dim == 3)
        {
          interpolate_in_y();
          __syncthreads();
        }
      set_fluxes();
      __syncthreads();
      if constexpr (dim == 3)
        {
          test_in_y();
          __syncthreads();
        }
      Number r[n][n_out];
      test_in_x(r);
      update(r);
    }

  private:
    static constexpr bool has_divergence = Points::has_divergence;

    /// A number of the field @p field of the volume.
    __device__ __forceinline__ Number &
    volume(const int field, const int k, const int x, const int y = 0) const
    {
      return shared[((field * n + k) * plane + y * row + x) * n_elements];
    }

    __device__ __forceinline__ Number &
    inside(const int f, const int c, const int a, const int b = 0) const
    {
      return shared[(of_volume + (f * n_inside + c) * of_face + b * row + a) * n_elements];
    }

    __device__ __forceinline__ Number &
    outside(const int f, const int c, const int a, const int b = 0) const
    {
      return shared[(of_volume + of_inside + (f * n_in + c) * of_face + b * row + a) * n_elements];
    }

    /// \f$ \sum_i v_i u_i \f$ with the values at point @p q of a line.
    __device__ __forceinline__ Number
    at_point(const int q, const Number (&u)[n]) const
    {
      if constexpr (collocated)
        return lines.value[q][q] * u[q];
      else
        return sum(lines.value[q], u);
    }

    static __device__ __forceinline__ Number
    sum(const Number (&factors)[n], const Number (&u)[n])
    {
      Number result = factors[0] * u[0];
#pragma unroll
      for (int i = 1; i < n; ++i)
        result += factors[i] * u[i];
      return result;
    }

    /// At the end of a line on side @p side.
    __device__ __forceinline__ Number
    at_end(const int side, const Number (&u)[n]) const
    {
      Number result = lines.edge[side == 0 ? 0 : n - 1] * u[0];
#pragma unroll
      for (int i = 1; i < n; ++i)
        result += lines.edge[side == 0 ? i : n - 1 - i] * u[i];
      return result;
    }

    /// `r += value` times the test functions at point @p q of a line.
    __device__ __forceinline__ void
    test(const int q, const Number value, Number (&r)[n]) const
    {
#pragma unroll
      for (int i = 0; i < n; ++i)
        if (!collocated || i == q)
          r[i] += lines.value[q][i] * value;
    }

    __device__ __forceinline__ void
    test_derivatives(const int q, const Number value, Number (&r)[n]) const
    {
#pragma unroll
      for (int i = 0; i < n; ++i)
        r[i] += lines.derivative[q][i] * value;
    }

    __device__ __forceinline__ void
    test_at_end(const int side, const Number value, Number (&r)[n]) const
    {
#pragma unroll
      for (int i = 0; i < n; ++i)
        r[i] += lines.edge[side == 0 ? i : n - 1 - i] * value;
    }

    /// `body(task)` for the tasks of this thread among so many of the element.
    template <int n_tasks, typename Body>
    __device__ __forceinline__ void
    for_tasks(const Body &body) const
    {
      if constexpr (n_tasks <= n_threads)
        {
          if (thread < n_tasks)
            body(thread);
        }
      else
        for (int task = thread; task < n_tasks; task += n_threads)
          body(task);
    }

    /// Where the coefficients of an element begin.
    static __device__ __forceinline__ std::size_t
                                      first_of(const int element)
    {
      return CoefficientLayout{n_nodes, n_components}.index(element, 0);
    }

    static constexpr int mode_stride = CoefficientLayout{n_nodes, n_components}.mode_stride();

    /// `sum[c] += factor` times the components at a place.
    static __device__ __forceinline__ void
    add_components(const Number *from, const Number factor, Number *sum)
    {
      const auto values = Row<n_components, Number>::read(from);
#pragma unroll
      for (int c = 0; c < n_components; ++c)
        sum[c] += factor * values.values[c].v;
    }

    /// The element's modes, evaluated along x, and the traces of its neighbours.
    __device__ __forceinline__ void
    read()
    {
      for_tasks<n_rows>([&](const int line) {
        Number u[n_in][n] = {};
#pragma unroll
        for (int i = 0; i < n_inputs; ++i)
          this->for_terms(i, [&](const Number factor, const Number *vector) {
            const Number *from = vector + first_of(elements[0]) + line * n * mode_stride;
#pragma unroll
            for (int m = 0; m < n; ++m)
              {
                Number mode[n_components] = {};
                add_components(from + m * mode_stride, factor, mode);
#pragma unroll
                for (int c = 0; c < n_components; ++c)
                  u[i * n_components + c][m] += mode[c];
              }
          });
        evaluate_in_x(line, u);
      });
      if (this->has_faces())
        for_tasks<n_faces * n_rows>(
          [&](const int task) { set_outside(task / n_rows, task % n_rows); });
    }

    /// The index of a line of nodes along x in direction y, and in the last one.
    static __device__ __forceinline__ int
    in_y(const int line)
    {
      return dim == 3 ? line % n : 0;
    }

    static __device__ __forceinline__ int
    in_last(const int line)
    {
      return dim == 3 ? line / n : line;
    }

    template <int n_functions>
    __device__ __forceinline__ void
    evaluate_in_x(const int line, const Number (&u)[n_functions][n])
    {
      const int j = in_y(line), k = in_last(line);
#pragma unroll
      for (int c = 0; c < n_functions; ++c)
#pragma unroll
        for (int q = 0; q < n_q; ++q)
          volume(c, k, q, j) = at_point(q, u[c]);
      if (this->has_faces())
        {
          const Number scale = scale_of(in_last(line)) * (dim == 3 ? scale_of(j) : Number(1));
#pragma unroll
          for (int side = 0; side < 2; ++side)
#pragma unroll
            for (int c = 0; c < n_functions; ++c)
              inside(side, c, dim == 3 ? j : k, dim == 3 ? k : 0) = scale * at_end(side, u[c]);
        }
      if constexpr (has_divergence)
        if (this->has_volume())
#pragma unroll
          for (int q = 0; q < n; ++q)
            {
              Input derivative;
#pragma unroll
              for (int c = 0; c < n_in; ++c)
                derivative[c] = sum(lines.derivative[q], u[c]);
              volume(n_in, k, q, j) = this->divergence_part(q + n * line, 0, derivative);
            }
    }

    /// Of a node in a direction along a face: with the basis' points as those of the rule,
    /// functions are at the points at once.
    __device__ __forceinline__ Number
    scale_of(const int node) const
    {
      return collocated ? lines.value[node][node] : Number(1);
    }

    /// The neighbour's trace at node @p node of face @p f, 0 where there is none.
    __device__ __forceinline__ void
    set_outside(const int f, const int node)
    {
      const int  a = node % n, b = node / n, d = f / 2; // in ascending directions
      const auto record      = read_face(arg.mesh.faces + point_index(elements[0], f, n_faces, 1));
      Number     trace[n_in] = {};
      if (!record.at_boundary() && record.kind != FaceKind::hanging)
        {
          const LinesAcross<dim, n> across(record.neighbor, record.face, record.orientation);
          int                       place = across.start;
          if constexpr (dim == 2)
            place += a * across.along[0];
          else // whose directions follow that of the normal cyclically
            place += d == 1 ? b * across.along[0] + a * across.along[1]
                            : a * across.along[0] + b * across.along[1];
#pragma unroll
          for (int i = 0; i < n_inputs; ++i)
            this->for_terms(i, [&](const Number factor, const Number *vector) {
              const Number *from = vector + first_of(across.neighbor) + place * mode_stride;
              const int     step = across.step * mode_stride;
              Number        sum[n_components] = {};
#pragma unroll
              for (int m = 0; m < n; ++m)
                add_components(from + m * step, lines.edge[m], sum);
#pragma unroll
              for (int c = 0; c < n_components; ++c)
                trace[i * n_components + c] += factor * sum[c];
            });
        }
      const Number scale = scale_of(a) * (dim == 3 ? scale_of(b) : Number(1));
#pragma unroll
      for (int c = 0; c < n_in; ++c)
        outside(f, c, a, b) = scale * trace[c];
    }

    /// From nodes to points in place, along @p line.
    template <typename Line>
    __device__ __forceinline__ void
    interpolate(const Line &line) const
    {
      Number u[n];
#pragma unroll
      for (int i = 0; i < n; ++i)
        u[i] = line(i);
#pragma unroll
      for (int q = 0; q < n_q; ++q)
        line(q) = at_point(q, u);
    }

    /// Along direction @p d, which is not the last one, on the faces along it.
    template <int d>
    __device__ __forceinline__ void
    interpolate_outside() const
    {
      if constexpr (dim == 2)
        for_tasks<2 * n_in>([&](const int task) {
          interpolate([&](const int i) -> Number & { return outside(2 + task % 2, task / 2, i); });
        });
      else if constexpr (d == 0)
        for_tasks<4 * n_in * n>([&](const int task) {
          const int b = task % n, f = 2 + task / n % 4, c = task / n / 4;
          interpolate([&](const int i) -> Number & { return outside(f, c, i, b); });
        });
      else
        {
          for_tasks<2 * n_in * n>([&](const int task) {
            const int b = task % n, f = task / n % 2, c = task / n / 2;
            interpolate([&](const int i) -> Number & { return outside(f, c, i, b); });
          });
          for_tasks<2 * n_in * n_q>([&](const int task) {
            const int a = task % n_q, f = 4 + task / n_q % 2, c = task / n_q / 2;
            interpolate([&](const int i) -> Number & { return outside(f, c, a, i); });
          });
        }
    }

    /// In 3D.
    __device__ __forceinline__ void
    interpolate_in_y()
    {
      for_tasks<n_q * n>(
        [&](const int task) { evaluate_in_y<n_in>(task % n_q, task / n_q, true); });
      if (!collocated && this->has_faces())
        {
          for_tasks<2 * n_in * n>([&](const int task) {
            const int k = task % n, f = task / n % 2, c = task / n / 2;
            interpolate([&](const int i) -> Number & { return inside(f, c, i, k); });
          });
          interpolate_outside<1>();
        }
    }

    template <int n_functions>
    __device__ __forceinline__ void
    evaluate_in_y(const int x, const int k, const bool with_faces)
    {
      Number     divergence[n], u[n_functions][n];
      const bool divides = has_divergence && this->has_volume();
#pragma unroll
      for (int c = 0; c < n_functions; ++c)
        {
#pragma unroll
          for (int j = 0; j < n; ++j)
            u[c][j] = volume(c, k, x, j);
#pragma unroll
          for (int q = 0; q < n_q; ++q)
            volume(c, k, x, q) = at_point(q, u[c]);
          if (with_faces && this->has_faces())
#pragma unroll
            for (int side = 0; side < 2; ++side)
              inside(2 + side, c, x, k) = scale_of(k) * at_end(side, u[c]);
        }
      if constexpr (has_divergence)
        if (divides)
          {
#pragma unroll
            for (int j = 0; j < n; ++j)
              divergence[j] = volume(n_in, k, x, j);
#pragma unroll
            for (int q = 0; q < n; ++q)
              {
                Input derivative;
#pragma unroll
                for (int c = 0; c < n_in; ++c)
                  derivative[c] = sum(lines.derivative[q], u[c]);
                volume(n_in, k, x, q) = at_point(q, divergence) +
                                        this->divergence_part(x + n * (q + n * k), 1, derivative);
              }
          }
    }

    /// Lines in the last direction.
    __device__ __forceinline__ void
    set_fluxes()
    {
      if (thread < n_columns)
        set_fluxes_of_column(dim == 3 ? thread % n_q : thread, dim == 3 ? thread / n_q : 0);
      else if (this->has_faces())
        set_fluxes_of_side((thread - n_columns) / on_face, (thread - n_columns) % on_face);
    }

    /// Functions at the nodes of lines in the last direction, in shared memory. A thread keeps them
    /// in registers, if these are enough for all that it works on.
    /// @tparam n_numbers that it does, with these
    template <int n_lines, int n_numbers>
    class LinesInMemory
    {
      static constexpr bool keeps = n_numbers <= 32;

    public:
      /// @param first node of the first line
      __device__ __forceinline__
      LinesInMemory(const Number *first, const int between_lines, const int between_nodes)
        : first(first)
        , between_lines(between_lines)
        , between_nodes(between_nodes)
      {
        if constexpr (keeps)
#pragma unroll
          for (int c = 0; c < n_lines; ++c)
            read(c, values[c]);
      }

      /// `body(values)` for line @p c.
      template <typename Body>
      __device__ __forceinline__ Number
      apply(const int c, const Body &body) const
      {
        if constexpr (keeps)
          return body(values[c]);
        else
          {
            Number once[n];
            read(c, once);
            return body(once);
          }
      }

    private:
      __device__ __forceinline__ void
      read(const int c, Number (&to)[n]) const
      {
        // Volatile: the compiler would keep what it has read.
#pragma unroll
        for (int k = 0; k < n; ++k)
          to[k] = const_cast<const volatile Number *>(
            first)[(c * between_lines + k * between_nodes) * n_elements];
      }

      const Number *const first;
      const int           between_lines, between_nodes;
      Number              values[keeps ? n_lines : 1][n];
    };

    __device__ __forceinline__ void
    set_fluxes_of_column(const int x, const int y)
    {
      const LinesInMemory<n_in, (n_in + dim * n_out) * n> u(&volume(0, 0, x, y), n * plane, plane);
      Number                                              r[dim][n_out][n] = {};
      if (this->has_volume())
        {
          const Number weight = lines.weight[x] * (dim == 3 ? lines.weight[y] : Number(1));
          Number       divergence[n];
          if constexpr (has_divergence)
#pragma unroll
            for (int k = 0; k < n; ++k)
              divergence[k] = volume(n_in, k, x, y);
#pragma unroll
          for (int q = 0; q < n_q; ++q)
            {
              const int point = x + (dim == 3 ? n_q * y : 0) + n_columns * q;
              Input     values;
              Output    flux[dim];
              if constexpr (has_divergence)
                {
#pragma unroll
                  for (int c = 0; c < n_in; ++c)
                    values[c] = u.apply(c, [&](const Number(&of)[n]) {
                      return sum(lines.derivative[q], of);
                    });
                  const Number here =
                    at_point(q, divergence) + this->divergence_part(point, last, values);
                  Points::set_fluxes(point, weight * lines.weight[q], here, flux);
                }
              else
                {
#pragma unroll
                  for (int c = 0; c < n_in; ++c)
                    values[c] = u.apply(c, [&](const Number(&of)[n]) { return at_point(q, of); });
                  Points::set_fluxes(point, weight * lines.weight[q], values, flux);
                }
#pragma unroll
              for (int c = 0; c < n_out; ++c)
                {
#pragma unroll
                  for (int d = 0; d < last; ++d)
                    test(q, flux[d][c], r[d][c]);
                  test_derivatives(q, flux[last][c], r[last][c]);
                }
            }
        }
      if (this->has_faces())
        {
          const int    q      = x + (dim == 3 ? n_q * y : 0);
          const Number weight = lines.weight[x] * (dim == 3 ? lines.weight[y] : Number(1));
#pragma unroll
          for (int side = 0; side < 2; ++side)
            {
              const int f = 2 * last + side;
              Input     here, there;
#pragma unroll
              for (int c = 0; c < n_in; ++c)
                {
                  here[c]  = u.apply(c, [&](const Number(&of)[n]) { return at_end(side, of); });
                  there[c] = outside(f, c, x, y);
                }
              Face         face = this->face(f);
              const Output flux = this->face_flux(face, f, q, weight, here, there);
#pragma unroll
              for (int c = 0; c < n_out; ++c)
                test_at_end(side, flux[c], r[last][c]);
            }
        }
#pragma unroll
      for (int d = 0; d < dim; ++d)
#pragma unroll
        for (int c = 0; c < n_out; ++c)
#pragma unroll
          for (int k = 0; k < n; ++k)
            volume(d * n_out + c, k, x, y) = r[d][c][k];
    }

    /// The line in the last direction on face @p f, at point @p a of its other direction.
    __device__ __forceinline__ void
    set_fluxes_of_side(const int f, const int a)
    {
      constexpr int n_numbers = (2 * n_in + n_out) * n, step = dim == 3 ? row : 1;
      const int     b = dim == 3 ? a : 0;
      const LinesInMemory<n_in, n_numbers> here(&inside(f, 0, b), of_face, step),
        there(&outside(f, 0, b), of_face, step);
      Number r[n_out][n] = {};
      Face   face        = this->face(f);
      // In 3D, directions of a face follow its normal's cyclically.
      const int stride = dim == 2 || f < 2 ? on_face : 1, first =
                                                            dim == 2 ? 0 : (f < 2 ? a : n_q * a);
#pragma unroll
      for (int q = 0; q < n_q; ++q)
        {
          const auto value = [&](const Number(&of)[n]) {
            return collocated ? of[q] : at_point(q, of);
          };
          Input in, out;
#pragma unroll
          for (int c = 0; c < n_in; ++c)
            {
              in[c]  = here.apply(c, value);
              out[c] = there.apply(c, value);
            }
          const Number weight = lines.weight[q] * (dim == 3 ? lines.weight[a] : Number(1));
          const Output flux   = this->face_flux(face, f, first + q * stride, weight, in, out);
#pragma unroll
          for (int c = 0; c < n_out; ++c)
            test(q, flux[c], r[c]);
        }
#pragma unroll
      for (int c = 0; c < n_out; ++c)
#pragma unroll
        for (int k = 0; k < n; ++k)
          inside(f, c, b + k * step) = r[c][k];
    }

    /// In 3D.
    __device__ __forceinline__ void
    test_in_y()
    {
      for_tasks<n_q * n>([&](const int task) {
        const int x = task % n_q, k = task / n_q;
#pragma unroll
        for (int c = 0; c < n_out; ++c)
          {
            Number of_x[n] = {}, r[n] = {};
#pragma unroll
            for (int q = 0; q < n_q; ++q)
              {
                test(q, volume(c, k, x, q), of_x);
                test_derivatives(q, volume(n_out + c, k, x, q), r);
                test(q, volume(2 * n_out + c, k, x, q), r);
              }
            if (this->has_faces())
#pragma unroll
              for (int side = 0; side < 2; ++side)
                test_at_end(side, inside(2 + side, c, x, k), r);
#pragma unroll
            for (int j = 0; j < n; ++j)
              {
                volume(c, k, x, j)         = of_x[j];
                volume(n_out + c, k, x, j) = r[j];
              }
          }
      });
      if (this->has_faces())
        for_tasks<2 * n_out * n>([&](const int task) {
          const int k = task % n, f = task / n % 2, c = task / n / 2;
          Number    r[n] = {};
#pragma unroll
          for (int q = 0; q < n_q; ++q)
            test(q, inside(f, c, q, k), r);
#pragma unroll
          for (int j = 0; j < n; ++j)
            inside(f, c, j, k) = r[j];
        });
    }

    /// To the results at the nodes of a line along x, which is the thread's own.
    __device__ __forceinline__ void
    test_in_x(Number (&r)[n][n_out])
    {
      for_tasks<n_rows>([&](const int line) {
        const int j = in_y(line), k = in_last(line);
#pragma unroll
        for (int c = 0; c < n_out; ++c)
          {
            Number sum[n] = {};
#pragma unroll
            for (int q = 0; q < n_q; ++q)
              {
                test_derivatives(q, volume(c, k, q, j), sum);
                test(q, volume(n_out + c, k, q, j), sum);
              }
            if (this->has_faces())
#pragma unroll
              for (int side = 0; side < 2; ++side)
                test_at_end(side, inside(side, c, dim == 3 ? j : k, dim == 3 ? k : 0), sum);
#pragma unroll
            for (int i = 0; i < n; ++i)
              r[i][c] = sum[i];
          }
      });
    }

    /// Multiply functions by another one, and project.
    /// @param y of the thread's line along x
    template <typename Factor>
    __device__ __forceinline__ void
    multiply(Number (&y)[n][n_out], const Factor &factor)
    {
      if constexpr (is_affine)
        return;
      else if constexpr (collocated)
        for_tasks<n_rows>([&](const int line) {
#pragma unroll
          for (int i = 0; i < n; ++i)
            {
              const Number here = factor(i + n * line);
#pragma unroll
              for (int c = 0; c < n_out; ++c)
                y[i][c] *= here;
            }
        });
      else
        project_product(y, factor);
    }

    template <typename Factor>
    __device__ __forceinline__ void
    project_product(Number (&y)[n][n_out], const Factor &factor)
    {
      __syncthreads();
      for_tasks<n_rows>([&](const int line) {
#pragma unroll
        for (int c = 0; c < n_out; ++c)
          {
            Number u[n];
#pragma unroll
            for (int i = 0; i < n; ++i)
              u[i] = y[i][c];
#pragma unroll
            for (int q = 0; q < n_q; ++q)
              volume(c, in_last(line), q, in_y(line)) = at_point(q, u);
          }
      });
      __syncthreads();
      if constexpr (dim == 3)
        {
          for_tasks<n_q * n>(
            [&](const int task) { evaluate_in_y<n_out>(task % n_q, task / n_q, false); });
          __syncthreads();
        }
      for_tasks<n_columns>([&](const int column) {
        const int    x = dim == 3 ? column % n_q : column, j = dim == 3 ? column / n_q : 0;
        const Number weight = lines.weight[x] * (dim == 3 ? lines.weight[j] : Number(1));
        Number       factors[n_q];
#pragma unroll
        for (int q = 0; q < n_q; ++q)
          factors[q] = weight * lines.weight[q] * factor(column + n_columns * q);
#pragma unroll
        for (int c = 0; c < n_out; ++c)
          {
            Number u[n], r[n] = {};
#pragma unroll
            for (int k = 0; k < n; ++k)
              u[k] = volume(c, k, x, j);
#pragma unroll
            for (int q = 0; q < n_q; ++q)
              test(q, factors[q] * at_point(q, u), r);
#pragma unroll
            for (int k = 0; k < n; ++k)
              volume(c, k, x, j) = r[k];
          }
      });
      __syncthreads();
      if constexpr (dim == 3)
        {
          for_tasks<n_q * n>([&](const int task) {
            const int x = task % n_q, k = task / n_q;
#pragma unroll
            for (int c = 0; c < n_out; ++c)
              {
                Number r[n] = {};
#pragma unroll
                for (int q = 0; q < n_q; ++q)
                  test(q, volume(c, k, x, q), r);
#pragma unroll
                for (int j = 0; j < n; ++j)
                  volume(c, k, x, j) = r[j];
              }
          });
          __syncthreads();
        }
      for_tasks<n_rows>([&](const int line) {
#pragma unroll
        for (int c = 0; c < n_out; ++c)
          {
            Number r[n] = {};
#pragma unroll
            for (int q = 0; q < n_q; ++q)
              test(q, volume(c, in_last(line), q, in_y(line)), r);
#pragma unroll
            for (int i = 0; i < n; ++i)
              y[i][c] = r[i];
          }
      });
    }

    /// @param r of the thread's line along x
    __device__ __forceinline__ void
    update(Number (&r)[n][n_out])
    {
      const bool as_form = this->as_form();
      if (!as_form)
        multiply(r, [&](const int q) { return geometry.inverse_mass(q); });
      Number sum[n][n_out];
      if (is_own)
        for_tasks<n_rows>([&](const int line) {
#pragma unroll
          for (int m = 0; m < n; ++m)
#pragma unroll
            for (int c = 0; c < n_out; ++c)
              {
                const std::size_t i = output(line, m) + c;
                sum[m][c]           = this->base(i);
                r[m][c]             = this->change(i, r[m][c]);
                if (!as_form)
                  sum[m][c] += r[m][c];
              }
        });
      Number factor = 1;
      if (this->times_mass())
        {
          factor = geometry.volume_factor();
          multiply(sum, [&](const int q) { return geometry.relative_volume(q); });
        }
      if (is_own)
        for_tasks<n_rows>([&](const int line) {
#pragma unroll
          for (int m = 0; m < n; ++m)
#pragma unroll
            for (int c = 0; c < n_out; ++c)
              arg.out[output(line, m) + c] = factor * (as_form ? sum[m][c] + r[m][c] : sum[m][c]);
        });
    }

    /// Of number @p m of a line along x.
    __device__ __forceinline__ std::size_t
                               output(const int line, const int m) const
    {
      return CoefficientLayout{n_nodes, n_out}.index(elements[0], n * line + m);
    }

    const Lines  &lines;
    const int     thread; ///< of the element
    const bool    is_own;
    Number *const shared;
  };
} // namespace Saltus::CudaKernels

#endif
