// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expressions_expression_h
#define saltus_base_expressions_expression_h

#include <map>
#include <string>
#include <vector>

namespace Saltus
{
  /// A vector-valued function of position and time, given as text: one expression in x, y (, z), t,
  /// pi and the constants for each component, separated by `;`. The syntax is a subset of
  /// dealii::FunctionParser's (see parse_expressions()).
  class Expression
  {
  public:
    /// @param dim 2 or 3: which of the coordinates there are
    /// @param text the expressions
    /// @param n_components how many of them are expected
    /// @param constants names and values
    /// @param name of the parameter, for messages
    /// @throws dealii::ExcMessage that names the parameter, the text and the mistake
    Expression(const unsigned int                   dim,
               const std::string                   &text,
               const unsigned int                   n_components,
               const std::map<std::string, double> &constants = {},
               const std::string                   &name      = "expression");

    unsigned int
    dimension() const
    {
      return dim;
    }

    /// @throws dealii::ExcMessage if it is an expression in other than @p expected coordinates
    void
    check_dimension(const unsigned int expected) const;

    unsigned int
    n_components() const
    {
      return components;
    }

    /// Whether t occurs in it.
    bool
    depends_on_time() const
    {
      return time_dependent;
    }

    /// Whether none of x, y, z and t occurs in it.
    bool
    is_constant() const
    {
      return constant;
    }

    /// The components of a constant expression (and of any at the origin and time 0).
    const std::vector<double> &
    constant_values() const
    {
      return values_at_origin;
    }

    const std::string &
    text() const
    {
      return expressions;
    }

    const std::map<std::string, double> &
    constants() const
    {
      return named_constants;
    }

  private:
    unsigned int                  dim;
    std::string                   expressions;
    unsigned int                  components;
    bool                          time_dependent, constant;
    std::map<std::string, double> named_constants;
    std::vector<double>           values_at_origin;
  };
} // namespace Saltus

#endif
