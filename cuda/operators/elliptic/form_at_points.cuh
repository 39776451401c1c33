// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_form_at_points_cuh
#define saltus_cuda_operators_elliptic_form_at_points_cuh

// The form of ThreadLaplace, read where it is stored: see PointwiseForm.

#include <saltus/operators/elliptic/kernels/along_layout.h>
#include <saltus/operators/elliptic/kernels/coefficient_value.h>
#include <saltus/operators/elliptic/kernels/laplace_forms.h>

namespace Saltus::CudaKernels
{
  /// At a point of a face.
  template <int dim, typename T>
  struct FaceFlux
  {
    T             area;   ///< what the point counts for
    Array<T, dim> along;  ///< what the flux is combined of, times that
    T             across; ///< what the fluxes of Across are to be multiplied with
  };

  /// A form for any diffusion and any maps.
  template <int dim_, int degree_, typename Number_>
  class FormAtPoints
  {
  public:
    using Number = Number_;
    using Vector = Array<Number, dim_>;

    static constexpr int dim = dim_, degree = degree_, map_degree = degree_;

    /// Up to which degree the rule in the volume is exact.
    static constexpr int rule_degree = curved_form_degree(dim, degree, map_degree);

    /// Whether derivatives are those in reference coordinates, or those of DerivativeMatrix.
    static constexpr bool in_reference_directions = true;

    static constexpr ThreadLaplaceLaunch launch = thread_laplace_launch<dim>(degree, map_degree);

    static constexpr AlongLayout<dim>
    layout()
    {
      return {dim + 1,
              Simplex<dim - 1>::n_quadrature_points(2 * degree),
              along_in_groups(dim, degree)};
    }

    /// Let what load() reads of element @p e come into the cache.
    static __device__ __forceinline__ void
    prefetch(const LaplaceArguments<Number> & /*arg*/, const int /*e*/)
    {}

    __device__ __forceinline__ void
    load(const LaplaceArguments<Number> &arg, const int e)
    {
      const int i = e - arg.stored.first_block * block_size;
      lane        = i % block_size;
      volume      = arg.pointwise.volume + point_index(i, 0, n_volume_numbers, 1);
      areas       = arg.pointwise.areas + point_index(i, 0, n_face_points, 1);
      along       = arg.pointwise.along + layout().block(i);
    }

    /// At point @p q of face @p f.
    template <int f>
    __device__ __forceinline__ FaceFlux<dim, Number>
    on_face(const int q, const Number * /*values*/, const Number /*weight*/) const
    {
      FaceFlux<dim, Number> result;
      result.area = result.across = read(areas + (f * nf + q) * block_size);
#pragma unroll
      for (int r = 0; r < dim; ++r)
        result.along[r] = result.area * read(along + layout().place(lane, f, q, r));
      return result;
    }

    /// What derivatives of test functions are multiplied with at point @p q of the volume.
    __device__ __forceinline__ Vector
    in_volume(const int q,
              const Number * /*values*/,
              const Number /*weight*/,
              const Vector &derivatives) const
    {
      CoefficientValue<dim, Number> tensor;
#pragma unroll
      for (int j = 0; j < n_form; ++j)
        tensor[j] = read(volume + (q * n_form + j) * block_size);
      return symmetric_product<dim>(tensor, derivatives);
    }

    /// What point @p q of face @p f of element @p e counts for.
    static __device__ __forceinline__ Number
    area(const LaplaceArguments<Number> &arg, const int e, const int f, const int q)
    {
      return arg.pointwise
        .areas[point_index(e - arg.stored.first_block * block_size, f * nf + q, n_face_points, 1)];
    }

    /// What is across a face.
    class Across
    {
    public:
      /// @param f face of element @p e
      __device__ __forceinline__
      Across(const LaplaceArguments<Number> &arg, const FaceRecord &face, const int e, const int f)
        : held(arg.stored.holds(face.neighbor))
        , f(held ? face.face : f)
        , in_form((held ? face.neighbor : e) - arg.stored.first_block * block_size)
        , along(held ? arg.pointwise.along : arg.pointwise.along_across)
      {}

      /// The flux at point @p q, which is number @p there across.
      __device__ __forceinline__ Number
      flux(const int q,
           const int there,
           const Number * /*values*/,
           const Number * /*weights*/,
           const Vector &derivatives) const
      {
        // The neighbour's own numbers are also read for itself; its normal is the other one.
        Number result = Number(0);
#pragma unroll
        for (int r = 0; r < dim; ++r)
          result += along[layout()(in_form, f, held ? there : q, r)] * derivatives[r];
        return held ? -result : result;
      }

    private:
      const bool          held; ///< whether the neighbour's form is stored
      const int           f, in_form;
      const Number *const along;
    };

  private:
    static constexpr int n_form           = dim * (dim + 1) / 2;
    static constexpr int n_volume_numbers = n_form * Simplex<dim>::n_quadrature_points(rule_degree);
    static constexpr int nf               = Simplex<dim - 1>::n_quadrature_points(2 * degree);
    static constexpr int n_face_points    = (dim + 1) * nf; ///< of all faces

    /// Past the first-level cache, which other threads need more.
    static __device__ __forceinline__ Number
    read(const Number *from)
    {
      if constexpr (sizeof(Number) == sizeof(double))
        {
          double number;
          asm("ld.global.nc.L1::no_allocate.f64 %0,[%1];" : "=d"(number) : "l"(from));
          return number;
        }
      else
        return __ldg(from);
    }

    int           lane; ///< of the block of elements
    const Number *volume, *areas, *along;
  };
} // namespace Saltus::CudaKernels

#endif
