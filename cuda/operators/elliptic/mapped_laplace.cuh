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
// The threads of a block first leave the values of their elements at the points of all faces in
// shared memory, where neighbours find them. For neighbours elsewhere (far ones) values and fluxes
// are computed besides, by as many threads as there are such faces. Then all is done that needs the
// geometry; what the values of test functions are multiplied with is the difference of what the two
// sides know of it, so that the elements need not know the fluxes of their neighbours before.

#include <saltus/base/device/static_for.h>
#include <saltus/fe/sparse_modal_tables.h>
#include <saltus/operators/elliptic/kernels/laplace_launcher.h>

#include <algorithm>
#include <cmath>
#include <cuda/base/device/context.cuh>
#include <cuda/base/device/device_numbers.cuh>
#include <cuda/operators/elliptic/curved_point.cuh>
#include <cuda/operators/spaces/row.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  struct MappedLaplaceLaunch
  {
    int  n_threads;     ///< of a block, which are its elements
    int  min_blocks;    ///< on a multiprocessor: bounds the registers of a thread
    int  n_far_threads; ///< that share the work on a far face
    bool unrolls;       ///< loops over points
  };

  /// Measured on an H100: what spills registers is slow.
  template <int dim, int degree, int map_degree>
  constexpr MappedLaplaceLaunch
  mapped_laplace_launch()
  {
    if constexpr (dim == 3)
      return {192, 2, 1, degree == 1};
    else if constexpr (degree == 1)
      return {128, 5, 2, true};
    else if constexpr (map_degree == 2)
      return {256, 2, 3, true};
    else if constexpr (degree == 2)
      return {128, 3, 3, true};
    else
      return {192, 2, 2, true};
  }

  /// @tparam map_degree of the elements' maps
  template <int dim, int degree, int map_degree, typename Number, int n_components>
  class MappedLaplace
  {
    using T = Number;

    static constexpr int n_faces = dim + 1;
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    /// Of derivatives.
    static constexpr int n_gradient_modes = Simplex<dim>::n_modes(degree - 1);
    /// Of maps: all modes but the constant.
    static constexpr int n_map_modes = Simplex<dim>::n_modes(map_degree) - 1;
    /// Of derivatives of maps.
    static constexpr int n_tangent_modes = Simplex<dim>::n_modes(map_degree - 1);

    static constexpr int nv =
      Simplex<dim>::n_quadrature_points(curved_form_degree(dim, degree, map_degree));
    static constexpr int nf = Simplex<dim - 1>::n_quadrature_points(2 * degree); ///< of a face

    static constexpr MappedLaplaceLaunch launch = mapped_laplace_launch<dim, degree, map_degree>();

    static constexpr bool unrolls = launch.unrolls;

    /// Of directions, or coordinates in space.
    using Vector = Array<T, dim>;

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
      T values[n_faces * nf][n_threads]; ///< on far faces their jumps
      /// What test functions are multiplied with, as far as it is known from this side. Before it
      /// is, on far faces: the fluxes from across.
      T              terms[n_faces * nf][n_threads];
      T              nothing; ///< a value, or a term
      FaceRecord     faces[n_faces][n_threads];
      unsigned short far[n_faces * n_threads]; ///< faces with neighbours elsewhere
      int            n_far;
    };

    static bool
    takes(const LaplaceArguments<Number> &arg)
    {
      return arg.pointwise.map_modes != nullptr && arg.is_whole() &&
             mapped_laplace_degree(degree, arg.map_degree) == map_degree &&
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
          block.nothing = T(0);
        }
      __syncthreads();
      read_faces();
      set_values();
      find_far_faces();
      // Its modes come into registers when those for far faces are free.
      Map::prefetch(*this, element);
      __syncthreads();
      set_far_traces();
      __syncthreads();
      u.load(*this, element);
      map.load(*this, element);
#pragma unroll
      for (int a = 0; a < dim; ++a)
        set_zero(of_derivatives[a]);
      static_for<n_faces>([&](const auto f) { set_terms<f.value>(); });
      add_volume();
      __syncthreads();
      add_terms();
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
    /// @param modes the first one already times its value
    template <int n>
    static __device__ __forceinline__ T
    sum(const T *values, const T (&modes)[n])
    {
      T result = modes[0];
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

    /// The solution in an element, its first modes times their value.
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
          derivatives[direction][0] *= first_value;
        });
        modes[0] *= first_value;
      }
    };

    /// The map of an element, likewise.
    struct Map
    {
      T derivatives[dim][dim][n_tangent_modes]; ///< `[direction][d]`
      T diffusion;

      /// The first mode of element @p e, which the stored blocks hold.
      static __device__ __forceinline__ const Number *
      modes_of(const LaplaceArguments<Number> &arg, const int e)
      {
        return arg.pointwise.map_modes +
               point_index(e - arg.stored.first_block * block_size, 0, n_map_modes, dim);
      }

      /// Into the cache.
      static __device__ __forceinline__ void
      prefetch(const MappedLaplace &of, const int e)
      {
        const Number *from = modes_of(of.arg, e);
#pragma unroll
        for (int m = 0; m < n_map_modes; ++m)
          CudaKernels::prefetch(from + m * block_size * dim);
      }

      __device__ __forceinline__ void
      load(const MappedLaplace &of, const int e)
      {
        const LaplaceArguments<Number> &arg  = of.arg;
        const Number                   *from = modes_of(arg, e);
        T                               modes[dim][n_map_modes];
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
          for_entries<direction, map_degree>([&](const int row, const int column, const T entry) {
#pragma unroll
            for (int d = 0; d < dim; ++d)
              derivatives[direction][d][row] += entry * modes[d][column - 1];
          });
#pragma unroll
          for (int d = 0; d < dim; ++d)
            derivatives[direction][d][0] *= first_value;
        });
        diffusion =
          arg.diffusion.volume == nullptr ? arg.diffusion.constant : arg.diffusion.volume[e];
      }
    };

    static __device__ __forceinline__ auto
    curved_point(const T *values, const Map &map)
    {
      Vector x[dim];
#pragma unroll
      for (int a = 0; a < dim; ++a)
        x[a] = sum(values, map.derivatives[a]);
      return CurvedPoint<dim, T>(x);
    }

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

      /// @param weight of the point
      __device__ __forceinline__
      Flux(const T *values, const T weight, const Map &map, const int opposite)
      {
        const CurvedPoint<dim, T> at     = curved_point(values, map);
        const T                   factor = weight * map.diffusion * at.inverse;
        Vector                    normal;
        T                         inverse;
#pragma unroll
        for (int d = 0; d < dim; ++d)
          normal[d] = times_normal(opposite, [&](const int a) { return at.gradients[a][d]; });
        area = weight * quick_root(dot<dim>(normal, normal), inverse);
#pragma unroll
        for (int d = 0; d < dim; ++d)
          normal[d] = factor * normal[d];
#pragma unroll
        for (int a = 0; a < dim; ++a)
          along[a] = dot<dim>(at.gradients[a], normal);
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

    __device__ __forceinline__ void
    set_values() const
    {
      Function u;
      u.load(*this, element);
#pragma unroll
      for (int i = 0; i < n_faces * nf; ++i)
        block.values[i][thread] = sum(table.values[nv + i], u.modes);
    }

    /// What numbers @p of the block are across a face of this element, at its points.
    class Across
    {
    public:
      __device__ __forceinline__
      Across(const MappedLaplace &element, const FaceRecord &face, const T (*of)[n_threads])
        : near(element.is_near(face))
        , numbers(near ? &of[face.face * nf][face.neighbor - element.first]
                       : &element.block.nothing)
        , points(element.arg.tables.face_permutations + (near ? face.orientation * nf : 0))
      {}

      __device__ __forceinline__ T
      operator[](const int q) const
      {
        return numbers[near ? points[q] * n_threads : 0];
      }

      const bool near;

    private:
      const T *const         numbers; ///< or nothing
      const FacePoint *const points;
    };

    /// At the points of face @p f: what test functions are multiplied with, and their derivatives.
    template <int f>
    __device__ __forceinline__ void
    set_terms()
    {
      const Across across(*this, faces[f], block.values);
      const int    b = faces[f].boundary_face();
      // A penalty is borne by the two sides that know the jump.
      const T half = penalties[f] * (across.near ? T(0.5) : T(1));
#pragma unroll(unrolls ? nf : 1)
      for (int q = 0; q < nf; ++q)
        {
          const int  i      = f * nf + q;
          const T   *values = table.values[nv + i];
          const Flux flux(values, table.weights[nv + q], map, opposite_vertex(f));
          const T    in       = block.values[i][thread];
          const T    flux_in  = dot<dim>(flux.along, sum(values, u.derivatives));
          const T    flux_out = across.near ? T(0) : block.terms[i][thread];
          auto terms = interior_penalty<T>(in, across[q], flux_in, flux_out, half * flux.area);
          if (b >= 0)
            terms = interior_penalty_boundary<T>(
              arg.kinds[b], in, flux_in, half * flux.area, T(0), arg.robin[b] * flux.area);
          block.terms[i][thread] = terms.value;
          test(values, terms.flux, flux.along);
        }
    }

    __device__ __forceinline__ void
    add_volume()
    {
#pragma unroll(unrolls ? nv : 1)
      for (int q = 0; q < nv; ++q)
        {
          const T                  *values = table.values[q];
          const CurvedPoint<dim, T> at     = curved_point(values, map);
          const T                   factor = table.weights[q] * map.diffusion * at.inverse;
          test(values, factor, at.flux(sum(values, u.derivatives)));
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

    /// Find jumps and fluxes from across for the block's far faces. Of one there are some points a
    /// thread.
    __device__ __forceinline__ void
    set_far_traces() const
    {
      constexpr int n = launch.n_far_threads;
      for (int i = thread; i < block.n_far * n; i += n_threads)
        set_far_traces(block.far[i / n] / n_threads, block.far[i / n] % n_threads, i % n);
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
      for (int q = begin; q < nf; q += launch.n_far_threads)
        {
          const int i     = f * nf + q;
          const int there = arg.tables.face_permutations[face.orientation * nf + q];
          T         values[n_modes];
#pragma unroll
          for (int m = 0; m < n_modes; ++m)
            values[m] = __ldg(in_memory->values[nv + face.face * nf + there] + m);
          const Vector gradient = sum(values, across.derivatives);
          block.values[i][of] -= sum(values, across.modes);
          if (held)
            {
              const T    weight = __ldg(in_memory->weights + nv + there);
              const Flux flux(values, weight, map_across, opposite_vertex(face.face));
              block.terms[i][of] = -dot<dim>(flux.along, gradient);
            }
          else
            block.terms[i][of] = flux_from_affine(arg, first + of, i, gradient);
        }
    }

    /// The flux from a neighbour whose map is not stored, at point @p i of the faces of element
    /// @p e.
    static __device__ __noinline__ T
    flux_from_affine(const LaplaceArguments<Number> &arg,
                     const int                       e,
                     const int                       i,
                     const Vector                    derivatives)
    {
      const int     stored = e - arg.stored.first_block * block_size;
      const Number *along =
        arg.pointwise.along_across + point_index(stored, i * dim, n_faces * nf * dim, 1);
      T flux = T(0), before = T(0);
#pragma unroll
      for (int r = 0; r < dim; ++r)
        {
          // That in reference direction r: vertex 0 may be farther than the direction's begin.
          const T derivative = derivatives[r] + before;
          flux += along[r * block_size] * derivative;
          before = (T(r + 1) * before + derivative) / T(r + 2);
        }
      return arg.pointwise.areas[point_index(stored, i, n_faces * nf, 1)] * flux;
    }

    __device__ __forceinline__ void
    add_terms()
    {
      set_zero(sums);
      static_for<n_faces>([&](const auto f) {
        const Across across(*this, faces[f.value], block.terms);
#pragma unroll
        for (int q = 0; q < nf; ++q)
          {
            const int i    = f.value * nf + q;
            const T   term = block.terms[i][thread] - across[q];
            sums[0] += term;
#pragma unroll
            for (int m = 1; m < n_modes; ++m)
              sums[m] += term * table.values[nv + i][m];
          }
      });
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

  /// In place of a launcher that is not compiled.
  template <typename Number>
  struct NoLauncher
  {
    explicit NoLauncher(const ElementTables<Number> &)
    {}

    static bool
    fits(const ElementTables<Number> &)
    {
      return false;
    }

    static bool
    takes(const LaplaceArguments<Number> &)
    {
      return false;
    }

    void
    operator()(const LaplaceArguments<Number> &) const
    {}
  };

  /// Launches MappedLaplace for one reference element.
  template <int dim, int degree, int map_degree, typename Number, int n_components>
  class MappedLaplaceLauncher
  {
    using Element = MappedLaplace<dim, degree, map_degree, Number, n_components>;
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
