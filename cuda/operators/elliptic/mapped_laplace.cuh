// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_mapped_laplace_cuh
#define saltus_cuda_operators_elliptic_mapped_laplace_cuh

// The Laplace operator on curved simplices with few modes, one thread an element, with the form
// made of the elements' maps: at their quadrature points it would be two or three times as many
// numbers to read. See LaplaceElement for the formulas and PointwiseForm for the form.
//
// Derivatives are those of DerivativeMatrix, from the middle of the vertices before to the next
// vertex, in place of those in reference coordinates. They are found once as polynomials of one
// degree less, so that at a point all functions are sums of the same values of modes; what test
// functions' derivatives are multiplied with is summed over the points likewise.
//
// The threads of a block first leave value and flux of their elements at the points of all faces in
// shared memory, where neighbours find them. Those of neighbours elsewhere (far ones) are computed
// besides, by as many threads as there are such faces.

#include <saltus/base/device/static_for.h>
#include <saltus/fe/sparse_modal_tables.h>
#include <saltus/operators/elliptic/kernels/coefficient_value.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>

#include <algorithm>
#include <cmath>
#include <cuda/base/device/context.cuh>
#include <cuda/base/device/device_numbers.cuh>
#include <cuda/operators/spaces/row.cuh>

namespace Saltus::CudaKernels
{
  struct MappedLaplaceLaunch
  {
    int n_threads;  ///< of a block, which are its elements
    int min_blocks; ///< on a multiprocessor: bounds the registers of a thread
  };

  /// Measured on an H100.
  template <int dim, int degree>
  constexpr MappedLaplaceLaunch
  mapped_laplace_launch()
  {
    constexpr MappedLaplaceLaunch triangles[]  = {{128, 5}, {128, 3}, {128, 3}},
                                  tetrahedra[] = {{128, 2}};
    if constexpr (dim == 2)
      return triangles[degree - 1];
    else
      return tetrahedra[degree - 1];
  }

  template <int dim, int degree, typename Number, int n_components>
  class MappedLaplace
  {
    using T = Number;

    static constexpr int n_faces = dim + 1;
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    /// Of derivatives.
    static constexpr int n_gradient_modes = Simplex<dim>::n_modes(degree - 1);
    /// Of maps: all modes but the constant.
    static constexpr int n_map_modes = Simplex<dim>::n_modes(degree + 1) - 1;

    static constexpr int nv = Simplex<dim>::n_quadrature_points(2 * degree);
    static constexpr int nf = Simplex<dim - 1>::n_quadrature_points(2 * degree); ///< of a face

    static constexpr MappedLaplaceLaunch launch = mapped_laplace_launch<dim, degree>();

    /// Of directions, or coordinates in space.
    using Vector = Array<T, dim>;
    using Tensor = CoefficientValue<dim, T>;

    using Two = std::conditional_t<sizeof(Number) == 8, double2, float2>;

  public:
    static constexpr int n_threads = launch.n_threads, min_blocks = launch.min_blocks;

    /// At the points of the volume, and behind them those of the faces.
    struct Table
    {
      T values[nv + n_faces * nf][n_modes];
      T weights[nv + nf];
    };

    /// What the threads of a block share.
    struct Block
    {
      Two            traces[n_faces * nf][n_threads];          ///< value and flux
      T              fluxes[n_faces * nf][1 + dim][n_threads]; ///< see Flux
      FaceRecord     faces[n_faces][n_threads];
      Two            nothing;                  ///< a trace
      unsigned short far[n_faces * n_threads]; ///< faces with neighbours elsewhere
      int            n_far;
    };

    static bool
    takes(const LaplaceArguments<Number> &arg)
    {
      return arg.pointwise.map_modes != nullptr && arg.is_whole() &&
             arg.reaction.constant == Number(0) && arg.reaction.volume == nullptr;
    }

    /// Whether the quadrature is the one that is compiled in.
    static bool
    fits(const ElementTables<Number> &host)
    {
      return host.n_volume_points == nv && host.n_face_points == nf;
    }

    static Table
    make_table(const ElementTables<Number> &host)
    {
      Table result;
      std::copy_n(host.volume_values, nv * n_modes, &result.values[0][0]);
      std::copy_n(host.face_values, n_faces * nf * n_modes, &result.values[nv][0]);
      std::copy_n(host.volume_weights, nv, result.weights);
      std::copy_n(host.face_weights, nf, result.weights + nv);
      return result;
    }

    /// @param in_memory the table, for what differs between threads
    __device__ __forceinline__
    MappedLaplace(const LaplaceArguments<Number> &arg,
                  const Table                    &table,
                  const Table                    *in_memory,
                  const int                       component,
                  Block                          &block)
      : arg(arg)
      , table(table)
      , in_memory(in_memory)
      , component(component)
      , first(arg.mesh.begin + static_cast<int>(blockIdx.x) * n_threads)
      , n_present(::min(n_threads, arg.mesh.end - first))
      , thread(threadIdx.x)
      , element(first + ::min(thread, n_present - 1))
      , block(block)
    {}

    __device__ __forceinline__ void
    run()
    {
      if (thread == 0)
        {
          block.n_far   = 0;
          block.nothing = {T(0), T(0)};
        }
      __syncthreads();
      read_faces();
      u.load(*this, element);
      map.load(*this, element);
      find_far_faces();
      static_for<n_faces>([&](const auto f) {
#pragma unroll
        for (int q = 0; q < nf; ++q)
          set_trace<f.value>(q);
      });
      add_volume();
      __syncthreads();
      set_far_traces();
      __syncthreads();
      add_faces();
      add_derivatives();
      store();
    }

  private:
    /// Of the first mode, everywhere.
    static constexpr T first_value =
      dim == 2 ? T(1.41421356237309504880) : T(2.44948974278317809820);

    /// Call `body(row, column, entry)` for all entries of the matrix of direction @p a for
    /// functions of degree @p of.
    template <int a, int of, typename Body>
    static __device__ __forceinline__ void
    for_entries(const Body &body)
    {
      using Matrix = DerivativeMatrix<dim, a>;
      static_for<Matrix::n_rows(of)>([&](const auto row) {
        constexpr int r     = decltype(row)::value;
        constexpr int begin = first_entry<Matrix, dim, of>(r),
                      end   = first_entry<Matrix, dim, of>(r + 1);
        static_for<end - begin>([&](const auto i) {
          constexpr int at       = begin + decltype(i)::value;
          constexpr int column   = column_of_entry<Matrix, dim, of>(at);
          constexpr int position = SparseModalLayout<dim>(of).derivative[a] + at;
          constexpr T   entry    = compiled_modal_tables<dim, of>.entries[position];
          body(r, column, entry);
        });
      });
    }

    /// The sum of @p n modes times their values at a point.
    template <int n>
    static __device__ __forceinline__ T
    sum(const T *values, const T (&modes)[n])
    {
      T result = first_value * modes[0];
#pragma unroll
      for (int m = 1; m < n; ++m)
        result += values[m] * modes[m];
      return result;
    }

    template <int n>
    static __device__ __forceinline__ Vector
    sum(const T *values, const T (&modes)[dim][n])
    {
      Vector result;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        result[d] = sum(values, modes[d]);
      return result;
    }

    template <int n>
    static __device__ __forceinline__ void
    set_zero(T (&modes)[n])
    {
#pragma unroll
      for (int m = 0; m < n; ++m)
        modes[m] = T(0);
    }

    /// The solution in an element.
    struct Function
    {
      T modes[n_modes];
      T derivatives[dim][n_gradient_modes];

      __device__ __forceinline__ void
      load(const MappedLaplace &of, const int e)
      {
        const Number *from = of.arg.u + of.position(e);
#pragma unroll
        for (int m = 0; m < n_modes; ++m)
          modes[m] = from[m * mode_stride];
        static_for<dim>([&](const auto a) {
          constexpr int direction = decltype(a)::value;
          set_zero(derivatives[direction]);
          for_entries<direction, degree>([&](const int row, const int column, const T entry) {
            derivatives[direction][row] += entry * modes[column];
          });
        });
      }
    };

    /// The map of an element.
    struct Map
    {
      T derivatives[dim][dim][n_modes]; ///< `[direction][d]`
      T diffusion;

      /// @param e held by the stored blocks
      __device__ __forceinline__ void
      load(const MappedLaplace &of, const int e)
      {
        const LaplaceArguments<Number> &arg = of.arg;
        const Number                   *from =
          arg.pointwise.map_modes +
          point_index(e - arg.stored.first_block * block_size, 0, n_map_modes, dim);
        T modes[dim][n_map_modes];
#pragma unroll
        for (int m = 0; m < n_map_modes; ++m)
          {
            const auto row = Row<dim, Number>::read(from + m * block_size * dim);
#pragma unroll
            for (int d = 0; d < dim; ++d)
              modes[d][m] = row.values[d].v;
          }
        static_for<dim>([&](const auto a) {
          constexpr int direction = decltype(a)::value;
#pragma unroll
          for (int d = 0; d < dim; ++d)
            set_zero(derivatives[direction][d]);
          // The constant mode, which is not there, has no entries.
          for_entries<direction, degree + 1>([&](const int row, const int column, const T entry) {
#pragma unroll
            for (int d = 0; d < dim; ++d)
              derivatives[direction][d][row] += entry * modes[d][column - 1];
          });
        });
        diffusion =
          arg.diffusion.volume == nullptr ? arg.diffusion.constant : arg.diffusion.volume[e];
      }
    };

    /// The products of the gradients of the coordinates at a point, times the determinant squared.
    struct Products
    {
      Tensor products;
      T      inverse; ///< one over the determinant's absolute value

      __device__ __forceinline__
      Products(const T *values, const Map &map)
      {
        Vector x[dim], gradients[dim];
#pragma unroll
        for (int a = 0; a < dim; ++a)
          x[a] = sum(values, map.derivatives[a]);
        if constexpr (dim == 2)
          {
            gradients[0] = {{x[1][1], -x[1][0]}};
            gradients[1] = {{-x[0][1], x[0][0]}};
          }
        else
#pragma unroll
          for (int a = 0; a < dim; ++a)
            {
              const Vector &y = x[(a + 1) % dim], &z = x[(a + 2) % dim];
#pragma unroll
              for (int d = 0; d < dim; ++d)
                {
                  const int i = (d + 1) % 3, j = (d + 2) % 3;
                  gradients[a][d] = y[i] * z[j] - y[j] * z[i];
                }
            }
        inverse = quick_inverse(::fabs(dot<dim>(x[0], gradients[0])));
#pragma unroll
        for (int a = 0; a < dim; ++a)
#pragma unroll
          for (int b = a; b < dim; ++b)
            products[symmetric_entry<dim>(a, b)] = dot<dim>(gradients[a], gradients[b]);
      }
    };

    /// The outward normal of the face opposite vertex @p opposite, as long as the face's area, in
    /// direction @p a: all vertices before the end of the direction share its begin.
    static constexpr __host__ __device__ T
    normal(const int opposite, const int a)
    {
      const T share = opposite == a + 1 ? T(-1) : (opposite <= a ? T(1) / T(a + 1) : T(0));
      return share / T(dim - 1);
    }

    /// What a point of a face counts for, and what the flux is combined of, times that.
    struct Flux
    {
      T      area;
      Vector along;

      Flux() = default;

      /// @param weight of the point
      __device__ __forceinline__
      Flux(const T *values, const T weight, const Map &map, const int opposite)
      {
        const Products at(values, map);
        const T        factor = weight * map.diffusion * at.inverse;
        T              inverse;
#pragma unroll
        for (int a = 0; a < dim; ++a)
          along[a] = times_normal(opposite, [&](const int b) {
            return at.products[symmetric_entry<dim>(a, b)];
          });
        area = weight *
               quick_root(times_normal(opposite, [&](const int a) { return along[a]; }), inverse);
#pragma unroll
        for (int a = 0; a < dim; ++a)
          along[a] = factor * along[a];
      }

      /// The product of a normal and a vector @p x; no zeros are added.
      template <typename X>
      static __device__ __forceinline__ T
      times_normal(const int opposite, const X &x)
      {
        T    result = T(0);
        bool begun  = false;
#pragma unroll
        for (int a = 0; a < dim; ++a)
          if (const T share = normal(opposite, a); share != T(0))
            {
              result = begun ? result + share * x(a) : share * x(a);
              begun  = true;
            }
        return result;
      }
    };

    /// The number of the vertex opposite face @p f.
    static constexpr __host__ __device__ int
    opposite_vertex(const int f)
    {
      return dim == 2 ? (f + 2) % 3 : 3 - f;
    }

    __device__ __forceinline__ std::size_t
                               position(const int e) const
    {
      return CoefficientLayout{n_modes, n_components}.index(e, 0) + component;
    }

    static constexpr int mode_stride = CoefficientLayout{n_modes, n_components}.mode_stride();

    __device__ __forceinline__ bool
    is_near(const FaceRecord &face) const
    {
      return face.kind == FaceKind::interior && static_cast<unsigned int>(face.neighbor - first) <
                                                  static_cast<unsigned int>(n_present);
    }

    __device__ __forceinline__ void
    read_faces()
    {
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        {
          const std::size_t at = point_index(element, f, n_faces, 1);
          faces[f]             = read_face(arg.mesh.faces + at);
          penalties[f]         = arg.penalties[at];
        }
    }

    __device__ __forceinline__ void
    find_far_faces() const
    {
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        if (thread < n_present && !faces[f].at_boundary() && !is_near(faces[f]))
          {
            block.faces[f][thread]                = faces[f];
            block.far[atomicAdd(&block.n_far, 1)] = f * n_threads + thread;
          }
    }

    /// At point @p q of face @p f.
    template <int f>
    __device__ __forceinline__ void
    set_trace(const int q)
    {
      constexpr int begin  = f * nf;
      const T      *values = table.values[nv + begin + q];
      const Flux    flux(values, table.weights[nv + q], map, opposite_vertex(f));
      block.traces[begin + q][thread]    = {sum(values, u.modes),
                                            dot<dim>(flux.along, sum(values, u.derivatives))};
      block.fluxes[begin + q][0][thread] = flux.area;
#pragma unroll
      for (int a = 0; a < dim; ++a)
        block.fluxes[begin + q][1 + a][thread] = flux.along[a];
    }

    __device__ __forceinline__ void
    add_volume()
    {
#pragma unroll
      for (int a = 0; a < dim; ++a)
        set_zero(of_derivatives[a]);
#pragma unroll
      for (int q = 0; q < nv; ++q)
        {
          const T       *values = table.values[q];
          const Products at(values, map);
          const Vector   flux = symmetric_product<dim>(at.products, sum(values, u.derivatives));
          test(values, table.weights[q] * map.diffusion * at.inverse, flux);
        }
    }

    /// Add what derivatives of test functions are multiplied with at a point. With the first mode's
    /// value all is multiplied at last.
    __device__ __forceinline__ void
    test(const T *values, const T factor, const Vector &flux)
    {
#pragma unroll
      for (int a = 0; a < dim; ++a)
        {
          const T part = factor * flux[a];
          of_derivatives[a][0] += part;
#pragma unroll
          for (int k = 1; k < n_gradient_modes; ++k)
            of_derivatives[a][k] += values[k] * part;
        }
    }

    /// Threads that share the work on a far face, each with some of its points. On tetrahedra there
    /// are more such faces than threads.
    static constexpr int n_far_threads = dim == 2 ? nf : 1;

    /// Take what is across the block's far faces from its traces.
    __device__ __forceinline__ void
    set_far_traces() const
    {
      for (int i = thread; i < block.n_far * n_far_threads; i += n_threads)
        {
          const int far = block.far[i / n_far_threads];
          set_far_traces(far / n_threads, far % n_threads, i % n_far_threads);
        }
    }

    /// Across face @p f of element @p of of the block, at its points from number @p begin on.
    __device__ __forceinline__ void
    set_far_traces(const int f, const int of, const int begin) const
    {
      const FaceRecord face = block.faces[f][of];
      const bool       held = arg.stored.holds(face.neighbor);
      Function         across;
      Map              map_across;
      across.load(*this, face.neighbor);
      if (held)
        map_across.load(*this, face.neighbor);
#pragma unroll 1
      for (int i = 0; i < nf / n_far_threads; ++i)
        {
          const int q     = begin + i * n_far_threads;
          const int there = arg.tables.face_permutations[face.orientation * nf + q];
          T         values[n_modes];
#pragma unroll
          for (int m = 0; m < n_modes; ++m)
            values[m] = __ldg(in_memory->values[nv + face.face * nf + there] + m);
          const Vector gradient = sum(values, across.derivatives);
          Two         &here     = block.traces[f * nf + q][of];
          here.x -= sum(values, across.modes);
          if (held)
            {
              const T    weight = __ldg(in_memory->weights + nv + there);
              const Flux flux(values, weight, map_across, opposite_vertex(face.face));
              here.y -= dot<dim>(flux.along, gradient);
            }
          else
            here.y += flux_from_affine(arg, first + of, f * nf + q, gradient);
        }
    }

    /// The flux from a neighbour whose map is not stored, at point @p i of the faces of element
    /// @p e. (Not inline, for that is rare; a member function would want all of this object in
    /// memory.)
    static __device__ __noinline__ T
    flux_from_affine(const LaplaceArguments<Number> &arg,
                     const int                       e,
                     const int                       i,
                     const Vector                    gradient)
    {
      const int     stored = e - arg.stored.first_block * block_size;
      const Number *along =
        arg.pointwise.along_across + point_index(stored, i * dim, n_faces * nf * dim, 1);
      T flux = T(0), before = T(0);
#pragma unroll
      for (int r = 0; r < dim; ++r)
        {
          // The derivative in reference direction r: vertex 0 may be farther than the direction's
          // begin.
          const T derivative = gradient[r] + before;
          flux += along[r * block_size] * derivative;
          before = (T(r + 1) * before + derivative) / T(r + 2);
        }
      return arg.pointwise.areas[point_index(stored, i, n_faces * nf, 1)] * flux;
    }

    __device__ __forceinline__ void
    add_faces()
    {
      set_zero(sums);
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        add_face(f);
    }

    __device__ __forceinline__ void
    add_face(const int f)
    {
      const bool near = is_near(faces[f]);
      const int  b    = faces[f].boundary_face();
      const Two *across =
        near ? &block.traces[faces[f].face * nf][faces[f].neighbor - first] : &block.nothing;
      const int        stride = near ? n_threads : 0;
      const FacePoint *points =
        arg.tables.face_permutations + (near ? faces[f].orientation * nf : 0);
#pragma unroll
      for (int q = 0; q < nf; ++q)
        {
          const int i       = f * nf + q;
          const T  *values  = table.values[nv + i];
          const T   area    = block.fluxes[i][0][thread];
          const Two in      = block.traces[i][thread];
          const Two out     = across[points[q] * stride];
          const T   penalty = penalties[f] * area;
          auto      terms   = interior_penalty<T>(in.x, out.x, in.y, -out.y, penalty);
          if (b >= 0)
            terms = interior_penalty_boundary<T>(
              arg.kinds[b], in.x, in.y, penalty, T(0), arg.robin[b] * area);
          sums[0] += terms.value;
#pragma unroll
          for (int m = 1; m < n_modes; ++m)
            sums[m] += terms.value * values[m];
          Vector along;
#pragma unroll
          for (int a = 0; a < dim; ++a)
            along[a] = block.fluxes[i][1 + a][thread];
          test(values, terms.flux, along);
        }
    }

    /// All that derivatives of test functions are multiplied with.
    __device__ __forceinline__ void
    add_derivatives()
    {
      sums[0] *= first_value;
      static_for<dim>([&](const auto a) {
        constexpr int direction = decltype(a)::value;
        of_derivatives[direction][0] *= first_value;
        for_entries<direction, degree>([&](const int row, const int column, const T entry) {
          sums[column] += entry * of_derivatives[direction][row];
        });
      });
    }

    __device__ __forceinline__ void
    store() const
    {
      if (thread >= n_present)
        return;
      const std::size_t at = position(element);
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
        {
          const Number base = arg.base != nullptr ? arg.base[at + m * mode_stride] : Number(0);
          arg.out[at + m * mode_stride] = base + arg.scale * sums[m];
        }
    }

    const LaplaceArguments<Number> &arg;
    const Table                    &table;
    const Table *const              in_memory;
    const int                       component;
    const int                       first;     ///< element of the block
    const int                       n_present; ///< elements of the block
    const int                       thread, element;
    Block                          &block;

    FaceRecord faces[n_faces];
    T          penalties[n_faces];
    Function   u;
    Map        map;
    /// What test functions and their derivatives are multiplied with.
    T sums[n_modes], of_derivatives[dim][n_gradient_modes];
  };

  template <typename Element, typename Number, int n_components>
  __global__ void
  __launch_bounds__(Element::n_threads, Element::min_blocks)
    mapped_laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg,
                          const __grid_constant__ typename Element::Table  table,
                          const typename Element::Table *__restrict__ in_memory)
  {
    extern __shared__ double2 mapped_shared[];
    Element(arg,
            table,
            in_memory,
            n_components == 1 ? 0 : blockIdx.y,
            *reinterpret_cast<typename Element::Block *>(mapped_shared))
      .run();
  }

  /// Launches MappedLaplace for one reference element.
  template <int dim, int degree, typename Number, int n_components>
  class MappedLaplaceLauncher
  {
    using Element = MappedLaplace<dim, degree, Number, n_components>;
    using Table   = typename Element::Table;
    using Block   = typename Element::Block;

    static constexpr auto kernel = mapped_laplace_kernel<Element, Number, n_components>;

  public:
    explicit MappedLaplaceLauncher(const ElementTables<Number> &host)
      : table(Element::make_table(host))
      , in_memory(static_cast<Table *>(CudaRuntime::allocate(sizeof(Table))))
    {
      CudaRuntime::copy_to_device(in_memory, &table, sizeof(Table));
      CudaRuntime::allow_shared_memory(kernel, sizeof(Block));
    }

    MappedLaplaceLauncher(const MappedLaplaceLauncher &) = delete;

    ~MappedLaplaceLauncher()
    {
      CudaRuntime::release(in_memory);
    }

    static bool
    takes(const LaplaceArguments<Number> &arg)
    {
      return Element::takes(arg);
    }

    static bool
    fits(const ElementTables<Number> &host)
    {
      return Element::fits(host);
    }

    void
    operator()(const LaplaceArguments<Number> &arg) const
    {
      const int  n = arg.mesh.end - arg.mesh.begin;
      const dim3 n_blocks((n + Element::n_threads - 1) / Element::n_threads, n_components);
      kernel<<<n_blocks, Element::n_threads, sizeof(Block), CudaRuntime::stream()>>>(arg,
                                                                                     table,
                                                                                     in_memory);
    }

  private:
    const Table  table;
    Table *const in_memory;
  };
} // namespace Saltus::CudaKernels

#endif
