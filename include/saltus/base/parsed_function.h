// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_parsed_function_h
#define saltus_base_parsed_function_h

#include <deal.II/base/function_parser.h>

#include <saltus/base/expression.h>

#include <memory>

namespace Saltus
{
  /// An expression as a function of deal.II, at time @p time. Threads that work at the same time
  /// make one each: those that share one wait for each other at every value.
  template <int dim>
  std::unique_ptr<dealii::FunctionParser<dim>>
  parsed_function(const Expression &expression, const double time = 0.)
  {
    auto parser = std::make_unique<dealii::FunctionParser<dim>>(expression.n_components(), time);
    parser->initialize(dealii::FunctionParser<dim>::default_variable_names() + ",t",
                       expression.text(),
                       expression.constants(),
                       true);
    return parser;
  }
} // namespace Saltus

#endif
