// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_thread_stage_cuh
#define saltus_cuda_operators_conservation_law_thread_stage_cuh

// The fused Runge-Kutta stage with one thread an element, for elements whose coefficients and
// residual fit into registers. As faces have the same number on both sides (for others see
// GivenFaces), all threads use the same entry of a table at the same time: tables are kernel
// arguments, whose entries are operands of the arithmetic.
//
//   name      shape      where          direction
//   u, r      [m][c]     registers      coefficients and residual of the thread's element
//   outside   [q][c]     registers      the neighbour's trace, its points in its order; in 3D in
//                                       shared memory, [q][c][thread], from where they are read
//                                       in the own order

#include <cuda/operators/conservation_law/stage_points.cuh>
#include <cuda/operators/conservation_law/stage_tables.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  /// The reference element as an argument of kernels.
  template <typename Number, int dim, int degree>
  struct ThreadTables
  {
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    static constexpr int n_faces = Simplex<dim>::n_faces;
    static constexpr int nv      = Simplex<dim>::n_quadrature_points(2 * degree);
    static constexpr int nf      = Simplex<dim - 1>::n_quadrature_points(2 * degree + 1);

    Number volume_values[nv][n_modes];
    Number volume_gradients[nv][dim][n_modes]; ///< times the weight
    Number face_values[n_faces][nf][n_modes];
    Number weighted_values[n_faces][nf][n_modes]; ///< times minus the weight
    Number face_normals[n_faces][dim];

    void
    make(const ElementTables<Number> &from)
    {
      copy_table(volume_values, from.volume_values);
      copy_table(volume_gradients, from.volume_gradients);
      copy_table(face_values, from.face_values);
      copy_table(weighted_values, from.face_values);
      copy_table(face_normals, from.face_normals);
      for (int q = 0; q < nv; ++q)
        for (auto &gradient : volume_gradients[q])
          for (Number &entry : gradient)
            entry *= from.volume_weights[q];
      for (auto &face : weighted_values)
        for (int q = 0; q < nf; ++q)
          for (Number &entry : face[q])
            entry *= -from.face_weights[q];
    }
  };

  /// @tparam number that of the numerical flux, see NumericalFluxes
  template <typename Law, typename Number, int degree, int number>
  class ThreadStage
  {
    using Points    = StagePoints<Law, Number, number>;
    using T         = typename Points::T;
    using State     = typename Points::State;
    using Direction = typename Points::Direction;
    using Entries   = Row<Law::n_components, Number>;

    static constexpr int dim = Law::dimension;
    static constexpr int n   = Law::n_components;

  public:
    using value_type = Number;
    using Tables     = ThreadTables<Number, dim, degree>;
    using Arguments  = StageArguments<Law, Number>;

    static constexpr int n_modes = Tables::n_modes, n_faces = Tables::n_faces;
    static constexpr int nv = Tables::nv, nf = Tables::nf;

    static constexpr int n_threads = 128;

    /// Registers that the data take, and blocks a multiprocessor that leave room for the rest.
    static constexpr int data = (2 * n_modes * n + (dim == 2 ? nf * n : n)) * sizeof(Number) / 4;
    static constexpr int min_blocks = data <= 80 ? 4 : (data <= 130 ? 3 : 2);

    /// Multiply-adds, each an instruction of its own.
    static constexpr int n_products = n * n_modes * (nv * (dim + 1) + 3 * n_faces * nf);

    /// In 3D, the neighbours' traces of all threads.
    static constexpr int scratch_size = dim == 2 ? 1 : nf * n * n_threads;

    /// Of the tables.
    static constexpr int n_entries = n_modes * (nv * (dim + 1) + 2 * n_faces * nf);

    /// Beyond, registers are moved to memory, the code (to which the fluxes at every point add as
    /// much) does not fit into its cache, the traces not into the shared memory of a block, or the
    /// tables not into the arguments of a kernel.
    static constexpr bool
      available = nv > 0 && nf > 0 && data <= 200 && n_products <= 3000 &&
                  scratch_size * sizeof(Number) <= 48 << 10 && n_entries * sizeof(Number) <= 30000;

    __device__ __forceinline__
    ThreadStage(const Arguments &arg, const Tables &tables, Number *scratch)
      : points(arg)
      , tables(tables)
      , scratch(scratch)
      , element(points.arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x)
    {}

    __device__ __forceinline__ void
    run()
    {
      const Arguments &arg = points.arg;
      if (element >= arg.mesh.end)
        return;
      bool at_boundary = false;
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        {
          across[f] = read_face(arg.mesh.faces + point_index(element, f, n_faces, 1));
          at_boundary |= across[f].at_boundary();
        }
      points.wait_at_boundary(at_boundary);
      load();
      add_volume();
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        add_face(f);
      add_second_order_terms();
      constexpr int batch = 6; // modes updated together
      const Number *from  = points.old();
#pragma unroll
      for (int first = 0; first < n_modes; first += batch)
        points.template update<n, batch, false>(
          [&](const int i) { return first + i < n_modes; },
          CoefficientLayout{n_modes, n}.index(element, first),
          [&](const int i) {
            return i * CoefficientLayout{n_modes, n}.mode_stride();
          },
          [&](const int i) {
            return Row<n, Number>::read(from +
                                        CoefficientLayout{n_modes, n}.index(element, first + i));
          },
          [&](const int i, const int c) { return u[first + i][c]; },
          [&](const int i, const int c) { return r[first + i][c]; });
      if (failed)
        points.record_failure(element);
    }

  private:
    __device__ __forceinline__ void
    load()
    {
      const Arguments &arg = points.arg;
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
        {
          u[m] = Entries::read(arg.u + CoefficientLayout{n_modes, n}.index(element, m)).values;
#pragma unroll
          for (int c = 0; c < n; ++c)
            r[m][c] = Number(0);
        }
      if (arg.second_order_terms != nullptr)
#pragma unroll
        for (int m = 0; m < n_modes; ++m)
          prefetch(arg.second_order_terms + CoefficientLayout{n_modes, n}.index(element, m));
      geometry = points.geometry(element);
    }

    __device__ __forceinline__ void
    add_second_order_terms()
    {
      if (const Number *from = points.arg.second_order_terms; from != nullptr)
#pragma unroll
        for (int m = 0; m < n_modes; ++m)
          {
            const auto row = Entries::read(from + CoefficientLayout{n_modes, n}.index(element, m));
#pragma unroll
            for (int c = 0; c < n; ++c)
              r[m][c] = r[m][c] + row.values[c];
          }
    }

    /// \f$ \sum_m \text{row}_m u_m \f$
    __device__ __forceinline__ State
    value(const Number (&row)[n_modes]) const
    {
      State state;
#pragma unroll
      for (int c = 0; c < n; ++c)
        {
          state[c] = T(row[0]) * u[0][c];
#pragma unroll
          for (int m = 1; m < n_modes; ++m)
            state[c] = state[c] + T(row[m]) * u[m][c];
        }
      return state;
    }

    __device__ __forceinline__ void
    add_volume()
    {
      const Arguments &arg = points.arg;
#pragma unroll
      for (int q = 0; q < nv; ++q)
        {
          const State state = value(tables.volume_values[q]);
          failed |= !arg.law.admissible(state);
          const auto field = Points::field(arg.fields.volume, element, q, nv);
#pragma unroll
          for (int d = 0; d < dim; ++d)
            {
              const State flux = arg.law.flux(state, field, geometry.metric(d));
#pragma unroll
              for (int m = 1; m < n_modes; ++m) // the first is constant
#pragma unroll
                for (int c = 0; c < n; ++c)
                  r[m][c] = r[m][c] + T(tables.volume_gradients[q][d][m]) * flux[c];
            }
        }
    }

    /// The neighbour's trace, its points in its order.
    __device__ __forceinline__ void
    load_outside(const int f, State (&outside)[nf]) const
    {
      const int neighbor = across[f].element_across(element);
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
        {
          const State of_mode =
            Entries::read(points.arg.u + CoefficientLayout{n_modes, n}.index(neighbor, m)).values;
#pragma unroll
          for (int q = 0; q < nf; ++q)
#pragma unroll
            for (int c = 0; c < n; ++c)
              {
                const T part  = T(tables.face_values[f][q][m]) * of_mode[c];
                outside[q][c] = m == 0 ? part : outside[q][c] + part;
              }
        }
      if constexpr (dim == 3)
#pragma unroll
        for (int q = 0; q < nf; ++q)
#pragma unroll
          for (int c = 0; c < n; ++c)
            own_scratch(q, c) = outside[q][c].v;
    }

    /// The state outside at the element's points of face @p f.
    __device__ __forceinline__ void
    load_across(const int f, State (&states)[nf]) const
    {
      State outside[nf];
      load_outside(f, outside);
#pragma unroll
      for (int q = 0; q < nf; ++q)
        if constexpr (dim == 2)
          {
            // The only other order is the reverse one.
#pragma unroll
            for (int c = 0; c < n; ++c)
              states[q][c] = across[f].orientation == 0 ? outside[q][c] : outside[nf - 1 - q][c];
          }
        else
          {
            const int there =
              __ldg(points.arg.tables.face_permutations + across[f].orientation * nf + q);
#pragma unroll
            for (int c = 0; c < n; ++c)
              states[q][c] = own_scratch(there, c);
          }
      if (across[f].at_boundary())
#pragma unroll
        for (int q = 0; q < nf; ++q)
          states[q] = points.boundary_state(across[f].neighbor, q, nf);
    }

    __device__ __forceinline__ Number &
    own_scratch(const int q, const int c) const
    {
      return scratch[(q * n + c) * n_threads + threadIdx.x];
    }

    __device__ __forceinline__ void
    add_face(const int f)
    {
      const Arguments &arg = points.arg;
      State            outside[nf];
      load_across(f, outside);
      Direction normal;
      const T   area =
        geometry.set_normal([&](const int k) { return tables.face_normals[f][k]; }, normal);
#pragma unroll
      for (int q = 0; q < nf; ++q)
        {
          const State inside = value(tables.face_values[f][q]);
          failed |= !arg.law.admissible(inside);
          const auto field = Points::field(arg.fields.face, element, f * nf + q, n_faces * nf);
          State      flux  = points.numerical_flux(inside, outside[q], field, normal);
#pragma unroll
          for (int c = 0; c < n; ++c)
            flux[c] = flux[c] * area;
          if (across[f].at_boundary() && arg.coefficients.weight != 0)
            points.store_outflow(across[f].neighbor, q, nf, flux);
#pragma unroll
          for (int m = 0; m < n_modes; ++m)
#pragma unroll
            for (int c = 0; c < n; ++c)
              r[m][c] = r[m][c] + T(tables.weighted_values[f][q][m]) * flux[c];
        }
    }

    const Points           points;
    const Tables          &tables;
    Number *const          scratch;
    const int              element;
    bool                   failed = false; ///< whether a state was not admissible
    FaceRecord             across[n_faces];
    State                  u[n_modes], r[n_modes];
    AffineGeometry<dim, T> geometry;
  };
} // namespace Saltus::CudaKernels

#endif
