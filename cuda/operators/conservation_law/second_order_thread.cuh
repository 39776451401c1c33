// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_thread_cuh
#define saltus_cuda_operators_conservation_law_second_order_thread_cuh

// Second-order fluxes with one thread an element, for low degrees: for the formulas see
// SecondOrderElement. With tensor cores, half of the work there is for points and modes that only
// fill up fours and eights.
//
// In elements of degree 1 the gradient is the same everywhere. If they are straight, what a flux
// needs of it is formed once a face, and the flux of a jump, which is multiplied with the gradients
// of test functions, is summed up over the face's points first. If they are bent, so are they on
// faces, where functions and test functions are known by their value at the first point and their
// derivatives in the directions of FaceFrame.
//
//   shared memory of a block, in this order
//   values     [f][q][(1 + i) m]   of the modes and, above degree 1, their derivatives, at faces'
//                                  points
//   normals    [f][m]              derivatives of the modes along the reference normal, for bent
//                                  elements of degree 1
//   rows       [warp][3][32][..]   coefficients of elements and maybe inverse Jacobians: the own
//                                  ones, of which the residual takes the place at last, and those
//                                  of two neighbours in turn
//   points     [o][q]              the neighbour's number of a face's point

#include <cuda/operators/conservation_law/face_directions.cuh>
#include <cuda/operators/conservation_law/second_order_boundary.cuh>
#include <cuda/operators/conservation_law/stage_tables.cuh>
#include <cuda/operators/spaces/quick_number.cuh>
#include <cuda/operators/spaces/tensor_core.cuh>

namespace Saltus::CudaKernels
{
  /// Faces of elements of degree 1, with the directions of FaceFrame.
  template <int dim>
  struct LinearFaces
  {
    static constexpr int n_modes = dim + 1, n_faces = dim + 1;
    static constexpr int nf = Simplex<dim - 1>::n_quadrature_points(second_order_face_degree(1));

    /// Of the modes: the value at point 0, then the derivatives.
    double modes[n_faces][1 + dim][n_modes];
    /// A face's points are the first one and these multiples of the directions along it.
    double coordinates[nf][dim - 1];


    void
    make(const ElementTables<double> &from, const FaceDirections<dim> &directions)
    {
      for (int f = 0; f < n_faces; ++f)
        for (int m = 0; m < n_modes; ++m)
          {
            modes[f][0][m] = from.face_values[f * nf * n_modes + m];
            for (int i = 0; i < dim; ++i)
              modes[f][1 + i][m] = directions.derivative(f, 0, i, m);
          }
      for (int q = 0; q < nf; ++q)
        {
          const auto of_point = directions.coordinates(q);
          for (int i = 0; i < dim - 1; ++i)
            coordinates[q][i] = of_point[i];
        }
    }
  };

  /// The reference element as an argument of kernels.
  template <int dim, int degree>
  struct SecondOrderThreadTables
  {
    static constexpr int n_modes = Simplex<dim>::n_modes(degree), n_faces = Simplex<dim>::n_faces;
    static constexpr int nv = Simplex<dim>::n_quadrature_points(second_order_volume_degree(degree));
    static constexpr int nf =
      Simplex<dim - 1>::n_quadrature_points(second_order_face_degree(degree));

    /// Whether derivatives are the same everywhere, so that those of one point are enough.
    static constexpr bool is_linear = degree == 1;

    using Derivatives = double[dim][n_modes];

    struct Nothing
    {
      void
      make(const ElementTables<double> &, const FaceDirections<dim> &)
      {}
    };

    double      volume_values[nv][n_modes];
    double      volume_weights[nv];
    double      face_values[n_faces][nf][n_modes];
    double      face_weights[nf];
    double      face_normals[n_faces][dim];
    Derivatives of_volume[is_linear ? 1 : nv];
    Derivatives of_faces[is_linear ? 1 : n_faces * nf]; ///< of bent elements see FaceFrame
    double      face_areas[n_faces];                    ///< the same

    std::conditional_t<is_linear, LinearFaces<dim>, Nothing> linear_faces;

    /// @param are_bent whether derivatives on faces are those in the directions of FaceFrame
    void
    make(const ElementTables<double> &from, const bool are_bent)
    {
      const FaceDirections<dim> directions(from);
      linear_faces.make(from, directions);
      copy_table(volume_values, from.volume_values);
      copy_table(volume_weights, from.volume_weights);
      copy_table(face_values, from.face_values);
      copy_table(face_weights, from.face_weights);
      copy_table(face_normals, from.face_normals);
      copy_table(of_volume, from.volume_gradients);
      copy_table(of_faces, from.face_gradients);
      for (int f = 0; f < n_faces; ++f)
        face_areas[f] = directions.area(f);
      if (are_bent && !is_linear)
        for (int point = 0; point < n_faces * nf; ++point)
          for (int i = 0; i < dim; ++i)
            for (int m = 0; m < n_modes; ++m)
              of_faces[point][i][m] = directions.derivative(point / nf, point % nf, i, m);
    }

    __device__ __forceinline__ const Derivatives &
    volume_derivatives(const int q) const
    {
      return of_volume[is_linear ? 0 : q];
    }

    __device__ __forceinline__ const Derivatives &
    face_derivatives(const int f, const int q) const
    {
      return of_faces[is_linear ? 0 : f * nf + q];
    }
  };

  /// @tparam artificial,varies see SecondOrderTerms
  template <typename Law, int degree, GeometryKind kind, bool artificial, bool varies>
  class SecondOrderThread
  {
    static constexpr int dim = Law::dimension, n = Law::n_components;

    using T         = Quick<double>;
    using Affine    = AffineGeometry<dim, T>;
    using Geometry  = GeometryView<kind, dim, T, double>;
    using Terms     = SecondOrderTerms<Law, T, double, artificial, varies>;
    using State     = typename Terms::State;
    using Direction = typename Terms::Direction;
    using States    = typename Terms::States;
    using Frame     = FaceFrame<dim, T>;

  public:
    using Arguments = SecondOrderArguments<Law, double>;
    using Tables    = SecondOrderThreadTables<dim, degree>;

  private:
    static constexpr int n_modes = Tables::n_modes, n_faces = Tables::n_faces;
    static constexpr int nv = Tables::nv, nf = Tables::nf;

    static constexpr bool is_linear = Tables::is_linear;
    /// Whether what is formed of gradients at faces is the same at all points.
    static constexpr bool is_uniform = is_linear && Geometry::is_constant;
    /// Whether geometry on faces is that of FaceFrame.
    static constexpr bool is_bent = !Geometry::is_constant;

    using Coefficients = State[n_modes];

    /// Whether the coefficients of an element are in one piece.
    static constexpr bool by_element = CoefficientLayout{n_modes, n}.element_by_element();

    /// Of two numbers each, in a row of coefficients.
    static constexpr int n_words = n_modes * n / 2;
    /// Whether the inverse Jacobian stands behind the coefficients in a row. On tetrahedra the
    /// first-level cache, which has the same memory, is needed for registers.
    static constexpr bool has_jacobian = dim == 2;
    static constexpr int  jacobian     = n_modes * n;
    static constexpr int  n_numbers    = jacobian + (has_jacobian ? dim * dim : 0);
    /// Numbers between rows: an odd number of words, so that lanes use different banks.
    static constexpr int stride = (n_numbers + 1) / 4 * 4 + 2;

    /// Numbers of a face's point: values of the modes and their derivatives if these differ.
    static constexpr int in_point = n_modes * (is_linear ? 1 : 1 + dim);
    static constexpr int normals  = n_faces * nf * in_point;
    static constexpr int values =
      normals + (is_bent && is_linear ? divide_up(n_faces * n_modes, 2) * 2 : 0);
    static constexpr int n_points        = Simplex<dim>::n_orientations * nf;
    static constexpr int n_block_warps   = 4;
    static constexpr int rows_of_warp    = 3 * 32 * stride;
    static constexpr int points          = values + n_block_warps * rows_of_warp;
    static constexpr int unrolled_points = dim == 2 ? nf : 1;

  public:
    static constexpr int n_threads    = 32 * n_block_warps;
    static constexpr int min_blocks   = is_uniform && dim == 2 ? 3 : 2; ///< a multiprocessor
    static constexpr int shared_bytes = points * sizeof(double) + n_points * sizeof(FacePoint);

    __device__ __forceinline__
    SecondOrderThread(const Arguments &arg, const Tables &tables, double *shared)
      : arg(arg)
      , tables(tables)
      , terms(arg)
      , lane(threadIdx.x % 32)
      , element(arg.mesh.begin + blockIdx.x * n_threads + threadIdx.x)
      , face_values(shared)
      , rows(shared + values + threadIdx.x / 32 * rows_of_warp)
      , face_points(reinterpret_cast<const FacePoint *>(shared + points))
    {}

    /// Let the block have what stands in its shared memory.
    static __device__ __forceinline__ void
    set_up(const Arguments &arg, const Tables &tables, double *shared)
    {
      for (int i = threadIdx.x; i < normals; i += n_threads)
        {
          const int point = i / in_point, k = i % in_point;
          shared[i] = k < n_modes ? tables.face_values[point / nf][point % nf][k]
                                  : tables.of_faces[point][0][k - n_modes];
        }
      if constexpr (is_bent && is_linear)
        for (int i = threadIdx.x; i < n_faces * n_modes; i += n_threads)
          shared[normals + i] = tables.linear_faces.modes[i / n_modes][dim][i % n_modes];
      auto *const to = reinterpret_cast<FacePoint *>(shared + points);
      for (int i = threadIdx.x; i < n_points; i += n_threads)
        to[i] = arg.tables.face_permutations[i];
      __syncthreads();
    }

    /// Elements behind the last one repeat it, see MeshArrays.
    __device__ __forceinline__ void
    run()
    {
      if (element - lane >= arg.mesh.end)
        return;
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        across[f] = read_face(arg.mesh.faces + point_index(element, f, n_faces, 1));
      prefetch_volume();
      CudaRuntime::wait_for_kernel_before();
      ask_for_element(element, row(0));
      end_group();
      ask_for_element(across[0].element_across(element), row(1));
      end_group();
      clear();
      prefetch_face(0);
      wait_but<1>();
      const Affine   affine   = affine_of(element, row(0));
      const Geometry geometry = geometry_view<kind>(arg.stored, element, affine);
      add_volume(geometry);
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        {
          // The next neighbour comes meanwhile.
          if (f + 1 < n_faces)
            {
              ask_for_element(across[f + 1].element_across(element), row(2 - f % 2));
              end_group();
              prefetch_face(f + 1);
              wait_but<1>();
            }
          else
            wait_but<0>();
          if constexpr (is_bent && is_linear)
            add_bent_face(f, across[f], geometry, affine, row(1 + f % 2));
          else
            add_face(f, across[f], geometry, affine, row(1 + f % 2));
          __syncwarp(); // others will write what this lane has read
        }
      store();
    }

  private:
    /// @name Rows, which the lanes of a warp move together
    /// @{
    __device__ __forceinline__ double *
    row(const int which) const
    {
      return rows + which * 32 * stride;
    }

    /// `body(i, l)` for the lane's words i of rows l.
    template <typename Body>
    __device__ __forceinline__ void
    for_words(const Body &body) const
    {
#pragma unroll
      for (int i = 0; i < n_words; ++i)
        if constexpr (by_element)
          body((lane + 32 * i) % n_words, (lane + 32 * i) / n_words);
        else
          body(i, lane);
    }

    /// Where word @p i of an element is in a vector.
    static __device__ __forceinline__ std::size_t
                                      in_vector(const int of, const int i)
    {
      constexpr CoefficientLayout layout = {n_modes, n};
      return by_element ? layout.index(of, 0) + 2 * i : layout.index(of, 2 * i / n, 2 * i % n);
    }

    /// Let the rows of the elements @p of, one a lane, of a vector come to @p to.
    __device__ __forceinline__ void
    ask_for(const double *vector, const int of, double *to) const
    {
      for_words([&](const int i, const int l) {
        const int element = by_element ? __shfl_sync(~0U, of, l) : of;
        copy_async<2 * sizeof(double)>(vector + in_vector(element, i), to + l * stride + 2 * i);
      });
    }

    /// The coefficients of the elements @p of and their inverse Jacobians.
    __device__ __forceinline__ void
    ask_for_element(const int of, double *to) const
    {
      ask_for(arg.u, of, to);
#pragma unroll
      for (int i = 0; i < n_numbers - jacobian; ++i)
        copy_async<sizeof(double)>(arg.mesh.inverse_jacobians + point_index(of, i, dim * dim, 1),
                                   to + lane * stride + jacobian + i);
    }

    /// Let the second-level cache have what is read of the stored geometry of face @p f.
    __device__ __forceinline__ void
    prefetch_face(const int f) const
    {
      if constexpr (is_bent)
        prefetch_piece<Frame::n_points(nf) * Frame::n_derivatives * dim>(
          Geometry::face_frames(arg.stored), n_faces, f);
    }

    /// The same of the volume.
    __device__ __forceinline__ void
    prefetch_volume() const
    {
      if constexpr (is_bent)
        {
          prefetch_piece<nv * dim * dim>(arg.stored.metrics, 1, 0);
          prefetch_piece<nv>(arg.stored.factors, 1, 0);
        }
    }

    /// Number @p i of @p n pieces of @p n_numbers that an array has for an element.
    template <int n_numbers>
    __device__ __forceinline__ void
    prefetch_piece(const double *array, const int n, const int i) const
    {
      const std::size_t piece =
        static_cast<std::size_t>(element / block_size - arg.stored.first_block) * n + i;
      prefetch(array + piece * n_numbers * block_size, n_numbers * block_size, lane);
    }

    /// Of element @p of, whose row is the lane's of those from @p rows on.
    __device__ __forceinline__ Affine
    affine_of(const int of, const double *rows) const
    {
      if constexpr (has_jacobian)
        {
          const double *from = rows + lane * stride + jacobian;
          return Affine([&](const int i) { return T(from[i]); });
        }
      else
        return affine_geometry<dim, double, T>(arg.mesh.inverse_jacobians, of);
    }

    template <int n_groups>
    static __device__ __forceinline__ void
    wait_but()
    {
      arrive_but<n_groups>();
      __syncwarp();
    }

    /// The lane's row of those from @p rows on.
    __device__ __forceinline__ double2 *
    own(double *rows) const
    {
      return reinterpret_cast<double2 *>(rows + lane * stride);
    }

    static __device__ __forceinline__ void
    read(const double2 *from, Coefficients &u)
    {
#pragma unroll
      for (int i = 0; i < n_words; ++i)
        {
          const double2 word                  = from[i];
          u[2 * i / n][2 * i % n]             = word.x;
          u[(2 * i + 1) / n][(2 * i + 1) % n] = word.y;
        }
    }

    static __device__ __forceinline__ void
    store(const Coefficients &u, double2 *to)
    {
#pragma unroll
      for (int i = 0; i < n_words; ++i)
        to[i] = {u[2 * i / n][2 * i % n].v, u[(2 * i + 1) / n][(2 * i + 1) % n].v};
    }
    /// @}

    /// Of modes with the values @p row at a point.
    static __device__ __forceinline__ State
    value(const Coefficients &u, const double *row)
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

    /// In reference directions.
    /// @param of_modes theirs `[i][m]`
    static __device__ __forceinline__ States
    derivatives(const double *of_modes, const Coefficients &u)
    {
      States result;
#pragma unroll
      for (int i = 0; i < dim; ++i)
#pragma unroll
        for (int c = 0; c < n; ++c)
          {
            result[i][c] = T(of_modes[i * n_modes + 1]) * u[1][c]; // mode 0 is constant
#pragma unroll
            for (int m = 2; m < n_modes; ++m)
              result[i][c] = result[i][c] + T(of_modes[i * n_modes + m]) * u[m][c];
          }
      return result;
    }

    __device__ __forceinline__ void
    clear()
    {
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
        r[m] = Terms::zero();
    }

    /// r += fluxes in reference directions times the derivatives of the modes.
    /// @param of_modes theirs `[i][m]`
    static __device__ __forceinline__ void
    test_derivatives(const double *of_modes, const States &fluxes, Coefficients &r)
    {
#pragma unroll
      for (int i = 0; i < dim; ++i)
#pragma unroll
        for (int m = 1; m < n_modes; ++m)
          Terms::add_flux(T(of_modes[i * n_modes + m]), fluxes[i], r[m]);
    }

    static __device__ __forceinline__ States
    no_fluxes()
    {
      States result;
#pragma unroll
      for (int i = 0; i < dim; ++i)
        result[i] = Terms::zero();
      return result;
    }

    __device__ __forceinline__ void
    add_volume(const Geometry &geometry)
    {
      States       sums = no_fluxes();
      Coefficients u;
      read(own(row(0)), u);
#pragma unroll 1
      for (int q = 0; q < nv; ++q)
        {
          const Affine  map      = geometry.at_volume_point(q); // times the relative volume
          const T       weight   = T(-tables.volume_weights[q]) / geometry.relative_volume(q);
          const double *of_modes = tables.volume_derivatives(q)[0];
          const auto    medium =
            terms.medium(value(u, tables.volume_values[q]), T(terms.viscosity_at(element, q)));
          const States derivatives = this->derivatives(of_modes, u);
          if constexpr (is_uniform)
            {
              const States fluxes =
                terms.fluxes_in_space(medium, Terms::in_space(map, derivatives));
#pragma unroll
              for (int d = 0; d < dim; ++d)
                Terms::add_flux(weight, fluxes[d], sums[d]);
            }
          else
            {
              terms.add_fluxes(medium, map, weight, derivatives, sums);
              test_if<!is_linear>(of_modes, sums);
            }
        }
      if constexpr (is_uniform)
        {
          const States in_space = sums;
          sums                  = no_fluxes();
          Terms::add_directions(geometry, T(1.), in_space, sums);
        }
      test_if<is_linear>(tables.volume_derivatives(0)[0], sums);
    }

    /// test_derivatives() on this condition; then fluxes begin again.
    template <bool condition>
    __device__ __forceinline__ void
    test_if(const double *of_modes, States &fluxes)
    {
      if constexpr (condition)
        {
          test_derivatives(of_modes, fluxes, r);
          fluxes = no_fluxes();
        }
    }

    /// What is the same at all points of a face.
    struct Face
    {
      int                     f, number_across, boundary_face;
      bool                    at_boundary, spreads;
      T                       factor; ///< see SecondOrderTerms::penalty_factor()
      typename Terms::OnFaces viscosity, viscosity_out;
      const FacePoint        *points; ///< the neighbour's numbers of them
    };

    __device__ __forceinline__ Face
    face_of(const int         f,
            const FaceRecord &across,
            const Affine     &affine,
            const Affine     &affine_across) const
    {
      const bool at_boundary = across.at_boundary();
      return {f,
              at_boundary ? f : across.face,
              across.boundary_face(),
              at_boundary,
              terms.spreads_at(across.boundary_face()),
              terms.penalty_factor(affine.volume_factor() * affine_across.inverse_volume_factor()),
              terms.viscosities_on_faces(element),
              terms.viscosities_across(element, across.element_across(element)),
              face_points + (at_boundary ? 0 : across.orientation) * nf};
    }

    using NormalGradient = typename Law::template NormalGradient<T>;

    /// The flux through a face at its point @p q, times the weight there.
    /// @param flux_in,flux_out `(medium, jump)`: of the gradient and of what penalises the jump
    /// @param of_jump is set to the flux of the jump
    template <typename FluxIn, typename FluxOut>
    __device__ __forceinline__ State
    flux_at(const Face               &face,
            const int                 q,
            const State              &here,
            const State              &there,
            const FluxIn             &flux_in,
            const FluxOut            &flux_out,
            const Direction          &normal,
            typename Terms::JumpFlux &of_jump) const
    {
      State jump;
#pragma unroll
      for (int c = 0; c < n; ++c)
        jump[c] = here[c] - there[c];
      if (face.at_boundary)
        read_boundary_term<1>(arg, face.boundary_face, q, jump);
      State       flux   = flux_out(terms.medium(there, T(face.viscosity_out(face.f, q))), jump);
      const auto  medium = terms.medium(here, face.spreads ? T(face.viscosity(face.f, q)) : T(0.));
      const State inside = flux_in(medium, jump);
      of_jump            = terms.jump_flux(medium, jump, normal);
      const T half       = T(0.5 * tables.face_weights[q]);
#pragma unroll
      for (int c = 0; c < n; ++c)
        flux[c] = half * (inside[c] + flux[c]);
      if (face.at_boundary)
        {
          read_boundary_term<0>(arg, face.boundary_face, q, flux);
          flux = Terms::times(T(tables.face_weights[q]), flux);
        }
      return flux;
    }

    /// A linear function on a face: its value at point 0, then the derivatives in the directions of
    /// FaceFrame.
    using OnFace = Array<State, 1 + dim>;

    /// @param at values of the modes at points `(i)`, i < dim
    /// @param normal derivatives of the modes along the normal
    template <typename At>
    static __device__ __forceinline__ OnFace
    on_face(const Coefficients &u, const At &at, const double *normal)
    {
      OnFace result;
      result[0] = value(u, at(0));
#pragma unroll
      for (int i = 1; i < dim; ++i)
        {
          const State there = value(u, at(i));
#pragma unroll
          for (int c = 0; c < n; ++c)
            result[i][c] = there[c] - result[0][c];
        }
      result[dim] = value(u, normal);
      return result;
    }

    __device__ __forceinline__ State
    state_at(const OnFace &u, const int q) const
    {
      State result = u[0];
#pragma unroll
      for (int i = 1; i < dim; ++i)
        Terms::add(T(tables.linear_faces.coordinates[q][i - 1]), u[i], result);
      return result;
    }

    /// The flux through a face of the gradient of @p u and of what penalises the jump.
    /// @param across see FaceFrame
    template <typename Medium>
    __device__ __forceinline__ State
    flux_of(const Face      &face,
            const Medium    &medium,
            const OnFace    &u,
            const State     &jump,
            const Affine    &map,
            const T         &across,
            const Direction &normal) const
    {
      typename Terms::Gradient gradient;
#pragma unroll
      for (int i = 0; i < dim; ++i)
        {
          gradient.directions[i]  = map.metric(i);
          gradient.derivatives[i] = u[1 + i];
        }
      Terms::add(-face.factor * across, jump, gradient.derivatives[dim - 1]);
      return terms.flux(medium, gradient, normal);
    }

    /// add_face() of bent elements of degree 1.
    __device__ __forceinline__ void
    add_bent_face(const int         f,
                  const FaceRecord &across,
                  const Geometry   &geometry,
                  const Affine     &affine,
                  double           *row_across)
    {
      const LinearFaces<dim> &faces = tables.linear_faces;
      const Face              face =
        face_of(f, across, affine, affine_of(across.element_across(element), row_across));
      OnFace inside, outside, sums;
      {
        Coefficients u;
        read(own(row(0)), u);
        inside = on_face(
          u, [&](const int i) { return tables.face_values[f][i]; }, faces.modes[f][dim]);
        read(own(row_across), u);
        const double *values_across = face_values + face.number_across * nf * n_modes;
        outside                     = on_face(
          u,
          [&](const int i) { return values_across + face.points[i] * n_modes; },
          face_values + normals + face.number_across * n_modes);
      }
#pragma unroll
      for (int i = 0; i <= dim; ++i)
        sums[i] = Terms::zero();
#pragma unroll unrolled_points
      for (int q = 0; q < nf; ++q)
        {
          const Frame frame = geometry.face_frame(
            f, q, [&](const int i) { return T(faces.coordinates[q][i]); }, T(tables.face_areas[f]));
          typename Terms::JumpFlux of_jump;
          const State              flux = flux_at(
            face,
            q,
            state_at(inside, q),
            state_at(outside, q),
            [&](const auto &medium, const State &jump) {
              return flux_of(
                face, medium, inside, jump, frame.inside, frame.across_inside, frame.normal);
            },
            [&](const auto &medium, const State &jump) {
              return flux_of(
                face, medium, outside, jump, frame.outside, frame.across_outside, frame.normal);
            },
            frame.normal,
            of_jump);
          Terms::add_flux(T(1.), flux, sums[0]);
#pragma unroll
          for (int i = 0; i < dim; ++i)
            {
              if (i < dim - 1)
                Terms::add_flux(T(faces.coordinates[q][i]), flux, sums[1 + i]);
              Terms::add_flux(T(0.5 * tables.face_weights[q]),
                              terms.part_along(of_jump, frame.normal, frame.inside.metric(i)),
                              sums[1 + i]);
            }
        }
#pragma unroll
      for (int m = 0; m < n_modes; ++m)
#pragma unroll
        for (int i = 0; i <= dim; ++i)
          Terms::add_flux(T(faces.modes[f][i][m]), sums[i], r[m]);
    }

    /// Of straight elements, with the members of FaceFrame.
    struct StraightPoint
    {
      Direction normal;
      Affine    inside, outside;
    };

    __device__ __forceinline__ auto
    point_of(const Geometry &geometry,
             const Affine   &affine_across,
             const Face     &face,
             const int       q) const
    {
      if constexpr (is_bent)
        {
          const T sense = face.points[0] == 0 ? 1. : -1.;
          return geometry.face_frame(
            face.f, q, [](const int) { return T(1.); }, T(tables.face_areas[face.f]), sense);
        }
      else
        return StraightPoint{geometry.area_normal(face.f,
                                                  q,
                                                  [&](const int i) {
                                                    return tables.face_normals[face.f][i];
                                                  }),
                             geometry,
                             affine_across};
    }

    __device__ __forceinline__ void
    add_face(const int         f,
             const FaceRecord &across,
             const Geometry   &geometry,
             const Affine     &affine,
             double           *row_across)
    {
      const Affine affine_across = affine_of(across.element_across(element), row_across);
      const Face   face          = face_of(f, across, affine, affine_across);

      Coefficients u, u_out;
      read(own(row(0)), u);
      read(own(row_across), u_out);
      const FacePoint *points          = face.points;
      const double    *of_modes_across = face_values + face.number_across * nf * in_point;
      const auto at_point = [&](const int q) { return point_of(geometry, affine_across, face, q); };
      const auto gradient_in = [&](const auto &point, const int q) {
        return Law::normal_gradient(
          Terms::in_space(point.inside, derivatives(tables.face_derivatives(f, q)[0], u)),
          point.normal);
      };
      // The point is the neighbour's, in its order.
      const auto gradient_out = [&](const auto &point, const int q) {
        const double *of_modes = is_linear ? tables.face_derivatives(f, q)[0]
                                           : of_modes_across + points[q] * in_point + n_modes;
        return Law::normal_gradient(Terms::in_space(point.outside, derivatives(of_modes, u_out)),
                                    point.normal);
      };
      const auto normal_flux = [&](const auto      &medium,
                                   NormalGradient   gradient,
                                   const State     &jump,
                                   const Direction &normal) {
        Law::add_jump(-face.factor, jump, normal, gradient);
        return terms.normal_flux(medium, gradient, normal);
      };
      // Formed here where they are the same everywhere.
      const auto               first  = at_point(0);
      const auto               inside = gradient_in(first, 0), outside = gradient_out(first, 0);
      typename Terms::JumpFlux sum{};
      States                   fluxes = no_fluxes();
#pragma unroll unrolled_points
      for (int q = 0; q < nf; ++q)
        {
          const auto               point  = is_uniform ? first : at_point(q);
          const T                  weight = T(0.5 * tables.face_weights[q]);
          typename Terms::JumpFlux of_jump;
          const State              flux = flux_at(
            face,
            q,
            value(u, tables.face_values[f][q]),
            value(u_out, of_modes_across + points[q] * in_point),
            [&](const auto &medium, const State &jump) {
              return normal_flux(medium,
                                 is_uniform ? inside : gradient_in(point, q),
                                 jump,
                                 point.normal);
            },
            [&](const auto &medium, const State &jump) {
              return normal_flux(medium,
                                 is_uniform ? outside : gradient_out(point, q),
                                 jump,
                                 point.normal);
            },
            point.normal,
            of_jump);
          if constexpr (is_uniform)
            Terms::add(weight, of_jump, sum);
          else
            {
              add_directions(terms, weight, of_jump, point.normal, point.inside, fluxes);
              test_if<!is_linear>(tables.face_derivatives(f, q)[0], fluxes);
            }
#pragma unroll
          for (int m = 0; m < n_modes; ++m)
            Terms::add_flux(T(tables.face_values[f][q][m]), flux, r[m]);
        }
      if constexpr (is_uniform)
        add_directions(terms, T(1.), sum, first.normal, first.inside, fluxes);
      test_if<is_linear>(tables.face_derivatives(f, 0)[0], fluxes);
    }

    /// fluxes += factor times the flux of a jump in reference directions.
    static __device__ __forceinline__ void
    add_directions(const Terms                    &terms,
                   const T                        &factor,
                   const typename Terms::JumpFlux &of_jump,
                   const Direction                &normal,
                   const Affine                   &map,
                   States                         &fluxes)
    {
#pragma unroll
      for (int i = 0; i < dim; ++i)
        Terms::add_flux(factor, terms.part_along(of_jump, normal, map.metric(i)), fluxes[i]);
    }

    /// By way of the own coefficients' rows: the lanes move them together.
    __device__ __forceinline__ void
    store() const
    {
      store(r, own(row(0)));
      __syncwarp();
      for_words([&](const int i, const int l) {
        if (const int of = element - lane + l; of < arg.mesh.end)
          *reinterpret_cast<double2 *>(arg.second_order_terms + in_vector(of, i)) =
            *reinterpret_cast<const double2 *>(row(0) + l * stride + 2 * i);
      });
    }

    const Arguments       &arg;
    const Tables          &tables;
    const Terms            terms;
    const int              lane, element;
    const double *const    face_values;
    double *const          rows; ///< of the warp
    const FacePoint *const face_points;
    FaceRecord             across[n_faces];
    Coefficients           r;
  };

  /// Whether a law has this form of SecondOrderElement: for higher degrees registers do not
  /// suffice.
  template <typename Law, int degree>
  constexpr bool
  has_second_order_thread()
  {
    constexpr int               n_modes = Simplex<Law::dimension>::n_modes(degree);
    constexpr int               n       = Law::n_components;
    constexpr CoefficientLayout layout  = {n_modes, n};
    return HasNormalGradient<Law>::value &&
           (layout.element_by_element() ? n_modes * n : n) % 2 == 0 &&
           (degree == 1 || (degree == 2 && Law::dimension == 2));
  }
} // namespace Saltus::CudaKernels

#endif
