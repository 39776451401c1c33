// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_line_tables_h
#define saltus_operators_spaces_line_tables_h

#include <saltus/operators/spaces/element_tables.h>

#include <cmath>

namespace Saltus
{
  constexpr int
  power(const int base, const int exponent)
  {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
  }

  /// What kernels that are compiled for quadrilaterals or hexahedra know of them; compare Simplex.
  ///
  /// Point number `a + n b` of a face across direction d is on the line of points in that direction
  /// that has index a in direction d + 1 and b in direction d + 2, counted cyclically: so deal.II
  /// has it.
  template <int dim>
  struct Hypercube
  {
    static constexpr int n_faces        = 2 * dim;
    static constexpr int n_orientations = dim == 2 ? 2 : 8;

    /// Distance between neighbouring points in direction @p d of @p n points in each.
    SALTUS_HOST_DEVICE
    static constexpr int
    stride(const int d, const int n)
    {
      return d == 0 ? 1 : (d == 1 ? n : n * n);
    }

    /// The first point of the line behind point @p q of a face across direction @p d.
    SALTUS_HOST_DEVICE
    static constexpr int
    line(const int d, const int q, const int n)
    {
      return dim == 2 ? q * stride(1 - d, n)
                      : q % n * stride((d + 1) % 3, n) + q / n * stride((d + 2) % 3, n);
    }
  };

  /// The basis HypercubeCollocationPolynomials on a line of @p n points. Kernels work with the
  /// values at the points, which are coefficients divided by roots of weights; for these the mass
  /// matrix is the diagonal one of the weights.
  template <typename Number, int n>
  struct LineTables
  {
    /// Of an element of this degree with the rule that has its points.
    template <int dim>
    static LineTables
    make(const ElementTables<Number> &tables)
    {
      LineTables result;
      double     sum = 0;
      for (int i = 0; i < n; ++i)
        sum += tables.volume_weights[i];
      for (int i = 0; i < n; ++i)
        {
          const double weight    = tables.volume_weights[i] / sum;
          result.weight[i]       = weight;
          result.root[i]         = std::sqrt(weight);
          result.inverse_root[i] = 1 / std::sqrt(weight);
        }
      // The other indices of this line are 0.
      const double root = result.root[0], others = dim == 2 ? root : root * root;
      for (int i = 0; i < n; ++i)
        {
          const double lagrange   = others * result.root[i]; // that of a mode over the mode
          result.edge[i]          = lagrange * tables.face_values[i];
          result.lift[i]          = result.edge[i] / result.weight[i];
          result.edge_of_modes[i] = result.edge[i] * result.inverse_root[i];
          for (int k = 0; k < n; ++k)
            result.derivative[k][i] = result.weight[k] / result.weight[i] * lagrange *
                                      tables.volume_gradients[k * dim * tables.n_modes + i];
        }
      return result;
    }

    /// Whether the rules are those of the basis' points.
    template <int dim>
    SALTUS_HOST_DEVICE
    static constexpr bool
    fit(const ElementTables<Number> &tables)
    {
      return tables.n_faces == Hypercube<dim>::n_faces && tables.n_modes == power(n, dim) &&
             tables.n_volume_points == power(n, dim) && tables.n_face_points == power(n, dim - 1);
    }

    Number weight[n]; ///< of Gauss's rule on [0, 1]
    Number root[n], inverse_root[n];
    /// `[k][i]`: \f$ w_k \ell_i'(x_k) / w_i \f$: to the derivative's moments over the mass
    Number derivative[n][n];
    Number edge[n];          ///< \f$ \ell_i(0) \f$; at 1 in the opposite order
    Number lift[n];          ///< over the mass
    Number edge_of_modes[n]; ///< what edge is for coefficients
  };
} // namespace Saltus

#endif
