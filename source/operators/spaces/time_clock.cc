// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#include <deal.II/base/exceptions.h>

#include <saltus/base/device/launch.h>
#include <saltus/operators/spaces/step_size.h>
#include <saltus/operators/spaces/time_clock.h>

#include <cstdint>
#include <string>

namespace Saltus
{
  TimeClock::TimeClock(const Device                                   device,
                       const unsigned int                             n_boundary_faces,
                       const unsigned int                             n_components,
                       const TimeState                               &start,
                       const std::shared_ptr<const ElementPartition> &partition)
    : time_(std::make_shared<Memory<TimeState>>(device, std::vector<TimeState>(1, start)))
    , failure_(device, 1)
    , failed_state(device, n_components)
    , outflow_(device, static_cast<std::size_t>(n_boundary_faces) * n_components)
    , shortness_(device, 1)
    , boundary_faces(n_boundary_faces)
    , partition(partition)
    , gpus(partition ? partition->gpus(device) : nullptr)
  {}

  TimeClock::TimeClock(const TimeClock                               &other,
                       const unsigned int                             n_boundary_faces,
                       const unsigned int                             n_components,
                       const std::shared_ptr<const ElementPartition> &partition)
    : TimeClock(other.device(), n_boundary_faces, n_components, TimeState(), partition)
  {
    AssertThrow(other.time_ != nullptr,
                dealii::ExcMessage("A clock of no operator has no time to share. Make it with "
                                   "make_clock() of an operator."));
    time_ = other.time_;
  }

  TimeState
  TimeClock::state() const
  {
    return time_ ? time_->to_host()[0] : TimeState();
  }

  void
  TimeClock::set_state(const TimeState &state)
  {
    AssertThrow(time_ != nullptr,
                dealii::ExcMessage(
                  "A clock of no operator cannot be set. Make it with make_clock() "
                  "of an operator."));
    time_->copy_from_host(&state);
  }

  void
  TimeClock::agree_on_step()
  {
    if (partition == nullptr)
      return;
    if (gpus != nullptr)
      {
        launch(device(), 1, GetShortness{time(), shortness_.data()});
        gpus->maximum(shortness_.data());
        launch(device(), 1, SetStepOfShortness{time(), shortness_.data()});
        return;
      }
    TimeState          own      = state();
    const std::int64_t shortest = shortness(own);
    set_step_of_shortness(own, dealii::Utilities::MPI::max(shortest, partition->communicator));
    set_state(own);
  }

  std::vector<double>
  TimeClock::outflow() const
  {
    const std::vector<double> by_face = outflow_by_face();
    std::vector<double>       sum(n_components(), 0.);
    for (std::size_t i = 0; i < by_face.size(); ++i)
      sum[i % sum.size()] += by_face[i];
    return sum_over_ranks(partition, sum);
  }

  std::vector<double>
  TimeClock::outflow_by_face() const
  {
    return outflow_.to_host();
  }

  void
  TimeClock::set_outflow_by_face(const std::vector<double> &outflow)
  {
    AssertThrow(outflow.size() == outflow_.size(),
                dealii::ExcMessage("The outflow has " + std::to_string(outflow.size()) +
                                   " entries, but " + std::to_string(n_boundary_faces()) +
                                   " boundary faces with " + std::to_string(n_components()) +
                                   " components have " + std::to_string(outflow_.size()) + "."));
    outflow_.copy_from_host(outflow.data());
  }

  Failure
  TimeClock::take_failure(std::vector<double> &state)
  {
    const Failure failure = failure_.size() > 0 ? failure_.to_host()[0] : Failure();
    if (failure.kind != FailureKind::none)
      {
        state = failed_state.to_host();
        failure_.fill_zero();
      }
    return failure;
  }
} // namespace Saltus
