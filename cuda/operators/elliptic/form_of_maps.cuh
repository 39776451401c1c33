// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_form_of_maps_cuh
#define saltus_cuda_operators_elliptic_form_of_maps_cuh

// The form of ThreadLaplace, made of the maps of triangles: at the quadrature points it would be
// two or three times as many numbers to read.

#include <saltus/base/device/static_for.h>
#include <saltus/operators/elliptic/kernels/reference_directions.h>

#include <cuda/operators/elliptic/curved_point.cuh>
#include <cuda/operators/elliptic/form_at_points.cuh>
#include <cuda/operators/elliptic/modal_derivatives.cuh>
#include <cuda/operators/spaces/row.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  /// A form for diffusions that are one number in an element, of maps of one degree.
  template <int degree_, int map_degree_, typename Number_>
  class FormOfMaps
  {
  public:
    static constexpr int dim = 2, degree = degree_, map_degree = map_degree_;

    using Number = Number_;
    using Vector = Array<Number, dim>;

    static constexpr int rule_degree = curved_form_degree(dim, degree, map_degree);

    static constexpr bool in_reference_directions = false;

    static constexpr ThreadLaplaceLaunch launch = thread_laplace_launch<dim>(degree, map_degree);

    static __device__ __forceinline__ void
    prefetch(const LaplaceArguments<Number> &arg, const int e)
    {
      const Number *from = modes_of(arg, e);
#pragma unroll
      for (int m = 0; m < n_map_modes; ++m)
        CudaKernels::prefetch(from + m * block_size * dim);
    }

    __device__ __forceinline__ void
    load(const LaplaceArguments<Number> &arg, const int e)
    {
      const Number *from = modes_of(arg, e);
      Number        modes[dim][n_map_modes + 1]; // the constant one has no derivatives
#pragma unroll
      for (int m = 0; m < n_map_modes; ++m)
        {
          const auto row = Row<dim, Number>::read(from + m * block_size * dim);
#pragma unroll
          for (int d = 0; d < dim; ++d)
            modes[d][m + 1] = row.values[d].v;
        }
      static_for<dim>([&](const auto a) {
#pragma unroll
        for (int d = 0; d < dim; ++d)
          differentiate<dim, map_degree, decltype(a)::value>(modes[d], tangents[a.value][d]);
      });
      diffusion =
        arg.diffusion.volume == nullptr ? arg.diffusion.constant : arg.diffusion.volume[e];
    }

    template <int f>
    __device__ __forceinline__ FaceFlux<dim, Number>
    on_face(const int /*q*/, const Number *values, const Number weight) const
    {
      return flux(values, weight, opposite_vertex(f));
    }

    __device__ __forceinline__ Vector
    in_volume(const int /*q*/,
              const Number *values,
              const Number  weight,
              const Vector &derivatives) const
    {
      const auto   at     = curved_point(values);
      const Number factor = weight * diffusion * at.inverse;
      Vector       result = at.flux(derivatives);
#pragma unroll
      for (int a = 0; a < dim; ++a)
        result[a] = factor * result[a];
      return result;
    }

    class Across;

  private:
    /// Of maps: all modes but the constant.
    static constexpr int n_map_modes = Simplex<dim>::n_modes(map_degree) - 1;
    /// Of derivatives of maps.
    static constexpr int n_tangent_modes = Simplex<dim>::n_modes(map_degree - 1);

    /// The flux across face @p f of element @p e from a neighbour whose map is not stored, at point
    /// @p q, times what that counts for.
    static __device__ __noinline__ Number
    stored_flux(const LaplaceArguments<Number> &arg,
                const FaceRecord                face,
                const int                       e,
                const int                       f,
                const int                       q,
                Vector                          derivatives)
    {
      using Stored = FormAtPoints<dim, degree, Number>;
      to_reference_directions<dim, Number>([&](const int r) -> Number & { return derivatives[r]; });
      const typename Stored::Across across(arg, face, e, f);
      return Stored::area(arg, e, f, q) * across.flux(q, q, nullptr, nullptr, derivatives);
    }

    /// The first mode of element @p e, which the stored blocks hold.
    static __device__ __forceinline__ const Number *
    modes_of(const LaplaceArguments<Number> &arg, const int e)
    {
      return arg.pointwise.map_modes +
             point_index(e - arg.stored.first_block * block_size, 0, n_map_modes, dim);
    }

    __device__ __forceinline__ CurvedPoint<Number>
                               curved_point(const Number *values) const
    {
      Vector x[dim];
#pragma unroll
      for (int a = 0; a < dim; ++a)
#pragma unroll
        for (int d = 0; d < dim; ++d)
          x[a][d] = sum_of_modes(values, tangents[a][d]);
      return CurvedPoint<Number>(x);
    }

    /// The outward normal of the face opposite vertex @p opposite, as long as the face's area, in
    /// direction @p a: all vertices before the end of the direction share its begin.
    static constexpr Number
    normal(const int opposite, const int a)
    {
      return opposite == a + 1 ? Number(-1) : opposite <= a ? Number(1) / Number(a + 1) : Number(0);
    }

    /// The product of a normal and a vector @p x; no zeros are added.
    template <typename X>
    static __device__ __forceinline__ Number
    times_normal(const int opposite, const X &x)
    {
      Number result = Number(0);
      bool   begun  = false;
#pragma unroll
      for (int a = 0; a < dim; ++a)
        if (const Number share = normal(opposite, a); share != Number(0))
          {
            result = begun ? result + share * x(a) : share * x(a);
            begun  = true;
          }
      return result;
    }

    /// The number of the vertex opposite face @p f.
    static constexpr int
    opposite_vertex(const int f)
    {
      return (f + 2) % 3;
    }

    __device__ __forceinline__ FaceFlux<dim, Number>
    flux(const Number *values, const Number weight, const int opposite) const
    {
      const auto            at     = curved_point(values);
      const Number          factor = weight * diffusion * at.inverse;
      FaceFlux<dim, Number> result;
      Vector                normal;
      Number                inverse;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        normal[d] = times_normal(opposite, [&](const int a) { return at.gradients[a][d]; });
      result.area = weight * quick_root(dot<dim>(normal, normal), inverse);
#pragma unroll
      for (int d = 0; d < dim; ++d)
        normal[d] = factor * normal[d];
#pragma unroll
      for (int a = 0; a < dim; ++a)
        result.along[a] = dot<dim>(at.gradients[a], normal);
      result.across = Number(1);
      return result;
    }

    Number tangents[dim][dim][n_tangent_modes]; ///< `[direction][d]`
    Number diffusion;
  };

  template <int degree_, int map_degree_, typename Number_>
  class FormOfMaps<degree_, map_degree_, Number_>::Across
  {
  public:
    __device__ __forceinline__
    Across(const LaplaceArguments<Number> &arg, const FaceRecord &face, const int e, const int f)
      : arg(arg)
      , face(face)
      , e(e)
      , f(f)
      , held(arg.stored.holds(face.neighbor))
    {
      if (held)
        form.load(arg, face.neighbor);
    }

    __device__ __forceinline__ Number
    flux(const int     q,
         const int     there,
         const Number *values,
         const Number *weights,
         const Vector &derivatives) const
    {
      if (!held)
        return stored_flux(arg, face, e, f, q, derivatives);
      const auto here = form.flux(values, __ldg(weights + there), opposite_vertex(face.face));
      return -dot<dim>(here.along, derivatives);
    }

  private:
    const LaplaceArguments<Number> &arg;
    const FaceRecord                face;
    const int                       e, f;
    const bool                      held;
    FormOfMaps                      form;
  };
} // namespace Saltus::CudaKernels

#endif
