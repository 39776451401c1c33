// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_physics_euler_h
#define saltus_physics_euler_h

#include <saltus/base/algebra/array.h>
#include <saltus/physics/boundary_kind.h>
#include <saltus/physics/gas_side.h>
#include <saltus/physics/gas_transport.h>
#include <saltus/physics/hllc.h>
#include <saltus/physics/hybrid_flux.h>
#include <saltus/physics/second_order_flux.h>

namespace Saltus
{
  /// Numerical fluxes of a gas.
  enum class RiemannSolver : unsigned char
  {
    lax_friedrichs, ///< gas_lax_friedrichs_flux()
    hllc,           ///< hllc_flux()
    hybrid          ///< hybrid_flux()
  };

  /// Names that depend on the dimension only.
  template <int dim>
  struct EulerNames;

  template <>
  struct EulerNames<2>
  {
    static constexpr const char *conserved_names[] = {"density", "momentum", "momentum", "energy"};
    static constexpr const char *primitive_names[] = {"density",
                                                      "velocity",
                                                      "velocity",
                                                      "pressure"};
    static constexpr const char *derived_names[]   = {"velocity",
                                                      "velocity",
                                                      "pressure",
                                                      "Mach_number"};
  };

  template <>
  struct EulerNames<3>
  {
    static constexpr const char *conserved_names[] = {"density",
                                                      "momentum",
                                                      "momentum",
                                                      "momentum",
                                                      "energy"};
    static constexpr const char *primitive_names[] = {"density",
                                                      "velocity",
                                                      "velocity",
                                                      "velocity",
                                                      "pressure"};
    static constexpr const char *derived_names[]   = {"velocity",
                                                      "velocity",
                                                      "velocity",
                                                      "pressure",
                                                      "Mach_number"};
  };

  /// Compressible Euler equations of an ideal gas (Fuhry, Giuliani and Krivodonova, equations 20
  /// and 21); where `transport` has a viscosity, the Navier-Stokes equations with Stokes'
  /// hypothesis and Fourier's law. Conserved variables: density, momentum (dim), total energy per
  /// volume; primitive variables: density, velocity (dim), pressure. Names repeated in the lists
  /// form a vector. The members are those of Advection, the model of a conservation law.
  template <int dim>
  struct Euler : public EulerNames<dim>
  {
    static constexpr int dimension    = dim;
    static constexpr int n_components = dim + 2;
    static constexpr int n_fields     = 0;
    static constexpr int n_derived    = dim + 2;
    static constexpr int n_positive   = 2;

    static constexpr const char *name = "Euler";

    template <typename T>
    using State = Array<T, n_components>;
    template <typename T>
    using Field = Array<T, n_fields>;

    using RiemannSolver = Saltus::RiemannSolver;

    double        gamma          = 1.4; ///< ratio of specific heats
    RiemannSolver riemann_solver = RiemannSolver::hllc;
    GasTransport  transport; ///< viscosity and heat conduction

    template <typename T>
    SALTUS_HOST_DEVICE
    T
    pressure(const State<T> &u) const
    {
      return pressure(u, T(1) / u[0]);
    }

    /// The same for callers who know the inverse density.
    template <typename T>
    SALTUS_HOST_DEVICE
    T
    pressure(const State<T> &u, const T &inverse_density) const
    {
      T m2 = u[1] * u[1];
      for (int d = 1; d < dim; ++d)
        m2 = m2 + u[1 + d] * u[1 + d];
      return T(gamma - 1.) * (u[dim + 1] - T(0.5) * m2 * inverse_density);
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    flux(const State<T> &u, const Field<T> & /*field*/, const Array<T, dim> &n) const
    {
      T momentum = u[1] * n[0];
      for (int d = 1; d < dim; ++d)
        momentum = momentum + u[1 + d] * n[d];
      const T inverse  = T(1) / u[0];
      const T velocity = momentum * inverse;
      const T p        = pressure(u, inverse);

      State<T> f;
      f[0] = momentum;
      for (int d = 0; d < dim; ++d)
        f[1 + d] = u[1 + d] * velocity + p * n[d];
      f[dim + 1] = (u[dim + 1] + p) * velocity;
      return f;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    numerical_flux(const State<T>      &inside,
                   const State<T>      &outside,
                   const Field<T>      &field,
                   const Array<T, dim> &n) const
    {
      switch (riemann_solver)
        {
          case RiemannSolver::lax_friedrichs:
            return numbered_flux<int(RiemannSolver::lax_friedrichs)>(inside, outside, field, n);
          case RiemannSolver::hllc:
            return numbered_flux<int(RiemannSolver::hllc)>(inside, outside, field, n);
          default:
            return numbered_flux<int(RiemannSolver::hybrid)>(inside, outside, field, n);
        }
    }

    /// @name The Riemann solvers by number, see NumericalFluxes
    /// @{
    static constexpr int n_numerical_fluxes = 3;

    int
    numerical_flux_number() const
    {
      return static_cast<int>(riemann_solver);
    }

    template <int number, typename T>
    SALTUS_HOST_DEVICE
    State<T>
    numbered_flux(const State<T> &inside,
                  const State<T> &outside,
                  const Field<T> & /*field*/,
                  const Array<T, dim> &n) const
    {
      const GasSide<T> l = gas_side(*this, inside, n), r = gas_side(*this, outside, n);
      if constexpr (number == static_cast<int>(RiemannSolver::lax_friedrichs))
        return gas_lax_friedrichs_flux(inside, outside, n, l, r);
      else if constexpr (number == static_cast<int>(RiemannSolver::hllc))
        return hllc_flux(*this, inside, outside, n, l, r);
      else
        return hybrid_flux(*this, inside, outside, n, l, r);
    }
    /// @}

    /// \f$ |v\cdot n| + c \f$.
    template <typename T>
    SALTUS_HOST_DEVICE
    T
    wave_speed(const State<T> &u, const Field<T> & /*field*/, const Array<T, dim> &n) const
    {
      const GasSide<T> side = gas_side(*this, u, n);
      return abs(side.velocity) + side.sound_speed;
    }

    /// Density and pressure.
    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_positive>
    positive(const State<T> &u) const
    {
      return {{u[0], pressure(u)}};
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    auto
    admissible(const State<T> &u) const
    {
      // min() would drop a NaN of its first argument; two comparisons do not.
      const Array<T, n_positive> quantities = positive(u);
      return (quantities[0] > T(0)) & (quantities[1] > T(0));
    }

    static constexpr bool
    supports(const BoundaryKind)
    {
      return true;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    boundary_state(const BoundaryKind   kind,
                   const State<T>      &inside,
                   const State<T>      &data,
                   const Array<T, dim> &n) const
    {
      switch (kind)
        {
          case BoundaryKind::prescribed:
            return data;
          case BoundaryKind::wall:
            return reflect(inside, n);
          case BoundaryKind::far_field:
            return far_field(inside, data, n);
          case BoundaryKind::pressure_outlet:
            return pressure_outlet(inside, data[0], n);
          case BoundaryKind::total_pressure_inlet:
            return total_pressure_inlet(inside, data, n);
          case BoundaryKind::no_slip_wall:
          case BoundaryKind::isothermal_wall:
            return turn_back(inside, wall_velocity(kind, data), n);
          default:
            return inside;
        }
    }

    /// @name Viscosity and heat conduction, see HasSecondOrderFlux
    /// @{
    static constexpr int first_diffusive = 1;

    bool
    has_second_order_flux() const
    {
      return transport.viscosity > 0.;
    }

    /// What the second-order flux needs of the gas.
    template <typename T>
    struct Diffusion
    {
      T of_energy;  ///< \f$ \gamma - 1 \f$
      T conduction; ///< \f$ \gamma / \text{Pr} \f$
    };

    template <typename T>
    SALTUS_HOST_DEVICE
    Diffusion<T>
    diffusion() const
    {
      return {T(gamma - 1.), T(gamma) / T(transport.prandtl)};
    }

    /// What it needs of a state.
    template <typename T>
    struct Medium : public Diffusion<T>
    {
      Array<T, dim> velocity;
      T             energy;    ///< of a unit of mass
      T             viscosity; ///< over the density
    };

    /// Whether the viscosity depends on the temperature.
    bool
    diffusion_varies() const
    {
      return transport.law != ViscosityLaw::constant;
    }

    template <bool varies = true, typename T>
    SALTUS_HOST_DEVICE
    Medium<T>
    medium(const State<T> &u, const Diffusion<T> &gas) const
    {
      const T   inverse = T(1) / u[0];
      Medium<T> result{gas, {}, {}, {}};
      for (int i = 0; i < dim; ++i)
        result.velocity[i] = u[1 + i] * inverse;
      result.energy = u[dim + 1] * inverse;
      T viscosity   = T(transport.viscosity);
      if constexpr (varies)
        viscosity = transport.viscosity_at(
          gas.of_energy * (result.energy - T(0.5) * dot<dim>(result.velocity, result.velocity)));
      result.viscosity = viscosity * inverse;
      return result;
    }

    /// What derivatives of the velocity are, times the density.
    template <typename T>
    SALTUS_HOST_DEVICE
    static Array<T, dim>
    of_velocity(const Medium<T> &at, const State<T> &derivatives)
    {
      Array<T, dim> result;
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        result[i] = derivatives[1 + i] - at.velocity[i] * derivatives[0];
      return result;
    }

    /// \f$ (0, \tau n, v\cdot\tau n + k \nabla T\cdot n) \f$ with \f$ \tau = \mu (\nabla v +
    /// \nabla v^T - \frac23 \nabla\cdot v) \f$ and \f$ k = \mu \gamma / ((\gamma-1) \text{Pr})
    /// \f$.
    template <typename T, int n_products>
    SALTUS_HOST_DEVICE
    State<T>
    second_order_flux(const Medium<T>                                       &at,
                      const StateGradient<T, dim, n_components, n_products> &gradient,
                      const Array<T, dim>                                   &n) const
    {
      // All derivatives are times the density.
      T             divergence = T(0), heat = T(0);
      Array<T, dim> stress;
      SALTUS_UNROLL
      for (int k = 0; k < n_products; ++k)
        {
          const Array<T, dim> &b = gradient.directions[k];
          const State<T>      &x = gradient.derivatives[k];
          Array<T, dim>        of_v;
          T                    of_heat = x[dim + 1] - at.energy * x[0];
          SALTUS_UNROLL
          for (int i = 0; i < dim; ++i)
            {
              of_v[i] = x[1 + i] - at.velocity[i] * x[0];
              of_heat = of_heat - at.velocity[i] * of_v[i];
            }
          const T along_n = dot<dim>(b, n), normal = dot<dim>(of_v, n);
          SALTUS_UNROLL
          for (int i = 0; i < dim; ++i)
            {
              const T part = along_n * of_v[i];
              stress[i]    = k == 0 ? part : stress[i] + part;
              stress[i]    = stress[i] + normal * b[i];
              divergence   = k + i == 0 ? of_v[i] * b[i] : divergence + of_v[i] * b[i];
            }
          heat = k == 0 ? along_n * of_heat : heat + along_n * of_heat;
        }
      const T  spread = T(-2. / 3.) * divergence;
      State<T> f;
      f[0]       = T(0);
      f[dim + 1] = at.conduction * heat;
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        {
          stress[i]  = stress[i] + spread * n[i];
          f[1 + i]   = at.viscosity * stress[i];
          f[dim + 1] = f[dim + 1] + at.velocity[i] * stress[i];
        }
      f[dim + 1] = at.viscosity * f[dim + 1];
      return f;
    }

    /// \f$ F_v \f$ `[d]`, of a gradient `[d]` in space.
    template <typename T>
    SALTUS_HOST_DEVICE
    Array<State<T>, dim>
    second_order_fluxes(const Medium<T> &at, const Array<State<T>, dim> &gradient) const
    {
      Array<Array<T, dim>, dim> of_v; // times the density
      T                         divergence;
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        {
          SALTUS_UNROLL
          for (int i = 0; i < dim; ++i)
            of_v[d][i] = gradient[d][1 + i] - at.velocity[i] * gradient[d][0];
          divergence = d == 0 ? of_v[d][d] : divergence + of_v[d][d];
        }
      const T              spread = T(-2. / 3.) * divergence;
      Array<State<T>, dim> f;
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        {
          f[d][0] = T(0);
          T heat = gradient[d][dim + 1] - at.energy * gradient[d][0], work = T(0);
          SALTUS_UNROLL
          for (int i = 0; i < dim; ++i)
            {
              T stress = of_v[d][i] + of_v[i][d];
              if (i == d)
                stress = stress + spread;
              heat        = heat - at.velocity[i] * of_v[d][i];
              work        = i == 0 ? at.velocity[i] * stress : work + at.velocity[i] * stress;
              f[d][1 + i] = at.viscosity * stress;
            }
          f[d][dim + 1] = at.viscosity * (work + at.conduction * heat);
        }
      return f;
    }

    /// What the flux through a plane needs of the gradient at its points.
    template <typename T>
    struct NormalGradient
    {
      State<T>      along;           ///< \f$ \nabla u \cdot n \f$
      Array<T, dim> density;         ///< \f$ \nabla \rho \f$
      Array<T, dim> normal_momentum; ///< \f$ \nabla (\rho v \cdot n) \f$
      T             divergence;      ///< \f$ \nabla \cdot \rho v \f$
    };

    /// Of a gradient `[d]` in space.
    template <typename T>
    SALTUS_HOST_DEVICE
    static NormalGradient<T>
    normal_gradient(const Array<State<T>, dim> &gradient, const Array<T, dim> &n)
    {
      NormalGradient<T> result;
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        {
          SALTUS_UNROLL
          for (int c = 0; c < n_components; ++c)
            {
              const T part    = n[d] * gradient[d][c];
              result.along[c] = d == 0 ? part : result.along[c] + part;
            }
          result.density[d]         = gradient[d][0];
          result.normal_momentum[d] = normal_velocity(gradient[d], n);
          result.divergence = d == 0 ? gradient[d][1 + d] : result.divergence + gradient[d][1 + d];
        }
      return result;
    }

    /// Add that of \f$ \alpha \, a \otimes n \f$.
    template <typename T>
    SALTUS_HOST_DEVICE
    static void
    add_jump(const T &alpha, const State<T> &a, const Array<T, dim> &n, NormalGradient<T> &to)
    {
      const T normal_momentum = normal_velocity(a, n), square = alpha * dot<dim>(n, n);
      SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        to.along[c] = to.along[c] + square * a[c];
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        {
          const T part          = alpha * n[d];
          to.density[d]         = to.density[d] + part * a[0];
          to.normal_momentum[d] = to.normal_momentum[d] + part * normal_momentum;
        }
      to.divergence = to.divergence + alpha * normal_momentum;
    }

    /// As above.
    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    second_order_flux(const Medium<T>         &at,
                      const NormalGradient<T> &gradient,
                      const Array<T, dim>     &n) const
    {
      const T normal = dot<dim>(at.velocity, n);
      const T spread =
        T(-2. / 3.) * (gradient.divergence - dot<dim>(at.velocity, gradient.density));
      T        heat = gradient.along[dim + 1] - at.energy * gradient.along[0], work = T(0);
      State<T> f;
      f[0] = T(0);
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        {
          const T of_v   = gradient.along[1 + i] - at.velocity[i] * gradient.along[0];
          const T across = gradient.normal_momentum[i] - normal * gradient.density[i];
          const T stress = of_v + (across + spread * n[i]);
          heat           = heat - at.velocity[i] * of_v;
          work           = i == 0 ? at.velocity[i] * stress : work + at.velocity[i] * stress;
          f[1 + i]       = at.viscosity * stress;
        }
      f[dim + 1] = at.viscosity * (work + at.conduction * heat);
      return f;
    }

    /// Of a gradient at a face.
    template <typename T, int n_tangents>
    SALTUS_HOST_DEVICE
    State<T>
    normal_flux(const Medium<T>                                      &at,
                const FaceGradient<T, dim, n_components, n_tangents> &gradient,
                const Array<T, dim>                                  &n) const
    {
      const Array<T, dim> of_v       = of_velocity(at, gradient.across);
      const T             square     = dot<dim>(n, n);
      T                   heat       = gradient.across[dim + 1] - at.energy * gradient.across[0];
      T                   work       = T(0);
      const T             along_n    = dot<dim>(of_v, n);
      T                   divergence = along_n;
      Array<T, dim>       stress;
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        {
          heat      = heat - at.velocity[i] * of_v[i];
          stress[i] = square * of_v[i];
        }
      SALTUS_UNROLL
      for (int k = 0; k < n_tangents; ++k)
        {
          const Array<T, dim> &tangent = gradient.tangents[k];
          const Array<T, dim>  along_t = of_velocity(at, gradient.derivatives[k]);
          const T              normal  = dot<dim>(along_t, n);
          SALTUS_UNROLL
          for (int i = 0; i < dim; ++i)
            {
              divergence = divergence + along_t[i] * tangent[i];
              stress[i]  = stress[i] + normal * tangent[i];
            }
        }
      const T  spread = along_n - T(2. / 3.) * divergence;
      State<T> f;
      f[0] = T(0);
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        {
          stress[i] = stress[i] + spread * n[i];
          work      = i == 0 ? at.velocity[i] * stress[i] : work + at.velocity[i] * stress[i];
          f[1 + i]  = at.viscosity * stress[i];
        }
      f[dim + 1] = at.viscosity * (work + at.conduction * (square * heat));
      return f;
    }

    /// \f$ F_v(u, a \otimes n) \cdot t \f$ in a direction perpendicular to n.
    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    tangential_flux(const Medium<T>     &at,
                    const State<T>      &a,
                    const Array<T, dim> &n,
                    const Array<T, dim> &t) const
    {
      const Array<T, dim> of_v   = of_velocity(at, a);
      const T             along  = at.viscosity * dot<dim>(of_v, t);
      const T             spread = T(-2. / 3.) * (at.viscosity * dot<dim>(of_v, n));
      State<T>            f;
      f[0] = f[dim + 1] = T(0);
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        {
          f[1 + i]      = along * n[i] + spread * t[i];
          const T power = at.velocity[i] * f[1 + i];
          f[dim + 1]    = i == 0 ? power : f[dim + 1] + power;
        }
      return f;
    }

    /// \f$ F_v(u, a \otimes n) \f$, which is linear in these numbers: \f$ \mu w \f$ where the
    /// velocity jumps by w, \f$ (v \cdot n) \mu w - \frac23 (\mu w \cdot n) v \f$, and what
    /// of the energy has the direction n. So points that have one n can be summed up.
    template <typename T>
    using JumpFlux = Array<T, 2 * dim + 1>;

    template <typename T>
    SALTUS_HOST_DEVICE
    JumpFlux<T>
    jump_flux(const Medium<T> &at, const State<T> &a, const Array<T, dim> &n) const
    {
      JumpFlux<T> result;
      T           heat = a[dim + 1] - at.energy * a[0], work = T(0);
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        {
          const T of_v = a[1 + i] - at.velocity[i] * a[0];
          heat         = heat - at.velocity[i] * of_v;
          work         = i == 0 ? at.velocity[i] * of_v : work + at.velocity[i] * of_v;
          result[i]    = at.viscosity * of_v;
        }
      const T normal = dot<dim>(at.velocity, n), spread = T(-2. / 3.) * dot<dim>(result, n);
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        result[dim + i] = normal * result[i] + spread * at.velocity[i];
      result[2 * dim] = at.viscosity * (work + at.conduction * heat);
      return result;
    }

    /// Its part in the direction @p m.
    template <typename T>
    SALTUS_HOST_DEVICE
    static State<T>
    part_along(const JumpFlux<T> &flux, const Array<T, dim> &n, const Array<T, dim> &m)
    {
      const T  normal = dot<dim>(n, m), stress = dot<dim>(flux, m);
      const T  spread = T(-2. / 3.) * dot<dim>(flux, n);
      State<T> f;
      f[0]       = T(0);
      f[dim + 1] = normal * flux[2 * dim];
      SALTUS_UNROLL
      for (int i = 0; i < dim; ++i)
        {
          f[1 + i]   = normal * flux[i] + (stress * n[i] + spread * m[i]);
          f[dim + 1] = f[dim + 1] + flux[dim + i] * m[i];
        }
      return f;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    T
    diffusivity(const State<T> &u) const
    {
      const T inverse = T(1) / u[0];
      const T largest = max(T(4. / 3.), T(gamma / transport.prandtl));
      return largest * inverse * transport.viscosity_at(pressure(u, inverse) * inverse);
    }

    /// Given where it is prescribed; with the wall's velocity, where the flow sticks to it.
    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    diffusive_boundary_state(const BoundaryKind kind,
                             const State<T>    &inside,
                             const State<T>    &data) const
    {
      if (kind == BoundaryKind::prescribed)
        return data;
      State<T> result = inside;
      if (is_no_slip(kind))
        {
          const T temperature =
            kind == BoundaryKind::isothermal_wall ? data[0] : pressure(inside) / inside[0];
          const Array<T, dim> velocity = wall_velocity(kind, data);
          for (int d = 0; d < dim; ++d)
            result[1 + d] = inside[0] * velocity[d];
          result[dim + 1] =
            inside[0] * (temperature / T(gamma - 1.) + T(0.5) * dot<dim>(velocity, velocity));
        }
      return result;
    }

    /// Through adiabatic walls passes no energy but the work of friction, through walls with slip
    /// none; these do not shear.
    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    diffusive_boundary_flux(const BoundaryKind   kind,
                            const State<T>      &data,
                            const State<T>      &flux,
                            const Array<T, dim> &n) const
    {
      State<T> result = flux;
      if (kind == BoundaryKind::no_slip_wall)
        {
          const Array<T, dim> velocity = wall_velocity(kind, data);
          result[dim + 1]              = T(0);
          for (int d = 0; d < dim; ++d)
            result[dim + 1] = result[dim + 1] + velocity[d] * flux[1 + d];
        }
      if (kind == BoundaryKind::wall)
        {
          result[dim + 1] = T(0);
          const T normal  = normal_velocity(flux, n);
          for (int d = 0; d < dim; ++d)
            result[1 + d] = normal * n[d];
        }
      return result;
    }
    /// @}

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    conserved(const State<T> &primitive) const
    {
      State<T> u  = primitive;
      T        v2 = T(0);
      for (int d = 0; d < dim; ++d)
        {
          u[1 + d] = primitive[0] * primitive[1 + d];
          v2       = v2 + primitive[1 + d] * primitive[1 + d];
        }
      u[dim + 1] = primitive[dim + 1] / T(gamma - 1.) + T(0.5) * primitive[0] * v2;
      return u;
    }

    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    primitive(const State<T> &conserved) const
    {
      State<T> w = conserved;
      for (int d = 0; d < dim; ++d)
        w[1 + d] = conserved[1 + d] / conserved[0];
      w[dim + 1] = pressure(conserved);
      return w;
    }

    /// Velocity, pressure and Mach number.
    template <typename T>
    SALTUS_HOST_DEVICE
    Array<T, n_derived>
    derived(const State<T> &u) const
    {
      const State<T>      w = primitive(u);
      Array<T, n_derived> result;
      T                   v2 = T(0);
      for (int d = 0; d < dim; ++d)
        {
          result[d] = w[1 + d];
          v2        = v2 + w[1 + d] * w[1 + d];
        }
      result[dim]     = w[dim + 1];
      result[dim + 1] = sqrt(v2 * w[0] / (T(gamma) * w[dim + 1]));
      return result;
    }

  private:
    /// Velocity reflected about the tangent of a wall with unit normal @p n, the rest unchanged.
    /// With the normal of the true, curved wall this is the condition of Krivodonova and Berger (J.
    /// Comput. Phys. 211, 2006).
    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    reflect(const State<T> &u, const Array<T, dim> &n) const
    {
      T normal_momentum = u[1] * n[0];
      for (int d = 1; d < dim; ++d)
        normal_momentum = normal_momentum + u[1 + d] * n[d];
      State<T> result = u;
      for (int d = 0; d < dim; ++d)
        result[1 + d] = u[1 + d] - T(2) * normal_momentum * n[d];
      return result;
    }

    /// That of a wall to which the flow sticks, 0 if none is given.
    template <typename T>
    SALTUS_HOST_DEVICE
    static Array<T, dim>
    wall_velocity(const BoundaryKind kind, const State<T> &data)
    {
      const int     first = kind == BoundaryKind::isothermal_wall ? 1 : 0;
      Array<T, dim> velocity;
      for (int d = 0; d < dim; ++d)
        velocity[d] = data[first + d];
      return velocity;
    }

    /// The velocity reversed as the wall sees it, which moves with what @p of_wall has along it: so
    /// nothing passes, and the flow along the wall takes on its velocity. The pressure is the same.
    template <typename T>
    SALTUS_HOST_DEVICE
    static State<T>
    turn_back(const State<T> &u, const Array<T, dim> &of_wall, const Array<T, dim> &n)
    {
      const T  normal = dot<dim>(of_wall, n);
      State<T> result = u;
      for (int d = 0; d < dim; ++d)
        {
          const T velocity = of_wall[d] - normal * n[d], change = u[0] * velocity - u[1 + d];
          result[1 + d]   = u[0] * velocity + change;
          result[dim + 1] = result[dim + 1] + T(2) * velocity * change;
        }
      return result;
    }

    /// Far field from the Riemann invariants \f$ v_n \pm 2c/(\gamma-1) \f$: the outgoing one from
    /// inside, the incoming one from the data, entropy and tangential velocity from upstream. Both
    /// invariants take the speed of sound at the pressure of their side and the entropy of
    /// upstream. Gas of another entropy then passes without sound.
    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    far_field(const State<T> &inside, const State<T> &data, const Array<T, dim> &n) const
    {
      const State<T> w_i = primitive(inside), w_e = primitive(data);
      const T        vn_i = normal_velocity(w_i, n), vn_e = normal_velocity(w_e, n);
      const T        g   = T(gamma);
      const T        c_i = sqrt(g * w_i[dim + 1] / w_i[0]), c_e = sqrt(g * w_e[dim + 1] / w_e[0]);
      if (vn_i >= c_i)
        return inside;
      if (vn_e <= -c_e)
        return data;

      // With the entropy of inside, the speed of sound at the pressure outside is c_i times this.
      const T    two_over = T(2) / (g - T(1));
      const T    root     = ::pow(w_e[dim + 1] / w_i[dim + 1], (g - T(1)) / (T(2) * g));
      const bool out      = vn_i + vn_e + two_over * c_i * (T(1) - root) > T(0);
      const T    plus     = vn_i + two_over * (out ? c_i : c_e / root);
      const T    minus    = vn_e - two_over * (out ? c_i * root : c_e);
      const T    vn       = T(0.5) * (plus + minus);
      const T    c        = (plus - minus) / (T(2) * two_over);

      const State<T> &upstream = out ? w_i : w_e;
      const T         vn_up    = out ? vn_i : vn_e;
      const T         c_up     = out ? c_i : c_e;
      // Constant entropy p / rho^gamma: density and pressure follow from the speed of sound.
      const T  ratio = c / c_up;
      State<T> w;
      w[0] = upstream[0] * ::pow(ratio, two_over);
      for (int d = 0; d < dim; ++d)
        w[1 + d] = upstream[1 + d] + (vn - vn_up) * n[d];
      w[dim + 1] = w[0] * c * c / g;
      return conserved(w);
    }

    /// Subsonic outlet with the pressure @p p: entropy, tangential velocity and the outgoing
    /// invariant \f$ v_n + 2c/(\gamma-1) \f$ from inside (Carlson, NASA TM-2011-217181). A
    /// supersonic flow leaves as it is.
    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    pressure_outlet(const State<T> &inside, const T &p, const Array<T, dim> &n) const
    {
      State<T> w  = primitive(inside);
      const T  g  = T(gamma);
      const T  vn = normal_velocity(w, n);
      const T  c  = sqrt(g * w[dim + 1] / w[0]);
      if (vn >= c)
        return inside;
      w[0] *= ::pow(p / w[dim + 1], T(1) / g);
      w[dim + 1]      = p;
      const T c_there = sqrt(g * p / w[0]);
      const T change  = T(2) / (g - T(1)) * (c - c_there);
      for (int d = 0; d < dim; ++d)
        w[1 + d] += change * n[d];
      return conserved(w);
    }

    /// Subsonic inlet with total pressure, total temperature (as \f$ p/\rho \f$) and the direction
    /// of the flow; the outgoing invariant \f$ R = v_n + 2c/(\gamma-1) \f$ comes from inside
    /// (Carlson, as above). With the angle \f$ \theta \f$ between the flow and the inward normal
    /// and \f$ a = 2/(\gamma-1) \f$ the speed of sound solves \f$ a c^2 + (a c - R)^2 /
    /// \cos^2\theta = a c_t^2 \f$. It is kept between those of sonic flow and of rest: where the
    /// flow inside would turn back, the state outside is at rest.
    template <typename T>
    SALTUS_HOST_DEVICE
    State<T>
    total_pressure_inlet(const State<T> &inside, const State<T> &data, const Array<T, dim> &n) const
    {
      const State<T> w = primitive(inside);
      const T        g = T(gamma), a = T(2) / (g - T(1));
      const T        invariant = normal_velocity(w, n) + a * sqrt(g * w[dim + 1] / w[0]);

      T length = T(0), inward = T(0);
      for (int d = 0; d < dim; ++d)
        {
          length = length + data[2 + d] * data[2 + d];
          inward = inward - data[2 + d] * n[d];
        }
      length              = sqrt(length);
      const T    cosine   = inward / length;
      const T    cosine2  = cosine * cosine;
      const T    c2_total = g * data[1];
      const T    root = cosine2 * max((cosine2 + a) * c2_total - invariant * invariant / a, T(0));
      const T    c    = max(invariant + sqrt(root), T(0)) / (cosine2 + a);
      const T    c2_sonic = c2_total * T(2) / (g + T(1));
      const bool enters   = cosine > T(0) && invariant < a * sqrt(c2_total);
      const T    c2       = enters ? min(max(c * c, c2_sonic), c2_total) : c2_total;

      const T  speed = sqrt(a * (c2_total - c2));
      State<T> result;
      result[dim + 1] = data[0] * ::pow(c2 / c2_total, g / (g - T(1)));
      result[0]       = g * result[dim + 1] / c2;
      for (int d = 0; d < dim; ++d)
        result[1 + d] = speed * data[2 + d] / length;
      return conserved(result);
    }

    /// Of the primitive state @p w; of a flux, that of momentum.
    template <typename T>
    SALTUS_HOST_DEVICE
    static T
    normal_velocity(const State<T> &w, const Array<T, dim> &n)
    {
      T velocity = w[1] * n[0];
      for (int d = 1; d < dim; ++d)
        velocity = velocity + w[1 + d] * n[d];
      return velocity;
    }
  };
} // namespace Saltus

#endif
