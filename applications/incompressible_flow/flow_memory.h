// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef applications_incompressible_flow_flow_memory_h
#define applications_incompressible_flow_flow_memory_h

#include <saltus/io/results/checkpoint_parts.h>
#include <saltus/solvers/flow/incompressible_flow.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace Saltus::FlowProgram
{
  /// Note the memory of a flow in a checkpoint, and set it again.
  /// @tparam Flow an IncompressibleFlow
  template <typename Flow>
  void
  save(Checkpoint &checkpoint, const ElementBlocks &elements, const Flow &flow)
  {
    const auto          memory = flow.memory();
    std::vector<double> times;
    for (const auto &of_time : memory.states)
      {
        const std::string number = std::to_string(times.size());
        set_vector(checkpoint, "velocity " + number, elements, of_time.velocity);
        set_vector(checkpoint, "pressure " + number, elements, of_time.pressure);
        times.push_back(of_time.time);
      }
    checkpoint.set_array("times", times.data(), times.size());
    const auto &known = memory.pressure_solutions;
    checkpoint.set("pressure solutions", static_cast<std::int64_t>(known.size()));
    for (std::size_t i = 0; i < known.size(); ++i)
      set_vector(checkpoint, "pressure solution " + std::to_string(i), elements, known[i]);
    if (!flow.has_stabilization())
      return;
    std::vector<double> of_stabilization;
    for (const auto &rate : memory.stabilization_rates)
      {
        const std::string number = std::to_string(of_stabilization.size());
        set_vector(checkpoint, "penalty rate " + number, elements, rate.vector);
        of_stabilization.push_back(rate.time);
      }
    checkpoint.set_array("penalty times", of_stabilization.data(), of_stabilization.size());
  }


  template <typename Flow>
  void
  restore(const Checkpoint &checkpoint, const ElementBlocks &elements, Flow &flow)
  {
    const auto get = [&](const std::string &name, typename Flow::VectorType vector) {
      get_vector(checkpoint, name, elements, vector);
      return vector;
    };
    const auto               &operators = flow.operators();
    typename Flow::Memory     memory;
    const std::vector<double> times     = checkpoint.get_array<double>("times");
    const auto                is_finite = [](const double time) { return std::isfinite(time); };
    checkpoint.require(!times.empty() && std::all_of(times.begin(), times.end(), is_finite) &&
                         std::adjacent_find(times.begin(), times.end(), std::less_equal<>()) ==
                           times.end(),
                       "times",
                       "does not decrease from value to value");
    for (const double time : times)
      {
        const std::string number = std::to_string(memory.states.size());
        memory.states.push_back({time,
                                 get("velocity " + number, operators.make_velocity()),
                                 get("pressure " + number, operators.make_pressure())});
      }
    for (std::int64_t i = 0; i < checkpoint.get_integer("pressure solutions"); ++i)
      memory.pressure_solutions.push_back(
        get("pressure solution " + std::to_string(i), operators.make_pressure()));
    if (flow.has_stabilization())
      for (const double time : checkpoint.get_array<double>("penalty times"))
        {
          const std::string number = std::to_string(memory.stabilization_rates.size());
          memory.stabilization_rates.push_back(
            {time, get("penalty rate " + number, operators.make_velocity())});
        }
    flow.set_memory(memory);
  }
} // namespace Saltus::FlowProgram

#endif
