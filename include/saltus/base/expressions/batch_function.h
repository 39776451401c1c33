// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_batch_function_h
#define saltus_base_expressions_batch_function_h

#include <deal.II/base/point.h>

#include <saltus/base/expressions/expression.h>
#include <saltus/base/expressions/expression_steps.h>

#include <cstddef>
#include <vector>

namespace Saltus
{
  /// Evaluates components of expressions at many points of the host: each operation runs over all
  /// points, and common parts of the components are computed once. Threads need copies of their
  /// own.
  class BatchFunction
  {
  public:
    /// Append components of @p expression.
    void
    add(const Expression &expression, const unsigned int first, const unsigned int n_components);

    /// Compute all components at points with coordinates `[d][point]`.
    void
    evaluate(const std::size_t n_points, const double *coordinates, const double time);

    template <int dim>
    void
    evaluate(const std::vector<dealii::Point<dim>> &points, const double time)
    {
      coordinates.resize(dim * points.size());
      for (std::size_t i = 0; i < points.size(); ++i)
        for (unsigned int d = 0; d < dim; ++d)
          coordinates[d * points.size() + i] = points[i][d];
      evaluate(points.size(), coordinates.data(), time);
    }

    /// `[point]`, until the next evaluate().
    const double *
    values(const unsigned int component) const
    {
      return results[components[component]];
    }

  private:
    ExpressionSteps             steps;
    std::vector<int>            components;        ///< their steps
    std::vector<bool>           is_needed;         ///< `[step]`
    std::vector<double>         coordinates, room; ///< `[d][point]`, `[step][point]`
    std::vector<const double *> results;           ///< `[step]`
  };
} // namespace Saltus

#endif
