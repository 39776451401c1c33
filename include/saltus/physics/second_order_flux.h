// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_second_order_flux_h
#define saltus_physics_second_order_flux_h

#include <saltus/base/algebra/array.h>

#include <type_traits>

namespace Saltus
{
  /// Whether a law may have a second-order flux, \f$ \partial_t u + \nabla\cdot F(u) =
  /// \nabla\cdot F_v(u, \nabla u) \f$ with \f$ F_v \f$ linear in the gradient. Such a law has the
  /// members
  /// \code
  /// bool has_second_order_flux() const; // whether it is not zero
  /// // what it needs that is the same everywhere, and of a state, in structs of the law's
  /// template <typename T> Diffusion<T> diffusion() const;
  /// template <bool varies, typename T> Medium<T> medium(u, diffusion) const;
  /// bool diffusion_varies() const; // whether coefficients depend on u; if not, varies may be
  /// false
  /// // F_v . n; n need not have unit length, and the gradient is a StateGradient
  /// template <typename T> State<T> second_order_flux(medium, gradient, n) const;
  /// // the largest eigenvalue of F_v as a function of the gradient in one direction
  /// template <typename T> T diffusivity(u) const;
  /// // at the boundary: the state at which it is taken, from which the state inside may not
  /// // differ - where the state is not given, that is the state inside -, and what of it passes
  /// template <typename T> State<T> diffusive_boundary_state(kind, inside, data) const;
  /// template <typename T> State<T> diffusive_boundary_flux(kind, data, flux, n) const;
  /// // if components before this one have no second-order flux
  /// static constexpr int first_diffusive = 1;
  /// \endcode
  template <typename Law, typename = void>
  struct HasSecondOrderFlux : std::false_type
  {
    static bool
    of(const Law & /*law*/)
    {
      return false;
    }
  };

  template <typename Law>
  struct HasSecondOrderFlux<Law, std::void_t<decltype(&Law::has_second_order_flux)>>
    : std::true_type
  {
    static bool
    of(const Law &law)
    {
      return law.has_second_order_flux();
    }
  };

  /// Whether a law with a second-order flux has it also in forms that leave little to do at a point
  /// if the gradient is the same at many. GPUs are faster then; see Euler for
  /// \code
  /// // F_v in all directions `[d]`, of a gradient `[d]`
  /// template <typename T> Array<State<T>, dim> second_order_fluxes(medium, gradient) const;
  /// // what F_v . n needs of a gradient, with the member along, grad u . n
  /// template <typename T> struct NormalGradient;
  /// template <typename T> static NormalGradient<T> normal_gradient(gradient, n);
  /// template <typename T> static void add_jump(alpha, a, n, NormalGradient<T> &to);
  /// template <typename T> State<T> second_order_flux(medium, NormalGradient<T>, n) const;
  /// // F_v of a (x) n as 2 dim + 1 numbers, Array<T, 2 * dim + 1>, and its part in a direction m
  /// template <typename T> JumpFlux<T> jump_flux(medium, a, n) const;
  /// template <typename T> static State<T> part_along(JumpFlux<T>, n, m);
  /// // F_v . n of a FaceGradient, and F_v of a (x) n in a direction t that is perpendicular to n
  /// template <typename T, int n_tangents> State<T> normal_flux(medium, FaceGradient, n) const;
  /// template <typename T> State<T> tangential_flux(medium, a, n, t) const;
  /// \endcode
  template <typename Law, typename = void>
  struct HasNormalGradient : std::false_type
  {};

  template <typename Law>
  struct HasNormalGradient<Law, std::void_t<typename Law::template NormalGradient<double>>>
    : std::true_type
  {};

  template <typename Law, typename = void>
  struct FirstDiffusive : std::integral_constant<int, 0>
  {};

  /// See HasSecondOrderFlux.
  template <typename Law>
  struct FirstDiffusive<Law, std::void_t<decltype(Law::first_diffusive)>>
    : std::integral_constant<int, Law::first_diffusive>
  {};

  /// The gradient of a state as a sum of products, \f$ \partial_d u_c = \sum_k b_{kd} x_{kc} \f$:
  /// of derivatives x in reference directions with the gradients b of the reference coordinates,
  /// or, with one product, of a jump with a normal.
  template <typename T, int dim, int n_components, int n_products = dim>
  struct StateGradient
  {
    Array<Array<T, dim>, n_products>          directions;  ///< b
    Array<Array<T, n_components>, n_products> derivatives; ///< x
  };

  /// The gradient of a state at a face with the normal n as \f$ \sum_k t_k \otimes a_k + n \otimes
  /// c \f$, the directions t along the face being perpendicular to n.
  template <typename T, int dim, int n_components, int n_tangents = dim - 1>
  struct FaceGradient
  {
    Array<Array<T, dim>, n_tangents>          tangents;    ///< t
    Array<Array<T, n_components>, n_tangents> derivatives; ///< a
    Array<T, n_components>                    across;      ///< c
  };

  /// \f$ \nabla u \cdot n \f$
  template <typename T, int dim, int n_components, int n_products>
  SALTUS_HOST_DEVICE
  Array<T, n_components>
  along(const StateGradient<T, dim, n_components, n_products> &gradient, const Array<T, dim> &n)
  {
    Array<T, n_components> result;
    SALTUS_UNROLL
    for (int k = 0; k < n_products; ++k)
      {
        const T part = dot<dim>(gradient.directions[k], n);
        SALTUS_UNROLL
        for (int c = 0; c < n_components; ++c)
          {
            const T product = part * gradient.derivatives[k][c];
            result[c]       = k == 0 ? product : result[c] + product;
          }
      }
    return result;
  }

  /// Viscosity that spreads shocks over an element (Persson and Peraire, AIAA 2006-112): \f$ F_v =
  /// \varepsilon \nabla u \f$ with, in each element, \f[ \varepsilon = \varepsilon_0
  /// \frac{h}{p} \lambda \cdot \frac12 \Big(1 + \sin\frac{\pi (s - s_0)}{2 \kappa}\Big), \quad s =
  /// \log_{10} \frac{\|u - \hat u\|^2}{\|u\|^2}, \quad s_0 = -4 \log_{10} p - 1, \f] where the sine
  /// is -1 below \f$ s_0 - \kappa \f$ and 1 above \f$ s_0 + \kappa \f$. \f$ \hat u \f$ is the first
  /// component without its modes of degree p, h the diameter of the ball that the element would
  /// have inscribed with its volume and surface, \f$ \lambda \f$ the mean over the faces of the
  /// largest wave speed. Or these are the numbers that vertices choose from: see `continuous`.
  struct ArtificialViscosity
  {
    double strength = 0.;  ///< \f$ \varepsilon_0 \f$; 0: none
    double width    = 1.;  ///< \f$ \kappa \f$
    double shift    = -1.; ///< added to \f$ s_0 \f$
    /// Whether \f$ \varepsilon \f$ is the continuous function that has at each vertex the largest
    /// of the numbers of the elements around it, and is linear, bilinear or trilinear in between:
    /// it does not jump where a shock leaves an element (as in G. Barter and D. Darmofal,
    /// J. Comput. Phys. 229, 2010, who let it diffuse).
    bool continuous = false;

    /// The factor with the sine, for @p ratio, which is \f$ 10^s \f$, and the degree @p p.
    SALTUS_HOST_DEVICE
    double
    part(const double ratio, const int p) const
    {
      constexpr double half_pi  = 1.57079632679489661923;
      const double     above    = ::log10(ratio) + 4. * ::log10(double(p)) - shift;
      const double     relative = above / width;
      return relative <= -1. ? 0. : relative >= 1. ? 1. : 0.5 * (1. + ::sin(half_pi * relative));
    }
  };
} // namespace Saltus

#endif
