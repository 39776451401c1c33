// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_functions_quantity_expression_h
#define saltus_io_functions_quantity_expression_h

#include <deal.II/base/point.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace Saltus
{
  /// A number that depends on position, time and the quantities of a solution there, given as text
  /// in the syntax of Expression. One object must not be
  /// evaluated by several threads at a time; copies may.
  class QuantityExpression
  {
  public:
    /// @param dim which of the coordinates x, y, z there are
    /// @param quantities identifiers; a constant of the same name is hidden
    /// @param entry path of the parameter, for messages
    /// @throws dealii::ExcMessage that names the entry, the text and the mistake
    QuantityExpression(const unsigned int                   dim,
                       const std::string                   &text,
                       const std::vector<std::string>      &quantities,
                       const std::map<std::string, double> &constants,
                       const std::string                   &entry);

    QuantityExpression(const QuantityExpression &other);

    ~QuantityExpression();

    const std::string &
    text() const;

    /// Whether neither time nor a quantity occurs in it.
    bool
    depends_on_position_only() const;

    /// @param point `[d]`
    /// @param quantities as many as there are names
    double
    value(const double *point, const double time, const double *quantities);

  private:
    struct Parser;

    std::unique_ptr<Parser> parser;
  };
} // namespace Saltus

#endif
