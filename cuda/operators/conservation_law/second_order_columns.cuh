// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_cuda_operators_conservation_law_second_order_columns_cuh
#define saltus_cuda_operators_conservation_law_second_order_columns_cuh

// What SecondOrderElement computes, on quadrilaterals and hexahedra by sums along lines of points.
// A lane has a column of an element, the n = p + 1 points that differ in the last direction, and of
// every face the point with the column's two indices i and j, with all components. The lanes of an
// element exchange what other lines need through shared memory.
//
//   values   [c][k][column]     shared  at the points of an element, k in the last direction
//   rooms    [2][..]            shared  what is exchanged, one room being written while the other
//                                       may be read still: one synchronisation each
//     volume [t][c][column]             fluxes in direction t of the layer k of points
//     traces [side][c][point]           of a face, inside and across
//     tests  [t][c][point]              what derivatives along the face are multiplied with
//     sums   [kind][c][point]           what values and derivatives along the lines behind the face
//                                       are multiplied with
//   r        [c][k]             lane    residual at the points of its column
// On a face directions have this order: inward, then those of the face as this side counts its
// points. Where the law leaves the first components alone, c does not count them behind fluxes.

#include <saltus/operators/conservation_law/kernels/second_order_terms.h>
#include <saltus/operators/spaces/lines_across.h>

#include <cuda/operators/conservation_law/column_points.cuh>
#include <cuda/operators/conservation_law/second_order_boundary.cuh>

namespace Saltus::CudaKernels
{
  /// Besides what LineTables has, what derivatives need.
  template <typename Number, int n>
  struct SecondOrderLines : LineTables<Number, n>
  {
    template <int dim>
    static SecondOrderLines
    make(const ElementTables<Number> &tables)
    {
      SecondOrderLines result{LineTables<Number, n>::template make<dim>(tables), {}, {}, {}, {}};
      for (int i = 0; i < n; ++i)
        {
          double slope = 0;
          for (int k = 0; k < n; ++k)
            {
              result.gradient[k][i] =
                result.derivative[k][i] * (double(result.weight[i]) / result.weight[k]);
              slope += double(result.edge[k]) * result.gradient[k][i];
            }
          result.slope[i]          = slope;
          result.slope_lift[i]     = slope / result.weight[i];
          result.slope_of_modes[i] = slope * result.inverse_root[i];
        }
      return result;
    }

    Number gradient[n][n];    ///< `[k][i]`: \f$ \ell_i'(x_k) \f$
    Number slope[n];          ///< \f$ \ell_i'(0) \f$; at 1 its opposite, in the opposite order
    Number slope_lift[n];     ///< over the mass
    Number slope_of_modes[n]; ///< what slope is for coefficients
  };

  /// See the head of this file.
  /// @tparam artificial,varies see SecondOrderTerms
  template <typename Law,
            typename Number,
            int          degree,
            GeometryKind kind,
            bool         artificial,
            bool         varies>
  class SecondOrderColumns : public ColumnTeam<Law::dimension, degree + 1>
  {
    using Team      = ColumnTeam<Law::dimension, degree + 1>;
    using T         = Quick<Number>;
    using Terms     = SecondOrderTerms<Law, T, Number, artificial, varies>;
    using State     = typename Terms::State;
    using Trace     = typename Terms::Trace;
    using Direction = typename Terms::Direction;
    using Column    = ColumnPoints<Law, Number, degree + 1>;
    using Cube      = Hypercube<Law::dimension>;
    using Affine    = AffineGeometry<Law::dimension, T>;

    static constexpr int  dim       = Law::dimension;
    static constexpr int  nc        = Law::n_components;
    static constexpr int  n         = degree + 1;
    static constexpr bool is_affine = kind == GeometryKind::affine;

    /// Components from here on have fluxes.
    static constexpr int first_flux = artificial ? 0 : FirstDiffusive<Law>::value;
    static constexpr int n_fluxes   = nc - first_flux;

    /// A face as the lanes of an element read it.
    struct Across
    {
      Saltus::LinesAcross<dim, n> lines;  ///< of the element itself where there is no other one
      int                         number; ///< of the boundary face or the hanging face
      FaceKind                    face_kind;
      Number                      penalty_factor;
    };

  public:
    using Arguments  = SecondOrderArguments<Law, Number>;
    using Lines      = SecondOrderLines<Number, n>;
    using value_type = Number;

    using Team::column;
    using Team::element;
    using Team::elements_of;
    using Team::has_column;
    using Team::i;
    using Team::in_block;
    using Team::in_blocks;
    using Team::is_own;
    using Team::j;
    using Team::max_threads;
    using Team::n_columns;
    using Team::sync;

    /// Of a multiprocessor: as many as registers allow with few spills.
    static constexpr int min_blocks = in_blocks ? 1 : (n == 2 ? 6 - dim : 5 - dim);

  private:
    // Strides in shared memory with few bank conflicts.
    static constexpr int layer        = dim == 3 && n == 4 ? 21 : n_columns;
    static constexpr int values       = nc * n * layer;
    static constexpr int of_room      = 2 * nc * n_columns;
    static constexpr int words        = sizeof(double) / sizeof(Number);
    static constexpr int faces_room   = Cube::n_faces * sizeof(Across) / sizeof(Number);
    static constexpr int before_faces = (values + 2 * of_room + words - 1) / words * words;
    static constexpr int raw          = before_faces + faces_room;
    static constexpr int banks        = 16 * words;
    static constexpr int wanted       = n_columns * words % banks;
    static constexpr int of_element   = raw + (wanted - raw % banks + banks) % banks;
    static constexpr int tables_room  = 2 * n * n + (2 * n * n) % words;

  public:
    static constexpr int
    shared_bytes(const int n_threads)
    {
      return (tables_room + elements_of(n_threads) * of_element) * sizeof(Number);
    }

    __device__ __forceinline__
    SecondOrderColumns(const Arguments &arg, const Lines &lines, Number *const shared)
      : Team(arg.mesh.begin, arg.mesh.end)
      , arg(arg)
      , terms(arg)
      , lines(lines)
      , tables(shared)
      , own(shared + tables_room + in_block * of_element)
    {}

    __device__ __forceinline__ void
    run()
    {
      load();
      __syncthreads();
      add_volume();
#pragma unroll 1
      for (int f = 0; f < Cube::n_faces; ++f)
        add_face(f);
      store();
    }

  private:
    /// The room that was not written last.
    __device__ __forceinline__ Number *
    next_room()
    {
      room = of_room - room;
      return own + values + room;
    }

    __device__ __forceinline__ Across *
    faces() const
    {
      return reinterpret_cast<Across *>(own + before_faces);
    }

    static constexpr __device__ __forceinline__ CoefficientLayout
    layout()
    {
      return Column::layout();
    }

    /// Of point k of the column: where its coefficients begin.
    __device__ __forceinline__ std::size_t
                               position(const int k) const
    {
      return layout().index(element, k * n_columns + column);
    }

    __device__ __forceinline__ Number &
    value(const int c, const int k) const
    {
      return own[(c * n + k) * layer + column];
    }

    /// Of numbers of points of a line, those of the two lines across columns.
    __device__ __forceinline__ T
    product(const Number (&numbers)[n]) const
    {
      return T(numbers[i]) * T(dim == 3 ? numbers[j] : Number(1));
    }

    __device__ __forceinline__ void
    load()
    {
      typename Column::Pieces pieces[n];
#pragma unroll
      for (int k = 0; k < n; ++k)
        pieces[k] = Column::read_mode(arg.u + position(k));
      for (int t = threadIdx.x; t < n * n; t += blockDim.x)
        {
          tables[t]         = lines.gradient[t / n][t % n];
          tables[n * n + t] = lines.derivative[t % n][t / n];
        }
      if (!has_column())
        return;
      for (int f = column; f < Cube::n_faces; f += n_columns)
        faces()[f] = across(f);
      const T scale = product(lines.inverse_root);
#pragma unroll
      for (int k = 0; k < n; ++k)
#pragma unroll
        for (int c = 0; c < nc; ++c)
          value(c, k) = (T(lines.inverse_root[k]) * scale * pieces[k].values[c]).v;
    }

    __device__ __forceinline__ Across
    across(const int f) const
    {
      const FaceRecord record =
        read_face(arg.mesh.faces + point_index(element, f, Cube::n_faces, 1));
      const bool has_other = record.kind != FaceKind::boundary && record.kind != FaceKind::hanging;
      Across     result;
      result.lines =
        has_other ? Saltus::LinesAcross<dim, n>(record.neighbor, record.face, record.orientation)
                  : Saltus::LinesAcross<dim, n>(element, f, 0);
      result.number             = record.neighbor;
      result.face_kind          = record.kind;
      const auto inverse_volume = [&](const int of) {
        return affine_geometry<dim, Number, T>(arg.mesh.inverse_jacobians, of)
          .inverse_volume_factor();
      };
      result.penalty_factor =
        terms.penalty_factor(inverse_volume(result.lines.neighbor) / inverse_volume(element)).v;
      return result;
    }

    /// The index of this lane's point on lines in direction t = 0, 1 across columns.
    __device__ __forceinline__ int
    on_line(const int t) const
    {
      return t == 0 ? i : j;
    }

    /// Numbers of a line that are read together, also in layers of values.
    static constexpr int in_read = n % 2 == 0 ? 2 : 1, in_layer = layer % 2 == 0 ? in_read : 1;

    /// \f$ \sum_q \text{factor}_q x_{qc} \f$ along the line in direction @p t.
    /// @tparam n_sums components
    /// @tparam in_read numbers that are read together, where they follow each other
    /// @param factors of all points of a line `[point][q]`
    /// @param between distance of components
    template <int n_sums, int in_read = SecondOrderColumns::in_read>
    __device__ __forceinline__ Array<T, n_sums>
    sum_across(const Number *factors, const Number *from, const int t, const int between) const
    {
      const Number *const of_point = factors + on_line(t) * n;
      return t == 0 ? sum<n_sums, in_read>(of_point, from + j * n, 1, between)
                    : sum<n_sums, 1>(of_point, from + i, n, between);
    }

    /// The same along any line.
    /// @param factors `[q]`
    /// @param step distance of points
    template <int n_sums, int in_read = 1>
    static __device__ __forceinline__ Array<T, n_sums>
    sum(const Number *factors, const Number *from, const int step, const int between)
    {
      Array<T, n_sums> result;
#pragma unroll
      for (int c = 0; c < n_sums; ++c)
        result[c] = T(Number(0));
#pragma unroll
      for (int q = 0; q < n; q += in_read)
        {
          const auto of_points = Row<in_read, Number>::read(factors + q);
#pragma unroll
          for (int c = 0; c < n_sums; ++c)
            {
              const auto at = Row<in_read, Number>::read(from + c * between + q * step);
#pragma unroll
              for (int l = 0; l < in_read; ++l)
                result[c] = result[c] + of_points.values[l] * at.values[l];
            }
        }
      return result;
    }

    /// Leave components from @p first on for the other lanes.
    template <int first>
    __device__ __forceinline__ void
    put(Number *to, const State &x) const
    {
      if (has_column())
#pragma unroll
        for (int c = first; c < nc; ++c)
          to[(c - first) * n_columns + column] = x[c].v;
    }

    __device__ __forceinline__ const Number *
    gradients() const
    {
      return tables;
    }

    __device__ __forceinline__ const Number *
    tests() const
    {
      return tables + n * n;
    }

    __device__ __forceinline__ void
    add_volume()
    {
      const auto geometry =
        geometry_view<kind>(arg.stored,
                            element,
                            affine_geometry<dim, Number, T>(arg.mesh.inverse_jacobians, element));
#pragma unroll
      for (int k = 0; k < n; ++k)
        {
          const int q = k * n_columns + column;
          Trace     at;
#pragma unroll
          for (int c = 0; c < nc; ++c)
            at.value[c] = value(c, k);
#pragma unroll
          for (int t = 0; t < dim - 1; ++t)
            at.gradient.derivatives[t] =
              sum_across<nc, in_layer>(gradients(), own + k * layer, t, n * layer);
          at.gradient.derivatives[dim - 1] =
            sum<nc>(lines.gradient[k], own + column, layer, n * layer);
          const auto map = geometry.at_volume_point(q); // times the relative volume
#pragma unroll
          for (int t = 0; t < dim; ++t)
            at.gradient.directions[t] = map.metric(t);
          const auto medium = terms.medium(at.value, T(terms.viscosity_at(element, q)));
          T          weight = Number(-1);
          if constexpr (!is_affine)
            weight = weight / geometry.relative_volume(q);
          State fluxes[dim];
#pragma unroll
          for (int t = 0; t < dim; ++t)
            fluxes[t] = Terms::times(weight, terms.flux(medium, at.gradient, map.metric(t)));
          Number *const to = next_room();
#pragma unroll
          for (int t = 0; t < dim - 1; ++t)
            put<first_flux>(to + t * n_fluxes * n_columns, fluxes[t]);
#pragma unroll
          for (int c = 0; c < n_fluxes; ++c)
#pragma unroll
            for (int m = 0; m < n; ++m)
              {
                const T product = T(lines.derivative[k][m]) * fluxes[dim - 1][first_flux + c];
                r[c][m]         = k == 0 ? product : r[c][m] + product;
              }
          sync();
#pragma unroll
          for (int t = 0; t < dim - 1; ++t)
            add(sum_across<n_fluxes>(tests(), to + t * n_fluxes * n_columns, t, n_columns), k);
        }
    }

    __device__ __forceinline__ void
    add(const Array<T, n_fluxes> &x, const int k)
    {
#pragma unroll
      for (int c = 0; c < n_fluxes; ++c)
        r[c][k] = r[c][k] + x[c];
    }

    __device__ __forceinline__ void
    add_face(const int f)
    {
      const Across &across      = faces()[f];
      const bool    is_boundary = across.face_kind == FaceKind::boundary;
      Trace         inside, outside;
      set_inside(f, inside);
      set_outside(across.lines, outside);
      Number *const traces = next_room();
      put<0>(traces, inside.value);
      put<0>(traces + nc * n_columns, outside.value);
      sync();
#pragma unroll
      for (int t = 0; t < dim - 1; ++t)
        {
          inside.gradient.derivatives[1 + t] = sum_across<nc>(gradients(), traces, t, n_columns);
          outside.gradient.derivatives[1 + t] =
            sum_across<nc>(gradients(), traces + nc * n_columns, t, n_columns);
        }
      const Affine map = map_inside(f), map_across = map_outside(f, across.lines);
#pragma unroll
      for (int t = 0; t < dim; ++t)
        {
          inside.gradient.directions[t]  = map.metric(t);
          outside.gradient.directions[t] = map_across.metric(t);
        }
      const Direction normal = area_normal(f, map);
      const T         factor = across.penalty_factor;

      State jump;
#pragma unroll
      for (int c = 0; c < nc; ++c)
        jump[c] = inside.value[c] - outside.value[c];
      const bool spreads = terms.spreads_at(is_boundary ? across.number : -1);
      const auto medium =
        terms.medium(inside.value,
                     T(spreads ? terms.viscosities_on_faces(element)(f, column) : Number(0)));
      const auto medium_out =
        terms.medium(outside.value,
                     T(terms.viscosities_across(element, across.lines.neighbor)(f, column)));
      State flux = penalised_flux<is_affine>(medium, inside, jump, factor, normal);
      Terms::add(Number(1), penalised_flux<false>(medium_out, outside, jump, factor, normal), flux);
      flux = Terms::times(Number(0.5), flux);
      if (is_boundary)
        {
          read_boundary_term<0>(arg, across.number, column, flux);
          read_boundary_term<1>(arg, across.number, column, jump);
        }
      const auto of_jump = Terms::outer(jump, normal);
      State      tested[dim]; // with derivatives
#pragma unroll
      for (int t = 0; t < dim; ++t)
        tested[t] = Terms::times(T(Number(0.5)), terms.flux(medium, of_jump, map.metric(t)));
      if (across.face_kind == FaceKind::hanging)
        set_given(f, across.number, flux, tested);
      add_tested(f, flux, tested);
    }

    /// The flux on one side less the factor times that of the jump. Their mean is what
    /// SecondOrderTerms::mean_flux() computes, with fewer operations, as the jump is part of the
    /// gradient.
    /// @tparam along_inward whether the normal is the opposite of the gradient's first direction
    template <bool along_inward, typename Medium>
    __device__ __forceinline__ State
    penalised_flux(const Medium    &medium,
                   const Trace     &side,
                   const State     &jump,
                   const T         &factor,
                   const Direction &normal) const
    {
      constexpr int                         n_products = along_inward ? dim : dim + 1;
      StateGradient<T, dim, nc, n_products> gradient;
#pragma unroll
      for (int t = 0; t < dim; ++t)
        {
          gradient.directions[t]  = side.gradient.directions[t];
          gradient.derivatives[t] = side.gradient.derivatives[t];
        }
      if constexpr (along_inward)
        Terms::add(factor, jump, gradient.derivatives[0]);
      else
        {
          gradient.directions[dim]  = normal;
          gradient.derivatives[dim] = Terms::times(-factor, jump);
        }
      return terms.flux(medium, gradient, normal);
    }

    /// Add what is multiplied with values and derivatives of test functions on face @p f.
    __device__ __forceinline__ void
    add_tested(const int f, State &flux, const State (&tested)[dim])
    {
      Number *const along = next_room();
#pragma unroll
      for (int t = 0; t < dim - 1; ++t)
        put<first_flux>(along + t * n_fluxes * n_columns, tested[1 + t]);
      sync();
#pragma unroll
      for (int t = 0; t < dim - 1; ++t)
        {
          const auto sums =
            sum_across<n_fluxes>(tests(), along + t * n_fluxes * n_columns, t, n_columns);
#pragma unroll
          for (int c = 0; c < n_fluxes; ++c)
            flux[first_flux + c] = flux[first_flux + c] + sums[c];
        }
      Number *const sums = next_room();
      put<first_flux>(sums, flux);
      put<first_flux>(sums + n_fluxes * n_columns, tested[0]);
      sync();
      add_to_column(f, sums);
    }

    /// Add to the column what belongs to the lines behind face @p f.
    __device__ __forceinline__ void
    add_to_column(const int f, const Number *sums)
    {
      const int  d       = f / 2;
      const bool is_last = d == dim - 1;
      // Points of the face on whose lines those of the column are.
      const int first = is_last ? column : (dim == 2 ? 0 : (d == 0 ? j : i * n));
      const int step  = is_last ? 0 : (dim == 3 && d == 0 ? n : 1);
      const int here  = from_face(f, on_line(d));
      const T   lift = lines.lift[here], slope_lift = lines.slope_lift[here];
#pragma unroll
      for (int k = 0; k < n; ++k)
        {
          const T       of_value      = is_last ? T(lines.lift[from_face(f, k)]) : lift;
          const T       of_derivative = is_last ? T(lines.slope_lift[from_face(f, k)]) : slope_lift;
          const Number *at            = sums + first + k * step;
#pragma unroll
          for (int c = 0; c < n_fluxes; ++c)
            r[c][k] = r[c][k] + of_value * T(at[c * n_columns]) +
                      of_derivative * T(at[(n_fluxes + c) * n_columns]);
        }
    }

    /// The index @p k of a line counted from the end at which face @p f is.
    static __device__ __forceinline__ int
    from_face(const int f, const int k)
    {
      return f % 2 == 0 ? k : n - 1 - k;
    }

    /// Value and derivative inward from the line behind this lane's point of face @p f.
    __device__ __forceinline__ void
    set_inside(const int f, Trace &inside) const
    {
      const auto stride = [](const int direction) {
        return direction == dim - 1 ? layer : (direction == 0 ? 1 : n);
      };
      const int     d = f / 2, step = f % 2 == 0 ? stride(d) : -stride(d);
      const Number *from = own + i * stride((d + 1) % dim) +
                           (dim == 3 ? j * stride((d + 2) % dim) : 0) +
                           (f % 2 == 0 ? 0 : (n - 1) * stride(d));
      inside.value                   = sum<nc>(lines.edge, from, step, n * layer);
      inside.gradient.derivatives[0] = sum<nc>(lines.slope, from, step, n * layer);
    }

    /// The same on the other side.
    __device__ __forceinline__ void
    set_outside(const Saltus::LinesAcross<dim, n> &across, Trace &outside) const
    {
      const Number *from =
        arg.u + layout().index(across.neighbor,
                               across.start + i * across.along[0] + j * across.along[dim - 2]);
      const int step  = across.step * layout().mode_stride();
      State    &value = outside.value, &derivative = outside.gradient.derivatives[0];
      value = derivative = Terms::zero();
#pragma unroll
      for (int m = 0; m < n; ++m)
        {
          const auto mode = Column::read_mode(from + m * step);
#pragma unroll
          for (int c = 0; c < nc; ++c)
            {
              value[c]      = value[c] + T(lines.edge_of_modes[m]) * mode.values[c];
              derivative[c] = derivative[c] + T(lines.slope_of_modes[m]) * mode.values[c];
            }
        }
      const T others = product(lines.inverse_root);
      value          = Terms::times(others, value);
      derivative     = Terms::times(others, derivative);
    }

    /// The gradients of the directions of face @p f at this lane's point.
    __device__ __forceinline__ Affine
    map_inside(const int f) const
    {
      const int d = f / 2;
      return map(
        is_affine ? jacobian(element) : on_face(arg.stored.face_metrics, f),
        [&](const int t) { return (d + t) % dim; },
        [&](const int t) { return t == 0 && f % 2 == 1; });
    }

    /// Of the element across, in the same directions but for the first one, which is inward there.
    __device__ __forceinline__ Affine
    map_outside(const int f, const Saltus::LinesAcross<dim, n> &across) const
    {
      return map(
        is_affine ? jacobian(across.neighbor) : on_face(arg.stored.face_metrics_across, f),
        [&](const int t) { return t == 0 ? across.face / 2 : across.direction(t - 1); },
        [&](const int t) { return t == 0 ? across.face % 2 == 1 : across.along[t - 1] < 0; });
    }

    __device__ __forceinline__ const Number *
    jacobian(const int of) const
    {
      return arg.mesh.inverse_jacobians + point_index(of, 0, dim * dim, 1);
    }

    /// @param entries `[r][d]`, of a block of elements
    /// @param reference,is_reversed `(t)`: the reference direction that is number t here, and
    /// whether it is the opposite one
    template <typename Reference, typename IsReversed>
    static __device__ __forceinline__ Affine
    map(const Number *entries, const Reference &reference, const IsReversed &is_reversed)
    {
      return Affine([&](const int entry) {
        const int t      = entry / dim;
        const T   result = __ldg(entries + (reference(t) * dim + entry % dim) * block_size);
        return is_reversed(t) ? -result : result;
      });
    }

    /// Where the metrics at this lane's point of face @p f begin in an array of StoredArrays.
    __device__ __forceinline__ const Number *
    on_face(const Number *metrics, const int f) const
    {
      const int         block = element / block_size - arg.stored.first_block;
      const std::size_t point =
        (static_cast<std::size_t>(block) * Cube::n_faces + f) * n_columns + column;
      return metrics + point * dim * dim * block_size + element % block_size;
    }

    /// The normal of face @p f at this lane's point, as long as the face's area over |det J|.
    /// @param map map_inside()
    __device__ __forceinline__ Direction
    area_normal(const int f, const Affine &map) const
    {
      Direction normal;
      if constexpr (is_affine)
#pragma unroll
        for (int d = 0; d < dim; ++d)
          normal[d] = -map.metric(0)[d];
      else
        normal = geometry_view<kind>(arg.stored, element, map).area_normal(f, column, 0);
      return normal;
    }

    /// What is known of hanging face number @p number: moments, the test functions of this lane's
    /// point being 1 there.
    __device__ __forceinline__ void
    set_given(const int f, const int number, State &flux, State (&tested)[dim]) const
    {
      const Number *given =
        arg.gradients.faces.fluxes +
        (static_cast<std::size_t>(number) * n_columns + column) * (1 + dim) * nc;
      const T root = product(lines.inverse_root), scale = root * root;
#pragma unroll
      for (int c = 0; c < nc; ++c)
        {
          flux[c] = scale * T(given[c]);
#pragma unroll
          for (int t = 0; t < dim; ++t)
            {
              const T of_derivative = scale * T(given[(1 + (f / 2 + t) % dim) * nc + c]);
              tested[t][c]          = t == 0 && f % 2 == 1 ? -of_derivative : of_derivative;
            }
        }
    }

    __device__ __forceinline__ void
    store() const
    {
      constexpr int together  = Column::together;
      const T       of_column = product(lines.root);
      if (is_own)
#pragma unroll
        for (int k = 0; k < n; ++k)
#pragma unroll
          for (int p = 0; p < nc / together; ++p)
            {
              typename Column::Piece piece;
#pragma unroll
              for (int l = 0; l < together; ++l)
                {
                  const int c     = p * together + l - first_flux;
                  piece.values[l] = c < 0 ? T(Number(0)) : T(lines.root[k]) * of_column * r[c][k];
                }
              piece.write(arg.second_order_terms + place(k, p));
            }
    }

    /// Of piece @p p of point k of the column.
    __device__ __forceinline__ std::size_t
                               place(const int k, const int p) const
    {
      return position(k) + p * Column::together * layout().component_stride();
    }

    const Arguments &arg;
    const Terms      terms;
    const Lines     &lines;
    Number *const    tables;   ///< gradients() and tests(), of the block
    Number *const    own;      ///< the element's in shared memory
    int              room = 0; ///< where the one that was written last begins
    T                r[n_fluxes][n];
  };
} // namespace Saltus::CudaKernels

#endif
