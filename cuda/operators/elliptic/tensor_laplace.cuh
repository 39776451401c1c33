// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_tensor_laplace_cuh
#define saltus_cuda_operators_elliptic_tensor_laplace_cuh

// The Laplace operator by quadrature on elements whose geometry is stored, with tensor cores in
// double precision; see LaplaceElement for the formulas and PointwiseForm for what is read.
//
// A warp works on 16 elements, lane 4 g + t on 2 g and 2 g + 1 of them. Operands are as in
// tensor_core.cuh, but with these elements in place of the two components:
//
//   u, sums   [j][i][e]   mode 8 j + 4 i + t of the lane's element e
//   values    [j][i][e]   a quantity at point t of four, see Products
//
// Quantity 0 of a function is its value, 1 + r its derivative in reference direction r. What the
// neighbours have at the points of a face goes through shared memory, `[quantity][point][g][e]`.

#include <saltus/operators/elliptic/kernels/coefficient_value.h>

#include <cuda/operators/spaces/element_warp.cuh>
#include <vector>

namespace Saltus::CudaKernels
{
  /// Products that take modes to some quantities at some points, and back. Points come in groups of
  /// four, @p batch of them at a time; tile j of values holds the groups 2 j and 2 j + 1 of the
  /// list `[quantity][group]`.
  template <int first_quantity, int n_quantities, int batch, int n_modes>
  struct Products
  {
    static constexpr int n_groups     = n_quantities * batch;
    static constexpr int n_tiles      = divide_up(n_groups, 2);
    static constexpr int n_mode_tiles = divide_up(n_modes, 8);

    using Values = Pair[n_tiles][2];

    /// Operands of a batch: `[there, back][tile][j][lane][step]`.
    static constexpr int n_operands = 2 * n_tiles * n_mode_tiles * 32;

    static constexpr __host__ __device__ int
    n_batches(const int n_points)
    {
      return divide_up(n_points, 4 * batch);
    }

    /// @param value `(quantity, q, m)`
    template <typename Value>
    static void
    append(std::vector<double> &table, const int n_points, const Value &value)
    {
      for (int first = 0; first < n_points; first += 4 * batch)
        {
          // Column or row i of eight of a tile.
          const auto at = [&](const int tile, const int i, const int m) {
            const int group = 2 * tile + i / 4, k = group / batch;
            const int q = first + 4 * (group % batch) + i % 4;
            return k < n_quantities && q < n_points && m < n_modes ? value(first_quantity + k, q, m)
                                                                   : 0.;
          };
          for (int tile = 0; tile < n_tiles; ++tile)
            append_operands(table, n_modes, [&](const int j, const int row, const int column) {
              return at(tile, column, j + row);
            });
          for (int tile = 0; tile < n_tiles; ++tile)
            append_operands(table, n_modes, [&](const int j, const int row, const int column) {
              return at(tile, row, j + column);
            });
        }
    }

    /// Quantity @p k of the list in group @p group of the batch.
    static __device__ __forceinline__ Pair &
    at(Values &values, const int k, const int group)
    {
      return values[(k * batch + group) / 2][(k * batch + group) % 2];
    }

    /// @param modes `(j, i)`: a Pair
    template <typename Modes>
    static __device__ __forceinline__ void
    interpolate(const double2 *from, const Modes &modes, Values &values)
    {
#pragma unroll
      for (int tile = 0; tile < n_tiles; ++tile)
#pragma unroll
        for (int i = 0; i < 4; ++i)
          values[tile][i / 2][i % 2] = 0.;
#pragma unroll
      for (int j = 0; j < n_mode_tiles; ++j)
#pragma unroll
        for (int tile = 0; tile < n_tiles; ++tile)
          {
            const double2 b = __ldg(from + (tile * n_mode_tiles + j) * 32);
            if (8 * j + 4 < n_modes)
              multiply_add(values[tile], modes(j, 0), modes(j, 1), b.x, b.y);
            else
              multiply_add(values[tile], modes(j, 0), b.x);
          }
    }

    /// Add the products of @p values with these quantities of all modes.
    static __device__ __forceinline__ void
    test(const double2 *from, const Values &values, Pair (&sums)[n_mode_tiles][2])
    {
#pragma unroll
      for (int tile = 0; tile < n_tiles; ++tile)
#pragma unroll
        for (int j = 0; j < n_mode_tiles; ++j)
          {
            const double2 b = __ldg(from + n_operands / 2 + (tile * n_mode_tiles + j) * 32);
            if (2 * tile + 1 < n_groups)
              multiply_add(sums[j], values[tile][0], values[tile][1], b.x, b.y);
            else
              multiply_add(sums[j], values[tile][0], b.x);
          }
    }
  };

  /// Operands of TensorLaplace, on the device.
  struct TensorLaplaceTables
  {
    const double2 *gradients, *values, *faces; ///< of the volume, and of all faces
  };

  template <int dim, int degree, typename Number, int n_components>
  class TensorLaplace
  {
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    static constexpr int n_tiles = divide_up(n_modes, 8);

    /// Batches that fill tiles, see Products.
    static constexpr int face_batch =
      dim == 2 && Simplex<dim - 1>::n_quadrature_points(2 * degree) > 4 ? 2 : 1;
    using OnFaces   = Products<0, 1 + dim, face_batch, n_modes>;
    using Gradients = Products<1, dim, dim - 1, n_modes>;
    using Values    = Products<0, 1, 2, n_modes>;

    /// Whether a neighbour's modes stay in registers for all points of a face.
    static constexpr bool keeps_neighbor = n_tiles <= 7;

    using Modes = Pair[n_tiles][2];

  public:
    static constexpr int n_warps    = 4; ///< of a block
    static constexpr int min_blocks = n_tiles <= 2 ? 4 : (n_tiles <= 4 ? 3 : 2);

    static bool
    takes(const LaplaceArguments<Number> &arg)
    {
      return arg.column < 0 && arg.own && arg.across == arg.all_faces;
    }

    /// Shared memory of a warp, in numbers.
    static int
    memory(const ElementTables<Number> &host)
    {
      return (1 + dim) * n_points_of_face(host.n_face_points) * 16;
    }

    static std::vector<double>
    make_gradients(const ElementTables<Number> &host)
    {
      return make<Gradients>(host.volume_values, host.volume_gradients, host.n_volume_points, 1);
    }

    static std::vector<double>
    make_values(const ElementTables<Number> &host)
    {
      return make<Values>(host.volume_values, host.volume_gradients, host.n_volume_points, 1);
    }

    static std::vector<double>
    make_faces(const ElementTables<Number> &host)
    {
      return make<OnFaces>(host.face_values, host.face_gradients, host.n_face_points, host.n_faces);
    }

    __device__ __forceinline__
    TensorLaplace(const LaplaceArguments<Number> &arg,
                  const TensorLaplaceTables      &tables,
                  const int                       first,
                  const int                       component,
                  double                         *traces)
      : arg(arg)
      , tables(tables)
      , component(component)
      , lane(threadIdx.x % 32)
      , t(lane % 4)
      , element(first + 2 * (lane / 4))
      , in_form(element - arg.stored.first_block * block_size)
      , traces(reinterpret_cast<double2 *>(traces))
    {}

    __device__ __forceinline__ void
    run()
    {
      const int own[2] = {element, element + 1};
      load_modes(own, u);
#pragma unroll
      for (int i = 0; i < 4 * n_tiles; ++i)
        sums[i / 4][i / 2 % 2][i % 2] = 0.;
      add_volume();
      if (arg.reaction.constant != Number(0) || arg.reaction.volume != nullptr)
        add_reaction();
#pragma unroll 1
      for (int f = 0; f <= dim; ++f)
        add_face(f);
      store();
    }

  private:
    template <typename List>
    static std::vector<double>
    make(const Number *values, const Number *gradients, const int n_points, const int n_faces)
    {
      std::vector<double> table;
      for (int f = 0; f < n_faces; ++f)
        List::append(table, n_points, [&](const int k, const int q, const int m) -> double {
          const int point = f * n_points + q;
          return k == 0 ? values[point * n_modes + m]
                        : gradients[(point * dim + k - 1) * n_modes + m];
        });
      return table;
    }

    /// Points of a face in all batches.
    static constexpr __host__ __device__ int
    n_points_of_face(const int n_points)
    {
      return OnFaces::n_batches(n_points) * 4 * face_batch;
    }

    /// Two numbers that stand beside each other.
    static __device__ __forceinline__ void
    read(const Number *from, Pair &to)
    {
      using Two     = std::conditional_t<sizeof(Number) == 8, double2, float2>;
      const Two two = *reinterpret_cast<const Two *>(from);
      to[0]         = two.x;
      to[1]         = two.y;
    }

    __device__ __forceinline__ std::size_t
                               position(const int e, const int m) const
    {
      return CoefficientLayout{n_modes, n_components}.index(e, m) + component;
    }

    /// The modes of the elements @p of. Beyond the last mode it is repeated: there operands are
    /// zero.
    __device__ __forceinline__ void
    load_modes(const int (&of)[2], Modes &modes) const
    {
#pragma unroll
      for (int i = 0; i < 2 * n_tiles; ++i)
        if (4 * i < n_modes)
          load_mode(of, i, modes[i / 2][i % 2]);
    }

    __device__ __forceinline__ void
    load_mode(const int (&of)[2], const int step, Pair &to) const
    {
      const int m = ::min(4 * step + t, n_modes - 1);
#pragma unroll
      for (int e = 0; e < 2; ++e)
        to[e] = arg.u[position(of[e], m)];
    }

    /// What the lane's elements have as number @p i of @p n in an array of PointwiseForm.
    __device__ __forceinline__ void
    read_form(const Number *from, const int n, const int i, Pair &to) const
    {
      read(from + point_index(in_form, i, n, 1), to);
    }

    __device__ __forceinline__ void
    add_volume()
    {
      constexpr int  batch = dim - 1, n = dim * (dim + 1) / 2;
      const int      n_points = arg.tables.n_volume_points;
      const double2 *from     = tables.gradients + lane;
#pragma unroll 1
      for (int i = 0; i < Gradients::n_batches(n_points); ++i, from += Gradients::n_operands)
        {
          typename Gradients::Values values;
          Gradients::interpolate(from, own_modes(), values);
#pragma unroll
          for (int group = 0; group < batch; ++group)
            {
              const int q = ::min(4 * (i * batch + group) + t, n_points - 1);
              Pair      k[n];
#pragma unroll
              for (int j = 0; j < n; ++j)
                read_form(arg.pointwise.volume, n_points * n, q * n + j, k[j]);
#pragma unroll
              for (int e = 0; e < 2; ++e)
                conduct(group, e, k, values);
            }
          Gradients::test(from, values, sums);
        }
    }

    /// Multiply the derivatives of element @p e at a point with the form's tensor.
    static __device__ __forceinline__ void
    conduct(const int group, const int e, const Pair *k, typename Gradients::Values &values)
    {
      CoefficientValue<dim, double> tensor;
      Array<double, dim>            gradient;
#pragma unroll
      for (int i = 0; i < dim * (dim + 1) / 2; ++i)
        tensor[i] = k[i][e];
#pragma unroll
      for (int r = 0; r < dim; ++r)
        gradient[r] = Gradients::at(values, r, group)[e];
      const Array<double, dim> flux = symmetric_product<dim>(tensor, gradient);
#pragma unroll
      for (int r = 0; r < dim; ++r)
        Gradients::at(values, r, group)[e] = flux[r];
    }

    __device__ __forceinline__ void
    add_reaction()
    {
      const int      n_points = arg.tables.n_volume_points;
      const double2 *from     = tables.values + lane;
      Pair           det;
#pragma unroll
      for (int e = 0; e < 2; ++e)
        det[e] = affine_geometry<dim>(arg.mesh.inverse_jacobians, element + e).volume_factor();
#pragma unroll 1
      for (int i = 0; i < Values::n_batches(n_points); ++i, from += Values::n_operands)
        {
          typename Values::Values values;
          Values::interpolate(from, own_modes(), values);
#pragma unroll
          for (int group = 0; group < 2; ++group)
            {
              const int q = ::min(4 * (2 * i + group) + t, n_points - 1);
              Pair      volumes;
              read_form(arg.stored.factors, n_points, q, volumes);
#pragma unroll
              for (int e = 0; e < 2; ++e)
                Values::at(values, 0, group)[e] *=
                  arg.tables.volume_weights[q] * det[e] * volumes[e] * reaction(element + e, q);
            }
          Values::test(from, values, sums);
        }
    }

    __device__ __forceinline__ double
    reaction(const int e, const int q) const
    {
      const bool                    by_point = arg.reaction.face != nullptr;
      CoefficientValue<dim, Number> value;
      const int                     of[1] = {e}, point[1] = {by_point ? q : 0};
      load_coefficient<dim>(arg.reaction,
                            arg.reaction.volume,
                            of,
                            point,
                            by_point ? arg.tables.n_volume_points : 1,
                            value);
      return value[0];
    }

    __device__ __forceinline__ auto
    own_modes() const
    {
      return [this](const int j, const int i) -> const Pair & { return u[j][i]; };
    }

    /// Where quantity @p k of the neighbours at their point number @p point stands.
    __device__ __forceinline__ double2 &
    trace(const int k, const int point) const
    {
      return traces[(k * n_points_of_face(arg.tables.n_face_points) + point) * 8 + lane / 4];
    }

    /// The operands of a batch of points of face @p f.
    __device__ __forceinline__ const double2 *
    face_operands(const int f, const int i) const
    {
      return tables.faces +
             (f * OnFaces::n_batches(arg.tables.n_face_points) + i) * OnFaces::n_operands + lane;
    }

    /// A face of the lane's two elements.
    struct Face
    {
      FaceRecord across[2];
      int        neighbors[2];
      Pair       penalties;
    };

    __device__ __forceinline__ void
    add_face(const int f)
    {
      Face here;
#pragma unroll
      for (int e = 0; e < 2; ++e)
        {
          here.across[e]    = read_face(arg.mesh.faces + point_index(element + e, f, dim + 1, 1));
          here.neighbors[e] = here.across[e].element_across(element + e);
        }
      read(arg.penalties + point_index(element, f, dim + 1, 1), here.penalties);
      __syncwarp();
      set_traces(f, here);
      __syncwarp();
#pragma unroll 1
      for (int i = 0; i < OnFaces::n_batches(arg.tables.n_face_points); ++i)
        {
          const double2           *from = face_operands(f, i);
          typename OnFaces::Values values;
          OnFaces::interpolate(from, own_modes(), values);
#pragma unroll
          for (int group = 0; group < face_batch; ++group)
            set_terms(f, here, 4 * (i * face_batch + group) + t, group, values);
          OnFaces::test(from, values, sums);
        }
    }

    /// Leave what the neighbours have at their points in traces. Most often a face has the same
    /// number on both sides; else what neighbours have is computed for each number in the warp.
    __device__ __forceinline__ void
    set_traces(const int f, const Face &face) const
    {
      int numbers[2];
#pragma unroll
      for (int e = 0; e < 2; ++e)
        numbers[e] = face.across[e].at_boundary() ? f : face.across[e].face;
      Modes modes;
      if constexpr (keeps_neighbor)
        load_modes(face.neighbors, modes);
#pragma unroll 1
      for (int number = 0; number <= dim; ++number)
        {
          const bool wanted[2] = {numbers[0] == number, numbers[1] == number};
          if (!__any_sync(~0U, wanted[0] || wanted[1]))
            continue;
#pragma unroll 1
          for (int i = 0; i < OnFaces::n_batches(arg.tables.n_face_points); ++i)
            {
              if constexpr (!keeps_neighbor)
                load_modes(face.neighbors, modes);
              typename OnFaces::Values values;
              OnFaces::interpolate(
                face_operands(number, i),
                [&](const int j, const int k) -> const Pair & { return modes[j][k]; },
                values);
#pragma unroll
              for (int k = 0; k <= dim; ++k)
#pragma unroll
                for (int group = 0; group < face_batch; ++group)
                  {
                    const Pair &value = OnFaces::at(values, k, group);
                    double2    &to    = trace(k, 4 * (i * face_batch + group) + t);
                    if (wanted[0])
                      to.x = value[0];
                    if (wanted[1])
                      to.y = value[1];
                  }
            }
        }
    }

    /// The neighbour's number of a point.
    __device__ __forceinline__ int
    point_across(const FaceRecord &across, const int point) const
    {
      const int n = arg.tables.n_face_points;
      return point < n && !across.at_boundary()
               ? __ldg(arg.tables.face_permutations + across.orientation * n + point)
               : point;
    }

    /// Replace what the elements have at a point of a face by what test functions are multiplied
    /// with.
    __device__ __forceinline__ void
    set_terms(const int                 f,
              const Face               &face,
              const int                 point,
              const int                 group,
              typename OnFaces::Values &values) const
    {
      const int n = arg.tables.n_face_points, of_faces = (dim + 1) * n;
      const int q = f * n + ::min(point, n - 1);
      Pair      areas, along[dim], along_across[dim];
      read_form(arg.pointwise.areas, of_faces, q, areas);
#pragma unroll
      for (int r = 0; r < dim; ++r)
        {
          read_form(arg.pointwise.along, of_faces * dim, q * dim + r, along[r]);
          read_form(arg.pointwise.along_across, of_faces * dim, q * dim + r, along_across[r]);
        }
#pragma unroll
      for (int e = 0; e < 2; ++e)
        {
          const int  there        = point_across(face.across[e], point);
          const auto value_across = [&](const int k) {
            const double2 &two = trace(k, there);
            return e == 0 ? two.x : two.y;
          };
          const double u_in = OnFaces::at(values, 0, group)[e], u_out = value_across(0);
          double       q_in = 0., q_out = 0.;
#pragma unroll
          for (int r = 0; r < dim; ++r)
            {
              q_in += along[r][e] * OnFaces::at(values, 1 + r, group)[e];
              q_out += along_across[r][e] * value_across(1 + r);
            }
          auto terms = interior_penalty(u_in, u_out, q_in, q_out, face.penalties[e]);
          if (const int b = face.across[e].boundary_face(); b >= 0)
            terms = interior_penalty_boundary<double>(
              arg.kinds[b], u_in, q_in, face.penalties[e], 0., arg.robin[b]);
          OnFaces::at(values, 0, group)[e] = terms.value * areas[e];
#pragma unroll
          for (int r = 0; r < dim; ++r)
            OnFaces::at(values, 1 + r, group)[e] = terms.flux * areas[e] * along[r][e];
        }
    }

    __device__ __forceinline__ void
    store() const
    {
#pragma unroll
      for (int i = 0; i < 2 * n_tiles; ++i)
        if (4 * i + t < n_modes)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            if (element + e < arg.mesh.end)
              {
                const std::size_t at   = position(element + e, 4 * i + t);
                const double      base = arg.base != nullptr ? arg.base[at] : Number(0);
                arg.out[at]            = base + arg.scale * sums[i / 2][i % 2][e];
              }
    }

    const LaplaceArguments<Number> &arg;
    const TensorLaplaceTables      &tables;
    const int                       component, lane, t;
    const int                       element; ///< the first of the lane's two
    const int                       in_form; ///< its number in PointwiseForm
    double2 *const                  traces;  ///< see trace()

    Modes u, sums;
  };

  template <typename Warp, typename Number, int n_components>
  __global__ void __launch_bounds__(32 * Warp::n_warps, Warp::min_blocks)
    tensor_laplace_kernel(const __grid_constant__ LaplaceArguments<Number> arg,
                          const __grid_constant__ TensorLaplaceTables      tables,
                          const int                                        memory)
  {
    extern __shared__ double shared[];
    const int                warp = threadIdx.x / 32;
    const int first = arg.mesh.begin + 16 * (static_cast<int>(blockIdx.x) * Warp::n_warps + warp);
    if (first < arg.mesh.end)
      Warp(arg, tables, first, n_components == 1 ? 0 : blockIdx.y, shared + warp * memory).run();
  }

  /// Launches TensorLaplace for one reference element.
  template <int dim, int degree, typename Number, int n_components>
  class TensorLaplaceLauncher
  {
    using Warp = TensorLaplace<dim, degree, Number, n_components>;

    static constexpr auto kernel = tensor_laplace_kernel<Warp, Number, n_components>;

  public:
    explicit TensorLaplaceLauncher(const ElementTables<Number> &host)
      : gradients(Warp::make_gradients(host))
      , values(Warp::make_values(host))
      , faces(Warp::make_faces(host))
      , tables{of(gradients), of(values), of(faces)}
      , memory(Warp::memory(host))
    {
      CudaRuntime::allow_shared_memory(kernel, shared_bytes());
    }

    static bool
    takes(const LaplaceArguments<Number> &arg)
    {
      return Warp::takes(arg);
    }

    void
    operator()(const LaplaceArguments<Number> &arg) const
    {
      const dim3 n_blocks(divide_up(arg.mesh.end - arg.mesh.begin, 16 * Warp::n_warps),
                          n_components);
      kernel<<<n_blocks, 32 * Warp::n_warps, shared_bytes(), CudaRuntime::stream()>>>(arg,
                                                                                      tables,
                                                                                      memory);
    }

  private:
    static const double2 *
    of(const DeviceNumbers &numbers)
    {
      return reinterpret_cast<const double2 *>(numbers.data());
    }

    int
    shared_bytes() const
    {
      return Warp::n_warps * memory * sizeof(double);
    }

    const DeviceNumbers       gradients, values, faces;
    const TensorLaplaceTables tables;
    const int                 memory;
  };
} // namespace Saltus::CudaKernels

#endif
