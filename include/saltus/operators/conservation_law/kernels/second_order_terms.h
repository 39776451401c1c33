// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_conservation_law_kernels_second_order_terms_h
#define saltus_operators_conservation_law_kernels_second_order_terms_h

#include <saltus/operators/conservation_law/kernels/launcher.h>
#include <saltus/physics/second_order_flux.h>

#include <type_traits>
#include <utility>

namespace Saltus
{
  /// What HasSecondOrderFlux describes; nothing for laws without such a flux.
  template <typename Law, typename T, typename = void>
  struct DiffusionOf
  {
    struct Medium
    {};

    SALTUS_HOST_DEVICE
    explicit DiffusionOf(const Law &)
    {}
  };

  template <typename Law, typename T>
  struct DiffusionOf<Law, T, std::enable_if_t<HasSecondOrderFlux<Law>::value>>
  {
    using Medium = typename Law::template Medium<T>;

    SALTUS_HOST_DEVICE
    explicit DiffusionOf(const Law &law)
      : constants(law.template diffusion<T>())
    {}

    typename Law::template Diffusion<T> constants;
  };

  /// \f$ C \f$ in \f$ \sum_F \frac{|K|}{2 C |F|} \int_F |\nabla u|^2 \le \int_K |\nabla u|^2
  /// \f$ for polynomials of @p degree on an affine element: \f$ (d+1)(p+1)(p+d)/2d \f$ on
  /// simplices (Warburton and Hesthaven, Comput. Methods Appl. Mech. Engrg. 192, 2003), \f$
  /// d(p+1)(p+2)/2 \f$ on hypercubes, where the two faces in each direction have \f$ (p+1)(p+2)
  /// \f$ together.
  SALTUS_HOST_DEVICE
  double
  trace_constant(const bool is_simplex, const int dim, const int degree)
  {
    return is_simplex ? 0.5 * (dim + 1) * (degree + 1) * (degree + dim) / dim
                      : 0.5 * dim * (degree + 1) * (degree + 2);
  }

  /// @name Of which degree the rules of simplices are: with constant coefficients they are exact
  /// @{
  constexpr unsigned int
  second_order_volume_degree(const unsigned int degree)
  {
    return 2 * degree - 2;
  }

  constexpr unsigned int
  second_order_face_degree(const unsigned int degree)
  {
    return 2 * degree;
  }
  /// @}

  /// The terms of a second-order flux at one point, in each lane of @p T: see SecondOrderElement.
  /// @tparam artificial whether there may be artificial viscosity
  /// @tparam varies whether coefficients of the law may depend on the state
  template <typename Law, typename T, typename Number, bool artificial = true, bool varies = true>
  class SecondOrderTerms
  {
  public:
    static constexpr int dim = Law::dimension, n_components = Law::n_components;

    using State     = Array<T, n_components>;
    using Gradient  = StateGradient<T, dim, n_components>;
    using Jump      = StateGradient<T, dim, n_components, 1>;
    using Direction = Array<T, dim>;

    /// The first component that may have a flux.
    static constexpr int first_flux = artificial ? 0 : FirstDiffusive<Law>::value;

    struct Trace
    {
      State    value;
      Gradient gradient;
    };

    /// What a flux needs of the state at a point.
    struct Medium
    {
      typename DiffusionOf<Law, T>::Medium of_law;
      T                                    viscosity; ///< artificial
    };

    SALTUS_HOST_DEVICE
    explicit SecondOrderTerms(const SecondOrderArguments<Law, Number> &arg)
      : arg(arg)
      , diffusion(arg.law)
      , penalty(Number(trace_constant(arg.tables.n_faces == dim + 1, dim, arg.degree)) /
                arg.tables.reference_volume)
    {}

    SALTUS_HOST_DEVICE
    static State
    zero()
    {
      State result;
      SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        result[c] = T(Number(0));
      return result;
    }

    SALTUS_HOST_DEVICE
    static State
    times(const T &factor, const State &x)
    {
      State result;
      SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        result[c] = factor * x[c];
      return result;
    }

    /// `to += factor x`
    SALTUS_HOST_DEVICE
    static void
    add(const T &factor, const State &x, State &to)
    {
      SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        to[c] = to[c] + factor * x[c];
    }

    /// The same of the components that may have a flux.
    SALTUS_HOST_DEVICE
    static void
    add_flux(const T &factor, const State &x, State &to)
    {
      SALTUS_UNROLL
      for (int c = first_flux; c < n_components; ++c)
        to[c] = to[c] + factor * x[c];
    }

    /// \f$ a \otimes n \f$
    SALTUS_HOST_DEVICE
    static Jump
    outer(const State &a, const Direction &n)
    {
      return {{{n}}, {{a}}};
    }

    /// Artificial viscosities at points of faces.
    class OnFaces
    {
    public:
      using AtPoints = typename ViscosityArrays<Number>::AtPoints;

      SALTUS_HOST_DEVICE
      OnFaces(const AtPoints &values, const ElementTables<Number> &tables)
        : values(values)
        , first(tables.n_volume_points)
        , n_face_points(tables.n_face_points)
      {}

      /// At point @p q of face @p f of the element on this side.
      SALTUS_HOST_DEVICE
      Number
      operator()(const int f, const int q) const
      {
        return artificial ? values[first + f * n_face_points + q] : Number(0);
      }

    private:
      AtPoints values;
      int      first, n_face_points;
    };

    /// The artificial viscosity of an element at point @p q of its volume.
    SALTUS_HOST_DEVICE
    Number
    viscosity_at(const int element, const int q) const
    {
      return artificial ? arg.viscosities.of(element)[q] : Number(0);
    }

    SALTUS_HOST_DEVICE
    OnFaces
    viscosities_on_faces(const int element) const
    {
      return {arg.viscosities.of(element), arg.tables};
    }

    /// Those of the element across a face of @p element.
    SALTUS_HOST_DEVICE
    OnFaces
    viscosities_across(const int element, const int neighbor) const
    {
      return {arg.viscosities.across(element, neighbor), arg.tables};
    }

    /// Whether artificial viscosity is there at a face: shocks are spread within the domain only.
    /// @param b number of the boundary face; below 0: it is none
    SALTUS_HOST_DEVICE
    bool
    spreads_at(const int b) const
    {
      return artificial && (b < 0 || arg.boundary.faces[b].is_inside);
    }

    /// @param viscosity artificial
    SALTUS_HOST_DEVICE
    Medium
    medium(const State &value, const T &viscosity) const
    {
      if constexpr (HasSecondOrderFlux<Law>::value)
        return {arg.law.template medium<varies>(value, diffusion.constants), viscosity};
      else
        return {{}, viscosity};
    }

    /// \f$ F_v(u, \nabla u) \cdot n \f$
    /// @param gradient a StateGradient
    template <typename AnyGradient>
    SALTUS_HOST_DEVICE
    State
    flux(const Medium &medium, const AnyGradient &gradient, const Direction &n) const
    {
      State result = zero();
      if constexpr (HasSecondOrderFlux<Law>::value)
        result = arg.law.second_order_flux(medium.of_law, gradient, n);
      if (artificial && arg.viscosities.exist())
        add(medium.viscosity, along(gradient, n), result);
      return result;
    }

    /// @name At a face
    /// @{

    /// The gradient \f$ a \otimes n \f$.
    SALTUS_HOST_DEVICE
    static FaceGradient<T, dim, n_components, 0>
    across(const State &a)
    {
      return {{}, {}, a};
    }

    /// \f$ F_v(u, \nabla u) \cdot n \f$
    template <int n_tangents>
    SALTUS_HOST_DEVICE
    State
    normal_flux(const Medium                                         &medium,
                const FaceGradient<T, dim, n_components, n_tangents> &gradient,
                const Direction                                      &n) const
    {
      State result = zero();
      if constexpr (HasNormalGradient<Law>::value)
        result = arg.law.normal_flux(medium.of_law, gradient, n);
      else if constexpr (HasSecondOrderFlux<Law>::value)
        result = arg.law.second_order_flux(medium.of_law, as_sum(gradient, n), n);
      if (artificial && arg.viscosities.exist())
        add(medium.viscosity * dot<dim>(n, n), gradient.across, result);
      return result;
    }

    /// \f$ F_v(u, a \otimes n) \cdot t \f$ in a direction that is perpendicular to n, in which
    /// artificial viscosity has no part.
    SALTUS_HOST_DEVICE
    State
    tangential_flux(const Medium    &medium,
                    const State     &a,
                    const Direction &n,
                    const Direction &t) const
    {
      if constexpr (HasNormalGradient<Law>::value)
        return arg.law.tangential_flux(medium.of_law, a, n, t);
      else if constexpr (HasSecondOrderFlux<Law>::value)
        return arg.law.second_order_flux(medium.of_law, outer(a, n), t);
      else
        return zero();
    }
    /// @}

    /// One for each direction: `[d]` in space or `[r]` on the reference cell.
    using States = Array<State, dim>;

    /// The gradient in space from derivatives in reference directions.
    /// @param map AffineGeometry
    template <typename Map>
    SALTUS_HOST_DEVICE
    static States
    in_space(const Map &map, const States &derivatives)
    {
      States result;
      SALTUS_UNROLL
      for (int c = 0; c < n_components; ++c)
        {
          const Direction of_c = map.gradient([&](const int r) { return derivatives[r][c]; });
          SALTUS_UNROLL
          for (int d = 0; d < dim; ++d)
            result[d][c] = of_c[d];
        }
      return result;
    }

    SALTUS_HOST_DEVICE
    static States
    in_space(const Gradient &gradient)
    {
      States result;
      SALTUS_UNROLL
      for (int d = 0; d < dim; ++d)
        {
          result[d] = times(gradient.directions[0][d], gradient.derivatives[0]);
          SALTUS_UNROLL
          for (int r = 1; r < dim; ++r)
            add(gradient.directions[r][d], gradient.derivatives[r], result[d]);
        }
      return result;
    }

    /// Add @p factor times \f$ F_v(u, \nabla u) \cdot \nabla \hat x_r \f$, `[r]`.
    /// @param derivatives in reference directions
    template <typename Map>
    SALTUS_HOST_DEVICE
    void
    add_fluxes(const Medium &medium,
               const Map    &map,
               const T      &factor,
               const States &derivatives,
               States       &to) const
    {
      if constexpr (HasNormalGradient<Law>::value)
        add_directions(map, factor, fluxes_in_space(medium, in_space(map, derivatives)), to);
      else
        {
          Gradient gradient;
          for (int r = 0; r < dim; ++r)
            {
              gradient.directions[r]  = map.metric(r);
              gradient.derivatives[r] = derivatives[r];
            }
          for (int r = 0; r < dim; ++r)
            add_flux(factor, flux(medium, gradient, map.metric(r)), to[r]);
        }
    }

    /// @name For laws that have HasNormalGradient
    /// @{

    /// \f$ F_v(u, \nabla u) \f$
    SALTUS_HOST_DEVICE
    States
    fluxes_in_space(const Medium &medium, const States &gradient) const
    {
      States result = arg.law.second_order_fluxes(medium.of_law, gradient);
      if (artificial && arg.viscosities.exist())
        for (int d = 0; d < dim; ++d)
          add(medium.viscosity, gradient[d], result[d]);
      return result;
    }

    /// Add @p factor times fluxes in space, in reference directions.
    template <typename Map>
    SALTUS_HOST_DEVICE
    static void
    add_directions(const Map &map, const T &factor, const States &in_space, States &to)
    {
      SALTUS_UNROLL
      for (int r = 0; r < dim; ++r)
        for (int d = 0; d < dim; ++d)
          add_flux(factor * map.metric(r)[d], in_space[d], to[r]);
    }

    /// \f$ F_v(u, \nabla u) \cdot n \f$
    /// @tparam NormalGradient that of the law
    template <typename NormalGradient>
    SALTUS_HOST_DEVICE
    State
    normal_flux(const Medium &medium, const NormalGradient &gradient, const Direction &n) const
    {
      State result = arg.law.second_order_flux(medium.of_law, gradient, n);
      if (artificial && arg.viscosities.exist())
        add(medium.viscosity, gradient.along, result);
      return result;
    }

    /// \f$ F_v(u, a \otimes n) \f$, or a sum over points with one n.
    struct JumpFlux
    {
      Array<T, 2 * dim + 1> of_law; ///< Law::JumpFlux
      State                 spread; ///< a times the artificial viscosity
    };

    SALTUS_HOST_DEVICE
    JumpFlux
    jump_flux(const Medium &medium, const State &a, const Direction &n) const
    {
      JumpFlux result{arg.law.jump_flux(medium.of_law, a, n), {}};
      if constexpr (artificial)
        result.spread = times(medium.viscosity, a);
      return result;
    }

    SALTUS_HOST_DEVICE
    static void
    add(const T &factor, const JumpFlux &x, JumpFlux &to)
    {
      SALTUS_UNROLL
      for (int i = 0; i < 2 * dim + 1; ++i)
        to.of_law[i] = to.of_law[i] + factor * x.of_law[i];
      if constexpr (artificial)
        add(factor, x.spread, to.spread);
    }

    /// Its part in the direction @p m.
    SALTUS_HOST_DEVICE
    State
    part_along(const JumpFlux &flux, const Direction &n, const Direction &m) const
    {
      State result = Law::part_along(flux.of_law, n, m);
      if constexpr (artificial)
        add(dot<dim>(n, m), flux.spread, result);
      return result;
    }
    /// @}

    /// @p factor times \f$ F_v(u, [u] \otimes n) \cdot \nabla \hat x_r \f$, `[r]`.
    /// @param of_jump \f$ [u] \otimes n \f$
    template <typename Map>
    SALTUS_HOST_DEVICE
    void
    set_jump_fluxes(const Medium &medium,
                    const Map    &map,
                    const T      &factor,
                    const Jump   &of_jump,
                    States       &fluxes) const
    {
      if constexpr (HasNormalGradient<Law>::value)
        {
          const Direction &normal = of_jump.directions[0];
          const JumpFlux   flux   = jump_flux(medium, of_jump.derivatives[0], normal);
          for (int r = 0; r < dim; ++r)
            fluxes[r] = times(factor, part_along(flux, normal, map.metric(r)));
        }
      else
        for (int r = 0; r < dim; ++r)
          fluxes[r] = times(factor, flux(medium, of_jump, map.metric(r)));
    }

    /// The mean of both sides' fluxes between elements, with what penalises the jump.
    /// @param of_jump \f$ [u] \otimes n \f$
    /// @param factor see penalty_factor()
    SALTUS_HOST_DEVICE
    State
    mean_flux(const Medium    &medium_in,
              const Gradient  &inside,
              const Medium    &medium_out,
              const Gradient  &outside,
              const Jump      &of_jump,
              const T         &factor,
              const Direction &normal) const
    {
      const State flux_in = penalised_flux(medium_in, inside, of_jump, factor, normal);
      State       result  = penalised_flux(medium_out, outside, of_jump, factor, normal);
      for (int c = 0; c < n_components; ++c)
        result[c] = T(Number(0.5)) * (flux_in[c] + result[c]);
      return result;
    }

    /// What takes the place of the mean flux and of the jump at point @p q of boundary face @p b:
    /// one element bears all, so that it is that of the boundary state, and twice the jump. Shocks
    /// are spread within the domain only.
    /// @param factor see penalty_factor()
    /// @param normal as long as the face's area over \f$ |\det J| \f$, which @p normal_flux is
    /// times
    SALTUS_HOST_DEVICE
    void
    set_boundary(const int        b,
                 const int        q,
                 const Trace     &inside,
                 const T         &factor,
                 const Direction &normal,
                 State           &normal_flux,
                 State           &jump) const
    {
      normal_flux = jump = zero();
      if (arg.boundary.faces[b].is_inside)
        set_across(b, q, inside, normal, normal_flux, jump);
      else if constexpr (HasSecondOrderFlux<Law>::value)
        {
          const BoundaryKind kind  = arg.boundary.faces[b].kind;
          const auto         given = arg.boundary.template data_at<n_components>(b, q);
          State              data;
          for (int c = 0; c < n_components; ++c)
            data[c] = T(given[c]);
          const State state = arg.law.diffusive_boundary_state(kind, inside.value, data);
          for (int c = 0; c < n_components; ++c)
            jump[c] = T(Number(2)) * (inside.value[c] - state[c]);
          const auto medium = arg.law.medium(state, diffusion.constants);
          normal_flux       = arg.law.second_order_flux(medium, inside.gradient, normal);
          add(-factor, arg.law.second_order_flux(medium, outer(jump, normal), normal), normal_flux);
          const T   inverse = rsqrt(dot<dim>(normal, normal));
          Direction unit;
          for (int d = 0; d < dim; ++d)
            unit[d] = normal[d] * inverse;
          normal_flux = arg.law.diffusive_boundary_flux(kind, data, normal_flux, unit);
        }
    }

    /// The factor of the penalty \f$ \sigma = C \max |F|/|K| \f$ over the elements at a face, C
    /// being the trace_constant(), with the area of the face: with normals n that long, the flux is
    /// \f$ F_v(u, \nabla u) \cdot n \f$ less the factor times \f$ F_v(u, [u] \otimes n) \cdot n
    /// \f$.
    /// @param volume_ratio of the element's volume to that of the one across
    SALTUS_HOST_DEVICE
    T
    penalty_factor(const T &volume_ratio) const
    {
      return penalty * max(volume_ratio, T(Number(1)));
    }

  private:
    template <int n_tangents>
    SALTUS_HOST_DEVICE
    static StateGradient<T, dim, n_components, n_tangents + 1>
    as_sum(const FaceGradient<T, dim, n_components, n_tangents> &gradient, const Direction &n)
    {
      StateGradient<T, dim, n_components, n_tangents + 1> result;
      for (int k = 0; k < n_tangents; ++k)
        {
          result.directions[k]  = gradient.tangents[k];
          result.derivatives[k] = gradient.derivatives[k];
        }
      result.directions[n_tangents]  = n;
      result.derivatives[n_tangents] = gradient.across;
      return result;
    }

    /// \f$ F_v(u, \nabla u - \sigma [u] \otimes n) \cdot n \f$ of one side.
    SALTUS_HOST_DEVICE
    State
    penalised_flux(const Medium    &medium,
                   const Gradient  &gradient,
                   const Jump      &of_jump,
                   const T         &factor,
                   const Direction &normal) const
    {
      if constexpr (HasNormalGradient<Law>::value)
        {
          auto along = Law::normal_gradient(in_space(gradient), normal);
          Law::add_jump(-factor, of_jump.derivatives[0], of_jump.directions[0], along);
          return normal_flux(medium, along, normal);
        }
      else
        {
          State result = flux(medium, gradient, normal);
          add(-factor, flux(medium, of_jump, normal), result);
          return result;
        }
    }

    /// Between elements of different shapes.
    /// Its data: see BoundaryFaceData::is_inside.
    SALTUS_HOST_DEVICE
    void
    set_across(const int        b,
               const int        q,
               const Trace     &inside,
               const Direction &normal,
               State           &normal_flux,
               State           &jump) const
    {
      constexpr int n_traces = (1 + dim) * n_components;
      const Number *given    = arg.boundary.numbers_at(b, q);
      const bool    spreads  = arg.viscosities.exist();
      Trace         outside;
      for (int c = 0; c < n_components; ++c)
        {
          outside.value[c] = T(given[c]);
          jump[c]          = inside.value[c] - outside.value[c];
        }
      for (int d = 0; d < dim; ++d)
        {
          for (int c = 0; c < n_components; ++c)
            outside.gradient.derivatives[d][c] = T(given[(1 + d) * n_components + c]);
          for (int i = 0; i < dim; ++i)
            outside.gradient.directions[d][i] = T(Number(i == d ? 1 : 0));
        }
      const BoundaryFaceData &face      = arg.boundary.faces[b];
      const Number            viscosity = viscosities_on_faces(face.element)(face.face, q);
      const bool              is_given  = spreads && !arg.viscosities.are_continuous();
      normal_flux                       = mean_flux(medium(inside.value, T(viscosity)),
                              inside.gradient,
                              medium(outside.value, T(is_given ? given[n_traces] : viscosity)),
                              outside.gradient,
                              outer(jump, normal),
                              T(given[n_traces + spreads]),
                              normal);
    }

    const SecondOrderArguments<Law, Number> &arg;
    const DiffusionOf<Law, T>                diffusion;
    const T                                  penalty; ///< see penalty_factor()
  };
} // namespace Saltus

#endif
