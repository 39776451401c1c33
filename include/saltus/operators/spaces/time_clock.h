// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
#ifndef saltus_operators_spaces_time_clock_h
#define saltus_operators_spaces_time_clock_h

#include <saltus/base/device/identity.h>
#include <saltus/base/device/memory.h>
#include <saltus/base/device/time_state.h>
#include <saltus/base/ranks/element_partition.h>
#include <saltus/operators/spaces/failure.h>

#include <memory>
#include <vector>

namespace Saltus
{
  /// Time and step size of a computation, on the device, and what its steps note down: how much has
  /// left through the boundary, and the first failure. Operators have no time of their own; they
  /// make a clock (ConservationLawOperator::make_clock()) and are given it with every stage. So one
  /// operator serves several computations, and several operators may share one time.
  class TimeClock
  {
  public:
    /// Of no operator, and at time 0.
    TimeClock() = default;

    /// Collective.
    /// @param n_boundary_faces,n_components of the operator
    /// @param partition of its mesh
    TimeClock(const Device                                   device,
              const unsigned int                             n_boundary_faces,
              const unsigned int                             n_components,
              const TimeState                               &start,
              const std::shared_ptr<const ElementPartition> &partition = nullptr);

    /// Shows the time of @p other, now and later, but takes notes of its own. Collective.
    TimeClock(const TimeClock                               &other,
              const unsigned int                             n_boundary_faces,
              const unsigned int                             n_components,
              const std::shared_ptr<const ElementPartition> &partition = nullptr);

    /// Waits for the device.
    TimeState
    state() const;

    void
    set_state(const TimeState &state);

    /// The smallest of the ranks' step sizes becomes that of all. Collective. Where the ranks' GPUs
    /// have a group (ElementPartition::gpus()), the host waits for nothing.
    void
    agree_on_step();

    /// Time integral of the flux out of the domain, `[component]`. Collective.
    std::vector<double>
    outflow() const;

    /// The same by boundary face of this rank, `[face][component]`: what a restart must set again.
    std::vector<double>
    outflow_by_face() const;

    /// @throws dealii::ExcMessage for another number of entries
    void
    set_outflow_by_face(const std::vector<double> &outflow);

    /// The first failure on this rank since the last call, with the state that caused it; kind
    /// `none` if there was none.
    Failure
    take_failure(std::vector<double> &state);

    Device
    device() const
    {
      return outflow_.device();
    }

    unsigned int
    n_boundary_faces() const
    {
      return boundary_faces;
    }

    unsigned int
    n_components() const
    {
      return failed_state.size();
    }

    /// Changes with the memory, to which recorded launches refer.
    const Identity &
    identity() const
    {
      return identity_;
    }

    /// @name On the device, for kernels.
    /// @{
    TimeState *
    time()
    {
      return time_->data();
    }

    FailureRecord
    failure()
    {
      return {failure_.data(), failed_state.data()};
    }

    double *
    outflow_data()
    {
      return outflow_.data();
    }
    /// @}

  private:
    std::shared_ptr<Memory<TimeState>>      time_;
    Memory<Failure>                         failure_;
    Memory<double>                          failed_state; ///< `[c]`
    Memory<double>                          outflow_;     ///< `[face][c]`
    Memory<long long>                       shortness_;   ///< of the step, see agree_on_step()
    unsigned int                            boundary_faces = 0;
    std::shared_ptr<const ElementPartition> partition;
    std::shared_ptr<GpuGroup>               gpus; ///< of the ranks, if they have a group
    Identity                                identity_;
  };
} // namespace Saltus

#endif
