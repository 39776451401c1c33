// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception OR LGPL-2.1-or-later
// A program whose ranks stop, as they have agreed, but not at the same time.
#include <saltus/base/ranks/ranks.h>
#include <saltus/io/parameters/application.h>

#include <chrono>
#include <thread>

int
main(int argc, char **argv)
{
  return Saltus::run_application(
    argc,
    argv,
    "Stop.",
    [](dealii::ParameterHandler &) {},
    [](const Saltus::RunSettings &) {
      std::this_thread::sleep_for(std::chrono::seconds(3 * Saltus::this_rank(MPI_COMM_WORLD)));
      throw Saltus::StoppedEarly("stopped by a test.");
    });
}
