// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_conservation_law_run_state_h
#define applications_conservation_law_run_state_h

#include <deal.II/dofs/dof_handler.h>

#include <saltus/io/checkpoint_parts.h>
#include <saltus/io/error_table.h>
#include <saltus/operators/conservation_law_operator.h>

#include <limits>
#include <string>
#include <vector>

namespace Saltus::ConservationLaw
{
  /// Where a run is: with the clock's outflow, all that the rest of it depends on and that a
  /// checkpoint holds.
  template <typename Number>
  struct RunState
  {
    unsigned int        cycle = 0;
    TimeState           time;
    Vector<Number>      u;
    std::vector<double> initial_integrals;
    std::vector<double> pictures;     ///< times of those that were due
    double              last_row = 0; ///< time of the last one that was due
    /// Largest change of a coefficient in the last step that was looked at.
    double change = std::numeric_limits<double>::infinity();
  };


  template <int dim, typename Law>
  std::string
  equation_name()
  {
    return std::string(Law::name) + " in " + std::to_string(dim) + "D";
  }


  template <int dim, typename Law, typename Number>
  Checkpoint
  make_checkpoint(const std::vector<ParameterEntry>               &entries,
                  const ElementBlocks                             &elements,
                  const ConservationLawOperator<dim, Law, Number> &op,
                  const TimeClock                                 &clock,
                  const dealii::DoFHandler<dim>                   &dof_handler,
                  const RunState<Number>                          &state,
                  const ErrorTable                                &errors)
  {
    Checkpoint checkpoint(elements.communicator);
    set_parameters(checkpoint, entries);
    set_discretization(checkpoint,
                       equation_name<dim, Law>(),
                       dof_handler.get_fe(),
                       op.element_space().mesh->order,
                       elements);
    set_time_state(checkpoint, state.time);
    checkpoint.set("cycle", static_cast<std::int64_t>(state.cycle));
    checkpoint.set("last row", state.last_row);
    checkpoint.set("change", state.change);
    const auto set = [&](const std::string &name, const auto &values) {
      checkpoint.set_array<double>(name, values.data(), values.size());
    };
    set("pictures", state.pictures);
    set("initial integrals", state.initial_integrals);
    set("errors", errors.rows());
    set_vector(checkpoint, "solution", elements, state.u);
    set_by_boundary_face(checkpoint, "outflow", *op.element_space().mesh, clock.outflow_by_face());
    return checkpoint;
  }


  /// What make_checkpoint() has noted, but for the cycle, which the mesh depends on.
  template <int dim, typename Law, typename Number>
  void
  restore(const Checkpoint                                &checkpoint,
          const ElementBlocks                             &elements,
          const ConservationLawOperator<dim, Law, Number> &op,
          TimeClock                                       &clock,
          RunState<Number>                                &state,
          ErrorTable                                      &errors)
  {
    get_time_state(checkpoint, state.time);
    state.pictures          = checkpoint.get_array<double>("pictures");
    state.last_row          = checkpoint.get_double("last row");
    state.change            = checkpoint.get_double("change");
    state.initial_integrals = checkpoint.get_array<double>("initial integrals", Law::n_components);
    get_vector(checkpoint, "solution", elements, state.u);
    clock.set_outflow_by_face(
      get_by_boundary_face(checkpoint, "outflow", *op.element_space().mesh, Law::n_components));
    clock.set_state(state.time);
    errors.set_rows(checkpoint.get_array<double>("errors"));
  }
} // namespace Saltus::ConservationLaw

#endif
