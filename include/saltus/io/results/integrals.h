// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_integrals_h
#define saltus_io_results_integrals_h

#include <saltus/io/functions/quantities.h>
#include <saltus/io/functions/quantity_expression.h>

#include <map>

namespace Saltus
{
  /// A number that is an integral of an expression over (a part of) the domain.
  struct Integral
  {
    enum class Kind
    {
      integral, ///< \f$ \int f \f$
      mean,     ///< \f$ \int f / \int 1 \f$
      rms       ///< \f$ (\int f^2 / \int 1)^{1/2} \f$
    };

    std::string        name;
    Kind               kind = Kind::integral;
    QuantityExpression integrand;
    QuantityExpression region; ///< integrated over where this is not 0
  };


  /// Read a list of integrals:
  /// @code
  ///   mass: density, entropy_error: rms (pressure/density^1.4 - 1 where x^2 + y^2 < 16)
  /// @endcode
  /// `NAME: EXPRESSION` is short for `NAME: integral (EXPRESSION)`.
  /// @param quantities identifiers that the expressions may contain beside x, y, z and t
  /// @throws dealii::ExcMessage naming @p entry for an item of another form, a repeated name and an
  /// expression that cannot be used
  std::vector<Integral>
  parse_integrals(const std::string                   &text,
                  const unsigned int                   dim,
                  const std::vector<std::string>      &quantities,
                  const std::map<std::string, double> &constants,
                  const std::string                   &entry);


  /// One row with a column for each integral. The quadrature integrates polynomials of degree 2p+4
  /// exactly; sums do not depend on the number of threads, and on that of ranks by rounding only.
  template <int dim>
  class Integrals : public ResultTable<dim>
  {
  public:
    Integrals(const SolutionSpace<dim> &space, const std::vector<Integral> &integrals);

    std::vector<std::string>
    columns() const override;

    std::string
    definition() const override;

    /// @throws dealii::ExcMessage on all ranks for a mean over a part of the domain without a
    /// quadrature point; if that depends on time or on the solution it is no number, and a note
    /// says so
    std::vector<std::vector<double>>
    rows(const double time, const SolutionVector &solution) const override;

  private:
    const SolutionSpace<dim>   &space;
    const std::vector<Integral> integrals;
  };
} // namespace Saltus

#endif
