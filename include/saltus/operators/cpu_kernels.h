// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_cpu_kernels_h
#define saltus_operators_cpu_kernels_h

// The CPU back end: include this in a file of its own that holds nothing but
// SALTUS_INSTANTIATE_CPU lines, and compile it through saltus_add_equations().
//
// A group of `width` elements of one block is worked on at once, one element a SIMD lane:
//   u, r        [m][c]   pack    coefficients and residual of the group
//   state, flux [c]      pack    at one quadrature point
// The loops over modes and points run to sizes known at run time only, so that one compiled kernel
// serves every degree and every kind of element of its dimension.

#include <saltus/base/pack.h>
#include <saltus/base/threads.h>
#include <saltus/operators/barth_jespersen.h>
#include <saltus/operators/launcher.h>
#include <saltus/operators/step_size.h>
#include <saltus/operators/wave_speed_sum.h>
#include <saltus/physics/check_law.h>

#ifndef SALTUS_ISA_LEVEL
#  error "compile CPU kernels through saltus_add_equations()"
#endif

#define SALTUS_CONCATENATE_(a, b) a##b
#define SALTUS_CONCATENATE(a, b) SALTUS_CONCATENATE_(a, b)
#define SALTUS_ISA_NAMESPACE SALTUS_CONCATENATE(isa_level_, SALTUS_ISA_LEVEL)

/// Everything below exists once an instruction set, under a name of its own.
namespace Saltus::SALTUS_ISA_NAMESPACE
{
  /// Points worked on together, to reuse loaded coefficients.
  constexpr int point_batch = cpu_point_padding;

  /// Modes of the largest element: complete degree 7 in 3D.
  constexpr int max_modes = 120;

  /// One stage of a law: the residual of groups of elements, and the update.
  template <typename Law, typename Number>
  class Stage
  {
    static constexpr int dim          = Law::dimension;
    static constexpr int n_components = Law::n_components;
    static constexpr int n_fields     = Law::n_fields;
    static constexpr int width        = vector_bytes / sizeof(Number);

    using T         = Pack<Number, width>;
    using State     = Array<T, n_components>;
    using Field     = Array<T, n_fields>;
    using Vector    = Array<T, dim>;
    using Arguments = StageArguments<Law, Number>;

  public:
    explicit Stage(const Arguments &arguments)
      : arg(arguments)
      , tables(arguments.tables)
      , n_modes(arguments.tables.n_modes)
      , dt(*arguments.dt)
    {}

    /// All elements of block @p block.
    void
    run(const int block)
    {
      for (first = block * block_size; first < min((block + 1) * block_size, arg.mesh.n_elements);
           first += width)
        {
          for (int l = 0; l < width; ++l)
            elements[l] = min(first + l, arg.mesh.n_elements - 1);
          gather(arg.u, elements, u);
          load_geometry();
          for (int i = 0; i < n_modes * n_components; ++i)
            r[i] = T(Number(0));
          add_volume();
          for (int face = 0; face < tables.n_faces; ++face)
            add_face(face);
          update();
        }
    }

  private:
    static int
    min(const int a, const int b)
    {
      return a < b ? a : b;
    }

    /// Coefficients of one element a lane.
    void
    gather(const Number *from, const int *of, T *to) const
    {
      const Number *start[width];
      for (int l = 0; l < width; ++l)
        start[l] = from + coefficient_index(of[l], 0, n_modes, n_components);
      for (int m = 0; m < n_modes; ++m)
        for (int c = 0; c < n_components; ++c)
          for (int l = 0; l < width; ++l)
            to[m * n_components + c].v[l] = start[l][m * mode_stride(n_components) + c];
    }

    void
    load_geometry()
    {
      for (int i = 0; i < dim * dim; ++i)
        for (int l = 0; l < width; ++l)
          inverse_jacobian[i / dim][i % dim].v[l] =
            arg.mesh.inverse_jacobians[point_index(elements[l], i, dim * dim, 1)];
    }

    /// Fields of the law at point @p point of a list of @p n_points points an element.
    Field
    load_field(const Number *values, const int point, const int n_points) const
    {
      Field field;
      for (int i = 0; i < n_fields; ++i)
        for (int l = 0; l < width; ++l)
          field[i].v[l] = values[point_index(elements[l], point, n_points, n_fields) + i];
      return field;
    }

    /// States at `point_batch` points from rows `[q][m]` of basis values.
    void
    interpolate(const Number *rows, State *states) const
    {
      for (int q = 0; q < point_batch; ++q)
        for (int c = 0; c < n_components; ++c)
          states[q][c] = T(Number(0));
      for (int m = 0; m < n_modes; ++m)
        for (int c = 0; c < n_components; ++c)
          for (int q = 0; q < point_batch; ++q)
            states[q][c] = states[q][c] + T(rows[q * n_modes + m]) * u[m * n_components + c];
    }

    /// \f$ r_m \mathrel{+}= \sum_q \sum_r \partial_r\phi_m(q) w_q F(u_q)\cdot\nabla\hat x_r \f$.
    void
    add_volume()
    {
      State states[point_batch], fluxes[point_batch][dim];
      for (int q0 = 0; q0 < tables.n_volume_points; q0 += point_batch)
        {
          interpolate(tables.volume_values + q0 * n_modes, states);
          for (int q = 0; q < point_batch; ++q)
            {
              check(states[q]);
              const Field field = load_field(arg.fields.volume, q0 + q, tables.n_volume_points);
              const T     weight(tables.volume_weights[q0 + q]);
              for (int d = 0; d < dim; ++d)
                {
                  fluxes[q][d] = arg.law.flux(states[q], field, inverse_jacobian[d]);
                  for (int c = 0; c < n_components; ++c)
                    fluxes[q][d][c] = weight * fluxes[q][d][c];
                }
            }
          const Number *gradients = tables.volume_gradients + q0 * dim * n_modes;
          for (int m = 0; m < n_modes; ++m)
            for (int q = 0; q < point_batch; ++q)
              for (int d = 0; d < dim; ++d)
                {
                  const T gradient(gradients[(q * dim + d) * n_modes + m]);
                  for (int c = 0; c < n_components; ++c)
                    r[m * n_components + c] = r[m * n_components + c] + gradient * fluxes[q][d][c];
                }
        }
    }

    /// \f$ r_m \mathrel{-}= |F|/\det J \sum_q w_q \phi_m(q) \hat F(u^-_q, u^+_q, n) \f$.
    void
    add_face(const int face)
    {
      find_neighbors(face);
      Vector n;
      T      area = T(Number(0));
      for (int d = 0; d < dim; ++d)
        {
          n[d] = T(Number(0));
          for (int k = 0; k < dim; ++k)
            n[d] = n[d] + T(tables.face_normals[face * dim + k]) * inverse_jacobian[k][d];
          area = area + n[d] * n[d];
        }
      area            = sqrt(area);
      const T inverse = T(Number(1)) / area;
      for (int d = 0; d < dim; ++d)
        n[d] = n[d] * inverse;

      State inside[point_batch], fluxes[point_batch];
      for (int q0 = 0; q0 < tables.n_face_points; q0 += point_batch)
        {
          const Number *values = tables.face_values + (face * tables.n_face_points + q0) * n_modes;
          interpolate(values, inside);
          for (int q = 0; q < point_batch; ++q)
            {
              check(inside[q]);
              State outside = neighbor_state(q0 + q);
              if (at_boundary)
                set_boundary_states(q0 + q, inside[q], outside);
              const Field field = load_field(arg.fields.face,
                                             face * tables.n_face_points + q0 + q,
                                             tables.n_faces * tables.n_face_points);
              const State f     = arg.law.numerical_flux(inside[q], outside, field, n);
              const T     scale = area * T(tables.face_weights[q0 + q]);
              for (int c = 0; c < n_components; ++c)
                fluxes[q][c] = scale * f[c];
              if (at_boundary)
                add_outflow(fluxes[q]);
            }
          for (int m = 0; m < n_modes; ++m)
            for (int q = 0; q < point_batch; ++q)
              {
                const T value(values[q * n_modes + m]);
                for (int c = 0; c < n_components; ++c)
                  r[m * n_components + c] = r[m * n_components + c] - value * fluxes[q][c];
              }
        }
    }

    /// Neighbours of the group across face @p face; at the boundary the element itself stands in.
    void
    find_neighbors(const int face)
    {
      at_boundary = false;
      int neighbors[width];
      for (int l = 0; l < width; ++l)
        {
          const FaceRecord across =
            read_face(arg.mesh.faces + point_index(elements[l], face, tables.n_faces, 1));
          boundary_faces[l]  = across.boundary_face();
          neighbors[l]       = across.element_across(elements[l]);
          neighbor_values[l] = tables.face_values + across.face * tables.n_face_points * n_modes;
          neighbor_points[l] = tables.face_permutations + across.orientation * tables.n_face_points;
          at_boundary |= across.at_boundary();
        }
      gather(arg.u, neighbors, u_neighbor);
    }

    State
    neighbor_state(const int q) const
    {
      const Number *rows[width];
      for (int l = 0; l < width; ++l)
        rows[l] = neighbor_values[l] + neighbor_points[l][q] * n_modes;
      State state;
      for (int c = 0; c < n_components; ++c)
        state[c] = T(Number(0));
      for (int m = 0; m < n_modes; ++m)
        {
          T value;
          for (int l = 0; l < width; ++l)
            value.v[l] = rows[l][m];
          for (int c = 0; c < n_components; ++c)
            state[c] = state[c] + value * u_neighbor[m * n_components + c];
        }
      return state;
    }

    /// Replace the outside states of the lanes at the boundary. They are few: one by one.
    void
    set_boundary_states(const int q, const State &inside, State &outside) const
    {
      for (int l = 0; l < width; ++l)
        if (const int b = boundary_faces[l]; b >= 0)
          {
            const std::size_t point = static_cast<std::size_t>(b) * tables.n_face_points + q;
            Array<Number, n_components> in;
            Array<Number, dim>          normal;
            for (int c = 0; c < n_components; ++c)
              in[c] = inside[c].v[l];
            for (int d = 0; d < dim; ++d)
              normal[d] = arg.boundary.normals[point * dim + d];
            const auto data = arg.boundary.template data_at<n_components>(b, q);
            const auto out  = arg.law.boundary_state(arg.boundary.faces[b].kind, in, data, normal);
            for (int c = 0; c < n_components; ++c)
              outside[c].v[l] = out[c];
          }
    }

    /// Sum up what leaves through boundary faces; @p flux is scaled by the face's area over det J.
    void
    add_outflow(const State &flux) const
    {
      if (arg.coefficients.weight == 0)
        return;
      for (int l = 0; l < width; ++l)
        if (const int b = boundary_faces[l]; b >= 0 && first + l < arg.mesh.n_elements)
          {
            const double scale =
              arg.coefficients.weight * dt / get_lane(abs(determinant<dim>(inverse_jacobian)), l);
            for (int c = 0; c < n_components; ++c)
              arg.boundary.outflow[b * n_components + c] += scale * flux[c].v[l];
          }
    }

    /// Record the first inadmissible state.
    void
    check(const State &state) const
    {
      const auto ok  = arg.law.admissible(state);
      bool       all = true;
      for (int l = 0; l < width; ++l)
        all &= ok[l];
      if (all)
        return;
      int l = 0;
      while (ok[l])
        ++l;
      Array<Number, n_components> bad;
      for (int c = 0; c < n_components; ++c)
        bad[c] = state[c].v[l];
      record_failure(arg.failure,
                     FailureKind::state,
                     elements[l],
                     arg.time->time + arg.coefficients.time * arg.time->dt,
                     bad);
    }

    /// The Runge-Kutta update of the group's elements, in the order of memory.
    void
    update() const
    {
      const int n_lanes = min(width, arg.mesh.n_elements - first);
      if constexpr (element_by_element(n_components))
        {
          for (int l = 0; l < n_lanes; ++l)
            update(coefficient_index(first + l, 0, n_modes, n_components),
                   n_modes * n_components,
                   [&](const int i) { return r[i].v[l]; });
          return;
        }
      Number residual[width * n_components];
      for (int m = 0; m < n_modes; ++m)
        {
          for (int l = 0; l < width; ++l)
            for (int c = 0; c < n_components; ++c)
              residual[l * n_components + c] = r[m * n_components + c].v[l];
          update(coefficient_index(first, m, n_modes, n_components),
                 n_lanes * n_components,
                 [&](const int i) { return residual[i]; });
        }
    }

    /// That of the @p n numbers from @p start on.
    template <typename Residual>
    void
    update(const std::size_t start, const int n, const Residual &residual) const
    {
      const StageCoefficients &k = arg.coefficients;
      const Number             A = k.A;
      const Number             w = k.w * dt;
      const Number             a = k.a;
      const Number             b = k.b;
      const Number             c = k.c * dt;
      const Number             d = k.d;
      for (int i = 0; i < n; ++i)
        {
          Number s = 0;
          if (k.w != 0 || k.d != 0)
            {
              s = w * residual(i);
              if (k.A != 0)
                s += A * arg.accumulator[start + i];
              arg.accumulator[start + i] = s;
            }
          Number out = a * arg.u[start + i] + c * residual(i) + d * s;
          if (k.b != 0)
            out += b * arg.base[start + i];
          arg.out[start + i] = out;
        }
    }

    const Arguments             &arg;
    const ElementTables<Number> &tables;
    const int                    n_modes;
    const double                 dt;

    int    first;
    int    elements[width];
    Vector inverse_jacobian[dim]; ///< `[r][d]`
    T      u[max_modes * n_components];
    T      u_neighbor[max_modes * n_components];
    T      r[max_modes * n_components];

    bool             at_boundary;
    int              boundary_faces[width];
    const Number    *neighbor_values[width];
    const FacePoint *neighbor_points[width];
  };

  /// The stage, and loops that cost little beside it: these move one mode an element, or run once.
  template <typename Law, typename Number>
  class Kernels : public ConservationLawKernels<Law, Number>
  {
    static constexpr int dim          = Law::dimension;
    static constexpr int n_components = Law::n_components;
    static constexpr int n_fields     = Law::n_fields;
    static constexpr int width        = vector_bytes / sizeof(Number);

  public:
    void
    stage(const StageArguments<Law, Number> &arguments) const override
    {
      parallel_for(n_blocks(arguments.mesh.n_elements), [&](const int begin, const int end) {
        Stage<Law, Number> stage(arguments);
        for (int block = begin; block < end; ++block)
          stage.run(block);
      });
    }

    void
    step_size(const StepSizeArguments<Law, Number> &arg) const override
    {
      long long largest = ordered_bits(0.);
      parallel_for(n_blocks(arg.mesh.n_elements), [&](const int begin, const int end) {
        long long largest_here = ordered_bits(0.);
        const int last =
          arg.mesh.n_elements < end * block_size ? arg.mesh.n_elements : end * block_size;
        for (int e = begin * block_size; e < last; ++e)
          {
            const long long bits = ordered_bits(wave_speed_sum(arg, e));
            largest_here         = bits > largest_here ? bits : largest_here;
          }
        raise(largest, largest_here);
      });
      set_step(*arg.time,
               step_from_rate(*arg.time,
                              from_ordered_bits(largest),
                              arg.degree,
                              dim,
                              arg.tables.reference_volume));
    }

    void
    finish_step(TimeState *time) const override
    {
      advance(*time);
    }

    void
    limit(const LimiterArguments<Law, Number> &arg) const override
    {
      parallel_for(n_blocks(arg.mesh.n_elements), [&](const int begin, const int end) {
        const int last =
          arg.mesh.n_elements < end * block_size ? arg.mesh.n_elements : end * block_size;
        for (int first = begin * block_size; first < last; first += width)
          limit_group(arg, first);
      });
    }

    void
    project(const ElementTables<Number> &tables,
            const int                    n_elements,
            const Number                *values,
            Number                      *u) const override
    {
      parallel_for(n_elements, [&](const int begin, const int end) {
        for (int e = begin; e < end; ++e)
          for (int m = 0; m < tables.n_modes; ++m)
            for (int c = 0; c < n_components; ++c)
              {
                Number sum = 0;
                for (int q = 0; q < tables.n_volume_points; ++q)
                  sum += tables.volume_weights[q] * tables.volume_values[q * tables.n_modes + m] *
                         values[point_index(e, q, tables.n_volume_points, n_components) + c];
                u[coefficient_index(e, m, tables.n_modes, n_components) + c] = sum;
              }
      });
    }

    void
    primitive_to_conserved(const Law &law, const int n_points, Number *states) const override
    {
      parallel_for(n_points, [&](const int begin, const int end) {
        for (int i = begin; i < end; ++i)
          {
            auto &state =
              *reinterpret_cast<Array<Number, n_components> *>(states + i * n_components);
            const auto copy = state;
            state           = law.conserved(copy);
          }
      });
    }

  private:
    /// Limit the elements from @p first on, one a SIMD lane. Lanes beyond the last element repeat
    /// it and store nothing.
    static void
    limit_group(const LimiterArguments<Law, Number> &arg, const int first)
    {
      constexpr int                                    n_modes = Simplex<dim>::n_modes(1);
      ElementLimiter<Law, Pack<Number, width>, Number> limiter;
      const int n_lanes = arg.mesh.n_elements - first < width ? arg.mesh.n_elements - first : width;
      const auto mode   = [&](const int e, const int m) {
        return arg.u + coefficient_index(e, m, n_modes, n_components);
      };
      for (int l = 0; l < width; ++l)
        {
          const int    e    = first + (l < n_lanes ? l : n_lanes - 1);
          const Number phi0 = arg.tables.volume_values[0];
          for (int c = 0; c < n_components; ++c)
            limiter.mean[c].v[l] = phi0 * mode(e, 0)[c];
          for (int f = 0; f < limiter.n_faces; ++f)
            {
              const int across =
                read_face(arg.mesh.faces + point_index(e, f, limiter.n_faces, 1)).element_across(e);
              for (int c = 0; c < n_components; ++c)
                limiter.neighbor_means[f][c].v[l] = phi0 * mode(across, 0)[c];
            }
          for (int d = 0; d < dim; ++d)
            for (int c = 0; c < n_components; ++c)
              limiter.slopes[d][c].v[l] = mode(e, 1 + d)[c];
        }
      limiter.run(arg.law,
                  arg.tables.face_values,
                  limiter.n_faces * arg.tables.n_face_points,
                  arg.tables.vertex_values);
      if (any(limiter.factor < Pack<Number, width>(1)))
        for (int d = 0; d < dim; ++d)
          for (int l = 0; l < n_lanes; ++l)
            for (int c = 0; c < n_components; ++c)
              mode(first + l, 1 + d)[c] = limiter.slopes[d][c].v[l];
    }

    /// Raise @p maximum to @p value unless it is larger; the result does not depend on the order.
    static void
    raise(long long &maximum, const long long value)
    {
      long long current = __atomic_load_n(&maximum, __ATOMIC_RELAXED);
      while (current < value &&
             !__atomic_compare_exchange_n(
               &maximum, &current, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        {}
    }
  };

  template <typename Law, typename Number>
  ConservationLawKernels<Law, Number> *
  make_kernels(const ElementTables<Number> &, const int /*degree*/)
  {
    if constexpr (check_law<Law>())
      return new Kernels<Law, Number>;
    else
      return nullptr;
  }

  /// The largest degree that max_modes allows.
  constexpr int
  max_degree(const int dim)
  {
    int degree = 0;
    while ((dim == 2 ? Simplex<2>::n_modes(degree + 1) : Simplex<3>::n_modes(degree + 1)) <=
           max_modes)
      ++degree;
    return degree;
  }

  /// Enter the kernels of a law in the table.
  template <typename Law, typename Number>
  bool
  register_kernels()
  {
    KernelRegistry<ConservationLawKernels<Law, Number>>::cpu[SALTUS_ISA_LEVEL] = {
      &make_kernels<Law, Number>, 0, max_degree(Law::dimension)};
    return true;
  }
} // namespace Saltus::SALTUS_ISA_NAMESPACE

/// Compile the CPU kernels of a law, in both precisions, for the instruction set of this pass.
#define SALTUS_INSTANTIATE_CPU(...)                                                 \
  namespace                                                                         \
  {                                                                                 \
    [[maybe_unused]] const bool SALTUS_CONCATENATE(registered_, __COUNTER__) = [] { \
      using namespace Saltus;                                                       \
      return SALTUS_ISA_NAMESPACE::register_kernels<__VA_ARGS__, double>() &&       \
             SALTUS_ISA_NAMESPACE::register_kernels<__VA_ARGS__, float>();          \
    }();                                                                            \
  }

#endif
