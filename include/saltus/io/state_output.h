// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_io_state_output_h
#define saltus_io_state_output_h

#include <saltus/io/solution_output.h>
#include <saltus/operators/conservation_law_operator.h>

#include <string>
#include <vector>

/// Output of the states of a conservation law (see Advection for what a law offers).
namespace Saltus
{
  /// Names of the conserved and then the derived quantities, as SolutionWriter wants them.
  template <typename Law>
  std::vector<std::string>
  output_quantities()
  {
    std::vector<std::string> names(Law::conserved_names, Law::conserved_names + Law::n_components);
    names.insert(names.end(), Law::derived_names, Law::derived_names + Law::n_derived);
    return names;
  }


  /// Write the conserved and the derived quantities of @p solution, in deal.II's numbering.
  template <int dim, typename Law>
  void
  write_state(SolutionWriter<dim>           &writer,
              const double                   time,
              const dealii::DoFHandler<dim> &dof_handler,
              const dealii::Vector<double>  &solution,
              const Law                     &law)
  {
    using State = Array<double, Law::n_components>;
    write_solution<Law::n_components>(
      writer,
      time,
      dof_handler,
      solution,
      [&](const auto &, const unsigned int, const State &state, double *values) {
        const auto derived = law.derived(state);
        for (int c = 0; c < Law::n_components; ++c)
          values[c] = state[c];
        for (int c = 0; c < Law::n_derived; ++c)
          values[Law::n_components + c] = derived[c];
      });
  }


  /// Names of the columns of a time series: time, step size, step; then for each conserved
  /// variable its integral, what has left the domain until then, its L2 norm, and the smallest and
  /// largest mean of an element.
  std::vector<std::string>
  series_columns(const std::vector<std::string> &conserved_names);

  std::vector<double>
  series_row(const TimeState           &time,
             const StateStatistics     &statistics,
             const std::vector<double> &outflow);
} // namespace Saltus

#endif
