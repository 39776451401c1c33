// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_tensor_cuh
#define saltus_cuda_operators_conservation_law_second_order_tensor_cuh

// Second-order fluxes with tensor cores in double precision, see element_warp.cuh and, for the
// formulas, SecondOrderElement. Beside values there are derivatives in reference directions:
//
//   values        [k][i][c]           k = 0: value, 1 + r: derivative in direction r
//   volume        [q][values k, then derivatives as test functions, then values as such]
//   faces         [f][q][values k, then test functions k], each [j][lane][step]
//
// The last point is repeated where tiles are filled up, with the weight 0: fluxes are divided by
// the density.

#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/conservation_law/kernels/second_order_terms.h>

#include <algorithm>
#include <cuda/operators/spaces/element_warp.cuh>
#include <vector>

namespace Saltus::CudaKernels
{
  /// What one warp does, see ElementWarpLauncher.
  template <typename Law, int degree, GeometryKind kind>
  class SecondOrderWarp : ElementWarp<Law::dimension, degree>
  {
    static constexpr int dim = Law::dimension, n = Law::n_components;
    static constexpr int n_values = 1 + dim;

    using Lanes = ElementWarp<dim, degree>;
    using Lanes::accessed;
    using Lanes::element;
    using Lanes::face;
    using Lanes::for_modes;
    using Lanes::has_step;
    using Lanes::lane;
    using Lanes::multiply_add;
    using Lanes::n_modes;
    using Lanes::n_tiles;
    using Lanes::set_zero;
    using Lanes::t;

    /// Tiles of a neighbour's modes that are worked on at a time.
    static constexpr int mode_batch = std::clamp(8 / n, 1, n_tiles);

    using KeptInput = KeptModes<n_tiles, n, 20>;

    using Geometry  = GeometryView<kind, dim, double, double>;
    using Terms     = SecondOrderTerms<Law, double, double>;
    using State     = typename Terms::State;
    using Trace     = typename Terms::Trace;
    using Direction = typename Terms::Direction;
    using Values    = double[n_values][2][n];

  public:
    using Arguments = SecondOrderArguments<Law, double>;

    static constexpr int n_warps    = 4; ///< of a block
    static constexpr int min_blocks = dim == 2 && n_tiles <= 2 ? 3 : 2;

    static constexpr bool is_faster = true;

    static constexpr int n_compiled_face_tiles = 0;

    static bool
    fits(const ElementTables<double> &host)
    {
      return host.face_gradients != nullptr;
    }

    static constexpr int
    memory(const int n_face_tiles)
    {
      return KeptInput::memory + n_values * n * n_face_tiles * 64;
    }

    static std::vector<double>
    make_volume_operands(const ElementTables<double> &host)
    {
      std::vector<double> table;
      for (int q = 0; q < host.n_volume_points; q += 8)
        {
          const Rule rule = {host.volume_values,
                             host.volume_gradients,
                             host.volume_weights,
                             host.n_volume_points};
          for (int k = 0; k < n_values; ++k)
            rule.append_values(table, q, k);
          for (int k = 1; k < n_values; ++k)
            rule.append_tests(table, q, k, -1.);
          rule.append_tests(table, q, 0, 1.);
        }
      return table;
    }

    static std::vector<double>
    make_face_operands(const ElementTables<double> &host)
    {
      const int           nf = host.n_face_points;
      std::vector<double> table;
      for (int f = 0; f < host.n_faces; ++f)
        for (int q = 0; q < nf; q += 8)
          {
            const Rule rule = {host.face_values + f * nf * n_modes,
                               host.face_gradients + f * nf * dim * n_modes,
                               host.face_weights,
                               nf};
            for (int k = 0; k < n_values; ++k)
              rule.append_values(table, q, k);
            for (int k = 0; k < n_values; ++k)
              rule.append_tests(table, q, k, k == 0 ? 1. : 0.5);
          }
      return table;
    }

    __device__ __forceinline__
    SecondOrderWarp(const Arguments    &arg,
                    const WarpOperands &operands,
                    const int           first,
                    double             *memory)
      : Lanes(arg.mesh, first)
      , arg(arg)
      , operands(operands)
      , terms(arg)
      , geometry(geometry_view<kind>(arg.stored, element, Lanes::geometry))
      , traces(memory + KeptInput::memory)
      , input(memory + lane)
    {}

    __device__ __forceinline__ void
    run()
    {
      CudaRuntime::wait_for_kernel_before();
      load_input();
      set_zero(sums);
      add_volume();
#pragma unroll 1
      for (int f = 0; f <= dim; ++f)
        add_face(f);
      if constexpr (!Geometry::is_constant)
        apply_inverse_mass();
      update();
    }

  private:
    /// The basis at the points of a quadrature.
    struct Rule
    {
      const double *values, *gradients, *weights; ///< see ElementTables
      int           n_points;

      /// Value k of mode @p m at a point.
      double
      value(const int k, const int point, const int m) const
      {
        if (m >= n_modes)
          return 0.;
        const int q = std::min(point, n_points - 1);
        return k == 0 ? values[q * n_modes + m] : gradients[(q * dim + k - 1) * n_modes + m];
      }

      /// Of the points from @p q on.
      void
      append_values(std::vector<double> &table, const int q, const int k) const
      {
        append_operands(table, n_modes, [&](const int first, const int row, const int column) {
          return value(k, q + column, first + row);
        });
      }

      void
      append_tests(std::vector<double> &table, const int q, const int k, const double factor) const
      {
        append_operands(table, n_modes, [&](const int first, const int row, const int column) {
          return q + row < n_points ? factor * weights[q + row] * value(k, q + row, first + column)
                                    : 0.;
        });
      }
    };

    static constexpr int n_volume_operands = 2 * n_values * n_tiles * 32; ///< of a tile of points
    static constexpr int n_face_operands   = n_volume_operands;

    /// The operands of a product with all tiles of modes.
    static __device__ __forceinline__ const double2 *
    product(const double2 *operands, const int i)
    {
      return operands + i * n_tiles * 32;
    }

    __device__ __forceinline__ void
    load_input()
    {
#pragma unroll
      for (int first = 0; first < n_tiles; first += mode_batch)
        {
          double modes[mode_batch][2][n];
          read(accessed, arg.u, first, modes);
          this->hand_over(modes);
#pragma unroll
          for (int j = 0; j < mode_batch; ++j)
            if (first + j < n_tiles)
              input.set(first + j, modes[j]);
        }
    }

    /// Read the modes of element @p of in the tiles from @p first on.
    template <int n_read>
    __device__ __forceinline__ void
    read(const int of, const double *vector, const int first, double (&to)[n_read][2][n]) const
    {
      Row<n, double> rows[n_read][2];
      this->read_modes(vector, of, first, rows);
#pragma unroll
      for (int j = 0; j < n_read; ++j)
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int c = 0; c < n; ++c)
            to[j][i][c] = has_step(first + j, i) ? rows[j][i].values[c].v : 0.;
    }

    /// Artificial viscosity of an element.
    __device__ __forceinline__ double
    viscosity_of(const int of) const
    {
      return arg.viscosities == nullptr ? 0.
                                        : arg.viscosities[CoefficientLayout{1, 1}.index(of, 0)];
    }

    /// Values at the points of a tile with the operands @p from on.
    __device__ __forceinline__ void
    interpolate(const double2 *from, Values &values) const
    {
      set_zero(values);
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
          double modes[2][n];
          input.get(j, modes);
#pragma unroll
          for (int k = 0; k < n_values; ++k)
            multiply_add(values[k], modes, __ldg(product(from, k) + 32 * j), has_step(j, 1));
        }
    }

    /// Add the products of a flux at the points of a tile with the test functions at @p from.
    __device__ __forceinline__ void
    test(const double2 *from, const double (&flux)[2][n])
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        multiply_add(sums[j], flux, __ldg(from + 32 * j));
    }

    /// @param value `(k, c)`
    /// @param map the tangent map there
    template <typename Value, typename Map>
    static __device__ __forceinline__ Trace
    trace_of(const Value &value, const Map &map)
    {
      Trace result;
#pragma unroll
      for (int c = 0; c < n; ++c)
        {
          result.value[c]          = value(0, c);
          const Direction gradient = map.gradient([&](const int r) { return value(1 + r, c); });
#pragma unroll
          for (int d = 0; d < dim; ++d)
            result.gradient[d][c] = gradient[d];
        }
      return result;
    }

    static __device__ __forceinline__ void
    set(double (&to)[n], const State &from, const double factor)
    {
#pragma unroll
      for (int c = 0; c < n; ++c)
        to[c] = factor * from[c];
    }

    __device__ __forceinline__ void
    add_volume()
    {
      const double   viscosity = viscosity_of(element);
      const double2 *from      = operands.volume + lane;
#pragma unroll 1
      for (int tile = 0; tile < operands.n_volume_tiles; ++tile, from += n_volume_operands)
        {
          Values values;
          interpolate(from, values);
          double fluxes[dim][2][n];
#pragma unroll
          for (int i = 0; i < 2; ++i)
            {
              const int   q   = ::min(8 * tile + 4 * i + t, arg.tables.n_volume_points - 1);
              const auto  map = geometry.at_volume_point(q); // times the relative volume
              const Trace at =
                trace_of([&](const int k, const int c) { return values[k][i][c]; }, map);
              const double factor = 1. / geometry.relative_volume(q);
#pragma unroll
              for (int r = 0; r < dim; ++r)
                set(fluxes[r][i],
                    terms.flux(at.value, at.gradient, viscosity, map.metric(r)),
                    factor);
            }
#pragma unroll
          for (int r = 0; r < dim; ++r)
            test(product(from, n_values + r), fluxes[r]);
        }
    }

    __device__ __forceinline__ const double2 *
    face_operands(const int f, const int tile) const
    {
      return operands.faces + (f * operands.n_face_tiles + tile) * n_face_operands + lane;
    }

    /// Value k of component @p c that the neighbour has at point number @p point.
    __device__ __forceinline__ double &
    trace(const int k, const int c, const int point) const
    {
      return traces[(k * n + c) * operands.n_face_tiles * 64 + this->place_of_trace(point)];
    }

    /// Leave the values of the neighbours across face @p f in traces, at the points of the face
    /// that is number @p number on their side, if this is @p wanted.
    __device__ __forceinline__ void
    set_traces(const int f, const int number, const bool wanted) const
    {
      const int neighbor = face(f, this->lane_of_accessed()).element_across(accessed);
#pragma unroll 1
      for (int tile = 0; tile < operands.n_face_tiles; ++tile)
        {
          const double2 *from = face_operands(number, tile);
          Values         values;
          set_zero(values);
#pragma unroll
          for (int first = 0; first < n_tiles; first += mode_batch)
            {
              double modes[mode_batch][2][n];
              read(neighbor, arg.u, first, modes);
              this->hand_over(modes);
#pragma unroll
              for (int j = 0; j < mode_batch; ++j)
                if (first + j < n_tiles)
#pragma unroll
                  for (int k = 0; k < n_values; ++k)
                    multiply_add(values[k],
                                 modes[j],
                                 __ldg(product(from, k) + 32 * (first + j)),
                                 has_step(first + j, 1));
            }
          if (wanted)
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
              for (int k = 0; k < n_values; ++k)
#pragma unroll
                for (int c = 0; c < n; ++c)
                  trace(k, c, 8 * tile + 4 * i + t) = values[k][i][c];
        }
    }

    /// What a face of the lane's element has at all of its points.
    struct Face
    {
      int                         number;
      FaceRecord                  across;
      double                      factor; ///< see SecondOrderTerms::penalty_factor()
      double                      viscosity_in, viscosity_out;
      AffineGeometry<dim, double> affine_across;
    };

    __device__ __forceinline__ auto
    geometry_across(const Face &face) const
    {
      if constexpr (Geometry::is_constant)
        return face.affine_across;
      else
        return typename Geometry::Across(geometry);
    }

    __device__ __forceinline__ void
    add_face(const int f)
    {
      Face here;
      here.number = f;
      here.across = face(f, lane);
      __syncwarp();
      this->for_numbers(this->number_across(here.across, f),
                        ~0U,
                        [&](const int present, const bool wanted) {
                          set_traces(f, present, wanted);
                        });
      __syncwarp();

      const int neighbor = here.across.element_across(element);
      here.affine_across = affine_geometry<dim>(arg.mesh.inverse_jacobians, neighbor);
      here.factor =
        terms.penalty_factor(geometry.volume_factor(), here.affine_across.volume_factor());
      here.viscosity_in  = here.across.at_boundary() ? 0. : viscosity_of(element);
      here.viscosity_out = viscosity_of(neighbor);

      State outflow = Terms::zero();
#pragma unroll 1
      for (int tile = 0; tile < operands.n_face_tiles; ++tile)
        {
          const double2 *from = face_operands(f, tile);
          Values         values;
          double         fluxes[n_values][2][n];
          interpolate(from, values);
#pragma unroll
          for (int i = 0; i < 2; ++i)
            set_fluxes(here, 8 * tile + 4 * i + t, i, values, fluxes, outflow);
#pragma unroll
          for (int k = 0; k < n_values; ++k)
            test(product(from, n_values + k), fluxes[k]);
        }
      if (arg.coefficients.weight != 0)
        add_outflow(here.across, outflow);
    }

    /// Set the fluxes for the test functions at a point of a face; add what leaves there.
    __device__ __forceinline__ void
    set_fluxes(const Face   &face,
               const int     point,
               const int     i,
               const Values &values,
               double (&fluxes)[n_values][2][n],
               State &outflow) const
    {
      const int    n_points = arg.tables.n_face_points, f = face.number;
      const int    q    = ::min(point, n_points - 1);
      const int    slot = this->point_across(face.across, point, n_points, arg.tables);
      Direction    normal;
      const double length = geometry.set_normal(
        f, q, [&](const int r) { return __ldg(arg.tables.face_normals + f * dim + r); }, normal);
      const double sigma = face.factor * length;
      const auto   map   = geometry.at_face_point(f, q);
      const Trace inside = trace_of([&](const int k, const int c) { return values[k][i][c]; }, map);
      State       normal_flux = Terms::zero(), jump;
      if (const int b = face.across.boundary_face(); b >= 0)
        {
          terms.set_boundary(b, q, inside, sigma, normal, normal_flux, jump);
          if (point < n_points)
            Terms::add(__ldg(arg.tables.face_weights + q) * length, normal_flux, outflow);
        }
      else
        {
          const Trace outside =
            trace_of([&](const int k, const int c) { return trace(k, c, slot); },
                     geometry_across(face).at_face_point(f, q));
#pragma unroll
          for (int c = 0; c < n; ++c)
            jump[c] = inside.value[c] - outside.value[c];
          Terms::add(0.5,
                     terms.penalized_flux(inside, jump, sigma, face.viscosity_in, normal),
                     normal_flux);
          Terms::add(0.5,
                     terms.penalized_flux(outside, jump, sigma, face.viscosity_out, normal),
                     normal_flux);
        }
      set(fluxes[0][i], normal_flux, length);
      const auto of_jump = Terms::outer(jump, normal);
#pragma unroll
      for (int r = 0; r < dim; ++r)
        set(fluxes[1 + r][i],
            terms.flux(inside.value, of_jump, face.viscosity_in, map.metric(r)),
            length);
    }

    /// The points of a face are those of four lanes.
    __device__ __forceinline__ void
    add_outflow(const FaceRecord &across, const State &of_lane) const
    {
      const int b = across.boundary_face();
      if (!__any_sync(~0U, b >= 0))
        return;
      const double factor = arg.coefficients.weight * *arg.dt * geometry.volume_factor();
#pragma unroll
      for (int c = 0; c < n; ++c)
        {
          double sum = of_lane[c];
          sum += __shfl_xor_sync(~0U, sum, 1);
          sum += __shfl_xor_sync(~0U, sum, 2);
          if (b >= 0 && t == 0 && element < arg.mesh.end)
            arg.boundary.outflow[b * n + c] -= factor * sum;
        }
    }

    /// See AffineGeometry::inverse_mass().
    __device__ __forceinline__ void
    apply_inverse_mass()
    {
#pragma unroll
      for (int j = 0; j < n_tiles; ++j)
        {
          input.set(j, sums[j]);
          set_zero(sums[j]);
        }
      const double2 *from = operands.volume + lane;
#pragma unroll 1
      for (int tile = 0; tile < operands.n_volume_tiles; ++tile, from += n_volume_operands)
        {
          double values[2][n];
          set_zero(values);
#pragma unroll
          for (int j = 0; j < n_tiles; ++j)
            {
              double modes[2][n];
              input.get(j, modes);
              multiply_add(values, modes, __ldg(from + 32 * j), has_step(j, 1));
            }
#pragma unroll
          for (int i = 0; i < 2; ++i)
            {
              const int    q      = ::min(8 * tile + 4 * i + t, arg.tables.n_volume_points - 1);
              const double factor = geometry.inverse_mass(q);
#pragma unroll
              for (int c = 0; c < n; ++c)
                values[i][c] *= factor;
            }
          test(product(from, 2 * n_values - 1), values);
        }
    }

    /// As if the stage had had the flux, too.
    __device__ __forceinline__ void
    update()
    {
      this->hand_back(sums);
      if (accessed >= arg.mesh.end)
        return;
      const StageCoefficients &k  = arg.coefficients;
      const double             dt = *arg.dt;
      if (k.w != 0)
        add_sums(arg.accumulator, k.w * dt);
      add_sums(arg.out, (k.c + k.d * k.w) * dt);
    }

    __device__ __forceinline__ void
    add_sums(double *to, const double factor) const
    {
      double values[n_tiles][2][n];
      for_modes([&](const int j, const int i) {
        const auto row = Row<n, double>::read(to + Lanes::template position<n>(j, i));
#pragma unroll
        for (int c = 0; c < n; ++c)
          values[j][i][c] = row.values[c].v + factor * sums[j][i][c];
      });
      for_modes([&](const int j, const int i) { this->write_mode(values[j][i], to, j, i); });
    }

    const Arguments    &arg;
    const WarpOperands &operands;
    const Terms         terms;
    const Geometry      geometry;
    double *const       traces; ///< see trace()

    KeptInput input;
    double    sums[n_tiles][2][n];
  };
} // namespace Saltus::CudaKernels

#endif
