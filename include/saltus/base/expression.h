// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_base_expression_h
#define saltus_base_expression_h

#include <map>
#include <string>

namespace Saltus
{
  /// A vector-valued function of position and time, given as text in the syntax of
  /// dealii::FunctionParser: one expression in x, y (, z), t and the constants for each component,
  /// separated by `;`. The constant `pi` is always there.
  class Expression
  {
  public:
    /// @param dim 2 or 3: which of the coordinates there are
    /// @param text the expressions
    /// @param n_components how many of them are expected
    /// @param constants names and values
    /// @param name of the parameter, for messages
    /// @throws dealii::ExcMessage that names the parameter, the text and the parser's complaint
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

    const std::string &
    text() const
    {
      return expressions;
    }

    const std::map<std::string, double> &
    constants() const
    {
      return constant_values;
    }

  private:
    template <int dimension>
    void
    try_out(const std::string &name) const;

    unsigned int                  dim;
    std::string                   expressions;
    unsigned int                  components;
    bool                          time_dependent;
    std::map<std::string, double> constant_values;
  };
} // namespace Saltus

#endif
