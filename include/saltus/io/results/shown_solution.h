// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_results_shown_solution_h
#define saltus_io_results_shown_solution_h

#include <saltus/base/algebra/block_vector.h>
#include <saltus/base/device/time_state.h>
#include <saltus/io/functions/quantities.h>
#include <saltus/io/results/additional_fields.h>
#include <saltus/io/results/cell_field.h>
#include <saltus/io/results/checkpoint_parts.h>

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

    /// Write such coefficients, or a mean of them, in deal.II's numbering. Not collective. Another
    /// thread may do so with a copy in host memory.
    virtual void
    copy_to(SolutionVector &to, const VectorType &coefficients) const = 0;

    /// What its pictures show besides. Collective.
    virtual std::vector<CellField>
    cell_fields() const
    {
      return {};
    }

    /// Further numbers of cells, on request.
    virtual std::vector<OptionalCellField>
    optional_cell_fields()
    {
      return {};
    }

    /// Note coefficients in a checkpoint, and get them back. Collective.
    /// @param elements in the order of coefficients, if each element has as many as the others
    virtual void
    save_coefficients(Checkpoint          &checkpoint,
                      const std::string   &name,
                      const ElementBlocks &elements,
                      const VectorType    &values) const
    {
      set_vector(checkpoint, name, elements, values);
    }

    virtual void
    load_coefficients(const Checkpoint    &checkpoint,
                      const std::string   &name,
                      const ElementBlocks &elements,
                      VectorType          &values) const
    {
      get_vector(checkpoint, name, elements, values);
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
