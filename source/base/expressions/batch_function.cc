// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <saltus/base/expressions/batch_function.h>
#include <saltus/base/expressions/expression_grammar.h>

#include <algorithm>

namespace Saltus
{
  void
  BatchFunction::add(const Expression  &expression,
                     const unsigned int first,
                     const unsigned int n_components)
  {
    const auto parsed = parse_expressions(expression.text(),
                                          expression.n_components(),
                                          expression.dimension(),
                                          expression.constants(),
                                          {},
                                          "expression",
                                          &steps);
    for (unsigned int c = first; c < first + n_components; ++c)
      components.push_back(parsed[c].step);
    is_needed.assign(steps.steps().size(), false);
    for (const int step : components)
      is_needed[step] = true;
    for (std::size_t s = is_needed.size(); s-- > 0;)
      if (is_needed[s] && steps.steps()[s].loop != nullptr)
        for (const int argument : steps.steps()[s].arguments)
          is_needed[argument] = true;
  }


  void
  BatchFunction::evaluate(const std::size_t n_points, const double *coordinates, const double time)
  {
    const auto &list = steps.steps();
    room.resize(list.size() * n_points);
    results.resize(list.size());
    for (std::size_t s = 0; s < list.size(); ++s)
      {
        if (!is_needed[s])
          continue;
        const ExpressionSteps::Step &step   = list[s];
        double                      *result = room.data() + s * n_points;
        results[s]                          = result;
        if (step.loop != nullptr)
          {
            const double *arguments[] = {results[step.arguments[0]],
                                         results[step.arguments[1]],
                                         results[step.arguments[2]]};
            step.loop(n_points, arguments, result);
          }
        else if (step.variable.empty() || step.variable == "t")
          std::fill_n(result, n_points, step.variable.empty() ? step.number : time);
        else
          results[s] = coordinates + (step.variable[0] - 'x') * n_points;
      }
  }
} // namespace Saltus
