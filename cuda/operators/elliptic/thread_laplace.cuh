// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_thread_laplace_cuh
#define saltus_cuda_operators_elliptic_thread_laplace_cuh

// The Laplace operator on curved simplices with few modes, one thread an element. See
// LaplaceElement for the formulas. The form, by classes like FormAtPoints or FormOfMaps, is read or
// made of the elements' maps.
//
// Derivatives are those of DerivativeMatrix, from the middle of the vertices before to the next
// vertex, or in reference coordinates, as the form has them. They are found once as polynomials of
// one degree less, so that at a point all functions are sums of the same values of modes; what test
// functions' derivatives are multiplied with is summed over the points likewise.
//
// The threads of a block first leave the values of their elements at the points of all faces in
// shared memory, where neighbours find them. For neighbours elsewhere (far ones) values and fluxes
// are computed besides, by as many threads as there are such faces. Then all is done that needs the
// geometry; what the values of test functions are multiplied with is the difference of what the two
// sides know of it, so that the elements need not know the fluxes of their neighbours before.

#include <saltus/base/device/static_for.h>
#include <saltus/operators/elliptic/kernels/reference_directions.h>

#include <cuda/operators/elliptic/form_of_maps.cuh>
#include <cuda/operators/elliptic/modal_derivatives.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  template <typename Form, int n_components>
  class ThreadLaplace
  {
    using T = typename Form::Number;

    static constexpr int dim = Form::dim, degree = Form::degree;

    static constexpr int n_faces = dim + 1;
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    /// Of derivatives.
    static constexpr int n_gradient_modes = Simplex<dim>::n_modes(degree - 1);

    static constexpr int nv = Simplex<dim>::n_quadrature_points(Form::rule_degree);
    static constexpr int nf = Simplex<dim - 1>::n_quadrature_points(2 * degree); ///< of a face

    static constexpr ThreadLaplaceLaunch launch = Form::launch;

    static constexpr bool unrolls = launch.unrolls;

    /// Of directions, or coordinates in space.
    using Vector = Array<T, dim>;

  public:
    using Number = T;

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

    static_assert(sizeof(Block) == thread_laplace_bytes<dim, T>(degree, Form::map_degree));

    static void
    make_table(const ElementTables<Number> &from, Table &table)
    {
      copy(from.volume_values, nv * n_modes, table.values[0]);
      copy(from.face_values, n_faces * nf * n_modes, table.values[nv]);
      copy(from.volume_weights, nv, table.weights);
      copy(from.face_weights, nf, table.weights + nv);
    }

    /// @param in_memory the table, for what differs between threads
    __device__ __forceinline__
    ThreadLaplace(const LaplaceArguments<Number> &arg,
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
      // It comes into registers when those for far faces are free.
      Form::prefetch(arg, element);
      __syncthreads();
      set_far_traces();
      __syncthreads();
      u.load(*this, element);
      form.load(arg, element);
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
    static void
    copy(const Number *from, const int n, Number *to)
    {
      for (int i = 0; i < n; ++i)
        to[i] = from[i];
    }

    template <int n>
    static __device__ __forceinline__ Vector
    sum(const T *values, const T (&modes)[dim][n])
    {
      Vector result;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        result[d] = sum_of_modes(values, modes[d]);
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
      load(const ThreadLaplace &of, const int e)
      {
        const Number *from = of.arg.u + of.position(e);
#pragma unroll
        for (int m = 0; m < n_modes; ++m)
          modes[m] = from[m * mode_stride];
        static_for<dim>([&](const auto a) {
          differentiate<dim, degree, decltype(a)::value>(modes, derivatives[a.value]);
        });
        if constexpr (Form::in_reference_directions)
#pragma unroll
          for (int m = 0; m < n_gradient_modes; ++m)
            to_reference_directions<dim, T>([&](const int r) -> T & { return derivatives[r][m]; });
        modes[0] *= first_mode_value<dim, T>;
      }
    };

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
        block.values[i][thread] = sum_of_modes(table.values[nv + i], u.modes);
    }

    /// What numbers @p of the block are across a face of this element, at its points.
    class Across
    {
    public:
      __device__ __forceinline__
      Across(const ThreadLaplace &element, const FaceRecord &face, const T (*of)[n_threads])
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
          const int i        = f * nf + q;
          const T  *values   = table.values[nv + i];
          auto      flux     = form.template on_face<f>(q, values, table.weights[nv + q]);
          const T   in       = block.values[i][thread];
          const T   flux_in  = dot<dim>(flux.along, sum(values, u.derivatives));
          const T   flux_out = across.near ? T(0) : flux.across * block.terms[i][thread];
          auto      terms = interior_penalty<T>(in, across[q], flux_in, flux_out, half * flux.area);
          if (b >= 0)
            terms = interior_penalty_boundary<T>(
              arg.kinds[b], in, flux_in, half * flux.area, T(0), arg.robin[b] * flux.area);
          block.terms[i][thread] = terms.value;
#pragma unroll
          for (int a = 0; a < dim; ++a)
            flux.along[a] *= terms.flux;
          test(values, flux.along);
        }
    }

    __device__ __forceinline__ void
    add_volume()
    {
#pragma unroll(unrolls ? nv : 1)
      for (int q = 0; q < nv; ++q)
        {
          const T *values = table.values[q];
          test(values, form.in_volume(q, values, table.weights[q], sum(values, u.derivatives)));
        }
    }

    /// Add what derivatives of test functions are multiplied with at a point. With the first mode's
    /// value all is multiplied at last.
    __device__ __forceinline__ void
    test(const T *values, const Vector &flux)
    {
#pragma unroll
      for (int a = 0; a < dim; ++a)
        {
          of_derivatives[a][0] += flux[a];
#pragma unroll
          for (int k = 1; k < n_gradient_modes; ++k)
            of_derivatives[a][k] += values[k] * flux[a];
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
      Function         across;
      across.load(*this, face.neighbor);
      const typename Form::Across form_across(arg, face, first + of, f);
#pragma unroll(launch.unrolls_far ? nf : 1)
      for (int q = begin; q < nf; q += launch.n_far_threads)
        {
          const int i     = f * nf + q;
          const int there = arg.tables.face_permutations[face.orientation * nf + q];
          T         values[n_modes];
#pragma unroll
          for (int m = 0; m < n_modes; ++m)
            values[m] = __ldg(in_memory->values[nv + face.face * nf + there] + m);
          block.values[i][of] -= sum_of_modes(values, across.modes);
          block.terms[i][of] = form_across.flux(
            q, there, values, in_memory->weights + nv, sum(values, across.derivatives));
        }
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
      if constexpr (Form::in_reference_directions)
#pragma unroll
        for (int m = 0; m < n_gradient_modes; ++m)
          from_reference_directions<dim, T>(
            [&](const int r) -> T & { return of_derivatives[r][m]; });
      sums[0] *= first_mode_value<dim, T>;
      static_for<dim>([&](const auto a) {
        constexpr int direction = decltype(a)::value;
        of_derivatives[direction][0] *= first_mode_value<dim, T>;
        for_derivative_entries<dim, degree, direction, T>(
          [&](const int row, const int column, const T entry) {
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
    Form       form;
    /// What test functions and their derivatives are multiplied with.
    T sums[n_modes], of_derivatives[dim][n_gradient_modes];
  };
} // namespace Saltus::CudaKernels

#endif
