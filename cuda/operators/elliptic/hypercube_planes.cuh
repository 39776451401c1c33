// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_elliptic_hypercube_planes_cuh
#define saltus_cuda_operators_elliptic_hypercube_planes_cuh

// The Laplace operator on hexahedra and quadrilaterals with more points than a thread has registers
// for; see HypercubeLaplaceElement for the formulas. A block of threads works on 32 elements, of
// which a lane has one, and warp k on the points with index k in the last direction, on
// quadrilaterals a line of them. Sums in the other directions are a lane's own. Those in the last
// one go through shared memory, whose lanes follow each other like those of a warp.
//
//   values  [k][q]           shared  coefficients; later derivatives in the last direction of u and
//                                    of its test functions, of columns, which one warp has each
//   traces  [i][side][a][k]  shared  of both faces across one direction: what is differentiated in
//                                    the direction of the face that crosses warps
//   jumps   [d][side][a][k]  shared  of hexahedra, of the faces across the other directions
//   own, r  [q]              lane    coefficients and sums of its plane
//   value   [f][a]           lane    what values of test functions are multiplied with
// Of a face a warp has the points `a` on a line, of which quadrilaterals have one alone: those of
// its plane, and in the last direction those with index k in direction dim - 2.
//
// Of affine elements the form is the same at all points. There the terms with derivatives of test
// functions on faces come with those of the volume, to whose gradient a lifting of the jumps is
// added. Of others they are added apart, for derivatives across the face and along it.

#include <saltus/operators/elliptic/kernels/hypercube_laplace_element.h>
#include <saltus/operators/elliptic/kernels/special_hypercube_face.h>
#include <saltus/operators/spaces/lines_across.h>

namespace Saltus::CudaKernels
{
  /// @tparam n points on a line
  template <GeometryKind kind, int dim, int n, typename Number, int n_components>
  class HypercubePlanes
  {
    using Cube   = Hypercube<dim>;
    using Across = LinesAcross<dim, n>;

    using SpecialFace =
      SpecialHypercubeFace<kind, dim, n, Number, n_components, SymmetricLineTables<Number, n>>;

    static constexpr int last     = dim - 1; ///< direction
    static constexpr int n_faces  = Cube::n_faces;
    static constexpr int n_points = power(n, dim);
    static constexpr int of_plane = power(n, dim - 1); ///< points
    static constexpr int of_row   = power(n, dim - 2); ///< points of a face that a warp has
    static constexpr int n_form = dim * (dim + 1) / 2, n_stiffness = n_form + 1;

    static constexpr bool is_affine = kind == GeometryKind::affine;

    /// Whether registers have no room for jumps.
    static constexpr bool stores_jumps = dim == 3;

    static constexpr int of_faces = 2 * of_row * n; ///< numbers, of both faces in all warps
    static constexpr int n_traces = (is_affine ? 1 : 3) * of_faces;
    static constexpr int n_jumps  = stores_jumps ? last * of_faces : 0;

  public:
    using Lines = SymmetricLineTables<Number, n>;

    static constexpr int n_warps      = n; ///< of a block
    static constexpr int shared_bytes = (n_points + n_traces + n_jumps) * 32 * sizeof(Number);

    __device__ __forceinline__
    HypercubePlanes(const LaplaceArguments<Number> &arg,
                    const Lines                    &lines,
                    const int                       component,
                    Number                         *shared)
      : arg(arg)
      , lines(lines)
      , component(component)
      , k(threadIdx.y)
      , wanted(arg.mesh.begin + blockIdx.x * block_size + threadIdx.x)
      , element(::min(wanted, arg.mesh.end - 1))
      , values(shared + threadIdx.x)
      , traces(values + n_points * 32)
      , jumps(traces + n_traces * 32)
    {}

    __device__ __forceinline__ void
    run()
    {
      load();
      static_for<dim>([&](auto d) { add_faces<decltype(d)::value>(); });
      set_last_derivatives();
      __syncthreads();
      add_tangential<last>();
      start_sums();
      add_volume();
      __syncthreads();
      test_last_derivatives();
      add_special_terms(2 * last, n_faces);
      __syncthreads();
      add_special_terms(0, 2 * last);
      store();
    }

  private:
    /// Of one face what is the same at all of its points.
    struct Side
    {
      Number share;   ///< of the face that this element bears
      Number seen;    ///< 1, or 0 where nothing is across
      Number penalty; ///< times 2 share
      /// What of the fluxes' derivatives is across: the outward one's, and those in the directions
      /// of the face of this element and across.
      Number normal_across, tangential[dim - 1], tangential_across[dim - 1];
    };

    /// The direction of a face across direction @p d that crosses warps, and the other one.
    static constexpr __device__ __forceinline__ int
    across_warps(const int d)
    {
      return dim == 2 || d == 1 ? 0 : 1;
    }

    static constexpr __device__ __forceinline__ int
    along_row(const int d)
    {
      return 1 - across_warps(d);
    }

    static constexpr __device__ __forceinline__ Number
    sign(const int side)
    {
      return side == 1 ? 1 : -1;
    }

    /// The place on a line of what is number @p m from its end @p side on.
    static constexpr __device__ __forceinline__ int
    from_end(const int side, const int m)
    {
      return side == 1 ? n - 1 - m : m;
    }

    /// The point @p m of the line in direction @p d of the plane that is behind point @p a of a
    /// face.
    static constexpr __device__ __forceinline__ int
    in_plane(const int d, const int a, const int m)
    {
      return d == 0 ? m + n * a : a + n * m;
    }

    /// Number @p m of the column in the last direction that is behind the warp's point @p a of a
    /// face.
    __device__ __forceinline__ Number &
    in_column(const int a, const int m) const
    {
      return values[(m * of_plane + k * of_row + a) * 32];
    }

    __device__ __forceinline__ Number &
    in_own_plane(const int q) const
    {
      return values[(k * of_plane + q) * 32];
    }

    __device__ __forceinline__ Number &
    trace(const int i, const int side, const int a, const int of_warp) const
    {
      return traces[(i * of_faces + (side * of_row + a) * n + of_warp) * 32];
    }

    __device__ __forceinline__ std::size_t
                               position(const int of_element, const int m) const
    {
      return CoefficientLayout{n_points, n_components}.index(of_element, m) + component;
    }

    __device__ __forceinline__ Number
    stiffness(const int of_element, const int i) const
    {
      return __ldg(arg.stiffness + point_index(of_element, i, n_stiffness, 1));
    }

    __device__ __forceinline__ FaceRecord
    record(const int f) const
    {
      return read_face(arg.mesh.faces + point_index(element, f, n_faces, 1));
    }

    __device__ __forceinline__ void
    load()
    {
      bool has_alone = false;
#pragma unroll
      for (int f = 0; f < n_faces; ++f)
        has_alone |= is_alone(record(f));
      next_records[0] = record(0);
      next_records[1] = record(1);
      if constexpr (is_affine)
#pragma unroll
        for (int i = 0; i < n_form; ++i)
          form[i] = stiffness(element, i);
#pragma unroll
      for (int q = 0; q < of_plane; ++q)
        own[q] = __ldg(arg.u + position(element, k * of_plane + q));
#pragma unroll
      for (int q = 0; q < of_plane; ++q)
        in_own_plane(q) = own[q];
#pragma unroll
      for (int m = 0; m < n; ++m)
        derivative[m] = lines.derivative[k][m];
      if (has_alone)
        look_at_special_faces();
    }

    /// Whether there is no element of the same size across: this one itself stands in then.
    static __device__ __forceinline__ bool
    is_alone(const FaceRecord &record)
    {
      return record.at_boundary() || record.kind == FaceKind::hanging;
    }

    __device__ __forceinline__ void
    look_at_special_faces()
    {
#pragma unroll 1
      for (int f = 0; f < n_faces; ++f)
        {
          const SpecialFace face(arg, lines, element, f, component);
          dirichlet |= face.is_dirichlet() << f;
          special |= face.has_terms() << f;
        }
    }

    /// Both faces across direction @p d. In the last one what crosses warps is left to do.
    template <int d>
    __device__ __forceinline__ void
    add_faces()
    {
      const FaceRecord records[2] = {next_records[0], next_records[1]};
      if (d > 0)
        __syncthreads(); // traces may have readers; in the last direction values must be complete
#pragma unroll
      for (int side = 0; side < 2; ++side)
        add_face<d>(side, records[side]);
      if constexpr (d < last)
        {
          next_records[0] = record(2 * d + 2);
          next_records[1] = record(2 * d + 3);
          __syncthreads();
          add_tangential<d>();
        }
    }

    template <int d>
    __device__ __forceinline__ void
    add_face(const int side, const FaceRecord &record)
    {
      const Across across = make_across(2 * d + side, record);
      if constexpr (is_affine)
        add_face_at_once<d>(side, across, make_side<d>(side, record, across));
      else
        add_face_by_points<d>(side, across, is_alone(record));
    }

    __device__ __forceinline__ Across
    make_across(const int f, const FaceRecord &record) const
    {
      const bool alone = is_alone(record);
      return Across(alone ? element : record.neighbor,
                    alone ? f : record.face,
                    alone ? 0 : record.orientation);
    }

    template <int d>
    __device__ __forceinline__ void
    add_face_at_once(const int side, const Across &across, const Side &face)
    {
      constexpr int row = along_row(d), warps = across_warps(d);
      const int     f     = 2 * d + side;
      const Number *there = arg.u + position(across.neighbor, 0);

      Number along[of_row];
#pragma unroll
      for (int a = 0; a < of_row; ++a)
        {
          const Traces of     = traces_at<d>(side, a, there, across);
          const Number jump   = of.inside - face.seen * of.outside;
          const Number normal = form[symmetric_entry<dim>(d, d)];
          value[f][a]         = face.penalty * jump -
                        face.share * (normal * of.outward - face.normal_across * of.outward_across);
          set_jump<d>(side, a, -sign(side) * face.share * jump);
          trace(0, side, a, k) = face.share * (face.tangential[warps] * of.inside +
                                               face.tangential_across[warps] * of.outside);
          if constexpr (dim == 3)
            along[a] = face.share * (face.tangential[row] * of.inside +
                                     face.tangential_across[row] * of.outside);
        }
      if constexpr (dim == 3)
#pragma unroll
        for (int a = 0; a < of_row; ++a)
#pragma unroll
          for (int m = 0; m < n; ++m)
            value[f][a] -= lines.derivative[a][m] * along[m];
    }

    /// At a point of a face.
    struct Traces
    {
      Number inside = 0, outward = 0, outside = 0, outward_across = 0;
    };

    /// @param there the first coefficient across
    template <int d>
    __device__ __forceinline__ Traces
    traces_at(const int side, const int a, const Number *there, const Across &across) const
    {
      int place = across.start + k * across.along[across_warps(d)];
      if constexpr (dim == 3)
        place += a * across.along[along_row(d)];
      Traces result;
#pragma unroll
      for (int m = 0; m < n; ++m)
        {
          const Number here  = value_inside<d>(a, from_end(side, m));
          const Number other = __ldg(there + (place + m * across.step) * mode_stride);
          result.inside += lines.edge[m] * here;
          result.outward += lines.slope[m] * here;
          result.outside += lines.edge[m] * other;
          result.outward_across += lines.slope[m] * other;
        }
      return result;
    }

    /// What the flux at a point of a face multiplies derivatives with, here and across, see
    /// PointwiseForm, and what the point counts for, times the share of this element.
    struct Row
    {
      Number weight, normal, normal_across, tangential[dim - 1], tangential_across[dim - 1];
    };

    __device__ __forceinline__ Number
    stored_number(const Number *from, const int size, const int i) const
    {
      return __ldg(from + point_index(element - arg.stored.first_block * block_size, i, size, 1));
    }

    /// The number of the warp's point @p a on a face across direction @p d.
    __device__ __forceinline__ int
    face_point(const int d, const int a) const
    {
      return along_row(d) == 0 ? a + k * of_row : k + a * n;
    }

    template <int d>
    __device__ __forceinline__ Row
    row_at(const int side, const int a, const Across &across, const bool alone) const
    {
      constexpr int nf = of_row * n, size = n_faces * nf;
      const int     f = 2 * d + side, at = f * nf + face_point(d, a);
      const Number  seen = alone ? 0 : 1, share = alone ? Number(dirichlet >> f & 1) : Number(0.5),
                   root = lines.inverse_root[k] * (dim == 3 ? lines.inverse_root[a] : Number(1));
      Row        result;
      const auto along = [&](const int r) {
        return stored_number(arg.pointwise.along, size * dim, at * dim + r);
      };
      const auto along_across = [&](const int r, const bool reverses) {
        const Number entry = stored_number(arg.pointwise.along_across, size * dim, at * dim + r);
        return seen * (reverses ? -entry : entry);
      };
      result.weight        = share * root * root * stored_number(arg.pointwise.areas, size, at);
      result.normal        = sign(side) * along(d);
      result.normal_across = along_across(across.face / 2, across.face % 2 == 0);
#pragma unroll
      for (int t = 0; t < dim - 1; ++t)
        {
          result.tangential[t]        = along((d + 1 + t) % dim);
          result.tangential_across[t] = along_across(across.direction(t), across.along[t] < 0);
        }
      return result;
    }

    /// What add_tangential() needs are the values on both sides and the jump.
    template <int d>
    __device__ __forceinline__ void
    add_face_by_points(const int side, const Across &across, const bool alone)
    {
      constexpr int row = along_row(d), warps = across_warps(d);
      const int     f       = 2 * d + side;
      const Number *there   = arg.u + position(across.neighbor, 0);
      const Number  penalty = __ldg(arg.penalties + point_index(element, f, n_faces, 1));

      Number inside[of_row], outside[of_row], tested[of_row];
#pragma unroll
      for (int a = 0; a < of_row; ++a)
        {
          const Traces of   = traces_at<d>(side, a, there, across);
          const Row    flux = row_at<d>(side, a, across, alone);
          const Number jump = flux.weight * (of.inside - (alone ? Number(0) : of.outside));
          value[f][a]       = 2 * penalty * jump - flux.weight * (flux.normal * of.outward +
                                                            flux.normal_across * of.outward_across);
          set_jump<d>(side, a, -jump * flux.normal);
          trace(0, side, a, k) = inside[a] = of.inside;
          trace(1, side, a, k) = outside[a] = of.outside;
          trace(2, side, a, k)              = jump * flux.tangential[warps];
          if constexpr (dim == 3)
            tested[a] = jump * flux.tangential[row];
        }
      if constexpr (dim == 3)
#pragma unroll
        for (int a = 0; a < of_row; ++a)
          {
            const Row flux = row_at<d>(side, a, across, alone);
            Number    here = 0, other = 0;
#pragma unroll
            for (int m = 0; m < n; ++m)
              {
                here += lines.derivative[a][m] * inside[m];
                other += lines.derivative[a][m] * outside[m];
                value[f][a] -= lines.derivative[m][a] * tested[m];
              }
            value[f][a] -=
              flux.weight * (flux.tangential[row] * here + flux.tangential_across[row] * other);
          }
    }

    /// Distance between neighbouring coefficients of an element.
    static constexpr int mode_stride = CoefficientLayout{n_points, n_components}.mode_stride();

    template <int d>
    __device__ __forceinline__ Number
    value_inside(const int a, const int m) const
    {
      if constexpr (d == last)
        return in_column(a, m);
      else
        return own[in_plane(d, a, m)];
    }

    template <int d>
    __device__ __forceinline__ Side
    make_side(const int side, const FaceRecord &record, const Across &across) const
    {
      Side result;
      result.seen  = is_alone(record) ? 0 : 1;
      result.share = is_alone(record) ? Number(dirichlet >> (2 * d + side) & 1) : Number(0.5);
      const Number normal        = form[symmetric_entry<dim>(d, d)],
                   normal_across = stiffness(across.neighbor, across.normal_entry());
      result.penalty             = 2 * result.share * arg.penalty *
                       ::max(stiffness(element, n_form) * normal,
                             stiffness(across.neighbor, n_form) * normal_across);
      result.normal_across = result.seen * normal_across;
#pragma unroll
      for (int t = 0; t < dim - 1; ++t)
        {
          const Number entry = result.seen * stiffness(across.neighbor, across.tangential_entry(t));
          result.tangential[t] = sign(side) * form[symmetric_entry<dim>(d, (d + 1 + t) % dim)];
          result.tangential_across[t] = across.turns_normal_with(t) ? entry : -entry;
        }
      return result;
    }

    /// The jump at point @p a of the warp on a face, times what the gradient is given of it.
    /// Without an affine map: what the outward derivative of test functions is multiplied with.
    template <int d>
    __device__ __forceinline__ void
    set_jump(const int side, const int a, const Number jump)
    {
      if constexpr (stores_jumps && d < last)
        jumps[(((d * 2 + side) * of_row + a) * n + k) * 32] = jump;
      else
        kept_jumps[stores_jumps ? 0 : d][side][a] = jump;
    }

    template <int d>
    __device__ __forceinline__ Number
    jump(const int side, const int a) const
    {
      if constexpr (stores_jumps && d < last)
        return jumps[(((d * 2 + side) * of_row + a) * n + k) * 32];
      else
        return kept_jumps[stores_jumps ? 0 : d][side][a];
    }

    /// Subtract the derivatives of the traces in the direction that crosses warps.
    template <int d>
    __device__ __forceinline__ void
    add_tangential()
    {
#pragma unroll
      for (int side = 0; side < 2; ++side)
        if constexpr (is_affine)
          {
#pragma unroll
            for (int a = 0; a < of_row; ++a)
#pragma unroll
              for (int m = 0; m < n; ++m)
                value[2 * d + side][a] -= derivative[m] * trace(0, side, a, m);
          }
        else
          add_tangential_by_points<d>(side);
    }

    template <int d>
    __device__ __forceinline__ void
    add_tangential_by_points(const int side)
    {
      constexpr int    t      = across_warps(d);
      const int        f      = 2 * d + side;
      const FaceRecord face   = record(f);
      const Across     across = make_across(f, face);
#pragma unroll
      for (int a = 0; a < of_row; ++a)
        {
          const Row flux = row_at<d>(side, a, across, is_alone(face));
          Number    here = 0, other = 0;
#pragma unroll
          for (int m = 0; m < n; ++m)
            {
              here += derivative[m] * trace(0, side, a, m);
              other += derivative[m] * trace(1, side, a, m);
              value[f][a] -= lines.derivative[m][k] * trace(2, side, a, m);
            }
          value[f][a] -=
            flux.weight * (flux.tangential[t] * here + flux.tangential_across[t] * other);
        }
    }

    /// Add what faces from @p first on have more than those inside to the sums in shared memory, of
    /// which a warp has the lines behind its points of a face.
    __device__ __forceinline__ void
    add_special_terms(const int first, const int end) const
    {
      if (special >> first == 0)
        return;
#pragma unroll 1
      for (int f = first; f < end; ++f)
        if (special >> f & 1)
          {
            const SpecialFace face(arg, lines, element, f, component);
#pragma unroll 1
            for (int a = 0; a < of_row; ++a)
              face.for_terms(face_point(f / 2, a),
                             [&](const int m, const Number term) { values[m * 32] += term; });
          }
    }

    /// The derivatives in the last direction, with the part that gradients have of jumps.
    __device__ __forceinline__ void
    set_last_derivatives()
    {
#pragma unroll
      for (int a = 0; a < of_row; ++a)
        {
          Number column[n];
#pragma unroll
          for (int m = 0; m < n; ++m)
            column[m] = in_column(a, m);
#pragma unroll
          for (int q = 0; q < n; ++q)
            {
              Number sum = is_affine ? lifted<last>(a, q) : Number(0);
#pragma unroll
              for (int m = 0; m < n; ++m)
                sum += lines.derivative[q][m] * column[m];
              in_column(a, q) = sum;
            }
        }
    }

    /// What the jumps at both ends of a line give the derivative along it at its point @p q.
    template <int d>
    __device__ __forceinline__ Number
    lifted(const int a, const int q) const
    {
      return lines.edge[q] * jump<d>(0, a) + lines.edge[n - 1 - q] * jump<d>(1, a);
    }

    /// What both ends of a line give the test function of its point @p q.
    template <int d>
    __device__ __forceinline__ Number
    tested(const int a, const int q) const
    {
      const Number sum =
        lines.edge[q] * value[2 * d][a] + lines.edge[n - 1 - q] * value[2 * d + 1][a];
      if constexpr (is_affine)
        return sum;
      else
        return sum + lines.slope[q] * jump<d>(0, a) + lines.slope[n - 1 - q] * jump<d>(1, a);
    }

    /// The terms of the faces and of the reaction.
    __device__ __forceinline__ void
    start_sums()
    {
#pragma unroll
      for (int q = 0; q < of_plane; ++q)
        {
          r[q] = tested<0>(q / n, q % n);
          if constexpr (dim == 3)
            r[q] += tested<1>(q % n, q / n);
        }
      if constexpr (is_affine)
        {
          if (arg.reaction_mass == nullptr)
            return;
          const Number mass = __ldg(arg.reaction_mass + element);
#pragma unroll
          for (int q = 0; q < of_plane; ++q)
            r[q] += mass * own[q];
        }
      else if (arg.reaction.volume != nullptr || arg.reaction.constant != Number(0))
        add_reaction_by_points();
    }

    __device__ __forceinline__ void
    add_reaction_by_points()
    {
      const auto geometry =
        geometry_view<kind>(arg.stored,
                            element,
                            affine_geometry<dim>(arg.mesh.inverse_jacobians, element));
      const bool   by_point = arg.reaction.face != nullptr;
      const Number volume   = geometry.volume_factor();
#pragma unroll
      for (int q = 0; q < of_plane; ++q)
        {
          const int    point = k * of_plane + q;
          const Number lambda =
            arg.reaction.volume == nullptr
              ? arg.reaction.constant
              : __ldg(arg.reaction.volume +
                      (by_point ? point_index(element, point, n_points, 1) : element));
          r[q] += lambda * volume * geometry.relative_volume(point) * own[q];
        }
    }

    /// The integrals over the elements: all of the directions in the plane, and of the last one
    /// the flux, in place of the derivative.
    __device__ __forceinline__ void
    add_volume()
    {
#pragma unroll
      for (int q = 0; q < of_plane; ++q)
        {
          Array<Number, dim> gradient;
          gradient[0]    = derivative_in_plane<0>(q);
          gradient[last] = in_own_plane(q);
          if constexpr (dim == 3)
            gradient[1] = derivative_in_plane<1>(q);
          if constexpr (!is_affine)
            set_form(q);
          const Array<Number, dim> flux = symmetric_product<dim>(form, gradient);
          in_own_plane(q)               = flux[last];
          test_in_plane<0>(q, flux[0]);
          if constexpr (dim == 3)
            test_in_plane<1>(q, flux[1]);
        }
    }

    /// At point @p q of the plane.
    __device__ __forceinline__ void
    set_form(const int q)
    {
      const int    point = k * of_plane + q;
      const Number root  = lines.inverse_root[k] * lines.inverse_root[q % n] *
                          (dim == 3 ? lines.inverse_root[q / n] : Number(1));
#pragma unroll
      for (int i = 0; i < n_form; ++i)
        form[i] =
          root * root * stored_number(arg.pointwise.volume, n_points * n_form, point * n_form + i);
    }

    template <int d>
    __device__ __forceinline__ Number
    derivative_in_plane(const int q) const
    {
      const int i = d == 0 ? q % n : q / n, a = d == 0 ? q / n : q % n;
      Number    sum = is_affine ? lifted<d>(a, i) : Number(0);
#pragma unroll
      for (int m = 0; m < n; ++m)
        sum += lines.derivative[i][m] * own[in_plane(d, a, m)];
      return sum;
    }

    template <int d>
    __device__ __forceinline__ void
    test_in_plane(const int q, const Number flux)
    {
      const int i = d == 0 ? q % n : q / n, a = d == 0 ? q / n : q % n;
#pragma unroll
      for (int m = 0; m < n; ++m)
        r[in_plane(d, a, m)] += lines.derivative[i][m] * flux;
    }

    /// The sums in the last direction, in place of the fluxes.
    __device__ __forceinline__ void
    test_last_derivatives()
    {
#pragma unroll
      for (int a = 0; a < of_row; ++a)
        {
          Number column[n];
#pragma unroll
          for (int q = 0; q < n; ++q)
            column[q] = in_column(a, q);
#pragma unroll
          for (int m = 0; m < n; ++m)
            {
              Number sum = tested<last>(a, m);
#pragma unroll
              for (int q = 0; q < n; ++q)
                sum += lines.derivative[q][m] * column[q];
              in_column(a, m) = sum;
            }
        }
    }

    __device__ __forceinline__ void
    store() const
    {
      if (wanted >= arg.mesh.end)
        return;
#pragma unroll
      for (int q = 0; q < of_plane; ++q)
        {
          const std::size_t i    = position(element, k * of_plane + q);
          const Number      base = arg.base != nullptr ? arg.base[i] : Number(0);
          arg.out[i]             = base + arg.scale * (r[q] + in_own_plane(q));
        }
    }

    const LaplaceArguments<Number> &arg;
    const Lines                    &lines;
    const int                       component;
    const int                       k;
    const int                       wanted, element; ///< beyond the last element it is repeated
    Number *const values, *const traces, *const jumps;

    CoefficientValue<dim, Number> form;
    Number                        own[of_plane], r[of_plane], derivative[n];
    Number                        value[n_faces][of_row];
    Number                        kept_jumps[stores_jumps ? 1 : dim][2][of_row];
    FaceRecord                    next_records[2];
    /// Of each face a bit: at a Dirichlet boundary, and with terms that faces inside do not have.
    unsigned int dirichlet = 0, special = 0;
  };
} // namespace Saltus::CudaKernels

#endif
