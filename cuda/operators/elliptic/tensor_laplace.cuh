// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_tensor_laplace_cuh
#define saltus_cuda_operators_elliptic_tensor_laplace_cuh

// The Laplace operator by quadrature on elements whose geometry is stored, with tensor cores in
// double precision; see LaplaceElement for the formulas and PointwiseForm for what is read.
//
// A warp works on sets of 16 elements, lane 4 g + t on 2 g and 2 g + 1 of each. Operands are as in
// tensor_core.cuh, but with these elements in place of the two components:
//
//   u, sums   [set][j][i][e]   mode 8 j + 4 i + t of the lane's element e
//   values    [set][j][i][e]   a quantity at point t of four, see Products
//
// More sets halve what is read of tables; their numbers take registers.
//
// Quantity 0 of a function is its value, 1 + r its derivative in reference direction r.
//
// The warps of a block first leave value and flux of their elements at the points of all faces in
// shared memory: traces, `[f][q][element of the block]`. There the neighbours find them, so that
// they are computed once, and what the flux is combined of is read for one side of a face only.
// Faces whose neighbours are elsewhere (far ones) are listed by the neighbours' numbers of them,
// and 16 at a time their neighbours' values and fluxes are computed besides.

#include <saltus/operators/elliptic/kernels/along_layout.h>
#include <saltus/operators/elliptic/kernels/coefficient_value.h>
#include <saltus/operators/elliptic/kernels/laplace_forms.h>

#include <cuda/operators/elliptic/tensor_products.cuh>

namespace Saltus::CudaKernels
{
  /// Operands of TensorLaplace, on the device.
  struct TensorLaplaceTables
  {
    const double2 *gradients, *values, *faces; ///< of the volume, and of all faces
  };

  /// Instead of the degree of a rule: its points are counted when the program runs.
  constexpr int any_rule = -1;

  /// The number of points of a quadrature, where it is compiled in, or else 0.
  template <int compiled>
  class NumberOfPoints
  {
  public:
    __device__ __forceinline__ explicit NumberOfPoints(const int n)
      : n(n)
    {}

    __device__ __forceinline__ operator int() const
    {
      return compiled > 0 ? compiled : n;
    }

  private:
    const int n;
  };

  /// @tparam volume_degree up to which the rule in the volume is exact, as that on faces is for
  /// products of values: their numbers of points are compiled in, as far as they are known here,
  /// which saves instructions; or any_rule
  template <int dim, int degree, typename Number, int n_components, int volume_degree>
  class TensorLaplace
  {
    static constexpr int n_modes = Simplex<dim>::n_modes(degree);
    static constexpr int n_tiles = divide_up(n_modes, 8);
    static constexpr int n_faces = dim + 1;

    static constexpr bool compiled = volume_degree != any_rule;

    static constexpr int exact_volume_points =
                           compiled ? Simplex<dim>::n_quadrature_points(volume_degree) : 0,
                         exact_face_points = Simplex<dim - 1>::n_quadrature_points(2 * degree);

    /// Batches that fill tiles, see Products.
    static constexpr int face_batch   = dim == 2 && exact_face_points > 4 ? 2 : 1;
    static constexpr int volume_batch = dim == 3 && degree > 2 ? 2 : 1;

    using OnFaces   = Products<0, 1 + dim, face_batch, n_modes>;
    using Gradients = Products<1, dim, volume_batch, n_modes>;
    using Values    = Products<0, 1, 2, n_modes>;

    using Modes = typename OnFaces::Modes;

    static constexpr int n_form = dim * (dim + 1) / 2; ///< numbers of a symmetric tensor

    static constexpr bool in_groups = along_in_groups(dim, degree);

    static constexpr TensorLaplaceLaunch launch = tensor_laplace_launch<dim>(degree, compiled);

  public:
    static constexpr int n_warps = launch.n_warps, min_blocks = launch.min_blocks;
    static constexpr int n_sets     = launch.n_sets;
    static constexpr int of_warp    = 16 * n_sets;         ///< elements
    static constexpr int n_elements = launch.n_elements(); ///< of a block

  private:
    static_assert(block_size % of_warp == 0, "A warp's elements are of one block of memory.");

    static constexpr int n_unrolled = compiled ? launch.n_unrolled : 1;

    static constexpr int stride = tensor_laplace_stride(n_elements); ///< of points in traces

    /// What the warps of a block share besides traces.
    struct alignas(16) Block
    {
      double2        nothing; ///< a trace
      FaceRecord     faces[n_faces][n_elements];
      Number         penalties[n_faces][n_elements];
      unsigned short far[n_faces][n_faces * n_elements]; ///< see find_far_faces()
      int            n_far[n_faces];
    };

  public:
    /// Whether these are the numbers of points that are compiled in, if there are such.
    static constexpr bool
    fits(const int nv, const int nf)
    {
      return !compiled ||
             (nf == exact_face_points && (exact_volume_points == 0 || nv == exact_volume_points));
    }

    /// Shared memory of a block, in bytes.
    static constexpr int
    memory(const int nf)
    {
      constexpr int of_block = sizeof(Block);
      static_assert(tensor_laplace_bytes<dim, Number>(degree, compiled, 0) == of_block);
      return tensor_laplace_bytes<dim, Number>(degree, compiled, nf);
    }

    /// Size of the tables in bytes.
    static constexpr int
    table_bytes(const int nv, const int nf)
    {
      return sizeof(double2) * (Gradients::n_operands * Gradients::n_batches(nv) +
                                Values::n_operands * Values::n_batches(nv) +
                                OnFaces::n_operands * OnFaces::n_batches(nf) * n_faces);
    }

    static void
    make_tables(const ElementTables<Number> &from, TensorLaplaceTables &tables, double *memory)
    {
      OperandList list(memory);
      tables.gradients =
        append<Gradients>(list, from.volume_values, from.volume_gradients, from.n_volume_points, 1);
      tables.values =
        append<Values>(list, from.volume_values, from.volume_gradients, from.n_volume_points, 1);
      tables.faces =
        append<OnFaces>(list, from.face_values, from.face_gradients, from.n_face_points, n_faces);
    }

    /// @param first element of the block
    /// @param memory of the block
    __device__ __forceinline__
    TensorLaplace(const LaplaceArguments<Number> &arg,
                  const TensorLaplaceTables      &tables,
                  const int                       first,
                  const int                       component,
                  double2                        *memory)
      : arg(arg)
      , tables(tables)
      , n_volume_points(arg.tables.n_volume_points)
      , n_face_points(arg.tables.n_face_points)
      , component(component)
      , warp(threadIdx.x / 32)
      , lane(threadIdx.x % 32)
      , t(lane % 4)
      , first(first)
      , in_block(of_warp * warp + 2 * (lane / 4))
      , element(first + in_block)
      , in_form(element - arg.stored.first_block * block_size)
      , n_present(::min(n_elements, of_warp * divide_up(arg.mesh.end - first, of_warp)))
      , traces(memory)
      , block(*reinterpret_cast<Block *>(memory + n_faces * n_face_points * stride))
      , points_across(reinterpret_cast<FacePoint *>(&block + 1))
      , points_back(points_across + arg.tables.n_orientations * n_face_points)
    {}

    __device__ __forceinline__ void
    run()
    {
      const bool present = of_warp * warp < n_present;
      if (present)
        {
          load_own();
          prefetch_form();
        }
      find_far_faces(present);
      for_sets([&](const int set) {
#pragma unroll
        for (int i = 0; i < 4 * n_tiles; ++i)
          sums[set][i / 4][i / 2 % 2][i % 2] = 0.;
      });
      if (present)
        {
          set_traces();
          add_volume();
          if (arg.reaction.constant != Number(0) || arg.reaction.volume != nullptr)
            add_reaction();
        }
      __syncthreads();
      set_far_traces();
      __syncthreads();
      if (present)
        {
          add_faces();
          store();
        }
    }

  private:
    template <typename Body>
    static __device__ __forceinline__ void
    for_sets(const Body &body)
    {
#pragma unroll
      for (int set = 0; set < n_sets; ++set)
        body(set);
    }

    /// @return the first operand
    template <typename Quantities>
    static const double2 *
    append(OperandList  &list,
           const Number *values,
           const Number *gradients,
           const int     n_points,
           const int     n_faces)
    {
      const double *const begin = list.end();
      for (int f = 0; f < n_faces; ++f)
        Quantities::append(list, n_points, [&](const int k, const int q, const int m) -> double {
          const int point = f * n_points + q;
          return k == 0 ? values[point * n_modes + m]
                        : gradients[(point * dim + k - 1) * n_modes + m];
        });
      return reinterpret_cast<const double2 *>(begin);
    }

    using Two = std::conditional_t<sizeof(Number) == 8, double2, float2>;

    /// Two numbers that stand beside each other.
    static __device__ __forceinline__ void
    read(const Number *from, Pair &to)
    {
      const Two two = *reinterpret_cast<const Two *>(from);
      to[0]         = two.x;
      to[1]         = two.y;
    }

    /// The same, in double precision past the first-level cache: there the operands stay, which all
    /// warps read.
    static __device__ __forceinline__ void
    read_once(const Number *from, Pair &to)
    {
      if constexpr (sizeof(Number) == sizeof(double))
        asm volatile("ld.global.nc.L1::no_allocate.v2.f64 {%0,%1},[%2];"
                     : "=d"(to[0]), "=d"(to[1])
                     : "l"(from));
      else
        read(from, to);
    }

    /// A number, where this stands: compilers would put off what is needed under a condition until
    /// then, and wait for memory there.
    static __device__ __forceinline__ void
    read_now(const Number *from, Number &to)
    {
      if constexpr (sizeof(Number) == sizeof(double))
        asm volatile("ld.global.nc.f64 %0,[%1];" : "=d"(to) : "l"(from));
      else
        asm volatile("ld.global.nc.f32 %0,[%1];" : "=f"(to) : "l"(from));
    }

    __device__ __forceinline__ std::size_t
                               position(const int e, const int m) const
    {
      return CoefficientLayout{n_modes, n_components}.index(e, m) + component;
    }

    /// Number of the mode of step @p i of all tiles. Beyond the last mode it is repeated: there
    /// operands are zero.
    __device__ __forceinline__ int
    mode(const int i) const
    {
      return ::min(4 * i + t, n_modes - 1);
    }

    /// The modes of the lane's elements.
    __device__ __forceinline__ void
    load_own()
    {
      for_sets([&](const int set) {
        if constexpr (n_components > 1)
          {
            const int own[2] = {element + 16 * set, element + 16 * set + 1};
            load_modes(own, u[set]);
          }
        else
          {
#pragma unroll
            for (int i = 0; i < 2 * n_tiles; ++i)
              if (4 * i < n_modes)
                read(arg.u + position(element, mode(i)) + 16 * set, u[set][i / 2][i % 2]);
          }
      });
    }

    /// The modes of the elements @p of.
    __device__ __forceinline__ void
    load_modes(const int (&of)[2], Modes &modes) const
    {
#pragma unroll
      for (int i = 0; i < 2 * n_tiles; ++i)
        if (4 * i < n_modes)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            modes[i / 2][i % 2][e] = arg.u[position(of[e], mode(i))];
    }

    /// Where the lane's elements of a set have number @p i of @p n in an array of StoredArrays or
    /// PointwiseForm.
    __device__ __forceinline__ const Number *
    stored(const Number *from, const int n, const int i, const int set = 0) const
    {
      return from + point_index(in_form, 0, n, 1) + i * block_size + 16 * set;
    }

    /// Let the @p n numbers of the warp's elements come into the second-level cache.
    __device__ __forceinline__ void
    prefetch_stored(const Number *from, const int n) const
    {
      for (int i = lane; i < n_sets * n; i += 32)
        prefetch(stored(from, n, i / n_sets, i % n_sets) - 2 * (lane / 4));
    }

    /// All of the form, if batches of points are worked on together: else it takes longer. That of
    /// tetrahedra would be more than the second-level cache holds.
    __device__ __forceinline__ void
    prefetch_form() const
    {
      if constexpr (dim == 2 && compiled)
        {
          prefetch_stored(arg.pointwise.along, n_faces * n_face_points * dim);
          prefetch_stored(arg.pointwise.volume, n_volume_points * n_form);
          prefetch_stored(arg.pointwise.areas, n_faces * n_face_points);
        }
    }

    /// The form at point t of a group in the volume; beyond the last point operands are zero.
    __device__ __forceinline__ void
    read_volume(const int group, const int set, Pair (&to)[n_form]) const
    {
      const int q = ::min(4 * group + t, n_volume_points - 1);
#pragma unroll
      for (int j = 0; j < n_form; ++j)
        read_once(stored(arg.pointwise.volume, n_volume_points * n_form, q * n_form + j, set),
                  to[j]);
    }

    /// Where in a block PointwiseForm::along has the lane's point of group @p group of face @p f,
    /// or another one if there is none, for element @p l of the block.
    __device__ __forceinline__ int
    along_place(const int l, const int f, const int group, const int r) const
    {
      const auto layout = along_layout();
      if constexpr (in_groups)
        {
          const int present = ::min(group, layout.n_groups() - 1);
          return layout.place_in_group(l, f, present, ::min(t, layout.points_of(present) - 1), r);
        }
      else
        return layout.place(l, f, ::min(4 * group + t, n_face_points - 1), r);
    }

    /// What the flux is combined of.
    /// @tparam again whether it will be read again soon, before it has left the first-level cache
    template <bool again>
    __device__ __forceinline__ void
    read_along(const int f, const int group, const int set, Pair (&to)[dim]) const
    {
      const Number *from = arg.pointwise.along + along_layout().block(in_form);
#pragma unroll
      for (int r = 0; r < dim; ++r)
        {
          const Number *two = from + along_place(in_form % block_size + 16 * set, f, group, r);
          if constexpr (again)
            read(two, to[r]);
          else
            read_once(two, to[r]);
        }
    }

    /// What the form is of at a batch of points of a face.
    struct FaceForm
    {
      Pair areas[n_sets][face_batch];
      Pair along[n_sets][face_batch][dim];
    };

    __device__ __forceinline__ void
    read_face_form(const int f, const int i, FaceForm &to) const
    {
      for_sets([&](const int set) {
#pragma unroll
        for (int group = 0; group < face_batch; ++group)
          {
            read_once(stored(arg.pointwise.areas,
                             n_faces * n_face_points,
                             f * n_face_points + present_point(i, group),
                             set),
                      to.areas[set][group]);
            read_along<false>(f, i * face_batch + group, set, to.along[set][group]);
          }
      });
    }

    /// Call `read(i, what)` and `work(i, what)` for @p n batches.
    /// @tparam ahead whether what is needed for a batch is read before the one before is worked on
    template <typename What, bool ahead, int n_together, typename Read, typename Work>
    static __device__ __forceinline__ void
    for_batches(const int n, const Read &read, const Work &work)
    {
      What next;
      if constexpr (ahead)
        read(0, next);
#pragma unroll n_together
      for (int i = 0; i < n; ++i)
        {
          What now;
          if constexpr (ahead)
            {
              now = next;
              if (i + 1 < n)
                read(i + 1, next);
            }
          else
            read(i, now);
          work(i, now);
        }
    }

    __device__ __forceinline__ void
    add_volume()
    {
      const double2 *from      = tables.gradients + lane;
      const int      n_batches = Gradients::n_batches(n_volume_points);
#pragma unroll n_unrolled
      for (int i = 0; i < n_batches; ++i, from += Gradients::n_operands)
        {
          typename Gradients::Values values[n_sets];
          Gradients::interpolate(from, u, values);
          for_sets([&](const int set) {
#pragma unroll
            for (int group = 0; group < volume_batch; ++group)
              {
                if (4 * (i * volume_batch + group) >= n_volume_points)
                  continue; // operands are zero
                Pair k[n_form];
                read_volume(i * volume_batch + group, set, k);
#pragma unroll
                for (int e = 0; e < 2; ++e)
                  conduct(group, e, k, values[set]);
              }
          });
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
      const double2 *from = tables.values + lane;
      Pair           det[n_sets];
      for_sets([&](const int set) {
#pragma unroll
        for (int e = 0; e < 2; ++e)
          det[set][e] = affine_geometry<dim>(arg.mesh.inverse_jacobians, element + 16 * set + e)
                          .volume_factor();
      });
#pragma unroll 1
      for (int i = 0; i < Values::n_batches(n_volume_points); ++i, from += Values::n_operands)
        {
          typename Values::Values values[n_sets];
          Values::interpolate(from, u, values);
          for_sets([&](const int set) {
#pragma unroll
            for (int group = 0; group < 2; ++group)
              {
                const int q = ::min(4 * (2 * i + group) + t, n_volume_points - 1);
                Pair      volumes;
                read_once(stored(arg.stored.factors, n_volume_points, q, set), volumes);
#pragma unroll
                for (int e = 0; e < 2; ++e)
                  Values::at(values[set], 0, group)[e] *= arg.tables.volume_weights[q] *
                                                          det[set][e] * volumes[e] *
                                                          reaction(element + 16 * set + e, q);
              }
          });
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
                            by_point ? static_cast<int>(n_volume_points) : 1,
                            value);
      return value[0];
    }

    /// Where in traces an element of the block is at a point.
    static __device__ __forceinline__ int
    place(const int e)
    {
      return e % 2 * 8 + e / 2 % 8 + e / 16 * 16;
    }

    /// Value and flux of element @p e of the block at point @p q of face @p f.
    __device__ __forceinline__ double2 &
    trace(const int f, const int q, const int e) const
    {
      return traces[(f * n_face_points + q) * stride + place(e)];
    }

    /// Whether the block's traces have what is across a face.
    __device__ __forceinline__ bool
    is_near(const FaceRecord &face) const
    {
      return face.kind == FaceKind::interior && static_cast<unsigned int>(face.neighbor - first) <
                                                  static_cast<unsigned int>(n_present);
    }

    /// The faces of the block, and lists of those whose neighbours are elsewhere, by the
    /// neighbours' numbers.
    /// @param present whether the warp has elements
    __device__ __forceinline__ void
    find_far_faces(const bool present) const
    {
      if (threadIdx.x < n_faces)
        block.n_far[threadIdx.x] = 0;
      if (threadIdx.x == n_faces)
        block.nothing = {0., 0.};
      for (int i = threadIdx.x; i < arg.tables.n_orientations * n_face_points; i += blockDim.x)
        {
          const int o = i / n_face_points, there = arg.tables.face_permutations[i];
          points_across[i]                       = there;
          points_back[o * n_face_points + there] = i % n_face_points;
        }
      __syncthreads();
      if (present && t < n_faces)
        {
          const std::size_t at = point_index(element, t, n_faces, 1);
          for_sets([&](const int set) {
            const int here = in_block + 16 * set;
            *reinterpret_cast<Two *>(&block.penalties[t][here]) =
              *reinterpret_cast<const Two *>(arg.penalties + at + 16 * set);
#pragma unroll
            for (int e = 0; e < 2; ++e)
              {
                const FaceRecord face    = read_face(arg.mesh.faces + at + 16 * set + e);
                block.faces[t][here + e] = face;
                if (!face.at_boundary() && !is_near(face))
                  block.far[face.face][atomicAdd(&block.n_far[face.face], 1)] =
                    t * n_elements + here + e;
              }
          });
        }
    }

    __device__ __forceinline__ int
    n_face_batches() const
    {
      return OnFaces::n_batches(n_face_points);
    }

    /// The operands of a batch of points of face @p f.
    __device__ __forceinline__ const double2 *
    face_operands(const int f, const int i) const
    {
      return tables.faces + (f * n_face_batches() + i) * OnFaces::n_operands + lane;
    }

    __device__ __forceinline__ AlongLayout<dim>
                               along_layout() const
    {
      return {n_faces, n_face_points, in_groups};
    }

    /// What a point in a batch is number of.
    __device__ __forceinline__ int
    point(const int i, const int group) const
    {
      return 4 * (i * face_batch + group) + t;
    }

    /// The same, of one that there is.
    __device__ __forceinline__ int
    present_point(const int i, const int group) const
    {
      return ::min(point(i, group), n_face_points - 1);
    }

    /// The flux of element @p e at a point from the combination @p along of derivatives.
    static __device__ __forceinline__ double
    flux(const Pair (&along)[dim], typename OnFaces::Values &values, const int group, const int e)
    {
      double result = 0.;
#pragma unroll
      for (int r = 0; r < dim; ++r)
        result += along[r][e] * OnFaces::at(values, 1 + r, group)[e];
      return result;
    }

    /// Of the warp's elements.
    __device__ __forceinline__ void
    set_traces() const
    {
      const int n_batches = n_face_batches();
#pragma unroll n_unrolled
      for (int j = 0; j < n_faces * n_batches; ++j)
        {
          const int                f = j / n_batches, i = j % n_batches;
          typename OnFaces::Values values[n_sets];
          OnFaces::interpolate(face_operands(f, i), u, values);
          for_sets([&](const int set) {
#pragma unroll
            for (int group = 0; group < face_batch; ++group)
              {
                Pair along[dim];
                read_along<dim == 2>(f, i * face_batch + group, set, along);
                if (const int q = point(i, group); q < n_face_points)
#pragma unroll
                  for (int e = 0; e < 2; ++e)
                    trace(f, q, in_block + 16 * set + e) = {OnFaces::at(values[set], 0, group)[e],
                                                            flux(along, values[set], group, e)};
              }
          });
        }
    }

    /// Where neighbours are elsewhere, leave jumps and sums of fluxes in traces.
    __device__ __forceinline__ void
    set_far_traces() const
    {
      int batch = warp;
#pragma unroll 1
      for (int number = 0; number < n_faces; ++number)
        {
          const int n = divide_up(block.n_far[number], 16);
#pragma unroll 1
          for (; batch < n; batch += n_warps)
            set_far_traces(number, 16 * batch);
          batch -= n;
        }
    }

    /// What the neighbours' fluxes are combined of at a batch of points, and which points these are
    /// here.
    struct FarForm
    {
      int  points[face_batch][2];
      Pair along[face_batch][dim];
    };

    /// Of 16 faces of a list.
    __device__ __forceinline__ void
    set_far_traces(const int number, const int begin) const
    {
      const int     n = block.n_far[number];
      int           faces[2], elements[2], orientations[2], neighbors[2], lanes[2];
      bool          held[2];
      const Number *along[2];
      const bool    wanted[2] = {begin + 2 * (lane / 4) < n, begin + 2 * (lane / 4) + 1 < n};
#pragma unroll
      for (int e = 0; e < 2; ++e)
        {
          const int i       = block.far[number][::min(begin + 2 * (lane / 4) + e, n - 1)];
          faces[e]          = i / n_elements;
          elements[e]       = i % n_elements;
          const auto across = block.faces[faces[e]][elements[e]];
          neighbors[e]      = across.neighbor;
          orientations[e]   = across.orientation;
          // The neighbour's own numbers are also read for itself; its normal is the other one.
          held[e] = arg.stored.holds(across.neighbor);
          const int stored =
            (held[e] ? across.neighbor : first + elements[e]) - arg.stored.first_block * block_size;
          lanes[e] = stored % block_size;
          along[e] = (held[e] ? arg.pointwise.along : arg.pointwise.along_across) +
                     along_layout().block(stored);
        }
      Modes modes[1];
      load_modes(neighbors, modes[0]);
      const auto layout = along_layout();
      const auto read   = [&](const int i, FarForm &to) {
#pragma unroll
        for (int group = 0; group < face_batch; ++group)
#pragma unroll
          for (int e = 0; e < 2; ++e)
            {
              const int q = points_back[orientations[e] * n_face_points + present_point(i, group)];
              to.points[group][e] = q;
#pragma unroll
              for (int r = 0; r < dim; ++r)
                {
                  const int place = held[e]
                                      ? along_place(lanes[e], number, i * face_batch + group, r)
                                      : layout.place(lanes[e], faces[e], q, r);
                  Number    entry;
                  read_now(along[e] + place, entry);
                  to.along[group][r][e] = entry;
                }
            }
      };
      for_batches<FarForm, launch.reads_far_ahead, 1>(
        n_face_batches(), read, [&](const int i, const FarForm &form) {
          typename OnFaces::Values values[1];
          OnFaces::interpolate(face_operands(number, i), modes, values);
#pragma unroll
          for (int group = 0; group < face_batch; ++group)
            if (point(i, group) < n_face_points)
#pragma unroll
              for (int e = 0; e < 2; ++e)
                if (wanted[e])
                  {
                    double2     &here = trace(faces[e], form.points[group][e], elements[e]);
                    const double out  = flux(form.along[group], values[0], group, e);
                    here.x -= OnFaces::at(values[0], 0, group)[e];
                    here.y += held[e] ? -out : out;
                  }
        });
    }

    /// A face of the lane's two elements of a set.
    struct Face
    {
      FaceRecord       across[2];
      Pair             penalties;
      bool             at_boundary; ///< of any lane
      const double2   *traces[2];   ///< of the elements across
      int              strides[2];  ///< between their points
      const FacePoint *points[2];   ///< their numbers of the points
    };

    __device__ __forceinline__ void
    set_face(const int f, const int set, Face &face) const
    {
      const int here = in_block + 16 * set;
      read(&block.penalties[f][here], face.penalties);
#pragma unroll
      for (int e = 0; e < 2; ++e)
        {
          const FaceRecord across = block.faces[f][here + e];
          const bool       near   = is_near(across);
          face.across[e]          = across;
          // Elsewhere there is nothing to add, see set_far_traces().
          face.traces[e]  = near ? &trace(across.face, 0, across.neighbor - first) : &block.nothing;
          face.strides[e] = near ? stride : 0;
          face.points[e]  = points_across + across.orientation * n_face_points;
        }
      face.at_boundary =
        __any_sync(~0U, face.across[0].at_boundary() || face.across[1].at_boundary());
    }

    __device__ __forceinline__ void
    add_faces()
    {
      const int  n_batches = n_face_batches();
      Face       faces[n_sets];
      const auto read = [&](const int j, FaceForm &to) {
        read_face_form(j / n_batches, j % n_batches, to);
      };
      for_batches<FaceForm, launch.reads_ahead, n_unrolled>(
        n_faces * n_batches, read, [&](const int j, const FaceForm &form) {
          const int f = j / n_batches, i = j % n_batches;
          if (i == 0)
            for_sets([&](const int set) { set_face(f, set, faces[set]); });
          typename OnFaces::Values values[n_sets];
          for_sets([&](const int set) {
            if constexpr (face_batch * (1 + dim) % 2 == 1)
              for (double &nothing : values[set][OnFaces::n_tiles - 1][1])
                nothing = 0.;
#pragma unroll
            for (int group = 0; group < face_batch; ++group)
#pragma unroll
              for (int e = 0; e < 2; ++e)
                set_terms(f,
                          faces[set],
                          form.areas[set][group],
                          form.along[set][group],
                          i,
                          group,
                          16 * set + e,
                          e,
                          values[set]);
          });
          OnFaces::test(face_operands(f, i), values, sums);
        });
    }

    /// Set @p values to what test functions of element @p e are multiplied with at a point of a
    /// face.
    __device__ __forceinline__ void
    set_terms(const int   f,
              const Face &face,
              const Pair &area,
              const Pair (&along)[dim],
              const int                 i,
              const int                 group,
              const int                 in_lanes,
              const int                 e,
              typename OnFaces::Values &values) const
    {
      const int     q     = present_point(i, group);
      const double2 in    = trace(f, q, in_block + in_lanes);
      const double2 out   = face.traces[e][face.points[e][q] * face.strides[e]];
      auto          terms = interior_penalty(in.x, out.x, in.y, -out.y, face.penalties[e]);
      if (face.at_boundary)
        if (const int b = face.across[e].boundary_face(); b >= 0)
          terms = interior_penalty_boundary<double>(
            arg.kinds[b], in.x, in.y, face.penalties[e], 0., arg.robin[b]);
      OnFaces::at(values, 0, group)[e] = terms.value * area[e];
#pragma unroll
      for (int r = 0; r < dim; ++r)
        OnFaces::at(values, 1 + r, group)[e] = terms.flux * area[e] * along[r][e];
    }

    __device__ __forceinline__ void
    store() const
    {
      for_sets([&](const int set) { store(element + 16 * set, sums[set]); });
    }

    /// The sums of elements @p first_element and the next one.
    __device__ __forceinline__ void
    store(const int first_element, const Modes &sums) const
    {
#pragma unroll
      for (int i = 0; i < 2 * n_tiles; ++i)
        if (4 * i + t < n_modes)
          {
            const Pair       &sum = sums[i / 2][i % 2];
            const std::size_t at  = position(first_element, 4 * i + t);
            if (n_components == 1 && arg.base == nullptr && first_element + 1 < arg.mesh.end)
              {
                Two two;
                two.x                                  = arg.scale * sum[0];
                two.y                                  = arg.scale * sum[1];
                *reinterpret_cast<Two *>(arg.out + at) = two;
              }
            else
#pragma unroll
              for (int e = 0; e < 2; ++e)
                if (first_element + e < arg.mesh.end)
                  {
                    const std::size_t here = position(first_element + e, 4 * i + t);
                    const double      base = arg.base != nullptr ? arg.base[here] : Number(0);
                    arg.out[here]          = base + arg.scale * sum[e];
                  }
          }
    }

    const LaplaceArguments<Number> &arg;
    const TensorLaplaceTables      &tables;

    const NumberOfPoints<exact_volume_points>              n_volume_points;
    const NumberOfPoints<compiled ? exact_face_points : 0> n_face_points;

    const int        component, warp, lane, t;
    const int        first;     ///< element of the block
    const int        in_block;  ///< the first of the lane's two elements of the first set
    const int        element;   ///< its number
    const int        in_form;   ///< its number in PointwiseForm
    const int        n_present; ///< elements of the block that have traces
    double2 *const   traces;    ///< see trace()
    Block           &block;
    FacePoint *const points_across; ///< the permutations
    FacePoint *const points_back;   ///< the inverse ones

    Modes u[n_sets], sums[n_sets];
  };
} // namespace Saltus::CudaKernels

#endif
