// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_expression_translation_h
#define saltus_base_expressions_expression_translation_h

#include <saltus/base/expressions/expression.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// An expression in C, with the meaning that dealii::FunctionParser gives it.
  struct ExpressionTranslation
  {
    /// One C expression a component, in the `double` variables x, y (, z), t and with the functions
    /// of `<math.h>` and translated_functions. Empty if there is no translation.
    std::vector<std::string> components;

    /// Why there is none (`rand` has a state, for example).
    std::string reason;

    bool
    succeeded() const
    {
      return reason.empty();
    }
  };

  ExpressionTranslation
  translate(const Expression &expression);

  /// C source of functions, each of which begins with the macro FUNCTION.
  extern const char *const translated_functions;

  /// CUDA source of the kernel
  /// `evaluate(unsigned long long n_points, const double *points, const double *time, const double
  /// *dt, double fraction, NUMBER *values)`, which writes `[point][component]` for points
  /// `[point][d]` at the time `*time + fraction * *dt`.
  /// @param number `double` or `float`
  std::string
  point_kernel_source(const ExpressionTranslation &translation,
                      const unsigned int           dim,
                      const std::string           &number);
} // namespace Saltus

#endif
