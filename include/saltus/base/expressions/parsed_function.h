// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_parsed_function_h
#define saltus_base_expressions_parsed_function_h

#include <deal.II/base/function_parser.h>
#include <deal.II/base/thread_local_storage.h>

#include <saltus/base/expressions/expression.h>

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

  /// parsed_function() for each thread, made when the thread first asks: parsing takes as long as a
  /// hundred values.
  template <int dim>
  class ParsedFunctions
  {
  public:
    explicit ParsedFunctions(const Expression &expression)
      : expression(expression)
    {}

    /// That of this thread, at time @p time until the thread asks again.
    const dealii::Function<dim> &
    at(const double time) const
    {
      auto &function = functions.get();
      if (function == nullptr)
        function = parsed_function<dim>(expression);
      function->set_time(time);
      return *function;
    }

  private:
    using Functions =
      dealii::Threads::ThreadLocalStorage<std::shared_ptr<dealii::FunctionParser<dim>>>;

    Expression        expression;
    mutable Functions functions;
  };
} // namespace Saltus

#endif
