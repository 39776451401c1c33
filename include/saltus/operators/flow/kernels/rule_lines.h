// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_flow_kernels_rule_lines_h
#define saltus_operators_flow_kernels_rule_lines_h

#include <saltus/operators/spaces/line_tables.h>

namespace Saltus
{
  /// Points on a line of the rule that tables are for.
  template <int dim, typename Number>
  int
  points_on_line(const ElementTables<Number> &tables)
  {
    int result = 1;
    while (power(result, dim) < tables.n_volume_points)
      ++result;
    return result;
  }

  /// The basis HypercubeCollocationPolynomials on a line, with n functions
  /// \f$ \psi_i = \ell_i / \sqrt{w_i} \f$, at the points of a rule that need not be those of the
  /// basis: for integrals by sums along lines.
  /// @tparam max_points of the rule; its points have the numbers from 0 to `n_points - 1`
  template <typename Number, int n, int max_points>
  struct RuleLines
  {
    /// @param tables in host memory, which the rule must fit()
    template <int dim>
    static RuleLines
    make(const ElementTables<Number> &tables)
    {
      RuleLines result{};
      result.n_points = points_on_line<dim>(tables);
      // Functions of the other directions are summed up to 1.
      double root[n];
      root[0] = std::pow(double(tables.mean_weights[0]), 1. / dim);
      for (int i = 1; i < n; ++i)
        root[i] = root[0] * tables.mean_weights[i] / tables.mean_weights[0];
      const auto on_line = [&](const Number *values, const int i) {
        double sum = 0;
        for (int others = 0; others < power(n, dim - 1); ++others)
          sum += root[others % n] * (dim == 3 ? root[others / n] : 1) * values[i + n * others];
        return sum;
      };
      for (int i = 0; i < n; ++i)
        {
          result.edge[i] = on_line(tables.face_values, i);
          for (int q = 0; q < result.n_points; ++q)
            {
              result.value[q][i] = on_line(tables.volume_values + q * tables.n_modes, i);
              result.derivative[q][i] =
                on_line(tables.volume_gradients + q * dim * tables.n_modes, i);
            }
        }
      for (int q = 0; q < tables.n_volume_points; ++q)
        result.weight[q % result.n_points] += tables.volume_weights[q];
      return result;
    }

    /// Whether there is room for the rule, and whether it is the same on faces.
    template <int dim>
    static bool
    fit(const ElementTables<Number> &tables)
    {
      const int n_q = points_on_line<dim>(tables);
      return tables.n_faces == Hypercube<dim>::n_faces && tables.n_modes == power(n, dim) &&
             tables.n_mean_modes == tables.n_modes && n_q <= max_points &&
             tables.n_volume_points == power(n_q, dim) &&
             tables.n_face_points == power(n_q, dim - 1);
    }

    int    n_points;
    Number value[max_points][n];      ///< `[q][i]`: \f$ \psi_i(x_q) \f$
    Number derivative[max_points][n]; ///< `[q][i]`
    Number edge[n];                   ///< \f$ \psi_i(0) \f$; at 1 in the opposite order
    Number weight[max_points];        ///< of the rule on [0, 1]
  };

  /// Points on a line of the rule that integrates products of @p order functions of degree
  /// @p degree.
  constexpr int
  points_of_rule(const int order, const int degree)
  {
    return order * degree / 2 + 1;
  }

  /// Of any rule for which kernels may be compiled.
  constexpr int max_rule_points = 16;
} // namespace Saltus

#endif
