// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_hanging_flux_group_cuh
#define saltus_cuda_operators_conservation_law_hanging_flux_group_cuh

// The fluxes through hanging faces that hanging_fluxes.h computes point by point, by groups of
// lanes that have a face each, and a lane a point. What is interpolated to the parts and back is in
// shared memory, and interpolated in one direction after the other.

#include <saltus/operators/spaces/hanging_steps.h>

#include <cuda/operators/conservation_law/column_points.cuh>

namespace Saltus::CudaKernels
{
  /// @tparam number that of the numerical flux, see NumericalFluxes
  template <typename Law, typename Number, int degree, int number>
  class HangingFluxGroup
  {
    using Points    = StagePoints<Law, Number, number>;
    using Column    = ColumnPoints<Law, Number, degree + 1>;
    using Across    = typename Column::Lines;
    using T         = typename Points::T;
    using State     = typename Points::State;
    using Direction = typename Points::Direction;

    static constexpr int dim     = Law::dimension;
    static constexpr int nc      = Law::n_components;
    static constexpr int n       = degree + 1;
    static constexpr int n_lanes = power(n, dim - 1);
    static constexpr int of_face = nc * n_lanes; ///< numbers

  public:
    using Arguments  = StageArguments<Law, Number>;
    using value_type = Number;
    using Lines      = LineTables<Number, n>;

    /// Groups do not cross warps.
    static constexpr bool available = n_lanes <= 32;
    static constexpr int  per_warp  = available ? 32 / n_lanes : 1;
    static constexpr int  n_threads = 128;
    static constexpr int  per_block = n_threads / 32 * per_warp;

    /// `to_part[half][q][a]` and `from_part[half][a][q]`, see HangingArrays.
    struct Tables
    {
      Number to_part[2][n][n], from_part[2][n][n];
    };

    /// Room for a group: values at the points of the face, and those on two halves.
    struct Room
    {
      Number values[of_face], halves[2][of_face];
    };

    __device__ __forceinline__
    HangingFluxGroup(const Arguments   &arg,
                     const Lines       &lines,
                     const HangingRange range,
                     Tables            &tables,
                     Room              *rooms)
      : points(arg)
      , lines(lines)
      , range(range)
      , tables(tables)
      , lane(threadIdx.x % 32)
      , group(threadIdx.x / 32 * per_warp + ::min(lane / n_lanes, per_warp - 1))
      , room(rooms[group])
      , q(lane % n_lanes)
      , a(q % n)
      , b(q / n)
      , order(lines, a, b)
    {
      const int wanted = range.first + blockIdx.x * per_block + group;
      is_own           = has_place() && wanted < arg.hanging.n_faces;
      h                = ::min(wanted, arg.hanging.n_faces - 1);
      for (int i = threadIdx.x; i < 2 * n * n; i += n_threads)
        {
          (&tables.to_part[0][0][0])[i]   = arg.hanging.line_interpolation[i];
          (&tables.from_part[0][0][0])[i] = arg.hanging.line_projection[i];
        }
      __syncthreads();
    }

    __device__ __forceinline__ void
    run()
    {
      // Where nothing hangs, the stage needs none of the results.
      CudaRuntime::let_next_kernel_begin();
      const auto &hanging = points.arg.hanging;
      // Groups of a warp go through all steps together.
      const LargerFace face = hanging.faces[h];
      // The larger side needs all parts: where some have ghosts they are all done again then.
      const bool sums = range.with_ghosts || h < hanging.n_faces_here;
      if (!range.with_ghosts && face.element >= range.first_ghost)
        is_own = false;
      spread(state_across(record(face.element, face.face, 0)));
      State sum;
#pragma unroll
      for (int c = 0; c < nc; ++c)
        sum[c] = T(Number(0));
      for (int p = 0; __any_sync(~0U, p < face.n_parts); ++p)
        {
          const bool     exists = p < face.n_parts;
          const int      i      = face.first_part + ::min(p, face.n_parts - 1);
          const FacePart part   = hanging.parts[i];
          State          flux   = flux_out_of(part, i, exists);
          const T        ratio(exists ? hanging.volume_ratios[i] : Number(0));
#pragma unroll
          for (int c = 0; c < nc; ++c)
            flux[c] = ratio * flux[c];
          subtract_projection(flux, part.sub_face, sum);
        }
      if (is_own && sums)
        write(h, q, sum);
    }

  private:
    /// Whether the lane has a place of its own in the room of its group: lanes that are too few for
    /// a group repeat some of the last one, and write nothing.
    __device__ __forceinline__ bool
    has_place() const
    {
      return 32 % n_lanes == 0 || lane < per_warp * n_lanes;
    }

    static __device__ __forceinline__ FaceRecord
    record(const int element, const int face, const int orientation)
    {
      FaceRecord result;
      result.neighbor    = element;
      result.face        = face;
      result.orientation = orientation;
      return result;
    }

    __device__ __forceinline__ State
    state_across(const FaceRecord &there) const
    {
      return Column::state_across(
        points.arg.u, lines, order, there.neighbor, Across(there, Column::of_layer), a, b);
    }

    /// \f$ \sum_i \text{factor}_i \text{values}_i \f$
    static __device__ __forceinline__ T
    dot(const Number (&factors)[n], const Number *values)
    {
      T result = Number(0);
#pragma unroll
      for (int i = 0; i < n; ++i)
        result = result + T(factors[i]) * T(values[i]);
      return result;
    }

    /// For the other lanes of the group.
    __device__ __forceinline__ void
    put(const State &state, Number *to, const int place) const
    {
      if (has_place())
        {
#pragma unroll
          for (int c = 0; c < nc; ++c)
            to[c * n_lanes + place] = state[c].v;
        }
    }

    /// Leave the larger side's state for the parts: on hexahedra at points of both halves in the
    /// first direction.
    __device__ __forceinline__ void
    spread(const State &state)
    {
      put(state, room.values, q);
      __syncwarp();
      if constexpr (dim == 3)
        {
#pragma unroll
          for (int half = 0; half < 2; ++half)
            {
              State on_half;
#pragma unroll
              for (int c = 0; c < nc; ++c)
                on_half[c] = dot(tables.to_part[half][a], room.values + (c * n + b) * n);
              put(on_half, room.halves[half], a * n + b);
            }
          __syncwarp();
        }
    }

    /// The flux out of a part at the point that the lane has there, times the area over |det J|.
    __device__ __forceinline__ State
    flux_out_of(const FacePart &part, const int i, const bool exists)
    {
      const auto      &arg    = points.arg;
      const FaceRecord there  = record(part.element, part.face, part.orientation);
      const State      inside = state_across(there);
      State            outside;
#pragma unroll
      for (int c = 0; c < nc; ++c)
        outside[c] = dim == 2 ? dot(tables.to_part[part.sub_face][a], room.values + c * n)
                              : dot(tables.to_part[part.sub_face / 2][b],
                                    room.halves[part.sub_face % 2] + (c * n + a) * n);
      const int         point = Across::face_points(there).at(a, b);
      const std::size_t place = static_cast<std::size_t>(i) * n_lanes + point;
      Direction         normal;
#pragma unroll
      for (int d = 0; d < dim; ++d)
        normal[d] = T(arg.hanging.normals[place * dim + d]);
      const T    area  = make_unit(normal);
      const auto field = Points::field(arg.fields.face,
                                       part.element,
                                       part.face * n_lanes + point,
                                       2 * dim * n_lanes);
      State      flux  = points.numerical_flux(inside, outside, field, normal);
#pragma unroll
      for (int c = 0; c < nc; ++c)
        flux[c] = area * flux[c];
      const bool is_asked_for = range.has(part.element, arg.hanging.faces[part.larger].element);
      if (is_own && exists && is_asked_for)
        write(arg.hanging.n_faces + i, point, flux);
      return flux;
    }

    /// Of what is at the points of a part, see HangingArrays::projection.
    __device__ __forceinline__ void
    subtract_projection(const State &at_part, const int sub_face, State &sum)
    {
      __syncwarp();
      put(at_part, from_parts(), q);
      __syncwarp();
      if constexpr (dim == 2)
        {
#pragma unroll
          for (int c = 0; c < nc; ++c)
            sum[c] = sum[c] - dot(tables.from_part[sub_face][a], from_parts() + c * n);
        }
      else
        {
          State along;
#pragma unroll
          for (int c = 0; c < nc; ++c)
            along[c] = dot(tables.from_part[sub_face % 2][a], from_parts() + (c * n + b) * n);
          __syncwarp();
          put(along, from_parts(), a * n + b);
          __syncwarp();
#pragma unroll
          for (int c = 0; c < nc; ++c)
            sum[c] =
              sum[c] - dot(tables.from_part[sub_face / 2][b], from_parts() + (c * n + a) * n);
        }
    }

    /// Room that nothing else is in then.
    __device__ __forceinline__ Number *
    from_parts() const
    {
      return dim == 2 ? room.halves[0] : room.values;
    }

    __device__ __forceinline__ void
    write(const int side, const int point, const State &flux) const
    {
      constexpr SideFluxLayout layout{n_lanes, nc};
      constexpr int            together = layout.component_by_component() ? 1 : nc;
#pragma unroll
      for (int c = 0; c < nc; c += together)
        {
          Row<together, Number> row;
#pragma unroll
          for (int l = 0; l < together; ++l)
            row.values[l] = flux[c + l];
          row.write(points.arg.hanging.fluxes + layout.index(side, point, c));
        }
    }

    const Points                 points;
    const Lines                 &lines;
    const HangingRange           range; ///< of hanging faces
    const Tables                &tables;
    const int                    lane;
    const int                    group; ///< in the block
    Room                        &room;
    const int                    q, a, b; ///< point, and its indices
    const typename Column::Order order;
    bool                         is_own; ///< whether the lane has a point that no other has
    int                          h;
  };
} // namespace Saltus::CudaKernels

#endif
