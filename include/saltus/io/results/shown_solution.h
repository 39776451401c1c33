// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_shown_solution_h
#define saltus_io_results_shown_solution_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/base/device/time_state.h>
#include <saltus/io/functions/quantities.h>
#include <saltus/io/results/cell_field.h>

#include <string>
#include <vector>

namespace Saltus
{
  /// The solution of a run in time as the files of the run show it.
  template <int dim, typename VectorType>
  class ShownSolution
  {
  public:
    virtual ~ShownSolution() = default;

    /// Where it is defined and which quantities it has.
    virtual SolutionSpace<dim>
    space() const = 0;

    /// Its coefficients as they are now, on the device.
    virtual const VectorType &
    coefficients() = 0;

    /// Such coefficients, or a mean of them, in deal.II's numbering.
    virtual SolutionVector
    to_host(const VectorType &coefficients) const = 0;

    /// What its pictures show besides. Collective.
    virtual std::vector<CellField>
    cell_fields() const
    {
      return {};
    }

    /// Names of the columns of the time series.
    virtual std::vector<std::string>
    columns() const = 0;

    /// A row of it, for the solution as it is now.
    virtual std::vector<double>
    row(const TimeState &time) = 0;
  };
} // namespace Saltus

#endif
