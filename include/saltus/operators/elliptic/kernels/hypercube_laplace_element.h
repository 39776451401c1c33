// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_hypercube_laplace_element_h
#define saltus_operators_elliptic_kernels_hypercube_laplace_element_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/elliptic/kernels/coefficient_value.h>
#include <saltus/operators/elliptic/kernels/special_hypercube_face.h>
#include <saltus/operators/spaces/element_group.h>
#include <saltus/operators/spaces/hypercube_face_code.h>
#include <saltus/operators/spaces/lines_across.h>

#include <cmath>
#include <type_traits>

namespace Saltus
{
  /// The basis HypercubeCollocationPolynomials on a line of @p n points, for forms that are
  /// symmetric: with the root of a point's weight on either side, coefficients are all that is
  /// worked with, and integrals have no weights.
  template <typename Number, int n>
  struct SymmetricLineTables
  {
    /// Of an element of this degree with the rule that has its points.
    /// @param tables in host memory
    template <int dim>
    static SymmetricLineTables
    make(const ElementTables<Number> &tables)
    {
      SymmetricLineTables result;
      const auto          lines = LineTables<Number, n>::template make<dim>(tables);
      // The other indices of this line are 0.
      const Number others = dim == 2 ? lines.root[0] : lines.root[0] * lines.root[0];
      for (int i = 0; i < n; ++i)
        {
          result.inverse_root[i] = lines.inverse_root[i];
          result.edge[i]         = lines.edge_of_modes[i];
          result.slope[i]        = -others * tables.face_gradients[i];
          for (int q = 0; q < n; ++q)
            result.derivative[q][i] =
              lines.derivative[q][i] * lines.root[i] * lines.inverse_root[q];
        }
      return result;
    }

    Number inverse_root[n];  ///< of the weights of Gauss's rule on [0, 1]
    Number derivative[n][n]; ///< `[q][i]`: \f$ \sqrt{w_q} \ell_i'(x_q) / \sqrt{w_i} \f$
    Number edge[n];          ///< \f$ \ell_i(0) / \sqrt{w_i} \f$; at 1 in the opposite order
    Number slope[n]; ///< \f$ -\ell_i'(0) / \sqrt{w_i} \f$, outward; at 1 in the opposite order
  };

  /// LaplaceOperator as a whole on quadrilaterals or hexahedra, `width` of them at a time, whose
  /// rules have the points of the basis: sums along lines of points. GPUs run this code, and CPUs
  /// where the geometry is stored; on CPUs affine elements are the work of TracedLaplaceGroup.
  ///
  /// On a face the flux is a combination of the derivative along the lines behind its points, which
  /// is outward on either side, and of tangential ones, which are taken of traces, in the
  /// directions of the face as this side has them.
  ///
  /// @tparam n points on a line
  /// @tparam n_components of the vectors, of which the operator works on one
  template <GeometryKind kind,
            int          dim,
            int          n,
            typename T,
            typename Number,
            int width,
            int n_components = 1>
  class HypercubeLaplaceElement
    : ElementGroup<kind, dim, T, Number, width, QuadratureTables<dim, Number>>
  {
    using Group  = ElementGroup<kind, dim, T, Number, width, QuadratureTables<dim, Number>>;
    using Cube   = Hypercube<dim>;
    using Across = LinesAcross<dim, n>;
    using Group::elements;
    using Group::geometry;
    using typename Group::Geometry;

    using SpecialFace =
      SpecialHypercubeFace<kind, dim, n, Number, n_components, SymmetricLineTables<Number, n>>;

    static constexpr int n_points = power(n, dim), nf = power(n, dim - 1);

    /// Larger elements have no room in registers, and unrolled loops none among the instructions.
    static constexpr int unroll_points = n_points <= 64 ? n_points : 1;
    static constexpr int unroll_face   = n_points <= 64 ? nf : 1;

  public:
    using Lines  = SymmetricLineTables<Number, n>;
    using Tables = QuadratureTables<dim, Number>;

    /// Elements from @p first on, all of one block. Those beyond the last one store nothing.
    SALTUS_HOST_DEVICE
    HypercubeLaplaceElement(const LaplaceArguments<Number> &arg,
                            const Tables                   &tables,
                            const Lines                    &lines,
                            const int                       first,
                            const int                       component = 0)
      : Group(arg.mesh, arg.stored, tables, first)
      , arg(arg)
      , lines(lines)
      , component(component)
    {}

    SALTUS_HOST_DEVICE
    void
    run()
    {
      read();
      add_reaction();
      add_volume();
      static_for<Cube::n_faces>([&](auto face)
                                  SALTUS_INLINE_LAMBDA { add_face<decltype(face)::value>(); });
      write();
      if (has_special_terms)
        add_special_terms();
    }

  private:
    /// What the flux on the face multiplies derivatives with, here and across: the outward one, and
    /// those in the directions of the face. That of the other side has this side's normal.
    struct FluxRow
    {
      SALTUS_HOST_DEVICE
      FluxRow()
      {
        normal = T(Number(0)); // lane by lane they may be set
        for (int t = 0; t + 1 < dim; ++t)
          tangential[t] = T(Number(0));
      }

      SALTUS_HOST_DEVICE
      void
      multiply(const T &factor)
      {
        normal = factor * normal;
        for (int t = 0; t + 1 < dim; ++t)
          tangential[t] = factor * tangential[t];
      }

      T normal, tangential[dim - 1];
    };

    SALTUS_HOST_DEVICE
    std::size_t
    position(const int element, const int m) const
    {
      return CoefficientLayout{n_points, n_components}.index(element, m) + component;
    }

    /// All that can be read at once: GPUs wait once then.
    SALTUS_HOST_DEVICE
    void
    read()
    {
      for (int f = 0; f < Cube::n_faces; ++f)
        for (int l = 0; l < width; ++l)
          faces[f][l] = read_face_code(f, l);
      if constexpr (Geometry::is_constant)
        for (int i = 0; i < n_stiffness; ++i)
          stiffness[i] = number(arg.stiffness, n_stiffness, i);
      SALTUS_UNROLL_ON_DEVICE(unroll_points)
      for (int m = 0; m < n_points; ++m)
        {
          read_coefficient(m);
          r[m] = T(Number(0));
        }
      look_at_faces();
    }

    /// On hexahedra with a branch, across which GPUs' compilers do not mix what is before and after
    /// it: that was faster.
    SALTUS_HOST_DEVICE
    void
    look_at_faces()
    {
      bool alone = dim == 2;
      if constexpr (dim == 3)
        for (int f = 0; f < Cube::n_faces; ++f)
          for (int l = 0; l < width; ++l)
            alone |= faces[f][l].is_alone();
      if (!alone)
        return;
      SALTUS_UNROLL_ON_DEVICE(dim == 2 ? Cube::n_faces : 1)
      for (int f = 0; f < Cube::n_faces; ++f)
        for (int l = 0; l < width; ++l)
          has_special_terms |= (dim == 2 ? faces[f][l] : read_face_code(f, l)).has_terms();
    }

    SALTUS_HOST_DEVICE
    HypercubeFaceCode
    read_face_code(const int f, const int l) const
    {
      return HypercubeFaceCode(
        read_only(arg.face_codes + point_index(elements[l], f, Cube::n_faces, 1)));
    }

    /// Lanes are neighbours in memory where coefficients of one component are stored mode by mode;
    /// behind the last element there is room for those of a whole block.
    static constexpr bool lanes_follow =
      CoefficientLayout{n_points, n_components}.element_stride() == 1;

    SALTUS_HOST_DEVICE
    void
    read_coefficient(const int m)
    {
      if constexpr (lanes_follow)
        load(u[m], arg.u + position(elements[0], m));
      else
        for (int l = 0; l < width; ++l)
          set_lane(u[m], l, arg.u[position(elements[l], m)]);
    }

    /// To what is stored: the rest needs no registers for them then.
    SALTUS_HOST_DEVICE
    void
    add_special_terms() const
    {
      for (int l = 0; l < width && this->is_used(l); ++l)
        {
          SALTUS_UNROLL_ON_DEVICE(1)
          for (int f = 0; f < Cube::n_faces; ++f)
            add_special_terms(SpecialFace(arg, lines, elements[l], f, component), elements[l]);
        }
    }

    SALTUS_HOST_DEVICE
    void
    add_special_terms(const SpecialFace &face, const int element) const
    {
      if (!face.has_terms())
        return;
      SALTUS_UNROLL_ON_DEVICE(1)
      for (int q = 0; q < nf; ++q)
        face.for_terms(q, [&](const int m, const Number term) SALTUS_INLINE_LAMBDA {
          arg.out[position(element, m)] += arg.scale * term;
        });
    }

    SALTUS_HOST_DEVICE
    void
    write() const
    {
      if constexpr (lanes_follow && width > 1)
        if (this->is_used(width - 1))
          {
            for (int m = 0; m < n_points; ++m)
              {
                const std::size_t i      = position(elements[0], m);
                T                 result = T(Number(0));
                if (arg.base != nullptr)
                  load(result, arg.base + i);
                result = result + T(arg.scale) * r[m];
                store(result, arg.out + i);
              }
            return;
          }
      for (int l = 0; l < width && this->is_used(l); ++l)
        {
          SALTUS_UNROLL_ON_DEVICE(unroll_points)
          for (int m = 0; m < n_points; ++m)
            {
              const std::size_t i    = position(elements[l], m);
              const Number      base = arg.base != nullptr ? arg.base[i] : Number(0);
              arg.out[i]             = base + arg.scale * get_lane(r[m], l);
            }
        }
    }

    /// Number @p i of an array `[block][i][l]` of @p size numbers an element.
    SALTUS_HOST_DEVICE
    T
    number(const Number *from, const int size, const int i, const int first_block = 0) const
    {
      T result;
      load(result, from + point_index(elements[0] - first_block * block_size, i, size, 1));
      return result;
    }

    SALTUS_HOST_DEVICE
    T
    stored_number(const Number *from, const int size, const int i) const
    {
      return number(from, size, i, arg.stored.first_block);
    }

    /// The index of point @p q in direction @p d.
    SALTUS_HOST_DEVICE
    static constexpr int
    index(const int q, const int d)
    {
      return q / Cube::stride(d, n) % n;
    }

    /// Where the line behind the first point of face @p f begins, and how it goes on: the tables
    /// are those of the face at the beginning, so that at the other end lines run backwards.
    SALTUS_HOST_DEVICE
    static constexpr int
    begin(const int f)
    {
      return f % 2 == 1 ? (n - 1) * Cube::stride(f / 2, n) : 0;
    }

    SALTUS_HOST_DEVICE
    static constexpr int
    step(const int f)
    {
      return f % 2 == 1 ? -Cube::stride(f / 2, n) : Cube::stride(f / 2, n);
    }

    /// One over the weight of point @p q of a cell, or of a face with @p n_directions.
    SALTUS_HOST_DEVICE
    T
    inverse_weight(const int q, const int n_directions) const
    {
      Number root = 1;
      for (int d = 0; d < n_directions; ++d)
        root *= lines.inverse_root[index(q, d)];
      return T(root * root);
    }

    /// \f$ \int \lambda u v \f$
    SALTUS_HOST_DEVICE
    void
    add_reaction()
    {
      if constexpr (Geometry::is_constant)
        {
          if (arg.reaction_mass == nullptr)
            return;
          T mass;
          load(mass, arg.reaction_mass + elements[0]);
          SALTUS_UNROLL_ON_DEVICE(unroll_points)
          for (int m = 0; m < n_points; ++m)
            r[m] = mass * u[m];
        }
      else
        {
          const bool by_point = arg.reaction.face != nullptr;
          if (arg.reaction.volume == nullptr && arg.reaction.constant == Number(0))
            return;
          const T det = geometry.volume_factor();
          SALTUS_UNROLL_ON_DEVICE(unroll_points)
          for (int m = 0; m < n_points; ++m)
            {
              const T lambda =
                arg.reaction.volume == nullptr
                  ? T(arg.reaction.constant)
                  : number(arg.reaction.volume, by_point ? n_points : 1, by_point ? m : 0);
              r[m] = lambda * det * geometry.relative_volume(m) * u[m];
            }
        }
    }

    /// \f$ \int k \nabla u \cdot \nabla v \f$
    SALTUS_HOST_DEVICE
    void
    add_volume()
    {
      CoefficientValue<dim, T> form;
      if constexpr (Geometry::is_constant)
        for (int i = 0; i < n_form; ++i)
          form[i] = stiffness[i];
      SALTUS_UNROLL_ON_DEVICE(unroll_points)
      for (int q = 0; q < n_points; ++q)
        {
          Array<T, dim> gradient;
          SALTUS_UNROLL_ON_DEVICE(dim)
          for (int d = 0; d < dim; ++d)
            {
              const int stride = Cube::stride(d, n), line = q - index(q, d) * stride;
              gradient[d] = T(lines.derivative[index(q, d)][0]) * u[line];
              SALTUS_UNROLL_ON_DEVICE(n)
              for (int m = 1; m < n; ++m)
                gradient[d] =
                  gradient[d] + T(lines.derivative[index(q, d)][m]) * u[line + m * stride];
            }
          if constexpr (!Geometry::is_constant)
            {
              const T scale = inverse_weight(q, dim);
              for (int i = 0; i < n_form; ++i)
                form[i] =
                  scale * stored_number(arg.pointwise.volume, n_points * n_form, q * n_form + i);
            }
          const Array<T, dim> flux = symmetric_product<dim>(form, gradient);
          SALTUS_UNROLL_ON_DEVICE(dim)
          for (int d = 0; d < dim; ++d)
            {
              const int stride = Cube::stride(d, n), line = q - index(q, d) * stride;
              SALTUS_UNROLL_ON_DEVICE(n)
              for (int m = 0; m < n; ++m)
                r[line + m * stride] =
                  r[line + m * stride] + T(lines.derivative[index(q, d)][m]) * flux[d];
            }
        }
    }

    template <int f>
    SALTUS_HOST_DEVICE
    void
    add_face()
    {
      Across across[width];
      are_alike = true;
      for (int l = 0; l < width; ++l)
        {
          const HypercubeFaceCode face = faces[f][l], first = faces[f][0];
          across[l] = Across(face.element(), face.face(f), face.orientation());
          are_alike &= face.face(f) == first.face(f) && face.orientation() == first.orientation();
        }
      T share, seen;
      set_share<f>(share, seen);

      if constexpr (Geometry::is_constant)
        add_face_at_once<f>(across, share, seen);
      else
        add_face_by_points<f>(across, share, seen);
    }

    /// Fluxes are the same combination of derivatives at all points: then tangential ones of
    /// combined values are enough, and of all arrays these, what values of test functions are
    /// multiplied with, and the jump. What this side bears of the terms is a factor on
    /// quadrilaterals of results, on hexahedra of what is the same at all points: that was faster.
    template <int f>
    SALTUS_HOST_DEVICE
    void
    add_face_at_once(const Across (&across)[width], const T &share, const T &seen)
    {
      const T before = dim == 2 ? T(Number(1)) : share, after = dim == 2 ? share : T(Number(1));
      FluxRow row, row_across;
      T       penalty, value[nf], jump[nf], combined[dim - 1][nf];
      set_rows<f>(across, row, row_across, penalty);
      row.multiply(before);
      row_across.multiply(before * seen);
      penalty = Number(2) * before * penalty;
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          T inside, slope, outside, slope_across;
          set_inside<f>(q, inside, slope);
          set_across(across, q, outside, slope_across);
          jump[q] = after * (inside - seen * outside);
          value[q] =
            penalty * jump[q] - after * (row.normal * slope + row_across.normal * slope_across);
          for (int t = 0; t + 1 < dim; ++t)
            combined[t][q] =
              after * (row.tangential[t] * inside + row_across.tangential[t] * outside);
        }
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          for (int t = 0; t + 1 < dim; ++t)
            value[q] = value[q] - derivative(t, q, combined[t]) -
                       row.tangential[t] * tested_derivative(t, q, jump);
          add_line<f>(q, value[q], -(row.normal * jump[q]));
        }
    }

    template <int f>
    SALTUS_HOST_DEVICE
    void
    add_face_by_points(const Across (&across)[width], const T &share, const T &seen)
    {
      // Values and outward derivatives, here and across.
      T inside[nf], slope[nf], outside[nf], slope_across[nf];
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          set_inside<f>(q, inside[q], slope[q]);
          set_across(across, q, outside[q], slope_across[q]);
        }
      // What is multiplied with values of test functions, and with their derivatives.
      FluxRow row, row_across;
      T       value[nf], of_tangents[dim - 1][nf];
      const T penalty = number(arg.penalties, Cube::n_faces, f);
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          set_rows_at_point<f>(across, q, row, row_across);
          row_across.multiply(seen);
          const T weight = share * inverse_weight(q, dim - 1) *
                           stored_number(arg.pointwise.areas, Cube::n_faces * nf, f * nf + q);
          const T jump = weight * (inside[q] - seen * outside[q]);
          T       flux = row.normal * slope[q] + row_across.normal * slope_across[q];
          for (int t = 0; t + 1 < dim; ++t)
            {
              flux = flux + row.tangential[t] * derivative(t, q, inside) +
                     row_across.tangential[t] * derivative(t, q, outside);
              of_tangents[t][q] = -(jump * row.tangential[t]);
            }
          value[q] = Number(2) * penalty * jump - weight * flux;
          slope[q] = -(jump * row.normal);
        }
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          for (int t = 0; t + 1 < dim; ++t)
            value[q] = value[q] + tested_derivative(t, q, of_tangents[t]);
          add_line<f>(q, value[q], slope[q]);
        }
    }

    /// Which part of the terms of face @p f this side bears: at a Dirichlet boundary all, at others
    /// nothing.
    /// @param seen 1, or 0 without an element of the same size across
    template <int f>
    SALTUS_HOST_DEVICE
    void
    set_share(T &share, T &seen) const
    {
      share      = T(Number(0.5));
      seen       = T(Number(1));
      bool alone = width == 1; // there a branch costs more than it saves
      for (int l = 0; l < width; ++l)
        alone |= faces[f][l].is_alone();
      if (!alone)
        return;
      for (int l = 0; l < width; ++l)
        {
          const HypercubeFaceCode face = faces[f][l];
          set_lane(seen, l, Number(face.is_alone() ? 0 : 1));
          set_lane(share, l, Number(face.is_alone() ? (face.is_dirichlet() ? 1 : 0) : 0.5));
        }
    }

    /// Value and outward derivative at point @p q of face @p f.
    template <int f>
    SALTUS_HOST_DEVICE
    void
    set_inside(const int q, T &value, T &slope) const
    {
      const int line = Cube::line(f / 2, q, n) + begin(f);
      value          = T(lines.edge[0]) * u[line];
      slope          = T(lines.slope[0]) * u[line];
      SALTUS_UNROLL_ON_DEVICE(n)
      for (int m = 1; m < n; ++m)
        {
          value = value + T(lines.edge[m]) * u[line + m * step(f)];
          slope = slope + T(lines.slope[m]) * u[line + m * step(f)];
        }
    }

    /// Add what the value and the outward derivative of test functions at point @p q of face @p f
    /// are multiplied with.
    template <int f>
    SALTUS_HOST_DEVICE
    void
    add_line(const int q, const T &value, const T &slope)
    {
      const int line = Cube::line(f / 2, q, n) + begin(f);
      SALTUS_UNROLL_ON_DEVICE(n)
      for (int m = 0; m < n; ++m)
        r[line + m * step(f)] =
          r[line + m * step(f)] + T(lines.edge[m]) * value + T(lines.slope[m]) * slope;
    }

    /// The derivative in direction @p t of a face at its point @p q.
    SALTUS_HOST_DEVICE
    T
    derivative(const int t, const int q, const T *values) const
    {
      const int stride = Cube::stride(t, n), line = q - index(q, t) * stride;
      T         result = T(lines.derivative[index(q, t)][0]) * values[line];
      SALTUS_UNROLL_ON_DEVICE(n)
      for (int m = 1; m < n; ++m)
        result = result + T(lines.derivative[index(q, t)][m]) * values[line + m * stride];
      return result;
    }

    /// The sum of values at the points of a face, times derivatives in its direction @p t of the
    /// test function of point @p q.
    SALTUS_HOST_DEVICE
    T
    tested_derivative(const int t, const int q, const T *values) const
    {
      const int stride = Cube::stride(t, n), line = q - index(q, t) * stride;
      T         result = T(lines.derivative[0][index(q, t)]) * values[line];
      SALTUS_UNROLL_ON_DEVICE(n)
      for (int m = 1; m < n; ++m)
        result = result + T(lines.derivative[m][index(q, t)]) * values[line + m * stride];
      return result;
    }

    /// Value and outward derivative across, at this side's point @p q.
    SALTUS_HOST_DEVICE
    void
    set_across(const Across (&across)[width], const int q, T &value, T &slope) const
    {
      // Lanes whose faces lie alike share places.
      if (width > 1 && are_alike)
        {
          const Number *from[width];
          for (int l = 0; l < width; ++l)
            from[l] = arg.u + position(across[l].neighbor, 0);
          sum_line(
            [&](const int l, const int m)
              SALTUS_INLINE_LAMBDA { return from[l] + place(across[0], q, m) * mode_stride; },
            value,
            slope);
        }
      else
        sum_line(
          [&](const int l, const int m) SALTUS_INLINE_LAMBDA {
            return arg.u + position(across[l].neighbor, 0) + place(across[l], q, m) * mode_stride;
          },
          value,
          slope);
    }

    /// The coefficient of point @p m of the line behind this side's point @p q.
    SALTUS_HOST_DEVICE
    static int
    place(const Across &to, const int q, const int m)
    {
      int result = to.start + m * to.step;
      for (int t = 0; t + 1 < dim; ++t)
        result += index(q, t) * to.along[t];
      return result;
    }

    /// @param at called with a lane and a point of a line across, returns where its coefficient is
    template <typename At>
    SALTUS_HOST_DEVICE
    void
    sum_line(const At &at, T &value, T &slope) const
    {
      value = slope = T(Number(0));
      SALTUS_UNROLL_ON_DEVICE(n)
      for (int m = 0; m < n; ++m)
        {
          T there = T(Number(0));
          for (int l = 0; l < width; ++l)
            set_lane(there, l, read_only(at(l, m)));
          value = value + T(lines.edge[m]) * there;
          slope = slope + T(lines.slope[m]) * there;
        }
    }

    SALTUS_HOST_DEVICE
    const Number *
    stiffness_across(const Across &to) const
    {
      return arg.stiffness + point_index(to.neighbor, 0, n_stiffness, 1);
    }

    /// Of affine elements; both the same at all points, and times the areas.
    /// @param penalty \f$ \tau |F| \f$
    template <int f>
    SALTUS_HOST_DEVICE
    void
    set_rows(const Across (&across)[width], FluxRow &row, FluxRow &row_across, T &penalty) const
    {
      constexpr int    d    = f / 2;
      constexpr Number sign = f % 2 == 1 ? 1 : -1;
      row.normal            = stiffness[symmetric_entry<dim>(d, d)];
      for (int t = 0; t + 1 < dim; ++t)
        row.tangential[t] = T(sign) * stiffness[symmetric_entry<dim>(d, (d + 1 + t) % dim)];
      const T factor        = stiffness[n_form];
      T       factor_across = factor, normal = factor;
      for (int l = 0; l < width; ++l)
        {
          const Number *to_across = stiffness_across(across[l]);
          set_lane(normal, l, -to_across[across[l].normal_entry() * block_size]);
          set_lane(factor_across, l, to_across[n_form * block_size]);
        }
      row_across.normal = normal;
      for (int t = 0; t + 1 < dim; ++t)
        {
          T tangential = T(Number(0));
          for (int l = 0; l < width; ++l)
            {
              const Across &to    = across[l];
              const Number  value = stiffness_across(to)[to.tangential_entry(t) * block_size];
              set_lane(tangential, l, to.turns_normal_with(t) ? value : -value);
            }
          row_across.tangential[t] = tangential;
        }
      penalty = T(arg.penalty) * max(factor * row.normal, -(factor_across * row_across.normal));
    }

    /// Of elements whose geometry is stored, at point @p q of face @p f.
    template <int f>
    SALTUS_HOST_DEVICE
    void
    set_rows_at_point(const Across (&across)[width],
                      const int q,
                      FluxRow  &row,
                      FluxRow  &row_across) const
    {
      constexpr int    d = f / 2, size = Cube::n_faces * nf * dim;
      constexpr Number sign = f % 2 == 1 ? 1 : -1;
      const int        at   = (f * nf + q) * dim;
      row.normal            = T(sign) * stored_number(arg.pointwise.along, size, at + d);
      for (int t = 0; t + 1 < dim; ++t)
        row.tangential[t] = stored_number(arg.pointwise.along, size, at + (d + 1 + t) % dim);
      const auto value = [&](const int l, const int k) {
        return arg.pointwise.along_across
          [point_index(elements[0] - arg.stored.first_block * block_size, at + k, size, 1) + l];
      };
      T normal = T(Number(0));
      for (int l = 0; l < width; ++l)
        {
          const int    there = across[l].face / 2;
          const Number along = value(l, there);
          set_lane(normal, l, across[l].face % 2 == 1 ? along : -along);
        }
      row_across.normal = normal;
      for (int t = 0; t + 1 < dim; ++t)
        {
          T tangential = T(Number(0));
          for (int l = 0; l < width; ++l)
            {
              const Number along = value(l, across[l].direction(t));
              set_lane(tangential, l, across[l].along[t] > 0 ? along : -along);
            }
          row_across.tangential[t] = tangential;
        }
    }

    /// Distance between neighbouring coefficients of an element.
    static constexpr int mode_stride = CoefficientLayout{n_points, n_components}.mode_stride();

    static constexpr int n_form      = dim * (dim + 1) / 2;
    static constexpr int n_stiffness = n_form + 1;

    const LaplaceArguments<Number> &arg;
    const Lines                    &lines;
    const int                       component;
    HypercubeFaceCode               faces[Cube::n_faces][width];
    bool has_special_terms = false; ///< whether on some faces there is more to do than inside
    bool are_alike = true; ///< whether across the present face lanes have their points alike
    T    stiffness[Geometry::is_constant ? n_stiffness : 1];
    T    u[n_points], r[n_points];
  };
} // namespace Saltus

#endif
