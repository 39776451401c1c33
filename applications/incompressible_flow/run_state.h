// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_incompressible_flow_run_state_h
#define applications_incompressible_flow_run_state_h

#include <deal.II/dofs/dof_handler.h>

#include <saltus/io/checkpoint_parts.h>
#include <saltus/io/error_table.h>
#include <saltus/solvers/incompressible_flow.h>

#include <string>
#include <vector>

namespace Saltus::FlowProgram
{
  /// Where a run is: with the memory of the flow, all that the rest of it depends on and that a
  /// checkpoint holds.
  struct RunState
  {
    unsigned int        cycle = 0;
    TimeState           time;
    std::vector<double> pictures;     ///< times of those that were due
    double              last_row = 0; ///< time of the last one that was due
    FlowStepReport      report;       ///< of the last step, if there was one in this run
  };


  template <int dim>
  std::string
  equation_name()
  {
    return "incompressible flow in " + std::to_string(dim) + "D";
  }


  template <int dim>
  Checkpoint
  make_checkpoint(const std::vector<ParameterEntry> &entries,
                  const ElementBlocks               &elements,
                  const IncompressibleFlow<dim>     &flow,
                  const dealii::DoFHandler<dim>     &velocity,
                  const RunState                    &state,
                  const ErrorTable                  &errors)
  {
    Checkpoint checkpoint(elements.communicator);
    set_parameters(checkpoint, entries);
    set_discretization(checkpoint,
                       equation_name<dim>(),
                       velocity.get_fe(),
                       flow.operators().velocity_space().order,
                       elements);
    set_time_state(checkpoint, state.time);
    checkpoint.set("cycle", static_cast<std::int64_t>(state.cycle));
    checkpoint.set("last row", state.last_row);
    const auto set = [&](const std::string &name, const std::vector<double> &values) {
      checkpoint.set_array<double>(name, values.data(), values.size());
    };
    set("pictures", state.pictures);
    set("errors", errors.rows());

    const auto          memory = flow.memory();
    std::vector<double> times;
    for (const FlowState &of_time : memory.states)
      {
        const std::string number = std::to_string(times.size());
        set_vector(checkpoint, "velocity " + number, elements, of_time.velocity);
        set_vector(checkpoint, "pressure " + number, elements, of_time.pressure);
        times.push_back(of_time.time);
      }
    set("times", times);
    const auto &known = memory.pressure_solutions;
    checkpoint.set("pressure solutions", static_cast<std::int64_t>(known.size()));
    for (std::size_t i = 0; i < known.size(); ++i)
      set_vector(checkpoint, "pressure solution " + std::to_string(i), elements, known[i]);
    return checkpoint;
  }


  /// What make_checkpoint() has noted, but for the cycle, which the mesh depends on.
  template <int dim>
  void
  restore(const Checkpoint        &checkpoint,
          const ElementBlocks     &elements,
          IncompressibleFlow<dim> &flow,
          RunState                &state,
          ErrorTable              &errors)
  {
    get_time_state(checkpoint, state.time);
    state.pictures = checkpoint.get_array<double>("pictures");
    state.last_row = checkpoint.get_double("last row");
    errors.set_rows(checkpoint.get_array<double>("errors"));

    const auto get = [&](const std::string &name, const auto &space) {
      Vector<double> vector = space.make_vector();
      get_vector(checkpoint, name, elements, vector);
      return vector;
    };
    const FlowOperators<dim>                &operators = flow.operators();
    typename IncompressibleFlow<dim>::Memory memory;
    for (const double time : checkpoint.get_array<double>("times"))
      {
        const std::string number = std::to_string(memory.states.size());
        memory.states.push_back({time,
                                 get("velocity " + number, operators.velocity_space()),
                                 get("pressure " + number, operators.pressure_space())});
      }
    for (std::int64_t i = 0; i < checkpoint.get_integer("pressure solutions"); ++i)
      memory.pressure_solutions.push_back(
        get("pressure solution " + std::to_string(i), operators.pressure_space()));
    flow.set_memory(memory);
  }
} // namespace Saltus::FlowProgram

#endif
