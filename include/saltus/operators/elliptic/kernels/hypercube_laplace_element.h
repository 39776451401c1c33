// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_elliptic_kernels_hypercube_laplace_element_h
#define saltus_operators_elliptic_kernels_hypercube_laplace_element_h

#include <saltus/base/device/static_for.h>
#include <saltus/operators/elliptic/kernels/coefficient_value.h>
#include <saltus/operators/spaces/element_group.h>
#include <saltus/operators/spaces/line_tables.h>

#include <cmath>

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
      const Number others = std::pow(lines.root[0], dim - 1);
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
  /// rules have the points of the basis: sums along lines of points. Both back ends run this code.
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
    using Group = ElementGroup<kind, dim, T, Number, width, QuadratureTables<dim, Number>>;
    using Cube  = Hypercube<dim>;
    using Group::elements;
    using Group::geometry;
    using typename Group::Geometry;

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
      SALTUS_UNROLL_ON_DEVICE(unroll_points)
      for (int m = 0; m < n_points; ++m)
        {
          for (int l = 0; l < width; ++l)
            set_lane(u[m], l, arg.u[position(elements[l], m)]);
          r[m] = T(Number(0));
        }
      add_reaction();
      add_volume();
      static_for<Cube::n_faces>([&](auto face)
                                  SALTUS_INLINE_LAMBDA { add_face<decltype(face)::value>(); });
      store();
    }

  private:
    /// Of one face: its number on the other side, and where in the coefficients across the line
    /// behind the first of this side's points begins; the same for its neighbours and along it.
    struct Across
    {
      int neighbor, face;
      int start, along[dim - 1], step;
    };

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

      T normal, tangential[dim - 1];
    };

    SALTUS_HOST_DEVICE
    std::size_t
    position(const int element, const int m) const
    {
      return CoefficientLayout{n_points, n_components}.index(element, m) + component;
    }

    SALTUS_HOST_DEVICE
    void
    store() const
    {
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
          form[i] = number(arg.stiffness, n_stiffness, i);
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
      FaceRecord records[width];
      Across     across[width];
      bool       is_inside = true, hangs = false;
      for (int l = 0; l < width; ++l)
        {
          records[l] = read_face(arg.mesh.faces + point_index(elements[l], f, Cube::n_faces, 1));
          is_inside &= !records[l].at_boundary() && records[l].kind != FaceKind::hanging;
          hangs |= records[l].kind == FaceKind::hanging;
          across[l] = find_across(f, elements[l], records[l]);
        }
      if (width == 1 && hangs)
        return add_given<f>(records);

      // Values and outward derivatives, here and across.
      T inside[nf], slope[nf], outside[nf], slope_across[nf];
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          set_inside<f>(q, inside[q], slope[q]);
          set_across(across, q, outside[q], slope_across[q]);
        }
      // Of a face at the boundary one element bears all.
      T share = T(Number(0.5)), robin = T(Number(0));
      if (!is_inside)
        for (int l = 0; l < width; ++l)
          if (records[l].at_boundary() || records[l].kind == FaceKind::hanging)
            {
              set_boundary<f>(records[l], l, share, robin);
              for (int q = 0; q < nf; ++q)
                {
                  set_lane(outside[q], l, Number(0));
                  set_lane(slope_across[q], l, Number(0));
                }
            }

      FluxRow row, row_across;
      T       penalty, value[nf], of_tangents[dim - 1][nf];
      if constexpr (Geometry::is_constant)
        {
          set_rows<f>(across, row, row_across, penalty);
          set_tangential_flux(row, row_across, inside, outside, value);
        }
      else
        penalty = number(arg.penalties, Cube::n_faces, f);

      // What is multiplied with values of test functions, and with their derivatives.
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          T weight = T(Number(1));
          if constexpr (!Geometry::is_constant)
            {
              set_rows_at_point<f>(across, q, row, row_across);
              weight = stored_number(arg.pointwise.areas, Cube::n_faces * nf, f * nf + q) *
                       inverse_weight(q, dim - 1);
              value[q] = T(Number(0));
              for (int t = 0; t + 1 < dim; ++t)
                value[q] = value[q] + row.tangential[t] * derivative(t, q, inside) +
                           row_across.tangential[t] * derivative(t, q, outside);
            }
          const T flux   = value[q] + row.normal * slope[q] + row_across.normal * slope_across[q];
          const T shared = weight * share * (inside[q] - outside[q]);
          value[q] =
            Number(2) * penalty * shared - weight * share * flux + robin * weight * inside[q];
          slope[q] = -(shared * row.normal);
          for (int t = 0; t + 1 < dim; ++t)
            of_tangents[t][q] = -(shared * row.tangential[t]);
        }
      if (width > 1 && hangs)
        for (int l = 0; l < width; ++l)
          if (records[l].kind == FaceKind::hanging)
            set_given<f>(records[l], l, value, slope, of_tangents);
      add_terms<f>(value, slope, of_tangents);
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

    /// The part of both sides' fluxes that tangential derivatives have, where the combinations are
    /// the same at all points: then those of the combined values are enough.
    SALTUS_HOST_DEVICE
    void
    set_tangential_flux(const FluxRow &row,
                        const FluxRow &row_across,
                        const T       *inside,
                        const T       *outside,
                        T             *flux) const
    {
      T combined[nf];
      for (int t = 0; t + 1 < dim; ++t)
        {
          SALTUS_UNROLL_ON_DEVICE(unroll_face)
          for (int q = 0; q < nf; ++q)
            combined[q] = row.tangential[t] * inside[q] + row_across.tangential[t] * outside[q];
          SALTUS_UNROLL_ON_DEVICE(unroll_face)
          for (int q = 0; q < nf; ++q)
            flux[q] = t == 0 ? derivative(t, q, combined) : flux[q] + derivative(t, q, combined);
        }
    }

    /// Face @p f of which the terms are known: with another size on its other side.
    template <int f>
    SALTUS_HOST_DEVICE
    void
    add_given(const FaceRecord (&records)[width])
    {
      T value[nf], slope[nf], of_tangents[dim - 1][nf];
      set_given<f>(records[0], 0, value, slope, of_tangents);
      add_terms<f>(value, slope, of_tangents);
    }

    template <int f>
    SALTUS_HOST_DEVICE
    void
    set_given(const FaceRecord &record,
              const int         l,
              T                *value,
              T                *slope,
              T (&of_tangents)[dim - 1][nf]) const
    {
      constexpr int    d    = f / 2;
      constexpr Number sign = f % 2 == 1 ? 1 : -1;
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          const std::size_t point = static_cast<std::size_t>(record.neighbor) * nf + q;
          const Number     *given =
            arg.hanging.faces.fluxes + point * (1 + dim) * n_components + component;
          Number root = 1;
          for (int k = 0; k + 1 < dim; ++k)
            root *= lines.inverse_root[index(q, k)];
          set_lane(value[q], l, root * given[0]);
          set_lane(slope[q], l, root * sign * given[(1 + d) * n_components]);
          for (int t = 0; t + 1 < dim; ++t)
            set_lane(of_tangents[t][q], l, root * given[(1 + (d + 1 + t) % dim) * n_components]);
        }
    }

    /// Add what values, outward derivatives and tangential ones of test functions at the points of
    /// face @p f are multiplied with.
    template <int f>
    SALTUS_HOST_DEVICE
    void
    add_terms(T *value, const T *slope, const T (&of_tangents)[dim - 1][nf])
    {
      for (int t = 0; t + 1 < dim; ++t)
        {
          SALTUS_UNROLL_ON_DEVICE(unroll_face)
          for (int q = 0; q < nf; ++q)
            {
              const int along = Cube::stride(t, n), line = q - index(q, t) * along;
              SALTUS_UNROLL_ON_DEVICE(n)
              for (int m = 0; m < n; ++m)
                value[q] =
                  value[q] + T(lines.derivative[m][index(q, t)]) * of_tangents[t][line + m * along];
            }
        }
      SALTUS_UNROLL_ON_DEVICE(unroll_face)
      for (int q = 0; q < nf; ++q)
        {
          const int line = Cube::line(f / 2, q, n) + begin(f);
          SALTUS_UNROLL_ON_DEVICE(n)
          for (int m = 0; m < n; ++m)
            r[line + m * step(f)] =
              r[line + m * step(f)] + T(lines.edge[m]) * value[q] + T(lines.slope[m]) * slope[q];
        }
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

    /// At the boundary and where sizes differ the element itself stands in.
    SALTUS_HOST_DEVICE
    Across
    find_across(const int f, const int element, const FaceRecord &record) const
    {
      const bool stands_in = record.at_boundary() || record.kind == FaceKind::hanging;
      Across     result;
      result.neighbor = stands_in ? element : record.neighbor;
      result.face     = stands_in ? f : record.face;
      const auto *permutation =
        arg.tables.face_permutations + (stands_in ? 0 : record.orientation) * nf;
      const int d = result.face / 2, first = Cube::line(d, permutation[0], n);
      for (int t = 0; t + 1 < dim; ++t)
        result.along[t] = Cube::line(d, permutation[Cube::stride(t, n)], n) - first;
      result.start = first + begin(result.face);
      result.step  = step(result.face);
      return result;
    }

    /// Value and outward derivative across, at this side's point @p q.
    SALTUS_HOST_DEVICE
    void
    set_across(const Across (&across)[width], const int q, T &value, T &slope) const
    {
      value = slope = T(Number(0));
      SALTUS_UNROLL_ON_DEVICE(n)
      for (int m = 0; m < n; ++m)
        {
          T there = T(Number(0));
          for (int l = 0; l < width; ++l)
            {
              const Across &to    = across[l];
              int           place = to.start + m * to.step;
              for (int t = 0; t + 1 < dim; ++t)
                place += index(q, t) * to.along[t];
              set_lane(there, l, read_only(arg.u + position(to.neighbor, place)));
            }
          value = value + T(lines.edge[m]) * there;
          slope = slope + T(lines.slope[m]) * there;
        }
    }

    /// The direction in which places of a line lie that are @p distance from each other.
    SALTUS_HOST_DEVICE
    static constexpr int
    direction(const int distance)
    {
      const int length = distance < 0 ? -distance : distance;
      return length == 1 ? 0 : (length == n ? 1 : 2);
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
      row.normal            = number(arg.stiffness, n_stiffness, symmetric_entry<dim>(d, d));
      for (int t = 0; t + 1 < dim; ++t)
        row.tangential[t] =
          T(sign) * number(arg.stiffness, n_stiffness, symmetric_entry<dim>(d, (d + 1 + t) % dim));
      const T factor        = number(arg.stiffness, n_stiffness, n_form);
      T       factor_across = factor, normal = factor;
      for (int l = 0; l < width; ++l)
        {
          const int     there     = across[l].face / 2;
          const Number *stiffness = stiffness_across(across[l]);
          set_lane(normal, l, -stiffness[symmetric_entry<dim>(there, there) * block_size]);
          set_lane(factor_across, l, stiffness[n_form * block_size]);
        }
      row_across.normal = normal;
      for (int t = 0; t + 1 < dim; ++t)
        {
          T tangential = T(Number(0));
          for (int l = 0; l < width; ++l)
            {
              const Across &to    = across[l];
              const int     there = to.face / 2;
              const Number  value = stiffness_across(
                to)[symmetric_entry<dim>(there, direction(to.along[t])) * block_size];
              const bool same = (to.face % 2 == 1) == (to.along[t] > 0);
              set_lane(tangential, l, same ? -value : value);
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
              const int    distance = across[l].along[t];
              const Number along    = value(l, direction(distance));
              set_lane(tangential, l, distance > 0 ? along : -along);
            }
          row_across.tangential[t] = tangential;
        }
    }

    /// What is special in the lane @p l, which is at the boundary.
    /// @param robin what the form multiplies values with there, times the area of affine elements
    template <int f>
    SALTUS_HOST_DEVICE
    void
    set_boundary(const FaceRecord &record, const int l, T &share, T &robin) const
    {
      const int b = record.boundary_face();
      set_lane(share, l, Number(b >= 0 && arg.kinds[b] == EllipticBoundary::dirichlet ? 1 : 0));
      if (b < 0 || arg.kinds[b] != EllipticBoundary::robin)
        return;
      Number area = 1;
      if constexpr (Geometry::is_constant)
        {
          const auto         here = affine_geometry<dim>(arg.mesh.inverse_jacobians, elements[l]);
          Array<Number, dim> normal;
          area = here.set_normal([&](const int r) { return Number(r == f / 2 ? 1 : 0); }, normal) *
                 here.volume_factor();
        }
      set_lane(robin, l, area * arg.robin[b]);
    }

    static constexpr int n_form      = dim * (dim + 1) / 2;
    static constexpr int n_stiffness = n_form + 1;

    const LaplaceArguments<Number> &arg;
    const Lines                    &lines;
    const int                       component;
    T                               u[n_points], r[n_points];
  };
} // namespace Saltus

#endif
