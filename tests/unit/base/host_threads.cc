// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// Two threads of the host, each with objects of its own, on one device at a time.
#include <saltus/solvers/time/time_integrator.h>

#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <helpers/message_of.h>
#include <helpers/on_device.h>
#include <helpers/random_setting.h>
#include <helpers/time_state.h>
#include <helpers/vectors.h>
#include <string>
#include <thread>

using namespace Saltus;
using namespace Saltus::Tests;

namespace
{
  class TwoThreads : public OnDevice
  {
  protected:
    /// Perform @p action(number of the thread) on both at a time.
    void
    run(const std::function<void(int)> &action) const
    {
      std::array<std::string, 2> errors;
      std::array<std::thread, 2> threads;
      for (int i = 0; i < 2; ++i)
        threads[i] = std::thread([&, i]() { errors[i] = message_of([&]() { action(i); }); });
      for (std::thread &thread : threads)
        thread.join();
      for (int i = 0; i < 2; ++i)
        EXPECT_EQ(errors[i], "") << "thread " << i;
    }
  };
} // namespace

// All sums are whole numbers, so that they are exact in whichever order.
TEST_P(TwoThreads, EachGetsItsOwnSums)
{
  const Device       device = this->device();
  std::array<int, 2> n_wrong{};
  run([&](const int thread) {
    const VectorLayout layout{device, 1000, 6, 2, nullptr};
    Vector<double>     v(layout), w(layout);
    v                     = 1. + thread;
    w                     = 3.;
    const double expected = 3. * (1 + thread) * v.locally_owned_size();
    for (int i = 0; i < 5000; ++i)
      n_wrong[thread] += v * w != expected;
  });
  EXPECT_EQ(n_wrong[0], 0) << "of 5000, in the first thread";
  EXPECT_EQ(n_wrong[1], 0) << "of 5000, in the second thread";
}

// On GPUs, steps are recorded in a graph.
TEST_P(TwoThreads, EachTakesItsOwnSteps)
{
  const Device device                                = this->device();
  using Operator                                     = ConservationLawOperator<2, Euler<2>, double>;
  const std::array<Setting<2, Euler<2>>, 2> settings = {
    {Setting<2, Euler<2>>(2), Setting<2, Euler<2>>(3)}};
  const auto after_steps = [&](const int i) {
    Operator op;
    op.reinit(settings[i].mapping,
              settings[i].dof_handler,
              settings[i].law,
              all_conditions<2, Euler<2>>(),
              device);
    auto      u     = copied(op, settings[i].random_state(0.05));
    TimeClock clock = op.make_clock(with_cfl(0.5));
    TimeIntegrator(op, clock, RungeKutta("LSRK45")).advance(u, 20);
    op.check_states(clock);
    return to_dealii(op, u);
  };
  const std::array<dealii::Vector<double>, 2> alone = {{after_steps(0), after_steps(1)}};
  std::array<int, 2>                          n_wrong{};
  run([&](const int thread) {
    for (int i = 0; i < 20; ++i)
      n_wrong[thread] += after_steps(thread) != alone[thread];
  });
  EXPECT_EQ(n_wrong[0], 0) << "of 20 runs, in the first thread";
  EXPECT_EQ(n_wrong[1], 0) << "of 20 runs, in the second thread";
}

SALTUS_INSTANTIATE_ON_DEVICES(TwoThreads)
