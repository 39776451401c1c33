// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_team_stage_cuh
#define saltus_cuda_operators_conservation_law_team_stage_cuh

// The fused Runge-Kutta stage of a conservation law.
//
// The general form, for every quadrature and every number of a face on its other side.
//
// One lane a component: a team of n_components lanes owns an element and keeps one component of its
// coefficients each. At the quadrature points they change places: of a batch of n_components points
// each lane takes one, with all components, so that every flux is computed once.
//
//   name             shape  where      direction
//   u, r             [m]    registers  own component's coefficients, residual
//   u_neighbor       [m]    registers  own component of the neighbour at the current face
//   inside, outside  [j]    registers  own component at the points of the batch;
//                                      transposed: all components at the lane's own point
//   flux             [j]    registers  the other way round
//
// It is neither CpuStage nor FlowElement with another number type: those hold all components of
// their elements in one lane, for which a system has no registers here at the degrees that need
// this form. The update stands in full in each stage: through one common function, kernels with one
// thread an element kept less in registers, and this one took more instructions.
//
// The points of all faces are counted through, so that a batch may hold points of two faces. The
// last batch is filled up by repeating the last point with weight 0.

#include <saltus/operators/conservation_law/kernels/launcher.h>

#include <cuda/operators/conservation_law/stage_tables.cuh>
#include <cuda/operators/spaces/team.cuh>

namespace Saltus::CudaKernels
{
  template <typename Law, typename Number>
  __device__ __forceinline__ Array<Number, Law::n_fields>
  load_field(const Number *fields, const int element, const int point, const int n_points)
  {
    Array<Number, Law::n_fields> field;
    for (int i = 0; i < Law::n_fields; ++i)
      field[i] = fields[point_index(element, point, n_points, Law::n_fields) + i];
    return field;
  }

  template <typename Law, typename Number, typename Tables, GeometryKind kind>
  class TeamStage
  {
    static constexpr int dim     = Law::dimension;
    static constexpr int n       = Law::n_components;
    static constexpr int n_modes = Tables::n_modes;
    static constexpr int n_faces = Tables::n_faces;

    using State     = Array<Number, n>;
    using Direction = Array<Number, dim>;
    using Arguments = StageArguments<Law, Number>;

  public:
    using NeighborTables = typename Tables::NeighborTables;

    __device__ __forceinline__
    TeamStage(const Arguments       &arg,
              const Tables          &tables,
              const NeighborTables  &neighbor_tables,
              const Team<Number, n> &team)
      : arg(arg)
      , tables(tables)
      , neighbor_tables(neighbor_tables)
      , team(team)
      , active(team.number() >= 0 && team.number() < arg.mesh.end - arg.mesh.begin)
      , element(active ? arg.mesh.begin + team.number() : arg.mesh.end - 1)
      , geometry(geometry_view<kind>(arg.stored,
                                     element,
                                     affine_geometry<dim>(arg.mesh.inverse_jacobians, element)))
    {
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        across[f] = read_face(arg.mesh.faces + point_index(element, f, n_faces, 1));
      load_coefficients(arg.u, element, u);
      if (arg.second_order_terms != nullptr)
        load_coefficients(arg.second_order_terms, element, r);
      else
#pragma unroll
        for (int m = 0; m < n_modes; ++m)
          r[m] = 0;
    }

    __device__ __forceinline__ void
    add_volume()
    {
      const int n_points = tables.n_volume_points();
#pragma unroll(Tables::unroll)
      for (int first = 0; first < n_points; first += n)
        {
          Number values[n];
#pragma unroll
          for (int j = 0; j < n; ++j)
            {
              const int q = ::min(first + j, n_points - 1);
              values[j]   = 0;
#pragma unroll
              for (int m = 0; m < n_modes; ++m)
                values[j] += tables.volume_value(q, m) * u[m];
            }
          team.transpose(values);

          const State state = to_state(values);
          check(state);
          const int    q = ::min(first + team.rank(), n_points - 1);
          const Number weight =
            first + team.rank() < n_points ? tables.volume_weights[q] : Number(0);
          const auto field = load_field<Law>(arg.fields.volume, element, q, n_points);
          State      fluxes[dim];
#pragma unroll
          for (int d = 0; d < dim; ++d)
            fluxes[d] = arg.law.flux(state, field, geometry.metric(q, d));
#pragma unroll
          for (int d = 0; d < dim; ++d)
            {
              for (int c = 0; c < n; ++c)
                values[c] = weight * fluxes[d][c];
              team.transpose(values);
#pragma unroll
              for (int j = 0; j < n; ++j)
#pragma unroll
                for (int m = 0; m < n_modes; ++m)
                  r[m] += tables.volume_gradient(::min(first + j, n_points - 1), d, m) * values[j];
            }
        }
    }

    __device__ __forceinline__ void
    add_faces()
    {
      const int nf = tables.n_face_points(), n_points = n_faces * nf;
      Number    u_neighbor[n_modes];
      int       loaded = -1;
#pragma unroll(Tables::unroll)
      for (int first = 0; first < n_points; first += n)
        {
          Number inside[n], outside[n];
#pragma unroll
          for (int j = 0; j < n; ++j)
            {
              const int point = ::min(first + j, n_points - 1);
              const int face  = point / nf;
              if (face != loaded)
                {
                  // At the boundary the element itself stands in.
                  load_coefficients(arg.u, across[face].element_across(element), u_neighbor);
                  loaded = face;
                }
              const Number *row = neighbor_tables.row(arg.tables, across[face], point % nf);
              inside[j] = outside[j] = 0;
#pragma unroll
              for (int m = 0; m < n_modes; ++m)
                {
                  inside[j] += tables.face_value(point, m) * u[m];
                  outside[j] += row[m] * u_neighbor[m];
                }
            }
          team.transpose(inside);
          team.transpose(outside);

          const int mine = first + team.rank();
          Number    values[n];
          set_face_flux(mine, to_state(inside), to_state(outside), values);
          team.transpose(values);

#pragma unroll
          for (int j = 0; j < n; ++j)
            {
              const int point = ::min(first + j, n_points - 1);
#pragma unroll
              for (int m = 0; m < n_modes; ++m)
                r[m] -= tables.face_value(point, m) * values[j];
            }
        }
    }

    /// \f$ r_m \leftarrow \sum_q w_q \phi_m(q) \tilde J_q^{-1} \sum_n \phi_n(q) r_n \f$.
    __device__ __forceinline__ void
    apply_inverse_mass()
    {
      Number result[n_modes];
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
        result[m] = 0;
      for (int q = 0; q < tables.n_volume_points(); ++q)
        {
          Number value = 0;
#pragma unroll
          for (int m = 0; m < n_modes; ++m)
            value += tables.volume_value(q, m) * r[m];
          value *= tables.volume_weights[q] * geometry.inverse_mass(q);
#pragma unroll
          for (int m = 0; m < n_modes; ++m)
            result[m] += tables.volume_value(q, m) * value;
        }
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
        r[m] = result[m];
    }

    /// The Runge-Kutta update.
    __device__ __forceinline__ void
    update() const
    {
      if (!active)
        return;
      const StageCoefficients  &k = arg.coefficients;
      const StageUpdate<Number> by(k, *arg.dt);
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
        {
          const std::size_t i = index(element, m);
          Number            s = 0;
          if (k.accumulates())
            {
              s = by.accumulator(k.reads_accumulator() ? arg.accumulator[i] : Number(0), r[m]);
              arg.accumulator[i] = s;
            }
          arg.out[i] = by.state(u[m], k.has_base ? arg.base[i] : Number(0), r[m], s);
        }
    }

  private:
    __device__ __forceinline__ std::size_t
                               index(const int e, const int mode) const
    {
      return CoefficientLayout{n_modes, n}.index(e, mode) + team.rank();
    }

    __device__ __forceinline__ void
    load_coefficients(const Number *vector, const int e, Number (&to)[n_modes]) const
    {
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
        to[m] = __ldg(vector + index(e, m));
    }

    static __device__ __forceinline__ State
    to_state(const Number (&values)[n])
    {
      State state;
      for (int c = 0; c < n; ++c)
        state[c] = values[c];
      return state;
    }

    /// Record the first inadmissible state.
    __device__ __forceinline__ void
    check(const State &state) const
    {
      if (active && !arg.law.admissible(state))
        record_failure(arg.failure,
                       FailureKind::state,
                       element,
                       arg.time->time + arg.coefficients.time * arg.time->dt,
                       state);
    }

    /// Numerical flux at point @p mine of the faces, times weight and area over |det J|; beyond the
    /// last point 0. At the boundary the state outside was given, and the flux is left in its
    /// place.
    __device__ __forceinline__ void
    set_face_flux(const int mine, const State &inside, State outside, Number (&values)[n]) const
    {
      const int nf = tables.n_face_points(), n_points = n_faces * nf;
      const int point = ::min(mine, n_points - 1), face = point / nf, q = point % nf;
      check(inside);
      int boundary_face = -1;
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        if (f == face)
          boundary_face = across[f].boundary_face();
      Number *given = nullptr;
      if (boundary_face >= 0)
        {
          given = arg.boundary.states + (static_cast<std::size_t>(boundary_face) * nf + q) * n;
          for (int c = 0; c < n; ++c)
            outside[c] = given[c];
        }

      Direction    normal;
      const Number area = geometry.set_normal(
        face, q, [&](const int k) { return tables.face_normals[face][k]; }, normal);
      const auto field = load_field<Law>(arg.fields.face, element, point, n_points);
      State      flux  = arg.law.numerical_flux(inside, outside, field, normal);
      const bool leaves =
        boundary_face >= 0 && active && mine < n_points && arg.coefficients.weight != 0;
      const Number weight = mine < n_points ? tables.face_weights[q] : Number(0);
#pragma unroll
      for (int c = 0; c < n; ++c)
        {
          flux[c] *= area;
          if (leaves)
            given[c] = flux[c];
          values[c] = weight * flux[c];
        }
    }

    const Arguments       &arg;
    const Tables          &tables;
    const NeighborTables  &neighbor_tables;
    const Team<Number, n> &team;
    const bool active; ///< else it repeats the last element of the range and stores nothing
    const int  element;
    const GeometryView<kind, dim, Number, Number> geometry;
    FaceRecord                                    across[n_faces];
    Number                                        u[n_modes];
    Number                                        r[n_modes];
  };
} // namespace Saltus::CudaKernels

#endif
