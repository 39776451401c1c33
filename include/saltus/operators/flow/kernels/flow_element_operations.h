// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_flow_element_operations_h
#define saltus_operators_flow_kernels_flow_element_operations_h

#include <saltus/mesh/affine_geometry.h>
#include <saltus/operators/blocks/element_kernels.h>
#include <saltus/operators/spaces/step_size.h>

/// Operations of element_kernels.h that only flows need.
namespace Saltus
{
  namespace ElementOperation
  {
    /// \f$ \sum_F |F|\, |u \cdot n| / |\det J| \f$ at the point of an element where it is the
    /// largest, to `rates`, `[block][l]`; u is `[block][m][l][d]`.
    template <int dim, typename Number>
    struct CrossingRate
    {
      int           n_modes, n_points, n_faces;
      const Number *values;            ///< of the modes at the points, `[q][m]`
      const Number *inverse_jacobians; ///< as in MeshArrays
      const Number *face_normals;      ///< as in ElementTables
      const Number *u;
      Number       *rates;

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
        T rate;
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          set_lane(rate, l, of_element(block * block_size + lane + l));
        store(rate, rates + position(block, 0, 1, lane));
      }

    private:
      SALTUS_HOST_DEVICE
      Number
      of_element(const int element) const
      {
        const auto geometry = affine_geometry<dim>(inverse_jacobians, element);
        Number     largest  = 0;
        for (int q = 0; q < n_points; ++q)
          {
            Array<Number, dim> velocity{};
            for (int m = 0; m < n_modes; ++m)
              for (int d = 0; d < dim; ++d)
                velocity[d] += values[q * n_modes + m] *
                               u[CoefficientLayout{n_modes, dim}.index(element, m) + d];
            largest = larger_or_nan(largest, at_point(geometry, velocity));
          }
        return largest;
      }

      SALTUS_HOST_DEVICE
      Number
      at_point(const AffineGeometry<dim, Number> &geometry,
               const Array<Number, dim>          &velocity) const
      {
        Number sum = 0;
        for (int f = 0; f < n_faces; ++f)
          {
            // As long as the face's area over |det J|.
            const auto normal =
              geometry.gradient([&](const int r) { return face_normals[f * dim + r]; });
            sum += abs(dot<dim>(normal, velocity));
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
    /// `u_c`, `p`, `[c][d]`.
    template <int dim, typename Number>
    struct FlowFields
    {
      static constexpr int n_fields = dim + 1 + dim * dim;

      int           n_modes;
      const Number *derivatives;       ///< of the modes on the reference cell, `[r][m][n]`
      const Number *inverse_jacobians; ///< as in MeshArrays
      const Number *u, *p;
      Number       *fields;

      SALTUS_HOST_DEVICE
      int
      n_rows() const
      {
        return n_modes;
      }

      template <typename T>
      SALTUS_HOST_DEVICE
      void
      run(const int block, const int m, const int lane) const
      {
        for (int l = 0; l < static_cast<int>(sizeof(T) / sizeof(Number)); ++l)
          set(block * block_size + lane + l, m);
      }

    private:
      SALTUS_HOST_DEVICE
      void
      set(const int element, const int m) const
      {
        Number *to = fields + CoefficientLayout{n_modes, n_fields}.index(element, m);
        for (int i = 0; i < n_fields; ++i)
          to[i] = 0;
        for (int c = 0; c < dim; ++c)
          to[c] = u[CoefficientLayout{n_modes, dim}.index(element, m) + c];
        to[dim]             = p[CoefficientLayout{n_modes, 1}.index(element, m)];
        const auto geometry = affine_geometry<dim>(inverse_jacobians, element);
        for (int c = 0; c < dim; ++c)
          {
            const auto gradient = geometry.gradient([&](const int r) {
              Number slope = 0;
              for (int n = 0; n < n_modes; ++n)
                slope += derivatives[(r * n_modes + m) * n_modes + n] *
                         u[CoefficientLayout{n_modes, dim}.index(element, n) + c];
              return slope;
            });
            for (int d = 0; d < dim; ++d)
              to[dim + 1 + c * dim + d] = gradient[d];
          }
      }
    };

    /// Sums of squares of the coefficients of velocity, vorticity and divergence from FlowFields,
    /// to `sums`, `[i][e]`.
    template <int dim, typename Number>
    struct FlowSquares
    {
      static constexpr int n_fields = dim + 1 + dim * dim;

      int           n_elements, n_modes;
      const Number *fields;
      Number       *sums;

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
      void
      of_element(const int element) const
      {
        Number sum[3] = {};
        for (int m = 0; m < n_modes; ++m)
          {
            const Number *u      = fields + CoefficientLayout{n_modes, n_fields}.index(element, m);
            const Number *slopes = u + dim + 1;
            Number        divergence = 0;
            for (int c = 0; c < dim; ++c)
              {
                sum[0] += u[c] * u[c];
                divergence += slopes[c * dim + c];
                for (int d = 0; d < c; ++d)
                  {
                    const Number vorticity = slopes[c * dim + d] - slopes[d * dim + c];
                    sum[1] += vorticity * vorticity;
                  }
              }
            sum[2] += divergence * divergence;
          }
        for (int i = 0; i < 3; ++i)
          sums[static_cast<std::size_t>(i) * n_elements + element] = sum[i];
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
