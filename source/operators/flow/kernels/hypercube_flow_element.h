// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_source_operators_flow_kernels_hypercube_flow_element_h
#define saltus_source_operators_flow_kernels_hypercube_flow_element_h

// Weak derivatives on quadrilaterals and hexahedra by sums along lines, for one set of vector
// instructions.
#include <saltus/operators/flow/kernels/rule_lines.h>
#include <saltus/operators/spaces/hypercube_tables.h>
#include <saltus/operators/spaces/lines_across.h>

#include "../../spaces/kernels/range_kernels.h"

namespace
{
  using namespace Saltus;

  /// Evaluation and test on a grid of points, the tensor product of a rule on a line: direction by
  /// direction from the last one on, so that what is between lies in the first-level cache. In
  /// front of the first d directions there are, for every node of these, `[node][k][c]`,
  ///
  ///   values   k = 0: the function at a point of the other directions, if there are gradients then
  ///            also its derivatives in them, the last direction first
  ///   results  k = 0: what is multiplied with test functions, if these are derived then also, for
  ///            each of the d directions, what is multiplied with their derivative in it
  ///
  /// @tparam of_gradients, to_gradients whether the function, and test functions, are derived
  template <typename T,
            int  n,
            bool collocated,
            int  dim,
            int  n_in,
            int  n_out,
            bool of_gradients,
            bool to_gradients,
            typename Lines>
  class GridSums
  {
    static constexpr int
    n_values(const int d)
    {
      return of_gradients ? 1 + dim - d : 1;
    }

    static constexpr int
    n_results(const int d)
    {
      return to_gradients ? (d == 0 ? dim : 1 + dim - d) : 1;
    }

  public:
    using Values  = Array<T, n_in>[n_values(0)];
    using Results = Array<T, n_out>[n_results(0)];

    GridSums(const Lines &lines)
      : lines(lines)
    {}

    /// Add to @p r what @p at_point makes of u.
    /// @param at_point `(q, values, results)`, where derivatives are those in direction d: the
    /// values[dim - d], and the results[d]
    template <typename AtPoint>
    inline __attribute__((always_inline)) void
    run(const Array<T, n_in> *u, Array<T, n_out> *r, const AtPoint &at_point) const
    {
      sum<dim>(reinterpret_cast<const Array<T, n_in>(*)[1]>(u),
               reinterpret_cast<Array<T, n_out>(*)[1]>(r),
               0,
               at_point);
    }

  private:
    template <int d, typename AtPoint>
    inline __attribute__((always_inline)) void
    sum(const Array<T, n_in> (*u)[n_values(d)],
        Array<T, n_out> (*r)[n_results(d)],
        const int      first,
        const AtPoint &at_point) const
    {
      if constexpr (d == 0)
        at_point(first, u[0], r[0]);
      else
        {
          constexpr int others = power(n, d - 1);
          int           stride = 1; // of points
          for (int i = 0; i < d - 1; ++i)
            stride *= n_points();
          for (int q = 0; q < n_points(); ++q)
            {
              Array<T, n_in>  at_q[others][n_values(d - 1)];
              Array<T, n_out> of_q[others][n_results(d - 1)];
              for (int m = 0; m < others; ++m)
                {
                  evaluate<d>(u + m, q, at_q[m]);
                  for (auto &result : of_q[m])
                    for (int c = 0; c < n_out; ++c)
                      result[c] = T(0);
                }
              sum<d - 1>(at_q, of_q, first + q * stride, at_point);
              for (int m = 0; m < others; ++m)
                test<d>(of_q[m], q, r + m);
            }
        }
    }

    inline __attribute__((always_inline)) int
    n_points() const
    {
      return collocated ? n : lines.n_points;
    }

    /// From a line of nodes to its point @p q.
    template <int d>
    inline __attribute__((always_inline)) void
    evaluate(const Array<T, n_in> (*u)[n_values(d)], const int q, Array<T, n_in> *at_q) const
    {
      constexpr int stride = power(n, d - 1);
      for (int k = 0; k < n_values(d); ++k)
        for (int c = 0; c < n_in; ++c)
          at_q[k][c] = along(lines.value[q], q, [&](const int i) { return u[i * stride][k][c]; });
      if constexpr (of_gradients)
        for (int c = 0; c < n_in; ++c)
          {
            T sum = T(lines.derivative[q][0]) * u[0][0][c];
            for (int i = 1; i < n; ++i)
              sum = sum + T(lines.derivative[q][i]) * u[i * stride][0][c];
            at_q[n_values(d)][c] = sum;
          }
    }

    /// \f$ \sum_i v_i u_i \f$ with the values at point @p q.
    template <typename U>
    inline __attribute__((always_inline)) T
    along(const double *values, const int q, const U &u) const
    {
      if constexpr (collocated)
        return T(values[q]) * u(q);
      else
        {
          T sum = T(values[0]) * u(0);
          for (int i = 1; i < n; ++i)
            sum = sum + T(values[i]) * u(i);
          return sum;
        }
    }

    /// From point @p q of a line back to its nodes.
    template <int d>
    inline __attribute__((always_inline)) void
    test(const Array<T, n_out> (&of_q)[n_results(d - 1)],
         const int q,
         Array<T, n_out> (*r)[n_results(d)]) const
    {
      constexpr int stride = power(n, d - 1);
      // Points have results for derivatives alone.
      constexpr int derived = d > 1 ? 1 : 0;
      for (int c = 0; c < n_out; ++c)
        {
          if constexpr (to_gradients)
            for (int i = 0; i < n; ++i)
              r[i * stride][0][c] =
                r[i * stride][0][c] + T(lines.derivative[q][i]) * of_q[derived][c];
          if constexpr (!to_gradients || d > 1)
            add_values(q, of_q[0][c], [&](const int i) -> T & { return r[i * stride][0][c]; });
          if constexpr (to_gradients)
            for (int k = 1; k < n_results(d); ++k)
              add_values(q, of_q[derived + k][c], [&](const int i) -> T & {
                return r[i * stride][k][c];
              });
        }
    }

    /// Add a number times the values at point @p q.
    template <typename R>
    inline __attribute__((always_inline)) void
    add_values(const int q, const T &factor, const R &r) const
    {
      if constexpr (collocated)
        r(q) = r(q) + T(lines.value[q][q]) * factor;
      else
        for (int i = 0; i < n; ++i)
          r(i) = r(i) + T(lines.value[q][i]) * factor;
    }

    const Lines &lines;
  };

  /// A weak derivative on quadrilaterals or hexahedra with @p n points on a line of the basis.
  /// @tparam Points see FlowPoints
  /// @tparam collocated whether the rule has these points, else any
  template <typename Points, int n, bool collocated>
  class HypercubeFlowElement : Points
  {
    using Group = typename Points::Group;
    using Group::elements;
    using Group::geometry;
    using Group::tables;
    using Points::arg;
    using Points::dim;
    using Points::n_components;
    using Points::n_in;
    using Points::n_out;
    using Points::width;
    using typename Points::Arguments;
    using typename Points::Face;
    using typename Points::Input;
    using typename Points::Number;
    using typename Points::Output;
    using typename Points::T;
    using typename Points::Tables;

    using Cube = Hypercube<dim>;

    static constexpr int  n_nodes = power(n, dim), nf = power(n, dim - 1);
    static constexpr bool is_affine = Group::Geometry::is_constant;

  public:
    using Lines = RuleLines<Number, n, max_rule_points>;

    /// Elements from @p first on, all of one block.
    HypercubeFlowElement(const Arguments &arg,
                         const Tables    &tables,
                         const Lines     &lines,
                         const int        first)
      : Points(arg, tables, first)
      , lines(lines)
    {}

    void
    run()
    {
      read();
      if (this->has_volume())
        add_volume();
      if (this->has_faces())
        for (int f = 0; f < Cube::n_faces; ++f)
          add_face(f);
      update();
    }

  private:
    template <int dimension, int n_values, int n_results, bool of_gradients, bool to_gradients>
    using Sums =
      GridSums<T, n, collocated, dimension, n_values, n_results, of_gradients, to_gradients, Lines>;

    void
    read()
    {
      for (int m = 0; m < n_nodes; ++m)
        {
          Number values[n_in][width] = {};
          for (int i = 0; i < Points::n_inputs; ++i)
            this->for_terms(i, [&](const Number factor, const Number *vector) {
              for (int l = 0; l < width; ++l)
                for (int c = 0; c < n_components; ++c)
                  values[i * n_components + c][l] += factor * vector[input(elements[l], m) + c];
            });
          for (int i = 0; i < n_in; ++i)
            load(u[m][i], values[i]);
          for (int c = 0; c < n_out; ++c)
            r[m][c] = T(0);
        }
    }

    static std::size_t
    input(const int element, const int m)
    {
      return CoefficientLayout{n_nodes, n_components}.index(element, m);
    }

    void
    add_volume()
    {
      const Sums<dim, n_in, n_out, Points::has_divergence, true> sums(lines);
      sums.run(u, r, [&](const int q, const auto &values, auto &fluxes) {
        const T weight(tables.volume_weight(q));
        if constexpr (Points::has_divergence)
          {
            T divergence = this->divergence_part(q, 0, values[dim]);
            for (int d = 1; d < dim; ++d)
              divergence = divergence + this->divergence_part(q, d, values[dim - d]);
            this->set_fluxes(q, weight, divergence, fluxes);
          }
        else
          this->set_fluxes(q, weight, values[0], fluxes);
      });
    }

    void
    add_face(const int f)
    {
      Face face = this->face(f);
      // Inside and outside.
      Array<T, 2 * n_in> traces[nf];
      Output             fluxes[nf];
      for (int a = 0; a < nf; ++a)
        {
          for (int i = 0; i < n_in; ++i)
            {
              T value = T(lines.edge[0]) * u[node(f, a, 0)][i];
              for (int k = 1; k < n; ++k)
                value = value + T(lines.edge[k]) * u[node(f, a, k)][i];
              traces[a][i] = value;
            }
          for (int c = 0; c < n_out; ++c)
            fluxes[a][c] = T(0);
        }
      set_outside(face, traces);
      const Sums<dim - 1, 2 * n_in, n_out, false, false> sums(lines);
      sums.run(traces, fluxes, [&](const int q, const auto &values, auto &flux) {
        Input inside, outside;
        for (int i = 0; i < n_in; ++i)
          {
            inside[i]  = values[0][i];
            outside[i] = values[0][n_in + i];
          }
        flux[0] = this->face_flux(face, f, q, tables.face_weight(q), inside, outside);
      });
      for (int a = 0; a < nf; ++a)
        for (int k = 0; k < n; ++k)
          for (int c = 0; c < n_out; ++c)
            {
              T &to = r[node(f, a, k)][c];
              to    = to + T(lines.edge[k]) * fluxes[a][c];
            }
    }

    /// Number @p k of the line behind node @p a of a face, which begins at it.
    static int
    node(const int f, const int a, const int k)
    {
      return Cube::line(f / 2, a, n) + (f % 2 == 1 ? n - 1 - k : k) * Cube::stride(f / 2, n);
    }

    /// The neighbours' traces; 0 where there is none.
    void
    set_outside(const Face &face, Array<T, 2 * n_in> (&traces)[nf]) const
    {
      Number outside[nf][n_in][width] = {};
      for (int l = 0; l < width; ++l)
        {
          const FaceRecord record = face.across[l];
          if (record.at_boundary() || record.kind == FaceKind::hanging)
            continue;
          const LinesAcross<dim, n> across(record.neighbor, record.face, record.orientation);
          constexpr int             stride = CoefficientLayout{n_nodes, n_components}.mode_stride();
          for (int i = 0; i < Points::n_inputs; ++i)
            this->for_terms(i, [&](const Number factor, const Number *vector) {
              const Number *element = vector + input(across.neighbor, 0);
              for (int a = 0; a < nf; ++a)
                {
                  int place = across.start + a % n * across.along[0];
                  if (dim == 3)
                    place += a / n * across.along[dim - 2];
                  Number sum[n_components] = {};
                  for (int k = 0; k < n; ++k)
                    for (int c = 0; c < n_components; ++c)
                      sum[c] += lines.edge[k] * element[(place + k * across.step) * stride + c];
                  for (int c = 0; c < n_components; ++c)
                    outside[a][i * n_components + c][l] += factor * sum[c];
                }
            });
        }
      for (int a = 0; a < nf; ++a)
        for (int i = 0; i < n_in; ++i)
          load(traces[a][n_in + i], outside[a][i]);
    }

    /// Multiply functions by another one, and project.
    template <typename Factor>
    void
    multiply(Output (&y)[n_nodes], const Factor &factor) const
    {
      if constexpr (is_affine)
        return;
      else if constexpr (collocated)
        for (int m = 0; m < n_nodes; ++m)
          for (int c = 0; c < n_out; ++c)
            y[m][c] = factor(m) * y[m][c];
      else
        {
          Output result[n_nodes];
          for (auto &value : result)
            for (int c = 0; c < n_out; ++c)
              value[c] = T(0);
          const Sums<dim, n_out, n_out, false, false> sums(lines);
          sums.run(y, result, [&](const int q, const auto &values, auto &results) {
            const T here = T(tables.volume_weight(q)) * factor(q);
            for (int c = 0; c < n_out; ++c)
              results[0][c] = here * values[0][c];
          });
          for (int m = 0; m < n_nodes; ++m)
            y[m] = result[m];
        }
    }

    void
    update()
    {
      const bool as_form = this->as_form();
      if (!as_form)
        multiply(r, [&](const int q) { return geometry.inverse_mass(q); });
      Output sum[n_nodes];
      for (int m = 0; m < n_nodes; ++m)
        for (int c = 0; c < n_out; ++c)
          {
            Number base[width] = {}, change[width] = {};
            for (int l = 0; l < width && this->is_used(l); ++l)
              {
                const std::size_t i = output(l, m) + c;
                base[l]             = this->base(i);
                change[l]           = this->change(i, get_lane(r[m][c], l));
              }
            load(sum[m][c], base);
            load(r[m][c], change);
            if (!as_form)
              sum[m][c] = sum[m][c] + r[m][c];
          }
      T factor(1);
      if (this->times_mass())
        {
          factor = geometry.volume_factor();
          multiply(sum, [&](const int q) { return geometry.relative_volume(q); });
        }
      for (int m = 0; m < n_nodes; ++m)
        for (int c = 0; c < n_out; ++c)
          {
            const T result = factor * (as_form ? sum[m][c] + r[m][c] : sum[m][c]);
            for (int l = 0; l < width && this->is_used(l); ++l)
              arg.out[output(l, m) + c] = get_lane(result, l);
          }
    }

    std::size_t
    output(const int l, const int m) const
    {
      return CoefficientLayout{n_nodes, n_out}.index(elements[l], m);
    }

    const Lines &lines;
    Input        u[n_nodes];
    Output       r[n_nodes];
  };

  /// RangeKernels of a family with the points `Family::Points` on elements of degree n - 1.
  template <typename Family, GeometryKind kind, int n, bool collocated>
  class CpuHypercubeFlow : public RangeKernels<typename Family::Arguments>
  {
    using Arguments = typename Family::Arguments;
    using Number    = typename Arguments::value_type;

    static constexpr int width = full_width<Family>;

    using Tables  = HypercubeTables<Family::dim, Number, n - 1>;
    using Points  = typename Family::template Points<kind, Pack<Number, width>, width, Tables>;
    using Element = HypercubeFlowElement<Points, n, collocated>;
    using Lines   = typename Element::Lines;

  public:
    explicit CpuHypercubeFlow(const ElementTables<Number> &host)
      : lines(Lines::template make<Family::dim>(host))
    {}

    void
    apply(const Arguments &arg) const override
    {
      for_element_groups(arg.mesh, width, [&](const int first) {
        const Tables tables(arg.tables);
        Element(arg, tables, lines, first).run();
      });
    }

  private:
    const Lines lines;
  };

  /// That of degree @p wanted; nullptr for a rule that is not compiled.
  template <typename Family, GeometryKind kind, int n = 2>
  RangeKernels<typename Family::Arguments> *
  make_hypercube_flow(const ElementTables<typename Family::Arguments::value_type> &host,
                      const int                                                    wanted)
  {
    if constexpr (n - 1 <= Family::max_hypercube_degree)
      {
        if (wanted != n - 1)
          return make_hypercube_flow<Family, kind, n + 1>(host, wanted);
        constexpr bool collocated = Family::order == 2;
        using Lines               = RuleLines<double, n, max_rule_points>;
        if (Lines::template fit<Family::dim>(host) &&
            (!collocated || points_on_line<Family::dim>(host) == n))
          return new CpuHypercubeFlow<Family, kind, n, collocated>(host);
      }
    return nullptr;
  }

  template <typename Family>
  bool
  enrol_hypercube_flow()
  {
    using Kernels            = RangeKernels<typename Family::Arguments>;
    constexpr auto hypercube = ElementShape::hypercube;
    constexpr int  max       = Family::max_hypercube_degree;
    KernelRegistry<Kernels, GeometryKind::affine, hypercube>::cpu[SALTUS_ISA_LEVEL] = {
      &make_hypercube_flow<Family, GeometryKind::affine>, 1, max};
    KernelRegistry<Kernels, GeometryKind::stored, hypercube>::cpu[SALTUS_ISA_LEVEL] = {
      &make_hypercube_flow<Family, GeometryKind::stored>, 1, max};
    return true;
  }
} // namespace

#endif
