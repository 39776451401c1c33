// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_flow_element_operations_h
#define saltus_operators_flow_kernels_flow_element_operations_h

#include <saltus/mesh/stored_geometry.h>
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/spaces/element_tables.h>

/// Operations of element_kernels.h that only flows need.
namespace Saltus
{
  namespace ElementOperation
  {
    /// \f$ \sum_F |F|\, |u \cdot n| / |\det J| \f$ at the volume points and then the vertices of an
    /// element, to `rates`, `[block][i][l]`; u is `[block][m][l][d]`. Stored geometry is unknown at
    /// vertices: the value there is 0.
    template <int dim, typename Number>
    struct CrossingRate
    {
      int                   n_vertices; ///< of an element
      ElementTables<Number> tables;
      StoredArrays<Number>  stored;            ///< at the points of the tables
      const Number         *inverse_jacobians; ///< as in MeshArrays
      const Number         *u;
      Number               *rates;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return tables.n_volume_points + n_vertices;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int i, const int lane) const
      {
        constexpr int width = sizeof(T) / sizeof(Number);
        const int     first = block * block_size + lane;
        int           elements[width];
        for (int l = 0; l < width; ++l)
          elements[l] = first + l;
        const auto    mean   = affine_geometry<dim, T>(inverse_jacobians, elements);
        const int     vertex = i - tables.n_volume_points;
        const Number *values = vertex < 0 ? tables.volume_values + i * tables.n_modes
                                          : tables.vertex_values + vertex * tables.n_modes;
        T             rate(Number(0));
        if (!stored.holds(first))
          rate = at_point(mean, velocity<T>(first, values));
        else if (vertex < 0)
          {
            const StoredGeometry<dim, T, Number> geometry(stored, first, mean);
            rate = at_point(geometry.at_volume_point(i), velocity<T>(first, values)) /
                   geometry.relative_volume(i);
          }
        store(rate, rates + position(block, i, n_rows(), lane));
      }

    private:
      /// @param values of the modes at a point
      template <typename T>
      SALTUS_HOST_DEVICE
      Array<T, dim>
      velocity(const int first, const Number *values) const
      {
        Array<T, dim> result;
        for (int d = 0; d < dim; ++d)
          result[d] = T(Number(0));
        for (int m = 0; m < tables.n_modes; ++m)
          {
            const Number *from = u + CoefficientLayout{tables.n_modes, dim}.index(first, m);
            for (int d = 0; d < dim; ++d)
              {
                T mode;
                for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
                  set_lane(mode, l, from[l * dim + d]);
                result[d] = result[d] + T(values[m]) * mode;
              }
          }
        return result;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      T
      at_point(const AffineGeometry<dim, T> &map, const Array<T, dim> &velocity) const
      {
        T sum(Number(0));
        for (int f = 0; f < tables.n_faces; ++f)
          {
            // As long as the face's area over |det J|.
            const auto normal =
              map.gradient([&](const int r) { return tables.face_normals[f * dim + r]; });
            sum = sum + abs(dot<dim>(normal, velocity));
          }
        return sum;
      }
    };

    /// The length of the mean velocity, to `speeds`, `[block][l]`; u is `[block][m][l][d]`.
    template <int dim, typename Number>
    struct MeanSpeed
    {
      int           n_modes, n_mean_modes;
      const Number *mean_weights; ///< see ElementTables
      const Number *u;
      Number       *speeds;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return 1;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int, const int lane) const
      {
        const std::size_t first = position(block, 0, n_modes, lane);
        T                 speed;
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          {
            Number square = 0;
            for (int d = 0; d < dim; ++d)
              {
                Number mean = mean_weights[0] * u[(first + l) * dim + d];
                for (int m = 1; m < n_mean_modes; ++m)
                  mean += mean_weights[m] * u[(first + m * block_size + l) * dim + d];
                square += mean * mean;
              }
            set_lane(speed, l, sqrt(square));
          }
        store(speed, speeds + position(block, 0, 1, lane));
      }
    };

    /// A velocity, a pressure and the derivatives of the velocity,
    /// \f$ \partial u_c / \partial x_d \f$, as one vector, see CoefficientLayout, with the fields
    /// `u_c`, `p`, `[c][d]`. Where derivatives are no polynomials, they are projected on the
    /// reference cell.
    template <int dim, typename Number>
    struct FlowFields
    {
      static constexpr int n_fields = dim + 1 + dim * dim;

      ElementTables<Number> tables;
      StoredArrays<Number>  stored;            ///< at the points of the tables
      const Number         *derivatives;       ///< of the modes on the reference cell, `[r][m][n]`
      const Number         *inverse_jacobians; ///< as in MeshArrays
      const Number         *u, *p;
      Number               *fields;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return tables.n_modes;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int m, const int lane) const
      {
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          {
            const int element = block * block_size + lane + l;
            set_values(element, m);
            if (!stored.holds(element))
              set_gradients(element, m);
            else if (m == 0)
              set_projected_gradients(element);
          }
      }

    private:
      using Affine = AffineGeometry<dim, Number>;

      SALTUS_HOST_DEVICE
      Number &
      field(const int element, const int m, const int i) const
      {
        return fields[CoefficientLayout{tables.n_modes, n_fields}.index(element, m, i)];
      }

      SALTUS_HOST_DEVICE
      void
      set_values(const int element, const int m) const
      {
        for (int c = 0; c < dim; ++c)
          field(element, m, c) = u[CoefficientLayout{tables.n_modes, dim}.index(element, m, c)];
        field(element, m, dim) = p[CoefficientLayout{tables.n_modes, 1}.index(element, m)];
      }

      /// @param slope `(r, n)`: the derivatives of mode n on the reference cell
      /// @param set `(i, value)`: what becomes of them
      template <typename Slope, typename Set>
      SALTUS_HOST_DEVICE
      void
      for_gradients(const int element, const Affine &map, const Slope &slope, const Set &set) const
      {
        for (int c = 0; c < dim; ++c)
          {
            const auto gradient = map.gradient([&](const int r) {
              Number sum = 0;
              for (int n = 0; n < tables.n_modes; ++n)
                sum += slope(r, n) * u[CoefficientLayout{tables.n_modes, dim}.index(element, n, c)];
              return sum;
            });
            for (int d = 0; d < dim; ++d)
              set(dim + 1 + c * dim + d, gradient[d]);
          }
      }

      SALTUS_HOST_DEVICE
      void
      set_gradients(const int element, const int m) const
      {
        for_gradients(
          element,
          affine_geometry<dim>(inverse_jacobians, element),
          [&](const int r, const int n) {
            return derivatives[(r * tables.n_modes + m) * tables.n_modes + n];
          },
          [&](const int i, const Number value) { field(element, m, i) = value; });
      }

      SALTUS_HOST_DEVICE
      void
      set_projected_gradients(const int element) const
      {
        const StoredGeometry<dim, Number, Number> geometry(
          stored, element, affine_geometry<dim>(inverse_jacobians, element));
        for (int m = 0; m < tables.n_modes; ++m)
          for (int i = dim + 1; i < n_fields; ++i)
            field(element, m, i) = 0;
        for (int q = 0; q < tables.n_volume_points; ++q)
          {
            const Number weight = tables.volume_weights[q] / geometry.relative_volume(q);
            for_gradients(
              element,
              geometry.at_volume_point(q),
              [&](const int r, const int n) {
                return tables.volume_gradients[(q * dim + r) * tables.n_modes + n];
              },
              [&](const int i, const Number value) {
                for (int m = 0; m < tables.n_modes; ++m)
                  field(element, m, i) +=
                    weight * tables.volume_values[q * tables.n_modes + m] * value;
              });
          }
      }
    };

    /// Integrals of the squares of velocity, vorticity and divergence from FlowFields over the mean
    /// of \f$ |\det J| \f$, to `sums`, `[i][e]`: sums over the coefficients, over points where
    /// geometry is stored.
    template <int dim, typename Number>
    struct FlowSquares
    {
      static constexpr int n_fields = dim + 1 + dim * dim;

      int                   n_elements;
      ElementTables<Number> tables;
      StoredArrays<Number>  stored; ///< at the points of the tables
      const Number         *fields;
      Number               *sums;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return 1;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int, const int lane) const
      {
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          if (const int element = block * block_size + lane + l; element < n_elements)
            of_element(element);
      }

    private:
      SALTUS_HOST_DEVICE
      Number
      mode(const int element, const int m, const int i) const
      {
        return fields[CoefficientLayout{tables.n_modes, n_fields}.index(element, m, i)];
      }

      SALTUS_HOST_DEVICE
      void
      of_element(const int element) const
      {
        Number sum[3] = {};
        if (stored.holds(element))
          for (int q = 0; q < tables.n_volume_points; ++q)
            {
              const std::size_t point = point_index(element - stored.first_block * block_size,
                                                    q,
                                                    tables.n_volume_points,
                                                    1);
              Number            values[n_fields] = {};
              for (int m = 0; m < tables.n_modes; ++m)
                for (int i = 0; i < n_fields; ++i)
                  values[i] += tables.volume_values[q * tables.n_modes + m] * mode(element, m, i);
              add_squares(values, tables.volume_weights[q] * stored.factors[point], sum);
            }
        else
          for (int m = 0; m < tables.n_modes; ++m)
            {
              Number values[n_fields];
              for (int i = 0; i < n_fields; ++i)
                values[i] = mode(element, m, i);
              add_squares(values, 1, sum);
            }
        for (int i = 0; i < 3; ++i)
          sums[static_cast<std::size_t>(i) * n_elements + element] = sum[i];
      }

      /// @param values a coefficient of all fields, or the fields at a point
      SALTUS_HOST_DEVICE
      static void
      add_squares(const Number *values, const Number weight, Number (&sum)[3])
      {
        const Number *slopes     = values + dim + 1;
        Number        divergence = 0;
        for (int c = 0; c < dim; ++c)
          {
            sum[0] += weight * values[c] * values[c];
            divergence += slopes[c * dim + c];
            for (int d = 0; d < c; ++d)
              {
                const Number vorticity = slopes[c * dim + d] - slopes[d * dim + c];
                sum[1] += weight * vorticity * vorticity;
              }
          }
        sum[2] += weight * divergence * divergence;
      }
    };
  } // namespace ElementOperation

  template <int dim, typename Number>
  using FlowElementOperations = WorkList<ElementOperation::CrossingRate<dim, Number>,
                                         ElementOperation::MeanSpeed<dim, Number>,
                                         ElementOperation::FlowFields<dim, Number>,
                                         ElementOperation::FlowSquares<dim, Number>>;
} // namespace Saltus

#endif
